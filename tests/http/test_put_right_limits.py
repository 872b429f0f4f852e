"""What is put right at the edges: numbers that cannot be, hands that run out, whose word it takes, records that say other."""

import json
from typing import Any

import pytest

from referee import record
from referee.rules import sabo, tablanet, tabu
from tests.http.real import begun, observe, play
from tests.http.settle import settle
from tests.http.table import Opened, Table
from tests.http.test_put_right import (
    IRREGULAR,
    TABU,
    follows,
    laid_out,
    noted,
    refused,
    stand,
    state,
    tabu_play,
    tabu_table,
)
from tests.records.doctor import Change, doctored, event_of

LAY = {"type": "tablanet.play", "card": "QH", "captures": []}
OPEN = ["2S", "3S", "4S", "5S"]


# ---- numbers of cards


def test_a_hand_cannot_have_been_dealt_fewer_cards_than_it_has_played(lite: Table) -> None:
    match = observe(lite, tablanet, tablanet.Rules(1), 2, 0, OPEN)
    assert match.scorekeeper.move(1, 1, LAY).status_code == 201
    assert refused(match, "wrong_card_count", seat=1, count=0) == (422, "SURPLUS_CARDS")
    match = observe(lite, tabu, TABU, 2, 0, ["7H", "KD", "KC", "KS"])
    said = {"seat": 1, "move": tabu_play("7S"), "seen": ["2S"]}
    assert match.scorekeeper.post("/deals/1/moves", said).status_code == 201
    assert refused(match, "wrong_card_count", seat=1, count=0) == (422, "SURPLUS_CARDS")
    assert noted(match, "wrong_card_count", seat=1, count=1)["puts"]
    follows_so_far(match)


def test_a_hand_cannot_have_been_dealt_more_cards_than_the_reserve_has(lite: Table) -> None:
    match = lite.open("tabu", 2, 0, target=100)
    asked = {
        "open": ["7H", "KD", "KC", "KS"],
        "sizes": [1, 49],
        "let_stand": True,
        "why": "so it was",
        "agreed": [0, 1],
    }
    assert match.scorekeeper.post("/deals", asked).status_code == 201
    assert match.scorekeeper.move(1, 1, {"type": "tabu.pass"}).status_code == 201
    assert refused(match, "wrong_card_count", seat=0, count=5) == (422, "SURPLUS_CARDS")


def test_once_the_last_cards_in_hand_went_back_the_next_batch_is_given(lite: Table) -> None:
    match = laid_out(lite, "tablanet", [7, 5], "QS KS KD KH")
    play(match, 11)
    hands = state(match)["hands"]
    assert [len(hand) for hand in hands] == [1, 0]
    done = noted(match, "wrong_card_count", seat=0, count=7, cards=hands[0])
    assert [one["target"].get("seat") for one in done["puts"]] == [None, *[1, 0] * 6]
    assert [len(hand) for hand in state(match)["hands"]] == [6, 6]
    public = match.spectator.get(IRREGULAR).json()["noted"][0]["puts"]
    assert {one["card"] for one in public} == {"?"}
    follows(match)
    assert match.arbiter.get("/deals/1").json()["points"] is not None


def test_whose_last_cards_went_back_is_passed_over(lite: Table) -> None:
    match = observe(lite, tablanet, tablanet.Rules(1), 2, 0, OPEN)
    assert match.scorekeeper.move(1, 1, LAY).status_code == 201
    noted(match, "wrong_card_count", seat=0, count=0)
    assert match.scorekeeper.get("/deals/1").json()["turn"] == 1
    takes = {"type": "tablanet.play", "card": "KH", "captures": ["QH", "2S"]}
    assert match.scorekeeper.move(1, 1, takes).status_code == 201
    follows_so_far(match)


# ---- whose word it takes


def test_a_seat_alone_turns_and_mixes_only_its_own_sabo(lite: Table) -> None:
    match = lite.open("sabo", 3, 0)
    assert match.scorekeeper.post("/deals", {}).status_code == 201
    for said in ({"kind": "sabo_looked_at", "seat": 1, "place": 0}, {"kind": "sabo_exposed", "seat": 1}):
        answer = match.seats[0].post(IRREGULAR, said)
        assert (answer.status_code, answer.json()["code"]) == (409, "CONSENT_MISSING")
    assert match.seats[0].get("/deals/1").json()["state"]["sabo"][1] == ["?"] * 5
    assert match.seats[1].post(IRREGULAR, {"kind": "sabo_exposed", "seat": 1}).status_code == 201
    assert match.seats[1].post(IRREGULAR, {"kind": "sabo_looked_at", "seat": 1, "place": 0}).status_code == 201
    assert match.seats[0].get("/deals/1").json()["state"]["sabo"][1][1:] == ["?"] * 4


