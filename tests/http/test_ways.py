"""What remedies offer can be sent: the move that is meant, who must agree, what is missing."""

from typing import Any

from referee.rules import sabo
from referee.rules.game import GAMES
from tests.dealing import SeededChance, new_deal
from tests.http.real import begun, body, observe, play, tag
from tests.http.table import Opened, Table
from tests.http.test_irregularities import irregular, place, stands


def offered(match: Opened, asked: str, phone: Any = None) -> dict[str, dict[str, Any]]:
    """The requests that a remedy names, by name."""
    (found,) = (phone or match.spectator).get(f"/deals/1/remedies?{asked}").json()["remedies"]
    return {one["name"]: one for one in found["requests"]}


def test_the_move_that_is_meant_is_the_last_that_shows_it(lite: Table) -> None:
    """Not that of whoever played since, nor what the record shows to be regular."""
    match = irregular(lite, "revoked", 1).match
    found = offered(match, "kind=revoke&seat=2")
    assert (found["take_back"]["body"], found["correct"]["body"]["number"]) == (
        {"kept": 1, "irregularity": "revoke"}, 2,
    )  # fmt: skip
    assert set(offered(match, "kind=revoke&seat=1")) == {"note"}
    assert set(offered(match, "kind=out_of_turn&seat=1")) == {"note", "let_stand"}
    match = irregular(lite, "drew", 1).match
    assert offered(match, "kind=drew_while_able&seat=1")["take_back"]["body"]["kept"] == 0
    noted = match.scorekeeper.post("/deals/1/irregularities", {"kind": "drew_while_able", "seat": 1})
    assert (noted.status_code, noted.json()["code"]) == (409, "MOVE_ON_RECORD")


def test_a_capture_that_the_record_shows_to_be_right_is_none_that_goes_back(lite: Table) -> None:
    match = begun(lite, "tablanet", 1)
    assert set(offered(match, "kind=illegal_capture&move=1")) == {"note"}
    back = {"kept": 0, "irregularity": "illegal_capture"}
    refused = match.scorekeeper.post("/deals/1/take-backs", back, if_match=tag(match.scorekeeper, "/deals/1"))
    assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, "#/irregularity")


def test_what_needs_consent_says_whose(lite: Table) -> None:
    asked = stands(lite, "sabo", "scored")
    void = offered(asked.match, "kind=pack_wrong")["void"]
    assert (void["consent"], void["missing"]) == ([0, 1], ["agreed", "why"])
    sent = void["body"] | {"agreed": [0, 1], "why": "a card was missing"}
    done = asked.match.scorekeeper.post(void["path"], sent, if_match=tag(asked.match.scorekeeper))
    assert done.status_code == 201, done.text
    late = irregular(lite, "laid", 1).match
    again = offered(late, "kind=capture_not_made&move=1")["take_back"]
    assert again["consent"] == [0, 1]
    sent = again["body"] | {"agreed": [0, 1], "why": "we all agree to rewind"}
    assert late.scorekeeper.post(again["path"], sent, if_match=tag(late.scorekeeper, "/deals/1")).status_code == 201


def test_where_seats_answer_for_themselves_a_proposal_is_offered(lite: Table) -> None:
    asked = {"game": "sabo", "seats": [{"name": "A"}, {"name": "B"}], "consent": "tokens", "first_dealer": {"seat": 0}}
    match = Opened(lite.client, lite.ask(asked).json())
    layout, _ = new_deal(GAMES["sabo"], sabo.Rules(), 2, SeededChance(1))
    assert match.scorekeeper.post("/deals", {"layout": body(layout)}).status_code == 201
    play(match)
    void = offered(match, "kind=pack_wrong")["void"]
    assert (void["path"], void["if_match"], void["missing"]) == ("/proposals", None, [])
    assert match.seats[0].post(void["path"], void["body"] | {"why": "a card was missing"}).status_code == 201
    assert match.seats[1].post("/proposals/1/answers", {"agreed": True}).status_code == 201
    assert match.spectator.get().json()["deals"][0]["voided"]
    noted = offered(match, "kind=pack_wrong")
    assert "void" not in noted


def test_a_dispute_is_offered_to_seats(lite: Table) -> None:
    match = begun(lite, "sabo", 1)
    assert set(offered(match, "kind=no_proof", match.seats[0])) == {"dispute", "note"}
    assert set(offered(match, "kind=no_proof", match.scorekeeper)) == {"note"}


def test_cards_that_the_referee_dealt_are_void_by_consent_once_played(lite: Table) -> None:
    match = lite.open("sabo", 2, 0)
    assert match.seats[0].post("/deals", {}).status_code == 201
    assert offered(match, "kind=pack_wrong")["void"]["consent"] == []
    legal = match.arbiter.get("/deals/1/legal-moves").json()
    assert match.seats[legal["seat"]].move(1, legal["seat"], legal["moves"][0]).status_code == 201
    refused = match.scorekeeper.post("/deals/1/void", {}, if_match=tag(match.scorekeeper))
    assert (refused.status_code, refused.json()["code"]) == (409, "CONSENT_MISSING")
    assert offered(match, "kind=pack_wrong")["void"]["consent"] == [0, 1]


def test_a_card_that_turns_up_is_asked_for_where_it_is_told(lite: Table) -> None:
    match = observe(lite, sabo, sabo.Rules(), 3, 0)
    untold = match.scorekeeper.move(1, 1, place(0))
    assert (untold.status_code, untold.json()["errors"][0]["pointer"]) == (422, "#/seen")
    assert "`seen`" in untold.json()["errors"][0]["message"]
    wrong = match.scorekeeper.post("/deals/1/moves", {"seat": 1, "move": {"type": "sabo.hand"}})
    assert "field `card`" in wrong.text
    missing = match.scorekeeper.post("/deals/1/moves", {"seat": 1})
    assert "type sabo.place" in missing.json()["errors"][0]["message"]


def test_a_card_out_of_turn_that_is_no_lead_can_be_noted_as_a_wrong_winner(lite: Table) -> None:
    """What remedies offer and what is refused go by the same."""
    match = observe(lite, sabo, sabo.Rules(), 3, 0)
    assert match.scorekeeper.move(1, 1, {"type": "sabo.hand", "card": "4H"}).status_code == 201
    early = {"seat": 0, "move": {"type": "sabo.hand", "card": "5H"}, "why": "as it was"}
    assert (
        match.arbiter.post("/deals/1/irregular-moves", early, if_match=tag(match.arbiter, "/deals/1")).status_code
        == 201
    )
    assert set(offered(match, "kind=wrong_winner&seat=0&move=2")) == {"note"}
    said = {"kind": "wrong_winner", "seat": 0, "move": 2}
    assert match.scorekeeper.post("/deals/1/irregularities", said).status_code == 201
