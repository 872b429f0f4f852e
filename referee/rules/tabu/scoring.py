"""What a Tabu deal pays (TB-16, TB-17)."""

from collections.abc import Sequence
from itertools import chain

from referee.rules.cards import Cards
from referee.rules.tabu.model import (
    LINES,
    POINTS,
    Rules,
    State,
)


def score(rules: Rules, state: State) -> tuple[dict[str, int], ...]:
    """Points of a finished deal by seat, a line each of `LINES` (TB-16, TB-17); whoever went out holds no card."""
    captured = [sum(POINTS[card] for card in pile) for pile in state.captured]
    in_hand = [-sum(POINTS[card] for card in hand) for hand in state.hands]
    return tuple(dict(zip(LINES, points, strict=True)) for points in zip(captured, in_hand, strict=True))


def fault_cost(rules: Rules) -> int:
    """What a play at fault costs: nothing in Tabu (rules 4.2)."""
    return 0


def penalise(
    rules: Rules, lines: Sequence[dict[str, int]], faults_by_seat: Sequence[int]
) -> tuple[dict[str, int], ...]:  # fmt: skip
    """The lines of `score` with what proven faults cost: nothing in Tabu."""
    return tuple(lines)


def held(state: State) -> Cards:
    """Every card of the deal wherever it lies: what must always be the pack (rules 5)."""
    return tuple(chain(*state.hands, state.row, state.reserve, state.discard, *state.captured))
