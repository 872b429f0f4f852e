"""A Sabo deal of which only the result is entered (SB-11 to SB-13; rules 4.2)."""

from typing import Annotated

import msgspec
from msgspec import Meta

from referee.rules.sabo.model import HAND_SIZE, SABO_SIZE, Rules
from referee.rules.sabo.scoring import penalise
from referee.rules.tallies import disagree, seats_fault
from referee.rules.verdict import Illegal, Violation

Count = Annotated[int, Meta(ge=0, le=1000)]


class Tally(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="sabo"):
    """Tricks by seat; plays at fault by seat where the match charges them; the points as the table wrote them down, to
    be compared."""

    tricks: tuple[Count, ...]
    faults: tuple[Count, ...] | None = None
    points: tuple[int, ...] | None = None


def tally(rules: Rules, seats: int, entered: Tally) -> tuple[dict[str, int], ...] | Illegal:
    """Score lines by seat, or everything that cannot be about the parts entered (SB-13)."""
    if fault := seats_fault(seats, "SB-1", tricks=entered.tricks, faults=entered.faults, points=entered.points):
        return Illegal(fault)
    found = []
    given, total = sum(entered.tricks), HAND_SIZE + SABO_SIZE[seats]
    if given != total:
        params = {"given": given, "total": total, "difference": given - total}
        found.append(Violation("TRICKS_SUM", "SB-13", params))
    lines = penalise(rules, [{"tricks": n, "penalty": 0} for n in entered.tricks], entered.faults or (0,) * seats)
    found += disagree("points", entered.points, [sum(line.values()) for line in lines], "SB-13")
    return Illegal(tuple(found)) if found else lines
