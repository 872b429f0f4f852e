"""A match's score sheet as it counts now: the fold that totals, match list, standings and player pages are laid out from.

It takes consequences from the events and asks no rule. A correction or a void changes every running total after it,
and leaves what stood there before as a revision.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias
from uuid import UUID

import msgspec

from projections.moves import Course, follow
from referee.events import (
    DealReopened,
    DealScored,
    DealStarted,
    DealVoided,
    Lines,
    MatchAbandoned,
    MatchImported,
    MatchOpened,
    MatchReopened,
    MatchWon,
    Mode,
    PlayerJoined,
    PlayerLeft,
    PlayerSubstituted,
    Points,
    Recorded,
    ScoreCorrected,
    Settled,
)

State: TypeAlias = Literal["open", "won", "abandoned"]
DealState: TypeAlias = Literal["running", "scored", "voided"]
_KINDS: Final = {
    DealScored: "scored",
    ScoreCorrected: "corrected",
    DealVoided: "voided",
    DealReopened: "reopened",
    MatchWon: "won",
    MatchReopened: "reopened",
    MatchAbandoned: "abandoned",
}


class Revision(msgspec.Struct, frozen=True, omit_defaults=True):
    """What a deal counted from an event on: the match's version, when, by whom, `why` as the id of the words.

    Points and lines by seat; none where the deal counts for nobody.
    """

    version: int
    kind: str
    at: datetime
    by: str
    points: Points | None = None
    lines: Lines | None = None
    why: UUID | None = None


class Result(msgspec.Struct, frozen=True, omit_defaults=True):
    """How the match stood from an event on: won by seats, abandoned (won by forfeit, if at all), or open again."""

    version: int
    kind: str
    at: datetime
    by: str
    winners: tuple[int, ...] = ()
    why: UUID | None = None


class Deal(msgspec.Struct, frozen=True):
    """A deal: `seats` took part, held by `players` when it was scored; the last revision is what counts."""

    number: int
    dealer: int
    mode: Mode
    most: int | None
    started_at: datetime
    seats: tuple[int, ...]
    state: DealState = "running"
    points: Points | None = None
    lines: Lines | None = None
    players: tuple[UUID, ...] = ()
    ended_at: datetime | None = None
    revisions: tuple[Revision, ...] = ()
    course: Course = Course()


class Seat(msgspec.Struct, frozen=True):
    """A seat: who has it now, the total it began with after how many deals, whether it is empty, who had it before."""

    player: UUID
    began: int = 0
    joined: int = 0
    left: bool = False
    before: tuple[UUID, ...] = ()


class Sheet(msgspec.Struct, frozen=True):
    """A match after `version` events of its stream. `winners` is empty until it is over."""

    game: str
    target: int
    deal_limit: int | None
    opened_at: datetime
    last_at: datetime
    version: int
    seats: tuple[Seat, ...]
    opened_with: int
    deals: tuple[Deal, ...] = ()
    state: State = "open"
    winners: tuple[int, ...] = ()
    results: tuple[Result, ...] = ()
    imported: bool = False
    rematch_of: UUID | None = None

    @property
    def running(self) -> Deal | None:
        """The deal being played, if any."""
        going = [deal for deal in self.deals if deal.state == "running"]
        return going[-1] if going and self.state == "open" else None

    @property
    def scored(self) -> list[Deal]:
        """The deals that count, in order."""
        return [deal for deal in self.deals if deal.state == "scored"]


def evolve(sheet: Sheet | None, recorded: Recorded) -> Sheet:
    """The sheet after one more event of the match, of one of its deals, or of its access."""
    event = recorded.event
    if isinstance(event, MatchOpened):
        return Sheet(
            event.game,
            event.house_rules["target"],
            event.house_rules.get("deal_limit"),
            recorded.at,
            recorded.at,
            recorded.version,
            tuple(Seat(player) for player in event.players),
            len(event.players),
            rematch_of=event.rematch_of,
        )
    assert sheet is not None, "a match begins with MatchOpened"
    if isinstance(event, MatchImported):
        return msgspec.structs.replace(sheet, imported=True)
    found = _deal_event(sheet, recorded)
    if found is not None:
        return found
    return msgspec.structs.replace(sheet, version=recorded.version, last_at=recorded.at, **_changes(sheet, recorded))


def running_totals(sheet: Sheet) -> list[tuple[int | None, ...]]:
    """Totals by seat after each deal that counts; null for a seat before it was there."""
    totals = [seat.began for seat in sheet.seats]
    rows: list[tuple[int | None, ...]] = []
    for deal in sheet.scored:
        totals = [total + gain for total, gain in zip(totals, deal.points or (), strict=True)]
        joined = [seat.joined for seat in sheet.seats]
        rows.append(tuple(t if deal.number > after else None for t, after in zip(totals, joined, strict=True)))
    return rows


def totals(sheet: Sheet) -> Points:
    """The totals now, by seat."""
    gains = [deal.points or () for deal in sheet.scored]
    return tuple(seat.began + sum(points[place] for points in gains) for place, seat in enumerate(sheet.seats))


def _deal_event(sheet: Sheet, recorded: Recorded) -> Sheet | None:
    """The sheet after an event of a deal's stream; None for any other event."""
    for deal in sheet.deals:
        if deal.course.stream == recorded.stream:
            course = follow(deal.course, recorded)
            return msgspec.structs.replace(sheet, deals=_with(sheet, deal.number, course=course))
    return None


