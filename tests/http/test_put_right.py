"""What rules 4.2 put right is put right through the API: who may, what then lies where, and that all of it replays."""

from typing import Any

import pytest

from referee.rules import sabo, tablanet, tabu
from referee.rules.cards import PACK
from tests.http.real import begun, observe, play, tag
from tests.http.settle import settle
from tests.http.table import Opened, Table

TABU = tabu.Rules(target=100)
IRREGULAR = "/deals/1/irregularities"


def tabu_table(lite: Table, hands: str, row: str, top: str, **house_rules: Any) -> Opened:
    """A deal of Tabu with these first cards of each hand, by seat; seat 1 is to act. `top` lies on the reserve."""
    pack = [*PACK, "X", "X"]
    given = [hand.split() for hand in hands.split("|")]
    for card in " ".join([*hands.split("|"), row, top]).split():
        pack.remove(card)
    dull = [card for card in pack if card[:-1] in ("2", "3", "4", "5", "6", "8", "9")]
    for hand in given:
        while len(hand) < 5:
            hand.append(dull.pop())
            pack.remove(hand[-1])
    layout = {"type": "tabu", "hands": given, "row": row.split(), "reserve": [*top.split(), *pack]}
    match = lite.open("tabu", len(given), 0, target=100, **house_rules)
    started = match.scorekeeper.post("/deals", {"layout": layout})
    assert started.status_code == 201, started.text
    return match


def tabu_play(card: str, **how: Any) -> dict[str, Any]:
    return {"type": "tabu.play", "card": card, **how}


def state(match: Opened) -> dict[str, Any]:
    found: dict[str, Any] = match.arbiter.get("/deals/1").json()["state"]
    return found


def stand(match: Opened, seat: int, move: dict[str, Any], **more: Any) -> Any:
    """Let an irregular move stand on the arbiter's word; first it was refused."""
    refused = match.scorekeeper.post("/deals/1/moves", {"seat": seat, "move": move, **more})
    assert refused.status_code == 422, refused.text
    asked = {"seat": seat, "move": move, "why": "as it was made", **more}
    stood = settle(match.arbiter, "/deals/1/irregular-moves", asked)
    assert stood.status_code == 201, stood.text
    return refused.json()


def noted(match: Opened, kind: str, who: str = "scorekeeper", **said: Any) -> Any:
    """Note an irregularity and get what is answered."""
    answer = getattr(match, who).post(IRREGULAR, {"kind": kind, **said})
    assert answer.status_code == 201, answer.text
    return answer.json()["noted"]


def refused(match: Opened, kind: str, **said: Any) -> tuple[int, str]:
    answer = match.scorekeeper.post(IRREGULAR, {"kind": kind, **said})
    return answer.status_code, answer.json()["code"]


def follows(match: Opened) -> None:
    """Play to the end: the audit finds nothing that does not follow, live and replayed states agree."""
    play(match)
    heard = match.arbiter.get("/deals/1/audit").json()
    assert heard["divergence"] is None
    deal = match.arbiter.get("/deals/1").json()
    assert match.arbiter.get(f"/deals/1/replay?move={deal['moves']}").json()["deal"]["state"] == deal["state"]
    record = match.scorekeeper.get("/record")
    checked = match.scorekeeper.client.post(
        "/v1/records/check", content=record.content, headers={"Content-Type": "application/vnd.referee.match+json"}
    )
    assert checked.json()["legal"] is True, checked.text


# ---- Tabu: the row


def test_cards_left_behind_are_taken_while_nobody_has_acted(lite: Table) -> None:
    match = tabu_table(lite, "2S|7S", "7H 7D 7C KS", "8S 9S 10S QS")
    told = stand(match, 1, tabu_play("7S", left=["7D"]))
    assert (told["code"], told["clause"]) == ("CARDS_LEFT_BEHIND", "TB-9")
    assert "7D" in told["detail"]
    assert state(match)["row"] == ["7D", "KS", "8S", "9S"]
    alone = match.seats[0].post(IRREGULAR, {"kind": "cards_left_behind", "seat": 1})
    assert (alone.status_code, alone.json()["code"]) == (409, "CONSENT_MISSING")
    done = noted(match, "cards_left_behind", seat=1)
    assert (done["remedy"], [one["card"] for one in done["puts"]]) == ("take_them", ["7D", "10S"])
    assert state(match)["row"] == ["KS", "8S", "9S", "10S"]
    assert "7D" in state(match)["captured"][1]
    assert refused(match, "cards_left_behind", seat=1) == (422, "CARD_NOT_ON_TABLE")
    follows(match)


