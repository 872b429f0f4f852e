"""What every use case works at: the log, the states known of it, and the one path that a command takes."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID
from weakref import WeakValueDictionary

from referee import access, errors
from referee.access import Access, Caller
from referee.events import Entry, Event, Recorded, Role
from referee.match import access_id
from referee.rules.verdict import Illegal
from referee.states import Evolve, States
from referee.store.log import Batch, Command, Conflict, Key, KeyUsed, Log, Unavailable

T = TypeVar("T")
U = TypeVar("U")
TRIES: Final = 3
SEEDS: Final = 4096


class Plan(NamedTuple):
    """What a command will write: the first batch is for the stream that the command is about."""

    batches: list[Batch]
    words: dict[UUID, str] = {}


class Done(NamedTuple):
    """A command that was carried out, now or under the same key before."""

    command: Command
    replayed: bool


class Desk:
    """The log and what is known of it. All methods raise `errors.RefereeError`."""

    def __init__(self, log: Log, secret: bytes, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.log, self.secret, self.clock = log, secret, clock
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()
        self.states = States(log)
        self._seeds: dict[UUID, str] = {}

    async def carry_out(
        self, who: Caller | None, key: Key | None, decide: Callable[[], Awaitable[Plan]], lock: UUID | None = None
    ) -> Done:
        """Decide by the states known here, append; once more after a lost race, for what is decided may change with it.

        The log refuses to append when a state that was gone by is stale, and when the key was used. So only a refusal
        needs to ask first: was this done before under the key, and does it still stand on the states of now?
        """
        async with self._alone(lock or _of(who)):
            for _ in range(TRIES):
                with self.states.looking() as look:
                    try:
                        if who:
                            await self.holds(who)
                        plan = await decide()
                    except errors.Busy:
                        raise
                    except Exception as refusal:
                        # a fault too may come of states that do not fit together, one of them stale
                        asked = self.log.command(key.scope, key.key) if key else _nothing()
                        known, moved = await self.available(_both(asked, self.states.moved(look)))
                        if moved:
                            continue
                        if (
                            known
                            and isinstance(refusal, errors.RefereeError)
                            and not isinstance(refusal, errors.BadToken)
                        ):
                            return _same(known, key)
                        raise
                    written = {batch.stream for batch in plan.batches}
                    guards = {stream: version for stream, version in look.versions().items() if stream not in written}
                    try:
                        position = await self.available(self.log.append(plan.batches, key, plan.words, guards))
                    except KeyUsed as used:
                        if await self.available(self.states.moved(look)) and who:
                            look.seen.clear()
                            await self.holds(who)
                        return _same(used.command, key)
                    except Conflict:
                        self.states.forget(look)
                        continue
                    self.states.appended(look, plan.batches, position)
                versions = {batch.stream: batch.after + len(batch.entries) for batch in plan.batches}
                return Done(Command("", versions, position), replayed=False)
        raise errors.Clash("RACE_LOST", "Others were quicker, again and again; nothing was stored. Read and try again.")

    async def holds(self, who: Caller) -> None:
        """Raises BadToken if the caller's token has been revoked since it was seen."""
        granted: Access = await self.load(access_id(who.match), access.evolve) or Access()
        if who.mark is not None and who.mark not in granted.valid:
            raise errors.BadToken("This token has been revoked.")

    def _alone(self, stream: UUID) -> asyncio.Lock:
        lock = self._locks.get(stream)
        if lock is None:
            lock = self._locks[stream] = asyncio.Lock()
        return lock

    def batch(self, stream: UUID, after: int, by: str, *events: Event) -> Batch:
        at = self.clock()
        return Batch(stream, after, [Entry(at, by, event) for event in events])

    async def load(self, stream: UUID, evolve: Evolve, version: int | None = None) -> Any:
        """A stream's state now, or at `version`; None if there is no such stream."""
        states = self.states
        return await self.available(
            states.load(stream, evolve) if version is None else states.at(stream, evolve, version)
        )

    async def as_of(self, stream: UUID, evolve: Evolve, at: datetime) -> Any:
        """A stream's state as it was at a time; None if it had not begun."""
        return await self.available(self.states.as_of(stream, evolve, at))

    async def read(self, stream: UUID, after: int = 0, upto: int | None = None) -> list[Recorded]:
        return await self.available(self.log.read(stream, after, upto))

    async def available(self, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except Unavailable as error:
            raise errors.Busy("The event log cannot be reached now; nothing was stored.", error.retry_after) from error

    async def names(self, players: Sequence[UUID]) -> dict[UUID, str]:
        """Names by player id; erased ones are left out."""
        return await self.available(self.log.words(players))

    async def seed(self, deal_stream: UUID) -> str | None:
        id_ = access.seed_id(self.secret, deal_stream)
        if id_ not in self._seeds and (seed := (await self.names([id_])).get(id_)):
            if len(self._seeds) >= SEEDS:
                self._seeds.clear()
            self._seeds[id_] = seed
        return self._seeds.get(id_)

    async def access(self, match_id: UUID) -> Access:
        """The capabilities of a match, as they are now."""
        held: Access | None = await self.load(access_id(match_id), access.evolve)
        return held or Access()


def only(who: Caller, *roles: Role) -> Any:
    """The caller's role, if it is one of these. Raises Forbidden. Asked before a key is looked up: it gives no right."""
    if who.role not in roles:
        raise errors.Forbidden(f"This is for {' or '.join(roles)}; this token is for {who.name}.")
    return who.role


def _of(who: Caller | None) -> UUID:
    assert who is not None, "a command of nobody names what it locks"
    return who.match


async def _nothing() -> None:
    return None


async def _both(one: Awaitable[T], other: Awaitable[U]) -> tuple[T, U]:
    first, second = await asyncio.gather(one, other)
    return first, second


def _same(command: Command, key: Key | None) -> Done:
    if key and command.body != key.body:
        raise errors.KeyReused("This Idempotency-Key was used for another request; take a new one.")
    return Done(command, replayed=True)


def check_version(if_match: int | None, current: int) -> None:
    if if_match is not None and if_match != current:
        raise errors.MovedOn(current)


def allowed(decision: T | Illegal, version: int | None = None) -> T:
    if isinstance(decision, Illegal):
        raise errors.Refused(decision.violations, version=version)
    return decision
