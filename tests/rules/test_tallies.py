"""Results without their moves: refused when the parts cannot be, every cross-check named (cases C004, C005, C011)."""

from typing import Any

import msgspec
import pytest

from referee.rules import game as games
from referee.rules import sabo, tablanet, tabu
from referee.rules.cards import PACK
from referee.rules.game import GAMES, Game
from referee.rules.verdict import Illegal
from referee.rules.words import say
from tests.dealing import SeededChance, new_deal, random_line
from tests.rules.observing import any_rules


def refused(game: Game, rules: Any, seats: int, **parts: Any) -> list[tuple[str, str]]:
    found = game.tally(rules, seats, game.Tally(**parts))
    assert isinstance(found, Illegal)
    return [(one.code, one.clause) for one in found.violations]


def points(game: Game, rules: Any, seats: int, **parts: Any) -> list[int]:
    lines = game.tally(rules, seats, game.Tally(**parts))
    assert not isinstance(lines, Illegal), lines
    return [sum(line.values()) for line in lines]


# ---- Sabo


def test_C004_tricks_that_do_not_add_up() -> None:  # noqa: N802
    found = sabo.tally(sabo.Rules(), 4, sabo.Tally((4, 4, 3, 3)))
    assert isinstance(found, Illegal)
    (fault,) = found.violations
    assert (fault.code, fault.clause) == ("TRICKS_SUM", "SB-13")
    assert fault.params == {"given": 14, "total": 13, "difference": 1}
    assert "tricks must add up to 13, got 14 (difference 1)" in say(fault, "en")
    assert refused(sabo, sabo.Rules(), 4, tricks=(3, 3, 3, 3)) == [("TRICKS_SUM", "SB-13")]
    assert points(sabo, sabo.Rules(), 4, tricks=(4, 4, 3, 2)) == [4, 4, 3, 2]


def test_sabo_parts() -> None:
    rules = sabo.Rules(revoke_penalty="three")
    assert points(sabo, rules, 5, tricks=(4, 4, 2, 0, 0), faults=(1, 2, 0, 0, 1)) == [1, 0, 2, 0, 0]
    assert points(sabo, sabo.Rules(), 5, tricks=(4, 4, 2, 0, 0), faults=(1, 2, 0, 0, 0)) == [4, 4, 2, 0, 0]
    assert refused(sabo, rules, 4, tricks=(13, 0, 0)) == [("TALLY_SEATS", "SB-1")]
    assert refused(sabo, rules, 3, tricks=(5, 5, 4), points=(5, 5, 3)) == [
        ("TRICKS_SUM", "SB-13"),
        ("PARTS_DISAGREE", "SB-13"),
    ]
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "sabo", "tricks": [-1, 14]}, games.Tally)


# ---- Tablanet

PILES = (
    ("AS", "AH", "KS", "KD", "KC", "QS", "QH", "QD", "10D", "10S", "2S", "2H"),
    ("AD", "AC", "KH", "QC", "10H", "10C", "2D", "2C"),
)
REST = tuple(card for card in PACK if card not in (*PILES[0], *PILES[1]))


def test_TN_E8_in_every_form() -> None:  # noqa: N802
    """13 and 8 card points, the three points to the first: 16 and 8."""
    rules = tablanet.Rules(1)
    lines = (
        {"aces": 2, "kings": 3, "queens": 3, "ten_of_diamonds": 2, "tens": 1, "twos": 2},
        {"aces": 2, "kings": 1, "queens": 1, "tens": 2, "twos": 2},
    )
    forms: list[dict[str, Any]] = [
        {"piles": ((*PILES[0], *REST), PILES[1])},
        {"lines": lines},
        {"card_points": (13, 8)},
        {"card_points": (13, 8), "lines": lines, "bonus": (0,), "points": (16, 8), "counts": (44, 8)},
    ]
    for form in forms:
        assert points(tablanet, rules, 2, **form) == [16, 8]


def test_tablanet_everything_that_is_wrong_is_named() -> None:
    rules = tablanet.Rules(1)
    assert refused(
        tablanet, rules, 2, card_points=(13, 9), bonus=(1,), counts=(40, 11), tablanet_points=(1, 0), points=(1, 2)
    ) == [
        ("POINTS_SUM", "TN-18"),
        ("CARDS_SUM", "TN-17"),
        ("PARTS_DISAGREE", "TN-14"),
        ("BONUS_SEAT", "TN-19"),
        ("PARTS_DISAGREE", "TN-20"),
    ]
    assert refused(tablanet, rules, 2, lines=({"aces": 3}, {"aces": 2})) == [
        *[("LINE_SUM", "TN-18")] * 6,
        ("POINTS_SUM", "TN-18"),
    ]
    assert refused(tablanet, rules, 2, lines=({"jokers": 3}, {})) == [("LINE_UNKNOWN", "TN-18")]
    assert refused(tablanet, rules, 2) == [("PARTS_MISSING", "TN-20")]
    assert refused(tablanet, rules, 2, card_points=(21,), bonus=(2,)) == [
        ("TALLY_SEATS", "TN-1"),
        ("TALLY_SEATS", "TN-19"),
    ]