def test_cards_left_behind_stay_once_the_next_player_acted(lite: Table) -> None:
    match = tabu_table(lite, "KH|7S", "7H 7D 7C KS", "8S 9S 10S QS")
    stand(match, 1, tabu_play("7S", left=["7D"]))
    assert match.scorekeeper.move(1, 0, tabu_play("KH")).status_code == 201
    row = state(match)["row"]
    done = noted(match, "cards_left_behind", seat=1, move=1)
    assert (done["remedy"], done["puts"]) == ("they_stay", [])
    assert state(match)["row"] == row
    assert "7D" in row
    follows(match)


def test_a_row_that_was_not_refilled_is_completed(lite: Table) -> None:
    match = tabu_table(lite, "2S|7S", "7H 2D KC KS", "JS 9S 10S")
    stand(match, 1, tabu_play("7S", turned=[]))
    assert state(match)["row"] == ["2D", "KC", "KS"]
    done = noted(match, "wrong_row", seat=1)
    assert [one["card"] for one in done["puts"]] == ["JS", "9S", "JS"]
    public = match.spectator.get(IRREGULAR).json()["noted"][0]["puts"]
    assert [(one["card"], one["target"].get("at")) for one in public] == [("JS", None), ("9S", None), ("JS", None)]
    assert state(match)["row"] == ["2D", "KC", "KS", "9S"]
    again = noted(match, "wrong_row", seat=1)
    assert again["puts"] == []
    follows(match)


def test_surplus_row_cards_go_back_last_placed_first_and_later_only_by_consent(lite: Table) -> None:
    match = tabu_table(lite, "KH|7S", "7H 2D KC KS", "8S 9S 10S 4H 5H 6H")
    stand(match, 1, tabu_play("7S", turned=["8S", "9S", "10S"]))
    assert len(state(match)["row"]) == 6
    assert match.scorekeeper.move(1, 0, tabu_play("KH")).status_code == 201
    assert state(match)["row"] == ["2D", "8S", "9S", "10S"]
    match = tabu_table(lite, "2H|7S", "7H 2D KC KS", "8S 9S 10S 4H 5H 6H")
    stand(match, 1, tabu_play("7S", turned=["8S", "9S", "10S"]))
    assert match.scorekeeper.move(1, 0, tabu_play("2H")).status_code == 201
    assert state(match)["row"] == ["KC", "KS", "8S", "9S", "10S"]
    assert refused(match, "wrong_row", move=1) == (409, "CONSENT_MISSING")
    done = noted(match, "wrong_row", move=1, agreed=[0, 1], why="five lay there")
    assert (done["consent"], [one["card"] for one in done["puts"]]) == ("spoken", ["10S"])
    assert (state(match)["row"], state(match)["reserve"][0]) == (["KC", "KS", "8S", "9S"], "10S")
    follows(match)


def test_a_special_left_in_the_row_is_exchanged_or_stays_until_a_jack(lite: Table) -> None:
    for late in (False, True):
        match = tabu_table(lite, "KH JH|7S", "7H 2D KC KS", "X 9S 10S QS AS")
        stand(match, 1, tabu_play("7S", turned=["X"]))
        assert state(match)["row"] == ["2D", "KC", "KS", "X"]
        if late:
            assert match.scorekeeper.move(1, 0, tabu_play("KH")).status_code == 201
            done = noted(match, "clean_up_forgotten", move=1)
            assert (done["remedy"], done["puts"]) == ("stays_in_place", [])
            assert "X" in state(match)["row"]
        else:
            done = noted(match, "clean_up_forgotten")
            assert [one["card"] for one in done["puts"]] == ["9S", "X"]
            assert state(match)["row"] == ["2D", "KC", "KS", "9S"]
        follows(match)


# ---- Tabu: draws


