"""Tabu against the vectors: what a turn allows, scores, whole deals and broken off ones."""

from typing import Any

import msgspec
import pytest

from referee.rules import tabu
from referee.rules.cards import without
from referee.rules.chance import Told
from referee.rules.tabu import DRAW, KEEP, PASS, Draw, Effects, Layout, Move, Opening, Play, Rules, State
from referee.rules.target import winners
from referee.rules.verdict import LEGAL, Illegal
from tests.rules.tabu_table import Shuffler, make, points
from tests.vectors_of import cases


def rules_of(case: dict[str, Any]) -> Rules:
    return msgspec.convert({"target": 100, **case.get("house_rules", {})}, Rules)


def turn_state(case: dict[str, Any], rules: Rules) -> State:
    """The position of a turn case, seat 0 to act; a card drawn in this turn is really drawn."""
    barren = 1 if case["renewals"] and not case["capture_since_renewal"] else 0
    hand, drawn = tuple(case["hand"]), case["drawn"]
    hands = ((without(hand, [drawn]) if drawn else hand), *((("2S",),) * (case["players"] - 1)))
    reserve = ((drawn,) if drawn else ()) + ("2S",) * case["reserve"]
    captured = ((),) * case["players"]
    state = State(
        case["players"] - 1, 0, hands, tuple(case["row"]), reserve, ("3S",) * case["discard"], captured, barren,
        forced=case["forced_draw"],
    )  # fmt: skip
    return make(state, DRAW, rules=rules)[1] if drawn else state


@pytest.mark.parametrize("case", cases("tabu_turns"), ids=lambda case: "-".join([*case["row"], case["drawn"] or ""]))
def test_turns(case: dict[str, Any]) -> None:
    rules, expect = rules_of(case), case["expect"]
    state = turn_state(case, rules)
    assert (state.turn == 1) == expect["turn_ends"]
    if expect["turn_ends"]:
        return
    legal: set[Move] = {Play(card) for card in expect["playable"]}
    legal |= {move for move, key in ((DRAW, "draw"), (KEEP, "keep"), (PASS, "pass")) if expect[key]}
    assert set(tabu.legal_moves(rules, state)) == legal
    asked: list[Move] = [*(Play(card) for card in case["hand"]), DRAW, KEEP, PASS]
    for move in asked:
        assert (tabu.judge(rules, state, 0, move) == LEGAL) == (move in legal)
    if expect["draw"]:
        effects = tabu.play(rules, state, 0, DRAW, Shuffler(0))
        assert (effects.end == "blocked") == expect["draw_blocks"]
    for card, due in expect["plays"].items():
        effects = tabu.play(rules, state, 0, Play(card), Shuffler(0))
        assert list(effects.captured) == due["taken"]
        assert list(effects.discarded) == due["discarded"]
        assert (effects.end == "went_out") == due["goes_out"]
        row = tabu.evolve(state, 0, Play(card), effects).row
        assert sorted(without(row, without(effects.turned, effects.set_aside))) == due["row"]


@pytest.mark.parametrize("case", cases("tabu_scores"), ids=lambda case: str(case["points"]))
def test_scores(case: dict[str, Any]) -> None:
    hands, captured = (tuple(tuple(part) for part in case[key]) for key in ("hands", "captured"))
    state = State(0, None, hands, (), (), (), captured, out=case["out"])
    assert points(state) == case["points"]


@pytest.mark.parametrize("case", [case for case in cases("match_ends") if case["game"] == "tabu"], ids=str)
def test_match_ends(case: dict[str, Any]) -> None:
    won = winners(case["new_totals"], case["target"])
    assert won == (() if case["winner"] is None else (case["winner"],))


def move_of(move: dict[str, Any]) -> Move:
    if "card" in move:
        return Play(move["card"])
    return DRAW if "draw" in move else KEEP if "keep" in move else PASS


@pytest.mark.parametrize("case", cases("transcripts/tabu"), ids=lambda case: case.get("refusal", "whole"))
def test_transcript(case: dict[str, Any]) -> None:
    rules, seats = rules_of(case), case["players"]
    layout = msgspec.convert({"type": "tabu", **case["layout"]}, Layout)
    assert tabu.check_layout(rules, seats, layout) == ()
    state = tabu.start(case["dealer"], layout)
    for step in case["steps"]:
        if "legal" in step:
            assert set(tabu.legal_moves(rules, state)) == {move_of(move) for move in step["legal"]}
        facts = dict(step["effects"])
        if facts.get("end") == "went_out":
            facts["out"] = case["out"]
        move = move_of(step["move"])
        if isinstance(move, Draw):
            facts["drawn"] = step["move"]["draw"]
        expected = msgspec.convert({"type": "tabu", **facts}, Effects)
        assert step["seat"] == state.turn
        effects, state = make(state, move, *(" ".join(order) for order in tabu.outcomes(expected)), rules=rules)
        assert effects == expected
        assert without(tabu.held(state), tabu.pack(rules, seats)) == ()
    if "points" in case:
        assert points(state) == case["points"]
        assert state.out == case["out"]
        assert list(tabu.legal_moves(rules, state)) == []
    if "illegal" in case:
        verdict = tabu.judge(rules, state, case["illegal"]["seat"], move_of(case["illegal"]["move"]))
        assert isinstance(verdict, Illegal)
        codes = [violation.code for violation in verdict.violations]
        assert codes[0] == case["refusal"]
        assert set(case.get("refusal_also", ())) <= set(codes)


@pytest.mark.parametrize("case", cases("transcripts/tabu"), ids=lambda case: case.get("refusal", "whole"))
def test_opening(case: dict[str, Any]) -> None:
    """The pack as it lay before the deal gives the layout, hands one card at a time from the dealer's left (TB-3)."""
    rules, seats, hands = rules_of(case), case["players"], case["layout"]["hands"]
    order = [(case["dealer"] + 1 + place) % seats for place in range(seats)]
    dealt = [hands[seat][place] for place in range(tabu.HAND_SIZE) for seat in order]
    opening = Opening(tuple(case["opening"]["turned"]), tuple(case["opening"]["set_aside"]))
    told = Told([tuple(case["layout"]["reserve"])] if opening.set_aside else [])
    found = tabu.lay_out(rules, seats, case["dealer"], (*dealt, *case["opening"]["reserve_before"]), told)
    assert told.rest == []
    assert found == msgspec.convert({"type": "tabu", "opening": opening, **case["layout"]}, Layout)
