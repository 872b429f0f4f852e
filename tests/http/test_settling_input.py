"""What is settled after the fact takes nothing in that it should not, from nobody who may not, and says why."""

import random
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from referee.rules.cards import PACK
from tests.conftest import SQLITE
from tests.http.settle import STEPS, as_move, layout_of, play, settle, tablanet_match
from tests.http.table import Opened, Table

pytestmark = SQLITE

MOVES: list[Any] = [
    as_move(STEPS[0]["move"]),
    {"type": "tablanet.play", "card": "AS", "captures": []},
    {"type": "tabu.draw"},
    {"type": "tabu.play", "card": "X"},
    {"type": "sabo.hand", "card": "4H"},
    {"type": "sabo.place", "place": 10**6},
    {"type": "tablanet.play", "card": "?", "captures": ["?"]},
    {},
    None,
    "4H",
]
TALLIES: list[Any] = [
    {"type": "sabo", "tricks": [4, 4, 3, 2]},
    {"type": "sabo", "tricks": []},
    {"type": "tabu"},
    {"type": "tabu", "captured": [["KS"], []], "hands": [[], ["X"]], "out": 0},
    {"type": "tablanet", "piles": [list(PACK[:20]), list(PACK[20:])]},
    {"type": "tablanet", "counts": [1] * 99},
    {"type": "tablanet", "card_points": [10**6, 0], "bonus": [7]},
    {"type": "tablanet"},
    5,
]
ASKS: list[Any] = [
    {"kind": "take_back", "deal": 1, "kept": 0},
    {"kind": "take_back", "deal": 100_000, "kept": 99_999},
    {"kind": "correct_move", "deal": 1, "number": 1, "move": MOVES[0]},
    {"kind": "let_stand", "deal": 1, "seat": 99, "move": MOVES[2]},
    {"kind": "let_stand", "deal": 2, "seat": 0, "move": MOVES[0]},
    {"kind": "correct_score", "deal": 1, "tally": TALLIES[0]},
    {"kind": "adjust_points", "deal": 1, "points": {"0": -2, "1": 10_000}},
    {"kind": "adjust_points", "deal": 1, "points": {"7": 1}},
    {"kind": "adjust_points", "deal": 1, "points": {"x": 1}},
    {"kind": "void_deal", "deal": 3},
    {"kind": "join", "name": "\x00"},
    {"kind": "leave", "seat": 99},
    {"kind": "substitute", "seat": 0, "player": str(uuid4())},
    {"kind": "abandon"},
    {"kind": "win"},
    None,
]
VALUES: dict[str, list[Any]] = {
    "kept": [0, 1, 47, 48, 100_000, 10**6, -1, "1", None],
    "number": [1, 2, 48, 49, 100_000, 0],
    "move": MOVES,
    "tally": TALLIES,
    "seat": [0, 1, 2, 99, 100, -1],
    "let_stand": [True, False, "yes"],
    "why": ["so it was", "", " ", "\u202e", "x" * 501, 5, None, "ok 🐺"],
    "agreed": [[], [0, 1], [0], [5, 5], [-1], "all"],
    "name": ["Dora", "", "\n", "x" * 65, None],
    "player": [str(uuid4()), "nobody"],
    "total": [0, -5, 251, 10**7],
    "ask": ASKS,
    "remedy": ASKS,
    "upheld": [True, False, None],
    "alphabet": ["ru", "klingon"],
    "seen": [[], ["4H"], ["?"], ["X"] * 109],
    "told": [[], [["4H", "5H"]]],
    "colour": ["red"],
}
PATHS = {
    "/deals/{n}/take-backs": ["kept", "agreed", "why"],
    "/deals/{n}/corrections": ["number", "move", "let_stand", "agreed", "why", "seen", "alphabet"],
    "/deals/{n}/irregular-moves": ["seat", "move", "agreed", "why", "seen", "told"],
    "/deals/{n}/score-corrections": ["tally", "agreed", "why"],
    "/deals/{n}/void": ["agreed", "why", "colour"],
    "/deals/{n}/disputes": ["move", "why"],
    "/seats": ["name", "player", "total", "why", "agreed"],
    "/seats/{n}/departure": ["why", "agreed"],
    "/seats/{n}/substitution": ["name", "player", "why", "agreed"],
    "/proposals": ["ask", "why", "alphabet"],
    "/proposals/{n}/answers": ["upheld", "agreed"],
    "/disputes/{n}/rulings": ["upheld", "why", "remedy", "alphabet"],
    "/disputes/{n}/rulings/1/confirmation": ["colour"],
    "/abandonment": ["why"],
}
GO_BY_A_VERSION = [path for path in PATHS if "disputes" not in path or path.endswith("rulings")]
GO_BY_A_VERSION = [path for path in GO_BY_A_VERSION if "proposals" not in path]
NUMBERS = [1, 2, 3, 4, 0, -1, 10**6, 2**70]
ALLOWED = {200, 201, 400, 401, 403, 404, 409, 412, 422, 428}


