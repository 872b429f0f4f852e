"""Sabo: each clause on its own, SB-1 to SB-13, as far as the worked examples leave it open."""

import random

import msgspec
import pytest

from referee.rules import sabo
from referee.rules.cards import PACK, SUIT, Sight
from referee.rules.chance import Told
from referee.rules.game import GAMES, RULESETS
from referee.rules.sabo import Effects, Hand, Layout, Place, Played, Rules
from referee.rules.verdict import Violation
from tests.rules.sabo_table import CLASSIC, at, codes, legal, refused, run

SIZES = {2: (26, 8, 5, 13), 3: (39, 8, 5, 13), 4: (52, 8, 5, 13), 5: (50, 8, 2, 10)}
SHORT = Rules(two_player_pack="short_ranks")


def dealt(seats: int, dealer: int = 0, rules: Rules = CLASSIC) -> Layout:
    return sabo.lay_out(rules, seats, dealer, sabo.pack(rules, seats), Told(()))


def test_registered() -> None:
    assert GAMES["sabo"] is RULESETS["sabo@1"] is sabo
    assert sabo.outcomes(Effects("7S", 1, "S", 1)) == ()
    assert not sabo.last_deal(CLASSIC, 99)


@pytest.mark.parametrize("name", sabo.PRESETS)
def test_presets_are_rules(name: str) -> None:
    msgspec.convert(sabo.PRESETS[name], Rules)


def test_clogs_is_the_preset_of_the_original() -> None:
    clogs = msgspec.convert(sabo.PRESETS["clogs"], Rules)
    assert clogs == Rules(trick_order="equal_rank_overtakes", discard_low="any", two_player_pack="short_ranks")


@pytest.mark.parametrize("wrong", [{"target": 0}, {"trick_order": "highest"}, {"claims": True}, {"tie": "first"}])
def test_unknown_house_rules_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(wrong, Rules)


# ---- SB-1 to SB-5: setup


@pytest.mark.parametrize("players", [1, 6])
def test_sb1_two_to_five_players(players: int) -> None:
    params = {"players": players, "least": 2, "most": 5}
    assert sabo.agree(CLASSIC, players) == (Violation("PLAYER_COUNT", "SB-1", params),)
    assert all(sabo.agree(CLASSIC, fine) == () for fine in SIZES)


@pytest.mark.parametrize("seats", SIZES)
def test_sb2_packs_and_sizes(seats: int) -> None:
    size, in_hand, face_down, tricks = SIZES[seats]
    pack = sabo.pack(CLASSIC, seats)
    assert len(pack) == len(set(pack)) == size
    layout = dealt(seats)
    assert [len(hand) for hand in layout.hands] == [in_hand] * seats
    assert [len(cards) for cards in layout.sabo] == [face_down] * seats
    assert sabo.check_layout(CLASSIC, seats, layout) == ()
    assert sabo.most(CLASSIC, seats) == tricks


def test_sb2_what_is_removed() -> None:
    out = {seats: set(PACK) - set(sabo.pack(CLASSIC, seats)) for seats in SIZES}
    assert out[2] == {card for card in PACK if SUIT[card] in "SH"}
    assert out[3] == {rank + suit for rank in "KQJ" for suit in "SHDC"} | {"10S"}
    assert out[4] == set()
    assert out[5] == {"KS", "KH"}
    short = {rank + suit for rank in ("K", "Q", "J", "10", "9", "8") for suit in "SHDC"} | {"7H", "7S"}
    assert set(PACK) - set(sabo.pack(SHORT, 2)) == short
    assert len(sabo.pack(SHORT, 2)) == 26
    assert sabo.pack(SHORT, 4) == PACK


def test_sb2_wrong_pack() -> None:
    layout = dealt(3)
    hand = layout.hands[0]
    wrong = Layout((("KS", *hand[1:]), *layout.hands[1:]), layout.sabo)
    assert sabo.check_layout(CLASSIC, 3, wrong) == (
        Violation("PACK_MISMATCH", "SB-2", {"extra": ("KS",), "missing": (hand[0],)}),
    )
    assert codes(sabo.check_layout(SHORT, 2, dealt(2))) == [("PACK_MISMATCH", "SB-2")]


