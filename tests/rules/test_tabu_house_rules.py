"""House rules of Tabu (rules 2.4 and 6), each reading worked out by hand."""

from referee.rules import tabu
from referee.rules.tabu import DRAW, KEEP, PASS, Play, Rules
from referee.rules.target import winners
from tests.rules.tabu_table import RULES, Shuffler, at, cards, make, points, refusal


def test_must_play_matches_only_leaves_jacks_and_jokers_free() -> None:
    rules = Rules(target=100, must_play="matches_only")
    table = at("X 5D|8C", "2D 3D 4S 7C", "JH 6D 4C")
    assert list(tabu.legal_moves(rules, table)) == [Play("X"), DRAW]
    assert refusal(table, PASS, rules=rules) == ["MUST_PLAY TB-7"]
    # the jack drawn may be played or kept; the joker must wait for another turn
    _, jack = make(table, DRAW, rules=rules)
    assert list(tabu.legal_moves(rules, jack)) == [Play("JH"), KEEP]
    assert refusal(jack, Play("X"), rules=rules) == ["MUST_PLAY TB-8"]
    assert refusal(jack, DRAW, rules=rules) == ["DRAW_NOT_ALLOWED TB-8"]
    assert refusal(jack, PASS, rules=rules) == ["MUST_PLAY TB-8"]
    _, kept = make(jack, KEEP, rules=rules)
    assert (kept.turn, kept.drawn, kept.hands[0]) == (1, None, cards("X 5D JH"))
    # a match, in hand or drawn, is compulsory all the same
    assert refusal(at("X 2C|8C", "2D 3D", "JH"), DRAW, rules=rules) == ["DRAW_NOT_ALLOWED TB-7", "MUST_PLAY TB-7"]
    _, match = make(at("X 5D|8C", "2D 3D 4S 7C", "4C"), DRAW, rules=rules)
    assert list(tabu.legal_moves(rules, match)) == [Play("4C")]
    assert refusal(match, KEEP, rules=rules) == ["MUST_PLAY TB-8", "DRAW_NOT_ALLOWED TB-8"]


def test_must_play_matches_only_with_nothing_to_draw_plays_the_joker() -> None:
    rules = Rules(target=100, must_play="matches_only")
    table = at("X 5D|8C", "2D 3D 4S 7C")
    assert list(tabu.legal_moves(rules, table)) == [Play("X")]
    assert refusal(table, DRAW, rules=rules) == ["NOTHING_TO_DRAW TB-13"]


def test_must_play_free_always_allows_one_draw() -> None:
    rules = Rules(target=100, must_play="free")
    table = at("2C 5D|8C", "2D 3D 4S 7C", "4C 6D")
    assert list(tabu.legal_moves(rules, table)) == [Play("2C"), DRAW]
    _, drawn = make(table, DRAW, rules=rules)
    assert list(tabu.legal_moves(rules, drawn)) == [Play("4C"), KEEP]
    assert refusal(drawn, DRAW, rules=rules) == ["DRAW_NOT_ALLOWED TB-8"]
    assert make(drawn, KEEP, rules=rules)[1].turn == 1
    # a card that cannot be played ends the turn, whatever else is held
    assert make(at("2C 5D|8C", "2D 3D 4S 7C", "6D"), DRAW, rules=rules)[1].turn == 1


def test_must_play_strict_is_the_default() -> None:
    table = at("2C 5D|8C", "2D 3D 4S 7C", "4C")
    assert list(tabu.legal_moves(RULES, table)) == [Play("2C")]


def test_joker_draws_all_or_others() -> None:
    table = at("X 5S|8C 9C|AC", "7C 7D KS 2H", "4S 6D 8H 9H")
    assert make(table, Play("X"))[0].draws == ((1, "4S"), (2, "6D"), (0, "8H"))
    others, after = make(table, Play("X"), rules=Rules(target=100, joker_draws="others"))
    assert others.draws == ((1, "4S"), (2, "6D"))
    assert (after.hands[0], after.reserve, after.turn) == (("5S",), cards("8H 9H"), 1)


def test_last_joker_ends_the_deal_before_anybody_draws() -> None:
    table = at("X|8C KC", "7C 7D KS 2H", "4S 6D", captured=(cards("QS QD"), ()))
    last, after = make(table, Play("X"), rules=Rules(target=100, last_joker="ends"))
    assert (last.end, last.out, last.draws) == ("went_out", 0, ())
    assert points(after) == [22, -12]  # 11 + 11, and KC in hand


def test_last_joker_redraws_and_the_deal_goes_on() -> None:
    table = at("X|8C KC", "7C 7D KS 2H", "4S QD")
    joker, after = make(table, Play("X"), rules=Rules(target=100, last_joker="redraws"))
    # seat 1 draws first, the joker's player last: he holds QD and has not gone out
    assert (joker.draws, joker.end, joker.out) == (((1, "4S"), (0, "QD")), None, None)
    assert (after.turn, after.hands) == (1, (cards("QD"), cards("8C KC 4S")))


