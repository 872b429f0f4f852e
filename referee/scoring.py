"""Decide what a deal's result does to its match: scored, corrected, voided, reopened - and the end that follows."""

from collections.abc import Sequence
from uuid import UUID

import msgspec

from referee.events import (
    Consent,
    DealReopened,
    DealScored,
    DealVoided,
    Lines,
    MatchEvent,
    MatchReopened,
    MatchWon,
    Points,
    ScoreCorrected,
)
from referee.match import RULING, DealLine, Match, with_line
from referee.standing import Standing, standing


def score_deal(match: Match, number: int, points: Points, lines: Lines, mark: str) -> tuple[MatchEvent, ...]:
    """Add a finished deal to the totals, and end the match if somebody has won (rules 0.5).

    Points and lines run by place at the deal's table; the event gives them by seat, 0 for who did not sit there.
    """
    points, lines = by_seat(match, number, points, lines)
    now, following = settle(match, with_line(match, number, points=points))
    return (DealScored(number, points, lines, now.totals, mark), *following)


def correct_score(
    match: Match,
    number: int,
    points: Points,
    lines: Lines,
    mark: str | None,
    consent: Consent,
    why: UUID | None,
    ruled: Points | None = None,
) -> tuple[MatchEvent, ...]:
    """Count a scored deal otherwise; points and lines by place at its table. The match may end or reopen by it.

    `ruled` by seat are what rulings add from now on; left out, what they added before stays.
    """
    points, lines = by_seat(match, number, points, lines, ruled)
    now, following = settle(match, with_line(match, number, points=points))
    return (ScoreCorrected(consent, why, number, points, lines, now.totals, mark), *following)


def void_deal(match: Match, number: int, consent: Consent, why: UUID | None) -> tuple[MatchEvent, ...]:
    """Let a deal count for nobody. The match may end or reopen by it."""
    now, following = settle(match, with_line(match, number, voided=True))
    return (DealVoided(consent, why, number, now.totals), *following)


def reopen_deal(match: Match, number: int, consent: Consent, why: UUID | None) -> tuple[MatchEvent, ...]:
    """Play a scored deal on, its last move taken back. The match may reopen by it."""
    now, following = settle(match, with_line(match, number, points=None))
    return (DealReopened(consent, why, number, now.totals), *following)


def settle(match: Match, deals: Sequence[DealLine]) -> tuple[Standing, tuple[MatchEvent, ...]]:
    """The standing with these deals, and what follows from it for the end of the match; one that was abandoned stays so."""
    now = standing(match.kernel, match.rules, match.begun, match.active, deals)
    if match.abandoned or (now.winners, now.deal) == (match.winners, match.won_after):
        return now, ()
    return now, (MatchWon(now.winners, now.totals, now.deal) if now.winners else MatchReopened(),)


def without(match: Match, seat: int) -> tuple[MatchEvent, ...]:
    """What follows for the end of the match when a seat is left: it is ranked no more (rules 4.2)."""
    return settle(msgspec.structs.replace(match, left=(*match.left, seat)), match.deals)[1]


def by_seat(
    match: Match, number: int, points: Points, lines: Lines, ruled: Points | None = None
) -> tuple[Points, Lines]:
    """A deal's result by seat of the match, 0 and no lines for who did not sit at its table; what rulings add on a
    line of its own."""
    line = match.deals[number - 1]
    table, added = line.seats, line.ruled if ruled is None else ruled
    seats = range(max(table) + 1)
    if table != tuple(seats):
        points = tuple(points[table.index(seat)] if seat in table else 0 for seat in seats)
        lines = tuple(lines[table.index(seat)] if seat in table else {} for seat in seats)
    if any(added):
        points = tuple(map(sum, zip(points, added, strict=True)))
        lines = tuple({**lines[seat], RULING: added[seat]} if seat in table else {} for seat in seats)
    return points, lines