def test_sb2_wrong_sizes() -> None:
    layout = dealt(2)
    moved = Layout((layout.hands[0][1:], layout.hands[1]), ((*layout.sabo[0], layout.hands[0][0]), layout.sabo[1]))
    params = {"hands": [7, 8], "sabo": [6, 5], "hand_size": 8, "sabo_size": 5, "seats": 2}
    assert sabo.check_layout(CLASSIC, 2, moved) == (Violation("DEAL_SIZES", "SB-2", params),)
    assert codes(sabo.check_layout(CLASSIC, 3, layout)) == [("DEAL_SIZES", "SB-2"), ("PACK_MISMATCH", "SB-2")]


def test_sb4_dealt_one_by_one_from_the_dealers_left() -> None:
    layout, pack = dealt(3, dealer=1), sabo.pack(CLASSIC, 3)
    assert [hand[0] for hand in layout.hands] == [pack[1], pack[2], pack[0]]
    assert layout.hands[2][1] == pack[3]
    assert [cards[0] for cards in layout.sabo] == [pack[25], pack[26], pack[24]]


def test_sb4_left_of_the_dealer_leads() -> None:
    state = sabo.start(3, dealt(4, 3))
    assert (state.turn, state.leader) == (0, 0)
    assert refused(state, 1, state.hands[1][0]) == [Violation("NOT_YOUR_TURN", "SB-4", {"turn": 0})]
    assert codes(refused(state, 1, state.hands[0][0])) == [("NOT_YOUR_TURN", "SB-4"), ("CARD_NOT_IN_HAND", "SB-6")]
    _, state = run(state, state.hands[0][0])
    assert state.turn == 1


def test_sb5_nobody_sees_a_face_down_sabo() -> None:
    state = at("5H", "2H 9C", sabo=(("4S", None), ("3D",)))
    hidden = sabo.hide_state(state, Sight(seat=1))
    assert hidden.hands == (("?",), ("2H", "9C"))
    assert hidden.sabo == (("?", None), ("?",))
    assert sabo.hide_state(state, Sight()).hands == (("?",), ("?", "?"))
    assert sabo.hide_state(state, Sight(everything=True)) == state
    layout = Layout(state.hands, (("4S",), ("3D",)))
    assert sabo.hide_layout(layout, Sight(seat=1)) == Layout((("?",), ("2H", "9C")), (("?",), ("?",)))
    assert sabo.hide_layout(layout, Sight(everything=True)) == layout


def test_sb5_what_was_shown_stays_public() -> None:
    effects, state = run(at("5H", "2H 9C", sabo=(("4S",), ())), 0)
    assert sabo.hide_effects(effects, 0, Sight()) == effects
    assert sabo.hide_state(state, Sight()).played == (Played("4S", 0, 0),)


def test_sb5_any_place_and_each_once() -> None:
    state = at("", "2H", sabo=(("4S", None, "AC"), ()))
    assert legal(state) == {0, 2}
    empty = Violation("SABO_POSITION_EMPTY", "SB-5", {"place": 1, "places": (0, 2)})
    assert refused(state, 0, 1) == [empty, Violation("CARD_ALREADY_PLAYED", "SB-5", {"place": 1})]
    assert codes(refused(state, 0, 3)) == [("SABO_POSITION_EMPTY", "SB-5")]
    effects, state = run(state, 2)
    assert effects.card == "AC"
    assert state.sabo[0] == ("4S", None, None)


def test_sb5_a_place_is_never_negative() -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "sabo.place", "place": -1}, Place)
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({"type": "sabo.place", "place": 0, "card": "7S"}, Place)


def test_sb5_a_card_does_not_find_its_place() -> None:
    state = at("5H", "2H", sabo=(("4S",), ()))
    assert list(sabo.legal_moves(CLASSIC, state, "5H")) == [Hand("5H")]
    assert list(sabo.legal_moves(CLASSIC, state, "4S")) == []


# ---- SB-6 to SB-9: moves


def test_sb6_any_card_may_be_led() -> None:
    state = at("5H KS AC", "2H", sabo=(("4S", "9D"), ()))
    assert legal(state) == {"5H", "KS", "AC", 0, 1}
    effects, after = run(state, 1)
    assert (effects.led, after.led, effects.card) == ("D", "D", "9D")