def test_tablanet_the_ten_of_diamonds_is_one_card() -> None:
    lines = [dict.fromkeys(("aces", "kings", "queens", "twos"), 4) | {"tens": 3, "ten_of_diamonds": 1}]
    assert refused(tablanet, tablanet.Rules(1), 2, lines=(lines[0], {"ten_of_diamonds": 1})) == [
        ("POINTS_IMPOSSIBLE", "TN-18")
    ]


def test_C005_a_pile_short_of_a_card() -> None:  # noqa: N802
    short = tuple(card for card in REST if card != "9C")
    found = tablanet.tally(tablanet.Rules(1), 2, tablanet.Tally(piles=((*PILES[0], *short), PILES[1])))
    assert isinstance(found, Illegal)
    assert [(one.code, one.params) for one in found.violations] == [
        ("PACK_MISMATCH", {"extra": (), "missing": ("9C",)}),
    ]
    twice = ((*PILES[0], *short, "AD"), PILES[1])
    assert refused(tablanet, tablanet.Rules(1), 2, piles=twice) == [
        ("CARD_SEEN_TWICE", "TN-1"),
        ("PACK_MISMATCH", "TN-1"),
    ]


def test_tablanet_who_gets_the_three_points() -> None:
    most, cards = tablanet.Rules(1), tablanet.Rules(1, deal_bonus="most_cards")
    assert points(tablanet, most, 3, card_points=(8, 8, 5)) == [8, 8, 5]
    assert points(tablanet, tablanet.Rules(1, deal_bonus_tie="all"), 3, card_points=(8, 8, 5)) == [11, 11, 5]
    assert points(tablanet, cards, 2, card_points=(13, 8), counts=(25, 27)) == [13, 11]
    assert points(tablanet, cards, 2, card_points=(13, 8), counts=(26, 26)) == [13, 8]
    assert points(tablanet, cards, 2, card_points=(13, 8), bonus=(1,)) == [13, 11]
    assert points(tablanet, cards, 2, card_points=(13, 8), bonus=()) == [13, 8]
    assert refused(tablanet, cards, 2, card_points=(13, 8), bonus=(0, 1)) == [("BONUS_SEAT", "TN-19")]
    assert refused(tablanet, cards, 2, card_points=(13, 8)) == [("PARTS_MISSING", "TN-20")]
    assert refused(tablanet, most, 3, card_points=(8, 8, 5), bonus=(0,)) == [("BONUS_SEAT", "TN-19")]


def test_tablanet_tablanets() -> None:
    one, by_cards = tablanet.Rules(1, tablanet_bonus="one_point"), tablanet.Rules(1, tablanet_bonus="card_values")
    assert points(tablanet, one, 2, card_points=(10, 11), tablanets=(3, 0)) == [16, 11]
    assert points(tablanet, by_cards, 2, card_points=(10, 11), tablanets=(1, 0), tablanet_points=(45, 0)) == [58, 11]
    assert points(tablanet, tablanet.Rules(1), 2, card_points=(10, 11), tablanets=(3, 0)) == [10, 14]
    assert refused(tablanet, by_cards, 2, card_points=(10, 11), tablanets=(1, 0)) == [("PARTS_MISSING", "TN-20")]
    assert refused(tablanet, one, 2, card_points=(10, 11), tablanets=(3, 0), tablanet_points=(2, 0)) == [
        ("PARTS_DISAGREE", "TN-14")
    ]


def test_tablanet_nobody_captured() -> None:
    assert points(tablanet, tablanet.Rules(1), 2, card_points=(0, 0), counts=(0, 0)) == [0, 0]
    assert points(tablanet, tablanet.Rules(1), 2, piles=((), ())) == [0, 0]
    assert refused(tablanet, tablanet.Rules(1), 2, card_points=(0, 0)) == [("POINTS_SUM", "TN-18")]


# ---- Tabu

TABU = tabu.Rules(100)


def test_C011_a_score_below_nought() -> None:  # noqa: N802
    assert points(tabu, TABU, 2, captured=((), ("KS",)), hands=((), ("KD", "QS")), out=0) == [0, -11]
    lines = tabu.tally(TABU, 2, tabu.Tally(captured_points=(0, 12), hand_points=(0, 23), out=0))
    assert lines == ({"captured": 0, "in_hand": 0}, {"captured": 12, "in_hand": -23})


