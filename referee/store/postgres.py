"""The log in PostgreSQL, asynchronously: one connection writes for the whole process, many commands to a transaction."""

import asyncio
import logging
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, TypeAlias, TypeVar
from uuid import UUID

import msgspec
import psycopg
from psycopg.types.numeric import Int8
from psycopg_pool import AsyncConnectionPool, PoolClosed, PoolTimeout, TooManyRequests

from referee.events import Recorded
from referee.store import chain
from referee.store import postgres_sql as sql
from referee.store.chain import Head
from referee.store.codec import as_of, to_recorded
from referee.store.grouped import Grouped, Waiting
from referee.store.log import Batch, Command, Conflict, Key, KeyUsed, Limits, Unavailable
from referee.store.postgres_line import Line, Lost
from referee.store.postgres_sql import Write

T = TypeVar("T")
Append: TypeAlias = tuple[Sequence[Batch], Key | None, Mapping[UUID, str], Mapping[UUID, int]]
Tails: TypeAlias = dict[UUID, list[Recorded]]
MAX_VERSION: Final = 2**53
HEADS_KEPT: Final = 65_536
READS: Final = 256
LANES: Final = 2
"""Groups of this process that may be under way at once: one is on its way while the next one is made up."""

log = logging.getLogger(__name__)


