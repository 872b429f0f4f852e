"""Moves from hands that nobody has seen, one by one: what is refused, what is claimed, what the table tells (rules 5)."""

from typing import Any

import pytest

from referee.rules import sabo, tablanet, tabu
from referee.rules.cards import HIDDEN, PUBLIC
from referee.rules.chance import Told, WrongOutcome
from referee.rules.game import GAMES, Game
from referee.rules.hands import check_hands, hands_due, show_hands
from referee.rules.proof import Record, proofs
from referee.rules.sabo import Hand, Place
from referee.rules.verdict import LEGAL, Claim, Illegal, Undecided, Verdict
from referee.rules.words import texts_of
from tests.rules.observing import Made

TABLE = ("2S", "3H", "5D", "7C")
CLASSIC: dict[str, Any] = {"tablanet": tablanet.Rules(1), "tabu": tabu.Rules(100), "sabo": sabo.Rules()}


def start(game: Game, seats: int = 2, cards: tuple[str, ...] = TABLE, rules: Any = None) -> Any:
    """An observed deal about to begin, seat 0 to act."""
    return game.start(seats - 1, game.lay_open(rules or CLASSIC[game.NAME], seats, cards))


def make(game: Game, state: Any, move: Any, *seen: str, rules: Any = None, seat: int | None = None) -> tuple[Any, Any]:
    """A move that is not refused: its verdict and the state after it."""
    rules, seat = rules or CLASSIC[game.NAME], state.turn if seat is None else seat
    verdict = game.judge(rules, state, seat, move)
    assert not isinstance(verdict, Illegal), verdict
    told = Told((), seen)
    effects = game.play(rules, state, seat, move, told)
    assert told.unseen == []
    assert game.outcomes(effects) == ()
    after = game.evolve(state, seat, move, effects)
    assert len(game.held(after)) == len(game.held(state))
    return verdict, after


def refused(game: Game, state: Any, move: Any, seat: int | None = None, rules: Any = None) -> list[tuple[str, str]]:
    verdict = game.judge(rules or CLASSIC[game.NAME], state, state.turn if seat is None else seat, move)
    assert isinstance(verdict, Illegal)
    return [(one.code, one.clause) for one in verdict.violations]


# ---- layouts


@pytest.mark.parametrize(
    ("name", "cards", "codes"),
    [
        ("tablanet", TABLE, []),
        ("tablanet", TABLE[:3], ["DEAL_SIZES"]),
        ("tablanet", ("2S", "2S", "3H", "7C"), ["CARD_SEEN_TWICE"]),
        ("tablanet", ("2S", "X", "3H", "7C"), ["PACK_MISMATCH"]),
        ("tablanet", ("2S", "JC", "3H", "7C"), ["JACK_ON_TABLE"]),
        ("tablanet", ("JC", "JC", "X", "7C"), ["JACK_ON_TABLE", "PACK_MISMATCH", "CARD_SEEN_TWICE"]),
        ("tabu", TABLE, []),
        ("tabu", TABLE[:3], ["DEAL_SIZES"]),
        ("tabu", (*TABLE, "8S"), ["DEAL_SIZES"]),
        ("tabu", ("2S", "X", "3H", "JC"), ["SPECIAL_IN_ROW"]),
        ("tabu", ("2S", "2S", "3H", "7C"), ["CARD_SEEN_TWICE"]),
        ("tabu", ("2S", "?", "3H", "7C"), ["PACK_MISMATCH"]),
        ("sabo", (), []),
        ("sabo", ("2S",), ["NOT_OPEN"]),
    ],
)
def test_what_lies_open(name: str, cards: tuple[str, ...], codes: list[str]) -> None:
    game = GAMES[name]
    layout = game.lay_open(CLASSIC[name], 2, cards)
    assert [fault.code for fault in game.check_open(CLASSIC[name], 2, layout)] == codes
    assert "PACK_MISMATCH" in [fault.code for fault in game.check_layout(CLASSIC[name], 2, layout)]


def test_a_short_row_only_where_nothing_but_specials_may_be_left() -> None:
    rules = tabu.Rules(100)
    assert tabu.check_open(rules, 20, tabu.lay_open(rules, 20, TABLE[:2])) == ()
    assert tabu.check_open(rules, 19, tabu.lay_open(rules, 19, TABLE[:2])) == ()
    assert tabu.check_open(rules, 18, tabu.lay_open(rules, 18, TABLE[:2])) != ()


