"""Tablanet against the vectors: captures, scores, whole deals."""

from typing import Any

import msgspec
import pytest

from referee.rules import tablanet
from referee.rules.cards import without
from referee.rules.chance import Told
from referee.rules.tablanet import Layout, Leftovers, Play, Rules, State
from referee.rules.verdict import LEGAL, Illegal
from tests.vectors_of import cases


def rules_of(case: dict[str, Any]) -> Rules:
    return msgspec.convert(case["house_rules"], Rules)


def at(table: list[str], hand: list[str], **more: Any) -> State:
    """A two-player state with seat 0 to act."""
    blank = {"piles": ((), ()), "tablanets": (0, 0), "bonuses": (0, 0), "stock": ()} | more
    return State(dealer=1, turn=0, hands=(tuple(hand), ("2S",)), table=tuple(table), **blank)


@pytest.mark.parametrize("case", cases("tablanet_captures"), ids=lambda case: f"{case['tag']}-{case['card']}")
def test_captures(case: dict[str, Any]) -> None:
    rules, state = rules_of(case), at(case["table"], [case["card"]])
    found = [sorted(move.captures) for move in tablanet.legal_moves(rules, state, case["card"])]
    assert sorted(found) == case["legal_captures"]
    for captures in found:
        assert tablanet.judge(rules, state, 0, Play(case["card"], tuple(captures))) == LEGAL
        effects = tablanet.play(rules, state, 0, Play(case["card"], tuple(captures)), Told(()))
        assert effects.tablanet == (captures in case["tablanet"])
    for taken in range(1 << min(len(case["table"]), 6)):
        captures = sorted(card for place, card in enumerate(case["table"]) if taken >> place & 1)
        verdict = tablanet.judge(rules, state, 0, Play(case["card"], tuple(captures)))
        assert (verdict == LEGAL) == (captures in case["legal_captures"]), captures


@pytest.mark.parametrize("case", cases("tablanet_scores"), ids=lambda case: str(case["points"]))
def test_scores(case: dict[str, Any]) -> None:
    rules, seats = rules_of(case), case["players"]
    bonuses = [0] * seats
    for sweep in case["tablanets"]:
        # the sweep is played on exactly the cards it takes
        move = Play(sweep["card"], tuple(sweep["captures"]))
        effects = tablanet.play(rules, at(sweep["captures"], [sweep["card"]]), 0, move, Told(()))
        assert effects.tablanet
        bonuses[sweep["seat"]] += effects.bonus
    piles = [tuple(pile) for pile in case["piles"]]
    if case["last_capturer"] is not None:
        leftovers = Leftovers(case["last_capturer"], tuple(case["leftovers"]))
        piles[leftovers.to] += leftovers.cards
    blank = ((),) * seats
    state = State(0, None, blank, (), (), tuple(piles), (0,) * seats, tuple(bonuses), case["last_capturer"])
    lines = tablanet.score(rules, state)
    assert [sum(line.values()) for line in lines] == case["points"]


@pytest.mark.parametrize("case", cases("transcripts/tablanet"), ids=lambda case: case.get("refusal", "whole"))
def test_transcript(case: dict[str, Any]) -> None:
    rules, seats = rules_of(case), case["players"]
    layout = msgspec.convert({"type": "tablanet", **case["layout"]}, Layout)
    assert tablanet.check_layout(rules, seats, layout) == ()
    state = tablanet.start(case["dealer"], layout)
    for step in case["steps"]:
        if "legal" in step:
            legal = [{"card": m.card, "captures": sorted(m.captures)} for m in tablanet.legal_moves(rules, state)]
            assert sorted(legal, key=lambda m: (m["card"], m["captures"])) == step["legal"]
        move = Play(step["move"]["card"], tuple(step["move"]["captures"]))
        assert tablanet.judge(rules, state, step["seat"], move) == LEGAL
        effects = tablanet.play(rules, state, step["seat"], move, Told(()))
        shown = {"next": None} | msgspec.json.decode(msgspec.json.encode(effects))
        shown.pop("type")
        shown.pop("bonus", None)
        expected = step["effects"]
        for hands in [d["batch"] for d in (shown, expected) if "batch" in d]:
            hands[:] = [sorted(hand) for hand in hands]
        assert shown == expected
        state = tablanet.evolve(state, step["seat"], move, effects)
        assert without(tablanet.held(state), tablanet.pack(rules, seats)) == ()
    if "points" in case:
        assert [sum(line.values()) for line in tablanet.score(rules, state)] == case["points"]
    if "illegal" in case:
        move = Play(case["illegal"]["move"]["card"], tuple(case["illegal"]["move"]["captures"]))
        verdict = tablanet.judge(rules, state, case["illegal"]["seat"], move)
        assert isinstance(verdict, Illegal)
        assert verdict.violations[0].code == case["refusal"]
