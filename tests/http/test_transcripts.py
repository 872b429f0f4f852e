"""Whole deals of the vectors through HTTP: listed moves, effects, refusals, points."""

from typing import Any

import pytest

from tests.http.table import Table
from tests.vectors_of import cases


def play_as(card: str, captures: list[str]) -> dict[str, Any]:
    return {"type": "tablanet.play", "card": card, "captures": captures}


@pytest.mark.parametrize("case", cases("transcripts/tablanet"), ids=lambda case: case.get("refusal", "whole"))
def test_tablanet(table: Table, case: dict[str, Any]) -> None:
    match = table.open("tablanet", case["players"], case["dealer"], **case["house_rules"])
    keeper = match.scorekeeper
    layout = {"type": "tablanet", **case["layout"]}
    assert keeper.post("/deals", {"layout": layout}).status_code == 201
    for step in case["steps"]:
        if "legal" in step:
            listed = keeper.get("/deals/1/legal-moves?limit=500").json()
            assert listed["next"] is None
            legal = [{"card": m["card"], "captures": sorted(m["captures"])} for m in listed["moves"]]
            assert sorted(legal, key=lambda m: (m["card"], m["captures"])) == step["legal"]
        made = keeper.move(1, step["seat"], play_as(**step["move"]))
        assert made.status_code == 201, made.text
        effects = {"next": None} | made.json()["effects"]
        effects.pop("type")
        effects.pop("bonus", None)
        for hands in [shown["batch"] for shown in (effects, step["effects"]) if "batch" in shown]:
            hands[:] = [sorted(hand) for hand in hands]
        assert effects == step["effects"]
    deal = keeper.get("/deals/1").json()
    assert deal["points"] == case.get("points")
    if "illegal" in case:
        refused = keeper.move(1, case["illegal"]["seat"], play_as(**case["illegal"]["move"]))
        assert refused.status_code == 422
        assert refused.headers["content-type"] == "application/problem+json"
        assert refused.json()["code"] == case["refusal"]
        assert refused.json()["clause"].startswith("TN-")
        assert keeper.get("/deals/1").json() == deal
        assert len(keeper.get("/deals/1/events").json()["events"]) == deal["version"]
