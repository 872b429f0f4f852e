"""Cases that other projects failed, played over HTTP; each test is named after its case."""

import json
from types import SimpleNamespace
from typing import Any, NamedTuple

import msgspec
import pytest

from referee.rules import tablanet
from referee.rules.cards import PACK
from referee.rules.game import GAMES, RULESETS
from tests.conftest import SQLITE
from tests.dealing import SeededChance, new_deal, random_line, rules_of
from tests.http.settle import sabo_match, tally
from tests.http.table import Opened, Table
from tests.records.doctor import doctored, golden

pytestmark = SQLITE


def tablanet_layout(table: str, *hands: str) -> dict[str, Any]:
    """A layout with these open cards and beginnings of hands; the rest of the pack fills up, jacks in the stock."""
    told = [hand.split() for hand in hands]
    used = {*table.split(), *(card for hand in told for card in hand)}
    rest = [card for card in PACK if card not in used and card[0] != "J"]
    for hand in told:
        while len(hand) < 6:
            hand.append(rest.pop())
    row = table.split()
    while len(row) < 4:
        row.append(rest.pop())
    stock = [card for card in PACK if card in rest or (card[0] == "J" and card not in used)]
    return {"type": "tablanet", "hands": told, "table": row, "stock": stock}


def laid(table: Table, layout: dict[str, Any], game: str = "tablanet", players: int = 2, **house_rules: Any) -> Opened:
    """A match whose first deal, dealt by the last seat, is laid out as told: seat 0 acts."""
    match = table.open(game, players, players - 1, **house_rules)
    reply = match.scorekeeper.post("/deals", {"layout": layout})
    assert reply.status_code == 201, reply.text
    return match


def take(match: Opened, card: str, *captures: str, seat: int = 0) -> Any:
    move = {"type": "tablanet.play", "card": card, "captures": list(captures)}
    return match.scorekeeper.move(1, seat, move)


def refused(match: Opened, reply: Any, code: str, card: str) -> None:
    """The refusal names the card, and nothing has changed."""
    assert reply.status_code == 422
    assert code in [violation["code"] for violation in reply.json()["violations"]]
    assert card in reply.json()["cards"]
    assert card in json.dumps(reply.json()["violations"])
    now = match.scorekeeper.get("/deals/1").json()
    assert reply.json()["version"] == now["version"]


# ---- C047


def until_the_tie(document: Any) -> None:
    """Leave out everything after the deal that left the highest total shared at or above the target."""
    target = document["match"][0]["event"]["house_rules"]["target"]
    for place, entry in enumerate(document["match"]):
        totals = entry["event"].get("totals", [0])
        if entry["event"]["type"] == "DealScored" and max(totals) >= target and totals.count(max(totals)) > 1:
            del document["match"][place + 1 :]
            del document["deals"][entry["event"]["number"] :]
            return
    raise AssertionError("no tie in this record")


@pytest.mark.parametrize("name", ["tablanet-2-tie", "tabu-2-tie", "sabo-4-tie"])
def test_C047_a_tie_at_the_target_plays_on(table: Table, name: str) -> None:  # noqa: N802
    data = doctored(golden(name), until_the_tie)
    reply = table.take_in(data)
    assert reply.status_code == 201, reply.text
    match, state = Opened(table.client, reply.json()), reply.json()["match"]
    best = max(state["totals"])
    assert best >= state["target"]
    leaders = [seat for seat, total in enumerate(state["totals"]) if total == best]
    assert len(leaders) > 1
    assert (state["state"], state["winners"]) == ("open", [])
    sheet = match.spectator.get(f"/totals?min_position={reply.json()['position']}").json()
    assert (sheet["winners"], sheet["leaders"]) == ([], leaders)
    assert [seat["total"] for seat in sheet["seats"]] == state["totals"]
    export = match.spectator.get("/record").json()
    assert export["match"][-1]["event"]["totals"] == state["totals"]
    by = state["next_dealer"]
    assert match.seats[by].post("/deals", {}).status_code == 201


@pytest.mark.parametrize("tie", ["another_deal", "shared"])
def test_C047_both_stand_at_52(table: Table, tie: str) -> None:  # noqa: N802
    """Sabo to 50: nobody wins alone, the agreed policy decides, and says the same everywhere."""
    match = sabo_match(table, *[(7, 6, 0, 0), (6, 7, 0, 0)] * 4, tie=tie)
    winners = [0, 1] if tie == "shared" else []
    assert everywhere(match) == ([52, 52, 0, 0], winners)
    further = tally(match, 6, 7, 0, 0)
    assert further.status_code == (422 if winners else 201)
    if not winners:
        assert everywhere(match) == ([58, 59, 0, 0], [1])


