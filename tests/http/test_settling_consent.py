"""Who must agree, how the seats say so, and the reasons that are given."""

import sqlite3
from typing import Any

import pytest

from referee.store import sqlite_path
from tests.conftest import SQLITE
from tests.http.settle import lay, layout_of, play, recount, sabo_match, settle, tablanet_match, tally
from tests.http.table import Opened, Table

pytestmark = SQLITE


def with_tokens(table: Table, seats: int = 3, game: str = "sabo", **house_rules: Any) -> Opened:
    """A match in which the seats answer with their own tokens."""
    body = {
        "game": game,
        "seats": [{"name": f"Player {seat}"} for seat in range(seats)],
        "house_rules": house_rules,
        "first_dealer": {"seat": 0},
        "consent": "tokens",
    }
    return Opened(table.client, table.ask(body).json())


def propose(match: Opened, seat: int | None, ask: dict[str, Any], **more: Any) -> Any:
    phone = match.scorekeeper if seat is None else match.seats[seat]
    reply = phone.post("/proposals", {"ask": ask, **more})
    assert reply.status_code == 201, reply.text
    return reply.json()["match"]["proposals"][-1]


def say(match: Opened, seat: int, agreed: bool = True, number: int = 1, **headers: str) -> Any:
    return match.seats[seat].post(f"/proposals/{number}/answers", {"agreed": agreed}, **headers)


# ---- spoken


def test_the_seats_that_have_yet_to_agree_are_named(table: Table) -> None:
    match = sabo_match(table, (4, 4, 3, 2))
    body = {"why": "wrong pack", "agreed": [0, 2]}
    reply = settle(match.scorekeeper, "/deals/1/void", body)
    assert (reply.status_code, reply.json()["code"]) == (409, "CONSENT_MISSING")
    assert "missing: 1, 3" in reply.json()["detail"]
    by_seat = settle(match.seats[0], "/deals/1/void", {"why": "wrong pack", "agreed": [0, 1, 2, 3]})
    assert by_seat.json()["code"] == "CONSENT_MISSING"
    reply = settle(match.scorekeeper, "/deals/1/void", body | {"agreed": [3, 2, 1, 0]})
    assert reply.status_code == 201
    last = match.spectator.get("/events").json()["events"][-1]
    assert last["event"]["consent"] == {"how": "spoken", "seats": [0, 1, 2, 3]}


def test_an_empty_seat_has_no_say(table: Table) -> None:
    match = sabo_match(table, (4, 4, 3, 2))
    assert settle(match.seats[3], "/seats/3/departure", {}).status_code == 201
    reply = settle(match.scorekeeper, "/deals/1/void", {"why": "wrong pack", "agreed": [0, 1, 2]})
    assert reply.status_code == 201


# ---- tokens


def test_a_proposal_is_carried_out_with_the_last_consent(table: Table) -> None:
    match = with_tokens(table)
    assert tally(match, 6, 4, 3).status_code == 201
    refused = settle(match.scorekeeper, "/deals/1/void", {"why": "so", "agreed": [0, 1, 2]})
    assert (refused.status_code, refused.json()["code"]) == (409, "CONSENT_MISSING")
    assert "proposals" in refused.json()["detail"]
    made = propose(match, 1, {"kind": "void_deal", "deal": 1}, why="a card was missing")
    assert (made["agreed"], made["done"], made["why"]) == ([1], False, "a card was missing")
    assert say(match, 0).json()["match"]["deals"][0]["voided"] is False
    last = say(match, 2, idempotency_key="yes")
    assert last.json()["match"]["deals"][0]["voided"] is True
    assert last.json()["match"]["proposals"][0]["done"] is True
    assert say(match, 2, idempotency_key="yes").headers["idempotent-replayed"] == "true"
    events = [entry["event"] for entry in match.spectator.get("/events").json()["events"]][-2:]
    assert [event["type"] for event in events] == ["ProposalAnswered", "DealVoided"]
    assert events[1]["consent"] == {"how": "tokens", "seats": [0, 1, 2]}
    late = say(match, 0)
    assert (late.status_code, late.json()["code"]) == (409, "PROPOSAL_CLOSED")
    assert table.take_in(match.spectator.get("/record").content, "/v1/records/check").json()["legal"]


def test_the_scorekeeper_proposes_and_one_refusal_ends_it(table: Table) -> None:
    match = with_tokens(table)
    assert propose(match, None, {"kind": "abandon"})["agreed"] == []
    assert say(match, 0).status_code == 201
    twice = say(match, 0)
    assert (twice.status_code, twice.json()["code"]) == (409, "ANSWERED")
    assert say(match, 1, False).json()["match"]["proposals"][0]["refused"] == [1]
    assert say(match, 2).json()["code"] == "PROPOSAL_CLOSED"
    assert match.spectator.get().json()["state"] == "open"


def test_who_may_neither_propose_nor_answer(table: Table) -> None:
    match = with_tokens(table)
    assert match.spectator.post("/proposals", {"ask": {"kind": "abandon"}}).status_code == 403
    propose(match, 0, {"kind": "abandon"})
    for phone in (match.spectator, match.scorekeeper, match.arbiter):
        assert phone.post("/proposals/1/answers", {"agreed": True}).status_code == 403
    assert say(match, 1, number=2).status_code == 404