@pytest.mark.parametrize("name", GAMES)
def test_a_named_card_cannot_be_observed_face_down(name: str) -> None:
    game = GAMES[name]
    layout = game.lay_open(CLASSIC[name], 2, TABLE if name != "sabo" else ())
    hands = (("9S", *layout.hands[0][1:]), layout.hands[1])
    told = type(layout)(hands, *(getattr(layout, field) for field in layout.__struct_fields__[1:3] if field != "hands"))
    assert [fault.code for fault in game.check_open(CLASSIC[name], 2, told)] == ["NOT_OPEN"]


# ---- Tablanet: everything is public


def test_tablanet_is_judged_at_once() -> None:
    state = start(tablanet)
    assert refused(tablanet, state, tablanet.Play("7S")) == [("CAPTURE_REQUIRED", "TN-12")]
    assert refused(tablanet, state, tablanet.Play("7S", ("2S",))) == [("CAPTURE_NOT_VALID", "TN-10")]
    assert refused(tablanet, state, tablanet.Play("2S", ())) == [
        ("CARD_SEEN_TWICE", "TN-1"),
        ("CAPTURE_REQUIRED", "TN-12"),
    ]
    assert refused(tablanet, state, tablanet.Play("X"))[0] == ("CARD_NOT_IN_HAND", "TN-8")
    assert refused(tablanet, state, tablanet.Play("QS"), seat=1) == [("NOT_YOUR_TURN", "TN-7")]
    verdict, state = make(tablanet, state, tablanet.Play("7S", ("2S", "5D", "7C")))
    assert verdict == LEGAL
    assert refused(tablanet, state, tablanet.Play("5D")) == [("CARD_SEEN_TWICE", "TN-1")]
    assert (state.hands[0], state.piles[0]) == ((HIDDEN,) * 5, ("2S", "5D", "7C", "7S"))
    _, state = make(tablanet, state, tablanet.Play("3S", ("3H",)))
    assert state.tablanets == (0, 1)


def test_tablanet_a_batch_is_six_cards_a_player() -> None:
    cards = iter(f"{rank}{suit}" for rank in ("K", "Q", "9", "8", "10") for suit in "SHDC")
    state = start(tablanet, rules=(rules := tablanet.Rules(1, capture_duty="optional")))
    for _ in range(11):
        _, state = make(tablanet, state, tablanet.Play(next(cards)), rules=rules)
    assert state.hands == ((), (HIDDEN,))
    _, state = make(tablanet, state, tablanet.Play(next(cards)), rules=rules)
    assert (state.hands, len(state.stock), state.turn) == (((HIDDEN,) * 6,) * 2, 24, 0)


# ---- Tabu


def test_tabu_a_draw_claims_that_nothing_could_be_played() -> None:
    verdict, state = make(tabu, start(tabu), tabu.DRAW)
    ranks = ("2", "3", "5", "7", "J", "X")
    assert verdict == Undecided((Claim("NOTHING_PLAYABLE", "TB-7", 0, {"ranks": ranks}),))
    assert (state.turn, state.drawn, state.hands[0]) == (0, HIDDEN, (HIDDEN,) * 6)
    assert refused(tabu, state, tabu.DRAW) == [("DRAW_NOT_ALLOWED", "TB-8")]
    assert refused(tabu, state, tabu.PASS) == [("MUST_PLAY", "TB-8")]
    verdict, kept = make(tabu, state, tabu.KEEP)
    assert verdict == Undecided((Claim("DRAWN_NOT_PLAYABLE", "TB-8", 0, {"ranks": ranks}),))
    assert (kept.turn, kept.drawn) == (1, None)
    verdict, played = make(tabu, state, tabu.Play("7S"), "8D")
    assert verdict == Undecided((Claim("DRAWN_PLAYED", "TB-8", 0, {"card": "7S"}),))
    assert played.captured[0] == ("7C", "7S")


@pytest.mark.parametrize(
    ("must_play", "drawing", "keeping"),
    [("strict", "2 3 5 7 J X", "2 3 5 7 J X"), ("matches_only", "2 3 5 7", "2 3 5 7"), ("free", "", "")],
)
def test_tabu_claims_follow_the_house_rule(must_play: Any, drawing: str, keeping: str) -> None:
    rules = tabu.Rules(100, must_play=must_play)
    drew, state = make(tabu, start(tabu), tabu.DRAW, rules=rules)
    kept, _ = make(tabu, state, tabu.KEEP, rules=rules)
    for verdict, ranks in ((drew, drawing), (kept, keeping)):
        claimed = " ".join(verdict.claims[0].params["ranks"]) if isinstance(verdict, Undecided) else ""
        assert claimed == ranks