def test_C047_52_beats_51(table: Table) -> None:  # noqa: N802
    match = sabo_match(table, *[(7, 6, 0, 0), (6, 7, 0, 0)] * 3, (7, 6, 0, 0), (6, 6, 1, 0))
    assert everywhere(match) == ([52, 51, 1, 0], [0])


def everywhere(match: Opened) -> tuple[list[int], list[int]]:
    """Totals and winners, the same in the match, on the sheet and in the record."""
    now, record = match.spectator.get().json(), match.spectator.get("/record").json()["match"]
    # a proposal writes last, and says how far the sheet must have come
    asked = match.scorekeeper.post("/proposals", {"ask": {"kind": "abandon"}})
    sheet = match.spectator.get(f"/totals?min_position={asked.json()['position']}").json()
    assert [seat["total"] for seat in sheet["seats"]] == now["totals"] == record[-1]["event"]["totals"]
    assert sheet["winners"] == now["winners"] == (record[-1]["event"]["seats"] if now["winners"] else [])
    return now["totals"], now["winners"]


# ---- C048


class Target(NamedTuple):
    """The target, results up to the last deal, and three of the last: one short of it, on it, one past it."""

    target: int
    before: list[dict[str, Any]]
    last: list[dict[str, Any]]


TARGETS = {
    "tablanet": Target(
        251,
        [{"card_points": [21, 0]}] * 9 + [{"card_points": [11, 10]}],
        [{"card_points": [points, 21 - points]} for points in (17, 18, 19)],
    ),
    "sabo": Target(50, [{"tricks": [13, 0]}] * 3, [{"tricks": [tricks, 13 - tricks]} for tricks in (10, 11, 12)]),
    "tabu": Target(
        100,
        [{"captured_points": [22, 0], "hand_points": [0, 0]}] * 4,
        [{"captured_points": [points, 0], "hand_points": [0, 0]} for points in (11, 12, 13)],
    ),
}


@pytest.mark.parametrize("past", [-1, 0, 1])
@pytest.mark.parametrize("game", TARGETS)
def test_C048_exactly_on_the_target(table: Table, game: str, past: int) -> None:  # noqa: N802
    """One short of the target nothing has ended; on it, and past it, it has."""
    target, before, last = TARGETS[game]
    match = table.open(game, 2, **({"target": 100} if game == "tabu" else {}))
    assert match.spectator.get().json()["target"] == target
    for number, parts in enumerate([*before, last[past + 1]], 1):
        assert match.spectator.get().json()["winners"] == []
        body = {"number": number, "tally": {"type": game, **parts}}
        assert match.scorekeeper.post("/deals", body).status_code == 201
    totals, winners = everywhere(match)
    assert totals[0] == target + past
    assert winners == ([] if past < 0 else [0])
    assert match.spectator.get().json()["state"] == ("open" if past < 0 else "won")


@pytest.mark.parametrize(
    "name", ["tablanet-2-shared", "tabu-3-shared", "sabo-5-shared", "sabo-2-classic", "tabu-3-crossing"]
)
def test_C047_the_winners_are_the_same_everywhere(table: Table, name: str) -> None:  # noqa: N802
    """A shared win names all who share it; of several past the target the highest alone has won."""
    reply = table.take_in(golden(name))
    match, state = Opened(table.client, reply.json()), reply.json()["match"]
    winners = [seat for seat, total in enumerate(state["totals"]) if total == max(state["totals"])]
    assert (len(winners) > 1) == ("shared" in name)
    sheet = match.spectator.get(f"/totals?min_position={reply.json()['position']}").json()
    export = match.spectator.get("/record").json()["match"][-1]["event"]
    assert state["winners"] == sheet["winners"] == export["seats"] == winners
    assert state["totals"] == [seat["total"] for seat in sheet["seats"]] == export["totals"]
    assert match.seats[state["next_dealer"]].post("/deals", {}).json()["code"] == "MATCH_OVER"


# ---- C036


def test_C036_what_was_missed_comes_in_order(table: Table) -> None:  # noqa: N802
    """Who was away asks after the last version he knows; a version that is not there yet is never an empty answer."""
    match = laid(table, tablanet_layout("3H 4C KD QD", "7S 2S", "9S 8S"))
    known = match.spectator.get("/deals/1").json()["version"]
    for seat, card in ((0, "2S"), (1, "9S"), (0, "7S")):
        moves = match.scorekeeper.get("/deals/1/legal-moves?limit=500").json()["moves"]
        assert match.scorekeeper.move(1, seat, next(move for move in moves if move["card"] == card)).status_code == 201
    missed = match.spectator.get(f"/deals/1/events?after={known}").json()["events"]
    assert [(entry["version"], entry["event"]["move"]["card"]) for entry in missed] == [
        (known + 1, "2S"),
        (known + 2, "9S"),
        (known + 3, "7S"),
    ]
    for path in ("/events", "/deals/1/events"):
        ahead = match.spectator.get(f"{path}?after=99")
        assert (ahead.status_code, ahead.json()["code"]) == (404, "NOT_FOUND")


