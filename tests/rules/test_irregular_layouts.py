"""Deals laid out irregularly and played on (rules 4.2): which may stand, and how play goes on from them."""

from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import game as games
from referee.rules import tablanet, tabu
from referee.rules.cards import HIDDEN, PUBLIC, Cards, without
from referee.rules.chance import Told
from referee.rules.faults import audit, faults
from referee.rules.game import GAMES, Game
from referee.rules.hands import check_hands
from referee.rules.layouts import layout_faults, no_play
from referee.rules.proof import proofs
from referee.rules.verdict import LEGAL, Illegal, Undecided
from tests.dealing import SeededChance, new_deal, random_line, rules_of
from tests.rules.observing import SEATS, both_sides, opened
from tests.rules.tabu_table import RULES, at, cards, make, refusal
from tests.rules.test_random_deals import agree, drawn

LIES = ("tablanet", "tabu")
LONGEST = 500
SIZES = {"tablanet": (0, 1, 2, 4, 5, 6, 7, 9), "tabu": (0, 1, 3, 4, 5, 6, 8)}


def irregular(game: Game, rules: Any, seats: int, chance: SeededChance) -> Any:
    """A layout of the right pack in which any number of any cards lies anywhere."""
    pack = list(chance.shuffle(game.pack(rules, seats)))
    sizes = [chance.choice(SIZES[game.NAME]) for _ in range(seats)]
    if not any(sizes):
        sizes[0] = 1
    pack.sort(key=lambda card: card[0] in "JX" and chance.random() < 0.5)
    open_cards = tuple(pack[len(pack) - chance.below(8) :]) if chance.below(8) else ()
    rest = chance.shuffle(pack[: len(pack) - len(open_cards)])
    hands = tuple(tuple(rest[sum(sizes[:seat]) : sum(sizes[: seat + 1])]) for seat in range(seats))
    return game.Layout(hands, open_cards, tuple(rest[sum(sizes) :]))


def codes(name: str, layout: Any, seats: int = 2, mode: str = "dealt") -> tuple[list[str], list[str]]:
    """What is wrong with a layout, and what of it forbids play."""
    game = GAMES[name]
    found = layout_faults(game, rules_of(game), seats, layout, mode)
    return [fault.code for fault in found], [fault.code for fault in no_play(game, seats, layout, found)]


# ---- which layouts may stand


def test_what_may_lie() -> None:
    may = {name: set(game.CAN_LIE) for name, game in GAMES.items()}
    assert may == {"tablanet": {"DEAL_SIZES", "JACK_ON_TABLE"}, "tabu": {"DEAL_SIZES", "SPECIAL_IN_ROW"}, "sabo": set()}


@pytest.mark.parametrize("name", GAMES)
def test_only_what_may_lie_lies(name: str) -> None:
    game = GAMES[name]
    layout, _ = new_deal(game, rules_of(game), 2, SeededChance(3))
    assert codes(name, layout) == ([], [])
    hand, other = layout.hands
    replace = msgspec.structs.replace
    if name == "sabo":
        sabo_cards = ((*layout.sabo[0], hand[0]), layout.sabo[1])
        assert codes(name, replace(layout, hands=(hand[1:], other), sabo=sabo_cards)) == (
            ["DEAL_SIZES"],
            ["DEAL_SIZES"],
        )
    else:
        stock = "stock" if name == "tablanet" else "reserve"
        moved = replace(layout, hands=(hand[1:], other), **{stock: (hand[0], *getattr(layout, stock))})
        assert codes(name, moved) == (["DEAL_SIZES"], [])
        nothing = replace(layout, hands=((), ()), **{stock: (*hand, *other, *getattr(layout, stock))})
        assert codes(name, nothing) == (["DEAL_SIZES"], ["DEAL_SIZES"]), "nobody could begin"
    short = replace(layout, hands=(hand[1:], other))
    assert codes(name, short)[1][-1:] == ["PACK_MISMATCH"], "a card is missing"
    foreign = replace(layout, hands=(("X", *hand[1:]), other))
    assert codes(name, foreign)[1] == ["PACK_MISMATCH"]
    assert codes(name, replace(layout, hands=(*layout.hands, ())))[1], "a hand for every seat, and no more"