def test_tabu_nothing_to_draw_is_public_and_nothing_to_play_a_claim() -> None:
    state = tabu.State(1, 0, ((HIDDEN, HIDDEN), (HIDDEN,)), ("2S",), (), (), (("9S", "9H"), ()))
    assert refused(tabu, state, tabu.DRAW) == [("NOTHING_TO_DRAW", "TB-13")]
    verdict, _ = make(tabu, state, tabu.PASS, rules=tabu.Rules(100, must_play="free"))
    assert verdict == Undecided((Claim("NOTHING_PLAYABLE", "TB-7", 0, {"ranks": ("2", "J", "X")}),))
    assert refused(tabu, start(tabu), tabu.PASS) == [("MUST_DRAW", "TB-8")]


def test_tabu_public_duties() -> None:
    state = start(tabu)
    assert refused(tabu, state, tabu.Play("9S")) == [("NO_MATCH", "TB-6")]
    assert refused(tabu, state, tabu.Play("2S")) == [("CARD_SEEN_TWICE", "TB-1")]
    _, state = make(tabu, state, tabu.Play("JS"), "X", "9S", "JD", "9H", "9D", "9C")
    assert (state.row, state.turn, state.forced) == (("9S", "9H", "9D", "9C"), 1, True)
    assert (len(state.reserve), len(state.discard)) == (40 - 4, 5)
    assert refused(tabu, state, tabu.Play("JH")) == [("FORCED_DRAW_PENDING", "TB-10")]
    verdict, state = make(tabu, state, tabu.DRAW)
    assert verdict == LEGAL
    assert (state.turn, state.drawn, state.forced) == (1, None, False)
    verdict, state = make(tabu, state, tabu.Play("X"))
    assert [len(hand) for hand in state.hands] == [5, 6]


def test_tabu_a_renewed_reserve_is_unseen_again() -> None:
    state = tabu.State(1, 0, ((HIDDEN,) * 3, (HIDDEN,) * 2), ("2S", "9S"), (HIDDEN,), ("KS", "KH"), (("QS", "QH"), ()))
    effects = tabu.play(tabu.Rules(100), state, 0, tabu.Play("JS"), Told((), ("5S", "2S", "JS", "KS", "KH")))
    assert effects.renewed == ((HIDDEN,) * 5,)
    assert (effects.set_aside, effects.reserve_after) == (("JS",), (HIDDEN,) * 2)
    after = tabu.evolve(state, 0, tabu.Play("JS"), effects)
    assert (after.row, after.reserve, after.discard) == (("5S", "2S", "KS", "KH"), (HIDDEN,) * 2, ())
    with pytest.raises(WrongOutcome) as wrong:
        tabu.play(tabu.Rules(100), state, 0, tabu.Play("JS"), Told((), ("QS",)))
    assert wrong.value.violation is not None
    assert wrong.value.violation.code == "CARD_SEEN_TWICE"


def test_tabu_hands_are_shown_to_be_counted() -> None:
    state = tabu.State(1, None, ((), (HIDDEN,) * 2), ("2S",), (HIDDEN,), (), (("KS", "KH"), ("QS", "QH")), out=0)
    assert hands_due(state)
    assert not hands_due(start(tabu))
    rules = tabu.Rules(100)
    wrong = {
        (("2H",), ("3H",)): ["HAND_SIZES"],
        ((), ("KS", "3H")): ["CARD_SEEN_TWICE"],
        ((), ("?", "3H")): ["PACK_MISMATCH"],
        ((), ("3H", "3H")): ["CARD_SEEN_TWICE"],
        ((), ("X", "X")): [],
    }
    for hands, codes in wrong.items():
        assert [fault.code for fault in check_hands(tabu, rules, state, hands)] == codes
    shown = show_hands(state, ((), ("KD", "AS")))
    assert tabu.score(rules, shown) == ({"captured": 24, "in_hand": 0}, {"captured": 22, "in_hand": -13})
    assert not hands_due(shown)


