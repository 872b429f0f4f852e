"""What a Tablanet deal pays (TN-18, TN-19)."""

from collections.abc import Sequence

from referee.rules.cards import RANK, Card, Cards
from referee.rules.tablanet.model import (
    DEAL_BONUS,
    LINE_OF_RANK,
    LINES,
    Rules,
    State,
)


def score(rules: Rules, state: State) -> tuple[dict[str, int], ...]:
    """Points of a finished deal by seat, a line each of `LINES` (TN-18, TN-19, N9, N12, N14)."""
    lines = []
    for seat, pile in enumerate(state.piles):
        lines.append(card_lines(rules, pile) | {"bonus": 0, "tablanets": state.bonuses[seat]})
    by_cards = rules.deal_bonus == "most_cards"
    counts = [len(pile) if by_cards else sum(line.values()) for pile, line in zip(state.piles, lines, strict=True)]
    for seat in bonus_seats(rules, counts) if any(state.piles) else ():
        lines[seat]["bonus"] = DEAL_BONUS
    return tuple(lines)


def card_lines(rules: Rules, pile: Cards) -> dict[str, int]:
    """Card points of a pile, a line each (TN-18, N14)."""
    line = dict.fromkeys(LINES[:-2], 0)
    for card in pile:
        if points := card_points(rules, card):
            line["ten_of_diamonds" if card == "10D" else LINE_OF_RANK[RANK[card]]] += points
    return line


def bonus_seats(rules: Rules, counts: Sequence[int]) -> list[int]:
    """Who won the deal, with so many points or cards by seat: nobody, or all of them, on a tie (TN-19, N12)."""
    first = [seat for seat, count in enumerate(counts) if count == max(counts)]
    return first if len(first) == 1 or rules.deal_bonus_tie == "all" else []


def fault_cost(rules: Rules) -> int:
    """What a play at fault costs: nothing in Tablanet."""
    return 0


def penalise(
    rules: Rules, lines: Sequence[dict[str, int]], faults_by_seat: Sequence[int]
) -> tuple[dict[str, int], ...]:  # fmt: skip
    """The lines of `score` with what proven faults cost: nothing in Tablanet."""
    return tuple(lines)


def held(state: State) -> Cards:
    """Every card of the deal wherever it lies: what must always be the pack (rules 5)."""
    return tuple(card for part in (*state.hands, state.table, state.stock, *state.piles) for card in part)


def card_points(rules: Rules, card: Card) -> int:
    """Card points by the second scale (TN-18, N14)."""
    rank = RANK[card]
    if rank == "J":
        return rules.jack_points
    if rank == "2":
        return int(rules.twos == "all" or card == "2C")
    return 2 if card == "10D" else int(rank in LINE_OF_RANK)
