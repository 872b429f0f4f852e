"""Out of turn, wrong leads and revokes (rules 4.2) through the API: what is let stand, and who may have a deal voided."""

from itertools import pairwise
from typing import Any

import pytest

from referee.rules.cards import PACK, SUIT
from referee.rules.game import GAMES
from tests.dealing import SMALLEST, SeededChance, new_deal, rules_of
from tests.http.real import body, play, tag
from tests.http.table import Opened, Phone, Table

REVOKES = ("revoke", "revoke_found_later", "not_lowest", "sabo_while_holding")


def told(table: Table, game: str, players: int, seed: int = 1, dealer: int = 0, **house_rules: Any) -> Opened:
    """A match whose first deal was told whole."""
    rules = {**SMALLEST.get(game, {}), **house_rules}
    match = table.open(game, players, dealer, **rules)
    layout, _ = new_deal(GAMES[game], rules_of(GAMES[game], **rules), players, SeededChance(seed), dealer)
    assert match.scorekeeper.post("/deals", {"layout": body(layout)}).status_code == 201
    return match


def by_suit(table: Table, mode: str = "told", **asked: Any) -> Opened:
    """Four play Sabo: seat 1 leads. Hands by seat are S, H, D and C of 2 and 3, in the order of their ranks."""
    hands = [
        [f"{rank}{suit}" for suit in "SHDC" for rank in ranks]
        for ranks in (("A", "2"), ("3", "4"), ("5", "6"), ("7", "8"))
    ]
    left = [card for card in PACK if not any(card in hand for hand in hands)]
    layout = {"type": "sabo", "hands": hands, "sabo": [left[seat::4] for seat in range(4)]}
    seats = [{"name": f"Player {seat}"} for seat in range(4)]
    opened = table.ask({"game": "sabo", "seats": seats, "first_dealer": {"seat": 0}, **asked})
    match = Opened(table.client, opened.json())
    begun = match.scorekeeper.post("/deals", {"layout": layout} if mode == "told" else {"open": []})
    assert begun.status_code == 201, begun.text
    return match


def hand(card: str) -> dict[str, Any]:
    return {"type": "sabo.hand", "card": card}


def move(match: Opened, seat: int, card: str) -> dict[str, Any]:
    made = match.scorekeeper.move(1, seat, hand(card))
    assert made.status_code == 201, made.text
    return dict(made.json())


def stand(match: Opened, seat: int, made: dict[str, Any], who: Phone | None = None, **more: Any) -> dict[str, Any]:
    """Let a move stand that is refused, by consent of all."""
    asked = {"seat": seat, "move": made, "why": "nobody noticed", "agreed": [0, 1, 2, 3], **more}
    stood = (who or match.scorekeeper).post(
        "/deals/1/irregular-moves", asked, if_match=tag(match.scorekeeper, "/deals/1")
    )
    assert stood.status_code == 201, stood.text
    return dict(stood.json()["deal"])


def played(match: Opened) -> list[tuple[int, str]]:
    moves = match.arbiter.get("/deals/1/replay").json()["played"]
    return [(one["seat"], one["effects"]["card"]) for one in moves]


def offered(match: Opened, kind: str, seat: int, at: int) -> dict[str, dict[str, Any]]:
    found = match.spectator.get(f"/deals/1/remedies?kind={kind}&seat={seat}&move={at}").json()["remedies"]
    return {one["name"]: one for one in found[0]["requests"]}


# ---- out of turn


@pytest.mark.parametrize("game", GAMES)
def test_a_move_out_of_turn_found_late_stands_and_the_skipped_seat_acts_next(lite: Table, game: str) -> None:
    match = told(lite, game, 3)
    keeper = match.scorekeeper
    first = play(match, 4 if game == "sabo" else 1)
    while len(set(first)) < 2:
        first += play(match, 1)
    turn = keeper.get("/deals/1").json()["turn"]
    before = keeper.get("/deals/1").json()["moves"]
    early, made = out_of_turn(match, game, turn)
    found = offered(match, "out_of_turn", early, 1)
    request = found["let_stand"]
    assert (next(iter(found)), request["missing"]) == ("let_stand", ["seat", "move"])
    sent = request["body"] | {"seat": early, "move": made, "why": "nobody noticed", "agreed": [0, 1, 2]}
    stood = keeper.post(request["path"], sent, if_match=tag(keeper, "/deals/1"))
    assert stood.status_code == 201, stood.text
    assert (stood.json()["deal"]["moves"], stood.json()["deal"]["turn"]) == (before + 1, turn)
    seats = play(match, 12)
    order = [seat for seat, following in pairwise([early, *seats]) if seat != following]
    assert order[:2] == [early, turn]
    if game != "sabo":
        # each turn after that is the next seat's, as if nothing had been
        assert all(following == (seat + 1) % 3 for seat, following in pairwise(order[1:5])), order
    recorded = [one["seat"] for one in keeper.get("/deals/1/replay").json()["played"]]
    assert recorded == [*first, early, *seats]
    assert match.arbiter.get("/deals/1/audit").json()["divergence"] is None


