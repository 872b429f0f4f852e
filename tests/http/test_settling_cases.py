"""Cases of corrections, totals and seats that other projects failed, over HTTP; each test is named after its case."""
# ruff: noqa: N802

import json
from itertools import accumulate
from typing import Any

from referee.api import spreadsheet
from referee.rules.cards import PACK
from tests.conftest import SQLITE
from tests.http.settle import (
    STEPS,
    as_move,
    bare,
    lay,
    layout_of,
    play,
    recount,
    sabo_match,
    settle,
    tablanet_match,
    tally,
)
from tests.http.table import Opened, Phone, Table

pytestmark = SQLITE

# ---- totals


def running(match: dict[str, Any], seat: int) -> list[int]:
    """A seat's total after each deal that counts."""
    return list(accumulate(line["points"][seat] for line in match["deals"] if line["points"] and not line["voided"]))


def test_C001_one_number_everywhere_after_a_correction(table: Table) -> None:
    match = sabo_match(table, (10, 1, 1, 1), (8, 2, 2, 1), (6, 3, 2, 2))
    assert running(match.spectator.get().json(), 0) == [10, 18, 24]
    reply = settle(match.scorekeeper, *recount(1, 7, 2, 2, 2))
    assert reply.status_code == 201, reply.text
    now = match.spectator.get().json()
    assert running(reply.json()["match"], 0) == running(now, 0) == [7, 15, 21]
    assert now["totals"] == reply.json()["match"]["totals"] == [21, 7, 6, 5]
    sheet = match.spectator.get(f"/totals?min_position={reply.json()['position']}").json()
    assert [deal["totals"][0] for deal in sheet["deals"]] == [7, 15, 21]
    assert [seat["total"] for seat in sheet["seats"]] == now["totals"]
    last = match.spectator.get("/events").json()["events"][-1]["event"]
    assert (last["type"], last["totals"]) == ("ScoreCorrected", now["totals"])
    exported = match.spectator.get("/record")
    assert exported.json()["match"][-1]["event"]["totals"] == now["totals"]
    checked = table.take_in(exported.content, "/v1/records/check")
    assert checked.json()["legal"], checked.text


def test_C004_a_deal_must_add_up(table: Table) -> None:
    match = table.open("sabo", 4)
    for tricks, total in (((4, 4, 3, 3), 14), ((3, 3, 3, 3), 12)):
        reply = tally(match, *tricks)
        assert (reply.status_code, reply.json()["code"]) == (422, "TRICKS_SUM")
        found = reply.json()["violations"][0]["params"]
        assert (found["given"], found["total"], found["difference"]) == (total, 13, total - 13)
        assert "13" in reply.json()["detail"]
        assert str(total) in reply.json()["detail"]
        assert match.scorekeeper.get().json()["version"] == 2
    assert tally(match, 4, 4, 3, 2).status_code == 201


def test_C005_a_card_that_is_missing_is_named(table: Table) -> None:
    match = table.open("tablanet", 2)
    piles = [list(PACK[:26]), [card for card in PACK[26:] if card != "7C"]]
    body = {"number": 1, "tally": {"type": "tablanet", "piles": piles}}
    reply = match.scorekeeper.post("/deals", body)
    assert reply.status_code == 422
    assert "7C" in json.dumps(reply.json()["violations"])
    piles[1].append("7C")
    assert match.scorekeeper.post("/deals", body).status_code == 201