class PostgresLog:
    """A Log in PostgreSQL; it belongs to one event loop, and connects when it is first asked."""

    def __init__(self, url: str, limits: Limits) -> None:
        where = sql.address(url, limits)
        self._limits = limits
        self._pool = AsyncConnectionPool(
            where, min_size=1, max_size=limits.pool, open=False, kwargs={"autocommit": True},
            timeout=limits.connect_seconds, max_waiting=limits.queue,
        )  # fmt: skip
        self._writers, self._news = ([Line(where, limits) for _ in range(LANES)] for _ in range(2))
        self._known = Line(where, limits)
        group, queue = limits.group, limits.queue
        self._appends: Grouped[Append, int] = Grouped(self._append_all, group, queue, LANES)
        self._tails: Grouped[Mapping[UUID, int], Tails] = Grouped(self._read_tails, READS, queue, LANES)
        self._commands: Grouped[tuple[str, str], Command | None] = Grouped(self._look_up, READS, queue)
        self._heads: dict[UUID, Head] = {}
        self._opened = False

    async def append(
        self,
        batches: Sequence[Batch],
        key: Key | None = None,
        words: Mapping[UUID, str] | None = None,
        guards: Mapping[UUID, int] | None = None,
    ) -> int:
        if not 0 < _size(batches) < sql.PLACES:
            raise ValueError(f"an append holds 1 to {sql.PLACES - 1} entries")
        return await self._appends.ask((batches, key, words or {}, guards or {}))

    async def read(
        self, stream: UUID, after: int = 0, upto: int | None = None, until: datetime | None = None
    ) -> list[Recorded]:
        rows = await self._rows(sql.STREAM, stream, Int8(after), Int8(MAX_VERSION if upto is None else upto))
        return as_of((to_recorded(stream, *row) for row in rows), until)

    async def tails(self, known: Mapping[UUID, int]) -> Tails:
        return await self._tails.ask(known)

    async def page(self, streams: Sequence[UUID], after: int, limit: int) -> list[Recorded]:
        return [to_recorded(*row) for row in await self._rows(sql.PAGE, list(streams), Int8(after), Int8(limit))]

    async def command(self, scope: str, key: str) -> Command | None:
        return await self._commands.ask((scope, key))

    async def words(self, ids: Sequence[UUID]) -> dict[UUID, str]:
        return dict(await self._rows(sql.WORDS, list(ids))) if ids else {}

    async def close(self) -> None:
        for grouped in (self._appends, self._tails, self._commands):
            await grouped.close()
        for line in (*self._writers, *self._news, self._known):
            await line.close()
        await self._pool.close()

    # ---- reads

    async def _rows(self, query: str, *values: Any) -> list[Any]:
        try:
            if not self._opened:
                self._opened = True
                await self._pool.open(wait=False)
            async with asyncio.timeout(self._limits.connect_seconds + self._limits.statement_seconds):
                for left in range(self._limits.pool, -1, -1):
                    # after a restart of the server every connection in the pool may be a broken one
                    async with self._pool.connection() as connection, connection.cursor(binary=True) as cursor:
                        try:
                            await cursor.execute(query, values, prepare=True)
                            return await cursor.fetchall()
                        except psycopg.OperationalError:
                            if not (left and connection.closed):
                                raise
        except (psycopg.Error, PoolTimeout, PoolClosed, TooManyRequests, TimeoutError) as error:
            raise _unavailable(error) from error
        raise AssertionError("the last try answers or raises")

    async def _read_tails(self, group: list[Waiting[Mapping[UUID, int], Tails]], lane: int) -> Sequence[Any]:
        known: dict[UUID, int] = {}
        for asked, _ in group:
            for stream, version in asked.items():
                known[stream] = min(version, known.get(stream, version))
        found: Tails = {}
        for row in await _sure(self._news[lane].read(sql.TAILS, list(known), [Int8(v) for v in known.values()])):
            found.setdefault(row[0], []).append(to_recorded(*row))
        for asked, future in group:
            news = {s: [e for e in found[s] if e.version > version] for s, version in asked.items() if s in found}
            _answer(future, {stream: entries for stream, entries in news.items() if entries})
        return ()

    async def _look_up(self, group: list[Waiting[tuple[str, str], Command | None]], _lane: int) -> Sequence[Any]:
        asked = list({scope_key for scope_key, _ in group})
        rows = await _sure(self._known.read(sql.COMMANDS, [scope for scope, _ in asked], [key for _, key in asked]))
        found = {(scope, key): _command(body, versions, position) for scope, key, body, versions, position in rows}
        for scope_key, future in group:
            _answer(future, found.get(scope_key))
        return ()

    # ---- the writer

    async def _append_all(self, group: list[Waiting[Append, int]], lane: int) -> Sequence[Waiting[Append, int]]:
        line = self._writers[lane]
        now, later = _apart(group)
        await _sure(self._find_heads(line, (append for append, _ in now)))
        made = [(self._write(waiting[0]), waiting) for waiting in now]
        writes = [(write, waiting) for write, waiting in made if write]
        behind = [waiting for write, waiting in made if not write]
        done = await self._try(line, [write for write, _ in writes]) if writes else None
        if isinstance(done, int):
            for (write, (_, future)), position in zip(writes, _positions(done, [w for w, _ in writes]), strict=True):
                _answer(future, self._written(write, position))
            await self._one_by_one(line, behind, False)
        else:
            # one of them cannot be written, or the answer was lost: each alone, so that none takes others down
            await self._one_by_one(line, now, isinstance(done, Lost))
        return later

    async def _one_by_one(self, line: Line, group: Iterable[Waiting[Append, int]], lost: bool) -> None:
        gone: Exception | None = None
        for append, future in group:
            try:
                if gone is None:
                    _answer(future, await self._append_one(line, append, lost))
            except Exception as error:
                if not future.done():
                    future.set_exception(error)
                gone = None if line.up else error
            if gone and not future.done():
                future.set_exception(gone)

    async def _append_one(self, line: Line, append: Append, lost: bool) -> int:
        """Write one command. `lost`: it was sent before, and the connection broke before the answer came."""
        for _ in range(2):
            await _sure(self._find_heads(line, [append]))
            write = self._write(append)
            done = await self._try(line, [write]) if write else None
            if isinstance(done, int):
                assert write
                return self._written(write, done + len(write.rows) - 1)
            if isinstance(done, Exception) and not isinstance(done, (Lost, psycopg.errors.UniqueViolation)):
                raise _unavailable(done) from done
            if not isinstance(done, Lost):
                return await self._refused(line, append, write, lost)
            lost = True
        raise Unavailable("the event log was lost while it wrote; asked again under the same key it will tell")

    async def _refused(self, line: Line, append: Append, write: Write | None, lost: bool) -> int:
        """Why a command could not be written; its position if it turns out to have been, when its answer was lost."""
        batches, key, _, _ = append
        last = write.rows[-1] if write else None
        try:
            if lost and last:
                rows = await line.execute(sql.OURS, last.stream, Int8(last.version), last.digest)
                if rows and write:
                    return self._written(write, rows[0][0])
            if key:
                rows = await line.execute(sql.COMMANDS, [key.scope], [key.key])
                if rows:
                    raise KeyUsed(_command(*rows[0][2:]))
        except (Lost, psycopg.Error) as error:
            raise _unavailable(error) from error
        for batch in batches:
            self._heads.pop(batch.stream, None)
        raise Conflict

    async def _try(self, line: Line, writes: Sequence[Write]) -> int | Exception | None:
        """The first position; None if a guard stopped it; or the error, Lost where it may have been written."""
        try:
            rows = await line.execute(sql.APPEND, *sql.arguments(writes))
        except (Lost, psycopg.Error) as error:
            return error
        return rows[0][0] if rows else None

    async def _find_heads(self, line: Line, appends: Iterable[Append]) -> None:
        """Learn the digest of every row that the next ones follow, where it is not known from earlier appends."""
        wanted = {
            batch.stream: batch.after
            for batches, *_ in appends
            for batch in batches
            if batch.after and ((head := self._heads.get(batch.stream)) is None or head.version < batch.after)
        }
        if wanted:
            rows = await line.execute(sql.HEADS, list(wanted), [Int8(version) for version in wanted.values()])
            for stream, version, digest in rows:
                self._heads[stream] = Head(version, digest)

    def _write(self, append: Append) -> Write | None:
        """A command as rows, or None when a stream is known not to be where it should be."""
        batches, key, words, guards = append
        before = {}
        for stream, after, _ in batches:
            head = self._heads.get(stream)
            if (head.version if head else 0) != after:
                return None
            if head:
                before[stream] = head.digest
        return Write(chain.rows(batches, before), batches, key, list(words.items()), list(guards.items()))

    def _written(self, write: Write, position: int) -> int:
        for row in write.rows:
            self._heads.pop(row.stream, None)
            self._heads[row.stream] = Head(row.version, row.digest)
        while len(self._heads) > HEADS_KEPT:
            del self._heads[next(iter(self._heads))]
        return position


