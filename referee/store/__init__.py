"""The event log. `open_log` and `open_reader` choose the database by its address; `migrate` prepares it.

Addresses: `sqlite:PATH` for a file (`sqlite:referee.db`, `sqlite:/var/lib/referee.db`), `postgresql://user:password@host:port/name`.
"""

from pathlib import Path

from referee.store import postgres_schema, sqlite_schema
from referee.store.log import Limits, Log, Reader
from referee.store.postgres import PostgresLog
from referee.store.postgres_recorder import PostgresReader, PostgresRecorder
from referee.store.sqlite import SQLiteLog, SQLiteReader, SQLiteRecorder

__all__ = ["BadAddress", "Limits", "migrate", "open_log", "open_reader", "open_recorder", "sqlite_path"]

DEFAULT = Limits()


class BadAddress(ValueError):
    """A database address that names neither an SQLite file nor a PostgreSQL database."""


def sqlite_path(database: str) -> Path | None:
    """The file that a `sqlite:` address names, or None for a PostgreSQL address. Raises BadAddress for anything else."""
    scheme, _, rest = database.partition(":")
    if scheme == "sqlite" and rest:
        return Path("/" + rest.lstrip("/") if rest.startswith("///") else rest)
    if scheme in ("postgresql", "postgres") and rest.startswith("//"):
        return None
    raise BadAddress(f"{scheme}: is not a database address; write sqlite:PATH or postgresql://user:password@host/name")


def open_log(database: str, limits: Limits = DEFAULT) -> Log:
    """The log at an address, for the service; it connects when first asked. Raises BadAddress."""
    path = sqlite_path(database)
    return SQLiteLog(path, limits) if path else PostgresLog(database, limits)


def open_reader(database: str, limits: Limits = DEFAULT) -> Reader:
    """The log at an address, for those who follow it; it connects when first asked. Raises BadAddress."""
    path = sqlite_path(database)
    return SQLiteReader(path) if path else PostgresReader(database, limits)


def open_recorder(database: str) -> SQLiteRecorder | PostgresRecorder:
    """The log at an address as a recorder of the eventsourcing library, for its tools. Raises BadAddress."""
    path = sqlite_path(database)
    return SQLiteRecorder(path) if path else PostgresRecorder(database)


def migrate(database: str, role: str | None = None) -> None:
    """Bring the tables up to date, in one transaction; a step is taken once, however often this is called.

    On PostgreSQL `role` is given the rights that the service needs, and no more; and positions are lifted where a restore
    has left them behind. Raises BadAddress, or the driver's error if the database does not answer.
    """
    path = sqlite_path(database)
    if path:
        sqlite_schema.migrate(path)
    else:
        postgres_schema.migrate(database, role)
