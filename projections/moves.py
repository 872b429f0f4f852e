"""What a deal's stream says beside its plain moves: tablanets and faults, with the moves that they belong to.

Plain moves are not listened to: they are counted by the versions between the events that are.
"""

from typing import Any
from uuid import UUID

import msgspec

from referee.events import (
    CardsDealt,
    DealEvent,
    Event,
    IrregularityFound,
    IrregularityNoted,
    MoveCorrected,
    Moved,
    MovesTakenBack,
    Recorded,
)

DEAL_EVENTS = frozenset(DealEvent.__args__)
MOVES = frozenset(kind for kind in DEAL_EVENTS if issubclass(kind, Moved))


class Fault(msgspec.Struct, frozen=True):
    """A fault of a seat: in which move, proven by which later move (0: noted at the table)."""

    kind: str
    seat: int
    move: int
    proof: int


class Course(msgspec.Struct, frozen=True):
    """A deal's stream up to `version`: how many moves count, the moves that cleared the table and their seats, faults.

    `seats` sit at the table, one to a place; empty where the places are the seats.
    """

    stream: UUID = UUID(int=0)
    seats: tuple[int, ...] = ()
    version: int = 0
    moves: int = 0
    tablanets: tuple[tuple[int, int], ...] = ()
    faults: tuple[Fault, ...] = ()


def speaks(event: Event) -> bool:
    """Whether an event of a deal says more than that a move was made."""
    kind = type(event)
    if kind in MOVES:
        return bool(event.irregular) or cleared(event.effects)  # type: ignore[union-attr]
    return kind in DEAL_EVENTS


def cleared(effects: Any) -> bool:
    """Whether a move was a tablanet."""
    return getattr(effects, "tablanet", False) is True


def counted(moves: int, version: int, recorded: Recorded) -> int:
    """How many moves count after an event, from how many did at `version` and nothing but plain moves in between."""
    match recorded.event:
        case MovesTakenBack(kept=kept):
            return kept
        case MoveCorrected(number=number, moves=made):
            return number - 1 + len(made)
        case Moved():
            return moves + recorded.version - version
        case _:
            return moves + recorded.version - version - 1


def seat_at(seats: tuple[int, ...], place: int) -> int:
    """The seat of the match that sits at a place of a deal's table."""
    return seats[place] if seats else place


def follow(course: Course, recorded: Recorded) -> Course:
    """The course after one more event of its stream that speaks."""
    moves = counted(course.moves, course.version, recorded)
    seats, tablanets, faults = course.seats, course.tablanets, course.faults
    match recorded.event:
        case CardsDealt():
            seats = recorded.event.seats
        case Moved(place, _, effects):
            tablanets = (*tablanets, (moves, seat_at(seats, place))) if cleared(effects) else tablanets
        case MovesTakenBack(kept=kept):
            tablanets = tuple(one for one in tablanets if one[0] <= kept)
            faults = tuple(one for one in faults if max(one.move, one.proof) <= kept)
        case MoveCorrected(number=number, moves=made):
            stand = tuple(one for one in tablanets if one[0] < number)
            tablanets = (
                *stand,
                *((n, seat_at(seats, m.seat)) for n, m in enumerate(made, number) if cleared(m.effects)),
            )
            faults = tuple(one for one in faults if max(one.move, one.proof) < number)
        case IrregularityFound(kind, place, move, proof):
            faults = (*faults, Fault(kind, seat_at(seats, place), move, proof))
        case IrregularityNoted(kind=kind, seat=noted) if noted is not None:
            faults = (*faults, Fault(kind, seat_at(seats, noted), 0, 0))
    return Course(course.stream, seats, recorded.version, moves, tablanets, faults)
