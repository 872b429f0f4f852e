"""C075: rules that change do so for new matches; an old one goes on under its own, totals, replay and audit included."""

from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest

from referee.match import deal_id
from referee.rules import tablanet
from referee.rules.game import GAMES, RULESETS
from referee.store.scan import Scan
from referee.verify import verify
from tests.http.table import Table
from tests.store.two import CASE, MOVES, at, play_all, served

BONUS = 10


def second() -> Any:
    """A test-only `tablanet@2`: whoever has points has ten more, and every layout is refused whose bottom card is the 2C."""

    def score(rules: Any, state: Any) -> tuple[dict[str, int], ...]:
        lines = tablanet.score(rules, state)
        return tuple({**line, "aces": line["aces"] + BONUS} for line in lines)

    parts = {name: getattr(tablanet, name) for name in dir(tablanet) if not name.startswith("__")}
    return SimpleNamespace(**{**parts, "RULESET": "tablanet@2", "score": score})


def laid(table: Table) -> Any:
    opened = table.open("tablanet", 2, CASE["dealer"], **CASE["house_rules"])
    reply = opened.scorekeeper.post("/deals", {"layout": {"type": "tablanet", **CASE["layout"]}})
    assert reply.status_code == 201
    return opened


def test_old_and_new_side_by_side(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with served(database) as client:
        finished, halfway = laid(Table(client)), laid(Table(client))
        play_all(finished.scorekeeper)
        for seat, move in MOVES[:10]:
            assert halfway.scorekeeper.move(1, seat, move).status_code == 201
        before = finished.scorekeeper.get("/deals/1/replay").json()
    newer = second()
    monkeypatch.setitem(RULESETS, "tablanet@2", newer)
    monkeypatch.setitem(GAMES, "tablanet", newer)
    with served(database) as client:
        assert at(client, finished.scorekeeper).get("/deals/1/replay").json() == before
        for match, first in ((finished, None), (halfway, 10)):
            keeper = at(client, match.scorekeeper)
            if first is not None:
                play_all(keeper, first)
            shown = keeper.get("").json()
            assert shown["ruleset"] == "tablanet@1"
            assert shown["totals"] == CASE["points"]
        new = laid(Table(client))
        play_all(new.scorekeeper)
        shown = new.scorekeeper.get("").json()
        assert shown["ruleset"] == "tablanet@2"
        assert shown["totals"] == [points + BONUS for points in CASE["points"]]
    scan = Scan(database)
    assert [found for checked in verify(scan) for found in checked.damage] == []
    monkeypatch.setitem(RULESETS, "tablanet@1", newer)
    wrong = [found for checked in verify(scan) for found in checked.damage]
    scan.close()
    assert {(found.match, found.deal, found.what) for found in wrong} == {
        (UUID(match.id), 1, "points") for match in (finished, halfway)
    }
    assert {found.stream for found in wrong} == {deal_id(UUID(match.id), 1) for match in (finished, halfway)}
