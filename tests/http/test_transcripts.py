"""Whole deals of the vectors through HTTP: listed moves, effects, refusals, points."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from tests.http.table import Phone, Table
from tests.vectors_of import cases

Move = dict[str, Any]


def tablanet_move(told: Move) -> Move:
    return {"type": "tablanet.play", "captures": [], **told}


def tabu_move(told: Move) -> Move:
    return {"type": "tabu.play", **told} if "card" in told else {"type": f"tabu.{next(iter(told))}"}


def sabo_move(told: Move) -> Move:
    if told["from"] == "sabo":
        return {"type": "sabo.place", "place": told["place"]}
    return {"type": "sabo.hand", "card": told["card"]}


def tablanet_effects(effects: Move) -> Move:
    return {name: sorted(map(sorted, v)) if name == "batch" else v for name, v in effects.items() if name != "bonus"}


def tabu_effects(effects: Move) -> Move:
    """The vectors give empty lists where there are none of a kind, and the drawn card in the move."""
    return {
        name: part for name, part in effects.items() if part not in ([], None, False) and name not in ("drawn", "out")
    }


def sabo_effects(effects: Move) -> Move:
    return {name: part for name, part in effects.items() if name != "card" and part is not None}


GAMES: dict[str, tuple[Callable[[Move], Move], Callable[[Move], Move]]] = {
    "tablanet": (tablanet_move, tablanet_effects),
    "tabu": (tabu_move, tabu_effects),
    "sabo": (sabo_move, sabo_effects),
}
WHOLE = [(game, case) for game in GAMES for case in cases(f"transcripts/{game}")]


def told_by(effects: Move) -> list[list[str]]:
    """The orders that a step's shuffles gave, in the order in which they fell due."""
    return [*effects.get("renewed", ()), *([effects["reserve_after"]] if effects.get("reserve_after") else ())]


def in_order(moves: list[Move]) -> list[str]:
    return sorted(json.dumps(move, sort_keys=True) for move in moves)


def listed(keeper: Phone) -> list[str]:
    answer = keeper.get("/deals/1/legal-moves?limit=500").json()
    assert answer["next"] is None
    return in_order(
        [{**move, "captures": sorted(move["captures"])} if "captures" in move else move for move in answer["moves"]]
    )


@pytest.mark.parametrize(("game", "case"), WHOLE, ids=[f"{g}-{c.get('refusal', 'whole')}" for g, c in WHOLE])
def test_transcript(table: Table, game: str, case: dict[str, Any]) -> None:
    move_of, effects_of = GAMES[game]
    rules = {"target": 200} | case["house_rules"] if game == "tabu" else case["house_rules"]
    match = table.open(game, case["players"], case["dealer"], **rules)
    keeper = match.scorekeeper
    assert keeper.post("/deals", {"layout": {"type": game, **case["layout"]}}).status_code == 201
    for step in case["steps"]:
        if "legal" in step:
            assert listed(keeper) == in_order([move_of(move) for move in step["legal"]])
        body = {"seat": step["seat"], "move": move_of(step["move"]), "told": told_by(step["effects"])}
        made = keeper.post("/deals/1/moves", body)
        assert made.status_code == 201, made.text
        effects = made.json()["effects"]
        assert effects.pop("type") == game
        if "draw" in step["move"]:
            assert effects.get("drawn") == step["move"]["draw"]
        if step["move"].get("from") == "sabo":
            assert effects["card"] == step["move"]["card"]
        assert effects_of({"next": None} | effects) == effects_of(step["effects"])
    deal = keeper.get("/deals/1").json()
    assert deal["points"] == case.get("points")
    if "out" in case:
        assert deal["state"]["out"] == case["out"]
    if "illegal" in case:
        refused = keeper.move(1, case["illegal"]["seat"], move_of(case["illegal"]["move"]))
        assert refused.status_code == 422
        assert refused.headers["content-type"] == "application/problem+json"
        codes = [violation["code"] for violation in refused.json()["violations"]]
        assert refused.json()["code"] == codes[0] == case["refusal"]
        assert set(codes) >= set(case.get("refusal_also", ()))
        assert keeper.get("/deals/1").json() == deal
        assert len(keeper.get("/deals/1/events").json()["events"]) == deal["version"]
