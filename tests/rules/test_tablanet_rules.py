"""Tablanet clause by clause, and house rule by house rule (rules 1.1 to 1.3, 0.7, 6)."""

from typing import Any

import msgspec
import pytest

from referee.rules import tablanet
from referee.rules.cards import PACK, Cards, without
from referee.rules.tablanet import Effects, Layout, Leftovers, Play, Rules, State
from referee.rules.target import winners
from referee.rules.verdict import LEGAL, Illegal
from tests.dealing import SeededChance, new_deal

CHANCE = SeededChance(0)


def at(table: str, *hands: str, turn: int | None = 0, **more: Any) -> State:
    """A state with these hands, seat 0 to act; the dealer is the last seat."""
    seats = len(hands)
    blank: dict[str, Any] = {
        "stock": (), "piles": ((),) * seats, "tablanets": (0,) * seats, "bonuses": (0,) * seats,
    }  # fmt: skip
    return State(seats - 1, turn, tuple(tuple(h.split()) for h in hands), tuple(table.split()), **(blank | more))


def play(captures: str) -> Play:
    card, *taken = captures.split()
    return Play(card, tuple(taken))


def refusals(state: State, move: str, seat: int = 0, **house_rules: Any) -> list[tuple[str, str]]:
    verdict = tablanet.judge(Rules(**({"ace_value": 1} | house_rules)), state, seat, play(move))
    return [(v.code, v.clause) for v in verdict.violations] if isinstance(verdict, Illegal) else []


def after(state: State, move: str, **house_rules: Any) -> tuple[Effects, State]:
    rules = Rules(**({"ace_value": 1} | house_rules))
    assert state.turn is not None
    assert tablanet.judge(rules, state, state.turn, play(move)) == LEGAL
    effects = tablanet.play(rules, state, state.turn, play(move), CHANCE)
    return effects, tablanet.evolve(state, state.turn, play(move), effects)


def points(piles: list[Cards], **house_rules: Any) -> list[int]:
    seats = len(piles)
    state = State(0, None, ((),) * seats, (), (), tuple(piles), (0,) * seats, (0,) * seats, 0)
    return [sum(line.values()) for line in tablanet.score(Rules(**({"ace_value": 1} | house_rules)), state)]


# ---- the deal


def test_TN_1_two_or_three_play_with_one_pack() -> None:  # noqa: N802
    codes = {seats: [v.code for v in tablanet.agree(Rules(1), seats)] for seats in range(1, 6)}
    assert codes == {1: ["PLAYER_COUNT"], 2: [], 3: [], 4: ["PLAYER_COUNT"], 5: ["PLAYER_COUNT"]}
    assert tablanet.pack(Rules(1), 2) == tablanet.pack(Rules(1), 3) == PACK


@pytest.mark.parametrize(("seats", "size"), [(2, 6), (3, 4)])
def test_TN_4_and_TN_6_cards_one_at_a_time_from_the_left(seats: int, size: int) -> None:  # noqa: N802
    pack = (*tuple(card for card in PACK if card[0] != "J"), "JS", "JH", "JD", "JC")
    for dealer in range(seats):
        layout = tablanet.lay_out(Rules(1), seats, dealer, pack, CHANCE)
        for place in range(seats):
            assert layout.hands[(dealer + 1 + place) % seats] == pack[place : size * seats : seats]
        assert layout.table == pack[12:16]
        assert layout.stock == pack[16:]
        assert len(layout.stock) == 36


def test_TN_5_every_further_jack_goes_into_the_middle() -> None:  # noqa: N802
    pack = without(PACK, ["JS", "JH", "JD", "JC"])
    pack = (*pack[:12], "JS", "JH", "JD", "JC", *pack[12:])
    places = set()
    for seed in range(300):
        layout = tablanet.lay_out(Rules(1), 2, 0, pack, SeededChance(seed))
        assert layout.stock[-1] == "JS"
        assert layout.stock[0][0] != "J"
        assert layout.opening is not None
        assert layout.opening.turned == pack[12:20]
        places.add(layout.stock.index("JH"))
    assert places == set(range(1, 35))


