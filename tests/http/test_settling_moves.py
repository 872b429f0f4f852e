"""Take-backs, corrections of moves, and irregular moves let stand: windows, consequences, and what they leave behind."""

from typing import Any

import pytest

from referee.fingerprint import canonical
from referee.rules import tabu
from referee.rules.game import GAMES
from tests.conftest import SQLITE
from tests.dealing import rules_of
from tests.http.settle import (
    CASE,
    STEPS,
    as_move,
    layout_of,
    play,
    sabo_match,
    settle,
    tablanet_match,
    tally,
)
from tests.http.table import Opened, Table
from tests.rules.observing import both_sides

pytestmark = SQLITE
LAST = len(STEPS)
ACTS = [step["seat"] for step in STEPS]


def checked(table: Table, match: Opened) -> dict[str, Any]:
    """The report on the match's record."""
    report: dict[str, Any] = table.take_in(match.spectator.get("/record").content, "/v1/records/check").json()
    return report


# ---- take-backs


def test_a_seat_takes_back_its_own_last_move_only(table: Table) -> None:
    match = tablanet_match(table, 1)
    mine, other = match.seats[ACTS[0]], match.seats[1 - ACTS[0]]
    reply = settle(other, "/deals/1/take-backs", {"kept": 0})
    assert (reply.status_code, reply.json()["code"]) == (409, "CONSENT_MISSING")
    assert settle(match.spectator, "/deals/1/take-backs", {"kept": 0}).status_code == 403
    reply = settle(mine, "/deals/1/take-backs", {"kept": 0})
    assert reply.status_code == 201
    nothing = settle(mine, "/deals/1/take-backs", {"kept": 0})
    assert (nothing.status_code, nothing.json()["code"]) == (409, "NOTHING_PLAYED")


def test_two_take_backs_by_one_version(table: Table) -> None:
    match = tablanet_match(table, 4)
    tag = match.scorekeeper.get("/deals/1").headers["etag"]
    body = {"kept": 3}
    first = match.scorekeeper.post("/deals/1/take-backs", body, if_match=tag)
    second = match.arbiter.post("/deals/1/take-backs", {"kept": 2, "why": "both"}, if_match=tag)
    assert (first.status_code, second.status_code) == (201, 412)
    assert second.json()["recorded"][-1]["event"]["type"] == "MovesTakenBack"
    assert match.scorekeeper.get("/deals/1").json()["moves"] == 3
    next_one = match.arbiter.post("/deals/1/take-backs", {"kept": 2, "why": "both"}, if_match=first.headers["etag"])
    assert next_one.status_code == 201, "the answer's ETag is that of what was settled"


def test_the_end_of_a_match_is_taken_back(table: Table) -> None:
    match = table.open("tablanet", 2, CASE["dealer"], **CASE["house_rules"] | {"target": max(CASE["points"])})
    assert match.scorekeeper.post("/deals", {"layout": {"type": "tablanet", **CASE["layout"]}}).status_code == 201
    play(match, 1, 0, LAST)
    won = match.spectator.get().json()
    assert won["winners"]
    late = settle(match.seats[ACTS[-1]], "/deals/1/take-backs", {"kept": LAST - 1})
    assert (late.status_code, late.json()["code"]) == (409, "CONSENT_MISSING")
    back = settle(match.arbiter, "/deals/1/take-backs", {"kept": LAST - 1, "why": "the wrong card fell"})
    now = back.json()["match"]
    assert (now["winners"], now["totals"], now["state"], now["running"]) == ([], [0, 0], "open", 1)
    assert (now["amended"], now["deals"][0]["points"]) == (True, None)
    assert (back.json()["deal"]["points"], back.json()["deal"]["turn"]) == (None, ACTS[-1])
    play(match, 1, LAST - 1, LAST)
    again = match.spectator.get().json()
    assert (again["winners"], again["totals"]) == (won["winners"], won["totals"])
    assert again["deals"][0]["revision"] == 2
    assert checked(table, match)["legal"]


def test_a_later_deal_closes_the_window(table: Table) -> None:
    match = tablanet_match(table, LAST)
    dealer = match.scorekeeper.get().json()["next_dealer"]
    _, layout = layout_of("tablanet", 2, dealer, 3)
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    reply = settle(match.arbiter, "/deals/1/take-backs", {"kept": LAST - 1, "why": "too late"})
    assert (reply.status_code, reply.json()["code"]) == (409, "LATER_DEAL")
    assert "correct" in reply.json()["detail"]


