"""The event log. `open_log` and `open_reader` choose the database by its address; `migrate` prepares it.

Addresses: `sqlite:PATH` for a file (`sqlite:referee.db`, `sqlite:/var/lib/referee.db`), `postgresql://user:password@host:port/name`.
"""

from pathlib import Path

from referee.store.log import Log, Reader
from referee.store.postgres import PostgresRecorder
from referee.store.recorder import RecorderLog, RecorderReader
from referee.store.sqlite import SQLiteRecorder

__all__ = ["BadAddress", "migrate", "open_log", "open_reader", "sqlite_path"]


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


def _recorder(database: str) -> SQLiteRecorder | PostgresRecorder:
    path = sqlite_path(database)
    return SQLiteRecorder(path) if path else PostgresRecorder(database)


def open_log(database: str) -> Log:
    """The log at an address, for the service. Raises BadAddress."""
    return RecorderLog(_recorder(database))


def open_reader(database: str) -> Reader:
    """The log at an address, for those who follow it. Raises BadAddress."""
    return RecorderReader(_recorder(database))


def migrate(database: str) -> None:
    """Create what is not yet there, in one transaction. Raises BadAddress, or the driver's error if it does not answer."""
    recorder = _recorder(database)
    try:
        recorder.create_table()
    finally:
        recorder.datastore.close()
