"""The worked examples of Tablanet, TN-E1 to TN-E12, line by line (rules 1.5)."""

from typing import Any

from referee.rules import tablanet
from referee.rules.cards import PACK, without
from referee.rules.tablanet import DEAL_BONUS, Layout, Opening, Play, Rules, State
from referee.rules.target import winners
from referee.rules.verdict import Illegal
from tests.dealing import SeededChance


def refusals(table: str, card: str, captures: str, held: str = "", **house_rules: Any) -> list[str]:
    """Codes of what is wrong with a play from seat 0 of two; empty when it is legal."""
    rules = Rules(**({"ace_value": 1} | house_rules))
    verdict = tablanet.judge(rules, standing(table, held or card), 0, Play(card, tuple(captures.split())))
    return [violation.code for violation in verdict.violations] if isinstance(verdict, Illegal) else []


def standing(table: str, hand: str) -> State:
    none: Any = ((), ())
    return State(1, 0, (tuple(hand.split()), ("AC",)), tuple(table.split()), (), none, (0, 0), (0, 0))


def test_TN_E1_king_takes_the_king() -> None:  # noqa: N802
    table = "4C 10H KS 6D"
    assert refusals(table, "KD", "KS") == []
    assert refusals(table, "KD", "KS 10H 4C") == ["CAPTURE_NOT_VALID"]
    assert refusals(table, "KD", "KS 10H 4C", values="balkan") == []
    assert refusals(table, "KD", "") == ["CAPTURE_REQUIRED"]
    assert refusals(table, "KD", "", capture_duty="optional") == []


def test_TN_E2_seven_chooses_its_units() -> None:  # noqa: N802
    table = "7D 3C 4S QH"
    for captures in ("7D", "3C 4S", "7D 3C 4S"):
        assert refusals(table, "7S", captures) == []
    assert refusals(table, "7S", "7D 3C") == ["CAPTURE_NOT_VALID"]
    assert refusals(table, "7S", "") == ["CAPTURE_REQUIRED"]
    assert refusals(table, "7S", "7D", capture_duty="maximal") == ["CAPTURE_NOT_MAXIMAL"]


def test_TN_E3_jack_and_ten_are_worth_the_same() -> None:  # noqa: N802
    table = "JC 5D 10S"
    for captures in ("JC", "10S", "JC 10S"):
        assert refusals(table, "10H", captures) == []
        by_rank = refusals(table, "10H", captures, single_match="rank")
        assert by_rank == ([] if captures == "10S" else ["CAPTURE_NOT_VALID"])
    assert refusals(table, "KH", "JC 5D") == []
    assert refusals(table, "KH", "10S 5D") == []
    assert refusals(table, "KH", "JC 10S 5D") == ["CAPTURE_NOT_VALID"]


def test_TN_E4_no_sum_of_four_cards() -> None:  # noqa: N802
    table = "2C 3D 4H 6S"
    assert refusals(table, "KC", table) == ["CAPTURE_NOT_VALID"]
    assert refusals(table, "KC", table, max_sum_cards="unlimited") == []
    assert refusals(table, "KC", "") == []
    assert refusals(table, "KC", "", max_sum_cards="unlimited") == ["CAPTURE_REQUIRED"]
    assert refusals(table, "9D", "2C 3D 4H") == []


def test_TN_E5_king_clears_the_table() -> None:  # noqa: N802
    table = "9C 6D 8H 7S"
    assert refusals(table, "KD", table) == []
    assert refusals(table, "KD", table, units_per_capture="one_of_each") == ["TOO_MANY_GROUPS"]
    move, state = Play("KD", tuple(table.split())), standing(table, "KD 2D")
    for bonus, paid in (("none", 0), ("card_values", 45), ("one_point", 1)):
        rules = Rules(1, tablanet_bonus=bonus)  # type: ignore[arg-type]
        effects = tablanet.play(rules, state, 0, move, SeededChance(0))
        assert (effects.tablanet, effects.bonus) == (True, paid)
        after = tablanet.evolve(state, 0, move, effects)
        assert sorted(after.piles[0]) == ["6D", "7S", "8H", "9C", "KD"]
        line = tablanet.score(rules, after)[0]
        assert sum(line.values()) - line["bonus"] == 1 + paid