def test_C011_points_below_zero(table: Table) -> None:
    match = table.open("tabu", 2, target=100)
    counted = {"type": "tabu", "captured": [["2S"], ["KS"]], "hands": [[], ["KH", "QH"]], "out": 0, "points": [0, -11]}
    reply = match.scorekeeper.post("/deals", {"number": 1, "tally": counted})
    assert reply.status_code == 201, reply.text
    now = match.scorekeeper.get().json()
    assert now["totals"] == [0, -11] == now["deals"][0]["points"]
    sheet = match.spectator.get(f"/totals?min_position={reply.json()['position']}").json()
    assert [(seat["rank"], seat["total"]) for seat in sheet["seats"]] == [(1, 0), (2, -11)]
    file = spreadsheet.read(match.spectator.get("/totals.csv").content)
    assert [line[4:] for line in file[1:]] == [["0", "0"], ["-11", "-11"]]
    exported = match.scorekeeper.get("/record")
    assert '"totals":[0,-11]' in exported.text
    assert table.take_in(exported.content, "/v1/records/check").json()["legal"]


# ---- corrections


def test_C013_a_deal_in_the_middle_is_corrected_in_place(table: Table) -> None:
    match = sabo_match(table, (10, 1, 1, 1), (8, 2, 2, 1), (6, 3, 2, 2))
    assert lay_sabo(match).status_code == 201
    before = match.scorekeeper.get().json()
    reply = settle(match.scorekeeper, *recount(2, 3, 7, 2, 1, why="two rows were swapped"))
    assert reply.status_code == 201, reply.text
    now = reply.json()["match"]
    assert now["deals"][2:] == before["deals"][2:]
    assert now["totals"] == [19, 11, 5, 4]
    assert now["deals"][1]["revision"] == 2
    old = match.spectator.get(f"?version={before['version']}").json()
    assert old["deals"][1]["points"] == [8, 2, 2, 1]
    written = match.spectator.get("/events").json()["events"][-1]
    assert (written["by"], written["why"]) == ("scorekeeper", "two rows were swapped")
    assert written["at"]
    assert written["event"]["why"] != written["why"]


def lay_sabo(match: Opened) -> Any:
    now = match.scorekeeper.get().json()
    at_table = [seat["seat"] for seat in now["seats"] if not seat["left"]]
    _, layout = layout_of("sabo", len(at_table), at_table.index(now["next_dealer"]), 5)
    return match.scorekeeper.post("/deals", {"layout": layout})


def test_C014_a_correction_reopens_the_match(table: Table) -> None:
    match = sabo_match(table, *[(8, 2, 2, 1)], *[(9, 2, 1, 1)] * 4, (7, 2, 2, 2))
    over = match.scorekeeper.get().json()
    assert (over["state"], over["winners"], over["totals"][0]) == ("won", [0], 51)
    assert tally(match, 4, 4, 3, 2).json()["code"] == "MATCH_OVER"
    again = match.scorekeeper.post("/rematch", {}).json()["match"]["id"]
    reply = settle(match.arbiter, *recount(6, 4, 5, 2, 2, why="read from the wrong line"))
    now = reply.json()["match"]
    assert (now["state"], now["winners"], now["totals"][0], now["amended"]) == ("open", [], 48, True)
    assert now["rematches"] == [again]
    assert tally(match, 4, 4, 3, 2).status_code == 201
    assert match.scorekeeper.get().json()["winners"] == [0]
    assert match.scorekeeper.get().json()["amended"]


def test_C016_taking_back_the_end_of_a_deal_restores_everything(table: Table) -> None:
    match = tablanet_match(table, len(STEPS))
    second = {"number": 2, "tally": {"type": "tablanet", "piles": [list(PACK[:20]), list(PACK[20:])]}}
    assert match.scorekeeper.post("/deals", second).status_code == 201
    assert lay(match).status_code == 201
    play(match, 3, 0, len(STEPS) - 1)
    seen = [match.arbiter.get(path) for path in ("", "/deals/3", "/deals/3/legal-moves")]
    play(match, 3, len(STEPS) - 1, len(STEPS))
    assert match.arbiter.get().json()["running"] is None
    back = settle(match.seats[STEPS[-1]["seat"]], "/deals/3/take-backs", {"kept": len(STEPS) - 1})
    assert back.status_code == 201, back.text
    now = [match.arbiter.get(path) for path in ("", "/deals/3", "/deals/3/legal-moves")]
    assert bare(now[0].json()) == bare(seen[0].json())
    assert {**now[1].json(), "version": 0} == {**seen[1].json(), "version": 0}
    assert now[2].json()["moves"] == seen[2].json()["moves"]