def test_a_move_taken_back_buys_no_other_shuffle(table: Table) -> None:
    match = table.open("tabu", 2, 1, target=100)
    assert match.seats[1].post("/deals", {}).status_code == 201
    drawn = []
    for _ in range(3):
        legal = match.arbiter.get("/deals/1/legal-moves").json()
        while {"type": "tabu.draw"} not in legal["moves"]:
            assert match.arbiter.move(1, legal["seat"], legal["moves"][0]).status_code == 201
            legal = match.arbiter.get("/deals/1/legal-moves").json()
        turn = legal["seat"]
        made = match.arbiter.move(1, turn, {"type": "tabu.draw"})
        drawn.append((made.json()["effects"], made.json()["deal"]["state"]))
        kept = made.json()["deal"]["moves"] - 1
        refused = settle(match.seats[turn], "/deals/1/take-backs", {"kept": kept})
        assert (refused.status_code, refused.json()["code"]) == (409, "INFORMATION_EXPOSED"), "a card was drawn"
        back = settle(match.arbiter, "/deals/1/take-backs", {"kept": kept, "why": "it was not your turn"})
        assert back.status_code == 201
    assert drawn[0] == drawn[1] == drawn[2]


def test_a_seed_that_was_revealed_stays_so(table: Table) -> None:
    match = table.open("tablanet", 2, 1, target=10_000)
    assert match.seats[1].post("/deals", {}).status_code == 201
    made: Any = None
    while (legal := match.arbiter.get("/deals/1/legal-moves?limit=1").json())["moves"]:
        made = match.arbiter.move(1, legal["seat"], legal["moves"][0])
    seat, move, end = legal["seat"], made.json()["move"], made.json()["deal"]
    assert seat is None
    assert end["seed"]
    own = settle(match.seats[made.json()["seat"]], "/deals/1/take-backs", {"kept": 47})
    assert own.status_code == 409
    assert settle(match.arbiter, "/deals/1/take-backs", {"kept": 47, "why": "insisted on"}).status_code == 201
    again = match.arbiter.move(1, made.json()["seat"], move)
    assert again.json()["deal"]["points"] == end["points"]
    events = match.arbiter.get("/deals/1/events?after=47").json()["events"]
    assert [entry["event"]["type"] for entry in events].count("SeedRevealed") == 1
    assert checked(table, match)["legal"]


def test_a_sabo_card_that_was_seen_is_not_taken_back_free(table: Table) -> None:
    match = table.open("sabo", 4, 3)
    _, layout = layout_of("sabo", 4, 3, 7)
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    while True:
        legal = match.scorekeeper.get("/deals/1/legal-moves").json()
        place = next((move for move in legal["moves"] if move["type"] == "sabo.place"), None)
        made = match.scorekeeper.move(1, legal["seat"], place or legal["moves"][0])
        if place:
            break
    kept = {"kept": made.json()["deal"]["moves"] - 1}
    assert settle(match.scorekeeper, "/deals/1/take-backs", kept).json()["code"] == "INFORMATION_EXPOSED"
    spoken = settle(match.scorekeeper, "/deals/1/take-backs", kept | {"agreed": [0, 1, 2, 3], "why": "all say so"})
    assert (spoken.status_code, spoken.json()["code"]) == (409, "INFORMATION_EXPOSED")


def test_hands_counted_at_the_end_of_tabu_have_been_seen(table: Table) -> None:
    match = table.open("tabu", 2, 1, target=10_000)
    _, layout = layout_of("tabu", 2, 1, 3)
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    for _ in range(400):
        legal = match.scorekeeper.get("/deals/1/legal-moves").json()
        if legal["seat"] is None:
            break
        made = match.scorekeeper.move(1, legal["seat"], legal["moves"][0])
        assert made.status_code == 201
    left = match.seats[1 - made.json()["seat"]]
    assert "?" not in str(left.get("/deals/1").json()["state"]["hands"])
    kept = made.json()["deal"]["moves"] - 1
    reply = settle(match.seats[made.json()["seat"]], "/deals/1/take-backs", {"kept": kept})
    assert reply.status_code == 409
    assert settle(match.arbiter, "/deals/1/take-backs", {"kept": kept, "why": "a slip"}).status_code == 201
    assert "?" in str(left.get("/deals/1").json()["state"]["hands"])


