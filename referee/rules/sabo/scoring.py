"""What a Sabo deal pays, and what faults cost (SB-13; rules 4.2)."""

from collections.abc import Sequence

from referee.rules.cards import Cards
from referee.rules.sabo.model import (
    PENALTY,
    Rules,
    State,
)


def score(rules: Rules, state: State) -> tuple[dict[str, int], ...]:
    """Points of a finished deal by seat, a line each of `LINES`: one a trick, no penalty yet (SB-13)."""
    return tuple({"tricks": tricks, "penalty": 0} for tricks in state.tricks)


def fault_cost(rules: Rules) -> int:
    """What a play at fault costs, in points (rules 4.2)."""
    return PENALTY[rules.revoke_penalty]


def penalise(
    rules: Rules, lines: Sequence[dict[str, int]], faults_by_seat: Sequence[int]
) -> tuple[dict[str, int], ...]:  # fmt: skip
    """The lines of `score` with what proven faults cost: off the offender, not below 0, given to nobody (rules 4.2).

    `faults_by_seat` counts plays at fault; each play is one fault, however many rules it breaks (rules 0.7).
    """
    price = fault_cost(rules)
    return tuple(
        line | {"penalty": -min(line["tricks"], price * faults)}
        for line, faults in zip(lines, faults_by_seat, strict=True)
    )


def held(state: State) -> Cards:
    """Every card of the deal wherever it lies: what must always be the pack (rules 5)."""
    face_down = (card for sabo in state.sabo for card in sabo if card is not None)
    shown = (played.card for played in state.played)
    return (*(card for hand in state.hands for card in hand), *face_down, *shown, *state.taken)
