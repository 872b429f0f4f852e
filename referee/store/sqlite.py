"""The log in an SQLite file: one thread writes, many commands to a transaction; a few threads read."""

import asyncio
import logging
import sqlite3
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from pathlib import Path
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

import msgspec
from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor, SQLiteDatastore

from referee.events import Recorded
from referee.store import chain
from referee.store.codec import as_of, to_recorded
from referee.store.grouped import Grouped, Waiting
from referee.store.log import Batch, Command, Conflict, Key, KeyUsed, Limits, Unavailable
from referee.store.sqlite_schema import STEPS, connect

T = TypeVar("T")
Append: TypeAlias = tuple[Sequence[Batch], Key | None, Mapping[UUID, str], Mapping[UUID, int]]
MAX_VERSION: Final = 2**53
READERS: Final = 4
READS: Final = 256
ENTRY: Final = "SELECT originator_id, originator_version, rowid, topic, state FROM stored_events"
AT: Final = "SELECT digest FROM stored_events WHERE originator_id=? AND originator_version=?"
INSERT: Final = (
    "INSERT INTO stored_events (originator_id, originator_version, topic, state, digest, seals) VALUES (?,?,?,?,?,?)"
)

log = logging.getLogger(__name__)


class SQLiteLog:
    """A Log in an SQLite file, for one process; it belongs to one event loop."""

    def __init__(self, path: Path, limits: Limits) -> None:
        self._path, self._seconds = path, limits.lock_seconds
        self._own = threading.local()
        self._writer = ThreadPoolExecutor(1, "log-writer")
        self._readers = ThreadPoolExecutor(READERS, "log-reader")
        self._open: list[sqlite3.Connection] = []
        self._appends: Grouped[Append, int] = Grouped(self._append_all, limits.group, limits.queue)
        self._tails: Grouped[Mapping[UUID, int], dict[UUID, list[Recorded]]] = Grouped(
            self._read_tails, READS, limits.queue
        )

    async def append(
        self,
        batches: Sequence[Batch],
        key: Key | None = None,
        words: Mapping[UUID, str] | None = None,
        guards: Mapping[UUID, int] | None = None,
    ) -> int:
        return await self._appends.ask((batches, key, words or {}, guards or {}))

    async def read(
        self, stream: UUID, after: int = 0, upto: int | None = None, until: datetime | None = None
    ) -> list[Recorded]:
        where = " WHERE originator_id=? AND originator_version>? AND originator_version<=? ORDER BY originator_version"
        rows = await self._rows(ENTRY + where, stream.hex, after, MAX_VERSION if upto is None else upto)
        return as_of(map(_recorded, rows), until)

    async def tails(self, known: Mapping[UUID, int]) -> dict[UUID, list[Recorded]]:
        return await self._tails.ask(known)

    async def page(self, streams: Sequence[UUID], after: int, limit: int) -> list[Recorded]:
        where = f" WHERE originator_id IN ({_marks(streams)}) AND rowid>? ORDER BY rowid LIMIT ?"
        return [_recorded(row) for row in await self._rows(ENTRY + where, *(s.hex for s in streams), after, limit)]

    async def command(self, scope: str, key: str) -> Command | None:
        return await self._in(self._readers, lambda: _command(self._connection(), scope, key))

    async def words(self, ids: Sequence[UUID]) -> dict[UUID, str]:
        rows = await self._rows(f"SELECT id, text FROM word WHERE id IN ({_marks(ids)})", *(id_.hex for id_ in ids))  # noqa: S608
        return {UUID(id_): text for id_, text in rows}

    async def close(self) -> None:
        await self._appends.close()
        await self._tails.close()
        self._writer.shutdown()
        self._readers.shutdown()
        for connection in self._open:
            connection.close()

    # ---- in threads

    async def _in(self, threads: ThreadPoolExecutor, call: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, call)
        except (sqlite3.Error, RuntimeError) as error:
            raise _unavailable(error) from error

    async def _rows(self, query: str, *values: Any) -> list[Any]:
        return await self._in(self._readers, lambda: self._connection().execute(query, values).fetchall())

    async def _read_tails(self, group: list[Waiting[Mapping[UUID, int], Any]]) -> Sequence[Any]:
        where = " WHERE originator_id=? AND originator_version>? ORDER BY originator_version"

        def read() -> list[dict[UUID, list[Recorded]]]:
            connection, found = self._connection(), []
            for known, _ in group:
                rows = {s: connection.execute(ENTRY + where, (s.hex, v)).fetchall() for s, v in known.items()}
                found.append({stream: [_recorded(row) for row in tail] for stream, tail in rows.items() if tail})
            return found

        for (_, future), tails in zip(group, await self._in(self._readers, read), strict=True):
            if not future.done():
                future.set_result(tails)
        return ()

    async def _append_all(self, group: list[Waiting[Append, int]]) -> Sequence[Any]:
        done = await self._in(self._writer, lambda: self._write_all([append for append, _ in group]))
        for (_, future), outcome in zip(group, done, strict=True):
            if future.done():
                continue
            if isinstance(outcome, Exception):
                future.set_exception(outcome)
            else:
                future.set_result(outcome)
        return ()

    def _write_all(self, appends: Sequence[Append]) -> list[int | Exception]:
        """Write what can be written in one transaction; a command that cannot leaves no trace in it."""
        connection = self._connection()
        connection.execute("BEGIN IMMEDIATE")
        try:
            done: list[int | Exception] = []
            for append in appends:
                try:
                    done.append(_write(connection, append))
                except (Conflict, KeyUsed) as error:
                    done.append(error)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return done

    def _connection(self) -> sqlite3.Connection:
        """This thread's connection."""
        found: sqlite3.Connection | None = getattr(self._own, "connection", None)
        if found is None:
            if not self._path.exists():
                raise sqlite3.OperationalError("the file is not there")
            found = connect(self._path, self._seconds)
            if found.execute("PRAGMA user_version").fetchone()[0] != len(STEPS):
                found.close()
                raise sqlite3.OperationalError("the tables do not fit this program: run `referee migrate`")
            self._open.append(found)
            self._own.connection = found
        return found