def out_of_turn(match: Opened, game: str, turn: int) -> tuple[int, dict[str, Any]]:
    """A move of a seat that is not to act which nothing else forbids; it is refused, and nothing is stored."""
    keeper, state = match.scorekeeper, match.scorekeeper.get("/deals/1").json()["state"]
    version = tag(keeper, "/deals/1")
    kind = {"tablanet": "tablanet.play", "tabu": "tabu.play", "sabo": "sabo.hand"}[game]
    for seat in ((turn + 1) % 3, (turn + 2) % 3):
        for card in state["hands"][seat]:
            made = {"type": kind, "card": card, **({"captures": []} if game == "tablanet" else {})}
            refused = keeper.move(1, seat, made)
            assert (refused.status_code, refused.json()["code"]) == (422, "NOT_YOUR_TURN")
            assert tag(keeper, "/deals/1") == version
            if len(refused.json()["violations"]) == 1:
                return seat, made
    pytest.fail("no such move")


def test_a_card_out_of_turn_stands_and_clockwise_whoever_has_not_played(lite: Table) -> None:
    match = by_suit(lite)
    move(match, 1, "3S")
    deal = stand(match, 0, hand("AS"))
    assert (deal["turn"], deal["state"]["played"]) == (
        2, [{"card": "3S", "seat": 1, "place": None}, {"card": "AS", "seat": 0, "place": None}],
    )  # fmt: skip
    assert move(match, 2, "5S")["deal"]["turn"] == 3
    done = move(match, 3, "7S")
    assert (done["effects"]["winner"], done["deal"]["turn"], done["deal"]["state"]["tricks"]) == (0, 0, [1, 0, 0, 0])
    assert played(match) == [(1, "3S"), (0, "AS"), (2, "5S"), (3, "7S")]


def test_a_wrong_lead_stands_and_the_trick_is_his_who_wins_it(lite: Table) -> None:
    match = by_suit(lite)
    for seat, card in ((1, "3S"), (2, "5S"), (3, "7S"), (0, "AS")):
        move(match, seat, card)
    # seat 0 took the trick, yet seat 2 leads
    refused = match.scorekeeper.move(1, 2, hand("5H")).json()
    assert [one["code"] for one in refused["violations"]] == ["NOT_YOUR_TURN"]
    assert stand(match, 2, hand("5H"))["turn"] == 3
    back = offered(match, "wrong_winner", 2, 5)["take_back"]
    assert back["body"] == {"kept": 4}
    assert list(offered(match, "wrong_winner", 2, 4)) == ["let_stand", "note"]
    for seat, card in ((3, "7H"), (0, "2H"), (1, "3H")):
        assert move(match, seat, card)["effects"]["led"] == "H"
    deal = match.scorekeeper.get("/deals/1").json()
    assert (deal["turn"], deal["state"]["tricks"]) == (0, [2, 0, 0, 0])
    taken = match.arbiter.post(
        back["path"], back["body"] | {"why": "by rules 4.2"}, if_match=tag(match.scorekeeper, "/deals/1")
    )
    assert taken.status_code == 201, taken.text
    assert (taken.json()["deal"]["turn"], taken.json()["deal"]["state"]["leader"]) == (0, 0)
    assert "take_back" not in offered(match, "wrong_winner", 0, 4)


def test_a_second_card_to_a_trick_cannot_stand(lite: Table) -> None:
    match = by_suit(lite)
    move(match, 1, "3S")
    asked = {"seat": 1, "move": hand("4S"), "why": "x", "agreed": [0, 1, 2, 3]}
    refused = match.scorekeeper.post("/deals/1/irregular-moves", asked, if_match=tag(match.scorekeeper, "/deals/1"))
    assert (refused.status_code, refused.json()["code"], refused.json()["clause"]) == (422, "PLAYED_TO_TRICK", "SB-11")


