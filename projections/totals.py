"""Running totals of a match: per seat after each deal, with score lines, ranking, and what stood there before."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from projections import sheet
from projections.base import MATCH_EVENTS, View
from projections.sheet import DealState, Result, Revision, Sheet, State
from projections.tables import Rows
from referee.events import Event, Lines, MatchImported, Points, Recorded

NAME: Final = "totals"
VERSION: Final = 1
TABLES: Final[Mapping[str, str]] = {}
INDEXES: Final = ()
Doc: Final = Sheet
HEARD: Final = MATCH_EVENTS | {MatchImported}


class SeatTotal(msgspec.Struct, frozen=True):
    """A seat: who has it, its total, how many points it lacks to the target (0 once there), its score lines over all deals.

    `rank` counts from 1, equal totals rank alike; null for a seat that was left. `can_win`: whether the running deal
    can still bring it the match; null where no deal runs or what one pays has no bound.
    """

    seat: int
    player: UUID
    total: int
    distance: int
    rank: int | None
    can_win: bool | None
    left: bool
    lines: dict[str, int]


class DealTotal(msgspec.Struct, frozen=True):
    """A deal that counts: points and score lines, and the totals after it, by seat; a total is null before its seat joined.

    `revisions` are all it ever counted, the last one as it counts now.
    """

    number: int
    points: Points
    totals: tuple[int | None, ...]
    lines: Lines
    revisions: tuple[Revision, ...]


class Voided(msgspec.Struct, frozen=True):
    """A deal that counts for nobody now, with what it counted before."""

    number: int
    state: DealState
    revisions: tuple[Revision, ...]


class Totals(msgspec.Struct, frozen=True):
    """The score sheet of a match at its `version`, as the log was read up to `position`.

    `leaders` are the seats with the highest total, none before a deal is scored; `winners` is empty until the match is
    over; `running` is the number of the deal being played, `most` what it can pay one seat (null: unbounded).
    """

    match: UUID
    game: str
    target: int
    state: State
    imported: bool
    version: int
    position: int
    opened_at: datetime
    seats: tuple[SeatTotal, ...]
    deals: tuple[DealTotal, ...]
    voided: tuple[Voided, ...]
    leaders: tuple[int, ...]
    winners: tuple[int, ...]
    results: tuple[Result, ...]
    running: int | None
    most: int | None


class Series(msgspec.Struct, frozen=True):
    """A line of a chart: one seat's totals, and its points, by deal; null before it joined."""

    seat: int
    player: UUID
    totals: tuple[int | None, ...]
    points: Points


class Chart(msgspec.Struct, frozen=True):
    """Totals as lines over the numbers of the deals that count, with the target to draw across."""

    match: UUID
    target: int
    deals: tuple[int, ...]
    series: tuple[Series, ...]


def hears(event: Event) -> bool:
    """What the match itself says, and that it came in as a record."""
    return type(event) in HEARD


def evolve(doc: Sheet | None, recorded: Recorded) -> Sheet:
    """The sheet after one more event."""
    return sheet.evolve(doc, recorded)


def rows(key: str, doc: Sheet) -> Mapping[str, Rows]:
    """Nothing to search by: a score sheet is asked for by its match."""
    return {}


def read(view: View, match: UUID) -> Totals | None:
    """The score sheet of a match as far as the log has been read; None if that is not yet as far as its opening."""
    found = view.document(match)
    return of(match, found[0], view.position) if found else None


def of(match: UUID, doc: Sheet, position: int) -> Totals:
    """A document as a score sheet, read from the log up to a position."""
    totals, after, scored = sheet.totals(doc), sheet.running_totals(doc), doc.scored
    here = [total for total, seat in zip(totals, doc.seats, strict=True) if not seat.left]
    running = doc.running
    return Totals(
        match=match,
        game=doc.game,
        target=doc.target,
        state=doc.state,
        imported=doc.imported,
        version=doc.version,
        position=position,
        opened_at=doc.opened_at,
        seats=tuple(
            SeatTotal(
                place,
                seat.player,
                total,
                max(0, doc.target - total),
                None if seat.left else 1 + sum(other > total for other in here),
                _can_win(doc, total, max(here, default=0)) if not seat.left else False,
                seat.left,
                _sum([(deal.lines or ())[place] for deal in scored]),
            )
            for place, (seat, total) in enumerate(zip(doc.seats, totals, strict=True))
        ),
        deals=tuple(
            DealTotal(deal.number, deal.points or (), line, deal.lines or (), deal.revisions)
            for deal, line in zip(scored, after, strict=True)
        ),
        voided=tuple(
            Voided(deal.number, deal.state, deal.revisions)
            for deal in doc.deals
            if deal.state != "scored" and deal.revisions
        ),
        leaders=tuple(
            place for place, total in enumerate(totals) if scored and not doc.seats[place].left and total == max(here)
        ),
        winners=doc.winners,
        results=doc.results,
        running=running.number if running else None,
        most=running.most if running else None,
    )


def chart(found: Totals) -> Chart:
    """A score sheet as lines to draw."""
    return Chart(
        found.match,
        found.target,
        tuple(deal.number for deal in found.deals),
        tuple(
            Series(
                one.seat,
                one.player,
                tuple(deal.totals[one.seat] for deal in found.deals),
                tuple(deal.points[one.seat] for deal in found.deals),
            )
            for one in found.seats
        ),
    )


def _can_win(doc: Sheet, total: int, best: int) -> bool | None:
    deal = doc.running
    if deal is None or deal.most is None:
        return None
    # after the last deal agreed on, the highest total wins below the target too
    last = doc.deal_limit is not None and deal.number >= doc.deal_limit
    return total + deal.most >= (best if last else doc.target)


def _sum(lines: list[dict[str, int]]) -> dict[str, int]:
    names: dict[str, Any] = dict.fromkeys(name for line in lines for name in line)
    return {name: sum(line.get(name, 0) for line in lines) for name in names}
