"""Results after the fact: entered, corrected, adjusted by a ruling, voided."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from referee import errors, match, scoring
from referee.access import Caller
from referee.desk import Plan, allowed
from referee.events import Consent, Lines, Points
from referee.irregularities import has_fault_of, may_be_misdealt
from referee.match import DealLine, Match
from referee.service import Referee
from referee.settling.asks import AdjustPoints, CorrectScore, VoidDeal
from referee.settling.consent import consented


async def correct_score(
    referee: Referee, who: Caller, now: Match, ask: CorrectScore, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Enter a scored deal's result anew, judged like a first entry: the scorekeeper's until the match is over."""
    line = scored(now, ask.deal)
    consent = given or consented(who, now, who.role == "scorekeeper" and not now.over, agreed, why)
    if not isinstance(ask.tally, now.kernel.Tally):
        raise errors.BadValue(errors.Fault("#/tally/type", f"this is a match of {now.game}"))
    lines = allowed(now.kernel.tally(now.rules, len(line.seats), ask.tally), now.version)
    points = tuple(sum(part.values()) for part in lines)
    events = scoring.correct_score(now, line.number, points, lines, None, consent, reason)
    return Plan([referee.batch(now.id, now.version, who.name, *events)])


async def adjust_points(
    referee: Referee, who: Caller, now: Match, ask: AdjustPoints, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Add to the seats' score of a deal, on a line of its own."""
    line = scored(now, ask.deal)
    consent = given or consented(who, now, False, agreed, why)
    if strange := [seat for seat in ask.points if seat not in line.seats]:
        raise errors.BadValue(
            errors.Fault("#/points", f"did not sit at deal {ask.deal}: {', '.join(map(str, strange))}")
        )
    points, lines, ruled = adjusted(line, ask.points)
    events = scoring.correct_score(now, line.number, points, lines, None, consent, reason, ruled)
    return Plan([referee.batch(now.id, now.version, who.name, *events)])


async def void_deal(
    referee: Referee, who: Caller, now: Match, ask: VoidDeal, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Void a deal: the scorekeeper's while cards or dealing may be wrong (a misdeal, a wrong pack), else by consent; for a
    fault on record by the players whose it is not (rules 4.2)."""
    line = now.line(ask.deal)
    if line is None:
        raise errors.NotFound(f"There is no deal {ask.deal}.")
    if line.voided:
        raise errors.Clash("DEAL_VOIDED", f"Deal {ask.deal} was voided already.")
    dealt = None if line.commitment is None or line.waiting else await referee.deal(now.id, line.number)
    free = who.role == "scorekeeper" and ask.offender is None and may_be_misdealt(line, dealt)
    await check_offender(referee, now, line, ask)
    consent = given or consented(who, now, free, agreed, why, now.without(ask.offender))
    return Plan([referee.batch(now.id, now.version, who.name, *scoring.void_deal(now, ask.deal, consent, reason))])


async def check_offender(referee: Referee, now: Match, line: DealLine, ask: VoidDeal) -> None:
    """Whether the others may have a deal voided for what a seat did, where one is named. Raises BadValue, or Clash."""
    if (seat := ask.offender) is None:
        return
    if seat not in line.seats:
        raise errors.BadValue(
            errors.Fault("#/offender", f"at this deal sit the seats {', '.join(map(str, line.seats))}")
        )
    if line.points is not None:
        raise errors.Clash(
            "DEAL_SCORED", f"Deal {line.number} is scored: leave out `offender`; now all seats or the arbiter void it."
        )
    if not has_fault_of(await referee.deal(now.id, line.number), seat):
        raise errors.Clash(
            "NO_FAULT", f"The record of deal {line.number} shows no revoke, no discard that was not the lowest and no sabo"
            f" used while holding the suit by seat {seat}: the others alone cannot have it voided.",
        )  # fmt: skip


def scored(now: Match, number: int) -> DealLine:
    """A scored deal. Raises NotFound, or Clash for one that is voided or still played."""
    line = now.line(number)
    if line is None:
        raise errors.NotFound(f"There is no deal {number}.")
    if line.voided:
        raise errors.Clash("DEAL_VOIDED", f"Deal {number} was voided.")
    if line.points is None:
        raise errors.Clash("NOT_SCORED", f"Deal {number} is still being played.")
    return line


def adjusted(line: DealLine, by: Mapping[int, int]) -> tuple[Points, Lines, Points]:
    """A deal's points and lines by place without what rulings added, and by seat what they add with `by`."""
    assert line.lines is not None
    before = line.ruled or (0,) * (max(line.seats) + 1)
    ruled = tuple(points + by.get(seat, 0) for seat, points in enumerate(before))
    lines = tuple({name: n for name, n in line.lines[seat].items() if name != match.RULING} for seat in line.seats)
    return tuple(sum(part.values()) for part in lines), lines, ruled