def test_tabu_a_card_that_was_elsewhere() -> None:
    """Ten hands leave no reserve, so what a renewal brings up can only be what was discarded."""
    rules = tabu.Rules(100, packs=1)
    layout = tabu.lay_open(rules, 10, TABLE)
    state, steps = tabu.start(9, layout), list[Made]()
    assert state.reserve == ()
    for card, seen in (("2H", ()), ("JS", ("9S", "3H", "5D", "7C"))):
        move = tabu.Play(card)
        assert tabu.judge(rules, state, len(steps), move) == LEGAL
        steps.append(Made(len(steps), move, tabu.play(rules, state, len(steps), move, Told((), seen))))
        state = tabu.evolve(state, len(steps) - 1, move, steps[-1].effects)
    assert tabu.check_record(rules, Record(9, layout, steps[:1])) == ()
    record = Record(9, layout, steps)
    assert [(fault.code, fault.params) for fault in tabu.check_record(rules, record)] == [
        ("CARD_ELSEWHERE", {"cards": ("JS", "9S", "3H", "5D", "7C")})
    ]
    good = steps[1].effects
    for seen in (("3H", "5D", "7C", "JS"), ("JS", "5D", "7C", "3H")):
        effects = tabu.play(
            rules, tabu.evolve(tabu.start(9, layout), 0, *steps[0][1:]), 1, steps[1].move, Told((), seen)
        )
        assert tabu.check_record(rules, Record(9, layout, [steps[0], Made(1, steps[1].move, effects)])) == ()
        assert effects.renewed == good.renewed


# ---- Sabo


def test_sabo_claims() -> None:
    void = Claim("NO_LED_SUIT_HELD", "SB-7", 1, {"led": "D"})
    _, state = make(sabo, start(sabo, 4, ()), Hand("4D"))
    expected: dict[Hand | Place, Verdict] = {
        Hand("5D"): LEGAL,
        Hand("5C"): Undecided((void,)),
        Hand("5H"): Undecided((void, Claim("LOWEST_OF_SUIT", "SB-8", 1, {"card": "5H", "led": "D"}))),
        Place(0): Undecided((void,)),
    }
    for move, verdict in expected.items():
        assert sabo.judge(sabo.Rules(), state, 1, move) == verdict
    assert sabo.judge(sabo.Rules(discard_low="any"), state, 1, Hand("5H")) == Undecided((void,))
    assert refused(sabo, state, Hand("4D")) == [("CARD_SEEN_TWICE", "SB-2")]
    assert refused(sabo, state, Hand("X")) == [("CARD_NOT_IN_HAND", "SB-6")]
    assert refused(sabo, state, Hand("5D"), seat=2) == [("NOT_YOUR_TURN", "SB-4")]
    assert refused(sabo, state, Place(9)) == [("SABO_POSITION_EMPTY", "SB-5")]


def test_sabo_the_card_that_appears_is_told() -> None:
    _, state = make(sabo, start(sabo, 4, ()), Place(2), "9H")
    assert (state.led, state.sabo[0]) == ("H", (HIDDEN, HIDDEN, None, HIDDEN, HIDDEN))
    assert refused(sabo, state, Place(2), seat=0)[1:] == [
        ("SABO_POSITION_EMPTY", "SB-5"),
        ("CARD_ALREADY_PLAYED", "SB-5"),
        ("PLAYED_TO_TRICK", "SB-11"),
    ]
    for seen in ((), ("9H",), ("X",)):
        with pytest.raises(WrongOutcome):
            sabo.play(sabo.Rules(), state, 1, Place(0), Told((), seen))


def test_sabo_leading_from_sabo_is_public() -> None:
    rules = sabo.Rules(lead_from_sabo="empty_hand_only")
    assert refused(sabo, start(sabo, 4, ()), Place(0), rules=rules) == [("SABO_NOT_ALLOWED", "SB-6")]
    for move in (Hand("2S"), Place(0)):
        assert sabo.judge(sabo.Rules(), start(sabo, 4, ()), 0, move) == LEGAL


def test_sabo_claims_are_open_until_the_cards_are_out() -> None:
    state, steps = start(sabo, 2, ()), []
    statuses = []
    for move in (Hand("4D"), Hand("5C"), Hand("6C"), Hand("7C"), Hand("KD"), Hand("AD")):
        told = Made(state.turn, move, sabo.play(sabo.Rules(), state, state.turn, move, Told()))
        steps.append(told)
        state = sabo.evolve(state, told.seat, move, told.effects)
        record = Record(1, sabo.lay_open(sabo.Rules(), 2, ()), steps)
        statuses.append([(proof.status, proof.by) for proof in proofs(sabo, sabo.Rules(), record)])
    # seat 1, who had no diamond to the 4D, leads one from hand in trick 3
    assert statuses == [[], *[[("open", None)]] * 3, *[[("refuted", 5)]] * 2]


# ---- what was let stand