def test_TB_E7() -> None:  # noqa: N802
    captured = (("KS", "KD", "QC"), ("QD", "QH", "AC"), ())
    hands = ((), ("KH", "5C", "JD"), ("AD", "QS"))
    assert points(tabu, TABU, 3, captured=captured, hands=hands, out=0, points=(35, 11, -12)) == [35, 11, -12]
    mixed = {"captured": captured, "hand_points": (0, 12, 12), "captured_points": (35, 23, 0), "out": 0}
    assert refused(tabu, TABU, 3, **mixed | {"hand_points": (0, 12, 12), "captured_points": (35, 22, 0)}) == [
        ("PARTS_DISAGREE", "TB-16")
    ]
    assert points(tabu, TABU, 3, **mixed | {"hand_points": (0, 12, 12)}) == [35, 11, -12]


@pytest.mark.parametrize(
    ("parts", "faults"),
    [
        ({}, [("PARTS_MISSING", "TB-17")] * 2),
        ({"captured_points": (96, 1), "hand_points": (0, 0)}, [("POINTS_OVER", "TB-16")]),
        ({"captured_points": (5, 0), "hand_points": (0, 0)}, [("POINTS_IMPOSSIBLE", "TB-16")]),
        ({"captured_points": (3, 0), "hand_points": (0, 2)}, [("POINTS_IMPOSSIBLE", "TB-16")]),
        ({"captured_points": (24, 0), "hand_points": (1, 0), "out": 0}, [("OUT_WITH_CARDS", "TB-14")]),
        ({"captured_points": (24, 0), "hand_points": (0, 0), "out": 2}, [("TALLY_SEATS", "TB-14")]),
        (
            {"captured_points": (24, 0), "hands": (("2S",), ()), "out": 0},
            [("OUT_WITH_CARDS", "TB-14"), ("EMPTY_HAND", "TB-14")],
        ),
        ({"captured_points": (24, 0), "hands": (("2S",), ("2S",))}, [("CARD_SEEN_TWICE", "TB-1")]),
        ({"captured_points": (24, 0), "hands": (("?",), ("2S",))}, [("PACK_MISMATCH", "TB-1")]),
        ({"captured_points": (24, 0, 0), "hand_points": (0,)}, [("TALLY_SEATS", "TB-1")] * 2),
        ({"captured_points": (24, 0), "hand_points": (1, 0), "points": (23, 1)}, [("PARTS_DISAGREE", "TB-17")]),
    ],
)  # fmt: skip
def test_tabu_parts_that_cannot_be(parts: dict[str, Any], faults: list[tuple[str, str]]) -> None:
    assert refused(tabu, TABU, 2, **parts) == faults


def test_tabu_two_packs_hold_twice_the_points() -> None:
    figures = {"captured_points": (96, 90, 0, 0, 0), "hand_points": (0, 6, 0, 0, 0)}
    assert points(tabu, TABU, 5, **figures) == [96, 84, 0, 0, 0]
    assert refused(tabu, TABU, 4, captured_points=(96, 90, 0, 0), hand_points=(0,) * 4) == [("POINTS_OVER", "TB-16")]


# ---- a played deal, tallied, pays the same


def _parts(game: Game, state: Any, lines: Any) -> dict[str, Any]:
    totals = tuple(sum(line.values()) for line in lines)
    if game.NAME == "sabo":
        return {"tricks": state.tricks, "points": totals}
    if game.NAME == "tabu":
        return {"captured": state.captured, "hands": state.hands, "out": state.out, "points": totals}
    return {
        "piles": state.piles,
        "counts": tuple(map(len, state.piles)),
        "tablanets": state.tablanets,
        "tablanet_points": state.bonuses,
        "bonus": tuple(seat for seat, line in enumerate(lines) if line["bonus"]),
        "points": totals,
    }


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.parametrize("name", GAMES)
def test_a_played_deal_tallied(name: str, seed: int) -> None:
    game, chance = GAMES[name], SeededChance(seed)
    rules = any_rules(game, chance)
    seats = 2 + seed % 2
    _, state = new_deal(game, rules, seats, chance)
    for before, seat, move, effects in random_line(game, rules, state, chance):
        state = game.evolve(before, seat, move, effects)
    lines = game.score(rules, state)
    entered = game.Tally(**_parts(game, state, lines))
    assert game.tally(rules, seats, entered) == lines
    assert msgspec.json.decode(msgspec.json.encode(entered), type=games.Tally) == entered