def test_TN_4_to_TN_6_a_layout_that_cannot_be() -> None:  # noqa: N802
    layout, _ = new_deal(tablanet, Rules(1), 2, SeededChance(3))
    table, stock = layout.table, layout.stock

    def faults(seats: int = 2, **changed: Any) -> list[tuple[str, str]]:
        other: Layout = msgspec.structs.replace(layout, **changed)
        return [(v.code, v.clause) for v in tablanet.check_layout(Rules(1), seats, other)]

    jack = next(card for card in stock if card[0] == "J")
    place = stock.index(jack)
    assert faults() == []
    assert faults(seats=3) == [("DEAL_SIZES", "TN-4")]
    assert faults(table=table[1:], stock=(table[0], *stock)) == [("DEAL_SIZES", "TN-4")]
    swapped = (*stock[:place], table[0], *stock[place + 1 :])
    assert faults(table=(jack, *table[1:]), stock=swapped) == [("JACK_ON_TABLE", "TN-5")]
    assert faults(stock=stock[1:]) == [("PACK_MISMATCH", "TN-1")]
    assert faults(stock=(table[0], *stock[1:])) == [("PACK_MISMATCH", "TN-1")]


# ---- moves


@pytest.mark.parametrize("seats", [2, 3])
def test_TN_7_turns_go_round_from_the_dealers_left(seats: int) -> None:  # noqa: N802
    for dealer in range(seats):
        _, state = new_deal(tablanet, Rules(1), seats, SeededChance(dealer), dealer)
        for number in range(48):
            assert state.turn == (dealer + 1 + number) % seats
            move = next(tablanet.legal_moves(Rules(1), state))
            state = tablanet.evolve(
                state, state.turn, move, tablanet.play(Rules(1), state, state.turn, move, CHANCE)
            )  # fmt: skip
        assert state.turn is None


def test_TN_7_out_of_turn() -> None:  # noqa: N802
    assert refusals(at("9C", "2S", "3S"), "3S", seat=1) == [("NOT_YOUR_TURN", "TN-7")]
    assert refusals(at("9C", "2S", "3S"), "2S", seat=1) == [("NOT_YOUR_TURN", "TN-7"), ("CARD_NOT_IN_HAND", "TN-8")]


def test_TN_8_one_card_from_hand() -> None:  # noqa: N802
    for card in ("3S", "X", "?", "", "junk"):
        for taken in ((), ("9C",)):
            verdict = tablanet.judge(Rules(1), at("9C", "2S ?", "3S"), 0, Play(card, taken))
            assert isinstance(verdict, Illegal)
            assert verdict.violations[0].code == "CARD_NOT_IN_HAND"


@pytest.mark.parametrize(
    ("scale", "faces"), [("text", {"J": 10, "Q": 13, "K": 15}), ("balkan", {"J": 12, "Q": 13, "K": 14})]
)
def test_TN_9_values_in_play(scale: Any, faces: dict[str, int]) -> None:  # noqa: N802
    ladder = {rank: int(rank) for rank in ("3", "4", "5", "6", "7", "8", "9", "10")} | faces
    for rank, value in ladder.items():
        pairs = [f"{low}H {value - low}D" for low in (2, 3, 4, 5, 10) if 2 <= value - low <= 10]
        assert pairs or value == 3
        for pair in pairs:
            assert refusals(at(pair, f"{rank}S", "2C"), f"{rank}S {pair}", values=scale) == []
    assert refusals(at("AH 2D", "3S", "2C"), "3S AH 2D", ace_value=1) == []
    assert refusals(at("AH 2D", "3S", "2C"), "3S", ace_value=11) == []
    assert refusals(at("AH 2D", "QS", "2C"), "QS AH 2D", ace_value=11) == []
    assert refusals(at("AH 2D", "QS", "2C"), "QS AH 2D", ace_value=1) == [("CAPTURE_NOT_VALID", "TN-10")]
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert({}, Rules)


def test_TN_12_a_capture_is_due_but_another_card_may_be_played() -> None:  # noqa: N802
    state = at("7D 3C", "7S 9S", "2S")
    assert refusals(state, "7S") == [("CAPTURE_REQUIRED", "TN-12")]
    assert refusals(state, "9S") == []
    assert refusals(state, "7S", capture_duty="optional") == []


def test_TN_13_captured_cards_leave_the_table_for_the_pile() -> None:  # noqa: N802
    effects, state = after(at("7D 3C QH 4S", "7S 2H", "2S"), "7S 3C 4S 7D")
    assert effects == Effects(1, captured=("3C", "4S", "7D", "7S"))
    assert state.table == ("QH",)
    assert state.piles == (("3C", "4S", "7D", "7S"), ())
    assert state.hands == (("2H",), ("2S",))
    assert state.last_capturer == 0


