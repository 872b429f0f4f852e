"""The rows as they lie in the database, undecoded: for those who check them."""

import sqlite3
from collections.abc import Iterator
from typing import Any, NamedTuple
from uuid import UUID

import psycopg

from referee.store import sqlite_path
from referee.store.sqlite_schema import connect


class RawRow(NamedTuple):
    """A row of the log; `version` and `digest` as they were found."""

    version: int
    position: int
    topic: str | None
    state: bytes | None
    digest: bytes | None
    seals: str | None


class RawCommand(NamedTuple):
    """A command kept for its key; `versions` is JSON."""

    scope: str
    key: str
    versions: str
    position: int


_COLUMNS = "originator_version, {position}, topic, state, digest, seals FROM stored_events"


class Scan:
    """One consistent view of the whole log, to be read stream by stream. Raises the driver's errors."""

    def __init__(self, database: str) -> None:
        path = sqlite_path(database)
        if path and not path.exists():
            raise FileNotFoundError(path)
        self._lite = path is not None
        self._connection: Any = connect(path) if path else psycopg.connect(database, autocommit=True)
        self._connection.execute("BEGIN" if path else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        self._position = "rowid" if path else "notification_id"

    def count(self) -> int:
        """How many events there are."""
        return int(self._all("SELECT count(*) FROM stored_events")[0][0])

    def streams(self) -> Iterator[UUID]:
        """Every stream."""
        for (stream,) in self._all("SELECT DISTINCT originator_id FROM stored_events"):
            yield UUID(stream) if self._lite else stream

    def rows(self, stream: UUID) -> list[RawRow]:
        """The rows of a stream by version."""
        query = _COLUMNS.format(position=self._position)
        found = self._all(f"SELECT {query} WHERE originator_id = %s ORDER BY originator_version", self._id(stream))
        return [RawRow(*row) for row in found]

    def row(self, stream: UUID, version: int) -> RawRow | None:
        """One row."""
        query = _COLUMNS.format(position=self._position)
        where = "WHERE originator_id = %s AND originator_version = %s"
        found = self._all(f"SELECT {query} {where}", self._id(stream), version)
        return RawRow(*found[0]) if found else None

    def commands(self, scope: str | None = None) -> list[RawCommand]:
        """All commands, or those of one scope."""
        where, values = ("", ()) if scope is None else (" WHERE scope = %s", (scope,))
        return [
            RawCommand(*row)
            for row in self._all(f"SELECT scope, key, versions, position FROM command{where}", *values)  # noqa: S608
        ]

    def close(self) -> None:
        """Let go of the database."""
        self._connection.close()

    def _id(self, stream: UUID) -> Any:
        return stream.hex if self._lite else stream

    def _all(self, query: str, *values: Any) -> list[Any]:
        return list(self._connection.execute(query.replace("%s", "?") if self._lite else query, values).fetchall())


UNREADABLE = (sqlite3.Error, psycopg.Error, OSError)
