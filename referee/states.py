"""Folded streams, kept in memory: what a process knows of the log, and how it makes sure of it.

A state is immutable, so it is shared, never copied; it lives in this process only, so it never outlives the program that
made it; and it is kept with the function that folded it, so no other will take it for its own. Reading goes by the log:
a known state is brought up to date first. A command may go by what is known without asking, because the log refuses
to append where a stream has moved on: it looks at states inside `looking`, which notes them, and before anybody is
refused `moved` asks whether one of them was stale.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from datetime import datetime
from typing import Any, Final, TypeAlias
from uuid import UUID

from referee.events import Recorded
from referee.store.log import Batch, Log

Evolve: TypeAlias = Callable[[Any, Recorded], Any]
KEPT: Final = 8192


class Look:
    """The states that a command has gone by, each at the version it saw (0: no such stream)."""

    def __init__(self) -> None:
        self.seen: dict[UUID, tuple[Any, Evolve]] = {}

    def versions(self) -> dict[UUID, int]:
        """The version of every stream seen."""
        return {stream: _version(state) for stream, (state, _) in self.seen.items()}


_looking: ContextVar[Look | None] = ContextVar("looking", default=None)


class States:
    """The states of one log. Reading raises what the log raises."""

    def __init__(self, log: Log, kept: int = KEPT) -> None:
        self._log, self._kept = log, kept
        self._states: dict[UUID, tuple[Any, Evolve]] = {}

    @contextmanager
    def looking(self) -> Iterator[Look]:
        """Until it ends, `load` answers what is known and notes it; inside another look it is part of that one."""
        if around := _looking.get():
            yield around
            return
        look = Look()
        token = _looking.set(look)
        try:
            yield look
        finally:
            _looking.reset(token)

    async def load(self, stream: UUID, evolve: Evolve) -> Any:
        """A stream's state as it is now, or inside `looking` as it is known; None if there is no such stream."""
        look = _looking.get()
        if look is None:
            return await self.fresh(stream, evolve)
        if stream not in look.seen:
            state = self.known(stream, evolve)
            look.seen[stream] = (await self.fresh(stream, evolve) if state is None else state), evolve
        return look.seen[stream][0]

    def known(self, stream: UUID, evolve: Evolve) -> Any:
        """A stream's state as far as it is known, perhaps stale; None if it is not."""
        state, folded_by = self._states.get(stream, (None, evolve))
        return state if folded_by is evolve else None

    async def fresh(self, stream: UUID, evolve: Evolve) -> Any:
        """A stream's state with everything that has been appended to it."""
        state = self.known(stream, evolve)
        news = await self._log.tails({stream: _version(state)})
        return self._fold(stream, evolve, state, news.get(stream, ()))

    async def at(self, stream: UUID, evolve: Evolve, version: int) -> Any:
        """A stream's state as it was at a version."""
        state = self.known(stream, evolve)
        if state is None or state.version > version:
            state = None
            entries = await self._log.read(stream, 0, version)
        elif state.version == version:
            return state
        else:
            entries = await self._log.read(stream, state.version, version)
        return self._fold(stream, evolve, state, entries)

    async def as_of(self, stream: UUID, evolve: Evolve, until: datetime) -> Any:
        """A stream's state as it was at a time."""
        return self._fold(stream, evolve, None, await self._log.read(stream, until=until))

    async def moved(self, look: Look) -> bool:
        """Whether a stream that was looked at has moved on; the states known here are up to date afterwards."""
        news = await self._log.tails(look.versions())
        for stream, entries in news.items():
            state, evolve = look.seen[stream]
            self._fold(stream, evolve, state, entries)
        return bool(news)

    def forget(self, look: Look, *streams: UUID) -> None:
        """After a conflict: what is known of these streams (of all that were looked at) is not to be gone by."""
        for stream in streams or tuple(look.seen):
            self._states.pop(stream, None)
            look.seen.pop(stream, None)

    def appended(self, look: Look, batches: Sequence[Batch], position: int) -> None:
        """Take in what was appended on the states of this look, up to `position`, without reading it back."""
        position -= sum(len(batch.entries) for batch in batches)
        for stream, after, entries in batches:
            state, evolve = look.seen.get(stream, (None, None))
            if evolve and _version(state) == after:
                now = self._fold(stream, evolve, state, recorded(Batch(stream, after, entries), position))
                look.seen[stream] = now, evolve
            position += len(entries)

    def _fold(self, stream: UUID, evolve: Evolve, state: Any, entries: Sequence[Recorded]) -> Any:
        for entry in entries:
            state = evolve(state, entry)
        if state is not None and _version(state) >= _version(self.known(stream, evolve)):
            self._states.pop(stream, None)
            self._states[stream] = state, evolve
            if len(self._states) > self._kept:
                del self._states[next(iter(self._states))]
        return state


def recorded(batch: Batch, position: int) -> list[Recorded]:
    """The entries of a batch that was appended, the first of them after `position`."""
    return [
        Recorded(batch.stream, batch.after + place, position + place, entry.at, entry.by, entry.event)
        for place, entry in enumerate(batch.entries, 1)
    ]


def _version(state: Any) -> int:
    return 0 if state is None else state.version