def test_a_seat_hears_of_no_other_hand_by_moving_out_of_turn(lite: Table) -> None:
    match = lite.open("sabo", 3)
    assert match.scorekeeper.post("/deals", {}).status_code == 201
    state = match.arbiter.get("/deals/1").json()["state"]
    own = match.seats[2].move(1, 2, hand(state["hands"][2][0]))
    assert (own.status_code, own.json()["code"], own.json().get("legal")) == (422, "NOT_YOUR_TURN", None)
    for phone in (match.seats[2], match.scorekeeper):
        assert phone.move(1, 0, hand(state["hands"][0][0])).status_code == 403
    asked = {"seat": 0, "move": hand(state["hands"][0][0]), "why": "x", "agreed": [0, 1, 2]}
    stood = match.scorekeeper.post("/deals/1/irregular-moves", asked, if_match=tag(match.scorekeeper, "/deals/1"))
    assert stood.status_code == 403


@pytest.mark.parametrize("mode", ["told", "observed"])
def test_an_audit_follows_a_deal_with_moves_out_of_turn(lite: Table, mode: str) -> None:
    """Also after a take-back and after an earlier move was corrected; a revoke out of turn is charged in both modes."""
    match = by_suit(lite, mode, house_rules={"revoke_penalty": "one"})
    keeper = match.scorekeeper
    move(match, 1, "3S")
    # out of turn, and he has spades
    stand(match, 3, hand("8C"))
    move(match, 2, "5S")
    move(match, 0, "AS")
    assert keeper.get("/deals/1").json()["turn"] == 3
    stand(match, 1, hand("3H"))
    for seat, card in ((2, "5H"), (3, "7H")):
        move(match, seat, card)
    clean(match)
    gone = match.arbiter.post("/deals/1/take-backs", {"kept": 6, "why": "x"}, if_match=tag(keeper, "/deals/1"))
    assert gone.status_code == 201, gone.text
    clean(match)
    move(match, 3, "8H")
    corrected = match.arbiter.post(
        "/deals/1/corrections", {"number": 3, "move": hand("6S"), "why": "x"}, if_match=tag(keeper, "/deals/1")
    )
    assert corrected.status_code == 201, corrected.text
    clean(match)
    move(match, 0, "AH")
    move(match, 0, "2S")
    move(match, 1, "4S")
    move(match, 2, "5S")
    # now everybody sees the spade that he held
    move(match, 3, "7S")
    heard = clean(match)
    assert {(one["kind"], one["seat"], one["move"], one["cost"]) for one in heard["faults"]} == {
        ("not_your_turn", 3, 2, 0), ("revoke", 3, 2, 1), ("not_your_turn", 1, 5, 0),
    }  # fmt: skip
    found = match.spectator.get("/deals/1/irregularities").json()["found"]
    assert [(one["kind"], one["seat"], one["move"]) for one in found] == [("revoke", 3, 2)] * (mode == "observed")
    record = match.arbiter.get("/record").content
    checked = lite.take_in(record, "/v1/records/check").json()
    assert checked["legal"] is True
    supposed = match.arbiter.post("/deals/1/what-if", {"house_rules": {"trick_order": "led_suit_only"}})
    assert supposed.status_code == 200, supposed.text
    assert (supposed.json()["stopped"], [one["number"] for one in supposed.json()["departures"]]) == (None, [4, 5])


def clean(match: Opened) -> dict[str, Any]:
    heard = match.arbiter.get("/deals/1/audit").json()
    assert heard["divergence"] is None
    return dict(heard)


def test_a_correction_that_moves_the_lead_can_stand_as_a_whole(lite: Table) -> None:
    """Another card wins the first trick: what was led to the second one was led out of turn."""
    match = by_suit(lite)
    for seat, card in ((1, "3S"), (2, "5S"), (3, "7S"), (0, "AS"), (0, "AH"), (1, "3H")):
        move(match, seat, card)
    asked = {"number": 4, "move": hand("2S"), "why": "misheard"}
    later = match.arbiter.post(
        "/deals/1/corrections",
        {"number": 3, "move": hand("8C"), "why": "x"},
        if_match=tag(match.scorekeeper, "/deals/1"),
    )
    assert (later.status_code, later.json()["code"]) == (409, "LATER_MOVES_ILLEGAL")
    same = match.arbiter.post("/deals/1/corrections", asked, if_match=tag(match.scorekeeper, "/deals/1"))
    assert same.status_code == 201, same.text
    moved = match.arbiter.post(
        "/deals/1/corrections", {"number": 3, "move": hand("8C"), "why": "x", "let_stand": True},
        if_match=tag(match.scorekeeper, "/deals/1"),
    )  # fmt: skip
    assert moved.status_code == 201, moved.text
    # the club took the trick; seat 0 led all the same, and seat 3 has yet to follow
    assert moved.json()["deal"]["state"]["tricks"] == [0, 0, 0, 1]
    assert moved.json()["deal"]["turn"] == 2
    clean(match)
