"""How many lines of legal moves there are to a small depth, from deals that never change, in every game.

Any change in what is legal shows as a number. A row: game, house rules, seats, seed of the deal, then the
count for each depth from 1. To add a row write the counts that `count` gives, once they are known to be right.
"""

from typing import Any

import pytest

from referee.rules.game import GAMES, Game
from tests.dealing import SeededChance, new_deal, rules_of

ROWS: list[tuple[str, dict[str, object], int, int, list[int]]] = [
    ("tablanet", {}, 2, 1, [6, 47, 325, 1896]),
    ("tablanet", {"ace_value": 11}, 2, 2, [6, 36, 254, 1343]),
    ("tablanet", {"ace_value": "either", "max_sum_cards": "unlimited"}, 2, 3, [7, 48, 266, 1429]),
    ("tablanet", {"capture_duty": "optional"}, 2, 4, [9, 108, 885, 9409]),
    ("tablanet", {"capture_duty": "maximal"}, 3, 5, [4, 16, 64, 193]),
    ("tablanet", {"units_per_capture": "one_of_each"}, 2, 6, [6, 41, 205, 1045]),
    ("tablanet", {"single_match": "rank"}, 3, 7, [5, 20, 81, 273]),
    (
        "tablanet",
        {"ace_value": "either", "capture_duty": "optional", "max_sum_cards": "unlimited", "values": "balkan"},
        3,
        8,
        [8, 90, 734, 3503],
    ),
]


def count(game: Game, rules: Any, state: Any, depth: int) -> int:
    """Lines of `depth` moves; a line that ends sooner counts once. Chance is told the same in every line."""
    if state.turn is None or not depth:
        return 1
    moves = list(game.legal_moves(rules, state))
    if depth == 1:
        return len(moves)
    found = 0
    for move in moves:
        effects = game.play(rules, state, state.turn, move, SeededChance(depth))
        found += count(game, rules, game.evolve(state, state.turn, move, effects), depth - 1)
    return found


@pytest.mark.parametrize(("name", "house_rules", "seats", "seed", "expected"), ROWS)
def test_lines(name: str, house_rules: dict[str, object], seats: int, seed: int, expected: list[int]) -> None:
    game = GAMES[name]
    rules = rules_of(game, **house_rules)
    _, state = new_deal(game, rules, seats, SeededChance(seed))
    assert [count(game, rules, state, depth + 1) for depth in range(len(expected))] == expected
