"""Clauses of Tabu that no worked example holds: one test fails for each rule that is taken away."""
# ruff: noqa: N802 - tests bear the names of clauses

import msgspec
import pytest

from referee.rules import tabu
from referee.rules.cards import EVERYTHING, HIDDEN, PUBLIC, Sight, without
from referee.rules.chance import Told
from referee.rules.tabu import DRAW, KEEP, PASS, Effects, Layout, Opening, Play, Rules
from tests.rules.tabu_table import RULES, Shuffler, at, cards, make, points, refusal

TWO_PLAYERS = Layout(
    hands=(cards("QC 10C 2S 6D JC"), cards("8S 2D 5C 8C KH")),
    row=cards("4C AS 6C 8H"),
    reserve=without(tabu.ONE_PACK, cards("QC 10C 2S 6D JC 8S 2D 5C 8C KH 4C AS 6C 8H")),
)


def codes(layout: Layout, seats: int = 2, rules: Rules = RULES) -> list[str]:
    return [f"{found.code} {found.clause}" for found in tabu.check_layout(rules, seats, layout)]


def test_TB_1_two_players_or_more() -> None:
    assert [tabu.agree(RULES, seats) == () for seats in (1, 2, 20, 21)] == [False, True, True, False]
    (refused,) = tabu.agree(RULES, 21)
    assert (refused.code, refused.clause) == ("PLAYER_COUNT", "TB-1")
    assert refused.params == {"players": 21, "least": 2, "most": 20}


def test_TB_1_five_players_take_two_packs() -> None:
    assert [len(tabu.pack(RULES, seats)) for seats in (2, 4, 5, 20)] == [54, 54, 108, 108]
    assert tabu.pack(RULES, 2).count("X") == 2
    assert tabu.pack(RULES, 5).count("KS") == 2


def test_TB_3_layouts_that_cannot_be() -> None:
    good = TWO_PLAYERS
    assert codes(good) == []
    hand, other = good.hands
    assert codes(msgspec.structs.replace(good, hands=(hand[1:], other), reserve=(hand[0], *good.reserve))) == [
        "DEAL_SIZES TB-3"
    ]
    short = msgspec.structs.replace(good, row=good.row[1:], reserve=(good.row[0], *good.reserve))
    assert codes(short) == ["DEAL_SIZES TB-3"]
    assert codes(good, seats=3) == ["DEAL_SIZES TB-3"]
    long = msgspec.structs.replace(good, row=(*good.row, "AH"), reserve=without(good.reserve, ["AH"]))
    assert codes(long) == ["DEAL_SIZES TB-3"]
    assert codes(msgspec.structs.replace(good, reserve=good.reserve[1:])) == ["PACK_MISMATCH TB-1"]
    assert codes(good, rules=Rules(target=100, packs=2)) == ["PACK_MISMATCH TB-1"]
    unseen = msgspec.structs.replace(good, row=(*good.row[:3], HIDDEN), reserve=(*good.reserve[1:], HIDDEN))
    assert codes(unseen) == ["PACK_MISMATCH TB-1"]


def test_TB_4_no_jack_or_joker_lies_in_the_row() -> None:
    place = TWO_PLAYERS.reserve.index("JH")
    swapped = msgspec.structs.replace(
        TWO_PLAYERS,
        row=("JH", *TWO_PLAYERS.row[1:]),
        reserve=(*TWO_PLAYERS.reserve[:place], TWO_PLAYERS.row[0], *TWO_PLAYERS.reserve[place + 1 :]),
    )
    assert codes(swapped) == ["SPECIAL_IN_ROW TB-4"]


def test_TB_4_set_aside_cards_return_when_the_row_stands() -> None:
    pack = (*TWO_PLAYERS.hands[0], *TWO_PLAYERS.hands[1], *cards("X JH 4C AS X 6C 8H"))
    rest = without(tabu.ONE_PACK, pack)
    told = Told([(*rest, "X", "JH", "X")])
    layout = tabu.lay_out(RULES, 2, 1, (*pack, *rest), told)
    assert layout.row == cards("4C AS 6C 8H")
    assert layout.opening == Opening(cards("X JH 4C AS X 6C 8H"), cards("X JH X"))
    assert layout.reserve[-3:] == ("X", "JH", "X")
    assert codes(layout) == []


