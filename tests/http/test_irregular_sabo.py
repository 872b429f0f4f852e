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
    assert (next(iter(found)), request["missing"]) == ("let_stand", ["move", "agreed", "why"])
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
    assert back["body"] == {"kept": 4, "irregularity": "wrong_winner"}
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


# ---- the others have the deal voided


def revoked(table: Table, mode: str = "told", **asked: Any) -> Opened:
    """Seat 2 has played a club to spades, of which he holds one; in an observed deal that has come out since."""
    match = by_suit(table, mode, **asked)
    move(match, 1, "3S")
    if mode == "told":
        stand(match, 2, hand("5C"), match.arbiter)
        return match
    for seat, card in ((2, "5C"), (3, "7S"), (0, "AS"), (2, "5S")):
        move(match, seat, card)
    return match


def void(match: Opened, phone: Phone, **said: Any) -> Any:
    return phone.post("/deals/1/void", {"why": "he held spades", **said}, if_match=tag(match.scorekeeper))


@pytest.mark.parametrize("mode", ["told", "observed"])
def test_the_others_have_the_deal_voided_as_the_remedy_offers(lite: Table, mode: str) -> None:
    match = revoked(lite, mode)
    last = match.scorekeeper.get("/deals/1").json()["moves"]
    for kind in REVOKES:
        # only once the next lead is made does that remedy apply
        if kind == "revoke_found_later" or mode == "observed":
            assert offered(match, kind, 2, 2)["void"]["body"] == {"offender": 2}
            assert offered(match, kind, 3, 2)["void"]["body"] == {}
    asked = offered(match, "revoke_found_later", 2, last)["void"]
    refused = void(match, match.scorekeeper, **asked["body"], agreed=[0, 1])
    assert (refused.status_code, refused.json()["code"]) == (409, "CONSENT_MISSING")
    assert "seats 0, 1, 3" in refused.json()["detail"]
    assert "missing: 3" in refused.json()["detail"]
    assert void(match, match.seats[0], offender=2, agreed=[0, 1, 3]).json()["code"] == "CONSENT_MISSING"
    done = void(match, match.scorekeeper, **asked["body"], agreed=[0, 1, 3])
    assert done.status_code == 201, done.text
    now = done.json()["match"]
    assert (now["deals"][0]["voided"], now["totals"], now["next_dealer"]) == (True, [0, 0, 0, 0], 0)
    event = match.spectator.get("/events").json()["events"][-1]["event"]
    assert (event["type"], event["consent"]) == ("DealVoided", {"how": "spoken", "seats": [0, 1, 3]})
    assert lite.take_in(match.arbiter.get("/record").content, "/v1/records/check").json()["legal"] is True


def test_without_a_fault_on_record_the_others_alone_void_nothing(lite: Table) -> None:
    match = revoked(lite)
    version = tag(match.scorekeeper)
    for phone in (match.scorekeeper, match.arbiter):
        for seat in (0, 1, 3):
            refused = void(match, phone, offender=seat, agreed=[0, 1, 2, 3])
            assert (refused.status_code, refused.json()["code"]) == (409, "NO_FAULT")
            assert f"seat {seat}" in refused.json()["detail"]
    strange = void(match, match.scorekeeper, offender=4, agreed=[0, 1, 2, 3])
    assert (strange.status_code, strange.json()["errors"][0]["pointer"]) == (422, "#/offender")
    # a fault that was taken back is on record no more
    back = match.arbiter.post(
        "/deals/1/take-backs", {"kept": 1, "why": "x"}, if_match=tag(match.scorekeeper, "/deals/1")
    )
    assert back.status_code == 201
    assert void(match, match.scorekeeper, offender=2, agreed=[0, 1, 3]).json()["code"] == "NO_FAULT"
    assert tag(match.scorekeeper) == version
    # nor is playing out of turn one of these faults
    stand(match, 3, hand("7S"))
    assert void(match, match.scorekeeper, offender=3, agreed=[0, 1, 2]).json()["code"] == "NO_FAULT"
    # a misdeal needs nobody's word
    assert match.scorekeeper.post("/deals/1/void", {}, if_match=version).status_code == 201


def test_once_it_is_scored_all_seats_have_to_agree(lite: Table) -> None:
    match = revoked(lite)
    play(match)
    assert offered(match, "revoke_found_later", 2, 2)["void"]["body"] == {}
    refused = void(match, match.scorekeeper, offender=2, agreed=[0, 1, 3])
    assert (refused.status_code, refused.json()["code"]) == (409, "DEAL_SCORED")
    assert void(match, match.scorekeeper, agreed=[0, 1, 3]).json()["code"] == "CONSENT_MISSING"
    assert void(match, match.scorekeeper, agreed=[0, 1, 2, 3]).status_code == 201


def test_other_games_have_no_such_fault(lite: Table) -> None:
    match = told(lite, "tablanet", 2)
    stood = out_of_turn_by_arbiter(match)
    assert void(match, match.scorekeeper, offender=stood, agreed=[1 - stood]).json()["code"] == "NO_FAULT"


def out_of_turn_by_arbiter(match: Opened) -> int:
    deal = match.scorekeeper.get("/deals/1").json()
    seat: int = 1 - deal["turn"]
    for card in deal["state"]["hands"][seat]:
        made = {"type": "tablanet.play", "card": card, "captures": []}
        asked = {"seat": seat, "move": made, "why": "x"}
        stood = match.arbiter.post("/deals/1/irregular-moves", asked, if_match=tag(match.scorekeeper, "/deals/1"))
        if stood.status_code == 201:
            return seat
    pytest.fail("no such move")