def test_TN_14_and_TN_15_a_tablanet_and_any_card_after_it() -> None:  # noqa: N802
    effects, state = after(at("7D", "7S 2H", "KS 2S"), "7S 7D")
    assert (effects.tablanet, effects.bonus, state.tablanets, state.table) == (True, 0, (1, 0), ())
    assert list(tablanet.legal_moves(Rules(1), state)) == [Play("KS"), Play("2S")]
    effects, _ = after(at("7D 9C", "7S 2H", "KS 2S"), "7S 7D")
    assert not effects.tablanet


def test_TN_16_the_next_batch_comes_and_the_table_stays() -> None:  # noqa: N802
    batch = (*tuple(without(PACK, ["9C", "8C", "2S", "3S", "JC", "JD"]))[:11], "JC")
    state = at("9C 8C", "2S", "", stock=(*batch, "JD"))
    effects, then = after(state, "2S")
    assert effects.batch == (batch[0::2], batch[1::2])
    assert then.hands == effects.batch
    assert (then.stock, then.table, then.turn) == (("JD",), ("9C", "8C", "2S"), 1)
    effects, _ = after(at("9C 8C", "2S", "3S", stock=batch), "2S")
    assert effects.batch is None


def test_TN_17_leftovers_go_to_the_last_capturer() -> None:  # noqa: N802
    effects, state = after(at("9C 8C", "2S", "", last_capturer=1, piles=((), ("KS", "KH"))), "2S")
    assert effects == Effects(None, leftovers=Leftovers(1, ("2S", "8C", "9C")))
    assert (state.table, state.turn) == ((), None)
    assert state.piles == ((), ("KS", "KH", "2S", "8C", "9C"))
    assert state.tablanets == (0, 0)
    effects, state = after(at("9C 8C", "9S", "", last_capturer=1), "9S 9C")
    assert effects == Effects(None, captured=("9C", "9S"), leftovers=Leftovers(0, ("8C",)))
    effects, state = after(at("9C", "9S", "", last_capturer=1), "9S 9C")
    assert effects == Effects(None, captured=("9C", "9S"), tablanet=True)


def test_TN_17_nobody_captured() -> None:  # noqa: N802
    effects, state = after(at("KC 8C", "2S", ""), "2S")
    assert effects == Effects(None)
    assert state.table == ("KC", "8C", "2S")
    for by in ("most_points", "most_cards"):
        rules = Rules(1, deal_bonus=by, deal_bonus_tie="all")
        assert [sum(line.values()) for line in tablanet.score(rules, state)] == [0, 0]


def test_TN_17_a_deal_that_is_over() -> None:  # noqa: N802
    state = at("", "", "", turn=None)
    assert refusals(state, "2S") == [("DEAL_OVER", "TN-17")]
    assert list(tablanet.legal_moves(Rules(1), state)) == []


# ---- the count


def test_TN_18_card_points() -> None:  # noqa: N802
    paid = {card: points([(card,), ()])[0] - 3 for card in PACK if card[:-1] in {"A", "K", "Q", "10", "2"}}
    assert paid.pop("10D") == 2
    assert set(paid.values()) == {1}
    for rank in ("3", "4", "5", "6", "7", "8", "9", "J"):
        assert points([(f"{rank}S",), ("AS", "AH")])[0] == 0
    assert points([PACK, ()]) == [24, 0]


def test_jack_points_and_twos() -> None:
    ahead = ("AS", "AH")
    assert points([("JS", "3S"), ahead], jack_points=1)[0] == 1
    assert [points([(f"2{suit}",), ahead], twos="clubs_only")[0] for suit in "SHDC"] == [0, 0, 0, 1]
    line = tablanet.score(Rules(1, jack_points=1), at("", "", "", turn=None, piles=(("JS", "JH"), ())))[0]
    assert (line["jacks"], line["bonus"]) == (2, 3)


def test_TN_19_the_most_points_win_the_deal() -> None:  # noqa: N802
    assert points([("AS", "AH"), ("3S", "4S", "5S", "6S", "KS")]) == [5, 1]
    assert points([("AS", "AH"), ("3S", "4S", "5S", "6S", "KS")], deal_bonus="most_cards") == [2, 4]


def split(*counts: int) -> list[Cards]:
    """The pack in piles of so many cards."""
    ends = [sum(counts[: place + 1]) for place in range(len(counts))]
    return [PACK[end - count : end] for end, count in zip(ends, counts, strict=True)]


