"""What is wrong with a layout, and whether play can go on from it all the same (rules 4.2)."""

from typing import Any

from referee.rules.verdict import Violation


def layout_faults(game: Any, rules: Any, seats: int, layout: Any, mode: str) -> tuple[Violation, ...]:
    """Why so many seats cannot be dealt this layout, or not be observed with it."""
    check = game.check_open if mode == "observed" else game.check_layout
    found: tuple[Violation, ...] = check(rules, seats, layout)
    return found


def no_play(game: Any, seats: int, layout: Any, faults: tuple[Violation, ...]) -> tuple[Violation, ...]:
    """Those of a layout's faults with which no play can go on: all, unless each seat has its hand and one holds a card."""
    if len(layout.hands) != seats or not any(layout.hands):
        return faults
    return tuple(fault for fault in faults if fault.code not in game.CAN_LIE)