def test_a_draw_forgotten_after_a_joker_is_made_or_lapses(lite: Table) -> None:
    match = tabu_table(lite, "2S|X|3S", "7H KD KC KS", "8S 9S 10S")
    stand(match, 1, tabu_play("X", drew=[0, 1]))
    assert state(match)["hands"][2][-1] != "8S"
    assert noted(match, "draw_forgotten", seat=0)["puts"] == []
    done = noted(match, "draw_forgotten", seat=2)
    assert [one["card"] for one in done["puts"]] == ["10S"]
    assert match.spectator.get(IRREGULAR).json()["noted"][-1]["puts"][0]["card"] == "?"
    assert match.seats[2].get(IRREGULAR).json()["noted"][-1]["puts"][0]["card"] in ("?", "10S")
    assert len(state(match)["hands"][2]) == 6
    assert refused(match, "draw_forgotten", seat=2) == (409, "PUT_RIGHT")
    follows(match)
    match = tabu_table(lite, "2S|X|7S", "7H KD KC KS", "8S 9S 10S")
    assert match.scorekeeper.move(1, 1, tabu_play("X")).status_code == 201
    assert match.scorekeeper.move(1, 2, tabu_play("7S")).status_code == 201
    top = state(match)["reserve"][0]
    done = noted(match, "draw_forgotten", seat=0, move=1)
    assert (done["remedy"], len(done["puts"])) == ("draw_lapses", 1)
    assert state(match)["reserve"][:2] == [done["puts"][0]["card"], top]
    assert len(state(match)["hands"][0]) == 5
    follows(match)


def test_a_draw_that_a_jack_imposed_and_nobody_made(lite: Table) -> None:
    match = tabu_table(lite, "7S 2S|JS", "7H KD KC KS", "7D 2H 9S 10S 4H 5H 6H 8H 9H")
    assert match.scorekeeper.move(1, 1, tabu_play("JS")).status_code == 201
    told = stand(match, 0, tabu_play("7S"))
    assert told["code"] == "FORCED_DRAW_PENDING"
    top = state(match)["reserve"][0]
    done = noted(match, "draw_forgotten", seat=0)
    assert [one["card"] for one in done["puts"]] == [top]
    assert state(match)["hands"][0][-1] == top
    follows(match)


def test_a_card_drawn_too_many_goes_to_a_random_place(lite: Table) -> None:
    match = tabu_table(lite, "2S|3S", "KH KD KC KS", "8S 9S 10S")
    assert match.scorekeeper.move(1, 1, {"type": "tabu.draw"}).status_code == 201
    before = state(match)
    done = noted(match, "drew_too_many", seat=1, move=1, count=1)
    assert [one["card"] for one in done["puts"]] == [before["reserve"][0]]
    assert sorted(state(match)["reserve"]) == sorted(before["reserve"])
    assert match.spectator.get(IRREGULAR).json()["noted"][0]["puts"][0]["card"] == "?"
    assert refused(match, "drew_too_many", seat=1, move=1, count=99) == (422, "SURPLUS_CARDS")
    follows(match)


@pytest.mark.parametrize("mode", ["dealt", "observed"])
def test_who_drew_although_able_puts_the_card_back_and_must_play(lite: Table, mode: str) -> None:
    """Free until the next player acts, although the player has seen the card; afterwards it stands."""
    draw = {"type": "tabu.draw"}
    if mode == "dealt":
        match = tabu_table(lite, "2S|7S", "7H KD KC KS", "8S 9S 10S")
        stand(match, 1, draw)
    else:
        match = observe(lite, tabu, TABU, 2, 0, ["7H", "KD", "KC", "KS"])
        assert match.scorekeeper.move(1, 1, draw).status_code == 201
    (row,) = match.spectator.get("/deals/1/remedies?kind=drew_while_able&seat=1").json()["remedies"]
    request = row["requests"][0]
    assert (row["open"], row["remedy"], request["body"]) == (
        True, "card_back", {"kept": 0, "irregularity": "drew_while_able"},
    )  # fmt: skip
    plain = settle(match.scorekeeper, "/deals/1/take-backs", {"kept": 0})
    assert plain.status_code == 409
    back = settle(match.scorekeeper, request["path"], request["body"])
    assert back.status_code == 201, back.text
    (found,) = match.spectator.get(IRREGULAR).json()["noted"]
    assert (found["kind"], found["remedy"], found["consent"]) == ("drew_while_able", "card_back", "free")
    assert match.scorekeeper.get("/deals/1").json()["moves"] == 0
    if mode == "dealt":
        assert match.scorekeeper.move(1, 1, draw).json()["code"] in ("MUST_PLAY", "DRAW_NOT_ALLOWED")
        assert state(match)["reserve"][0] == "8S"
        assert match.scorekeeper.move(1, 1, tabu_play("7S")).status_code == 201
        follows(match)