def test_C069_no_bonus_when_the_majority_is_tied() -> None:  # noqa: N802
    def bonus(piles: list[Cards], **house_rules: Any) -> list[int]:
        seats = len(piles)
        state = State(0, None, ((),) * seats, (), (), tuple(piles), (0,) * seats, (0,) * seats, 0)
        return [line["bonus"] for line in tablanet.score(Rules(1, **house_rules), state)]

    assert bonus(split(26, 26), deal_bonus="most_cards") == [0, 0]
    assert bonus(split(27, 25), deal_bonus="most_cards") == [3, 0]
    assert bonus(split(18, 18, 16), deal_bonus="most_cards") == [0, 0, 0]
    assert bonus(split(18, 18, 16), deal_bonus="most_cards", deal_bonus_tie="all") == [3, 3, 0]
    aces_and_kings = ("AS", "AH", "AD", "AC", "KS", "KH", "KD", "KC")
    piles: list[Cards] = [aces_and_kings, ("QS", "QH", "QD", "QC", "10D", "10S", "10H"), ("10C", "2S")]
    assert bonus(piles) == [0, 0, 0]
    assert bonus(piles, deal_bonus_tie="all") == [3, 3, 0]


def test_tablanet_points_count_for_winning_the_deal() -> None:
    state = at("", "", "", turn=None, piles=(("AS", "AH"), ("KS",)), bonuses=(0, 2), tablanets=(0, 2))
    assert [sum(line.values()) for line in tablanet.score(Rules(1, "one_point"), state)] == [2, 6]


def test_an_open_ace_counts_one_for_card_values() -> None:
    for ace, paid in ((1, 2), (11, 22), ("either", 2)):
        effects, _ = after(at("AH", "AS 2H", "2S"), "AS AH", ace_value=ace, tablanet_bonus="card_values")
        assert effects.bonus == paid
    effects, _ = after(at("AH 9D 2S", "AS 2H", "3S"), "AS AH 9D 2S", ace_value="either", tablanet_bonus="card_values")
    assert effects.bonus == 33
    effects, _ = after(at("AH 5D", "6S 2H", "3S"), "6S AH 5D", ace_value="either", tablanet_bonus="card_values")
    assert effects.bonus == 12


def test_TN_20_the_most_a_deal_can_pay() -> None:  # noqa: N802
    assert [tablanet.most(Rules(1), seats) for seats in (2, 3)] == [24, 24]
    assert tablanet.most(Rules(1, jack_points=1, twos="clubs_only"), 2) == 25
    assert [tablanet.most(Rules(1, "one_point"), seats) for seats in (2, 3)] == [48, 40]
    in_play = 4 * (sum(range(2, 11)) + 10 + 13 + 15)
    assert tablanet.most(Rules(1, "card_values"), 2) == 24 + in_play + 4
    assert tablanet.most(Rules("either", "card_values"), 2) == 24 + in_play + 44
    assert Rules(1).target == 251
    assert not tablanet.last_deal(Rules(1), 10**6)


def test_presets_are_rules() -> None:
    for preset in tablanet.PRESETS.values():
        rules = msgspec.convert({"ace_value": 1} | preset, Rules)
        assert {name: getattr(rules, name) for name in preset} == preset


# ---- the fine points of maximal and one_of_each (0.7)


def test_maximal_asks_only_for_the_value_in_use() -> None:
    house: dict[str, Any] = {"ace_value": "either", "capture_duty": "maximal"}
    state = at("AH 9D 2S", "AS", "3S")
    assert refusals(state, "AS AH", **house) == []
    assert refusals(state, "AS 9D 2S", **house) == [("CAPTURE_NOT_MAXIMAL", "TN-12")]
    assert refusals(state, "AS AH 9D 2S", **house) == []


def test_maximal_with_one_of_each_asks_only_for_the_other_kind() -> None:
    house: dict[str, Any] = {"capture_duty": "maximal", "units_per_capture": "one_of_each"}
    state = at("7D 7H 3C 4S 2C 5C", "7S", "3S")
    assert refusals(state, "7S 7D", **house) == [("CAPTURE_NOT_MAXIMAL", "TN-12")]
    assert refusals(state, "7S 3C 4S", **house) == [("CAPTURE_NOT_MAXIMAL", "TN-12")]
    assert refusals(state, "7S 7D 3C 4S", **house) == []
    assert refusals(state, "7S 7D 7H", **house) == [("TOO_MANY_GROUPS", "TN-11")]
    assert refusals(at("7D 7H", "7S", "3S"), "7S 7D", **house) == []
    assert refusals(at("3C 4S 2C 5C", "7S", "3S"), "7S 3C 4S", **house) == []


# ---- cases from other programs


