"""How a deal begins: laid out as told, observed, counted only, or shuffled here - at once or with the seats' words."""

from typing import Any
from uuid import UUID

import msgspec

from referee import deal, dealer, errors, fingerprint, match, scoring
from referee.access import Caller, seed_id
from referee.desk import Done, Plan, allowed, check_version, only
from referee.events import Consent, DealEvent, DealTallied, DealtBy, Event, Mode, Recorded, ShuffleClosed, WordAdded
from referee.match import DealLine, Match
from referee.rules.cards import Cards
from referee.rules.layouts import no_play
from referee.rules.verdict import Illegal
from referee.service import Referee
from referee.settling.consent import consented, words_of
from referee.store.log import Key


class Start(msgspec.Struct, frozen=True):
    """What the table says of the next deal; nothing: the referee shuffles, with `words` once the seats gave theirs.

    `layout`: everything that was dealt; `open`: what lies open of hands that only the players know, of these `sizes` where
    they are not the regular ones; `tally`: the result alone. `number`, where given, must be that of the next deal.
    `let_stand`: play has gone on from an irregular layout, and these seats `agreed` that it stands, and `why`.
    """

    layout: Any = None
    open: Cards | None = None
    tally: Any = None
    words: bool = False
    number: int | None = None
    sizes: tuple[int, ...] | None = None
    let_stand: bool = False
    agreed: tuple[int, ...] = ()
    why: str | None = None

    @property
    def mode(self) -> Mode:
        """How much the referee will know."""
        return "tallied" if self.tally is not None else "observed" if self.open is not None else "dealt"


async def start(referee: Referee, who: Caller, how: Start, if_match: int | None, key: Key | None) -> Done:
    """Start the next deal. The first stream is the match."""

    async def decide() -> Plan:
        now = await referee.match(who.match)
        check_version(if_match, now.version)
        _next(now, how.number)
        shuffled = how == Start(words=how.words, number=how.number)
        seed = dealer.new_seed() if shuffled else None
        commitment = dealer.commitment(seed) if seed else None
        events: list[Event] = [*allowed(match.start_deal(now, commitment, how.words, how.mode), now.version)]
        started = match.evolve(now, Recorded(now.id, now.version + 1, 0, referee.clock(), who.name, events[0]))
        line = started.deals[-1]
        if how.mode == "tallied":
            return await _tallied(referee, who, started, line, how.tally, events)
        batches = [referee.batch(now.id, now.version, who.name, *events)]
        if seed:
            _only_dealer(who, line.dealer)
            if not how.words:
                batches.append(referee.batch(line.id, 0, who.name, *deal.deal_cards(now, line, seed)))
            return Plan(batches, {seed_id(referee.secret, line.id): seed})
        dealt, words = _told(who, now, line, how, only(who, "arbiter", "scorekeeper"))
        return Plan([*batches, referee.batch(line.id, 0, who.name, *dealt)], words)

    only(who, "arbiter", "scorekeeper", "seat")
    return await referee.carry_out(who, key, decide)


async def add_word(referee: Referee, who: Caller, number: int, word: str, key: Key | None) -> Done:
    """Add a seat's word to the shuffle of a deal that waits for words. The first stream is the match."""

    async def decide() -> Plan:
        now, line = await _waiting(referee, who, number)
        assert who.seat is not None
        if who.seat not in line.seats:
            raise errors.Forbidden(f"Seat {who.seat} does not sit at this deal.")
        if line.words[line.seats.index(who.seat)]:
            raise errors.Clash("WORD_GIVEN", f"Seat {who.seat} has given its word already.")
        return Plan([referee.batch(now.id, now.version, who.name, WordAdded(number, who.seat, word))])

    only(who, "seat")
    return await referee.carry_out(who, key, decide)