def test_TB_12_a_row_is_short_when_only_jacks_and_jokers_are_left_to_turn() -> None:
    special = cards("JS JH JD JC X X")
    rules = Rules(target=100, packs=1)
    ordinary = without(tabu.ONE_PACK, special)
    # ten players hold fifty of the 54 cards; of the last four two are jokers
    pack = (*ordinary[:46], *special[:4], *ordinary[46:48], *special[4:])
    layout = tabu.lay_out(rules, 10, 0, pack, Shuffler(1))
    assert sorted(layout.row) == sorted(ordinary[46:48])
    assert layout.reserve == ("X", "X")
    assert codes(layout, 10, rules) == []
    state = tabu.start(0, layout)
    assert sorted(tabu.held(state)) == sorted(tabu.ONE_PACK)


def test_TB_5_left_of_the_dealer_starts_and_turns_go_clockwise() -> None:
    assert tabu.start(0, TWO_PLAYERS).turn == 1
    assert tabu.start(1, TWO_PLAYERS).turn == 0
    table = at("7S 2S|8C|7H", "7C 2D KS 8H", "4S 6D 8H 9H")
    assert refusal(table, Play("7H"), seat=2) == ["NOT_YOUR_TURN TB-5"]
    assert refusal(table, DRAW, seat=1) == ["NOT_YOUR_TURN TB-5"]
    assert refusal(table, PASS, seat=1) == ["NOT_YOUR_TURN TB-5"]
    assert refusal(table, Play("3H"), seat=2) == ["NOT_YOUR_TURN TB-5", "CARD_NOT_IN_HAND TB-7", "NO_MATCH TB-6"]
    assert make(table, Play("7S"))[1].turn == 1


def test_TB_6_suit_and_sums_never_matter() -> None:
    table = at("5D 9D JS X|8C", "2D 3D 4S 7C", "4C 6D 8H 9H 10H")
    assert refusal(table, Play("5D")) == ["NO_MATCH TB-6"]
    assert refusal(table, Play("9D")) == ["NO_MATCH TB-6"]
    assert list(tabu.legal_moves(RULES, table)) == [Play("JS"), Play("X")]


def test_TB_7_a_jack_or_joker_forbids_drawing_too() -> None:
    for card in ("JS", "X"):
        table = at(f"{card} 5D|8C", "2D 3D 4S 7C", "4C 6D")
        assert refusal(table, DRAW) == ["DRAW_NOT_ALLOWED TB-7", "MUST_PLAY TB-7"]
        assert refusal(table, PASS) == ["MUST_PLAY TB-7"]
        assert refusal(table, KEEP) == ["MUST_PLAY TB-7"]


def test_TB_7_a_card_of_two_packs_is_offered_once_and_needs_to_be_held() -> None:
    table = at("7S 7S|8C", "7C 2D KS 8H", "4S 6D")
    assert list(tabu.legal_moves(RULES, table)) == [Play("7S")]
    assert list(tabu.legal_moves(RULES, table, "7S")) == [Play("7S")]
    assert list(tabu.legal_moves(RULES, table, "8C")) == []
    assert refusal(table, Play("7D")) == ["CARD_NOT_IN_HAND TB-7"]
    assert make(table, Play("7S"))[1].hands[0] == ("7S",)
    assert refusal(table, Play(HIDDEN)) == ["CARD_NOT_IN_HAND TB-7", "NO_MATCH TB-6"]


def test_TB_8_exactly_one_card_is_drawn() -> None:
    table = at("5D|8C", "2D 3D 4S 7C", "7H 7S")
    assert refusal(table, PASS) == ["MUST_DRAW TB-8"]
    assert refusal(table, KEEP) == ["MUST_DRAW TB-8"]
    assert list(tabu.legal_moves(RULES, table, "5D")) == []
    _, drawn = make(table, DRAW)
    assert drawn.reserve == ("7S",)
    assert refusal(drawn, DRAW) == ["DRAW_NOT_ALLOWED TB-8", "MUST_PLAY TB-8"]
    assert refusal(drawn, PASS) == ["MUST_PLAY TB-8"]
    assert refusal(drawn, Play("5D")) == ["NO_MATCH TB-6", "MUST_PLAY TB-8"]


def test_TB_10_a_draw_follows_the_forced_one_if_there_is_still_no_play() -> None:
    table = at("5D|8C", "2D 3D 4S 7C", "KH 7S 6H", forced=True)
    assert refusal(table, PASS) == ["FORCED_DRAW_PENDING TB-10"]
    assert refusal(table, KEEP) == ["FORCED_DRAW_PENDING TB-10"]
    assert refusal(table, Play("5D")) == ["FORCED_DRAW_PENDING TB-10", "NO_MATCH TB-6"]
    assert list(tabu.legal_moves(RULES, table, "5D")) == []
    _, table = make(table, DRAW)
    assert (table.turn, table.forced, table.drawn) == (0, False, None)
    second, table = make(table, DRAW)
    assert (second.forced, second.drawn, table.drawn, table.turn) == (False, "7S", "7S", 0)