# ---- corrections of moves


def other_than(step: dict[str, Any], fits: Any = lambda move: True) -> dict[str, Any]:
    return next(as_move(move) for move in step["legal"] if move != step["move"] and fits(move))


def test_the_scorekeeper_s_slip_is_corrected_at_once(table: Table) -> None:
    match = tablanet_match(table, 1)
    body: dict[str, Any] = {"number": 1, "move": other_than(STEPS[0])}
    assert settle(match.seats[ACTS[0]], "/deals/1/corrections", body).status_code == 409
    reply = settle(match.scorekeeper, "/deals/1/corrections", body)
    assert reply.status_code == 201, reply.text
    played = match.scorekeeper.get("/deals/1/replay").json()["played"]
    assert [one["move"] for one in played] == [body["move"]]
    straight = tablanet_match(table)
    assert straight.scorekeeper.move(1, ACTS[0], body["move"]).status_code == 201
    state = straight.scorekeeper.get("/deals/1").json()["state"]
    assert match.scorekeeper.get("/deals/1").json()["state"] == reply.json()["deal"]["state"] == state


def test_later_moves_are_judged_again(table: Table) -> None:
    match = tablanet_match(table, LAST)
    before = match.spectator.get("/deals/1").json()
    body = {"number": 1, "move": other_than(STEPS[0]), "why": "it was this one"}
    reply = settle(match.arbiter, "/deals/1/corrections", body)
    assert (reply.status_code, reply.json()["code"]) == (409, "LATER_MOVES_ILLEGAL")
    assert all(fault["pointer"].startswith("move ") for fault in reply.json()["errors"])
    assert "TN-" in reply.json()["errors"][0]["message"]
    assert match.spectator.get("/deals/1").json() == before


def test_later_moves_let_stand_are_named_and_add_up(table: Table) -> None:
    """The last capture is corrected into another; where nothing later breaks, points and totals follow."""
    match = tablanet_match(table, LAST)
    found = 0
    for number in range(LAST, 0, -1):
        step = STEPS[number - 1]
        for legal in step["legal"]:
            if legal == step["move"]:
                continue
            body = {"number": number, "move": as_move(legal), "let_stand": True, "why": "as it was played"}
            reply = settle(match.arbiter, "/deals/1/corrections", body)
            if reply.status_code != 201:
                assert reply.json()["code"] == "LATER_MOVES_ILLEGAL"
                continue
            found += 1
            now = reply.json()
            assert now["match"]["totals"] == now["deal"]["points"] == now["match"]["deals"][0]["points"]
            assert now["match"]["deals"][0]["revision"] == found + 1
            undo = {"number": number, "move": as_move(step["move"]), "let_stand": True, "why": "no"}
            assert settle(match.arbiter, "/deals/1/corrections", undo).status_code == 201
            found += 1
            assert match.spectator.get().json()["totals"] == CASE["points"]
            break
        if found >= 6:
            break
    assert found >= 4
    assert checked(table, match)["legal"]


def test_only_the_arbiter_lets_later_moves_stand(table: Table) -> None:
    match = tablanet_match(table, 3)
    body = {"number": 3, "move": other_than(STEPS[2]), "let_stand": True}
    assert settle(match.scorekeeper, "/deals/1/corrections", body).status_code == 403


def test_a_hidden_hand_is_not_asked_about_by_correcting(table: Table) -> None:
    match = table.open("sabo", 4, 3)
    assert match.seats[3].post("/deals", {}).status_code == 201
    legal = match.arbiter.get("/deals/1/legal-moves").json()
    assert match.arbiter.move(1, 0, legal["moves"][0]).status_code == 201
    hand = match.arbiter.get("/deals/1").json()["state"]["hands"]
    for path, body in (
        ("corrections", {"number": 1, "move": {"type": "sabo.hand", "card": hand[1][0]}}),
        ("irregular-moves", {"seat": 1, "move": {"type": "sabo.hand", "card": hand[2][0]}}),
    ):
        said = body | {"agreed": [0, 1, 2, 3], "why": "to see"}
        reply = settle(match.scorekeeper, f"/deals/1/{path}", said)
        assert reply.status_code == 403
        assert not any(card in reply.text for card in hand[0] + hand[1])