def _apart(group: list[Waiting[Append, int]]) -> tuple[list[Waiting[Append, int]], list[Waiting[Append, int]]]:
    """Those that can share a transaction, and those that write what one before them writes or guards."""
    now: list[Waiting[Append, int]] = []
    later: list[Waiting[Append, int]] = []
    written: set[Any] = set()
    guarded: set[UUID] = set()
    room = sql.PLACES - 1
    for waiting in group:
        batches, key, _, guards = waiting[0]
        mine = {batch.stream for batch in batches} | ({key[:2]} if key else set())
        room -= _size(batches)
        if room < 0 or mine & written or mine & guarded or written & guards.keys():
            later.append(waiting)
        else:
            now.append(waiting)
        written |= mine
        guarded |= guards.keys()
    return now, later


def _size(batches: Sequence[Batch]) -> int:
    return sum(len(batch.entries) for batch in batches)


def _positions(first: int, writes: Sequence[Write]) -> Iterable[int]:
    """The last position of each command."""
    last = first - 1
    for write in writes:
        last += len(write.rows)
        yield last


def _command(body: str, versions: str, position: int) -> Command:
    return Command(body, msgspec.json.decode(versions, type=dict[UUID, int]), position)


def _answer(future: "asyncio.Future[T]", value: T) -> None:
    if not future.done():
        future.set_result(value)


async def _sure(rows: Awaitable[T]) -> T:
    try:
        return await rows
    except (Lost, psycopg.Error) as error:
        raise _unavailable(error) from error


def _unavailable(error: Exception) -> Unavailable:
    if isinstance(error, Unavailable):
        return error
    log.warning("the event log does not answer: %s: %s", type(error).__name__, str(error).partition("\n")[0])
    match error:
        case psycopg.errors.DiskFull():
            return Unavailable("the event log's disk is full", 30)
        case psycopg.errors.ReadOnlySqlTransaction() | psycopg.errors.InsufficientPrivilege():
            return Unavailable("the event log is read-only now", 30)
        case _:
            return Unavailable("the event log does not answer")