def test_TB_10_a_playable_forced_card_is_one_among_the_hand() -> None:
    _, table = make(at("7C 5D|8C", "2D 3D 4S 7D", "4H", forced=True), DRAW)
    assert list(tabu.legal_moves(RULES, table)) == [Play("7C"), Play("4H")]


def test_TB_10_a_forced_draw_lapses_when_nothing_can_be_drawn() -> None:
    assert list(tabu.legal_moves(RULES, at("5D|8C", "2D 3D", forced=True))) == [PASS]
    table = at("2C 5D|8C", "2D 3D", forced=True)
    assert refusal(table, DRAW) == ["DRAW_NOT_ALLOWED TB-7", "MUST_PLAY TB-7", "NOTHING_TO_DRAW TB-13"]
    assert make(table, Play("2C"))[1].forced is False


def test_TB_12_a_refill_that_finds_only_specials_leaves_a_short_row() -> None:
    refill, after = make(at("7S 5D|8C", "7C 2D KS 8H", "JS X"), Play("7S"), "X JS")
    assert (refill.turned, refill.set_aside, refill.end) == (cards("JS X"), cards("JS X"), None)
    assert after.row == cards("2D KS 8H")
    assert after.reserve == cards("X JS")


def test_TB_12_a_short_row_is_filled_up_at_the_next_match() -> None:
    _, after = make(at("7S 5D|8C", "7C KS", "2C 3C 4C 6C"), Play("7S"))
    assert after.row == cards("KS 2C 3C 4C")


def test_TB_13_a_refill_renews_in_its_middle_and_shuffles_the_specials_in_at_the_end() -> None:
    table = at("JS 5D|8C", "7C 2D KS 8H", "4S X", "3C 3D")
    told = ("JS 8H KS 3C 2D 7C 3D", "X 7C JS 3D 2D")
    jack, after = make(table, Play("JS"), *told)
    assert jack.turned == cards("4S X JS 8H KS 3C")
    assert jack.set_aside == cards("X JS")
    assert tabu.outcomes(jack) == tuple(cards(order) for order in told)
    assert after.row == cards("4S 8H KS 3C")
    assert (after.reserve, after.discard, after.barren) == (cards(told[1]), (), 1)


def test_TB_13_the_discard_is_renewed_only_when_a_card_is_needed() -> None:
    _, after = make(at("7S 5D|8C", "7C 2D KS 8H", "4S", "3C 3D"), Play("7S"))
    assert (after.reserve, after.discard, after.barren) == ((), cards("3C 3D"), 0)


def test_TB_13_a_joker_draw_that_cannot_be_served_is_skipped() -> None:
    joker, after = make(at("X 5S|8C|AC", "7C 7D KS 2H", ""), Play("X"), "X")
    assert joker.draws == ((1, "X"),)
    assert (joker.end, after.turn, after.hands[2]) == (None, 1, ("AC",))


def test_TB_14_the_last_capture_counts_and_nothing_else_happens() -> None:
    last, after = make(at("KD|8C QH", "KC 7D KS 2H", "4S 6D"), Play("KD"))
    assert (last.end, last.out, last.turned) == ("went_out", 0, ())
    assert points(after) == [36, -11]
    assert refusal(after, Play("8C"), seat=1) == ["DEAL_OVER TB-14"]
    assert list(tabu.legal_moves(RULES, after)) == []


def test_TB_15a_a_refill_is_blocked_in_its_middle() -> None:
    jack, after = make(at("JS 5D|8C", "7C 2D KS 8H", "4S X", "3C", barren=1), Play("JS"), "X")
    assert (jack.end, jack.next, jack.forced_draw) == ("blocked", None, None)
    assert (jack.turned, jack.reserve_after) == (cards("4S X"), ("X",))
    assert refusal(after, DRAW, seat=1) == ["DEAL_OVER TB-15"]


def test_TB_15a_the_draws_of_a_joker_are_blocked_in_their_middle() -> None:
    joker, after = make(at("X 5D|8C|AC", "7C 2D KS 8H", "4S", "3C", barren=1), Play("X"))
    assert (joker.draws, joker.end, joker.out) == (((1, "4S"),), "blocked", None)
    assert after.hands == (cards("5D"), cards("8C 4S"), cards("AC"))