def test_what_cannot_be_carried_out_stays_open(table: Table) -> None:
    match = with_tokens(table, 2)
    propose(match, 0, {"kind": "adjust_points", "deal": 1, "points": {"1": -2}})
    before = match.spectator.get().json()
    reply = say(match, 1)
    assert reply.status_code == 404
    assert match.spectator.get().json() == before
    assert tally(match, 13, 0).status_code == 201
    assert say(match, 1).json()["match"]["totals"] == [13, -2]


def test_a_hidden_hand_is_not_told_to_who_answers_last(table: Table) -> None:
    match = with_tokens(table, 4)
    assert match.seats[0].post("/deals", {}).status_code == 201
    hands = match.arbiter.get("/deals/1").json()["state"]["hands"]
    ask = {"kind": "let_stand", "deal": 1, "seat": 1, "move": {"type": "sabo.hand", "card": hands[2][0]}}
    propose(match, 0, ask)
    assert [say(match, seat).status_code for seat in (1, 2)] == [201, 201]
    reply = say(match, 3)
    assert (reply.status_code, reply.json()["code"]) == (409, "PROPOSAL_FAILED")
    assert not any(card in reply.text for hand in hands[:3] for card in hand)
    assert match.spectator.get().json()["proposals"][0]["done"] is False


def test_a_proposal_is_judged_when_it_is_carried_out(table: Table) -> None:
    match = with_tokens(table)
    _, layout = layout_of("sabo", 3, 0, 5)
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    for _ in range(3):
        legal = match.scorekeeper.get("/deals/1/legal-moves").json()
        assert match.scorekeeper.move(1, legal["seat"], legal["moves"][0]).status_code == 201
    propose(match, 0, {"kind": "take_back", "deal": 1, "kept": 1})
    legal = match.scorekeeper.get("/deals/1/legal-moves").json()
    assert match.scorekeeper.move(1, legal["seat"], legal["moves"][0]).status_code == 201
    assert say(match, 1).status_code == 201
    assert say(match, 2).status_code == 201
    assert match.scorekeeper.get("/deals/1").json()["moves"] == 1


def test_whoever_was_missing_has_left(table: Table) -> None:
    match = with_tokens(table)
    assert tally(match, 6, 4, 3).status_code == 201
    propose(match, 0, {"kind": "void_deal", "deal": 1})
    assert say(match, 1).status_code == 201
    assert settle(match.seats[2], "/seats/2/departure", {}).status_code == 201
    assert say(match, 1).json()["match"]["deals"][0]["voided"] is True


def test_what_was_proposed_is_the_same_read_back(table: Table) -> None:
    """Numbers as names in JSON, players' ids, cards: carried out after another process has folded the log."""
    match = with_tokens(table)
    assert tally(match, 6, 4, 3).status_code == 201
    ask = {"kind": "adjust_points", "deal": 1, "points": {"0": -1, "2": 4}}
    assert propose(match, 0, ask)["ask"] == ask
    say(match, 1)
    assert say(match, 2).json()["match"]["totals"] == [5, 4, 7]
    score = {"kind": "correct_score", "deal": 1, "tally": {"type": "sabo", "tricks": [3, 4, 6]}}
    propose(match, 0, score)
    say(match, 1, number=2)
    assert say(match, 2, number=2).json()["match"]["totals"] == [2, 4, 10]


# ---- reasons


@pytest.mark.parametrize("why", ["", "  ", "\x07", "\u202eno", "x" * 501])
def test_reasons_that_are_none(table: Table, why: str) -> None:
    match = sabo_match(table, (4, 4, 3, 2))
    reply = settle(match.arbiter, "/deals/1/void", {"why": why})
    assert (reply.status_code, reply.json()["errors"][0]["pointer"]) == (422, "#/why")
    reply = settle(match.scorekeeper, "/deals/1/void", {"why": why, "agreed": [0, 1, 2, 3]})
    assert reply.status_code == 422
    assert match.spectator.get().json()["deals"][0]["voided"] is False


def test_a_reason_can_be_erased_and_the_log_stays_whole(table: Table, database: str) -> None:
    match = sabo_match(table, (4, 4, 3, 2))
    path, body = recount(1, 3, 4, 4, 2, why="Ana cannot count")
    assert settle(match.arbiter, path, body).status_code == 201
    exported = match.spectator.get("/record").content
    assert b"Ana cannot count" not in exported
    event = match.spectator.get("/events").json()["events"][-1]
    assert event["why"] == "Ana cannot count"
    connection = sqlite3.connect(str(sqlite_path(database)))
    with connection:
        assert connection.execute("DELETE FROM word WHERE text = 'Ana cannot count'").rowcount == 1
    connection.close()
    again = match.spectator.get("/events").json()["events"][-1]
    assert (again["why"], again["event"]) == (None, event["event"])
    assert match.spectator.get("/record").content == exported


def test_free_needs_no_reason_and_a_reason_is_kept(table: Table) -> None:
    match = tablanet_match(table, 2)
    assert settle(match.scorekeeper, "/deals/1/take-backs", {"kept": 1}).status_code == 201
    play(match, 1, 1, 2)
    assert settle(match.scorekeeper, "/deals/1/take-backs", {"kept": 1, "why": "a slip"}).status_code == 201
    whys = [entry["why"] for entry in match.spectator.get("/deals/1/events").json()["events"]]
    assert [why for why in whys if why] == ["a slip"]
    assert settle(match.scorekeeper, "/deals/1/void", {}).status_code == 201
    assert lay(match).status_code == 201
