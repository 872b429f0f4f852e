"""Sabo against the vectors: legal cards, winners of tricks, whole deals."""

from typing import Any

import msgspec
import pytest

from referee.rules import sabo
from referee.rules.cards import without
from referee.rules.chance import Told
from referee.rules.sabo import TRICK_ORDERS, Hand, Layout, Move, Place, Rules, State
from referee.rules.verdict import LEGAL, Illegal
from tests.vectors_of import cases


def rules_of(case: dict[str, Any]) -> Rules:
    return msgspec.convert(case["house_rules"], Rules)


def move_of(move: dict[str, Any]) -> Move:
    return Hand(move["card"]) if move["from"] == "hand" else Place(move["place"])


@pytest.mark.parametrize("case", cases("sabo_plays"), ids=lambda case: f"{case['led']}-{'-'.join(case['hand'])}")
def test_plays(case: dict[str, Any]) -> None:
    rules, seats, hand, led = rules_of(case), case["players"], tuple(case["hand"]), case["led"]
    unseen = [card for card in sabo.pack(rules, seats) if card not in hand]
    face_down = tuple(unseen[: case["sabo"]])
    state = State(0, 1, ((), hand, *((),) * (seats - 2)), ((), face_down, *((),) * (seats - 2)), 0, (0,) * seats)
    state = msgspec.structs.replace(state, led=led)
    found = list(sabo.legal_moves(rules, state))
    assert sorted(move.card for move in found if isinstance(move, Hand)) == case["legal_cards"]
    assert [move.place for move in found if isinstance(move, Place)] == list(
        range(case["sabo"] if case["sabo_legal"] else 0)
    )
    for card in hand:
        assert (sabo.judge(rules, state, 1, Hand(card)) == LEGAL) == (card in case["legal_cards"]), card
    for place in range(case["sabo"]):
        assert (sabo.judge(rules, state, 1, Place(place)) == LEGAL) == case["sabo_legal"]


@pytest.mark.parametrize("case", cases("sabo_tricks"), ids=lambda case: "-".join(case["cards"]))
def test_tricks(case: dict[str, Any]) -> None:
    assert {name: order(tuple(case["cards"])) for name, order in TRICK_ORDERS.items()} == case["winner"]


@pytest.mark.parametrize("case", cases("transcripts/sabo"), ids=lambda case: case.get("refusal", "whole"))
def test_transcript(case: dict[str, Any]) -> None:
    rules, seats = rules_of(case), case["players"]
    layout = msgspec.convert({"type": "sabo", **case["layout"]}, Layout)
    assert sabo.check_layout(rules, seats, layout) == ()
    state = sabo.start(case["dealer"], layout)
    for step in case["steps"]:
        if "legal" in step:
            found = list(sabo.legal_moves(rules, state))
            assert len(found) == len(step["legal"])
            assert set(found) == {move_of(move) for move in step["legal"]}
        move = move_of(step["move"])
        assert sabo.judge(rules, state, step["seat"], move) == LEGAL
        effects = sabo.play(rules, state, step["seat"], move, Told(()))
        shown = msgspec.json.decode(msgspec.json.encode(effects))
        assert shown == {"type": "sabo", "card": step["move"]["card"], **step["effects"]}
        state = sabo.evolve(state, step["seat"], move, effects)
        assert without(sabo.held(state), sabo.pack(rules, seats)) == ()
    if "points" in case:
        assert (state.turn is None) == (case["end"] == "played_out")
        assert [sum(line.values()) for line in sabo.score(rules, state)] == case["points"]
    if "illegal" in case:
        verdict = sabo.judge(rules, state, case["illegal"]["seat"], move_of(case["illegal"]["move"]))
        assert isinstance(verdict, Illegal)
        codes = [violation.code for violation in verdict.violations]
        assert codes[0] == case["refusal"]
        assert set(case.get("refusal_also", ())) <= set(codes)