class SQLiteRecorder(SQLiteApplicationRecorder):
    """The library's recorder on the same file: it writes the chain too."""

    def __init__(self, path: Path) -> None:
        super().__init__(SQLiteDatastore(str(path)))

    def construct_create_table_statements(self) -> list[str]:
        return []

    def _insert_events(self, c: SQLiteCursor, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        positions = []
        for event in stored_events:
            stream, version = event.originator_id, event.originator_version
            assert isinstance(stream, UUID)
            c.execute(AT, (stream.hex, version - 1))
            found = c.fetchone()
            digest = chain.link(found["digest"] if found else chain.START, stream, version, event.topic, event.state)
            c.execute(INSERT, (stream.hex, version, event.topic, event.state, digest, None))
            positions.append(c.lastrowid)
        return positions


class SQLiteReader:
    """A Reader of the file; it belongs to one thread. Raises sqlite3.OperationalError while the file cannot be read."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None

    def follow(self, after: int, limit: int) -> list[Recorded]:
        return [_recorded(row) for row in self._rows(ENTRY + " WHERE rowid>? ORDER BY rowid LIMIT ?", after, limit)]

    def head(self) -> int:
        return int(self._rows("SELECT coalesce(max(rowid), 0) FROM stored_events")[0][0])

    def held_back(self) -> int:
        """None: the one writer's order is the order."""
        return 0

    def close(self) -> None:
        if self._connection:
            self._connection.close()

    def _rows(self, query: str, *values: Any) -> list[Any]:
        if self._connection is None:
            self._connection = connect(self._path)
        return self._connection.execute(query, values).fetchall()


def _write(connection: sqlite3.Connection, append: Append) -> int:
    batches, key, words, guards = append
    if key and (command := _command(connection, key.scope, key.key)):
        raise KeyUsed(command)
    before = {}
    for stream, after, _ in batches:
        found = connection.execute(AT, (stream.hex, after)).fetchone() if after else None
        if (after and not found) or connection.execute(AT, (stream.hex, after + 1)).fetchone():
            raise Conflict
        before[stream] = found[0] if found else chain.START
    if any(connection.execute(AT, (stream.hex, version + 1)).fetchone() for stream, version in guards.items()):
        raise Conflict
    position = 0
    for row in chain.rows(batches, before):
        values = (row.stream.hex, *row[1:])
        position = connection.execute(INSERT, values).lastrowid or 0
    if key:
        versions = msgspec.json.encode({batch.stream: batch.after + len(batch.entries) for batch in batches}).decode()
        connection.execute("INSERT INTO command VALUES (?,?,?,?,?)", (*key, versions, position))
    for id_, text in words.items():
        connection.execute("INSERT INTO word VALUES (?,?) ON CONFLICT DO NOTHING", (id_.hex, text))
    return position


def _command(connection: sqlite3.Connection, scope: str, key: str) -> Command | None:
    query = "SELECT body, versions, position FROM command WHERE scope=? AND key=?"
    row = connection.execute(query, (scope, key)).fetchone()
    return Command(row[0], msgspec.json.decode(row[1], type=dict[UUID, int]), row[2]) if row else None


def _recorded(row: Any) -> Recorded:
    return to_recorded(UUID(row[0]), *row[1:])


def _marks(values: Sequence[Any]) -> str:
    return ",".join("?" * len(values))


def _unavailable(error: Exception) -> Unavailable:
    log.warning("the event log does not answer: %s", error)
    text = str(error)
    if "full" in text:
        return Unavailable("the event log's disk is full", 30)
    return Unavailable("the event log is read-only now", 30) if "readonly" in text else Unavailable("no event log")