def test_C017_a_take_back_is_in_the_log(table: Table) -> None:
    match = tablanet_match(table)
    keeper = match.scorekeeper
    step = STEPS[0]
    other = next(move for move in step["legal"] if move != step["move"])
    seen = []
    for path, body in (
        ("/deals/1/moves", {"seat": step["seat"], "move": as_move(step["move"])}),
        ("/deals/1/take-backs", {"kept": 0}),
        ("/deals/1/moves", {"seat": step["seat"], "move": as_move(other)}),
    ):
        assert settle(keeper, path, body).status_code == 201
        seen.append(keeper.get("/deals/1").json())
    events = keeper.get("/deals/1/events").json()["events"]
    assert [entry["event"]["type"] for entry in events[1:]] == ["CardPlayed", "MovesTakenBack", "CardPlayed"]
    for state in seen:
        assert keeper.get(f"/deals/1?version={state['version']}").json() == state
    assert keeper.get(f"/deals/1?version={seen[-1]['version'] + 1}").status_code == 404


def test_C019_no_taking_back_to_look_at_cards(table: Table) -> None:
    match = tablanet_match(table, 1)
    assert settle(match.seats[STEPS[0]["seat"]], "/deals/1/take-backs", {"kept": 0}).status_code == 201
    play(match, 1, 0, 2)
    late = settle(match.seats[STEPS[0]["seat"]], "/deals/1/take-backs", {"kept": 0})
    assert (late.status_code, late.json()["code"]) == (409, "CONSENT_MISSING")
    assert "arbiter" in late.json()["detail"]
    agreed = {"kept": 0, "agreed": [0, 1], "why": "we both slept"}
    assert settle(match.scorekeeper, "/deals/1/take-backs", agreed).status_code == 201
    # the twelfth card out: the next batch is dealt
    play(match, 1, 0, 12)
    for phone, body in ((match.seats[STEPS[11]["seat"]], {"kept": 11}), (match.scorekeeper, agreed | {"kept": 11})):
        shown = settle(phone, "/deals/1/take-backs", body)
        assert shown.status_code == 409
    assert shown.json()["code"] == "INFORMATION_EXPOSED"
    by_arbiter = settle(match.arbiter, "/deals/1/take-backs", {"kept": 11, "why": "nobody had looked"})
    assert by_arbiter.status_code == 201


def test_C022_after_the_result_was_published(table: Table) -> None:
    match = sabo_match(table, (13, 0, 0, 0), (13, 0, 0, 0), (13, 0, 0, 0), (12, 1, 0, 0))
    published = match.spectator.get().json()
    assert published["winners"] == [0]
    path, body = recount(4, 13, 0, 0, 0)
    late = settle(match.scorekeeper, path, body)
    assert (late.status_code, late.json()["code"]) == (409, "CONSENT_MISSING")
    assert "arbiter" in late.json()["detail"]
    assert "all seats" in late.json()["detail"]
    assert settle(match.scorekeeper, path, body | {"agreed": [0, 1, 2, 3]}).status_code == 422
    assert settle(match.arbiter, path, body).status_code == 422, "a reason is due"
    reply = settle(match.scorekeeper, path, body | {"agreed": [0, 1, 2, 3], "why": "the last trick was mine"})
    assert reply.status_code == 201, reply.text
    now = reply.json()["match"]
    assert (now["deals"][3]["revision"], now["totals"], now["amended"]) == (2, [52, 0, 0, 0], True)
    assert match.spectator.get(f"?version={published['version']}").json() == published
    dated = settle(match.arbiter, path, body | {"why": "sooner", "at": published["opened_at"]})
    assert dated.status_code == 422, "when it was said is for the server's clock"
    third = settle(match.arbiter, path, body | {"tally": {"type": "sabo", "tricks": [12, 0, 1, 0]}, "why": "no, mine"})
    assert third.json()["match"]["deals"][3]["revision"] == 3