@pytest.mark.parametrize(
    ("name", "open_cards", "sizes", "found", "forbids"),
    [
        ("tablanet", "2S 3H 5D 7C", None, [], []),
        ("tablanet", "2S 3H 5D 7C", (6, 6), [], []),
        ("tablanet", "2S 3H 5D 7C", (7, 6), ["DEAL_SIZES"], []),
        ("tablanet", "2S 3H JD", (5, 6), ["DEAL_SIZES", "JACK_ON_TABLE"], []),
        ("tablanet", "2S 2S JD 7C", (5, 6), ["DEAL_SIZES", "JACK_ON_TABLE", "CARD_SEEN_TWICE"], ["CARD_SEEN_TWICE"]),
        ("tablanet", "2S 3H 5D 7C", (40, 9), ["DEAL_SIZES", "PACK_SIZE"], ["PACK_SIZE"]),
        ("tablanet", "2S 3H 5D 7C", (6, 6, 6), ["DEAL_SIZES"], ["DEAL_SIZES"]),
        ("tabu", "2S 3H 5D 7C", (5, 5), [], []),
        ("tabu", "2S 3H 5D X 7C", (5, 4), ["DEAL_SIZES", "SPECIAL_IN_ROW"], []),
        ("tabu", "2S X 5D X X", (5, 5), ["DEAL_SIZES", "SPECIAL_IN_ROW", "CARD_SEEN_TWICE"], ["CARD_SEEN_TWICE"]),
        ("tabu", "2S 3H 5D 7C", (5,), ["DEAL_SIZES"], ["DEAL_SIZES"]),
        ("sabo", "", (8, 8), [], []),
        ("sabo", "", (7, 8), ["DEAL_SIZES", "PACK_SIZE"], ["DEAL_SIZES", "PACK_SIZE"]),
        ("sabo", "", (0, 16), ["DEAL_SIZES"], ["DEAL_SIZES"]),
    ],
)
def test_what_lies_open_with_hands_of_other_sizes(
    name: str, open_cards: str, sizes: tuple[int, ...] | None, found: list[str], forbids: list[str]
) -> None:
    game = GAMES[name]
    layout = game.lay_open(rules_of(game), 2, cards(open_cards), sizes)
    if sizes is not None:
        assert tuple(map(len, layout.hands)) == sizes
    assert codes(name, layout, mode="observed") == (found, forbids)


# ---- Tablanet


def from_layout(hands: str, table: str, stock: str = "", dealer: int = 1, **house_rules: Any) -> tuple[Any, Any]:
    """A small Tablanet deal about to begin, and its rules."""
    layout = tablanet.Layout(tuple(cards(hand) for hand in hands.split("|")), cards(table), cards(stock))
    return tablanet.start(dealer, layout), rules_of(tablanet, **house_rules)


def lay(state: Any, rules: Any, card: str, *captures: str) -> tuple[Any, Any]:
    """A legal move of the seat to act: what it caused, and the state after it."""
    move = tablanet.Play(card, captures)
    assert tablanet.judge(rules, state, state.turn, move) == LEGAL
    effects = tablanet.play(rules, state, state.turn, move, Told(()))
    after = tablanet.evolve(state, state.turn, move, effects)
    assert Counter(tablanet.held(after)) == Counter(tablanet.held(state))
    return effects, after


def test_TN_7_who_holds_no_card_is_passed_over() -> None:  # noqa: N802
    state, rules = from_layout("|KS 9H|2C", "", dealer=2)
    assert state.turn == 1, "the seat after the dealer holds none"
    _, state = lay(state, rules, "KS")
    assert state.turn == 2
    _, state = lay(state, rules, "2C")
    assert state.turn == 1
    effects, state = lay(state, rules, "9H")
    assert (effects.next, state.turn, state.table) == (None, None, ("KS", "2C", "9H"))


def test_TN_7_the_longer_hand_is_played_out_alone() -> None:  # noqa: N802
    state, rules = from_layout("KS 9H 2C|3D", "", "QS QD", dealer=1)
    turns = []
    for card in ("KS", "3D", "9H", "2C"):
        turns.append(state.turn)
        effects, state = lay(state, rules, card)
    assert turns == [0, 1, 0, 0]
    assert effects.batch == (("QS",), ("QD",))
    assert state.turn == 1, "the next in turn order, not the dealer's left again"


