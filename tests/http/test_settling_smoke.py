"""A first walk through what is settled after the fact."""

from tests.http.table import Table
from tests.vectors_of import cases

CASE = cases("transcripts/tablanet")[0]


def start(table: Table, **more: object):
    match = table.open("tablanet", CASE["players"], CASE["dealer"], **CASE["house_rules"])
    assert match.scorekeeper.post("/deals", {"layout": {"type": "tablanet", **CASE["layout"]}}).status_code == 201
    return match


def play(match, steps):
    for step in steps:
        made = match.scorekeeper.move(1, step["seat"], {"type": "tablanet.play", **step["move"]})
        assert made.status_code == 201, made.text


def test_walk(table: Table) -> None:
    match = start(table)
    keeper, arbiter = match.scorekeeper, match.arbiter
    play(match, CASE["steps"][:4])
    tag = keeper.get("/deals/1").headers["etag"]
    before = keeper.get("/deals/1/replay?move=3").json()["deal"]["state"]
    back = keeper.post("/deals/1/take-backs", {"kept": 3}, if_match=tag)
    assert back.status_code == 201, back.text
    assert back.json()["deal"]["state"] == before
    assert keeper.post("/deals/1/take-backs", {"kept": 0}).status_code == 428
    tag = keeper.get("/deals/1").headers["etag"]
    refused = keeper.post("/deals/1/take-backs", {"kept": 0}, if_match=tag)
    assert refused.status_code == 409
    assert refused.json()["code"] == "CONSENT_MISSING"
    agreed = keeper.post("/deals/1/take-backs", {"kept": 2, "agreed": [0, 1], "why": "we mixed it up"}, if_match=tag)
    assert agreed.status_code == 201, agreed.text
    play(match, CASE["steps"][2:])
    totals = keeper.get().json()["totals"]
    assert totals == CASE["points"]
    tag = keeper.get("/deals/1").headers["etag"]
    first = CASE["steps"][0]
    other = next(move for move in first["legal"] if move != first["move"])
    moved = arbiter.post(
        "/deals/1/corrections", {"number": 1, "move": {"type": "tablanet.play", **other}, "why": "x"}, if_match=tag
    )
    assert moved.status_code == 409, moved.text
    assert moved.json()["code"] == "LATER_MOVES_ILLEGAL"
    raised = match.seats[1].post("/deals/1/disputes", {"move": 2, "why": "that was wrong"})
    assert raised.status_code == 201, raised.text
    assert keeper.get().json()["disputed"] == [1]
    assert keeper.get("/disputes/1").status_code == 200
    tag = keeper.get().headers["etag"]
    ruling = {"upheld": True, "why": "so it was", "remedy": {"kind": "adjust_points", "deal": 1, "points": {"0": -2}}}
    ruled = arbiter.post("/disputes/1/rulings", ruling, if_match=tag)
    assert ruled.status_code == 201, ruled.text
    assert ruled.json()["match"]["totals"] == [totals[0] - 2, totals[1]]
    tag = keeper.get().headers["etag"]
    assert (
        arbiter.post("/disputes/1/rulings", {"upheld": False, "why": "thought again"}, if_match=tag).status_code == 201
    )
    assert keeper.get().json()["totals"] == totals
    assert arbiter.post("/disputes/1/rulings/2/confirmation", {}).status_code == 201
    tag = keeper.get().headers["etag"]
    void = arbiter.post("/deals/1/void", {"why": "wrong pack"}, if_match=tag)
    assert void.status_code == 201, void.text
    assert void.json()["match"]["totals"] == [0, 0]
    assert void.json()["match"]["next_dealer"] == CASE["dealer"]


def test_tallied_and_observed(table: Table) -> None:
    match = table.open("sabo", 4)
    keeper = match.scorekeeper
    wrong = keeper.post("/deals", {"tally": {"type": "sabo", "tricks": [4, 4, 3, 3]}})
    assert wrong.status_code == 422, wrong.text
    assert wrong.json()["code"] == "TRICKS_SUM"
    good = keeper.post("/deals", {"tally": {"type": "sabo", "tricks": [4, 4, 3, 2]}, "number": 1})
    assert good.status_code == 201, good.text
    assert keeper.get().json()["totals"] == [4, 4, 3, 2]
    tag = keeper.get().headers["etag"]
    fixed = keeper.post("/deals/1/score-corrections", {"tally": {"type": "sabo", "tricks": [5, 3, 3, 2]}}, if_match=tag)
    assert fixed.status_code == 201, fixed.text
    assert keeper.get().json()["totals"] == [5, 3, 3, 2]
    assert keeper.post("/deals", {"tally": {"type": "sabo", "tricks": [4, 4, 3, 2]}, "number": 1}).status_code == 409
    open_ = keeper.post("/deals", {"open": []})
    assert open_.status_code == 201, open_.text
    lead = keeper.move(2, 2, {"type": "sabo.hand", "card": "4H"})
    assert lead.status_code == 201, lead.text


def test_tokens(table: Table) -> None:
    reply = table.ask(
        {
            "game": "tablanet",
            "seats": [{"name": "A"}, {"name": "B"}, {"name": "C"}],
            "house_rules": {"ace_value": 1},
            "consent": "tokens",
            "first_dealer": {"seat": 0},
        }
    )
    from tests.http.table import Opened

    match = Opened(table.client, reply.json())
    assert match.scorekeeper.post("/deals", {}).status_code == 201
    put = match.seats[0].post(
        "/proposals", {"ask": {"kind": "substitute", "seat": 1, "name": "Dora"}, "why": "he must go"}
    )
    assert put.status_code == 201, put.text
    assert match.seats[1].post("/proposals/1/answers", {"agreed": True}).status_code == 201
    last = match.seats[2].post("/proposals/1/answers", {"agreed": True})
    assert last.status_code == 201, last.text
    assert last.json()["match"]["seats"][1]["name"] == "Dora"
    assert match.seats[1].get().status_code == 401