# ---- Tablanet


def test_C062_the_same_card_twice_in_one_capture(table: Table) -> None:  # noqa: N802
    match = laid(table, tablanet_layout("3H 4C KD QD", "6S", "AS"))
    before = match.scorekeeper.get("/deals/1").json()
    reply = take(match, "6S", "3H", "3H")
    refused(match, reply, "DUPLICATE_CAPTURE", "3H")
    assert reply.json()["clause"] == "TN-11"
    assert match.scorekeeper.get("/deals/1").json() == before


def test_C063_cards_not_held_not_there_not_removed(table: Table) -> None:  # noqa: N802
    match = laid(table, tablanet_layout("3H 4C KD QD", "7S 2S", "KH 9S"))
    refused(match, take(match, "KH"), "CARD_NOT_IN_HAND", "KH")
    refused(match, take(match, "7S", "3H", "4D"), "CARD_NOT_ON_TABLE", "4D")
    made = take(match, "7S", "3H", "4C")
    assert made.status_code == 201
    assert "7S" not in made.json()["deal"]["state"]["hands"][0]
    assert len(made.json()["deal"]["state"]["hands"][0]) == 5
    assert take(match, "9S", seat=1).status_code == 201
    refused(match, take(match, "7S"), "CARD_NOT_IN_HAND", "7S")
    refused(match, take(match, "2S", "3H"), "CARD_NOT_ON_TABLE", "3H")


def test_C067_overlapping_sums(table: Table) -> None:  # noqa: N802
    def captures(match: Opened, card: str) -> list[list[str]]:
        moves = match.scorekeeper.get("/deals/1/legal-moves?limit=500").json()["moves"]
        return sorted(sorted(move["captures"]) for move in moves if move["card"] == card)

    match = laid(table, tablanet_layout("3H 4D 4C QD", "7S", "AS"))
    assert captures(match, "7S") == [["3H", "4C"], ["3H", "4D"]]
    reply = take(match, "7S", "3H", "4D", "4C")
    refused(match, reply, "CAPTURE_NOT_VALID", "7S")
    assert sorted(sorted(move["captures"]) for move in reply.json()["legal"]) == [["3H", "4C"], ["3H", "4D"]]
    match = laid(table, tablanet_layout("3H 3S 4D 4C", "7S", "AS"))
    assert ["3H", "3S", "4C", "4D"] in captures(match, "7S")
    assert take(match, "7S", "3H", "3S", "4D", "4C").json()["effects"]["tablanet"] is True
    match = laid(table, tablanet_layout("AD 2H 5S 6S", "8D", "AS"))
    assert captures(match, "8D") == [["2H", "5S", "AD"], ["2H", "6S"]]
    refused(match, take(match, "8D", "AD", "2H", "5S", "6S"), "CAPTURE_NOT_VALID", "8D")


def test_C069_nobody_has_the_majority(table: Table) -> None:  # noqa: N802
    """A whole deal that leaves 26 cards each: no bonus in the answer, on the sheet or in the record."""
    rules = rules_of(tablanet, deal_bonus="most_cards")
    for seed in range(100):
        chance = SeededChance(seed)
        layout, first = new_deal(tablanet, rules, 2, chance, 1)
        line = list(random_line(tablanet, rules, first, chance))
        state, seat, move, effects = line[-1]
        if [len(pile) for pile in tablanet.evolve(state, seat, move, effects).piles] == [26, 26]:
            break
    match = laid(table, msgspec.to_builtins(layout), deal_bonus="most_cards")
    for _, seat, move, _ in line:
        reply = match.scorekeeper.move(1, seat, msgspec.to_builtins(move))
    answer = reply.json()
    assert [len(pile) for pile in answer["deal"]["state"]["piles"]] == [26, 26]
    assert [of["bonus"] for of in answer["deal"]["lines"]] == [0, 0]
    sheet = match.spectator.get(f"/totals?min_position={answer['position']}").json()
    assert [of["bonus"] for of in sheet["deals"][0]["lines"]] == [0, 0]
    assert match.spectator.get("/record").json()["deals"][0][-1]["event"]["lines"] == answer["deal"]["lines"]


# ---- Sabo and Tabu


