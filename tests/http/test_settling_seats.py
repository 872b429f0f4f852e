"""Players who join, leave and are replaced, between deals and in mid-deal, in every game (rules 4.2)."""

from pathlib import Path
from typing import Any

import pytest

from referee.rules.cards import PACK
from tests.conftest import SQLITE
from tests.http.settle import layout_of, settle
from tests.http.table import Opened, Phone, Table
from tests.store.two import served

pytestmark = SQLITE
RULES = {"tablanet": {}, "tabu": {"target": 100}, "sabo": {}}


def opened(table: Table, game: str, players: int, dealer: int = 0) -> Opened:
    return table.open(game, players, dealer, **RULES[game])


def lay(match: Opened, game: str, seed: int = 5) -> Any:
    now = match.scorekeeper.get().json()
    at_table = [seat["seat"] for seat in now["seats"] if not seat["left"]]
    _, layout = layout_of(game, len(at_table), at_table.index(now["next_dealer"]), seed)
    reply = match.scorekeeper.post("/deals", {"layout": layout})
    assert reply.status_code == 201, reply.text
    return reply.json()


def play(match: Opened, number: int, moves: int = 1000) -> None:
    for _ in range(moves):
        legal = match.scorekeeper.get(f"/deals/{number}/legal-moves?limit=1").json()
        if legal["seat"] is None:
            return
        made = match.scorekeeper.move(number, legal["seat"], legal["moves"][0])
        assert made.status_code == 201, made.text


def join(match: Opened, **body: Any) -> Any:
    return settle(match.arbiter, "/seats", {"name": "Dora", "why": "one more", **body})


def leave(match: Opened, seat: int) -> dict[str, Any]:
    reply = settle(match.seats[seat], f"/seats/{seat}/departure", {})
    assert reply.status_code == 201, reply.text
    now: dict[str, Any] = reply.json()["match"]
    return now


def legal_record(table: Table, match: Opened) -> bool:
    report = table.take_in(match.spectator.get("/record").content, "/v1/records/check").json()
    assert report["legal"], report
    return True


@pytest.mark.parametrize("game", sorted(RULES))
@pytest.mark.parametrize("mid_deal", [False, True])
def test_of_two_players_the_other_wins_by_forfeit(table: Table, game: str, mid_deal: bool) -> None:
    match = opened(table, game, 2)
    if mid_deal:
        lay(match, game)
        play(match, 1, 3)
    now = leave(match, 1)
    assert (now["state"], now["abandoned"], now["winners"], now["running"]) == ("abandoned", True, [0], None)
    assert all(line["voided"] for line in now["deals"])
    assert match.seats[1].get().status_code == 401
    assert match.scorekeeper.post("/deals", {}).json()["code"] == "MATCH_OVER"
    assert join(match).json()["code"] == "MATCH_OVER"
    assert legal_record(table, match)


@pytest.mark.parametrize("game", sorted(RULES))
@pytest.mark.parametrize("mid_deal", [False, True])
def test_of_three_players_two_play_on(table: Table, game: str, mid_deal: bool) -> None:
    match = opened(table, game, 3)
    lay(match, game)
    play(match, 1)
    first = match.scorekeeper.get().json()
    if first["state"] == "won":
        pytest.fail("the first deal ends the match: take another seed")
    if mid_deal:
        lay(match, game)
        play(match, 2, 4)
    now = leave(match, 0)
    assert (now["state"], now["winners"], now["totals"]) == ("open", [], first["totals"])
    assert now["next_dealer"] == 1
    number = 3 if mid_deal else 2
    started = lay(match, game)
    assert (started["line"]["seats"], started["line"]["dealer"], started["deal"]["turn"]) == ([1, 2], 1, 2)
    play(match, number)
    after = match.scorekeeper.get().json()
    line, deal = after["deals"][number - 1], match.scorekeeper.get(f"/deals/{number}").json()
    # by seat in the match, by place at the deal's own table
    assert line["points"] == [0, *deal["points"]]
    assert after["totals"] == [a + b for a, b in zip(first["totals"], line["points"], strict=True)]
    assert {seat for seat, left in enumerate(after["seats"]) if left["left"]} == {0}
    scored = [e["event"] for e in match.spectator.get("/events").json()["events"] if e["event"]["type"] == "DealScored"]
    assert (scored[-1]["points"], scored[-1]["totals"]) == (line["points"], after["totals"])
    moved = match.spectator.get(f"/deals/{number}/replay").json()["played"]
    assert {move["seat"] for move in moved} == {1, 2}
    assert legal_record(table, match)