def test_no_sabo_is_mixed_once_one_of_them_lies_face_up(lite: Table) -> None:
    """Else a card that nobody had seen would lie open at the place of the one that was looked at."""
    match = begun(lite, "sabo")
    noted(match, "sabo_looked_at", seat=0, place=1)
    before = state(match)["sabo"]
    assert refused(match, "sabo_exposed", seat=0) == (409, "SABO_FACE_UP")
    assert state(match)["sabo"] == before
    noted(match, "sabo_exposed", seat=1)
    follows(match)
    match = observe(lite, sabo, sabo.Rules(), 2, 0)
    noted(match, "sabo_looked_at", seat=0, place=1, told=["9D"])
    assert refused(match, "sabo_exposed", seat=0) == (409, "SABO_FACE_UP")


def test_a_refusal_tells_no_seat_whether_a_drawn_card_is_still_in_hand(lite: Table) -> None:
    match = tabu_table(lite, "4S|X 2S|7S", "7H KD KC KS", "9S KH 10S 4H 5H 6H")
    keeper, asked = match.scorekeeper, {"kind": "draw_forgotten", "seat": 0, "move": 1}
    moves: list[tuple[int, dict[str, Any]]] = [(1, tabu_play("X")), (2, tabu_play("7S")), (0, tabu_play("KH"))]
    answers = []
    for seat, move in moves:
        assert keeper.move(1, seat, move).status_code == 201
        answers.append(match.seats[2].post(IRREGULAR, asked).json())
    assert [answer["code"] for answer in answers[1:]] == ["CONSENT_MISSING"] * 2
    assert keeper.post(IRREGULAR, asked).json()["code"] == "CARD_NOT_IN_HAND"


def test_cards_that_all_agreed_on_are_put_back_whoever_answers_last(lite: Table) -> None:
    match = tokens(lite)
    hand = match.seats[0].get("/deals/1").json()["state"]["hands"][0]
    ask = {"kind": "note", "deal": 1, "what": "wrong_card_count", "seat": 0, "count": 7, "cards": hand[:1]}
    assert match.seats[0].post("/proposals", {"ask": ask}).status_code == 201
    done = match.seats[1].post("/proposals/1/answers", {"agreed": True})
    assert done.status_code == 201, done.text
    assert state(match)["stock"][-1] == hand[0]


def tokens(lite: Table) -> Opened:
    """A deal of Tablanet in which seat 0 was dealt seven, where each seat answers with its own token."""
    told = laid_out(lite, "tablanet", [7, 5], "QS KS KD KH")
    layout = told.arbiter.get("/deals/1/events").json()["events"][0]["event"]["layout"]
    opened = lite.ask(
        {
            "game": "tablanet",
            "seats": [{"name": "Ana"}, {"name": "Bob"}],
            "house_rules": {"ace_value": 1},
            "first_dealer": {"seat": 0},
            "consent": "tokens",
        }
    )
    match = Opened(lite.client, opened.json())
    started = match.arbiter.post("/deals", {"layout": layout, "let_stand": True, "why": "nobody saw it"})
    assert started.status_code == 201, started.text
    first = match.seats[1].get("/deals/1/legal-moves").json()["moves"][0]
    assert match.seats[1].move(1, 1, first).status_code == 201
    return match


def test_who_dealt_is_told_by_seat_where_one_has_left(lite: Table) -> None:
    match = lite.open("sabo", 3, 0)
    assert settle(match.arbiter, "/seats/0/departure", {"why": "went home"}).status_code == 201
    assert match.scorekeeper.post("/deals", {"open": []}).status_code == 201
    done = noted(match, "wrong_dealer", seat=2)
    assert (done["seat"], done["dealer"]) == (2, 2)
    deal = match.scorekeeper.get("/deals/1").json()
    assert (deal["dealer"], deal["turn"]) == (2, 1)


def test_a_sabo_card_seen_in_a_move_made_again_for_any_reason_lies_face_up(lite: Table) -> None:
    match = observe(lite, sabo, sabo.Rules(), 3, 0)
    said = {"seat": 1, "move": {"type": "sabo.place", "place": 0}, "seen": ["9D"]}
    assert match.scorekeeper.post("/deals/1/moves", said).status_code == 201
    asked = {"number": 1, "move": {"type": "sabo.hand", "card": "4H"}, "irregularity": "two_cards"}
    done = settle(match.scorekeeper, "/deals/1/corrections", asked)
    assert done.status_code == 201, done.text
    assert match.spectator.get("/deals/1").json()["state"]["sabo"][1][0] == "9D"
    follows_so_far(match)


# ---- records that say something else


