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
    ("tabu", {}, 2, 1, [1, 1, 1, 1, 1, 1, 1, 2, 6, 8, 3, 8, 2, 28]),
    ("tabu", {}, 5, 2, [1, 4, 7, 7, 7, 22, 7, 14, 26, 10, 60, 33, 48, 72]),
    ("tabu", {"must_play": "free"}, 2, 3, [3, 8, 17, 48, 105, 239, 595, 1421]),
    (
        "tabu",
        {"must_play": "matches_only", "joker_draws": "others"},
        3,
        4,
        [2, 2, 6, 10, 14, 18, 26, 54, 57, 73, 105, 148],
    ),
    ("tabu", {"must_play": "free", "packs": 1}, 6, 5, [3, 7, 21, 42, 63, 269, 767]),
    ("tabu", {"must_play": "free", "last_joker": "redraws"}, 20, 6, [3, 3, 7, 13, 18, 37, 61, 123, 190]),
    ("sabo", {}, 2, 1, [13, 52, 624, 2238]),
    ("sabo", {}, 3, 2, [13, 46, 115, 1380]),
    ("sabo", {}, 4, 3, [13, 26, 46, 170, 2040]),
    ("sabo", {"discard_low": "overall", "lead_from_sabo": "empty_hand_only"}, 2, 4, [8, 32, 224, 800, 4800]),
    ("sabo", {"senior_suit": "clubs_only"}, 5, 5, [10, 41, 71, 98, 152, 1368]),
    (
        "sabo",
        {"discard_low": "any", "two_player_pack": "short_ranks", "trick_order": "equal_rank_overtakes"},
        2,
        6,
        [13, 21, 252, 1091],
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