def test_once_the_next_player_acted_the_draw_stands(lite: Table) -> None:
    match = observe(lite, tabu, TABU, 2, 0, ["7H", "KD", "KC", "KS"])
    for move in ({"type": "tabu.draw"}, {"type": "tabu.keep"}):
        assert match.scorekeeper.move(1, 1, move).status_code == 201
    asked = {"kept": 0, "irregularity": "drew_while_able"}
    assert match.scorekeeper.move(1, 0, {"type": "tabu.draw"}).status_code == 201
    late = settle(match.scorekeeper, "/deals/1/take-backs", asked)
    assert (late.status_code, late.json()["code"]) == (409, "CONSENT_MISSING")


# ---- numbers of cards


def test_a_hand_of_the_wrong_number_is_put_right_after_the_first_move(lite: Table) -> None:
    match = observe(lite, tablanet, tablanet.Rules(1), 2, 0, ["2S", "3S", "4S", "5S"])
    lay = {"type": "tablanet.play", "card": "QH", "captures": []}
    assert match.scorekeeper.move(1, 1, lay).status_code == 201
    done = noted(match, "wrong_card_count", seat=0, count=5)
    assert (done["remedy"], len(done["puts"])) == ("short_hand_plays_on", 1)
    now = state(match)
    assert ([len(hand) for hand in now["hands"]], len(now["stock"])) == ([5, 5], 37)
    assert refused(match, "wrong_card_count", seat=0, count=5) == (409, "PUT_RIGHT")
    assert noted(match, "wrong_card_count", seat=1, count=7)["puts"] == []
    assert refused(match, "wrong_card_count", seat=1) == (422, "BAD_VALUE")

    match = observe(lite, tabu, TABU, 2, 0, ["7H", "KD", "KC", "KS"])
    assert (
        match.scorekeeper.post("/deals/1/moves", {"seat": 1, "move": tabu_play("7S"), "seen": ["2S"]}).status_code
        == 201
    )
    done = noted(match, "wrong_card_count", seat=0, count=4)
    assert (done["remedy"], len(done["puts"])) == ("hand_made_right", 2)
    assert len(state(match)["hands"][0]) == 5


def laid_out(lite: Table, game: str, hands: list[int], row: str, **house_rules: Any) -> Opened:
    """A deal told with hands of these sizes and these open cards, let stand by all; the rest of the pack in its order."""
    pack = [*PACK, "X", "X"] if game == "tabu" else [*PACK]
    for card in row.split():
        pack.remove(card)
    given = [[pack.pop(0) for _ in range(size)] for size in hands]
    names = ("row", "reserve") if game == "tabu" else ("table", "stock")
    layout = {"type": game, "hands": given, names[0]: row.split(), names[1]: pack}
    match = lite.open(game, len(hands), 0, **house_rules)
    asked = {"layout": layout, "let_stand": True, "why": "nobody saw it", "agreed": [0, 1]}
    started = match.scorekeeper.post("/deals", asked)
    assert started.status_code == 201, started.text
    return match


def test_a_hand_dealt_short_or_long_by_name(lite: Table) -> None:
    match = laid_out(lite, "tablanet", [7, 5], "QS KS KD KH")
    play(match, 1)
    hand = state(match)["hands"][0]
    assert refused(match, "wrong_card_count", seat=0, count=7) == (422, "SURPLUS_CARDS")
    assert refused(match, "wrong_card_count", seat=0, count=8, cards=hand[:1]) == (422, "HAND_ON_RECORD")
    done = noted(match, "wrong_card_count", seat=0, count=7, cards=hand[:1])
    assert done["puts"][0]["card"] == hand[0]
    assert state(match)["stock"][-1] == hand[0]
    assert match.spectator.get(IRREGULAR).json()["noted"][0]["puts"][0]["card"] == "?"
    assert refused(match, "wrong_card_count", seat=0, count=7, cards=hand[1:2]) == (409, "PUT_RIGHT")
    follows(match)
    match = laid_out(lite, "tabu", [6, 4], "QS KS KD KH", target=100)
    play(match, 1)
    reserve = state(match)["reserve"]
    noted(match, "wrong_card_count", seat=1, count=4)
    assert state(match)["hands"][1][-1] == reserve[0]
    hand = state(match)["hands"][0]
    noted(match, "wrong_card_count", seat=0, count=6, cards=hand[:1])
    assert hand[0] in state(match)["reserve"]
    follows(match)