def test_sb6_lead_from_sabo_with_an_empty_hand_only() -> None:
    rules, state = Rules(lead_from_sabo="empty_hand_only"), at("5H KS", "2H", sabo=(("4S",), ()))
    assert legal(state, rules) == {"5H", "KS"}
    params = {"place": 0, "led": None, "cards": ("5H", "KS")}
    assert refused(state, 0, 0, rules) == [Violation("SABO_NOT_ALLOWED", "SB-6", params)]


@pytest.mark.parametrize("card", ["9S", "X", "?", ""])
def test_sb6_a_card_not_held(card: str) -> None:
    assert codes(refused(at("5H KS", "2H"), 0, card)) == [("CARD_NOT_IN_HAND", "SB-6")]
    void = at("", "KS", played="5H", turn=1)
    assert codes(refused(void, 1, card)) == [("CARD_NOT_IN_HAND", "SB-6")]
    follows = at("", "KS 2H", played="5H", turn=1)
    assert codes(refused(follows, 1, card)) == [("CARD_NOT_IN_HAND", "SB-6"), ("MUST_FOLLOW_SUIT", "SB-7")]
    assert codes(refused(follows, 1, "7H")) == [("CARD_NOT_IN_HAND", "SB-6")]


def test_sb7_any_card_of_the_led_suit() -> None:
    assert legal(at("", "AH KH 7H 2S", sabo=((), ("4S",)), played="5H", turn=1)) == {"AH", "KH", "7H"}


def test_sb7_a_used_place_while_the_suit_is_held() -> None:
    state = at("", "AH", sabo=((), (None,)), played="5H", turn=1)
    assert [violation.code for violation in refused(state, 1, 0)] == [
        "SABO_POSITION_EMPTY", "CARD_ALREADY_PLAYED", "SABO_NOT_ALLOWED", "MUST_FOLLOW_SUIT",
    ]  # fmt: skip


def test_sb7_a_led_suit_only_among_the_sabo_binds_nobody() -> None:
    assert legal(at("", "2S", sabo=((), ("AH",)), played="5H", turn=1)) == {"2S", 0}


def test_sb7_duties_bind_whoever_has_not_played_to_the_trick() -> None:
    state = at("9S", "2S", "AH 3S", sabo=(("9D",), (), ("4D",)), played="5H", turn=1)
    skipped, must = ("NOT_YOUR_TURN", "SB-4"), ("MUST_FOLLOW_SUIT", "SB-7")
    assert codes(refused(state, 2, "AH")) == [skipped]
    assert codes(refused(state, 2, "3S")) == [skipped, must]
    assert codes(refused(state, 2, 0)) == [skipped, ("SABO_NOT_ALLOWED", "SB-7"), must]
    for word in ("9S", 0):
        assert codes(refused(state, 0, word)) == [skipped, ("PLAYED_TO_TRICK", "SB-11")]


def test_sb8_spades_led_everything_is_legal() -> None:
    assert legal(at("", "AH KH 7D 3C 9C", sabo=((), ("4S",)), played="5S", turn=1)) == {
        "AH", "KH", "7D", "3C", "9C", 0,
    }  # fmt: skip


def test_sb8_a_lower_suit_gives_its_lowest_only() -> None:
    assert legal(at("", "3S 9S AS KH AH", played="5D", turn=1)) == {"9S", "KH"}


def test_sb8_senior_suit_clubs_only() -> None:
    state = at("", "AH KH 7D 9D 3C 9C", played="5S", turn=1)
    assert legal(state, Rules(senior_suit="clubs_only")) == {"KH", "9D", "3C", "9C"}
    assert legal(state, Rules(senior_suit="clubs_only", discard_low="overall")) == {"KH", "3C", "9C"}
    assert legal(state, Rules(discard_low="overall")) == set(state.hands[1])


def test_sb8_overall_of_equal_ranks_any() -> None:
    state = at("", "9S 9H 7S 8D", played="5C", turn=1)
    assert legal(state, Rules(discard_low="overall")) == {"9S", "9H"}
    assert set(refused(state, 1, "8D", Rules(discard_low="overall"))[0].params["lowest"]) == {"9S", "9H"}


