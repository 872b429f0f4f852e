"""Sabo: the worked examples of the rules, the house rules on penalties and ties, and cases from practice."""

import msgspec
import pytest

from referee.rules import sabo
from referee.rules.sabo import Layout, Rules, penalise
from referee.rules.target import winners
from referee.rules.verdict import Violation
from tests.rules.sabo_table import at, cards, codes, legal, refused, run

FOLLOW = ("MUST_FOLLOW_SUIT", "SB-7")
NOT_LOWEST = ("NOT_LOWEST_OF_SUIT", "SB-8")
NO_SABO = ("SABO_NOT_ALLOWED", "SB-7")


def test_SB_E1_ace_is_high_and_king_low() -> None:  # noqa: N802
    effects, _ = run(at("5H", "2H", "AH", "KH"), "5H", "2H", "AH", "KH")
    assert effects.winner == 2


@pytest.mark.parametrize(
    ("order", "winner"),
    [("suit_first", 1), ("rank_first", 0), ("led_suit_only", 0), ("equal_rank_overtakes", 0)],
)
def test_SB_E2_lowest_club_beats_highest_spade(order: str, winner: int) -> None:  # noqa: N802
    rules = msgspec.convert({"trick_order": order}, Rules)
    effects, _ = run(at("AS", "KC", "QS", "7S"), "AS", "KC", "QS", "7S", rules=rules)
    assert effects.winner == winner


def test_SB_E3_three_options_of_a_void_player() -> None:  # noqa: N802
    state = at("", "QS 5S AH 7C 3C", sabo=((), ("4H", "4S")), played="2D", turn=1)
    assert legal(state) == {"QS", "AH", "7C", "3C", 0, 1}
    assert codes(refused(state, 1, "5S")) == [NOT_LOWEST]
    assert legal(state, Rules(discard_low="overall")) == {"QS", "7C", "3C", 0, 1}
    assert refused(state, 1, "AH", Rules(discard_low="overall")) == [
        Violation("NOT_LOWEST_OF_SUIT", "SB-8", {"card": "AH", "led": "D", "lowest": ("QS",)})
    ]
    assert legal(state, Rules(discard_low="any")) == {"QS", "5S", "AH", "7C", "3C", 0, 1}


def test_SB_E4_must_follow() -> None:  # noqa: N802
    state = at("", "JH 9C", sabo=((), ("4S",)), played="2H", turn=1)
    assert legal(state) == {"JH"}
    assert codes(refused(state, 1, 0)) == [NO_SABO, FOLLOW]
    assert codes(refused(state, 1, "9C")) == [FOLLOW]


@pytest.mark.parametrize(("last", "winner"), [("KC", 3), ("QH", 1)])
def test_SB_E5_sabo_of_the_led_suit_counts(last: str, winner: int) -> None:  # noqa: N802
    state = at("4D", "5S", "3D", last, sabo=((), ("2D",), (), ()))
    effects, after = run(state, "4D", 0, "3D", last)
    assert effects.winner == winner
    assert after.tricks[winner] == 1


def test_SB_E6_clubs_led_lowest_of_each_suit_only() -> None:  # noqa: N802
    state = at("", "7S 3S KD 9H", sabo=((), (None, None)), played="2C", turn=1)
    assert legal(state) == {"7S", "KD", "9H"}
    assert refused(state, 1, "3S") == [
        Violation("NOT_LOWEST_OF_SUIT", "SB-8", {"card": "3S", "led": "C", "lowest": ("7S",)})
    ]
    assert refused(state, 1, 0)[0].code == "SABO_POSITION_EMPTY"


def test_SB_E7_empty_hand_plays_sabo() -> None:  # noqa: N802
    leads = at("", "3D", sabo=(("4S", "9H"), ()))
    assert legal(leads) == legal(leads, Rules(lead_from_sabo="empty_hand_only")) == {0, 1}
    assert codes(refused(leads, 0, "3D")) == [("CARD_NOT_IN_HAND", "SB-6"), ("MUST_LEAD_SABO", "SB-6")]
    follows = at("", "", sabo=((), (None, "4S")), played="9H", turn=1)
    assert legal(follows) == {1}
    assert codes(refused(follows, 1, "4S")) == [("CARD_NOT_IN_HAND", "SB-6")]


def test_SB_E8_five_players_hold_eight_and_two() -> None:  # noqa: N802
    pack = sabo.pack(Rules(), 5)
    assert len(pack) == 50
    layout = Layout(tuple(pack[n : n + 8] for n in range(0, 40, 8)), tuple(pack[n : n + 2] for n in range(40, 50, 2)))
    assert sabo.check_layout(Rules(), 5, layout) == ()
    ten = Layout(tuple(pack[n : n + 10] for n in range(0, 50, 10)), layout.sabo)
    assert codes(sabo.check_layout(Rules(), 5, ten)) == [("DEAL_SIZES", "SB-3"), ("PACK_MISMATCH", "SB-2")]
    assert sabo.most(Rules(), 5) == 10