def test_a_jack_left_on_the_table_is_exchanged_before_the_first_move_and_stays_after_it(lite: Table) -> None:
    match = laid_out(lite, "tablanet", [6, 6], "QS KS JD KH")
    top = state(match)["stock"][0]
    done = noted(match, "clean_up_forgotten")
    assert (done["remedy"], [one["card"] for one in done["puts"]]) == ("clean_up_now", ["JD", top])
    assert (state(match)["table"], state(match)["stock"][-1]) == (["QS", "KS", "KH", top], "JD")
    assert noted(match, "clean_up_forgotten")["puts"] == []
    follows(match)
    match = laid_out(lite, "tablanet", [6, 6], "QS KS JD KH")
    play(match, 1)
    done = noted(match, "clean_up_forgotten", move=0)
    assert (done["remedy"], done["puts"]) == ("stays_in_place", [])
    assert noted(match, "clean_up_forgotten")["puts"] == []
    assert "JD" in state(match)["table"]
    follows(match)


# ---- Sabo


def test_a_revoke_is_withdrawn_and_a_sabo_card_that_was_seen_lies_face_up(lite: Table) -> None:
    match = observe(lite, sabo, sabo.Rules(), 3, 0)
    keeper = match.scorekeeper
    assert keeper.move(1, 1, {"type": "sabo.hand", "card": "4H"}).status_code == 201
    assert keeper.move(1, 2, {"type": "sabo.hand", "card": "2S"}).status_code == 201
    seen = {"seat": 0, "move": {"type": "sabo.place", "place": 2}, "seen": ["9D"]}
    assert keeper.post("/deals/1/moves", seen).status_code == 201
    (row,) = match.spectator.get("/deals/1/remedies?kind=revoke&move=2&seat=2").json()["remedies"]
    assert (row["open"], row["remedy"]) == (True, "withdrawn")
    request = next(one for one in row["requests"] if one["name"] == "take_back")
    back = settle(keeper, request["path"], request["body"])
    assert back.status_code == 201, back.text
    (found,) = match.spectator.get(IRREGULAR).json()["noted"]
    assert found["shown"] == [{"seat": 0, "place": 2, "card": "9D"}]
    for phone in (match.spectator, match.seats[1]):
        assert phone.get("/deals/1").json()["state"]["sabo"][0] == ["?", "?", "9D", "?", "?"]
    assert keeper.move(1, 2, {"type": "sabo.hand", "card": "5H"}).status_code == 201
    hand = keeper.move(1, 0, {"type": "sabo.hand", "card": "9D"})
    assert (hand.status_code, hand.json()["code"]) == (422, "CARD_SEEN_TWICE")
    other = keeper.post("/deals/1/moves", seen | {"seen": ["8D"]})
    assert other.status_code == 422
    assert keeper.move(1, 0, {"type": "sabo.place", "place": 2}).json()["effects"]["card"] == "9D"
    assert match.arbiter.get("/deals/1/audit").json()["divergence"] is None
    assert settle(match.arbiter, "/deals/1/take-backs", {"kept": 0, "why": "x"}).status_code == 201
    assert match.spectator.get("/deals/1").json()["state"]["sabo"][0][2] == "9D"