async def deal_now(referee: Referee, who: Caller, number: int, key: Key | None) -> Done:
    """Shuffle and deal a deal that waited for words. The first stream is the match."""

    async def decide() -> Plan:
        now, line = await _waiting(referee, who, number)
        _only_dealer(who, line.dealer)
        seed = await referee.seed(line.id)
        assert seed is not None, "a deal that waits has its seed beside the log"
        closed = referee.batch(now.id, now.version, who.name, ShuffleClosed(number))
        return Plan([closed, referee.batch(line.id, 0, who.name, *deal.deal_cards(now, line, seed))])

    only(who, "arbiter", "scorekeeper", "seat")
    return await referee.carry_out(who, key, decide)


def _told(
    who: Caller, now: Match, line: DealLine, how: Start, told_by: DealtBy
) -> tuple[tuple[DealEvent, ...], dict[UUID, str]]:  # fmt: skip
    """A layout that the table tells; an irregular one by consent of all seats or the arbiter, and the words for it.

    Raises Refused, saying whether it may stand, or Clash CONSENT_MISSING.
    """
    game, places, layout = now.kernel, len(line.seats), how.layout
    if how.open is not None:
        layout = game.lay_open(now.rules, places, how.open, how.sizes)
    elif not isinstance(layout, game.Layout):
        raise errors.BadValue(errors.Fault("#/layout/type", f"this is a match of {now.game}"))
    dealt = deal.lay_out(now, line, layout, told_by, how.mode)
    if not isinstance(dealt, Illegal):
        return dealt, {}
    may_lie = not no_play(game, places, layout, dealt.violations)
    if not (may_lie and how.let_stand):
        raise errors.Refused(dealt.violations, version=now.version, may_lie=may_lie)
    consent, (reason, words) = _consent(who, now, how), words_of(how.why)
    return allowed(deal.lay_out(now, line, layout, told_by, how.mode, consent, reason)), words


def _consent(who: Caller, now: Match, how: Start) -> Consent:
    """On whose word an irregular layout stands. Where seats answer with tokens it is the arbiter's: nobody proposes one."""
    if now.consent == "tokens" and who.role != "arbiter":
        raise errors.Clash(
            "CONSENT_MISSING", "In this match the arbiter lets an irregular layout stand, with a reason."
        )
    return consented(who, now, False, how.agreed, how.why)


async def _tallied(
    referee: Referee, who: Caller, now: Match, line: DealLine, tally: Any, events: list[Event]
) -> Plan:  # fmt: skip
    """A deal of which only the result is entered: started, counted and scored in one."""
    only(who, "arbiter", "scorekeeper")
    lines = allowed(now.kernel.tally(now.rules, len(line.seats), tally), now.version - 1)
    points = tuple(sum(part.values()) for part in lines)
    told = DealTallied(line.number, msgspec.to_builtins(tally))
    entered = referee.batch(now.id, now.version - 1, who.name, *events, told)
    mark = fingerprint.after_deal(now.mark_before(line.number), entered.entries[-1:])
    scored = referee.batch(now.id, 0, who.name, *scoring.score_deal(now, line.number, points, lines, mark))
    return Plan([entered._replace(entries=[*entered.entries, *scored.entries])])


def _next(now: Match, number: int | None) -> None:
    due = len(now.deals) + 1
    if number is not None and number < due:
        raise errors.Clash("DEAL_ENTERED", f"Deal {number} is here already; correct it at …/score-corrections.")
    if now.running:
        raise errors.Clash("DEAL_RUNNING", f"Deal {now.running.number} is still being played.")
    if number is not None and number > due:
        raise errors.Clash("DEAL_NUMBER", f"Expected deal {due}, not {number}.")


async def _waiting(referee: Referee, who: Caller, number: int) -> tuple[Match, DealLine]:
    now = await referee.match(who.match)
    line = now.running
    if line is None or line.number != number or not line.waiting:
        raise errors.Clash("NOT_WAITING", f"Deal {number} does not wait for words; its cards may be dealt already.")
    return now, line


def _only_dealer(who: Caller, seat: int) -> None:
    if who.role == "spectator" or (who.role == "seat" and who.seat != seat):
        raise errors.Forbidden(f"Seat {seat} deals this time, or the scorekeeper or the arbiter for it.")