@pytest.mark.parametrize(
    ("stock", "dealer", "hands", "turn"),
    [
        ("QS", 1, (("QS",), ()), 0),
        ("QS", 0, ((), ("QS",)), 1),
        ("QS QD QH", 1, (("QS", "QH"), ("QD",)), 0),
        ("QS QD QH", 0, (("QD",), ("QS", "QH")), 1),
    ],
)
def test_TN_16_a_last_batch_goes_as_far_as_the_cards_reach(  # noqa: N802
    stock: str, dealer: int, hands: Any, turn: int
) -> None:
    state, rules = from_layout("KS|2C", "", stock, dealer)
    first, other = ("KS", "2C") if dealer == 1 else ("2C", "KS")
    _, state = lay(state, rules, first)
    effects, state = lay(state, rules, other)
    assert effects.batch == state.hands == hands
    assert state.stock == ()
    assert effects.next == state.turn == turn
    while state.turn is not None:
        move = next(tablanet.legal_moves(rules, state))
        _, state = lay(state, rules, move.card, *move.captures)
    assert not any(state.hands)


def test_TN_16_whom_the_last_batch_does_not_reach_is_passed_over() -> None:  # noqa: N802
    state, rules = from_layout("KS 9H|2C", "", "QS", dealer=1)
    for card in ("KS", "2C", "9H"):
        effects, state = lay(state, rules, card)
    assert effects.batch == (("QS",), ())
    assert state.turn == 0, "seat 1 is next, but has no card"


def test_TN_16_full_batches_first() -> None:  # noqa: N802
    stock = "AS AD AH AC 3S 3D 3H 3C 4S 4D 4H 4C 5S"
    state, rules = from_layout("KS|2C", "", stock)
    _, state = lay(state, rules, "KS")
    effects, state = lay(state, rules, "2C")
    assert [len(hand) for hand in effects.batch] == [6, 6]
    assert state.stock == ("5S",)


def test_TN_9_a_jack_on_the_table_is_a_card_of_its_value() -> None:  # noqa: N802
    state, rules = from_layout("10D KS JH|2C 3D 4C", "JC 5H", dealer=1)
    ten = {move.captures for move in tablanet.legal_moves(rules, state, "10D")}
    king = {move.captures for move in tablanet.legal_moves(rules, state, "KS")}
    jack = {move.captures for move in tablanet.legal_moves(rules, state, "JH")}
    assert (ten, king, jack) == ({("JC",)}, {("JC", "5H")}, {("JC",)})
    by_rank = rules_of(tablanet, single_match="rank")
    assert {move.captures for move in tablanet.legal_moves(by_rank, state, "10D")} == {()}
    effects, state = lay(state, rules, "KS", "JC", "5H")
    assert effects.tablanet
    assert state.piles[0] == ("5H", "JC", "KS")


def test_TN_17_the_last_capturer_takes_the_rest() -> None:  # noqa: N802
    state, rules = from_layout("JH 8C|2C", "JC 7S", dealer=1)
    _, state = lay(state, rules, "JH", "JC")
    _, state = lay(state, rules, "2C")
    effects, state = lay(state, rules, "8C")
    assert effects.leftovers == tablanet.Leftovers(0, ("2C", "7S", "8C"))
    assert state.table == ()


# ---- Tabu


def test_a_special_in_the_row_leaves_with_a_jack() -> None:
    state = at("JS 3C|9D 9H", "JD X 7C 8D", "4S 6D 8H 9S 2C")
    effects, state = make(state, tabu.Play("JS"))
    assert effects.discarded == ("7C", "8D", "JD", "JS", "X")
    assert state.row == ("4S", "6D", "8H", "9S")
    assert state.forced


def test_a_special_in_the_row_is_matched_by_none() -> None:
    state = at("7S 2H|9D", "JD X 7C 8D", "4S 6D")
    effects, state = make(state, tabu.Play("7S"))
    assert effects.captured == ("7C", "7S")
    assert state.row == ("JD", "X", "8D", "4S"), "they keep their places, and one is filled"


def test_a_joker_leaves_a_joker_in_the_row() -> None:
    state = at("X 3C|9D 9H", "X JD 7C 8D", "4S 6D 8H")
    effects, after = make(state, tabu.Play("X"))
    assert (effects.discarded, effects.captured) == (("X",), ())
    assert after.row == state.row
    assert after.discard == ("X",)
    assert after.captured == ((), ())