def test_C071_following_the_suit_that_was_led(table: Table) -> None:  # noqa: N802
    hands = [
        "5D 2S 3S 4S 5S 6S 7S 8S",
        "4D KD 2C 3C 4C 5C 6C 7C",
        "AS 9H 10H JH QH KH 8C 9C",
        "AH 2H 3H 4H 5H 6H 7H 8H",
    ]
    told = [hand.split() for hand in hands]
    rest = [card for card in PACK if not any(card in hand for hand in told)]
    layout = {"type": "sabo", "hands": told, "sabo": [rest[at::4] for at in range(4)]}
    match = laid(table, layout, "sabo", 4)
    assert match.seats[0].move(1, 0, {"type": "sabo.hand", "card": "5D"}).status_code == 201

    def legal(seat: int) -> list[Any]:
        moves = match.scorekeeper.get("/deals/1/legal-moves").json()["moves"]
        return [move.get("card", move.get("place")) for move in moves]

    assert legal(1) == ["4D", "KD"]
    reply = match.seats[1].move(1, 1, {"type": "sabo.hand", "card": "2C"})
    assert reply.status_code == 422
    assert (reply.json()["code"], reply.json()["clause"]) == ("MUST_FOLLOW_SUIT", "SB-7")
    assert reply.json()["violations"][0]["params"] == {"led": "D", "cards": ["4D", "KD"]}
    assert match.seats[1].move(1, 1, {"type": "sabo.place", "place": 0}).json()["code"] == "SABO_NOT_ALLOWED"
    assert match.seats[1].move(1, 1, {"type": "sabo.hand", "card": "KD"}).status_code == 201
    assert set(legal(2)) == {"AS", "KH", "8C", "9C", 0, 1, 2, 3, 4}, "lowest of a suit, a higher suit, or the sabo"
    # the next deal, with the same cards, knows of no suit that was led
    version = match.scorekeeper.get().headers["etag"]
    assert match.scorekeeper.post("/deals/1/void", {"why": "a card fell"}, if_match=version).status_code == 201
    assert match.scorekeeper.post("/deals", {"layout": layout}).json()["deal"]["state"]["led"] is None
    moves = match.scorekeeper.get("/deals/2/legal-moves").json()["moves"]
    assert [move["card"] for move in moves if "card" in move] == hands[0].split()


def test_C073_a_renewal_is_recorded_and_replayed(table: Table) -> None:  # noqa: N802
    """Each renewal turns exactly the discard over, nothing is lost, and the replay takes the order that was recorded."""
    match = Opened(table.client, table.take_in(golden("tabu-2-classic-100")).json())
    replay = match.spectator.get("/deals/1/replay").json()
    renewals = [move["number"] for move in replay["played"] if move["effects"].get("renewed")]
    assert renewals
    for number in renewals:
        before, after = (match.spectator.get(f"/deals/1/replay?move={n}").json() for n in (number - 1, number))
        effects, was, now = after["played"][-1]["effects"], before["deal"]["state"], after["deal"]["state"]
        order = effects["renewed"][0]
        assert sorted(order) == sorted([*was["discard"], *effects.get("discarded", [])])
        assert now["discard"] == []
        used = len(effects.get("turned", effects.get("draws", [1] if effects.get("drawn") else [])))
        left = [*was["reserve"], *order][used:]
        assert sorted(now["reserve"]) == sorted([*left, *effects.get("set_aside", [])])
        if not effects.get("set_aside"):
            assert now["reserve"] == left


# ---- C075


def test_C075_rules_that_change_leave_old_matches_alone(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: N802
    """A king that is worth 15, and from the next ruleset on 14."""
    on_table = tablanet_layout("10D 5S AH QD", "KS", "AS")
    old = laid(table, on_table)
    kept = golden("tablanet-2-classic")
    assert table.take_in(kept).status_code == 201

    def changed(rules: Any) -> Any:
        return msgspec.structs.replace(rules, values="balkan")

    later = SimpleNamespace(
        **vars(tablanet)
        | {
            "RULESET": "tablanet@2",
            "judge": lambda rules, *more: tablanet.judge(changed(rules), *more),
            "legal_moves": lambda rules, *more: tablanet.legal_moves(changed(rules), *more),
        }
    )
    monkeypatch.setitem(RULESETS, "tablanet@2", later)
    monkeypatch.setitem(GAMES, "tablanet", later)
    new = laid(table, on_table)
    assert (old.spectator.get().json()["ruleset"], new.spectator.get().json()["ruleset"]) == (
        "tablanet@1",
        "tablanet@2",
    )
    assert new.spectator.get("/deals/1").json()["ruleset"] == "tablanet@2"
    refused(new, take(new, "KS", "10D", "5S"), "CAPTURE_NOT_VALID", "KS")
    assert take(old, "KS", "10D", "5S").status_code == 201
    replay = old.scorekeeper.get("/deals/1/replay").json()
    assert replay["played"][0]["effects"]["captured"] == ["10D", "5S", "KS"]
    assert table.take_in(kept, "/v1/records/check").json()["legal"] is True
    assert table.take_in(kept).status_code == 200
