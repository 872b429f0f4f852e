"""The worked examples of Tabu (rules 2.6), and cases known from other programs."""
# ruff: noqa: N802 - tests bear the names of clauses

from referee.rules import tabu
from referee.rules.tabu import DRAW, KEEP, PASS, Play, State
from referee.rules.target import winners
from tests.rules.tabu_table import RULES, at, cards, make, points, refusal


def test_TB_E1_a_card_takes_its_whole_rank() -> None:
    table = at("7S KD 3C|8C", "7C 7D KS 2H", "4S 6D 8H")
    sevens, after = make(table, Play("7S"))
    assert sevens.captured == cards("7C 7D 7S")
    assert sevens.turned == cards("4S 6D")
    assert sorted(after.row) == sorted(cards("KS 2H 4S 6D"))
    assert points(after)[0] == 0 - 12  # KD still in hand
    kings, after = make(table, Play("KD"))
    assert kings.captured == cards("KD KS")
    assert kings.turned == cards("4S")
    assert points(after)[0] == 24
    assert refusal(table, Play("3C")) == ["NO_MATCH TB-6"]
    assert refusal(table, DRAW) == ["DRAW_NOT_ALLOWED TB-7", "MUST_PLAY TB-7"]


def test_TB_E2_a_drawn_card_is_played_if_it_can_be() -> None:
    _, king = make(at("5S 9D QC 3H|8C", "7C 7D KS 2H", "KH 4S"), DRAW)
    assert (king.turn, king.drawn) == (0, "KH")
    assert list(tabu.legal_moves(RULES, king)) == [Play("KH")]
    assert refusal(king, KEEP) == ["MUST_PLAY TB-8", "DRAW_NOT_ALLOWED TB-8"]
    taken, after = make(king, Play("KH"))
    assert taken.captured == cards("KH KS")
    assert points(after)[0] == 24 - 11  # QC still in hand
    kept, after = make(at("5S 9D QC 3H|8C", "7C 7D KS 2H", "4S KH"), DRAW)
    assert (kept.drawn, kept.next) == ("4S", 1)
    assert after.hands[0] == cards("5S 9D QC 3H 4S")
    assert after.drawn is None


def test_TB_E3_a_jack_clears_the_row_and_imposes_a_draw() -> None:
    table = at("JS 5S 9D|8C", "7C 7D KS 2H", "4S 6D 8H 9H AC QD")
    jack, after = make(table, Play("JS"))
    assert jack.forced_draw == "pending"
    assert sorted(after.discard) == sorted(cards("7C 7D KS 2H JS"))
    assert after.row == cards("4S 6D 8H 9H")
    assert after.captured == ((), ())
    assert list(tabu.legal_moves(RULES, after)) == [DRAW]
    assert refusal(after, Play("8C"), seat=1) == ["FORCED_DRAW_PENDING TB-10"]
    drawn, after = make(after, DRAW)
    assert (drawn.forced, drawn.drawn, drawn.next) == (True, "AC", 1)
    assert after.reserve == cards("QD")
    assert list(tabu.legal_moves(RULES, after)) == [Play("8C")]


def test_TB_E4_a_joker_brings_everybody_a_card() -> None:
    joker, after = make(at("X 5S|8C 9C|AC", "7C 7D KS 2H", "4S 6D 8H 9H"), Play("X"))
    assert joker.draws == ((1, "4S"), (2, "6D"), (0, "8H"))
    assert [len(hand) for hand in after.hands] == [2, 3, 2]
    assert (after.reserve, after.discard, after.row) == (cards("9H"), ("X",), cards("7C 7D KS 2H"))
    assert (after.turn, after.forced) == (1, False)


def test_TB_E5_a_jack_turned_in_a_refill_goes_back() -> None:
    refill, after = make(at("QS AD|8C", "7C QD KS 2H", "JC 5D 9S"), Play("QS"), "JC 9S")
    assert (refill.turned, refill.set_aside) == (cards("JC 5D"), cards("JC"))
    assert after.row == cards("7C KS 2H 5D")
    assert refill.reserve_after == after.reserve == cards("JC 9S")


def test_TB_E6_a_last_joker_or_jack_ends_the_deal_at_once() -> None:
    for card in ("X", "JS"):
        last, after = make(at(f"{card}|8C KC", "7C 7D KS 2H", "4S 6D 8H 9H AC"), Play(card))
        assert (last.end, last.out, last.next) == ("went_out", 0, None)
        assert (last.draws, last.turned, last.forced_draw) == ((), (), None)
        assert after.hands == ((), cards("8C KC"))
        assert after.reserve == cards("4S 6D 8H 9H AC")
        assert points(after) == [0, -12]


