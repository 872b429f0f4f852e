"""The command `referee`: serve the API, follow the log, prepare a database, show a demonstration."""

import json
import os
import signal
import socket
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import click
import psycopg
from eventsourcing.persistence import PersistenceError
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TaskProgressColumn, TextColumn, TimeRemainingColumn
from rich.table import Table

from referee.rules import rulebook
from referee.rules.game import GAMES
from referee.settings import BadSetting, MissingSecret
from referee.store import BadAddress, migrate, open_reader, sqlite_path

DATABASE = click.option(
    "--database", envvar="REFEREE_DATABASE", default="sqlite:referee.db", show_default=True, metavar="ADDRESS",
    help="sqlite:PATH, or postgresql://user:password@host:port/name",
)  # fmt: skip
UNUSABLE = (OSError, sqlite3.Error, psycopg.Error, PersistenceError)
OPENING = """curl -s http://{host}:{port}/v1/matches -H 'Content-Type: application/json' -d \
'{{"game": "tablanet", "seats": [{{"name": "Ana"}}, {{"name": "Bob"}}], "house_rules": {{"ace_value": 1}}}}'"""


class Command(click.Group):
    """Says what was wrong with an address or a setting in one line."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except (BadAddress, BadSetting, MissingSecret) as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Command, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="referee")
def main() -> None:
    """Scorekeeper and referee for card games played with real cards."""


@main.command()
@DATABASE
@click.option("--host", default="127.0.0.1", show_default=True)
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
@click.option("--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="PostgreSQL only")
@click.option("--project/--no-project", default=True, show_default=True, help="keep the read tables here")
def serve(database: str, host: str, port: int, workers: int, project: bool) -> None:
    """Serve the API, by default on a database file in this folder."""
    from granian import Granian
    from granian.constants import Interfaces, Loops
    from granian.log import LogLevels

    from referee import settings

    os.environ["REFEREE_DATABASE"], os.environ["REFEREE_PROJECT"] = database, "1" if project else "0"
    if sqlite_path(database) and workers > 1:
        raise click.ClickException("an SQLite file takes one process; use PostgreSQL for more workers")
    _usable(database)
    settings.load()
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except OSError as error:
            raise click.ClickException(f"cannot listen on {host}:{port}: {error.strerror}") from error
    shown = database.rpartition("@")[2] if "@" in database else database
    click.echo(f"Referee listens on http://{host}:{port} (database {shown})")
    click.echo("Open a match:\n  " + OPENING.format(host=host, port=port))
    Granian(
        "referee.api.app:create_app", address=host, port=port, interface=Interfaces.ASGI, factory=True,
        workers=workers, loop=Loops.uvloop, workers_kill_timeout=5, respawn_failed_workers=True, log_level=LogLevels.warning,
    ).serve()  # fmt: skip


@main.group(invoke_without_command=True)
@DATABASE
@click.pass_context
def project(ctx: click.Context, database: str) -> None:
    """Keep the read tables up to date, beside a server run with --no-project; or look after them."""
    ctx.obj = database
    if ctx.invoked_subcommand is not None:
        return
    from referee.api.app import follow

    _usable(database)
    stop = _stopped_by_signals()
    click.echo("Following the log; stop with Ctrl-C.")
    follow(database, stop)


@project.command("status")
@click.pass_obj
def project_status(database: str) -> None:
    """How far each projection is, and before which event it stopped. Exit status 1 if one did."""
    from projections.status import status
    from referee.api.app import PROJECTIONS

    with _tables_of(database) as (tables, reader):
        found = status(tables, reader, PROJECTIONS)
    shown = Table("Projection", "Version", "Generation", "Position", "Events", "Behind", "Seconds")
    for one in found:
        behind = f"{one.lag_events}+" if one.lag_events >= 1000 else str(one.lag_events)
        seconds = "?" if one.lag_seconds is None else f"{one.lag_seconds:.1f}"
        shown.add_row(
            one.name, str(one.version), str(one.generation), str(one.position), str(one.events), behind, seconds
        )
    console = Console()
    console.print(shown)
    for one in found:
        if stop := one.stopped:
            where = f"position {stop.position}, stream {stop.stream}" if stop.stream else "the next entry"
            console.print(f"{one.name} stopped at {stop.event} ({where}) since {stop.since}: {stop.why}", markup=False)
    sys.exit(1 if any(one.stopped for one in found) else 0)


@project.command("rebuild")
@click.argument("name", required=False)
@click.pass_obj
def project_rebuild(database: str, name: str | None) -> None:
    """Build a projection (all without NAME) anew beside the one that is read, compare, and swap."""
    from projections import rebuild
    from referee.api.app import PROJECTIONS

    wanted = [one for one in PROJECTIONS if name in (None, one.NAME)]
    if not wanted:
        raise click.ClickException(f"no projection {name}; there are {', '.join(one.NAME for one in PROJECTIONS)}")
    stop = _stopped_by_signals()
    bar = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TextColumn("{task.fields[rate]}"),
           TimeRemainingColumn())  # fmt: skip
    with _tables_of(database) as (tables, reader), Progress(*bar) as shown:
        for projection in wanted:
            task, begun = shown.add_task(projection.NAME, total=None, rate=""), time.monotonic()

            def tell(far: rebuild.Progress, task: TaskID = task, begun: float = begun) -> None:
                rate = far.events / max(time.monotonic() - begun, 1e-3)
                shown.update(task, completed=far.position, total=far.target, rate=f"{rate:,.0f} events/s")

            try:
                done = rebuild.rebuild(tables, reader, projection, stop, tell)
            except rebuild.Running as error:
                raise click.ClickException(f"{projection.NAME} is being rebuilt by somebody else") from error
            if done is None:
                raise click.ClickException("stopped; what is read has not changed")
            same = "as before" if done.compared else "not compared"
            changed = ", ".join(f"{count} rows of {table} differ" for table, count in done.differences.items())
            shown.console.print(f"{done.name}: {done.events} events, generation {done.generation}, {changed or same}")


@contextmanager
def _tables_of(database: str) -> Iterator[tuple[Any, Any]]:
    """The read tables, prepared, and a reader of the log."""
    from projections import base
    from projections.tables import Tables
    from referee.api.app import PROJECTIONS

    _usable(database)
    tables, reader = Tables(database), open_reader(database)
    try:
        base.prepare_all(tables, PROJECTIONS)
        yield tables, reader
    finally:
        reader.close()
        tables.close()


def _stopped_by_signals() -> threading.Event:
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    return stop


@main.command("migrate")
@DATABASE
@click.option("--role", metavar="NAME", help="PostgreSQL: give this role what the service needs, and no more")
def migrate_command(database: str, role: str | None) -> None:
    """Bring the tables up to date; after a restore too, before the service starts. Safe to repeat."""
    try:
        _prepare(database, role)
    except UNUSABLE as error:
        raise click.ClickException(f"The database cannot be prepared: {error}") from error
    click.echo("The database is ready.")


@main.command("verify")
@DATABASE
@click.option("--match", "only", type=click.UUID, help="one match instead of the whole log")
@click.option("--projections", is_flag=True, help="compare the read tables with a fresh fold of the log instead")
def verify_command(database: str, only: UUID | None, projections: bool) -> None:
    """Go through the log: is every entry there, unchanged, and does it follow from those before it?"""
    if projections:
        _verify_tables(database)
        return
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from referee.store.scan import UNREADABLE, Scan
    from referee.verify import verify

    try:
        scan = Scan(database)
        total = scan.count()
    except UNREADABLE as error:
        raise click.ClickException(f"the log cannot be read: {error}") from error
    damage: list[str] = []
    events = 0
    columns = "Verifying", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()
    with Progress(*columns, console=Console(stderr=True)) as progress:
        bar = progress.add_task("", total=None if only else total)
        for checked in verify(scan, only):
            events += checked.events
            progress.advance(bar, checked.events)
            for found in checked.damage:
                damage.append(str(found))
                progress.console.print(str(found), markup=False, highlight=False, soft_wrap=True)
    scan.close()
    if damage:
        click.echo(f"{events} entries, {len(damage)} streams are not in order. First: {damage[0]}")
        raise SystemExit(1)
    click.echo(f"{events} entries, all in order.")


def _verify_tables(database: str) -> None:
    from projections.status import verify
    from referee.api.app import PROJECTIONS

    with _tables_of(database) as (tables, reader):
        wrong = verify(tables, reader, PROJECTIONS)
    for one in wrong[:100]:
        click.echo(f"{one.projection}: table {one.table} is not what the log says of match {one.match}")
    click.echo(f"{len(wrong)} differences." if wrong else "Every read table is what the log says.")
    sys.exit(1 if wrong else 0)


@main.command("openapi")
def openapi_command() -> None:
    """Print the OpenAPI document of the API."""
    from referee.api.app import create_app
    from referee.settings import Settings

    app = create_app(Settings("sqlite:unused", b"", frozenset(), project=False))
    click.echo(json.dumps(app.openapi_schema.to_schema(), indent=2, sort_keys=True, ensure_ascii=False))


@main.command()
@click.argument("file", type=click.File("rb"))
def check(file: Any) -> None:
    """Judge a match record: every deal again under its own rules. Exit status 1 if anything does not follow."""
    from referee import record

    report = record.check(file.read())
    for line in record.lines(report):
        click.echo(line)
    sys.exit(0 if report.legal else 1)


@main.command("rulebook")
@click.argument("game", type=click.Choice(sorted(GAMES)))
@click.option("--lang", type=click.Choice(rulebook.LANGUAGES), default="en", show_default=True)
def rulebook_command(game: str, lang: str) -> None:
    """Print a game's rulebook."""
    for line in rulebook.print_lines(rulebook.rulebook(GAMES[game], lang)):
        click.echo(line)


@main.command()
def demo() -> None:
    """Play a recorded match to 251 through a real server, with a refusal and a replay."""
    from referee.demo import run

    run(Console())


def _prepare(database: str, role: str | None = None) -> None:
    """Create the tables of the log and the read tables: here, once, for processes that do it at once can collide."""
    from projections import base
    from projections.tables import Tables
    from referee.api.app import PROJECTIONS

    migrate(database, role)
    if role is not None:
        return  # the read tables must be the service's own: it makes new ones whenever they are rebuilt
    tables = Tables(database)
    try:
        base.prepare_all(tables, PROJECTIONS)
    finally:
        tables.close()


def _usable(database: str) -> None:
    """Stop here, in one line, where no worker could start. A file is prepared; a server must have been."""
    try:
        if sqlite_path(database):
            _prepare(database)
            return
        reader = open_reader(database)
        try:
            reader.head()
        finally:
            reader.close()
    except UNUSABLE as error:
        raise click.ClickException(f"The database cannot be used: {error}. `referee migrate` prepares it.") from error


if __name__ == "__main__":
    main()