@pytest.mark.parametrize(
    ("must_play", "hand", "row", "may_draw"),
    [
        ("strict", "JS 3C", "JD 7C", False),
        ("matches_only", "JS 3C", "JD 7C", True),
        ("matches_only", "X 3C", "X 7C", True),
        ("matches_only", "X 7S", "X 7C", False),
        ("free", "X 7S", "X 7C", True),
        ("strict", "3C", "X JD", True),
        ("strict", "3C", "", True),
    ],
)
def test_a_special_in_the_row_makes_no_match_due(must_play: Any, hand: str, row: str, may_draw: bool) -> None:
    rules = tabu.Rules(100, must_play=must_play)
    state = at(f"{hand}|9D", row, "4S 6D")
    assert (tabu.judge(rules, state, 0, tabu.DRAW) == LEGAL) == may_draw
    assert (tabu.DRAW in tabu.legal_moves(rules, state)) == may_draw


@pytest.mark.parametrize(
    ("must_play", "row", "ranks"),
    [
        ("strict", "X 7C", ("7", "J", "X")),
        ("matches_only", "X JD 7C", ("7",)),
        ("matches_only", "X JD", None),
        ("free", "X 7C", None),
    ],
)
def test_what_a_draw_claims_beside_a_special_in_the_row(must_play: Any, row: str, ranks: Any) -> None:
    rules = tabu.Rules(100, must_play=must_play)
    state = tabu.start(1, tabu.lay_open(rules, 2, cards(row)))
    verdict = tabu.judge(rules, state, 0, tabu.DRAW)
    if ranks is None:
        assert verdict == LEGAL
    else:
        assert isinstance(verdict, Undecided)
        assert verdict.claims[0].params == {"ranks": ranks}


def test_a_jack_drawn_beside_a_jack_in_the_row_may_be_kept_where_only_matches_are_due() -> None:
    rules = tabu.Rules(100, must_play="matches_only")
    _, state = make(at("3C|9D", "JD 7C", "JS 6D"), tabu.DRAW, rules=rules)
    assert tabu.judge(rules, state, 0, tabu.KEEP) == LEGAL
    assert refusal(state, tabu.KEEP)[0] == "MUST_PLAY TB-8"


@pytest.mark.parametrize(
    ("row", "turned", "after"),
    [
        ("7C 7D 8C 9C 2S 3S", (), "8C 9C 2S 3S"),
        ("7C 8C 9C 2S 3S 4D", (), "8C 9C 2S 3S 4D"),
        ("7C 8C 9C 2S 3S", (), "8C 9C 2S 3S"),
        ("7C", ("4S", "6D", "8H", "QS"), "4S 6D 8H QS"),
        ("7C 8C", ("4S", "6D", "8H"), "8C 4S 6D 8H"),
    ],
)
def test_TB_12_a_row_is_filled_up_to_four(row: str, turned: Cards, after: str) -> None:  # noqa: N802
    effects, state = make(at("7S 2H|9D", row, "4S 6D 8H QS KD"), tabu.Play("7S"))
    assert effects.turned == turned
    assert state.row == cards(after)


def test_TB_10_a_jack_on_an_empty_row() -> None:  # noqa: N802
    effects, state = make(at("JS 2H|9D", "", "4S 6D 8H QS KD"), tabu.Play("JS"))
    assert effects.discarded == ("JS",)
    assert state.row == ("4S", "6D", "8H", "QS")


def test_TB_14_who_was_dealt_no_card_has_not_gone_out() -> None:  # noqa: N802
    state = tabu.start(1, tabu.Layout(((), cards("9D 9H")), cards("7C 8C 2D 3D"), cards("4S 7D 6D")))
    assert state.turn == 0
    assert list(tabu.legal_moves(RULES, state)) == [tabu.DRAW]
    assert refusal(state, tabu.PASS) == ["MUST_DRAW TB-8"]
    _, state = make(state, tabu.DRAW)
    assert (state.hands[0], state.turn) == (("4S",), 1)
    _, state = make(state, tabu.DRAW)
    effects, state = make(state, tabu.Play("7D"))
    assert effects.end is None
    assert state.turn == 0
    seen = tabu.start(1, tabu.lay_open(RULES, 2, cards("7C 8C 2D 3D"), (0, 2)))
    assert list(tabu.legal_moves(RULES, seen)) == [tabu.DRAW]
    assert isinstance(tabu.judge(RULES, seen, 0, tabu.Play("7D")), Illegal)


# ---- whole deals at random


