"""Shuffles made with real cards, told with the move that caused them: right, wrong, too many, by whom, or not at all."""

from typing import Any

import msgspec
import pytest

from referee.rules import tabu
from referee.rules.cards import Cards
from tests.conftest import SQLITE
from tests.dealing import SeededChance, new_deal, random_line, rules_of
from tests.http.table import Opened, Table

pytestmark = SQLITE
RULES: dict[str, Any] = {"target": 200, "must_play": "free"}


@pytest.fixture
def due(table: Table) -> tuple[Opened, dict[str, Any], list[Cards]]:
    """A told deal just before a move that shuffles: the match, the move with its seat, and the orders that came of it."""
    match = table.open("tabu", 2, **RULES)
    rules, chance = rules_of(tabu, **RULES), SeededChance(5)
    layout, first = new_deal(tabu, rules, 2, chance)
    assert match.scorekeeper.post("/deals", {"layout": msgspec.to_builtins(layout)}).status_code == 201
    for _, seat, move, effects in random_line(tabu, rules, first, chance):
        body = {"seat": seat, "move": msgspec.to_builtins(move)}
        if orders := tabu.outcomes(effects):
            return match, body, list(orders)
        assert match.scorekeeper.post("/deals/1/moves", body).status_code == 201
    raise AssertionError("no shuffle in this deal")


def told(match: Opened, body: dict[str, Any], orders: Any, who: str = "scorekeeper") -> Any:
    return getattr(match, who).post("/deals/1/moves", body | {"told": orders})


Due = tuple[Opened, dict[str, Any], list[Cards]]


def test_the_order_told_is_the_order_kept(due: Due) -> None:
    match, body, orders = due
    reply = told(match, body, orders, "arbiter")
    assert reply.status_code == 201
    effects = match.arbiter.get("/deals/1/events?limit=500").json()["events"][-1]["event"]["effects"]
    kept = [*effects.get("renewed", []), *([effects["reserve_after"]] if "reserve_after" in effects else [])]
    assert kept == [list(order) for order in orders]


def test_wrong_cards_are_named(due: Due) -> None:
    match, body, orders = due
    before = match.scorekeeper.get("/deals/1").json()
    gone, came = orders[0][0], next(card for card in tabu.ONE_PACK if card not in orders[0])
    reply = told(match, body, [(came, *orders[0][1:]), *orders[1:]])
    assert reply.status_code == 422
    assert reply.json()["errors"][0]["pointer"] == "#/told"
    message = reply.json()["errors"][0]["message"]
    assert came in message
    assert gone in message
    assert told(match, body, [orders[0][1:], *orders[1:]]).status_code == 422
    assert told(match, body, [["99"]]).json()["errors"][0]["pointer"] == "#/told/0/0"
    assert match.scorekeeper.get("/deals/1").json() == before


def test_too_many_orders(due: Due) -> None:
    match, body, orders = due
    reply = told(match, body, [*orders, orders[0]])
    assert reply.status_code == 422
    assert f"shuffles {len(orders)} times" in reply.json()["errors"][0]["message"]


def test_none_told_the_referee_shuffles(due: Due) -> None:
    match, body, orders = due
    assert match.scorekeeper.post("/deals/1/moves", body).status_code == 201
    effects = match.arbiter.get("/deals/1/events?limit=500").json()["events"][-1]["event"]["effects"]
    made = [*effects.get("renewed", []), *([effects["reserve_after"]] if "reserve_after" in effects else [])]
    assert [sorted(order) for order in made] == [sorted(order) for order in orders]


def test_not_for_a_seat(due: Due) -> None:
    match, body, orders = due
    reply = match.seats[body["seat"]].post("/deals/1/moves", body | {"told": orders})
    assert reply.status_code == 403


@pytest.mark.parametrize("who", ["seat", "arbiter"])
def test_not_where_the_referee_dealt(table: Table, who: str) -> None:
    match = table.open("tabu", 2, **RULES)
    assert match.seats[0].post("/deals", {}).status_code == 201
    move = match.seats[1].get("/deals/1/legal-moves").json()["moves"][0]
    phone = match.seats[1] if who == "seat" else match.arbiter
    assert phone.post("/deals/1/moves", {"seat": 1, "move": move, "told": [["AS"]]}).status_code == 403
    assert phone.move(1, 1, move).status_code == 201