def test_let_stand_in_tablanet() -> None:
    rules = tablanet.Rules(1, tablanet_bonus="card_values")
    state = tablanet.State(1, 0, (("9S", "KS"), ("2H", "3H")), ("2S", "QD"), (), ((), ()), (0, 0), (0, 0))
    move = tablanet.Play("9S", ("2S", "QD"))
    assert {code for code, _ in refused(tablanet, state, move)} == {"CAPTURE_NOT_VALID"}
    effects = tablanet.play(rules, state, 0, move, Told())
    assert (effects.tablanet, effects.bonus) == (True, 9 + 2 + 13)
    after = tablanet.evolve(state, 0, move, effects)
    assert (after.table, after.piles[0], after.turn) == ((), ("2S", "9S", "QD"), 1)


@pytest.mark.parametrize("name", ["tablanet", "tabu"])
def test_out_of_turn_the_skipped_seat_acts_next(name: str) -> None:
    """Rules 4.2: both stand in the order made."""
    game, rules = GAMES[name], CLASSIC[name]
    state = start(game, 3)
    move = tablanet.Play("QS") if name == "tablanet" else tabu.Play("7S")
    assert [code for code, _ in refused(game, state, move, seat=1)] == ["NOT_YOUR_TURN"]
    assert "NOT_YOUR_TURN" in game.CAN_STAND
    effects = game.play(rules, state, 1, move, Told((), ("8D",)))
    assert effects.next == 0
    after = game.evolve(state, 1, move, effects)
    assert [len(hand) for hand in after.hands] == ([4, 3, 4] if name == "tablanet" else [5, 4, 5])


def test_out_of_turn_the_forced_draw_is_still_owed() -> None:
    _, state = make(tabu, start(tabu), tabu.Play("JS"), "9S", "8H", "8D", "8C")
    effects = tabu.play(CLASSIC["tabu"], state, 0, tabu.Play("8S"), Told((), ("4S", "4H", "4D")))
    assert (effects.next, effects.forced_draw) == (1, "pending")
    assert tabu.evolve(state, 0, tabu.Play("8S"), effects).forced


def test_tablanet_a_seat_without_cards_is_passed_over() -> None:
    state = tablanet.State(2, 1, (("9S",), ("KS",), ()), ("2S",), (), ((), (), ()), (0,) * 3, (0,) * 3)
    assert tablanet.play(tablanet.Rules(1), state, 1, tablanet.Play("KS"), Told()).next == 0


def test_passes_that_were_not_due_do_not_block() -> None:
    state = tabu.State(1, 0, (("9S",), ("9H",)), ("2S",), ("8S",), (), ((), ()))
    for seat in (0, 1):
        effects = tabu.play(tabu.Rules(100), state, seat, tabu.PASS, Told())
        assert effects.end is None
        state = tabu.evolve(state, seat, tabu.PASS, effects)
    assert state.passes == 0


@pytest.mark.parametrize(
    ("name", "move", "effects", "revealed"),
    [
        ("tablanet", tablanet.Play("2S"), tablanet.Effects(1), False),
        ("tablanet", tablanet.Play("2S"), tablanet.Effects(1, batch=(("3S",), ("4S",))), True),
        ("tabu", tabu.Play("2S"), tabu.Effects(1, captured=("2S", "2H")), False),
        ("tabu", tabu.Play("2S"), tabu.Effects(1, captured=("2S", "2H"), turned=("3S",)), True),
        ("tabu", tabu.Play("X"), tabu.Effects(1, discarded=("X",), draws=((1, "3S"),)), True),
        ("tabu", tabu.DRAW, tabu.Effects(1, drawn=HIDDEN), True),
        ("tabu", tabu.DRAW, tabu.Effects(None, end="blocked"), False),
        ("tabu", tabu.PASS, tabu.Effects(1), False),
        ("sabo", Hand("2S"), sabo.Effects("2S", 1, "S", 1), False),
        ("sabo", Place(0), sabo.Effects("2S", 1, "S", 1), True),
    ],
)
def test_reveals(name: str, move: Any, effects: Any, revealed: bool) -> None:
    assert GAMES[name].reveals(move, effects) is revealed


@pytest.mark.parametrize("name", GAMES)
def test_what_can_stand_are_refusals_with_a_text(name: str) -> None:
    assert set(texts_of("common")["code"]) >= GAMES[name].CAN_STAND
    assert {"CARD_NOT_IN_HAND", "CARD_NOT_ON_TABLE", "DUPLICATE_CAPTURE", "CARD_SEEN_TWICE"}.isdisjoint(
        GAMES[name].CAN_STAND
    )


def test_public_sight_of_a_known_deal_is_an_observed_one() -> None:
    state = tabu.State(1, 0, (("9S",), ("9H",)), ("2S",), ("8S",), (), ((), ()))
    assert tabu.judge(tabu.Rules(100), tabu.hide_state(state, PUBLIC), 0, tabu.Play("2H")) == LEGAL