@pytest.mark.parametrize("game", sorted(RULES))
def test_a_third_player_joins_in_mid_deal(table: Table, game: str) -> None:
    match = opened(table, game, 2)
    lay(match, game)
    play(match, 1, 3)
    reply = join(match, total=-4)
    assert reply.status_code == 201, reply.text
    dora = Phone(table.client, match.id, reply.json()["tokens"][0]["token"])
    assert match.scorekeeper.get("/deals/1").json()["seats"] == [0, 1]
    # her token is that of a seat, not at this table: nobody's hand is hers to see
    hands = dora.get("/deals/1").json()["state"]["hands"]
    assert all(card == "?" for hand in hands for card in hand)
    assert dora.get("/deals/1/legal-moves").status_code == 403
    play(match, 1)
    now = match.scorekeeper.get().json()
    assert now["deals"][0]["points"] == match.scorekeeper.get("/deals/1").json()["points"]
    assert now["totals"] == [*now["deals"][0]["points"], -4]
    if now["state"] == "open":
        assert lay(match, game)["line"]["seats"] == [0, 1, 2]
        assert "?" not in str(dora.get("/deals/2").json()["state"]["hands"][2])
    assert legal_record(table, match)


@pytest.mark.parametrize("game", sorted(RULES))
def test_a_substitute_in_mid_deal_changes_nothing_but_the_player(table: Table, game: str) -> None:
    match = opened(table, game, 3)
    lay(match, game)
    play(match, 1, 4)
    before = match.scorekeeper.get("/deals/1").json()
    reply = settle(match.scorekeeper, "/seats/2/substitution", {"name": "Eva", "why": "ill", "agreed": [0, 1, 2]})
    assert reply.status_code == 201, reply.text
    assert match.scorekeeper.get("/deals/1").json() == before
    eva = Phone(table.client, match.id, reply.json()["tokens"][0]["token"])
    state = eva.get("/deals/1").json()["state"]
    assert state["hands"][2] == before["state"]["hands"][2]
    assert all(card == "?" for hand in state["hands"][:2] for card in hand)
    assert match.seats[2].get().status_code == 401
    assert reply.headers["cache-control"] == "no-store"
    play(match, 1)
    record = match.spectator.get("/record").json()
    assert "Eva" in record["names"].values()
    assert legal_record(table, match)


def test_hidden_cards_of_a_seat_that_left_stay_hidden(table: Table) -> None:
    match = opened(table, "sabo", 3)
    assert match.seats[0].post("/deals", {}).status_code == 201
    hand = match.seats[2].get("/deals/1").json()["state"]["hands"][2]
    assert "?" not in hand
    leave(match, 2)
    for phone in (match.seats[0], match.seats[1], match.spectator, match.scorekeeper):
        seen = "".join(phone.get(path).text for path in ("/deals/1", "/deals/1/events", "/deals/1/replay", "/record"))
        own = phone.get("/deals/1").json()["state"]["hands"]
        shown = {card for place, cards in enumerate(own) if place != 2 for card in cards}
        assert not [card for card in hand if f'"{card}"' in seen and card not in shown]


def test_a_seat_that_is_not_the_own_needs_consent(table: Table) -> None:
    match = opened(table, "sabo", 4)
    for path, body in (
        ("/seats/1/departure", {}),
        ("/seats/1/substitution", {"name": "Eva"}),
        ("/seats", {"name": "Eva"}),
    ):
        for phone in (match.seats[0], match.scorekeeper):
            assert settle(phone, path, body).json()["code"] == "CONSENT_MISSING"
        assert settle(match.spectator, path, body).status_code == 403
    assert settle(match.arbiter, "/seats/4/departure", {"why": "so"}).status_code == 422
    leave(match, 1)
    again = settle(match.arbiter, "/seats/1/departure", {"why": "so"})
    assert (again.status_code, again.json()["errors"][0]["pointer"]) == (422, "#/seat")
    assert settle(match.arbiter, "/seats/1/substitution", {"name": "Eva", "why": "so"}).status_code == 422


@pytest.mark.parametrize(("game", "most"), [("tablanet", 3), ("sabo", 5)])
def test_no_more_seats_than_the_game_has(table: Table, game: str, most: int) -> None:
    match = opened(table, game, most)
    reply = join(match)
    assert (reply.status_code, reply.json()["clause"][:2]) == (422, {"tablanet": "TN", "sabo": "SB"}[game])
    leave(match, 1)
    assert join(match).json()["match"]["seats"][most]["seat"] == most
    assert join(match).status_code == 422