def _changes(sheet: Sheet, recorded: Recorded) -> dict[str, Any]:
    event = recorded.event
    match event:
        case DealStarted():
            return {"deals": _started(sheet, recorded.at, event)}
        case DealScored(number, points, lines) | ScoreCorrected(_, _, number, points, lines):
            return {"deals": _scored(sheet, recorded, number, points, lines)}
        case DealVoided(number=number):
            return {"deals": _ended(sheet, recorded, number, state="voided", points=None, lines=None)}
        case DealReopened(number=number):
            return {"deals": _ended(sheet, recorded, number, state="running", points=None, lines=None, ended_at=None)}
        case MatchWon(seats):
            return {"state": "won", "winners": seats, "results": _result(sheet, recorded, seats)}
        case MatchReopened():
            return {"state": "open", "winners": (), "results": _result(sheet, recorded)}
        case MatchAbandoned(seats=seats):
            return {"state": "abandoned", "winners": seats, "results": _result(sheet, recorded, seats)}
        case PlayerJoined() | PlayerLeft() | PlayerSubstituted():
            return {"seats": _seats(sheet, event), "deals": _widened(sheet, event)}
        case _:
            return {}


def _started(sheet: Sheet, at: datetime, event: DealStarted) -> tuple[Deal, ...]:
    seats = event.seats or tuple(range(sheet.opened_with))
    deal = Deal(event.number, event.dealer, event.mode, event.most, at, seats, course=Course(event.deal))
    others = [other for other in sheet.deals if other.number != event.number]
    before = next((other.revisions for other in sheet.deals if other.number == event.number), ())
    return (*others, msgspec.structs.replace(deal, revisions=before))


def _scored(sheet: Sheet, recorded: Recorded, number: int, points: Points, lines: Lines) -> tuple[Deal, ...]:
    deal = next(deal for deal in sheet.deals if deal.number == number)
    full = by_seat(points, len(sheet.seats), 0)
    if deal.state == "running":  # later corrections do not change who held the cards
        players = tuple(seat.player for seat in sheet.seats)
        sheet = msgspec.structs.replace(sheet, deals=_with(sheet, number, players=players, ended_at=recorded.at))
    whole = by_seat(lines, len(sheet.seats), {})
    return _ended(sheet, recorded, number, state="scored", points=full, lines=whole)


def by_seat(values: Sequence[Any], count: int, nothing: Any) -> tuple[Any, ...]:
    """Values by seat up to the last that sat at a deal, as ones for all seats of the match."""
    return (*values, *[nothing] * (count - len(values)))


def _ended(sheet: Sheet, recorded: Recorded, number: int, **changes: Any) -> tuple[Deal, ...]:
    event = recorded.event
    revision = Revision(
        recorded.version,
        _KINDS[type(event)],
        recorded.at,
        recorded.by,
        changes["points"],
        changes["lines"],
        event.why if isinstance(event, Settled) else None,
    )
    deal = next(deal for deal in sheet.deals if deal.number == number)
    return _with(sheet, number, **changes, revisions=(*deal.revisions, revision))


def _result(sheet: Sheet, recorded: Recorded, winners: tuple[int, ...] = ()) -> tuple[Result, ...]:
    event = recorded.event
    why = event.why if isinstance(event, Settled) else None
    new = Result(recorded.version, _KINDS[type(event)], recorded.at, recorded.by, winners, why)
    return (*sheet.results, new)


def _seats(sheet: Sheet, event: PlayerJoined | PlayerLeft | PlayerSubstituted) -> tuple[Seat, ...]:
    match event:
        case PlayerJoined(seat=place, player=player, total=total):
            return (*sheet.seats, Seat(player, total, len(sheet.deals)))
        case PlayerLeft(seat=place):
            changed = msgspec.structs.replace(sheet.seats[place], left=True)
        case PlayerSubstituted(seat=place, player=player):
            old = sheet.seats[place]
            changed = msgspec.structs.replace(old, player=player, left=False, before=(*old.before, old.player))
    return (*sheet.seats[:place], changed, *sheet.seats[place + 1 :])


def _widened(sheet: Sheet, event: Any) -> tuple[Deal, ...]:
    """The deals so far with nothing for a seat that joined after them."""
    if not isinstance(event, PlayerJoined):
        return sheet.deals
    return tuple(
        deal
        if deal.points is None
        else msgspec.structs.replace(deal, points=(*deal.points, 0), lines=(*(deal.lines or ()), {}))
        for deal in sheet.deals
    )


def _with(sheet: Sheet, number: int, **changes: Any) -> tuple[Deal, ...]:
    return tuple(msgspec.structs.replace(d, **changes) if d.number == number else d for d in sheet.deals)