def test_C024_both_rulings_are_on_the_record(table: Table) -> None:
    match = tablanet_match(table, len(STEPS))
    assert match.seats[1].post("/deals/1/disputes", {"move": 2, "why": "that was no ten"}).status_code == 201
    before = match.spectator.get().json()
    assert before["disputed"] == [1]
    piles = {"number": 2, "tally": {"type": "tablanet", "piles": [list(PACK[:20]), list(PACK[20:])]}}
    assert match.scorekeeper.post("/deals", piles).status_code == 201
    played = match.spectator.get().json()
    first = {"upheld": True, "why": "so it looked", "remedy": points_off(2)}
    ruled = settle(match.arbiter, "/disputes/1/rulings", first).json()["match"]
    second = {"upheld": True, "why": "I thought it over", "remedy": points_off(1)}
    again = settle(match.arbiter, "/disputes/1/rulings", second).json()["match"]
    assert ruled["disputed"] == again["disputed"] == []
    assert ruled["totals"] == [played["totals"][0] - 2, played["totals"][1]]
    assert again["totals"] == [played["totals"][0] - 1, played["totals"][1]]
    assert again["deals"][1] == played["deals"][1]
    assert [ruling["why"] for ruling in again["disputes"][0]["rulings"]] == ["so it looked", "I thought it over"]
    assert match.spectator.get(f"?version={ruled['version']}").json()["totals"] == ruled["totals"]
    assert match.spectator.get(f"?version={again['version']}").json() == again
    assert table.take_in(match.spectator.get("/record").content, "/v1/records/check").json()["legal"]


def points_off(count: int) -> dict[str, Any]:
    return {"kind": "adjust_points", "deal": 1, "points": {"0": -count}}


def test_C025_a_misdeal_leaves_the_dealer(table: Table) -> None:
    match = tablanet_match(table, len(STEPS))
    before = match.scorekeeper.get().json()
    assert lay_as(match, before["next_dealer"]).status_code == 201
    for _ in range(5):
        legal = match.scorekeeper.get("/deals/2/legal-moves").json()
        assert match.scorekeeper.move(2, legal["seat"], legal["moves"][0]).status_code == 201
    reply = settle(match.scorekeeper, "/deals/2/void", {"why": "dealt from the bottom"})
    assert reply.status_code == 201, reply.text
    now = reply.json()["match"]
    assert (now["totals"], now["next_dealer"]) == (before["totals"], before["next_dealer"])
    assert (now["deals"][1]["voided"], now["deals"][1]["points"], now["running"]) == (True, None, None)
    events = match.scorekeeper.get("/deals/2/events").json()["events"]
    assert [entry["event"]["type"] for entry in events] == ["CardsDealt"] + ["CardPlayed"] * 5
    late = match.scorekeeper.move(2, legal["seat"], legal["moves"][0])
    assert (late.status_code, late.json()["code"]) == (409, "DEAL_VOIDED")
    assert lay_as(match, before["next_dealer"]).json()["deal"]["moves"] == 0
    assert table.take_in(match.scorekeeper.get("/record").content, "/v1/records/check").json()["legal"]


def lay_as(match: Opened, dealer: int) -> Any:
    _, layout = layout_of("tablanet", 2, dealer, 3)
    return match.scorekeeper.post("/deals", {"layout": layout})


# ---- two at once


