"""Use cases: load, decide, append. Every command takes the same path, a retry of one included."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any, Final, Literal, TypeVar
from uuid import UUID, uuid4

import msgspec
from msgspec.structs import replace

from referee import access, deal, dealer, errors, fingerprint, match, record, scoring
from referee.access import Access, Caller
from referee.deal import Deal
from referee.desk import Done, Plan, allowed, check_version, only
from referee.events import (
    CapabilityGranted,
    CapabilityRevoked,
    DealerChosen,
    DealFinished,
    Entry,
    Event,
    MatchImported,
    PlayerJoined,
    Recorded,
    RematchOpened,
    Role,
)
from referee.match import Match, access_id, deal_id
from referee.reading import Reading
from referee.record import Record
from referee.rules.cards import Card, Cards
from referee.rules.chance import Chance, WrongOutcome
from referee.rules.game import Game
from referee.rules.hands import hands_due
from referee.rules.verdict import Claim, Illegal, Undecided
from referee.store.log import Batch, Command, Key

T = TypeVar("T")
V = TypeVar("V", Match, Deal)
LEGAL_SHOWN: Final = 20


class FirstDealer(msgspec.Struct, frozen=True):
    """How the first dealer is found: a named seat, cards cut by round and seat, or (neither given) by lot."""

    seat: int | None = None
    cut: tuple[tuple[Card | None, ...], ...] | None = None


class Referee(Reading):
    """The service. All methods raise `errors.RefereeError`; a command that returns is durable."""

    async def open_match(
        self,
        game: Game,
        rules: msgspec.Struct,
        players: Sequence[tuple[UUID, str]],
        first: FirstDealer,
        consent: Literal["spoken", "tokens"],
        key: Key | None,
    ) -> Done:
        """Open a match; the command's first stream is the match. `players` by seat: id and name."""
        match_id = uuid4()

        async def decide() -> Plan:
            return self._opening(
                match_id, game, rules, [id_ for id_, _ in players], first, "opener", dict(players), consent
            )

        return await self.carry_out(None, key, decide, match_id)

    async def rematch(self, who: Caller, first: FirstDealer | None, key: Key | None) -> Done:
        """The same players and rules again; the deal passes on from the last one where no dealer is given."""
        match_id = uuid4()

        async def decide() -> Plan:
            old = await self.match(who.match)
            players = [old.players[seat] for seat in old.active]
            dealer_now = first or FirstDealer(old.active.index(old.next_dealer))
            plan = self._opening(
                match_id, old.kernel, old.rules, players, dealer_now, who.name, {}, old.consent, old.id
            )
            plan.batches.append(self.batch(old.id, old.version, who.name, RematchOpened(match_id)))
            return plan

        only(who, "arbiter", "scorekeeper")
        return await self.carry_out(who, key, decide)

    async def play(
        self,
        who: Caller,
        number: int,
        seat: int,
        move: Any,
        told: Sequence[Cards],
        seen: Cards,
        if_match: int | None,
        key: Key | None,
    ) -> Done:
        """Make a move. The first stream is the deal; the match moves too when the deal is over.

        `told`: results of shuffles made with real cards, in order; where none is told the referee shuffles. `seen`:
        cards that the table saw turned up in an observed deal.
        """

        async def decide() -> Plan:
            now, found, made = await self._decide_move(who, number, seat, move, told, seen, if_match)
            return Plan(await self.with_end(who, now, found, made))

        _moves_for(who, seat)
        return await self.carry_out(who, key, decide)

    async def show_hands(
        self, who: Caller, number: int, hands: tuple[Cards, ...], if_match: int | None, key: Key | None
    ) -> Done:
        """Hands shown at the end of an observed deal, by place: with them it is scored. The first stream is the deal."""

        async def decide() -> Plan:
            now, found = await self.match(who.match), await self.deal(who.match, number)
            check_version(if_match, found.version)
            _not_voided(now, number)
            if not hands_due(found.state):
                raise errors.Clash(
                    "NO_HANDS_DUE", "Hands are shown when an observed deal is over and cards are left in them."
                )
            shown = allowed(deal.show(found, now.rules, hands, None), found.version)
            return Plan(await self.with_end(who, now, found, shown))

        only(who, "arbiter", "scorekeeper")
        return await self.carry_out(who, key, decide)

    async def try_move(
        self, who: Caller, number: int, seat: int, move: Any, if_match: int | None
    ) -> tuple[Deal, tuple[Claim, ...]]:
        """The verdict on a move, nothing stored: the deal as it stands and what the move takes for granted.

        Raises Refused if it is not legal.
        """
        _moves_for(who, seat)
        await self.holds(who)
        now, found = await self._moving(who, number, seat, move, if_match)
        verdict = found.kernel.judge(now.rules, found.state, found.seats.index(seat), move)
        if isinstance(verdict, Illegal):
            raise _refused(now, found, seat, move, verdict)
        return found, verdict.claims if isinstance(verdict, Undecided) else ()

    async def record(self, match_id: UUID) -> Record:
        """The match's record: every deal that has been scored. Raises NotFound."""
        entries = await self.read(match_id)
        if not entries:
            raise errors.NotFound("There is no such match.")
        found = await self.match(match_id, entries[-1].version)
        deals = {line.number: await self.read(line.id) for line in found.deals}
        return record.whole(match_id, await self.names(record.players(entries)), entries, deals)

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
            if await self.read(found.id, 0, 1):
                raise errors.Clash("RECORD_DIFFERS", "Another match, or another state of it, is here under this id.")
            plan = [Batch(found.id, 0, found.match)]
            plan += [Batch(deal_id(found.id, n), 0, entries) for n, entries in enumerate(found.deals, 1) if entries]
            joined = sum(isinstance(entry.event, PlayerJoined) for entry in found.match)
            granted = self._grants(found.id, len(found.match[0].event.players) + joined)  # type: ignore[union-attr]
            marks = self.batch(access_id(found.id), 0, "importer", MatchImported(found.fingerprint), *granted)
            return Plan([*plan, marks], found.names)

        try:
            return await self.carry_out(None, key, decide, found.id)
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
            granted: Access = await self.load(access_id(now.id), access.evolve) or Access()
            serial = granted.serials.get((role, seat), 0) + 1
            old = [
                CapabilityRevoked(mark)
                for mark, capability in granted.valid.items()
                if (capability.role, capability.seat) == (role, seat)
            ]
            _, grant = access.issue(self.secret, now.id, role, seat, serial)
            return Plan([self.batch(access_id(now.id), granted.version, who.name, *old, grant)])

        only(who, "arbiter")
        return await self.carry_out(who, key, decide)

    async def issued(self, match_id: UUID, version: int) -> list[tuple[Role, int | None, str]]:
        """The tokens that the entries up to `version` of the access stream issued last and that still counted then."""
        last = (await self.read(access_id(match_id), version - 1, version))[0].event
        if not isinstance(last, CapabilityGranted):
            return []
        token, _ = access.issue(self.secret, match_id, last.role, last.seat, last.serial)
        return [(last.role, last.seat, token)]

    async def tokens(self, match_id: UUID, upto: int | None = None) -> list[tuple[Role, int | None, str]]:
        """The tokens that counted at version `upto` of the access stream, made again from the secret."""
        granted: Access = await self.load(access_id(match_id), access.evolve, upto) or Access()
        return [
            (held.role, held.seat, access.issue(self.secret, match_id, held.role, held.seat, held.serial)[0])
            for held in granted.valid.values()
        ]

    # ---- parts

    async def _moving(self, who: Caller, number: int, seat: int, move: Any, if_match: int | None) -> tuple[Match, Deal]:
        """The match and the deal of a move that this caller may have judged."""
        now, found = await self.match(who.match), await self.deal(who.match, number)
        check_version(if_match, found.version)
        _not_voided(now, number)
        if seat not in found.seats:
            at = ", ".join(map(str, found.seats))
            raise errors.BadValue(errors.Fault("#/seat", f"at this deal sit the seats {at}"))
        if not self.sees(who, found, seat):
            raise errors.Forbidden(
                "The referee dealt this deal: only the seat itself, or the arbiter, may move for it."
            )
        if not isinstance(move, found.kernel.Move):
            raise errors.BadValue(errors.Fault("#/move/type", f"this is a deal of {now.game}"))
        await self.look(who, found)
        return now, found

    async def _decide_move(
        self,
        who: Caller,
        number: int,
        seat: int,
        move: Any,
        told: Sequence[Cards],
        seen: Cards,
        if_match: int | None,
    ) -> tuple[Match, Deal, tuple[Event, ...]]:
        now, found = await self._moving(who, number, seat, move, if_match)
        if told and (found.commitment or who.role == "seat"):
            raise errors.Forbidden("Only the scorekeeper or the arbiter may tell a shuffle, where the cards were told.")
        place = found.seats.index(seat)
        made = await self.with_chance(
            found, told, seen, lambda chance, seed: deal.play(found, now.rules, place, move, chance, seed)
        )
        if isinstance(made, Illegal):
            raise _refused(now, found, seat, move, made)
        return now, found, made

    async def with_end(self, who: Caller, now: Match, found: Deal, made: Sequence[Event], *also: Event) -> list[Batch]:
        """Batches for what was made in a deal, and what follows for the match if that ended it; `also` goes first there."""
        batch = self.batch(found.id, found.version, who.name, *made)
        events: list[Event] = list(also)
        if isinstance(end := made[-1], DealFinished):
            stream: list[Recorded | Entry] = [*await self.read(found.id), *batch.entries]
            mark = fingerprint.after_deal(now.mark_before(found.number), stream)
            events += scoring.score_deal(now, found.number, end.points, end.lines, mark)
        return [batch, self.batch(now.id, now.version, who.name, *events)] if events else [batch]

    async def with_chance(
        self, found: Deal, told: Sequence[Cards], seen: Cards, decide: Callable[[Chance, str | None], T]
    ) -> T:
        """Decide something that may ask chance, with the deal's seed or what was told. Raises BadValue for what cannot be."""
        seed = await self.seed(found.id) if found.commitment else None
        chance = dealer.SeededChance(seed, found.words, found.shuffles) if seed else dealer.TableChance(told, seen)
        try:
            made = decide(chance, seed)
        except WrongOutcome as error:
            if error.violation:
                raise errors.Refused([error.violation], version=found.version) from error
            field = "seen" if found.mode == "observed" else "told"
            raise errors.BadValue(errors.Fault(f"#/{field}", f"{error}; say in `{field}` what happened")) from error
        if isinstance(chance, dealer.TableChance) and not isinstance(made, Illegal):
            if chance.rest:
                raise errors.BadValue(errors.Fault("#/told", f"this shuffles {len(told) - len(chance.rest)} times"))
            if chance.unseen:
                raise errors.BadValue(
                    errors.Fault("#/seen", f"{len(seen) - len(chance.unseen)} cards turn up here, not {len(seen)}")
                )
        return made

    def _opening(
        self,
        match_id: UUID,
        game: Game,
        rules: msgspec.Struct,
        players: Sequence[UUID],
        first: FirstDealer,
        by: str,
        names: dict[UUID, str],
        consent: Literal["spoken", "tokens"],
        rematch_of: UUID | None = None,
    ) -> Plan:
        seats = len(players)
        if first.cut is not None:
            chosen = allowed(match.cut(game, seats, first.cut))
        elif first.seat is None:
            chosen = DealerChosen(dealer.lot(max(seats, 1)), "lot")
        else:
            if not 0 <= first.seat < seats:
                raise errors.BadValue(errors.Fault("#/first_dealer/seat", f"seats run from 0 to {seats - 1}"))
            chosen = DealerChosen(first.seat, "seat")
        opened = allowed(match.open_match(game, rules, players, chosen, consent, rematch_of))
        granted = self._grants(match_id, seats)
        return Plan([self.batch(match_id, 0, by, *opened), self.batch(access_id(match_id), 0, by, *granted)], names)

    def _grants(self, match_id: UUID, seats: int) -> list[CapabilityGranted]:
        roles: list[tuple[Role, int | None]] = [("arbiter", None), ("scorekeeper", None), ("spectator", None)]
        roles += [("seat", seat) for seat in range(seats)]
        return [access.issue(self.secret, match_id, role, seat)[1] for role, seat in roles]


def _not_voided(now: Match, number: int) -> None:
    if now.deals[number - 1].voided:
        raise errors.Clash("DEAL_VOIDED", f"Deal {number} was voided and is played no more.")


def hints(now: Match, found: Deal, seat: int, move: Any) -> Iterator[Any]:
    """Legal moves worth showing to who was refused: with the same card if it has any, else with others."""
    if seat != found.to_act:
        return
    kernel, card, any_yet = found.kernel, getattr(move, "card", None), False
    for legal in kernel.legal_moves(now.rules, found.state, card) if card else ():
        any_yet = True
        yield legal
    if not any_yet:
        yield from kernel.legal_moves(now.rules, found.state)


def _refused(now: Match, found: Deal, seat: int, move: Any, verdict: Illegal) -> errors.Refused:
    legal = list(islice(hints(now, found, seat, move), LEGAL_SHOWN))
    return errors.Refused(verdict.violations, seat=seat, move=move, legal=legal, version=found.version)


def _moves_for(who: Caller, seat: int) -> None:
    """Asked before the key is looked up: a key gives nobody a right."""
    if who.role == "spectator" or (who.role == "seat" and who.seat != seat):
        raise errors.Forbidden(f"This token may not move for seat {seat}.")