def test_TB_15a_a_capture_allows_the_next_renewal_but_not_two() -> None:
    # the capture itself comes before the refill that renews
    match, after = make(at("7S 5D|8C", "7C 2D KS 8H", "", "3C 3D", barren=1), Play("7S"), "3D 3C")
    assert (match.end, after.row, after.barren) == (None, cards("2D KS 8H 3D"), 1)
    match, after = make(at("7S 5D|8C", "7C 2D KS 8H", "4H", "3C 3D", barren=1), Play("7S"))
    assert after.barren == 0
    assert make(after, Play("8C"))[0].end == "went_out"


def test_TB_15a_the_first_renewal_needs_no_capture() -> None:
    drawn, after = make(at("5D|8C", "2D 3D 4S 7C", "", "9C 9D"), DRAW, "9C 9D")
    assert (drawn.end, after.barren) == (None, 1)


def test_TB_15b_only_a_whole_round_of_passes_ends_the_deal() -> None:
    table = at("8C|9C 7H|10C", "7C 7D KS 2H", turn=2)
    _, table = make(table, PASS)
    _, table = make(table, PASS)
    assert (table.turn, table.passes) == (1, 2)
    _, table = make(table, Play("7H"))
    assert table.passes == 0
    for seat in (2, 0):
        assert table.turn == seat
        _, table = make(table, PASS)
    end, _ = make(table, PASS)
    assert end == Effects(None, end="blocked")


@pytest.mark.parametrize(("seats", "points_held"), [(2, 96), (4, 96), (5, 192)])
def test_TB_16_card_points(seats: int, points_held: int) -> None:
    assert tabu.most(RULES, seats) == points_held
    assert [tabu.POINTS[card] for card in cards("KS QD AC JH 10C 2D X")] == [12, 11, 1, 0, 0, 0, 0]


def test_TB_17_row_reserve_and_discard_belong_to_nobody() -> None:
    state = at("|QS", "KS", "KD", "KH", captured=(cards("AC"), cards("KC")), turn=None, out=0)
    assert points(state) == [1, 1]


def test_TB_18_any_positive_target_must_be_stated() -> None:
    for text in (b"{}", b'{"target":0}', b'{"target":"100"}', b'{"target":100,"sums":true}'):
        with pytest.raises(msgspec.ValidationError):
            msgspec.json.decode(text, type=Rules)
    assert msgspec.json.decode(b'{"target":1}', type=Rules).target == 1
    for preset in tabu.PRESETS.values():
        assert tabu.agree(msgspec.convert(preset, Rules), 2) == ()


def test_hidden_cards_stay_hidden() -> None:
    state = at("7S 5D|8C 9C", "2D 3D 4S 7C", "7H JS", "3C", drawn="7S")
    own, other = tabu.hide_state(state, Sight(0)), tabu.hide_state(state, Sight(1))
    assert (own.hands, own.drawn) == ((cards("7S 5D"), (HIDDEN,) * 2), "7S")
    assert (other.hands, other.drawn) == (((HIDDEN,) * 2, cards("8C 9C")), HIDDEN)
    for seen in (own, other):
        assert (seen.row, seen.reserve, seen.discard) == (state.row, (HIDDEN,) * 2, state.discard)
    assert tabu.hide_state(state, EVERYTHING) == state
    effects = Effects(
        1, drawn="2C", set_aside=("X",), reserve_after=cards("X 9D"), renewed=(cards("8D"),), draws=((1, "KC"),)
    )
    facts = tabu.hide_effects(effects, 0, Sight(1))
    assert (facts.drawn, facts.draws, facts.set_aside) == (HIDDEN, ((1, "KC"),), ("X",))
    assert (facts.reserve_after, facts.renewed) == ((HIDDEN, HIDDEN), ((HIDDEN,),))
    assert tabu.hide_effects(effects, 0, Sight(0)).drawn == "2C"
    assert tabu.hide_effects(effects, 0, PUBLIC).draws == ((1, HIDDEN),)
    assert tabu.hide_effects(effects, 0, EVERYTHING) == effects
    assert tabu.hide_effects(Effects(1), 0, PUBLIC) == Effects(1)
    layout = msgspec.structs.replace(TWO_PLAYERS, opening=Opening(cards("JH 4C AS 6C 8H"), cards("JH")))
    seen_layout = tabu.hide_layout(layout, Sight(1))
    assert seen_layout.hands == ((HIDDEN,) * 5, layout.hands[1])
    assert (seen_layout.row, seen_layout.opening) == (layout.row, layout.opening)
    assert set(seen_layout.reserve) == {HIDDEN}
    assert tabu.hide_layout(layout, EVERYTHING) == layout
