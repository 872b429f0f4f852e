"""The log on one of the library's recorders: one thread writes, a few read, and the event loop never waits for a disk."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final, NamedTuple, Protocol, TypeVar
from uuid import UUID

import msgspec
from eventsourcing.persistence import IntegrityError, Notification, PersistenceError, StoredEvent

from referee.events import Recorded
from referee.store.codec import to_recorded, to_stored
from referee.store.log import Batch, Command, Conflict, Key, KeyUsed, Unavailable

T = TypeVar("T")
MAX_VERSION: Final = 2**53
READERS: Final = 4


class Writing(NamedTuple):
    """What goes into an append beside the events; `versions` is JSON."""

    key: Key | None
    versions: str
    words: Mapping[UUID, str]


class Recorder(Protocol):
    """What the log asks of a recorder: the library's own methods, and those its subclasses here add."""

    datastore: Any

    def insert_events(self, stored_events: Sequence[StoredEvent], *, writing: Writing) -> Sequence[int] | None: ...
    def select_stream(self, stream: UUID, after: int, upto: int | None) -> list[tuple[int, int, bytes]]: ...
    def select_command(self, scope: str, key: str) -> tuple[str, str, int] | None: ...
    def select_words(self, ids: Sequence[UUID]) -> dict[UUID, str]: ...
    def select_notifications(
        self, start: int | None, limit: int, *, inclusive_of_start: bool
    ) -> Sequence[Notification]: ...
    def max_notification_id(self) -> int | None: ...


class RecorderLog:
    """A Log on a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._writer = ThreadPoolExecutor(1, "log-writer")
        self._readers = ThreadPoolExecutor(READERS, "log-reader")

    async def append(
        self, batches: Sequence[Batch], key: Key | None = None, words: Mapping[UUID, str] | None = None
    ) -> int:
        stored = [
            to_stored(stream, version, entry)
            for stream, after, entries in batches
            for version, entry in enumerate(entries, after + 1)
        ]
        versions = msgspec.json.encode({batch.stream: batch.after + len(batch.entries) for batch in batches}).decode()
        writing = Writing(key, versions, words or {})
        try:
            positions = await self._in(self._writer, lambda: self._recorder.insert_events(stored, writing=writing))
        except IntegrityError as error:
            # either a version or the key was taken: the key decides, for a retry must never look like a conflict
            if key and (command := await self.command(key.scope, key.key)):
                raise KeyUsed(command) from error
            raise Conflict from error
        return positions[-1] if positions else 0

    async def read(self, stream: UUID, after: int = 0, upto: int | None = None) -> list[Recorded]:
        rows = await self._in(self._readers, lambda: self._recorder.select_stream(stream, after, upto))
        return [to_recorded(stream, *row) for row in rows]

    async def command(self, scope: str, key: str) -> Command | None:
        row = await self._in(self._readers, lambda: self._recorder.select_command(scope, key))
        if row is None:
            return None
        return Command(row[0], msgspec.json.decode(row[1], type=dict[UUID, int]), row[2])

    async def words(self, ids: Sequence[UUID]) -> dict[UUID, str]:
        return await self._in(self._readers, lambda: self._recorder.select_words(ids)) if ids else {}

    async def close(self) -> None:
        self._writer.shutdown()
        self._readers.shutdown()
        self._recorder.datastore.close()

    async def _in(self, threads: ThreadPoolExecutor, call: Callable[[], T]) -> T:
        try:
            return await asyncio.get_running_loop().run_in_executor(threads, call)
        except IntegrityError:
            raise
        except PersistenceError as error:
            raise Unavailable("the event log does not answer") from error


class RecorderReader:
    """A Reader on a recorder."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def follow(self, after: int, limit: int) -> list[Recorded]:
        rows = self._recorder.select_notifications(after, limit, inclusive_of_start=False)
        return [to_recorded(row.originator_id, row.originator_version, row.id, row.state) for row in rows]  # type: ignore[arg-type]

    def head(self) -> int:
        return self._recorder.max_notification_id() or 0

    def close(self) -> None:
        self._recorder.datastore.close()
