"""Which row of rules 4.2 a request speaks of, and at which seat."""

from referee import errors
from referee.deal import Deal
from referee.irregularities import ROW, Row
from referee.match import Match


def row_of(now: Match, kind: str, pointer: str) -> Row:
    """The row of an irregularity in this game. Raises BadValue, naming those there are."""
    row = ROW.get((kind, now.game))
    if row is None:
        there = ", ".join(kind for kind, game in ROW if game == now.game)
        raise errors.BadValue(errors.Fault(pointer, f"no irregularity of {now.game}; there are: {there}"))
    return row


def place_of(found: Deal, seat: int | None) -> int | None:
    """Where a seat sits at the deal's table. Raises BadValue for one that does not."""
    if seat is not None and seat not in found.seats:
        raise errors.BadValue(errors.Fault("#/seat", f"at this deal sit the seats {', '.join(map(str, found.seats))}"))
    return None if seat is None else found.seats.index(seat)
