"""Use cases: load, decide, append. Every command takes the same path, a retry of one included."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from itertools import islice
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID, uuid4
from weakref import WeakValueDictionary

import msgspec
from msgspec.structs import replace

from referee import access, deal, dealer, errors, fingerprint, match, record
from referee.access import Access, Caller
from referee.deal import Deal
from referee.events import (
    CapabilityGranted,
    CapabilityRevoked,
    CardsDealt,
    DealerChosen,
    DealFinished,
    Entry,
    Event,
    HiddenCardsRead,
    MatchImported,
    Moved,
    Recorded,
    RematchOpened,
    Role,
    ShuffleClosed,
    WordAdded,
)
from referee.match import DealLine, Match, access_id, deal_id
from referee.record import Record
from referee.rules.cards import Card, Cards
from referee.rules.chance import WrongOutcome
from referee.rules.game import Game
from referee.rules.verdict import Illegal
from referee.states import Evolve, States, recorded
from referee.store.log import Batch, Command, Conflict, Key, KeyUsed, Log, Unavailable

T = TypeVar("T")
U = TypeVar("U")
TRIES: Final = 3
LEGAL_SHOWN: Final = 20
SEEDS: Final = 4096


class Plan(NamedTuple):
    """What a command will write: the first batch is for the stream that the command is about."""

    batches: list[Batch]
    words: dict[UUID, str] = {}


class Done(NamedTuple):
    """A command that was carried out, now or under the same key before; `written` is its first stream's part, if now."""

    command: Command
    replayed: bool
    written: tuple[Recorded, ...] = ()


class FirstDealer(msgspec.Struct, frozen=True):
    """How the first dealer is found: a named seat, cards cut by round and seat, or (neither given) by lot."""

    seat: int | None = None
    cut: tuple[tuple[Card | None, ...], ...] | None = None