def test_an_earlier_deal_wins_and_later_ones_lie_outside(table: Table) -> None:
    match = sabo_match(table, (10, 1, 1, 1), (9, 2, 1, 1), (1, 4, 4, 4), target=22)
    assert match.spectator.get().json()["state"] == "open"
    reply = settle(match.arbiter, "/deals/2/score-corrections", {**tricks(12, 0, 0, 1), "why": "miscounted"})
    now = reply.json()["match"]
    assert (now["winners"], now["totals"]) == ([0], [22, 1, 1, 2])
    assert [line["outside"] for line in now["deals"]] == [False, False, True]
    assert tally(match, 4, 4, 3, 2).json()["code"] == "MATCH_OVER"
    back = settle(match.arbiter, "/deals/2/score-corrections", {**tricks(9, 2, 1, 1), "why": "no"}).json()["match"]
    assert (back["winners"], back["totals"], back["amended"]) == ([], [20, 7, 6, 6], True)
    assert [line["outside"] for line in back["deals"]] == [False] * 3
    other = settle(match.arbiter, "/deals/3/score-corrections", {**tricks(0, 13, 0, 0), "why": "hers"}).json()["match"]
    assert other["winners"] == []
    won = settle(match.arbiter, "/deals/2/score-corrections", {**tricks(0, 9, 4, 0), "why": "hers too"})
    assert won.json()["match"]["winners"] == [1]
    assert checked(table, match)["legal"]


def tricks(*by_seat: int) -> dict[str, Any]:
    return {"tally": {"type": "sabo", "tricks": list(by_seat)}}


def test_points_that_a_ruling_added_stay_when_the_result_is_corrected(table: Table) -> None:
    match = tablanet_match(table, LAST)
    points = CASE["points"]
    assert match.seats[0].post("/deals/1/disputes", {"move": 3}).status_code == 201
    remedy = {"kind": "adjust_points", "deal": 1, "points": {"1": -3}}
    ruled = settle(match.arbiter, "/disputes/1/rulings", {"upheld": True, "why": "so", "remedy": remedy})
    assert ruled.json()["match"]["totals"] == [points[0], points[1] - 3]
    same = {"number": LAST, "move": as_move(STEPS[-1]["move"]), "why": "to be sure"}
    again = settle(match.arbiter, "/deals/1/corrections", same)
    assert again.json()["match"]["totals"] == [points[0], points[1] - 3]
    assert settle(match.arbiter, "/deals/1/take-backs", {"kept": LAST - 1, "why": "so"}).status_code == 201
    play(match, 1, LAST - 1, LAST)
    assert match.spectator.get().json()["totals"] == [points[0], points[1] - 3]
    dismissed = settle(match.arbiter, "/disputes/1/rulings", {"upheld": False, "why": "thought again"})
    assert dismissed.json()["match"]["totals"] == points
    assert checked(table, match)["legal"]


# ---- let stand


def test_a_move_let_stand_is_not_exchanged_for_another_irregular_one(table: Table) -> None:
    step = next(number for number, one in enumerate(STEPS) if one["move"]["captures"])
    match = tablanet_match(table, step)
    seat, hand = ACTS[step], match.scorekeeper.get("/deals/1").json()["state"]["hands"][ACTS[step]]
    laid = [{"type": "tablanet.play", "card": card, "captures": []} for card in hand]
    irregular = [
        move for move in laid if match.scorekeeper.post(
            "/deals/1/moves?dry_run=true", {"seat": seat, "move": move}
        ).status_code == 422
    ]  # fmt: skip
    table_cards = match.scorekeeper.get("/deals/1").json()["state"]["table"]
    wrong = {**irregular[0], "captures": table_cards}
    body = {"seat": seat, "move": irregular[0], "why": "found too late"}
    assert settle(match.arbiter, "/deals/1/irregular-moves", body).status_code == 201
    reply = settle(match.scorekeeper, "/deals/1/corrections", {"number": step + 1, "move": wrong})
    assert (reply.status_code, reply.json()["code"]) == (409, "LATER_MOVES_ILLEGAL")
    stands = {"number": step + 1, "move": wrong, "let_stand": True, "why": "it was this one"}
    assert settle(match.arbiter, "/deals/1/corrections", stands).status_code == 201
    assert checked(table, match)["legal"]