def test_C029_two_tablets_enter_the_same_deal(table: Table) -> None:
    match = sabo_match(table, *[(4, 4, 3, 2)] * 4)
    tag = match.scorekeeper.get().headers["etag"]
    assert tally(match, 10, 1, 1, 1, alphabet="latin").status_code == 201
    body = {"tally": {"type": "sabo", "tricks": [9, 2, 1, 1]}, "number": 5}
    late = match.scorekeeper.post("/deals", body, if_match=tag)
    assert late.status_code == 412
    told = [entry["event"] for entry in late.json()["recorded"]]
    assert [entry["by"] for entry in late.json()["recorded"]] == ["scorekeeper"] * 3
    assert told[1]["tally"]["tricks"] == [10, 1, 1, 1]
    assert told[2]["points"] == [10, 1, 1, 1]
    assert late.json()["asked"]["body"] == body
    assert match.scorekeeper.get().json()["totals"] == [26, 17, 13, 9]
    turned = match.scorekeeper.post(
        "/deals/5/score-corrections", {"tally": body["tally"]}, if_match=late.headers["etag"]
    )
    assert turned.status_code == 201, turned.text
    assert turned.json()["match"]["totals"] == [25, 18, 13, 9]


def test_C033_the_same_deal_twice_and_a_deal_left_out(table: Table) -> None:
    match = sabo_match(table, *[(4, 4, 3, 2)] * 7)
    body = {"tally": {"type": "sabo", "tricks": [4, 4, 3, 2]}, "number": 7}
    twice = match.scorekeeper.post("/deals", body, idempotency_key="another")
    assert (twice.status_code, twice.json()["code"]) == (409, "DEAL_ENTERED")
    assert "score-corrections" in twice.json()["detail"]
    early = match.scorekeeper.post("/deals", body | {"number": 9})
    assert (early.status_code, early.json()["code"]) == (409, "DEAL_NUMBER")
    assert "8" in early.json()["detail"]
    assert lay_sabo(match).status_code == 201
    assert settle(match.scorekeeper, "/deals/8/void", {"why": "a card was missing"}).status_code == 201
    totals = match.scorekeeper.get().json()["totals"]
    assert match.scorekeeper.post("/deals", body | {"number": 9}).status_code == 201
    assert match.scorekeeper.get().json()["totals"] == [a + b for a, b in zip(totals, (4, 4, 3, 2), strict=True)]


def test_C033_a_result_says_which_deal_it_is_for(table: Table) -> None:
    match = table.open("sabo", 4)
    body = {"tally": {"type": "sabo", "tricks": [4, 4, 3, 2]}}
    assert match.scorekeeper.post("/deals", body).status_code == 428
    tag = match.scorekeeper.get().headers["etag"]
    assert match.scorekeeper.post("/deals", body, if_match=tag).status_code == 201


def test_C040_an_older_offline_correction_does_not_win(table: Table) -> None:
    match = sabo_match(table, (10, 1, 1, 1), (8, 2, 2, 1))
    stale = match.scorekeeper.get().headers["etag"]
    path, online = recount(2, 7, 3, 2, 1, why="counted again")
    stored = settle(match.arbiter, path, online)
    assert stored.status_code == 201
    _, offline = recount(2, 6, 4, 2, 1, why="as I wrote it down")
    late = match.scorekeeper.post(path, offline, if_match=stale)
    assert late.status_code == 412
    theirs, mine = late.json()["recorded"][-1], late.json()["asked"]
    assert (theirs["by"], theirs["event"]["points"], theirs["why"]) == ("arbiter", [7, 3, 2, 1], "counted again")
    assert (mine["by"], mine["body"]) == ("scorekeeper", offline)
    assert theirs["at"] <= mine["at"]
    assert late.json()["version"] == stored.json()["match"]["version"]
    again = match.scorekeeper.post(path, offline, if_match=late.headers["etag"])
    assert again.status_code == 201
    assert again.json()["match"]["deals"][1]["points"] == [6, 4, 2, 1]