def busy(table: Table, consent: str) -> Iterator[Opened]:
    """Matches with a finished deal, a dispute, a proposal, and a deal that is being played."""
    while True:
        body = {
            "game": "tablanet",
            "seats": [{"name": "Ana"}, {"name": "Bob"}],
            "house_rules": {"ace_value": 1, "target": 10_000},
            "first_dealer": {"seat": 1},
            "consent": consent,
        }
        match = Opened(table.client, table.ask(body).json())
        tally = {"type": "tablanet", "piles": [list(PACK[:20]), list(PACK[20:])]}
        assert match.scorekeeper.post("/deals", {"number": 1, "tally": tally}).status_code == 201
        _, layout = layout_of("tablanet", 2, 0, 4)
        assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
        for _ in range(3):
            legal = match.scorekeeper.get("/deals/2/legal-moves").json()
            assert match.scorekeeper.move(2, legal["seat"], legal["moves"][0]).status_code == 201
        assert match.seats[0].post("/deals/2/disputes", {"move": 1}).status_code == 201
        assert match.seats[0].post("/proposals", {"ask": ASKS[0]}).status_code == 201
        yield match


@pytest.mark.parametrize("consent", ["spoken", "tokens"])
def test_no_input_is_a_fault_of_ours(table: Table, consent: str) -> None:
    chance = random.Random(consent)
    matches = busy(table, consent)
    match = next(matches)
    met = set()
    for turn in range(700):
        form = chance.choice(list(PATHS))
        path = form.format(n=chance.choice([1, 2, *NUMBERS]))
        body: Any = {name: chance.choice(VALUES[name]) for name in PATHS[form] if chance.random() < 0.8}
        if form.endswith("/answers"):
            body = {"agreed": chance.choice([True, False, 1])}
        if form.endswith("/disputes"):
            body["move"] = chance.choice(VALUES["number"])
        phone = chance.choice([match.arbiter, match.arbiter, match.scorekeeper, *match.seats, match.spectator])
        version = phone.get("/deals/2" if chance.random() < 0.5 else "").headers.get("etag", '"1"')
        reply = phone.post(path, body, **({"if_match": version} if chance.random() < 0.9 else {}))
        assert reply.status_code in ALLOWED, (path, body, reply.text)
        met.add(reply.status_code)
        if reply.status_code >= 400:
            assert all(reply.json()[name] for name in ("detail", "code", "type")), (path, body)
        if turn % 40 == 39:
            match = next(matches)
    assert met >= {201, 403, 404, 409, 412, 422, 428}


@pytest.mark.parametrize("path", GO_BY_A_VERSION)
def test_what_changes_the_record_says_which_version_it_goes_by(table: Table, path: str) -> None:
    match = next(busy(table, "spoken"))
    body = {
        name: value
        for name, value in {
            "kept": 2,
            "number": 1,
            "move": MOVES[0],
            "seat": 0,
            "tally": TALLIES[4],
            "upheld": False,
            "name": "Dora",
            "why": "so",
        }.items()
        if name in PATHS[path] and not (name == "move" and "disputes" in path)
    }
    before = match.arbiter.get().json()
    where = path.format(n=2 if "deals" in path else 1)
    missing = match.arbiter.post(where, body)
    assert (missing.status_code, missing.json()["code"]) == (428, "IF_MATCH_REQUIRED")
    stale = match.arbiter.post(where, body, if_match='"1"')
    assert (stale.status_code, stale.json()["code"]) == (412, "MOVED_ON")
    assert stale.json()["asked"]["body"] == body
    assert stale.json()["recorded"][0]["version"] == 2
    assert match.spectator.post(where, body, if_match=stale.headers["etag"]).status_code == 403
    assert match.nobody.post(where, body, if_match=stale.headers["etag"]).status_code == 401
    assert match.arbiter.get().json() == before


def test_the_same_request_twice_is_carried_out_once(table: Table) -> None:
    match = tablanet_match(table, 4)
    tag = match.scorekeeper.get("/deals/1").headers["etag"]
    asked = [
        match.scorekeeper.post("/deals/1/take-backs", {"kept": 3}, if_match=tag, idempotency_key="k") for _ in range(3)
    ]
    assert [reply.status_code for reply in asked] == [201] * 3
    assert [reply.headers.get("idempotent-replayed") for reply in asked] == [None, "true", "true"]
    assert asked[0].json() == asked[1].json() == asked[2].json()
    assert asked[0].headers["etag"] == asked[2].headers["etag"] == match.scorekeeper.get("/deals/1").headers["etag"]
    assert match.scorekeeper.get("/deals/1").json()["moves"] == 3
    other = match.scorekeeper.post("/deals/1/take-backs", {"kept": 2}, if_match=tag, idempotency_key="k")
    assert (other.status_code, other.json()["code"]) == (422, "KEY_REUSED")


def test_another_game_s_move_or_result_is_not_judged(table: Table) -> None:
    match = tablanet_match(table, 2)
    for path, body, at in (
        ("corrections", {"number": 1, "move": {"type": "tabu.draw"}}, "#/move/type"),
        ("irregular-moves", {"seat": 0, "move": {"type": "sabo.hand", "card": "4H"}}, "#/move/type"),
    ):
        reply = settle(match.arbiter, f"/deals/1/{path}", body | {"why": "so"})
        assert (reply.status_code, reply.json()["errors"][0]["pointer"]) == (422, at)
    play(match, 1, 2, len(STEPS))
    reply = settle(match.scorekeeper, "/deals/1/score-corrections", {"tally": {"type": "sabo", "tricks": [4, 4, 3, 2]}})
    assert (reply.status_code, reply.json()["errors"][0]["pointer"]) == (422, "#/tally/type")