ASK = {"kind": "void_deal", "deal": 1, "offender": 2}


def answer(match: Opened, seat: int, agreed: bool = True) -> Any:
    return match.seats[seat].post("/proposals/1/answers", {"agreed": agreed})


def test_the_others_agree_with_their_tokens_whatever_the_offender_says(lite: Table) -> None:
    match = revoked(lite, consent="tokens")
    assert void(match, match.scorekeeper, offender=2, agreed=[0, 1, 3]).json()["code"] == "CONSENT_MISSING"
    made = match.seats[0].post("/proposals", {"ask": ASK, "why": "he held spades"})
    assert made.status_code == 201, made.text
    heard = answer(match, 2, agreed=False).json()["match"]["proposals"][0]
    assert (heard["agreed"], heard["refused"], heard["done"]) == ([0], [2], False)
    assert answer(match, 2, agreed=False).json()["code"] == "ANSWERED"
    heard = answer(match, 1).json()["match"]
    assert (heard["proposals"][0]["done"], heard["deals"][0]["voided"]) == (False, False)
    heard = answer(match, 3).json()["match"]
    assert (heard["proposals"][0]["done"], heard["deals"][0]["voided"]) == (True, True)
    event = match.spectator.get("/events").json()["events"][-1]["event"]
    assert (event["type"], event["consent"]) == ("DealVoided", {"how": "tokens", "seats": [0, 1, 3]})
    assert lite.take_in(match.arbiter.get("/record").content, "/v1/records/check").json()["legal"] is True


def test_a_refusal_by_one_of_the_others_ends_it(lite: Table) -> None:
    match = revoked(lite, consent="tokens")
    # the offender may ask for it too, which is no word of the others
    assert match.seats[2].post("/proposals", {"ask": ASK}).status_code == 201
    assert answer(match, 0).status_code == 201
    heard = answer(match, 1, agreed=False).json()["match"]
    assert (heard["proposals"][0]["done"], heard["deals"][0]["voided"]) == (True, False)
    assert answer(match, 3).json()["code"] == "PROPOSAL_CLOSED"


def test_the_offender_does_not_stand_in_for_another(lite: Table) -> None:
    match = revoked(lite, consent="tokens")
    assert match.scorekeeper.post("/proposals", {"ask": ASK}).status_code == 201
    for seat in (0, 1, 2):
        heard = answer(match, seat).json()["match"]
        assert (heard["proposals"][0]["done"], heard["deals"][0]["voided"]) == (False, False)
    assert answer(match, 3).json()["match"]["deals"][0]["voided"] is True


def test_nothing_is_put_to_the_others_without_a_fault(lite: Table) -> None:
    match = revoked(lite, consent="tokens")
    version = tag(match.scorekeeper)
    refused = match.seats[0].post("/proposals", {"ask": {**ASK, "offender": 1}})
    assert (refused.status_code, refused.json()["code"]) == (409, "NO_FAULT")
    assert tag(match.scorekeeper) == version


def test_scored_in_the_meantime_the_others_alone_void_it_no_more(lite: Table) -> None:
    match = revoked(lite, consent="tokens")
    assert match.seats[0].post("/proposals", {"ask": ASK}).status_code == 201
    assert answer(match, 1).status_code == 201
    play(match)
    refused = answer(match, 3)
    assert (refused.status_code, refused.json()["code"]) == (409, "DEAL_SCORED")


def test_of_two_players_the_other_voids_it_alone(lite: Table) -> None:
    seats = [{"name": "A"}, {"name": "B"}]
    asked = {"game": "sabo", "seats": seats, "consent": "tokens", "first_dealer": {"seat": 0}}
    match = Opened(lite.client, lite.ask(asked).json())
    diamonds, clubs = ([card for card in PACK if SUIT[card] == suit] for suit in "DC")
    layout = {
        "type": "sabo", "hands": [[*diamonds[:4], *clubs[:4]], [*diamonds[4:8], *clubs[4:8]]],
        "sabo": [[*diamonds[8:10], *clubs[8:11]], [*diamonds[10:], *clubs[11:]]],
    }  # fmt: skip
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    move(match, 1, diamonds[4])
    stand(match, 0, hand(clubs[0]), match.arbiter)
    done = match.seats[1].post("/proposals", {"ask": {"kind": "void_deal", "deal": 1, "offender": 0}, "why": "revoke"})
    assert done.status_code == 201, done.text
    now = done.json()["match"]
    assert (now["proposals"][0]["done"], now["deals"][0]["voided"]) == (True, True)
    assert lite.take_in(match.arbiter.get("/record").content, "/v1/records/check").json()["legal"] is True


def test_a_proposal_to_all_is_written_as_before(lite: Table) -> None:
    match = revoked(lite, consent="tokens")
    assert match.seats[0].post("/proposals", {"ask": {"kind": "void_deal", "deal": 1}}).status_code == 201
    events = match.spectator.get("/events").json()["events"]
    assert [one["event"]["body"] for one in events if one["event"]["type"] == "ProposalMade"] == [
        {"kind": "void_deal", "deal": 1}
    ]
    assert answer(match, 2, agreed=False).json()["match"]["proposals"][0]["done"] is True