def taken(lite: Table) -> bytes:
    match = tabu_table(lite, "2S|7S", "7H 7D 7C KS", "8S 9S 10S QS")
    stand(match, 1, tabu_play("7S", left=["7D"]))
    noted(match, "cards_left_behind", seat=1)
    play(match)
    return match.scorekeeper.get("/record").content


def mixed_in(lite: Table) -> bytes:
    match = tabu_table(lite, "2S|7S", "7H 2D KC KS", "JS 9S 10S")
    stand(match, 1, tabu_play("7S", turned=[]))
    noted(match, "wrong_row", seat=1)
    play(match)
    return match.scorekeeper.get("/record").content


def in_sabo(lite: Table) -> bytes:
    match = begun(lite, "sabo")
    noted(match, "sabo_looked_at", seat=0, place=1)
    noted(match, "wrong_dealer", seat=1)
    play(match)
    return match.scorekeeper.get("/record").content


def in_put(which: int, side: str, **fields: Any) -> Change:
    return lambda document: event_of(document, "IrregularityNoted", 0)["puts"][which][side].update(fields)


def in_note(**fields: Any) -> Change:
    return lambda document: event_of(document, "IrregularityNoted", 0).update(fields)


def twice(document: dict[str, Any]) -> None:
    entries = document["deals"][0]
    at = next(n for n, entry in enumerate(entries) if entry["event"]["type"] == "IrregularityNoted")
    entries.insert(at + 1, json.loads(json.dumps(entries[at])))


def other_dealer(document: dict[str, Any]) -> None:
    document["deals"][0][2]["event"]["seat"] = 0


CASES: dict[str, tuple[Any, Change]] = {
    "given to another seat": (taken, in_put(0, "target", seat=0)),
    "a spot of no seat": (taken, in_put(0, "target", seat=None)),
    "the row of a seat": (taken, in_put(1, "target", seat=1)),
    "a spot of another game": (taken, in_put(0, "source", zone="table")),
    "no such seat": (taken, in_put(0, "target", seat=10**18)),
    "below all cards": (taken, in_put(1, "target", at=10**18)),
    "another kind": (taken, in_note(kind="sneezed")),
    "another kind's remedy": (taken, in_note(remedy="row_made_right")),
    "no shuffle was asked for": (taken, in_note(shuffles=10**18)),
    "one card less": (taken, lambda document: event_of(document, "IrregularityNoted", 0)["puts"].pop()),
    "a card for the row too many": (mixed_in, lambda d: event_of(d, "IrregularityNoted", 0)["puts"].pop(1)),
    "not mixed in at all": (mixed_in, in_put(2, "target", zone="discard")),
    "put right twice": (mixed_in, twice),
    "an unknown remedy": (in_sabo, in_note(remedy="sneezed")),
    "looked at by a revoke": (in_sabo, in_note(kind="revoke", remedy="withdrawn")),
    "another dealer": (in_sabo, other_dealer),
    "agreed by nobody there is": (in_sabo, in_note(consent={"how": "spoken", "seats": [10**18]})),
}


@pytest.mark.parametrize("case", CASES)
def test_what_does_not_follow_from_the_remedy_is_found(lite: Table, case: str) -> None:
    make, change = CASES[case]
    told = make(lite)
    assert record.check(told).legal
    data = doctored(told, change)
    assert data != told
    report = record.check(data)
    assert not report.legal
    assert report.deals[0].divergence is not None
    assert lite.take_in(data).status_code == 422


def test_a_shuffle_miscounted_in_a_seeded_deal_is_found(lite: Table) -> None:
    match = lite.open("tabu", 2, 0, target=100)
    assert match.scorekeeper.post("/deals", {}).status_code == 201
    while match.arbiter.get("/deals/1").json()["points"] is None:
        deal = match.arbiter.get("/deals/1").json()
        if not deal["moves"]:
            noted(match, "drew_too_many", seat=deal["turn"], count=2)
        legal = match.seats[deal["turn"]].get("/deals/1/legal-moves").json()["moves"]
        assert match.seats[deal["turn"]].move(1, deal["turn"], legal[0]).status_code == 201
    told = match.scorekeeper.get("/record").content
    assert record.check(told).legal
    for shuffles in (0, 1, 10**18):
        assert not record.check(doctored(told, in_note(shuffles=shuffles))).legal


def follows_so_far(match: Opened) -> None:
    """The audit finds nothing, and what is replayed is what stands."""
    assert match.arbiter.get("/deals/1/audit").json()["divergence"] is None
    deal = match.arbiter.get("/deals/1").json()
    assert match.arbiter.get(f"/deals/1/replay?move={deal['moves']}").json()["deal"]["state"] == deal["state"]
