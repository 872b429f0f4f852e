"""The race to the target, the same in all games (rules 0.5 and 0.7; TN-20, TB-18, SB-13)."""

from collections.abc import Sequence
from typing import Literal, TypeAlias

Tie: TypeAlias = Literal["another_deal", "shared"]


def winners(totals: Sequence[int], target: int, tie: Tie = "another_deal", last: bool = False) -> tuple[int, ...]:
    """Seats that have won the match now that a deal is scored; empty while play goes on.

    `totals` per seat, after the deal. The highest total wins once it stands at or above `target`. When it is
    shared, `tie` decides: another deal, or a shared win. `last` says that no deal follows (the house rule
    `deal_limit`): the highest total wins even below the target, an equal highest plays on.
    """
    best = max(totals)
    if best < target and not last:
        return ()
    first = tuple(seat for seat, total in enumerate(totals) if total == best)
    return first if len(first) == 1 or (tie == "shared" and best >= target) else ()