def test_sb9_a_sabo_card_has_no_duties() -> None:
    # the 3S is not the lowest spade of anything he holds, and would be refused from hand
    state = at("5D", "9S", sabo=((), ("3S",)))
    effects, after = run(state, "5D", 0)
    assert (effects.card, effects.winner) == ("3S", 0)
    assert after.hands[1] == ("9S",)
    # a revealed club takes the trick like any other
    assert run(at("5D", "9S", sabo=((), ("KC",))), "5D", 0)[0].winner == 1


# ---- SB-10 to SB-13: tricks and points


@pytest.mark.parametrize(
    ("order", "trick", "winner"),
    [
        ("suit_first", ("AS", "KH", "QH"), 2),
        ("rank_first", ("3S", "3H", "KC"), 1),
        ("rank_first", ("3H", "3S", "AD"), 2),
        ("led_suit_only", ("3S", "AC", "2S"), 2),
        ("equal_rank_overtakes", ("7H", "7S", "6H"), 2),
        ("equal_rank_overtakes", ("7S", "7D", "6D", "6H"), 2),
        ("equal_rank_overtakes", ("7S", "AC", "KS"), 0),
    ],
)
def test_sb10_trick_orders(order: str, trick: tuple[str, ...], winner: int) -> None:
    assert sabo.TRICK_ORDERS[order](trick) == winner


def test_sb10_every_reading_has_its_order() -> None:
    for name in sabo.TRICK_ORDERS:
        assert msgspec.convert({"trick_order": name}, Rules).trick_order == name


def test_sb11_the_winner_takes_the_trick_and_leads() -> None:
    state = at("9S KD", "3S AH", "2S QC")
    effects, state = run(state, "9S", "3S")
    assert (effects.next, effects.winner, state.turn) == (2, None, 2)
    effects, state = run(state, "2S")
    assert (effects.trick, effects.led, effects.winner, effects.next) == (1, "S", 2, 2)
    assert (state.turn, state.leader, state.trick, state.led, state.played) == (2, 2, 2, None, ())
    assert state.tricks == (0, 0, 1)
    assert state.taken == ("9S", "3S", "2S")
    effects, state = run(state, "QC", "KD", "AH")
    # the seat that led the second trick is counted from, not seat 0
    assert (effects.trick, effects.winner, state.tricks) == (2, 2, (0, 0, 2))


def test_sb12_the_deal_ends_with_the_last_card() -> None:
    state = at("9S", "3S", sabo=(("7D",), ("2C",)))
    effects, state = run(state, "9S", "3S")
    assert effects.next == 1
    effects, state = run(state, 0, 0)
    assert (effects.next, effects.winner, state.turn) == (None, 1, None)
    assert list(sabo.legal_moves(CLASSIC, state)) == []
    assert refused(state, 1, 0) == [Violation("DEAL_OVER", "SB-12")]


def test_sb13_one_point_a_trick() -> None:
    _, state = run(at("9S", "3S", sabo=(("7D",), ("2C",))), "9S", "3S", 0, 0)
    assert sabo.score(CLASSIC, state) == ({"tricks": 0, "penalty": 0}, {"tricks": 2, "penalty": 0})
    assert CLASSIC.target == 50


def test_evolve_asks_no_rule() -> None:
    # a recorded fault: the 9C was played while the suit was held, and the trick given to the leader
    state = at("5H", "2H 9C", sabo=((), ("3D",)))
    _, state = run(state, "5H")
    after = sabo.evolve(state, 1, Hand("9C"), Effects("9C", 1, "H", 0, 0))
    assert (after.turn, after.tricks, after.hands[1]) == (0, (1, 0), ("2H",))


def test_lay_out_uses_every_card_once() -> None:
    for seats in SIZES:
        pack = list(sabo.pack(CLASSIC, seats))
        random.Random(seats).shuffle(pack)
        layout = sabo.lay_out(CLASSIC, seats, seats - 1, tuple(pack), Told(()))
        assert sabo.check_layout(CLASSIC, seats, layout) == ()
