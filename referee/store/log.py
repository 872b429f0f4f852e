"""The one port to the event log: append atomically to several streams, read a stream, look up a key.

Implementations are chosen by `referee.store.open_log`; nothing outside this package knows which one it has.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import NamedTuple, Protocol
from uuid import UUID

import msgspec

from referee.events import Entry, Recorded


class Batch(NamedTuple):
    """Entries for one stream, whose last version must be `after` (0: the stream is new)."""

    stream: UUID
    after: int
    entries: Sequence[Entry]


class Key(NamedTuple):
    """An idempotency key: where it counts (a match, or a caller), its words, and the SHA-256 of what was asked (hex)."""

    scope: str
    key: str
    body: str


class Command(msgspec.Struct, frozen=True):
    """A command that was carried out under a key: what was asked, and the version each stream had after it."""

    body: str
    versions: dict[UUID, int]
    position: int


class Limits(msgspec.Struct, frozen=True):
    """How much the log takes on at once, and how long it waits for its database.

    `pool` connections for reads beside two that write and three that keep states fresh; `queue` commands may wait, beyond
    that they are turned away; at most `group` of them share a transaction. Times are in seconds.
    """

    pool: int = 4
    queue: int = 1024
    group: int = 64
    connect_seconds: float = 5
    statement_seconds: float = 5
    lock_seconds: float = 2
    idle_seconds: float = 5


class Conflict(Exception):
    """A stream has moved on: its version is not the one expected. Nothing was written."""


class KeyUsed(Exception):
    """The key has been used: nothing was written; `command` says what was done then."""

    def __init__(self, command: Command) -> None:
        super().__init__("the idempotency key has been used")
        self.command = command


class Unavailable(Exception):
    """The log cannot take or give entries now; nothing was half-done. `retry_after` is in seconds."""

    def __init__(self, why: str, retry_after: int = 1) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class Log(Protocol):
    """The event log as the service sees it. Every method may raise Unavailable."""

    async def append(
        self,
        batches: Sequence[Batch],
        key: Key | None = None,
        words: Mapping[UUID, str] | None = None,
        guards: Mapping[UUID, int] | None = None,
    ) -> int:
        """Write all batches, the key and the words in one transaction; durable once it returns the last position.

        `guards` are streams that were only read, with the version seen: if one has moved on, nothing is written.
        They are compared with what is committed when the append begins, so two appends that each guard what the other
        writes may both pass: what must exclude each other has to write to one stream.
        Raises Conflict or KeyUsed, with nothing written; KeyUsed if both apply. Unavailable where a connection broke
        and none came back in time leaves open whether the command was stored: asking again under its key tells.
        """
        ...

    async def read(
        self, stream: UUID, after: int = 0, upto: int | None = None, until: datetime | None = None
    ) -> list[Recorded]:
        """Entries of a stream with version in (after, upto], in order, up to the first one later than `until`;
        empty if there is no such stream."""
        ...

    async def tails(self, known: Mapping[UUID, int]) -> dict[UUID, list[Recorded]]:
        """What each stream has past the version known of it, streams without news left out."""
        ...

    async def page(self, streams: Sequence[UUID], after: int, limit: int) -> list[Recorded]:
        """At most `limit` entries of these streams past position `after`, in the order of the log."""
        ...

    async def command(self, scope: str, key: str) -> Command | None:
        """What was done under a key, if anything."""
        ...

    async def words(self, ids: Sequence[UUID]) -> dict[UUID, str]:
        """Names and other words that lie beside the log; erased ones are left out."""
        ...

    async def close(self) -> None:
        """Finish what is under way and let go of the database."""
        ...


class Reader(Protocol):
    """The whole log in order, for those who follow it."""

    def follow(self, after: int, limit: int) -> list[Recorded]:
        """At most `limit` entries past position `after`, in an order that never changes."""
        ...

    def head(self) -> int:
        """The last position that `follow` can give now; 0 for an empty log."""
        ...

    def held_back(self) -> int:
        """How many entries are committed but cannot be given yet, because an open transaction may still come before them."""
        ...

    def close(self) -> None:
        """Let go of the database."""
        ...