def test_TN_E6_value_of_the_ace() -> None:  # noqa: N802
    table = "AH 9D 2S"
    lines: tuple[tuple[str, str, set[object]], ...] = (
        ("AC", "AH", {1, 11, "either"}),
        ("AC", "9D 2S", {11, "either"}),
        ("AC", "AH 9D 2S", {11, "either"}),
        ("QD", "AH 2S", {11, "either"}),
    )
    for card, captures, legal_with in lines:
        for ace in (1, 11, "either"):
            expected = [] if ace in legal_with else ["CAPTURE_NOT_VALID"]
            assert refusals(table, card, captures, ace_value=ace) == expected, (card, captures, ace)
    move = Play("AC", tuple(table.split()))
    assert tablanet.play(Rules(11), standing(table, "AC 2D"), 0, move, SeededChance(0)).tablanet


def test_TN_E7_one_three_serves_once() -> None:  # noqa: N802
    table = "3H 4D 4C"
    assert refusals(table, "7S", "3H 4D") == []
    assert refusals(table, "7S", "3H 4C") == []
    assert refusals(table, "7S", table) == ["CAPTURE_NOT_VALID"]


def finished(piles: list[tuple[str, ...]], last_capturer: int | None = 0) -> State:
    seats = len(piles)
    return State(0, None, ((),) * seats, (), (), tuple(piles), (0,) * seats, (0,) * seats, last_capturer)


def test_TN_E8_a_deal_of_sixteen_to_eight() -> None:  # noqa: N802
    first = ["AS", "AH", "KS", "KD", "KC", "QS", "QH", "10D", "10S", "2S"]
    second = ["AD", "AC", "KH", "QC", "10H", "10C", "2D", "2C"]
    # the rest of the pack scores nothing: A's last card is laid, and he takes QD and 2H as the last capturer
    rest = without(PACK, [*first, *second, "QD", "2H"])
    state = State(
        1, 0, (("2H",), ()), ("QD",), (), ((*first, *rest), tuple(second)), (0, 0), (0, 0), last_capturer=0
    )  # fmt: skip
    move, rules = Play("2H"), Rules(1)
    effects = tablanet.play(rules, state, 0, move, SeededChance(0))
    lines = tablanet.score(rules, tablanet.evolve(state, 0, move, effects))
    assert lines[0] == dict.fromkeys(tablanet.LINES, 0) | {
        "aces": 2, "kings": 3, "queens": 3, "ten_of_diamonds": 2, "tens": 1, "twos": 2, "bonus": 3,
    }  # fmt: skip
    assert [sum(line.values()) for line in lines] == [16, 8]


def test_TN_E9_a_shared_most_pays_nobody() -> None:  # noqa: N802
    piles = [
        ("AS", "AH", "AD", "AC", "KS", "KH", "KD", "KC"),
        ("QS", "QH", "QD", "QC", "10D", "10S", "10H"),
        ("10C", "2S", "2H", "2D", "2C"),
    ]
    lines = tablanet.score(Rules(1), finished(piles))
    assert [sum(line.values()) for line in lines] == [8, 8, 5]
    lines = tablanet.score(Rules(1, deal_bonus_tie="all"), finished(piles))
    assert [sum(line.values()) for line in lines] == [8 + DEAL_BONUS, 8 + DEAL_BONUS, 5]


def test_TN_E10_both_past_the_target() -> None:  # noqa: N802
    assert winners((240 + 16, 245 + 8), 251) == (0,)
    assert winners((237 + 16, 245 + 8), 251) == ()


class Middle(SeededChance):
    """Puts whatever goes into the middle directly under the top card."""

    def below(self, count: int) -> int:
        return 0


def test_TN_E11_jacks_leave_the_opening_table() -> None:  # noqa: N802
    top = ("JS", "5D", "JH", "9C", "3S", "JD", "8H")
    others = without(PACK, top)
    layout = tablanet.lay_out(Rules(1), 2, 0, others[:12] + top + others[12:], Middle(0))
    assert layout.table == ("5D", "9C", "3S", "8H")
    assert layout.opening == Opening(turned=top, set_aside=("JS", "JH", "JD"))
    assert len(layout.stock) == 36
    assert layout.stock[-1] == "JS"
    assert layout.stock == (others[12], "JD", "JH", *others[13:], "JS")
    assert isinstance(layout, Layout)


def test_TN_E12_three_refusals() -> None:  # noqa: N802
    table = "7D 3C"
    assert refusals(table, "7S", "7D 7D") == ["DUPLICATE_CAPTURE"]
    assert refusals(table, "7H", "7D", held="7S") == ["CARD_NOT_IN_HAND"]
    assert refusals(table, "7S", "7C") == ["CARD_NOT_ON_TABLE"]