class Referee:
    """The service. All methods raise `errors.RefereeError`; a command that returns is durable."""

    def __init__(self, log: Log, secret: bytes, clock: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self.log, self._secret, self._clock = log, secret, clock
        self._locks: WeakValueDictionary[UUID, asyncio.Lock] = WeakValueDictionary()
        self._states = States(log)
        self._seeds: dict[UUID, str] = {}

    # ---- reading

    async def caller(self, match_id: UUID, token: str | None, command: bool = False) -> Caller:
        """Who holds this token. Raises BadToken, Forbidden (another match's), NotFound.

        For a command a token that was valid when last seen will do: carrying it out makes sure of it.
        """
        if token is None:
            raise errors.BadToken("This needs a token of the match: Authorization: Bearer rf_…")
        issued_for = access.match_of(self._secret, token)
        if issued_for is None:
            raise errors.BadToken("This token was not issued here.")
        if issued_for != match_id:
            raise errors.Forbidden("This token belongs to another match.")
        mark = access.digest(token)
        granted: Access | None = self._states.known(access_id(match_id), access.evolve) if command else None
        if granted is None or mark not in granted.valid:
            granted = await self._load(access_id(match_id), access.evolve)
        if granted is None:
            raise errors.NotFound("There is no such match.")
        held = granted.valid.get(mark)
        if not held:
            raise errors.BadToken("This token has been revoked.")
        return Caller(match_id, held.role, held.seat, mark)

    async def match(self, match_id: UUID, version: int | None = None) -> Match:
        """A match as it is now, or as it was at `version`. Raises NotFound."""
        found: Match | None = await self._load(match_id, match.evolve, version)
        if found is None:
            raise errors.NotFound("There is no such match.")
        return found

    async def deal(self, match_id: UUID, number: int, version: int | None = None) -> Deal:
        """A deal as it is now, or as it was at `version`. Raises NotFound."""
        found: Deal | None = await self._load(deal_id(match_id, number), deal.evolve, version)
        if found is None:
            raise errors.NotFound(f"Deal {number} has not been dealt.")
        return found

    async def replay(self, match_id: UUID, number: int, moves: int | None) -> tuple[Deal, list[Recorded]]:
        """A deal after its first `moves` moves (all when None) and every entry of its stream. Raises NotFound."""
        entries = await self._read(deal_id(match_id, number))
        if not entries:
            raise errors.NotFound(f"Deal {number} has not been dealt.")
        try:
            return deal.fold(entries, moves), entries
        except ValueError:
            made = deal.fold(entries).moves
            raise errors.NotFound(f"Deal {number} has {made} moves; ask for 0 to {made}.") from None

    async def moved(self, match_id: UUID, number: int, version: int) -> list[Recorded]:
        """The entries that led to a deal's `version`, enough to hold its last move."""
        return await self._read(deal_id(match_id, number), max(0, version - 3), version)

    async def ready(self) -> None:
        """Raises Busy while the log does not answer."""
        await self._available(self.log.words([UUID(int=0)]))

    async def entries(self, stream: UUID, after: int, limit: int) -> list[Recorded]:
        """A page of a stream. Raises NotFound when `after` is past its end, so that a reader never waits in vain."""
        found = await self._read(stream, after, after + limit)
        if not found and after and not await self._read(stream, after - 1, after):
            raise errors.NotFound(f"The stream ends before version {after}: load the whole state again.")
        return found

    async def names(self, players: Sequence[UUID]) -> dict[UUID, str]:
        """Names by player id; erased ones are left out."""
        return await self._available(self.log.words(players))

    async def look(self, who: Caller, found: Deal) -> None:
        """Leave a trace that the arbiter saw hidden cards of a running deal: one for each version seen."""
        if who.role != "arbiter" or found.points is not None:
            return
        stream = access_id(who.match)
        with self._states.looking() as look:
            for _ in range(TRIES):
                granted: Access = await self._load(stream, access.evolve) or Access()
                if granted.looked.get(found.id) == found.version:
                    return
                batches = [self._batch(stream, granted.version, who.name, HiddenCardsRead(found.id, found.version))]
                try:
                    position = await self._available(self.log.append(batches))
                except Conflict:
                    self._states.forget(look, stream)
                    continue
                self._states.appended(look, batches, position)
                return
        raise errors.Busy("The look at hidden cards could not be recorded.")

    def sees(self, who: Caller, found: Deal, seat: int) -> bool:
        """Whether the caller may see this seat's hand."""
        sight = who.sight(found.dealt_by, found.points is not None)
        return sight.everything or sight.seat == seat

    async def legal_moves(self, who: Caller, number: int) -> tuple[Deal, Iterator[Any]]:
        """The deal and, lazily, every legal move of the seat to act. Raises Forbidden if that hand is hidden."""
        found = await self.deal(who.match, number)
        rules = (await self.match(who.match)).rules
        turn = found.state.turn
        if turn is not None and not self.sees(who, found, turn):
            raise errors.Forbidden(f"Seat {turn} is to act, and its legal moves would show its hand.")
        await self.look(who, found)
        return found, found.kernel.legal_moves(rules, found.state)

    # ---- commands

    async def open_match(
        self,
        game: Game,
        rules: msgspec.Struct,
        players: Sequence[tuple[UUID, str]],
        first: FirstDealer,
        key: Key | None,
    ) -> Done:
        """Open a match; the command's first stream is the match. `players` by seat: id and name."""
        match_id = uuid4()

        async def decide() -> Plan:
            return self._opening(match_id, game, rules, [id_ for id_, _ in players], first, "opener", dict(players))

        return await self._carry_out(None, key, decide, match_id)

    async def rematch(self, who: Caller, first: FirstDealer | None, key: Key | None) -> Done:
        """The same players and rules again; the deal passes on from the last one where no dealer is given."""
        match_id = uuid4()

        async def decide() -> Plan:
            old = await self.match(who.match)
            dealer_now = first or FirstDealer(old.next_dealer)
            plan = self._opening(match_id, old.kernel, old.rules, old.players, dealer_now, who.name, {}, old.id)
            plan.batches.append(self._batch(old.id, old.version, who.name, RematchOpened(match_id)))
            return plan

        self._only(who, "arbiter", "scorekeeper")
        return await self._carry_out(who, key, decide)

    async def start_deal(
        self, who: Caller, layout: Any | None, words: bool, if_match: int | None, key: Key | None
    ) -> Done:
        """Start the next deal: laid out as told, or shuffled here, at once or once the seats have added their words.

        The first stream is the match.
        """

        async def decide() -> Plan:
            now = await self.match(who.match)
            _check(if_match, now.version)
            if now.running:
                raise errors.Clash("DEAL_RUNNING", f"Deal {now.running.number} is still being played.")
            seed = dealer.new_seed() if layout is None else None
            commitment = dealer.commitment(seed) if seed else None
            started = _allowed(match.start_deal(now, commitment, words), version=now.version)
            line = match.evolve(now, Recorded(now.id, now.version + 1, 0, self._clock(), who.name, started[0])).deals[
                -1
            ]
            batches = [self._batch(now.id, now.version, who.name, *started)]
            if seed is None:
                told_by = self._only(who, "arbiter", "scorekeeper")
                dealt = _allowed(deal.lay_out(now, line, layout, told_by), version=now.version)
                return Plan([*batches, self._batch(line.id, 0, who.name, *dealt)])
            _only_dealer(who, line.dealer)
            if not words:
                batches.append(self._batch(line.id, 0, who.name, *deal.deal_cards(now, line, seed)))
            return Plan(batches, {access.seed_id(self._secret, line.id): seed})

        self._only(who, "arbiter", "scorekeeper", "seat")
        return await self._carry_out(who, key, decide)

    async def add_word(self, who: Caller, number: int, word: str, key: Key | None) -> Done:
        """Add a seat's word to the shuffle of a deal that waits for words. The first stream is the match."""

        async def decide() -> Plan:
            now, line = await self._waiting(who.match, number)
            assert who.seat is not None
            if line.words[who.seat]:
                raise errors.Clash("WORD_GIVEN", f"Seat {who.seat} has given its word already.")
            return Plan([self._batch(now.id, now.version, who.name, WordAdded(number, who.seat, word))])

        self._only(who, "seat")
        return await self._carry_out(who, key, decide)

    async def deal_now(self, who: Caller, number: int, key: Key | None) -> Done:
        """Shuffle and deal a deal that waited for words. The first stream is the match."""

        async def decide() -> Plan:
            now, line = await self._waiting(who.match, number)
            _only_dealer(who, line.dealer)
            seed = await self._seed(line.id)
            assert seed is not None, "a deal that waits has its seed beside the log"
            closed = self._batch(now.id, now.version, who.name, ShuffleClosed(number))
            return Plan([closed, self._batch(line.id, 0, who.name, *deal.deal_cards(now, line, seed))])

        self._only(who, "arbiter", "scorekeeper", "seat")
        return await self._carry_out(who, key, decide)

    async def play(
        self,
        who: Caller,
        number: int,
        seat: int,
        move: Any,
        told: Sequence[Cards],
        if_match: int | None,
        key: Key | None,
    ) -> Done:
        """Make a move. The first stream is the deal; the match moves too when the deal is over.

        `told`: results of shuffles made with real cards, in order; where none is told the referee shuffles.
        """

        async def decide() -> Plan:
            now, found, made = await self._decide_move(who, number, seat, move, told, if_match)
            batch = self._batch(found.id, found.version, who.name, *made)
            if not isinstance(end := made[-1], DealFinished):
                return Plan([batch])
            mark = fingerprint.after_deal(now.fingerprint, [*await self._read(found.id), *batch.entries])
            scored = match.score_deal(now, number, end.points, end.lines, mark)
            return Plan([batch, self._batch(now.id, now.version, who.name, *scored)])

        _moves_for(who, seat)
        return await self._carry_out(who, key, decide)

    async def try_move(self, who: Caller, number: int, seat: int, move: Any, if_match: int | None) -> Deal:
        """The verdict on a move, nothing stored: the deal as it stands if it is legal. Raises Refused if not."""
        _moves_for(who, seat)
        await self._holds(who)
        _, found, _ = await self._decide_move(who, number, seat, move, (), if_match)
        return found

    async def record(self, match_id: UUID) -> Record:
        """The match's record: every deal that has been scored. Raises NotFound."""
        entries = await self._read(match_id)
        if not entries:
            raise errors.NotFound("There is no such match.")
        found = await self.match(match_id, entries[-1].version)
        deals = {line.number: await self._read(line.id) for line in found.deals if line.points is not None}
        return record.whole(match_id, await self.names(found.players), entries, deals)

    async def take_in(self, data: bytes, key: Key | None) -> Done:
        """Import a record, judged again on the way in. The first stream is the match.

        Raises BadValue for a file that cannot be read whole, RecordDiverges for one that does not follow from itself,
        Clash for another match under the same id.
        """
        found, defects = await asyncio.to_thread(record.read, data)
        if found is None or defects:
            raise errors.BadValue(*(errors.Fault(f"#/{defect.where}", defect.what) for defect in defects))
        report = await asyncio.to_thread(record.judge, found, defects)
        if not report.legal:
            raise errors.RecordDiverges(report)

        async def decide() -> Plan:
            if await self._read(found.id, 0, 1):
                raise errors.Clash("RECORD_DIFFERS", "Another match, or another state of it, is here under this id.")
            plan = [Batch(found.id, 0, found.match)]
            plan += [Batch(deal_id(found.id, n), 0, entries) for n, entries in enumerate(found.deals, 1)]
            granted = self._grants(found.id, len(found.match[0].event.players))  # type: ignore[union-attr]
            marks = self._batch(access_id(found.id), 0, "importer", MatchImported(found.fingerprint), *granted)
            return Plan([*plan, marks], found.names)

        try:
            return await self._carry_out(None, key, decide, found.id)
        except errors.Clash as clash:
            if clash.code != "RECORD_DIFFERS":
                raise
            # names are no part of the comparison: they may have been erased or told otherwise here
            here = await self.record(found.id)
            if record.write(replace(here, names={})) != record.write(replace(found, names={})):
                raise
            now = await self.match(found.id)
            return Done(Command("", {found.id: now.version, access_id(found.id): 0}, 0), replayed=True)

    async def new_token(self, who: Caller, role: Role, seat: int | None, key: Key | None) -> Done:
        """Issue a role's token again and revoke the one before. The first stream is the access stream."""

        async def decide() -> Plan:
            now = await self.match(who.match)
            if (role == "seat") != (seat is not None) or (seat is not None and not 0 <= seat < len(now.players)):
                raise errors.BadValue(
                    errors.Fault("#/seat", f"a seat from 0 to {len(now.players) - 1} with role seat, none otherwise")
                )
            granted: Access = await self._load(access_id(now.id), access.evolve) or Access()
            serial = granted.serials.get((role, seat), 0) + 1
            old = [
                CapabilityRevoked(mark)
                for mark, capability in granted.valid.items()
                if (capability.role, capability.seat) == (role, seat)
            ]
            _, grant = access.issue(self._secret, now.id, role, seat, serial)
            return Plan([self._batch(access_id(now.id), granted.version, who.name, *old, grant)])

        self._only(who, "arbiter")
        return await self._carry_out(who, key, decide)

    async def tokens(self, match_id: UUID, upto: int | None = None) -> list[tuple[Role, int | None, str]]:
        """The tokens that counted at version `upto` of the access stream, made again from the secret."""
        granted: Access = await self._load(access_id(match_id), access.evolve, upto) or Access()
        return [
            (held.role, held.seat, access.issue(self._secret, match_id, held.role, held.seat, held.serial)[0])
            for held in granted.valid.values()
        ]

    # ---- parts

    async def _decide_move(
        self, who: Caller, number: int, seat: int, move: Any, told: Sequence[Cards], if_match: int | None
    ) -> tuple[Match, Deal, tuple[Event, ...]]:
        now, found = await self.match(who.match), await self.deal(who.match, number)
        _check(if_match, found.version)
        if not 0 <= seat < len(now.players):
            raise errors.BadValue(errors.Fault("#/seat", f"seats run from 0 to {len(now.players) - 1}"))
        if not self.sees(who, found, seat):
            raise errors.Forbidden(
                "The referee dealt this deal: only the seat itself, or the arbiter, may move for it."
            )
        if not isinstance(move, found.kernel.Move):
            raise errors.BadValue(errors.Fault("#/move/type", f"this is a deal of {now.game}"))
        await self.look(who, found)
        seed = await self._seed(found.id) if found.commitment else None
        if told and (seed or who.role == "seat"):
            raise errors.Forbidden("Only the scorekeeper or the arbiter may tell a shuffle, where the cards were told.")
        chance = dealer.SeededChance(seed, found.words, found.shuffles) if seed else dealer.TableChance(told)
        try:
            made = deal.play(found, now.rules, seat, move, chance, seed)
        except WrongOutcome as error:
            raise errors.BadValue(errors.Fault("#/told", str(error))) from error
        if isinstance(chance, dealer.TableChance) and chance.rest and not isinstance(made, Illegal):
            raise errors.BadValue(errors.Fault("#/told", f"this move shuffles {len(told) - len(chance.rest)} times"))
        if isinstance(made, Illegal):
            legal = list(islice(self._hints(now, found, seat, move), LEGAL_SHOWN))
            raise errors.Refused(made.violations, seat=seat, move=move, legal=legal, version=found.version)
        return now, found, made

    def _hints(self, now: Match, found: Deal, seat: int, move: Any) -> Iterator[Any]:
        """Legal moves worth showing to who was refused: with the same card if it has any, else with others."""
        if seat != found.state.turn:
            return
        kernel, card, any_yet = found.kernel, getattr(move, "card", None), False
        for legal in kernel.legal_moves(now.rules, found.state, card) if card else ():
            any_yet = True
            yield legal
        if not any_yet:
            yield from kernel.legal_moves(now.rules, found.state)

    def _opening(
        self,
        match_id: UUID,
        game: Game,
        rules: msgspec.Struct,
        players: Sequence[UUID],
        first: FirstDealer,
        by: str,
        names: dict[UUID, str],
        rematch_of: UUID | None = None,
    ) -> Plan:
        seats = len(players)
        if first.cut is not None:
            chosen = _allowed(match.cut(game, seats, first.cut))
        elif first.seat is None:
            chosen = DealerChosen(dealer.lot(max(seats, 1)), "lot")
        else:
            if not 0 <= first.seat < seats:
                raise errors.BadValue(errors.Fault("#/first_dealer/seat", f"seats run from 0 to {seats - 1}"))
            chosen = DealerChosen(first.seat, "seat")
        opened = _allowed(match.open_match(game, rules, players, chosen, rematch_of))
        granted = self._grants(match_id, seats)
        return Plan([self._batch(match_id, 0, by, *opened), self._batch(access_id(match_id), 0, by, *granted)], names)

    def _grants(self, match_id: UUID, seats: int) -> list[CapabilityGranted]:
        roles: list[tuple[Role, int | None]] = [("arbiter", None), ("scorekeeper", None), ("spectator", None)]
        roles += [("seat", seat) for seat in range(seats)]
        return [access.issue(self._secret, match_id, role, seat)[1] for role, seat in roles]

    async def _carry_out(
        self, who: Caller | None, key: Key | None, decide: Callable[[], Awaitable[Plan]], lock: UUID | None = None
    ) -> Done:
        """Decide by the states known here, append; once more after a lost race, for what is decided may change with it.

        The log refuses to append when a state that was gone by is stale, and when the key was used. So only a refusal
        needs to ask first: was this done before under the key, and does it still stand on the states of now?
        """
        async with self._alone(lock or _of(who)):
            for _ in range(TRIES):
                with self._states.looking() as look:
                    try:
                        if who:
                            await self._holds(who)
                        plan = await decide()
                    except errors.Busy:
                        raise
                    except errors.RefereeError as refusal:
                        asked = self.log.command(key.scope, key.key) if key else _nothing()
                        known, moved = await self._available(_both(asked, self._states.moved(look)))
                        if moved:
                            continue
                        if known and not isinstance(refusal, errors.BadToken):
                            return _same(known, key)
                        raise
                    written = {batch.stream for batch in plan.batches}
                    guards = {stream: version for stream, version in look.versions().items() if stream not in written}
                    try:
                        position = await self._available(self.log.append(plan.batches, key, plan.words, guards))
                    except KeyUsed as used:
                        if await self._available(self._states.moved(look)) and who:
                            look.seen.clear()
                            await self._holds(who)
                        return _same(used.command, key)
                    except Conflict:
                        self._states.forget(look)
                        continue
                    self._states.appended(look, plan.batches, position)
                versions = {batch.stream: batch.after + len(batch.entries) for batch in plan.batches}
                return Done(
                    Command("", versions, position), replayed=False, written=tuple(recorded(plan.batches[0], 0))
                )
        raise errors.Clash("RACE_LOST", "Others were quicker, again and again; nothing was stored. Read and try again.")

    async def _holds(self, who: Caller) -> None:
        """Raises BadToken if the caller's token has been revoked since it was seen."""
        granted: Access = await self._load(access_id(who.match), access.evolve) or Access()
        if who.mark is not None and who.mark not in granted.valid:
            raise errors.BadToken("This token has been revoked.")

    @asynccontextmanager
    async def _alone(self, stream: UUID) -> Any:
        lock = self._locks.get(stream)
        if lock is None:
            lock = self._locks[stream] = asyncio.Lock()
        async with lock:
            yield

    def _batch(self, stream: UUID, after: int, by: str, *events: Event) -> Batch:
        at = self._clock()
        return Batch(stream, after, [Entry(at, by, event) for event in events])

    async def _load(self, stream: UUID, evolve: Evolve, version: int | None = None) -> Any:
        """A stream's state now, or at `version`; None if there is no such stream."""
        states = self._states
        return await self._available(
            states.load(stream, evolve) if version is None else states.at(stream, evolve, version)
        )

    async def _read(self, stream: UUID, after: int = 0, upto: int | None = None) -> list[Recorded]:
        return await self._available(self.log.read(stream, after, upto))

    async def _available(self, answer: Awaitable[T]) -> T:
        try:
            return await answer
        except Unavailable as error:
            raise errors.Busy("The event log cannot be reached now; nothing was stored.", error.retry_after) from error

    async def _waiting(self, match_id: UUID, number: int) -> tuple[Match, DealLine]:
        now = await self.match(match_id)
        line = now.running
        if line is None or line.number != number or not line.waiting:
            raise errors.Clash(
                "NOT_WAITING", f"Deal {number} does not wait for words: its cards are dealt, or it has not begun."
            )
        return now, line

    async def _seed(self, deal_stream: UUID) -> str | None:
        id_ = access.seed_id(self._secret, deal_stream)
        if id_ not in self._seeds and (seed := (await self.names([id_])).get(id_)):
            if len(self._seeds) >= SEEDS:
                self._seeds.clear()
            self._seeds[id_] = seed
        return self._seeds.get(id_)

    def _only(self, who: Caller, *roles: Role) -> Any:
        if who.role not in roles:
            raise errors.Forbidden(f"This is for {' or '.join(roles)}; this token is for {who.name}.")
        return who.role


def event_at(entries: Sequence[Recorded], kind: type[T], version: int) -> T:
    """The last event of a kind in a stream up to a version."""
    return next(e.event for e in reversed(entries) if isinstance(e.event, kind) and e.version <= version)


def _of(who: Caller | None) -> UUID:
    assert who is not None, "a command of nobody names what it locks"
    return who.match


async def _nothing() -> None:
    return None


async def _both(one: Awaitable[T], other: Awaitable[U]) -> tuple[T, U]:
    first, second = await asyncio.gather(one, other)
    return first, second


def _moves_for(who: Caller, seat: int) -> None:
    """Asked before the key is looked up: a key gives nobody a right."""
    if who.role == "spectator" or (who.role == "seat" and who.seat != seat):
        raise errors.Forbidden(f"This token may not move for seat {seat}.")


def _only_dealer(who: Caller, seat: int) -> None:
    if who.role == "spectator" or (who.role == "seat" and who.seat != seat):
        raise errors.Forbidden(f"Seat {seat} deals this time, or the scorekeeper or the arbiter for it.")


def _same(command: Command, key: Key | None) -> Done:
    if key and command.body != key.body:
        raise errors.KeyReused("This Idempotency-Key was used for another request; take a new one.")
    return Done(command, replayed=True)


def _check(if_match: int | None, current: int) -> None:
    if if_match is not None and if_match != current:
        raise errors.MovedOn(current)


def _allowed(decision: T | Illegal, version: int | None = None) -> T:
    if isinstance(decision, Illegal):
        raise errors.Refused(decision.violations, version=version)
    return decision


__all__ = ["CardsDealt", "Done", "FirstDealer", "Moved", "Referee", "event_at"]