def test_a_sabo_card_used_while_holding_the_suit_is_replaced_and_lies_face_up(lite: Table) -> None:
    match = observe(lite, sabo, sabo.Rules(), 3, 0)
    keeper = match.scorekeeper
    assert keeper.move(1, 1, {"type": "sabo.hand", "card": "4H"}).status_code == 201
    seen = {"seat": 2, "move": {"type": "sabo.place", "place": 0}, "seen": ["9D"]}
    assert keeper.post("/deals/1/moves", seen).status_code == 201
    assert keeper.move(1, 0, {"type": "sabo.hand", "card": "6H"}).status_code == 201
    asked = {"number": 2, "move": {"type": "sabo.hand", "card": "5H"}, "irregularity": "sabo_while_holding"}
    assert settle(keeper, "/deals/1/corrections", asked | {"number": 1}).status_code == 422
    done = settle(keeper, "/deals/1/corrections", asked)
    assert done.status_code == 201, done.text
    assert match.spectator.get("/deals/1").json()["state"]["sabo"][2] == ["9D", "?", "?", "?", "?"]
    assert match.arbiter.get("/deals/1/audit").json()["divergence"] is None


def test_which_card_was_looked_at_is_told_where_nobody_knew(lite: Table) -> None:
    match = observe(lite, sabo, sabo.Rules(), 2, 0)
    said: dict[str, Any] = {"seat": 0, "place": 1}
    assert refused(match, "sabo_looked_at", **said) == (422, "BAD_VALUE")
    assert refused(match, "sabo_looked_at", **said, told=["2S"]) == (422, "PACK_MISMATCH")
    noted(match, "sabo_looked_at", **said, told=["9D"])
    assert match.spectator.get("/deals/1").json()["state"]["sabo"][0] == ["?", "9D", "?", "?", "?"]
    assert refused(match, "sabo_looked_at", seat=1, place=1, told=["9D"]) == (422, "CARD_SEEN_TWICE")


# ---- who dealt, which card, what is told in vain


def test_the_deal_of_the_wrong_player_stands_and_the_rotation_goes_on(lite: Table) -> None:
    match = lite.open("sabo", 3, 0)
    assert match.scorekeeper.post("/deals", {"open": []}).status_code == 201
    assert match.scorekeeper.get("/deals/1").json()["turn"] == 1
    done = noted(match, "wrong_dealer", seat=1)
    assert done["dealer"] == 1
    deal = match.scorekeeper.get("/deals/1").json()
    assert (deal["dealer"], deal["turn"]) == (1, 2)
    assert match.seats[0].post(IRREGULAR, {"kind": "wrong_dealer", "seat": 2}).status_code == 409
    assert match.scorekeeper.move(1, 2, {"type": "sabo.hand", "card": "4H"}).status_code == 201
    assert noted(match, "wrong_dealer", seat=0)["dealer"] is None
    assert match.arbiter.get("/deals/1/audit").json()["divergence"] is None
    voided = settle(match.scorekeeper, "/deals/1/void", {})
    assert voided.json()["match"]["next_dealer"] == 0


def test_an_illegal_capture_is_made_again_with_the_same_card(lite: Table) -> None:
    match = begun(lite, "tablanet")
    seat = match.scorekeeper.get("/deals/1").json()["turn"]
    hand, table = state(match)["hands"][seat], state(match)["table"]
    card = next(
        card for card in hand
        if match.scorekeeper.post(
            "/deals/1/moves?dry_run=true",
            {"seat": seat, "move": {"type": "tablanet.play", "card": card, "captures": table}},
        ).status_code == 422
    )  # fmt: skip
    stand(match, seat, {"type": "tablanet.play", "card": card, "captures": table})
    (row,) = match.spectator.get(f"/deals/1/remedies?kind=illegal_capture&seat={seat}").json()["remedies"]
    request = row["requests"][0]
    assert (request["name"], request["missing"]) == ("correct", ["move/captures"])
    assert request["body"]["move"] == {"type": "tablanet.play", "card": card}
    legal = match.scorekeeper.get("/deals/1/replay?move=0")
    assert legal.status_code == 200
    other = next(one for one in hand if one != card)
    wrong = request["body"] | {"move": {"type": "tablanet.play", "card": other, "captures": []}}
    answer = settle(match.scorekeeper, request["path"], wrong)
    assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, "#/move/card")