def drawn_by_seat_0(table: Table) -> tuple[Opened, str]:
    """A deal that the referee dealt, going on, in which seat 0 has drawn; the ETag from before."""
    for _ in range(100):
        match = table.open("tabu", 2, 1, target=100)
        assert match.seats[1].post("/deals", {}).status_code == 201
        stale = match.seats[0].get("/deals/1").headers["etag"]
        while (deal := match.seats[0].get("/deals/1").json())["turn"] is not None:
            moves = match.seats[deal["turn"]].get("/deals/1/legal-moves").json()["moves"]
            move = next((m for m in moves if m["type"] == "tabu.draw"), moves[0])
            made = match.seats[deal["turn"]].move(1, deal["turn"], move).json()
            if deal["turn"] == 0 and move["type"] == "tabu.draw" and made["deal"]["turn"] is not None:
                return match, stale
    raise AssertionError("nobody ever draws")


def test_C040_a_stale_request_is_shown_no_hidden_card(table: Table) -> None:
    match, stale = drawn_by_seat_0(table)
    late = match.seats[1].post("/deals/1/take-backs", {"kept": 0}, if_match=stale)
    assert late.status_code == 412
    hidden = [entry["event"]["effects"] for entry in late.json()["recorded"] if entry["event"].get("seat") == 0]
    assert {effects.get("drawn", "?") for effects in hidden} == {"?"}


# ---- seats


def test_C053_a_roster_change_wipes_no_score(table: Table) -> None:
    match = table.open("sabo", 3)
    for tricks in ((6, 4, 3), (7, 3, 3)):
        assert tally(match, *tricks).status_code == 201
    joined = join(match, "Dora")
    assert joined.json()["match"]["totals"] == [13, 7, 6, 0]
    assert tally(match, 4, 4, 3, 2).status_code == 201
    left = settle(match.arbiter, "/seats/3/departure", {"why": "the last train"})
    assert left.status_code == 201, left.text
    now = left.json()["match"]
    assert now["totals"] == [17, 11, 9, 2]
    assert now["deals"][2]["points"] == [4, 4, 3, 2]
    assert [seat["left"] for seat in now["seats"]] == [False, False, False, True]
    assert tally(match, 6, 4, 3).status_code == 201
    assert match.scorekeeper.get().json()["totals"] == [23, 15, 12, 2]


def join(match: Opened, name: str, **more: Any) -> Any:
    reply = settle(match.arbiter, "/seats", {"name": name, "why": "one more", **more})
    assert reply.status_code == 201, reply.text
    return reply


def test_C054_a_late_joiner_plays_from_the_next_deal(table: Table) -> None:
    match = table.open("sabo", 3)
    for tricks in ((6, 4, 3), (7, 3, 3)):
        assert tally(match, *tricks).status_code == 201
    assert lay_sabo(match).status_code == 201
    joined = join(match, "Dora")
    token = joined.json()["tokens"][0]
    assert (token["role"], token["seat"]) == ("seat", 3)
    dora = Phone(table.client, match.id, token["token"])
    now = joined.json()["match"]
    assert (now["deals"][2]["seats"], now["totals"]) == ([0, 1, 2], [13, 7, 6, 0])
    last = match.spectator.get("/events").json()["events"][-1]["event"]
    assert (last["type"], last["seat"], last["total"]) == ("PlayerJoined", 3, 0)
    outside = dora.move(3, 3, {"type": "sabo.hand", "card": "4H"})
    assert outside.status_code == 422
    assert "0, 1, 2" in outside.text
    for path, body in (("take-backs", {"kept": 0}), ("disputes", {"move": 1})):
        assert 400 <= settle(dora, f"/deals/3/{path}", body).status_code < 500
    assert settle(match.scorekeeper, "/deals/3/void", {"why": "done"}).status_code == 201
    assert lay_sabo(match).json()["line"]["seats"] == [0, 1, 2, 3]
    assert dora.get("/deals/4").json()["state"]["hands"][3][0] != "?"
    assert sum(3 in line["seats"] and bool(line["points"]) for line in dora.get().json()["deals"]) == 0