def test_TB_E7_hands_count_against_those_who_did_not_go_out() -> None:
    hands = ((), cards("KH 5C JD"), cards("AD QS"))
    captured = (cards("KS KD QC"), cards("QD QH AC"), ())
    state = State(2, None, hands, (), (), (), captured, out=0)
    assert points(state) == [35, 23 - 12, 0 - 12]
    assert tabu.score(RULES, state)[1] == {"captured": 23, "in_hand": -12}


def test_TB_E8_the_reserve_is_renewed_among_the_draws() -> None:
    discard = "2C 3C 4C 5C 6C 2D 3D 4D 5D JH"
    order = "6C X 2C 3C 4C 5C 2D 3D 4D 5D JH"
    joker, after = make(at("X 5S|8C|AC", "7C 7D KS 2H", "4S 6D", discard), Play("X"), order)
    assert joker.draws == ((1, "4S"), (2, "6D"), (0, "6C"))
    assert joker.renewed == (cards(order),)
    assert (len(after.reserve), after.discard) == (10, ())


def test_TB_E9_a_barren_renewal_blocks_the_deal() -> None:
    table = at("JS 3C|4C KD", "7C 8D 9S 2H", "", "5C", captured=(cards("QS QD"), cards("AS AD")), barren=1, turn=1)
    blocked, after = make(table, DRAW)
    assert (blocked.drawn, blocked.end, blocked.next, blocked.out) == (None, "blocked", None, None)
    assert points(after) == [22, 2 - 12]


def test_TB_E10_the_target_is_looked_at_after_the_deal() -> None:
    assert winners([95 + 12, 97 + 8], 100) == (0,)
    assert winners([95 + 10, 97 + 8], 100) == ()


def test_TB_E11_two_packs_may_give_three_of_a_rank() -> None:
    table = at("9H 2C|3C|4C|5C|6C", "9C 9C 9D 4S", "KH KD KC QS")
    nines, after = make(table, Play("9H"))
    assert nines.captured == cards("9C 9C 9D 9H")
    assert after.row == cards("4S KH KD KC")


def test_C011_a_deal_may_score_below_zero() -> None:
    state = State(1, None, ((), cards("KH QC")), (), (), (), ((), cards("KS")), out=0)
    assert points(state) == [0, 12 - 23]


def test_C047_an_equal_highest_wins_nothing_yet() -> None:
    assert winners([104, 104], 100) == ()
    assert winners([104, 103], 100) == (0,)


def test_C048_the_target_itself_is_enough() -> None:
    assert [winners([total, 12], 100) for total in (99, 100, 101)] == [(), (0,), (0,)]


def test_C073_the_discard_is_renewed_when_a_card_is_needed() -> None:
    # the jack's draw takes the only card, the draw in place of a play needs the nine discarded ones
    order = "KD 5D 3C 4C 5C 6C 2D 3D 4D"
    table = at("8C|9C", "7C 7D KS 2H", "5S", "3C 4C 5C 6C 2D 3D 4D 5D KD", forced=True)
    first, table = make(table, DRAW)
    assert (first.drawn, first.renewed, table.reserve) == ("5S", (), ())
    second, table = make(table, DRAW, order)
    assert (second.drawn, second.renewed) == ("KD", (cards(order),))
    assert (len(table.reserve), table.discard, table.drawn) == (8, (), "KD")


def test_C073_with_nothing_to_draw_passes_end_the_deal() -> None:
    table = at("8C|9C", "7C 7D KS 2H")
    assert refusal(table, DRAW) == ["NOTHING_TO_DRAW TB-13"]
    first, table = make(table, PASS)
    assert (first.next, first.end) == (1, None)
    second, table = make(table, PASS)
    assert (second.next, second.end, second.out) == (None, "blocked", None)


def test_the_endless_position_ends() -> None:
    """Rules 2.5: every move is forced and the position comes back; the second renewal without a capture ends it."""
    table = at("JS 3C 5D|4C 6D", "7C 8D 9S 2H")
    _, table = make(table, Play("JS"), "7C 8D 9S 2H JS")
    _, table = make(table, DRAW)
    assert list(tabu.legal_moves(RULES, table)) == [Play("JS")]
    end, table = make(table, Play("JS"))
    assert (end.end, end.renewed, end.turned, table.turn) == ("blocked", (), (), None)