def test_somebody_who_left_comes_back_to_a_new_seat(table: Table) -> None:
    match = opened(table, "sabo", 3)
    gone = match.scorekeeper.get().json()["seats"][1]["player"]
    leave(match, 1)
    same = settle(match.arbiter, "/seats", {"player": gone, "why": "back again"})
    assert (same.status_code, same.json()["errors"][0]["pointer"]) == (422, "#/player")
    reply = join(match, name="Player 1")
    assert [seat["left"] for seat in reply.json()["match"]["seats"]] == [False, True, False, False]
    assert lay(match, "sabo")["line"]["seats"] == [0, 2, 3]


def test_a_match_counts_twenty_seats_at_most(table: Table) -> None:
    match = opened(table, "sabo", 3)
    for seat in range(3, 20):
        assert join(match).status_code == 201
        assert settle(match.arbiter, f"/seats/{seat}/departure", {"why": "and gone"}).status_code == 201
    reply = join(match)
    assert (reply.status_code, reply.json()["code"]) == (409, "NO_MORE_SEATS")


def test_nobody_joins_as_the_winner(table: Table) -> None:
    match = opened(table, "sabo", 3)
    reply = join(match, total=50)
    assert (reply.status_code, reply.json()["errors"][0]["pointer"]) == (422, "#/total")
    assert join(match, total=49).json()["match"]["state"] == "open"


def tally(match: Opened, number: int, *tricks: int) -> Any:
    return match.scorekeeper.post("/deals", {"number": number, "tally": {"type": "sabo", "tricks": tricks}})


def test_who_is_left_alone_in_front_has_won(table: Table) -> None:
    """Two lead together past the target and play on; one of them leaves, and is ranked no more."""
    match = table.open("sabo", 3, target=10)
    assert tally(match, 1, 6, 6, 1).status_code == 201
    assert tally(match, 2, 5, 5, 3).status_code == 201
    tied = match.scorekeeper.get().json()
    assert (tied["totals"], tied["state"]) == ([11, 11, 4], "open")
    now = leave(match, 0)
    assert (now["state"], now["winners"]) == ("won", [1])
    assert legal_record(table, match)


def test_all_stop_here(table: Table) -> None:
    match = table.open("sabo", 3)
    assert tally(match, 1, 6, 4, 3).status_code == 201
    lay(match, "sabo")
    body = {"why": "the café closes"}
    assert settle(match.scorekeeper, "/abandonment", body).json()["code"] == "CONSENT_MISSING"
    reply = settle(match.scorekeeper, "/abandonment", body | {"agreed": [0, 1, 2]})
    now = reply.json()["match"]
    assert (now["state"], now["winners"], now["totals"]) == ("abandoned", [], [6, 4, 3])
    fixed = {"tally": {"type": "sabo", "tricks": [3, 4, 6]}, "why": "mixed up"}
    after = settle(match.arbiter, "/deals/1/score-corrections", fixed).json()["match"]
    assert (after["state"], after["totals"], after["amended"]) == ("abandoned", [3, 4, 6], True)
    assert legal_record(table, match)


def test_a_forfeit_outlasts_a_correction(table: Table) -> None:
    match = table.open("tablanet", 2)
    piles = {"number": 1, "tally": {"type": "tablanet", "piles": [list(PACK[:20]), list(PACK[20:])]}}
    assert match.scorekeeper.post("/deals", piles).status_code == 201
    assert leave(match, 0)["winners"] == [1]
    fixed = {"tally": {"type": "tablanet", "piles": [list(PACK[:10]), list(PACK[10:])]}, "why": "counted again"}
    after = settle(match.arbiter, "/deals/1/score-corrections", fixed).json()["match"]
    assert (after["state"], after["winners"]) == ("abandoned", [1])
    assert legal_record(table, match)


def test_the_record_of_a_match_with_a_changed_table_comes_in_again(table: Table, tmp_path: Path) -> None:
    match = table.open("sabo", 3)
    assert tally(match, 1, 6, 4, 3).status_code == 201
    assert join(match).status_code == 201
    assert settle(match.arbiter, "/seats/0/substitution", {"name": "Eva", "why": "so"}).status_code == 201
    assert tally(match, 2, 4, 4, 3, 2).status_code == 201
    lay(match, "sabo")
    assert settle(match.scorekeeper, "/deals/3/void", {}).status_code == 201
    leave(match, 1)
    lay(match, "sabo")
    data = match.spectator.get("/record").content
    with served(f"sqlite:{tmp_path / 'other.db'}") as other:
        reply = Table(other).take_in(data)
        assert reply.status_code == 201, reply.text
        there = Opened(other, reply.json())
        assert there.spectator.get("/record").content == data
        assert there.spectator.get().json()["totals"] == match.spectator.get().json()["totals"]
        assert len(there.seats) == 4
        assert there.seats[3].get().status_code == 200