def test_SB_E9_two_players() -> None:  # noqa: N802
    clubs_led = at("", "KD 6D AD", sabo=((), ("7C",)), played="2C", turn=1)
    assert legal(clubs_led) == {"KD", 0}
    state = at("QD", "KC 3C")
    effects, state = run(state, "QD")
    assert (effects.led, legal(state)) == ("D", {"KC", "3C"})
    effects, _ = run(state, "KC")
    assert effects.winner == 1


def test_SB_E10_highest_total_past_the_target_wins() -> None:  # noqa: N802
    totals = [before + deal for before, deal in zip((48, 47, 30, 20), (3, 6, 2, 2), strict=True)]
    assert totals == [51, 53, 32, 22]
    assert winners(totals, Rules().target, Rules().tie) == (1,)
    assert winners([51, 51, 32, 22], Rules().target, Rules().tie) == ()


@pytest.mark.parametrize(
    ("order", "winner"), [("suit_first", 3), ("led_suit_only", 2), ("equal_rank_overtakes", 3), ("rank_first", 2)]
)
def test_SB_E11_one_trick_under_every_order(order: str, winner: int) -> None:  # noqa: N802
    trick = cards("7S 7H 5S 7C")
    assert sabo.TRICK_ORDERS[order](trick) == winner
    # without the 7C it shows that the 5S, higher in its suit than the 7S, no longer compares with the 7H
    assert sabo.equal_rank_overtakes(trick[:3]) == 1


LINES = ({"tricks": 5, "penalty": 0}, {"tricks": 2, "penalty": 0}, {"tricks": 6, "penalty": 0})


def test_revoke_penalty_one() -> None:
    # One fault of seat 0 costs one of its five tricks: 4, 2, 6. Nobody gains, so the deal pays 12 of its 13 points.
    one = penalise(Rules(revoke_penalty="one"), LINES, (1, 0, 0))
    assert [sum(line.values()) for line in one] == [4, 2, 6]
    assert one[0] == {"tricks": 5, "penalty": -1}
    # Two plays at fault are two faults, by different seats or by one: 5 - 2 = 3 and 6 - 1 = 5.
    two = penalise(Rules(revoke_penalty="one"), LINES, (2, 0, 1))
    assert [sum(line.values()) for line in two] == [3, 2, 5]


def test_revoke_penalty_three() -> None:
    # One fault of seat 2 costs three of its six: 3.
    three = penalise(Rules(revoke_penalty="three"), LINES, (0, 0, 1))
    assert [sum(line.values()) for line in three] == [5, 2, 3]
    # Seat 1 has only two tricks to lose: 2 - 3 stops at 0. Seat 0 with two faults: 5 - 6 stops at 0 too.
    floored = penalise(Rules(revoke_penalty="three"), LINES, (2, 1, 0))
    assert [sum(line.values()) for line in floored] == [0, 0, 6]


def test_revoke_penalty_none() -> None:
    assert penalise(Rules(), LINES, (1, 3, 2)) == LINES


def test_tie_another_deal() -> None:
    # 52 and 52 share the top: nobody has won. The next deal, 3 and 4, brings 55 and 56: the second player wins.
    rules = Rules(tie="another_deal")
    assert winners((52, 52, 40), rules.target, rules.tie) == ()
    assert winners((55, 56, 46), rules.target, rules.tie) == (1,)


def test_tie_shared() -> None:
    # 52 and 52 share the top: both win. 49 and 49 share a top below the target: play goes on.
    rules = Rules(tie="shared")
    assert winners((52, 52, 40), rules.target, rules.tie) == (0, 1)
    assert winners((49, 49, 40), rules.target, rules.tie) == ()


def test_C047_tie_above_the_target() -> None:  # noqa: N802
    assert winners((52, 52), Rules().target, Rules().tie) == ()
    assert winners((52, 52), Rules().target, "shared") == (0, 1)
    assert winners((52, 51), Rules().target, Rules().tie) == (0,)


@pytest.mark.parametrize(("total", "won"), [(49, ()), (50, (0,)), (51, (0,))])
def test_C048_exactly_on_the_target(total: int, won: tuple[int, ...]) -> None:  # noqa: N802
    assert winners((total, 12), Rules().target, Rules().tie) == won


def test_C071_following_is_checked_against_the_suit_led() -> None:  # noqa: N802
    state = at("7D", "4D KD 2C", "QS 5S AH 3C", sabo=((), ("9D",), ("8D",)))
    _, state = run(state, "7D")
    assert legal(state) == {"4D", "KD"}
    assert refused(state, 1, "2C") == [Violation("MUST_FOLLOW_SUIT", "SB-7", {"led": "D", "cards": ("4D", "KD")})]
    _, state = run(state, "4D")
    assert legal(state) == {"QS", "AH", "3C", 0}


def test_C071_a_new_deal_remembers_nothing() -> None:  # noqa: N802
    pack = sabo.pack(Rules(), 2)
    layout = Layout((pack[:8], pack[8:16]), (pack[16:21], pack[21:]))
    state = sabo.start(0, layout)
    assert legal(state) == {*pack[8:16], 0, 1, 2, 3, 4}
    assert (state.led, state.played, state.taken, state.tricks, state.trick) == (None, (), (), (0, 0), 1)
