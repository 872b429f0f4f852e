"""Entries for tests that care about the log alone."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import TypeVar
from uuid import UUID

from referee.events import Entry, HiddenCardsRead
from referee.store import Limits, open_log
from referee.store.log import Batch, Log

T = TypeVar("T")
DEAL = UUID(int=7)


def entry(number: int = 0, at: datetime | None = None) -> Entry:
    """An entry that carries a number."""
    return Entry(at or datetime.now(UTC), "arbiter", HiddenCardsRead(DEAL, number))


def batch(stream: UUID, after: int, count: int = 1) -> Batch:
    """`count` entries that carry their versions."""
    return Batch(stream, after, [entry(after + place + 1) for place in range(count)])


@asynccontextmanager
async def opened(database: str, limits: Limits | None = None) -> AsyncIterator[Log]:
    """The log, closed at the end."""
    log = open_log(database, limits or Limits())
    try:
        yield log
    finally:
        await log.close()


def with_log(database: str, use: Callable[[Log], Awaitable[T]], limits: Limits | None = None) -> T:
    """Run `use` on the log in an event loop of its own."""

    async def run() -> T:
        async with opened(database, limits) as log:
            return await use(log)

    return asyncio.run(run())