def test_C058_a_substitute_takes_the_seat_as_it_is(table: Table) -> None:
    match = sabo_match(table, (5, 4, 3, 1), dealer=2)
    assert lay_sabo(match).status_code == 201
    for _ in range(2):
        legal = match.scorekeeper.get("/deals/2/legal-moves").json()
        assert match.scorekeeper.move(2, legal["seat"], legal["moves"][0]).status_code == 201
    before = match.scorekeeper.get("/deals/2").json()
    assert before["turn"] == 2
    reply = settle(match.arbiter, "/seats/0/substitution", {"name": "Eva", "why": "he had to go"})
    assert reply.json()["match"]["seats"][0]["name"] == "Eva"
    assert reply.json()["match"]["totals"] == [5, 4, 3, 1]
    assert match.scorekeeper.get("/deals/2").json() == before
    assert match.seats[0].get().status_code == 401
    eva = Phone(table.client, match.id, reply.json()["tokens"][0]["token"])
    assert eva.get("/deals/2").json()["state"]["hands"][0] == before["state"]["hands"][0]
    assert eva.get("/deals/2").json()["state"]["hands"][1][0] == "?"


def test_C058_without_a_substitute_the_deal_is_void(table: Table) -> None:
    match = table.open("sabo", 4, 3)
    assert lay_sabo(match).status_code == 201
    for _ in range(2):
        legal = match.scorekeeper.get("/deals/1/legal-moves").json()
        assert match.scorekeeper.move(1, legal["seat"], legal["moves"][0]).status_code == 201
    reply = settle(match.seats[0], "/seats/0/departure", {})
    assert reply.status_code == 201, reply.text
    now = reply.json()["match"]
    assert (now["deals"][0]["voided"], now["running"], now["state"], now["next_dealer"]) == (True, None, "open", 3)
    started = lay_sabo(match).json()
    assert (started["line"]["seats"], started["deal"]["turn"]) == ([1, 2, 3], 1)


def test_C058_the_duty_to_draw_stays_with_the_seat(table: Table) -> None:
    seed = next(n for n in range(200) if "JS" in layout_of("tabu", 3, 2, n)[0].hands[0])
    _, layout = layout_of("tabu", 3, 2, seed)
    match = table.open("tabu", 3, 2, target=100)
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    assert match.scorekeeper.move(1, 0, {"type": "tabu.play", "card": "JS"}).status_code == 201
    before = match.scorekeeper.get("/deals/1").json()
    assert (before["turn"], before["state"]["forced"]) == (1, True)
    assert settle(match.arbiter, "/seats/1/substitution", {"name": "Eva", "why": "tired"}).status_code == 201
    assert match.scorekeeper.get("/deals/1").json() == before
    other = match.scorekeeper.move(1, 1, {"type": "tabu.play", "card": before["state"]["hands"][1][0]})
    assert (other.status_code, other.json()["code"]) == (422, "FORCED_DRAW_PENDING")
    assert match.scorekeeper.move(1, 1, {"type": "tabu.draw"}).status_code == 201


def test_C059_the_dealer_moves_past_an_empty_seat(table: Table) -> None:
    match = sabo_match(table, (4, 4, 3, 2))
    assert lay_sabo(match).json()["deal"]["turn"] == 2
    assert settle(match.scorekeeper, "/deals/2/void", {"why": "misdeal"}).json()["match"]["next_dealer"] == 1
    assert tally(match, 4, 4, 3, 2).json()["line"]["dealer"] == 1
    undone = settle(match.arbiter, "/deals/3/void", {"why": "wrong pack"}).json()["match"]
    assert (undone["next_dealer"], undone["totals"]) == (1, [4, 4, 3, 2])
    assert tally(match, 4, 4, 3, 2).json()["line"]["dealer"] == 1
    assert settle(match.seats[2], "/seats/2/departure", {}).status_code == 201
    assert tally(match, 6, 4, 3).json()["line"]["dealer"] == 3
    started = lay_sabo(match).json()
    assert (started["line"]["dealer"], started["deal"]["turn"]) == (0, 1)