def test_C005_every_card_lies_somewhere() -> None:  # noqa: N802
    _, state = new_deal(tablanet, Rules(1), 3, SeededChance(5))
    while state.turn is not None:
        move = next(tablanet.legal_moves(Rules(1), state))
        state = tablanet.evolve(state, state.turn, move, tablanet.play(Rules(1), state, state.turn, move, CHANCE))
        assert sorted(tablanet.held(state)) == sorted(PACK)


@pytest.mark.parametrize("lost", ["piles", "table", "stock", "hands"])
def test_C005_a_lost_card_is_missed(lost: str) -> None:  # noqa: N802
    full = at("3S", "4S", "5S", stock=("6S",), piles=(("7S",), ()))
    empty = ((), ()) if lost in {"piles", "hands"} else ()
    short = msgspec.structs.replace(full, **{lost: empty})
    assert len(tablanet.held(full)) == 5
    assert len(tablanet.held(short)) == (3 if lost == "hands" else 4)


def test_C062_the_same_card_twice() -> None:  # noqa: N802
    state = at("3H 4C", "6S", "2S")
    verdict = tablanet.judge(Rules(1), state, 0, play("6S 3H 3H"))
    assert isinstance(verdict, Illegal)
    assert [(v.code, v.params["cards"]) for v in verdict.violations] == [("DUPLICATE_CAPTURE", ("3H",))]


def test_C063_cards_not_held_not_there_not_removed() -> None:  # noqa: N802
    state = at("9C QC", "7S 8S", "KH 2H")
    assert refusals(state, "KH") == [("CARD_NOT_IN_HAND", "TN-8")]
    assert refusals(state, "7S 7C") == [("CARD_NOT_ON_TABLE", "TN-10")]
    _, state = after(state, "7S")
    assert state.hands == (("8S",), ("KH", "2H"))
    _, state = after(state, "2H")
    assert state.hands == (("8S",), ("KH",))
    assert ("CARD_NOT_IN_HAND", "TN-8") in refusals(state, "7S 7S")
    assert refusals(state, "7S 7C 7C")[0] == ("CARD_NOT_IN_HAND", "TN-8")


def test_C067_overlapping_sums() -> None:  # noqa: N802
    def takes(table: str, card: str) -> set[frozenset[str]]:
        return {frozenset(m.captures) for m in tablanet.legal_moves(Rules(1), at(table, card, "2C"))}

    assert takes("3H 4D 4C", "7S") == {frozenset({"3H", "4D"}), frozenset({"3H", "4C"})}
    assert frozenset({"3H", "3S", "4D", "4C"}) in takes("3H 3S 4D 4C", "7S")
    assert after(at("3H 3S 4D 4C", "7S 9S", "2C"), "7S 3H 3S 4D 4C")[0].tablanet
    assert takes("AD 2H 5S 6S", "8D") == {frozenset({"AD", "2H", "5S"}), frozenset({"2H", "6S"})}


def test_C048_exactly_on_the_target() -> None:  # noqa: N802
    target = Rules(1).target
    assert [winners((total, 9), target) for total in (250, 251, 252)] == [(), (0,), (0,)]


def test_C047_the_tie_rule_is_a_house_rule() -> None:  # noqa: N802
    assert winners((260, 260), 251, Rules(1).tie) == ()
    assert winners((260, 260), 251, Rules(1, tie="shared").tie) == (0, 1)


def test_C050_the_target_reached_by_the_bonus_alone() -> None:  # noqa: N802
    gained = points([("3S", "4S", "5S"), ("AS", "AH")], deal_bonus="most_cards")
    assert gained == [3, 2]
    assert winners((249 + gained[0], 200 + gained[1]), 251) == (0,)


def test_C050_a_bonus_in_mid_deal_waits_for_the_count() -> None:  # noqa: N802
    effects, state = after(at("7D", "7S 3H", "KS KH"), "7S 7D", tablanet_bonus="one_point")
    assert (effects.bonus, effects.next, state.bonuses) == (1, 1, (1, 0))
    assert winners((250 + 1, 245 + 8), 251) == (1,)


@pytest.mark.parametrize("duty", ["any", "maximal"])
@pytest.mark.parametrize("units", ["any", "one_of_each"])
def test_the_first_moves_do_not_wait_for_the_rest(duty: Any, units: Any) -> None:
    table = " ".join(card for card in PACK if card[0] in "A23456")
    rules = Rules("either", capture_duty=duty, max_sum_cards="unlimited", units_per_capture=units)
    move = next(tablanet.legal_moves(rules, at(table, "KS", "2C")))
    assert tablanet.judge(rules, at(table, "KS", "2C"), 0, move) == LEGAL