def test_an_irregular_move_stands_and_is_shown_as_such(table: Table) -> None:
    step = next(number for number, one in enumerate(STEPS) if one["move"]["captures"])
    match = tablanet_match(table, step)
    laid = {"type": "tablanet.play", "card": STEPS[step]["move"]["card"], "captures": []}
    seat = ACTS[step]
    refused = match.scorekeeper.move(1, seat, laid)
    assert (refused.status_code, refused.json()["code"]) == (422, "CAPTURE_REQUIRED")
    body = {"seat": seat, "move": laid}
    assert settle(match.seats[seat], "/deals/1/irregular-moves", body).status_code == 409
    said = body | {"why": "found too late", "agreed": [0, 1]}
    reply = settle(match.scorekeeper, "/deals/1/irregular-moves", said)
    assert reply.status_code == 201, reply.text
    played = match.spectator.get("/deals/1/replay").json()["played"]
    assert played[-1]["irregular"] == ["CAPTURE_REQUIRED"]
    written = match.spectator.get("/deals/1/events").json()["events"][-1]
    assert written["event"]["consent"] == {"how": "spoken", "seats": [0, 1]}
    assert written["why"] == "found too late"
    while (legal := match.scorekeeper.get("/deals/1/legal-moves?limit=1").json())["moves"]:
        assert match.scorekeeper.move(1, legal["seat"], legal["moves"][0]).status_code == 201
    assert checked(table, match)["legal"]


@pytest.mark.parametrize("card", ["not held", "not on the table"])
def test_what_cannot_lie_on_the_table_does_not_stand(table: Table, card: str) -> None:
    match = tablanet_match(table)
    hand = CASE["layout"]["hands"][ACTS[0]]
    absent = next(c for c in CASE["layout"]["stock"])
    move = {"type": "tablanet.play", "card": absent if card == "not held" else hand[0], "captures": []}
    if card == "not on the table":
        move["captures"] = [absent]
    body = {"seat": ACTS[0], "move": move, "why": "I insist"}
    reply = settle(match.arbiter, "/deals/1/irregular-moves", body)
    assert reply.status_code == 422
    assert absent in reply.text
    assert match.scorekeeper.get("/deals/1").json()["moves"] == 0


def test_an_irregular_move_of_an_observed_deal_may_turn_cards_up(table: Table) -> None:
    """Played out of turn, and let stand: the card that filled the row is told with it."""
    match = table.open("tabu", 2, 1, target=100)
    assert match.scorekeeper.post("/deals", {"open": ["2S", "3S", "4S", "5S"]}).status_code == 201
    body = {"seat": 1, "move": {"type": "tabu.play", "card": "2H"}, "why": "both had played on", "agreed": [0, 1]}
    untold = settle(match.scorekeeper, "/deals/1/irregular-moves", body)
    assert untold.status_code == 422
    reply = settle(match.scorekeeper, "/deals/1/irregular-moves", body | {"seen": ["9D"]})
    assert reply.status_code == 201, reply.text
    assert sorted(reply.json()["deal"]["state"]["row"]) == ["3S", "4S", "5S", "9D"]
    assert reply.json()["deal"]["turn"] == 0
    # what was seen can be corrected too, and later moves go by it
    corrected = {"number": 1, "move": body["move"], "seen": ["9H"], "why": "it was a heart"}
    again = settle(match.arbiter, "/deals/1/corrections", corrected)
    assert again.status_code == 201, again.text
    assert sorted(again.json()["deal"]["state"]["row"]) == ["3S", "4S", "5S", "9H"]
    short = settle(match.arbiter, "/deals/1/corrections", corrected | {"seen": ["9H", "9S"], "let_stand": True})
    assert (short.status_code, short.json()["errors"][0]["pointer"]) == (422, "#/seen")