def test_what_is_told_in_vain_is_refused(lite: Table) -> None:
    match = begun(lite, "tabu", 1)
    in_vain: list[tuple[str, dict[str, Any], str]] = [
        ("wrong_row", {"count": 2}, "#/count"),
        ("exposed_in_play", {"cards": ["2S"]}, "#/cards"),
        ("draw_forgotten", {"seen": ["2S"]}, "#/seen"),
        ("wrong_row", {"seen": ["2S"]}, "#/seen"),
    ]
    for kind, said, pointer in in_vain:
        answer = match.scorekeeper.post(IRREGULAR, {"kind": kind, "move": 1, **said})
        assert (answer.status_code, answer.json()["errors"][0]["pointer"]) == (422, pointer), kind
    back = settle(match.scorekeeper, "/deals/1/take-backs", {"kept": 0, "irregularity": "sneezed"})
    assert (back.status_code, back.json()["errors"][0]["pointer"]) == (422, "#/irregularity")
    back = settle(match.scorekeeper, "/deals/1/take-backs", {"kept": 0, "irregularity": "exposed_in_play"})
    assert (back.status_code, back.json()["errors"][0]["pointer"]) == (422, "#/irregularity")


# ---- what happens to it later


def test_what_was_put_is_undone_with_the_moves_before_it_and_replays(lite: Table) -> None:
    match = tabu_table(lite, "2S|7S", "7H 2D KC KS", "4S 9S 10S 3H 4H 5H")
    keeper = match.scorekeeper
    stand(match, 1, tabu_play("7S", turned=[]))
    noted(match, "wrong_row", seat=1)
    right = state(match)
    assert match.arbiter.get("/deals/1/replay?move=1").json()["deal"]["state"] == right
    play(match, 2)
    assert match.arbiter.get("/deals/1/replay?move=1").json()["deal"]["state"] == right
    asked = {"number": 1, "move": tabu_play("7S", turned=["4S"]), "why": "one was turned", "let_stand": True}
    elsewhere = settle(match.arbiter, "/deals/1/corrections", asked)
    assert (elsewhere.status_code, elsewhere.json()["code"]) == (409, "PUT_ELSEWHERE")
    same = settle(match.arbiter, "/deals/1/corrections", asked | {"move": tabu_play("7S", turned=[])})
    assert same.status_code == 201, same.text
    assert match.arbiter.get("/deals/1/replay?move=1").json()["deal"]["state"] == right
    supposed = match.arbiter.post("/deals/1/what-if", {"house_rules": {"target": 100, "must_play": "free"}})
    assert supposed.status_code == 200, supposed.text
    assert supposed.json()["stopped"] is None
    back = settle(match.arbiter, "/deals/1/take-backs", {"kept": 0, "why": "from the start"})
    assert back.status_code == 201
    assert keeper.move(1, 1, tabu_play("7S")).status_code == 201
    assert state(match)["row"] == ["2D", "KC", "KS", "4S"]
    assert keeper.get("/deals/1").headers["etag"] == tag(keeper, "/deals/1")
    follows(match)


def test_in_a_deal_that_the_referee_dealt_the_places_follow_from_the_seed(lite: Table) -> None:
    match = lite.open("tabu", 2, 0, target=100)
    assert match.scorekeeper.post("/deals", {}).status_code == 201
    for _ in range(200):
        deal = match.arbiter.get("/deals/1").json()
        if deal["points"] is not None:
            break
        seat = deal["turn"]
        legal = match.seats[seat].get("/deals/1/legal-moves").json()["moves"]
        move = legal[0]
        plays = [one for one in legal if one["type"] == "tabu.play" and one["card"] not in ("X",)]
        if plays and plays[0]["card"][0] != "J" and len(deal["state"]["hands"][seat]) > 1:
            stand_in(match, seat, plays[0] | {"turned": []})
            if match.arbiter.get("/deals/1").json()["turn"] is None:
                break
            noted(match, "wrong_row", seat=seat)
            if match.arbiter.get("/deals/1").json()["state"]["reserve"]:
                noted(match, "drew_too_many", seat=seat, count=1)
            continue
        assert match.seats[seat].move(1, seat, move).status_code == 201
    heard = match.arbiter.get("/deals/1/audit").json()
    assert heard["divergence"] is None
    assert match.arbiter.get("/deals/1").json()["seed"]
    assert any(one["puts"] for one in heard["noted"])


def stand_in(match: Opened, seat: int, move: dict[str, Any]) -> None:
    asked = {"seat": seat, "move": move, "why": "as it was made"}
    stood = settle(match.arbiter, "/deals/1/irregular-moves", asked)
    assert stood.status_code == 201, stood.text