@settings(max_examples=80, deadline=None)
@given(st.sampled_from(LIES), st.integers(0, 2**32))
def test_play_goes_on_from_any_irregular_layout(name: str, seed: int) -> None:
    """Every card is kept, what is listed and what is judged legal are the same, the deal ends, and is told again the same."""
    game, chance = GAMES[name], SeededChance(seed)
    seats = chance.choice(SEATS[name])
    rules = drawn(game, seats, chance)
    layout, dealer = irregular(game, rules, seats, chance), chance.below(seats)
    found = layout_faults(game, rules, seats, layout, "dealt")
    assert no_play(game, seats, layout, found) == ()
    assert msgspec.json.decode(msgspec.json.encode(layout), type=games.Layout) == layout
    state = game.start(dealer, layout)
    pack, moves = Counter(game.pack(rules, seats)), 0
    assert Counter(game.held(state)) == pack
    last = state
    for before, seat, move, effects in random_line(game, rules, state, chance):
        assert name == "tabu" or before.hands[seat], "a seat without cards is passed over"
        agree(game, rules, before, seat, chance)
        told = Told(game.outcomes(effects))
        assert game.play(rules, before, seat, move, told) == effects
        assert told.rest == []
        last = game.evolve(before, seat, move, effects)
        assert Counter(game.held(last)) == pack
        moves += 1
        assert moves <= LONGEST
    lines = game.score(rules, last)
    if name == "tablanet":
        assert moves == len(pack) - len(layout.table)
        assert not any(last.hands)
        assert not last.stock
        assert last.last_capturer is None or not last.table
    else:
        assert (last.out is None) == (effects.end == "blocked")
        assert [sum(line.values()) for line in lines] == [
            sum(tabu.POINTS[card] for card in taken) - sum(tabu.POINTS[card] for card in hand)
            for taken, hand in zip(last.captured, last.hands, strict=True)
        ]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(LIES), st.integers(0, 2**32), st.sampled_from([0.0, 0.15]))
def test_an_irregular_layout_from_both_sides(name: str, seed: int, fault_rate: float) -> None:
    """Observed and dealt it gives the same points; a clean deal raises no alarm, and what is proven was so."""
    game, chance = GAMES[name], SeededChance(seed)
    seats = chance.choice(SEATS[name])
    rules = drawn(game, seats, chance)
    layout = irregular(game, rules, seats, chance)
    sizes = tuple(map(len, layout.hands))
    seen = game.lay_open(rules, seats, opened(layout), sizes)
    assert seen == game.hide_layout(layout, PUBLIC)
    assert no_play(game, seats, seen, layout_faults(game, rules, seats, seen, "observed")) == ()
    sides = both_sides(game, seed, fault_rate, layout, rules)
    assert sides.seen.layout == seen
    assert game.check_record(rules, sides.seen) == ()
    assert game.score(rules, sides.seen_end) == game.score(rules, sides.known_end)
    assert check_hands(game, rules, game.hide_state(sides.known_end, PUBLIC), sides.known_end.hands) == ()
    if fault_rate == 0:
        assert audit(game, rules, sides.seen).faults == faults(game, rules, sides.known) == ()
        assert {proof.status for proof in proofs(game, rules, sides.known)} <= {"confirmed"}
        return
    made = {(fault.kind, fault.seat, fault.move) for fault in faults(game, rules, sides.known)}
    proven = {(fault.kind, fault.seat, sides.number_of[fault.move - 1]) for fault in faults(game, rules, sides.seen)}
    assert {one for one in proven if one[0] != "kept_playable"} <= made


def test_hidden_hands_and_piles_stay_hidden() -> None:
    for name in LIES:
        game, chance = GAMES[name], SeededChance(5)
        layout = irregular(game, rules_of(game), 3, chance)
        hidden = game.hide_layout(layout, PUBLIC)
        assert set("".join(map("".join, hidden.hands))) <= {HIDDEN}
        assert [len(hand) for hand in hidden.hands] == [len(hand) for hand in layout.hands]


def test_the_pack_comes_apart_as_it_was_put_together() -> None:
    """The layouts above are of many kinds: short and long hands, no and many open cards, specials among them."""
    sizes, many, special = set[int](), set[int](), 0
    for seed in range(60):
        layout = irregular(tabu, rules_of(tabu), 2, SeededChance(seed))
        assert without(tabu.ONE_PACK, (*layout.hands[0], *layout.hands[1], *layout.row, *layout.reserve)) == ()
        sizes.update(map(len, layout.hands))
        many.add(len(layout.row))
        special += any(card[0] in "JX" for card in layout.row)
    assert sizes == set(SIZES["tabu"])
    assert many >= set(range(8))
    assert special > 20
