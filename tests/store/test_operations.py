"""Migrations, the service's role, backup and restore, settings."""

import sqlite3
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from click.testing import CliRunner
from psycopg.conninfo import make_conninfo

from referee import settings
from referee.cli import main
from referee.settings import BadSetting
from referee.store import Limits, migrate, open_reader, sqlite_path
from referee.store.log import Log, Unavailable
from referee.store.scan import Scan
from referee.verify import verify
from tests.postgres import Server, _programs
from tests.store.entries import batch, with_log
from tests.store.two import at, play_all, served, started


def write(database: str, count: int = 1) -> int:
    """Append to a new stream; the position."""

    async def use(log: Log) -> int:
        return await log.append([batch(uuid4(), 0, count)])

    return with_log(database, use)


def rows(database: str, query: str) -> list[Any]:
    path = sqlite_path(database)
    connection: Any = sqlite3.connect(path) if path else psycopg.connect(database)
    try:
        return list(connection.execute(query).fetchall())
    finally:
        connection.close()


def test_migrating_again_changes_nothing(database: str) -> None:
    write(database)
    before = rows(database, "SELECT * FROM stored_events")
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(migrate, [database] * 4))
    assert CliRunner().invoke(main, ["migrate", "--database", database]).exit_code == 0
    assert rows(database, "SELECT * FROM stored_events") == before


def test_events_are_neither_changed_nor_deleted(database: str) -> None:
    """Not even by the owner of the tables, unless he takes the triggers away first."""
    write(database)
    path = sqlite_path(database)
    statements = ["UPDATE stored_events SET topic = 'x'", "DELETE FROM stored_events"]
    for statement in statements if path else [*statements, "TRUNCATE stored_events"]:
        with pytest.raises((sqlite3.IntegrityError, psycopg.errors.InsufficientPrivilege), match="neither changed"):
            rows(database, statement)
    assert len(rows(database, "SELECT * FROM stored_events")) == 1


@pytest.fixture
def service(postgres: Server) -> tuple[str, str]:
    """A database as its owner and as the service's role reaches it."""
    owner, role = postgres.database(), f"r{uuid4().hex}"
    done = CliRunner().invoke(main, ["migrate", "--database", owner, "--role", role])
    assert done.exit_code == 0, done.output
    migrate(owner, role)
    return owner, owner.replace("referee@", f"{role}@")


def test_the_service_needs_no_more_than_its_role_has(service: tuple[str, str]) -> None:
    _, address = service
    with served(address, project=True) as client:
        opened = started(client)
        play_all(opened.scorekeeper)
        position = opened.scorekeeper.post("/deals", {}).json()["position"]
        assert opened.scorekeeper.get(f"/totals?min_position={position}").status_code == 200
    scan = Scan(address)
    assert [found for checked in verify(scan) for found in checked.damage] == []
    scan.close()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE stored_events SET topic = 'x'", "DELETE FROM stored_events", "TRUNCATE stored_events",
        "ALTER TABLE stored_events DISABLE TRIGGER ALL", "DROP TABLE stored_events",
        "DROP TRIGGER keep_event ON stored_events",
        "UPDATE command SET body = 'x'", "DELETE FROM command", "UPDATE log_base SET base = 0", "DELETE FROM log_schema",
    ],
)  # fmt: skip
def test_the_service_cannot_change_the_past(service: tuple[str, str], statement: str) -> None:
    owner, address = service
    write(owner)
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows(address, statement)


def test_the_service_may_erase_words(service: tuple[str, str]) -> None:
    _, address = service
    id_ = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(uuid4(), 0)], words={id_: "Ana"})
        with psycopg.connect(address) as connection:
            connection.execute("DELETE FROM word WHERE id = %s", (id_,))
        assert await log.words([id_]) == {}

    with_log(address, use)


def dumped_into(server: Server, old: str, new: str, folder: Path) -> None:
    """Backup and restore by the database's own tools."""
    file = folder / "backup"
    for command in (
        ["pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={file}", old],
        ["pg_restore", "--exit-on-error", "--no-owner", "--no-privileges", "--dbname", new, str(file)],
    ):
        program = (_programs() / "initdb").resolve().with_name(command[0])
        done = subprocess.run([program, *command[1:]], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_positions_go_on_after_a_restore(postgres: Server, tmp_path: Path) -> None:
    """A new cluster counts transactions from the beginning: the base is raised, and until it is nothing is written."""
    old, new = postgres.database(), postgres.database()
    migrate(old)
    # as if the old cluster had been through a million transactions more
    rows_of = psycopg.connect(old, autocommit=True)
    rows_of.execute(f"UPDATE log_base SET base = {1_000_000 << 12}")
    with served(old) as client:
        opened = started(client)
        play_all(opened.scorekeeper)
    last = write(old)
    dumped_into(postgres, old, new, tmp_path)
    with psycopg.connect(new, autocommit=True) as connection:
        connection.execute("UPDATE log_base SET base = 0")  # as a base that was saved before it was raised

    with pytest.raises(Unavailable, match="referee migrate"):
        write(new)
    assert len(rows(new, "SELECT * FROM stored_events")) == len(rows(old, "SELECT * FROM stored_events"))

    migrate(new)
    reader = open_reader(new)
    assert reader.head() == last
    first = write(new, 3)
    assert first > last
    base = rows(new, "SELECT base FROM log_base")
    migrate(new)
    assert rows(new, "SELECT base FROM log_base") == base
    assert [entry.position for entry in reader.follow(last, 10)] == [first - 2, first - 1, first]
    reader.close()
    with served(new) as client:
        again = at(client, opened.scorekeeper).post("/deals", {})
        assert again.status_code == 201
        assert at(client, opened.scorekeeper).get("/deals/1").json()["points"]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        rows(new, "DELETE FROM stored_events")
    rows_of.close()


def test_an_sqlite_file_is_backed_up_by_its_own_tools(tmp_path: Path) -> None:
    old, new = f"sqlite:{tmp_path / 'old.db'}", f"sqlite:{tmp_path / 'new.db'}"
    migrate(old)
    last = write(old, 3)
    with sqlite3.connect(tmp_path / "old.db") as source, sqlite3.connect(tmp_path / "new.db") as target:
        source.backup(target)
    migrate(new)
    assert rows(new, "SELECT * FROM stored_events") == rows(old, "SELECT * FROM stored_events")
    assert write(new) == last + 1


def test_limits_are_settings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("REFEREE_DATABASE", f"sqlite:{tmp_path / 'a.db'}")
    assert settings.load().limits == Limits()
    monkeypatch.setenv("REFEREE_LOG_POOL", "9")
    monkeypatch.setenv("REFEREE_LOG_STATEMENT_SECONDS", "1.5")
    assert settings.load().limits == Limits(pool=9, statement_seconds=1.5)
    for wrong in ("x", "0", "-1"):
        monkeypatch.setenv("REFEREE_LOG_POOL", wrong)
        with pytest.raises(BadSetting):
            settings.load()


def test_no_wait_is_for_ever(postgres: Server) -> None:
    """The log's own sessions carry the limits, so a lock that nobody gives back is an answer after a while."""
    database = postgres.database()
    migrate(database)
    stream = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(stream, 0)])
        with psycopg.connect(database) as other:
            other.execute("LOCK TABLE stored_events IN EXCLUSIVE MODE")
            with pytest.raises(Unavailable):
                await log.append([batch(stream, 1)])
            assert len(await log.read(stream)) == 1
        await log.append([batch(stream, 1)])

    with_log(database, use, Limits(lock_seconds=0.2))
    shown = make_conninfo(database)
    assert "options" not in shown, "an address stays as it was given"