def test_a_correction_tells_of_no_card_that_was_elsewhere(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A jack that was set aside lies in the reserve: who has not drawn since did not play it, now or by a correction.

    A log that tells of it all the same is found out.
    """
    match = table.open("tabu", 2, 1, target=100)
    assert match.scorekeeper.post("/deals", {"open": ["2S", "3S", "4S", "5S"]}).status_code == 201
    filled = {"seat": 0, "move": {"type": "tabu.play", "card": "2H"}, "seen": ["JS", "9D"]}
    assert match.scorekeeper.post("/deals/1/moves", filled).json()["effects"]["set_aside"] == ["JS"]
    jack = {"seat": 1, "move": {"type": "tabu.play", "card": "JH"}, "seen": ["2C", "3C", "4C", "5C"]}
    aside = {"type": "tabu.play", "card": "JS"}
    assert match.scorekeeper.post("/deals/1/moves", jack | {"move": aside}).json()["code"] == "CARD_ELSEWHERE"
    assert match.scorekeeper.post("/deals/1/moves", jack).status_code == 201
    reply = settle(match.arbiter, "/deals/1/corrections", {"number": 2, "move": aside, "why": "it was black"})
    assert (reply.status_code, reply.json()["code"], reply.json()["clause"]) == (422, "CARD_ELSEWHERE", "TB-13")
    with monkeypatch.context() as blind:
        blind.setattr("referee.deal.impossible", lambda *_: ())
        again = settle(match.arbiter, "/deals/1/corrections", {"number": 2, "move": aside, "why": "it was black"})
        assert again.status_code == 201
    assert match.arbiter.get("/deals/1/audit").json()["divergence"]["what"] == "illegal"
    assert settle(match.arbiter, "/deals/1/take-backs", {"kept": 1, "why": "it was not"}).status_code == 201
    assert match.arbiter.get("/deals/1/audit").json()["divergence"] is None


def observed_tabu(table: Table) -> tuple[Opened, Any]:
    """An observed deal of Tabu that is over while cards are still in hand; and how it looks with every card known."""
    rules = rules_of(GAMES["tabu"], target=10_000)
    found = (both_sides(GAMES["tabu"], seed, rules=rules) for seed in range(50))
    sides = next(one for one in found if one.seen.hands and len(one.seen.hands) == 2)
    match = table.open("tabu", 2, sides.seen.dealer, target=10_000)
    assert match.scorekeeper.post("/deals", {"open": list(sides.seen.layout.row)}).status_code == 201
    for step in sides.seen.steps:
        seen = list(tabu.seen(step.move, step.effects))
        body = {"seat": step.seat, "move": canonical(step.move), "seen": seen}
        made = match.scorekeeper.post("/deals/1/moves", body)
        assert made.status_code == 201, made.text
    return match, sides


def test_hands_are_not_shown_of_a_deal_that_was_voided(table: Table) -> None:
    match, sides = observed_tabu(table)
    assert settle(match.scorekeeper, "/deals/1/void", {}).status_code == 201
    reply = match.scorekeeper.post("/deals/1/hands", {"hands": [list(hand) for hand in sides.seen.hands]})
    assert (reply.status_code, reply.json()["code"]) == (409, "DEAL_VOIDED")
    assert match.scorekeeper.get().json()["totals"] == [0, 0]


def test_hands_that_were_shown_are_shown_again_after_a_take_back(table: Table) -> None:
    match, sides = observed_tabu(table)
    hands = {"hands": [list(hand) for hand in sides.seen.hands]}
    shown = match.scorekeeper.post("/deals/1/hands", hands)
    assert shown.status_code == 201, shown.text
    points, last = shown.json()["deal"]["points"], sides.seen.steps[-1]
    kept = {"kept": len(sides.seen.steps) - 1}
    assert settle(match.scorekeeper, "/deals/1/take-backs", kept).status_code == 409
    assert settle(match.arbiter, "/deals/1/take-backs", kept | {"why": "not that card"}).status_code == 201
    body = {"seat": last.seat, "move": canonical(last.move), "seen": list(tabu.seen(last.move, last.effects))}
    assert match.scorekeeper.post("/deals/1/moves", body).json()["deal"]["points"] is None
    assert match.scorekeeper.post("/deals/1/hands", hands).json()["deal"]["points"] == points
    assert checked(table, match)["legal"]