def test_last_joker_redraws_unless_only_the_others_draw() -> None:
    rules = Rules(target=100, last_joker="redraws", joker_draws="others")
    last, _ = make(at("X|8C KC", "7C 7D KS 2H", "4S QD"), Play("X"), rules=rules)
    assert (last.end, last.out, last.draws) == ("went_out", 0, ())


def test_last_joker_that_brings_no_card_is_the_last_card() -> None:
    # two draw before him, and only the joker itself comes back: one card for three players
    rules = Rules(target=100, last_joker="redraws")
    last, after = make(at("X|8C|KC", "7C 7D KS 2H"), Play("X"), "X", rules=rules)
    assert (last.draws, last.end, last.out) == (((1, "X"),), "went_out", 0)
    assert points(after) == [0, 0, -12]


def test_last_joker_redraws_but_a_last_jack_goes_out() -> None:
    last, _ = make(at("JS|8C", "7C 7D KS 2H", "4S"), Play("JS"), rules=Rules(target=100, last_joker="redraws"))
    assert (last.end, last.out) == ("went_out", 0)


def test_blocked_after_two_barren_renewals() -> None:
    rules = Rules(target=100, blocked_after=2)
    # one barren renewal lies behind: blocked by default, here the second one is still made
    table = at("5D|8C", "2D 3D 4S 7C", "", "9C 9D", barren=1)
    assert make(table, DRAW)[0].end == "blocked"
    drawn, table = make(table, DRAW, "9D 9C", rules=rules)
    assert (drawn.end, drawn.drawn, table.barren) == (None, "9D", 2)
    # the other seat takes the last card; then two barren periods lie behind and a third renewal blocks
    _, table = make(table, DRAW, rules=rules)
    table = at("5D 9D|8C 9C", "2D 3D 4S 7C", "", "10C", barren=table.barren)
    blocked, _ = make(table, DRAW, rules=rules)
    assert (blocked.end, blocked.renewed) == ("blocked", ())


def test_blocked_after_counts_renewals_since_the_last_capture_only() -> None:
    rules = Rules(target=100, blocked_after=3)
    table = at("2C 5D|8C 9S", "2D 3D 4S 7C", "", "9C 10D", barren=3)
    assert make(at("5D|8C", "2D 3D 4S 7C", "", "9C", barren=3), DRAW, rules=rules)[0].end == "blocked"
    assert make(at("5D|8C", "2D 3D 4S 7C", "", "9C", barren=2), DRAW, "9C", rules=rules)[0].drawn == "9C"
    # the capture of the twos starts the count again, and its refill makes the first renewal since
    captured, after = make(table, Play("2C"), "9C 10D", rules=rules)
    assert (captured.end, after.barren) == (None, 1)


def test_packs_one_holds_ten_players_at_most() -> None:
    one = Rules(target=100, packs=1)
    assert len(tabu.pack(one, 10)) == 54
    assert tabu.agree(one, 10) == ()  # 10 x 5 + 4 = 54
    (refused,) = tabu.agree(one, 11)  # 11 x 5 + 4 = 59
    assert (refused.code, refused.params) == ("PLAYER_COUNT", {"players": 11, "least": 2, "most": 10})
    assert tabu.most(one, 8) == 96


def test_packs_two_for_two_players() -> None:
    two = Rules(target=200, packs=2)
    assert len(tabu.pack(two, 2)) == 108
    layout = tabu.lay_out(two, 2, 0, tabu.pack(two, 2), Shuffler(0))
    assert tabu.check_layout(two, 2, layout) == ()
    assert len(layout.reserve) == 108 - 2 * 5 - 4
    assert tabu.most(two, 2) == 192  # (12 + 11 + 1) x 4 x 2


def test_deal_limit_ends_the_match_below_the_target() -> None:
    three = Rules(target=100, deal_limit=3)
    assert [tabu.last_deal(three, number) for number in (1, 2, 3, 4)] == [False, False, True, True]
    assert winners([40, 55], three.target, last=tabu.last_deal(three, 2)) == ()
    assert winners([40, 55], three.target, last=tabu.last_deal(three, 3)) == (1,)


def test_deal_limit_with_an_equal_highest_plays_on() -> None:
    one = Rules(target=100, deal_limit=1)
    assert winners([40, 40], one.target, last=tabu.last_deal(one, 1)) == ()
    assert winners([41, 40], one.target, last=tabu.last_deal(one, 2)) == (0,)
    assert not tabu.last_deal(RULES, 1_000)


def test_tie_another_deal() -> None:
    # 95 + 10 and 97 + 8 are both 105; one of three that share the top is enough to play on
    assert winners([105, 105], 100, RULES.tie) == ()
    assert winners([105, 99, 105], 100, RULES.tie) == ()


def test_tie_shared() -> None:
    shared = Rules(target=100, tie="shared")
    assert winners([105, 105], shared.target, shared.tie) == (0, 1)
    # an equal highest below the target wins nothing
    assert winners([99, 99], shared.target, shared.tie) == ()
