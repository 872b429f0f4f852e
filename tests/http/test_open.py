"""Opening a match: house rules, presets, players and their names, the first dealer, rematches, retries."""

from typing import Any
from uuid import uuid4

import pytest
from httpx import Response

from tests.http.table import Opened, Table

DEFAULTS = {
    "ace_value": 1,
    "tablanet_bonus": "none",
    "capture_duty": "any",
    "max_sum_cards": 3,
    "single_match": "value",
    "deal_bonus": "most_points",
    "deal_bonus_tie": "nobody",
    "jack_points": 0,
    "twos": "all",
    "units_per_capture": "any",
    "values": "text",
    "target": 251,
    "tie": "another_deal",
}
VALUES: list[tuple[str, Any]] = [
    *(("ace_value", value) for value in (1, 11, "either")),
    *(("tablanet_bonus", value) for value in ("none", "card_values", "one_point")),
    *(("capture_duty", value) for value in ("any", "optional", "maximal")),
    *(("max_sum_cards", value) for value in (3, "unlimited")),
    *(("single_match", value) for value in ("value", "rank")),
    *(("deal_bonus", value) for value in ("most_points", "most_cards")),
    *(("deal_bonus_tie", value) for value in ("nobody", "all")),
    *(("jack_points", value) for value in (0, 1)),
    *(("twos", value) for value in ("all", "clubs_only")),
    *(("units_per_capture", value) for value in ("any", "one_of_each")),
    *(("values", value) for value in ("text", "balkan")),
    *(("target", value) for value in (1, 251, 1_000_000)),
    *(("tie", value) for value in ("another_deal", "shared")),
]
ENGLISH = {
    "ace_value": "either",
    "tablanet_bonus": "card_values",
    "max_sum_cards": "unlimited",
    "deal_bonus": "most_cards",
    "jack_points": 1,
    "twos": "clubs_only",
}
BALKAN = ENGLISH | {"tablanet_bonus": "one_point", "capture_duty": "optional", "values": "balkan", "target": 101}


def request(players: int = 2, **more: Any) -> dict[str, Any]:
    seats = [{"name": f"Player {seat}"} for seat in range(players)]
    return {"game": "tablanet", "seats": seats, "house_rules": {"ace_value": 1}, "first_dealer": {"seat": 0}} | more


def faults(reply: Response) -> dict[str, str]:
    """Message by pointer of a request that was not accepted."""
    assert reply.status_code == 422, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert reply.json()["code"] == "BAD_VALUE"
    return {fault["pointer"]: fault["message"] for fault in reply.json()["errors"]}


def refusal(reply: Response) -> tuple[str, str]:
    """Code and clause of a request that a rule forbids."""
    assert reply.status_code == 422, reply.text
    assert reply.json()["clause_text"]
    return reply.json()["code"], reply.json()["clause"]


# ---- house rules


@pytest.mark.parametrize(("rule", "value"), VALUES)
def test_every_house_rule_is_pinned_with_all_defaults(shared: Table, rule: str, value: Any) -> None:
    match = shared.open(**{rule: value})
    agreed = match.scorekeeper.get().json()
    assert agreed["house_rules"] == DEFAULTS | {rule: value}
    assert agreed["target"] == agreed["house_rules"]["target"]
    assert agreed["ruleset"] == "tablanet@1"


@pytest.mark.parametrize(
    ("preset", "rules"),
    [("classic", {"ace_value": 11}), ("english-251", ENGLISH), ("balkan-101", BALKAN)],
)
def test_presets(shared: Table, preset: str, rules: dict[str, Any]) -> None:
    given = {"ace_value": 11} if preset == "classic" else {}
    reply = shared.ask(request(preset=preset, house_rules=given))
    assert reply.status_code == 201, reply.text
    assert reply.json()["match"]["house_rules"] == DEFAULTS | rules


def test_a_stated_rule_goes_before_the_preset(shared: Table) -> None:
    reply = shared.ask(request(preset="balkan-101", house_rules={"target": 51}))
    assert reply.json()["match"]["house_rules"] == DEFAULTS | BALKAN | {"target": 51}


@pytest.mark.parametrize(
    ("rules", "pointer", "says"),
    [
        ({}, "#/house_rules", "ace_value"),
        ({"ace_value": 2}, "#/house_rules/ace_value", "2"),
        ({"ace_value": "1"}, "#/house_rules/ace_value", "1"),
        ({"ace_value": 1.0}, "#/house_rules/ace_value", ""),
        ({"ace_value": True}, "#/house_rules/ace_value", ""),
        ({"ace_value": 1, "target": 0}, "#/house_rules/target", ">= 1"),
        ({"ace_value": 1, "target": 1_000_001}, "#/house_rules/target", "<= 1000000"),
        ({"ace_value": 1, "target": 251.5}, "#/house_rules/target", "int"),
        ({"ace_value": 1, "target": None}, "#/house_rules/target", "int"),
        ({"ace_value": 1, "jokers": 2}, "#/house_rules", "jokers"),
        ({"ace_value": 1, "capture_duty": "ANY"}, "#/house_rules/capture_duty", "ANY"),
        ({"ace_value": 1, "max_sum_cards": 4}, "#/house_rules/max_sum_cards", "4"),
    ],
    ids=str,
)
def test_bad_house_rules_are_pointed_at(shared: Table, rules: dict[str, Any], pointer: str, says: str) -> None:
    found = faults(shared.ask(request(house_rules=rules)))
    assert list(found) == [pointer]
    assert says in found[pointer]


@pytest.mark.parametrize(
    ("rule", "allowed"),
    [
        ("ace_value", ("1", "11", "either")),
        ("capture_duty", ("any", "optional", "maximal")),
        ("max_sum_cards", ("3", "unlimited")),
        ("tie", ("another_deal", "shared")),
    ],
)
def test_a_bad_house_rule_hears_what_would_be_accepted(shared: Table, rule: str, allowed: tuple[str, ...]) -> None:
    found = faults(shared.ask(request(house_rules={"ace_value": 1, rule: "nonsense"})))
    assert all(value in found[f"#/house_rules/{rule}"] for value in allowed)


def test_classic_needs_the_ace_agreed(shared: Table) -> None:
    found = faults(shared.ask(request(preset="classic", house_rules={})))
    assert "ace_value" in found["#/house_rules"]


def test_unknown_game_and_preset_hear_which_there_are(shared: Table) -> None:
    assert "tablanet" in faults(shared.ask(request(game="bridge")))["#/game"]
    assert "balkan-101" in faults(shared.ask(request(preset="bridge")))["#/preset"]


# ---- players


@pytest.mark.parametrize("players", [1, 4])
def test_wrong_number_of_players(shared: Table, players: int) -> None:
    reply = shared.ask(request(players))
    assert refusal(reply) == ("PLAYER_COUNT", "TN-1")
    assert reply.json()["violations"][0]["params"] == {"players": players, "least": 2, "most": 3}


def test_no_seats_and_too_many(shared: Table) -> None:
    assert "#/seats" in faults(shared.ask(request(0)))
    assert "#/seats" in faults(shared.ask(request(21)))


@pytest.mark.parametrize("players", [2, 3])
def test_each_seat_has_its_player_and_its_token(shared: Table, players: int) -> None:
    match = shared.open(players=players)
    seats = match.spectator.get().json()["seats"]
    assert [(seat["seat"], seat["name"]) for seat in seats] == [(n, f"Player {n}") for n in range(players)]
    assert len({seat["player"] for seat in seats}) == players
    tokens = match.answer["tokens"]
    assert len({tokens["arbiter"], tokens["scorekeeper"], tokens["spectator"], *tokens["seats"]}) == players + 3


FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
GOOD_NAMES = [
    ("Bob 🐺", "Bob 🐺"),
    (FAMILY, FAMILY),
    (FAMILY * 64, FAMILY * 64),
    ("مريم", "مريم"),
    ("Łukasz", "Łukasz"),
    ("Zoe\u0308", "Zoë"),
    ("Z", "Z"),
    ("  Ana  ", "Ana"),
    ("x" * 64, "x" * 64),
    ("किशोर", "किशोर"),
]
BAD_NAMES = [
    ("x" * 65, "at most 64"),
    ("x" * 10_000, "at most 64"),
    ("x" * 10_001, "10000"),
    ("", "visible"),
    ("   ", "visible"),
    ("\u200d", "visible"),
    ("Ana\x00", "control"),
    ("Ana\nBob", "control"),
    ("Ana\x7f", "control"),
    ("Ana\u202eboB", "control"),
    ("Ana\u2066Bob", "control"),
    ("Z" + "\u0301" * 600, "at most"),
]


@pytest.mark.parametrize(("name", "kept"), GOOD_NAMES, ids=[name[:12] for name, _ in GOOD_NAMES])
def test_c093_names_of_all_kinds_come_back(shared: Table, name: str, kept: str) -> None:
    reply = shared.ask(request(seats=[{"name": name}, {"name": "Bob"}]))
    assert reply.status_code == 201, reply.text
    match = Opened(shared.client, reply.json())
    assert [seat["name"] for seat in match.seats[1].get().json()["seats"]] == [kept, "Bob"]


@pytest.mark.parametrize(("name", "says"), BAD_NAMES, ids=[repr(name[:12]) + str(len(name)) for name, _ in BAD_NAMES])
def test_c093_names_past_the_limit_are_pointed_at(shared: Table, name: str, says: str) -> None:
    found = faults(shared.ask(request(seats=[{"name": "Ana"}, {"name": name}])))
    assert list(found) == ["#/seats/1/name"]
    assert says in found["#/seats/1/name"]


def test_every_bad_seat_is_pointed_at(shared: Table) -> None:
    stranger = str(uuid4())
    seats = [{"name": "\x00"}, {}, {"player": stranger}, {"name": "Ana", "player": stranger}]
    found = faults(shared.ask(request(seats=seats)))
    assert list(found) == ["#/seats/0/name", "#/seats/1", "#/seats/2/player", "#/seats/3"]


def test_a_known_player_sits_down_again_under_the_same_name(shared: Table) -> None:
    ana = shared.open().answer["match"]["seats"][0]["player"]
    reply = shared.ask(request(seats=[{"name": "Carla"}, {"player": ana}]))
    assert reply.status_code == 201
    seat = reply.json()["match"]["seats"][1]
    assert (seat["player"], seat["name"]) == (ana, "Player 0")


def test_nobody_sits_twice(shared: Table) -> None:
    ana = shared.open().answer["match"]["seats"][0]["player"]
    assert "already" in faults(shared.ask(request(seats=[{"player": ana}, {"player": ana}])))["#/seats/1/player"]


def test_two_of_the_same_name_are_two_players(shared: Table) -> None:
    reply = shared.ask(request(seats=[{"name": "Ana"}, {"name": "Ana"}]))
    assert len({seat["player"] for seat in reply.json()["match"]["seats"]}) == 2


# ---- the first dealer


def chosen(shared: Table, reply: Response) -> dict[str, Any]:
    assert reply.status_code == 201, reply.text
    match = Opened(shared.client, reply.json())
    event: dict[str, Any] = match.spectator.get("/events").json()["events"][1]["event"]
    assert event["type"] == "DealerChosen"
    assert match.spectator.get().json()["next_dealer"] == event["seat"]
    return event


def test_a_named_seat_deals(shared: Table) -> None:
    event = chosen(shared, shared.ask(request(3, first_dealer={"seat": 2})))
    assert (event["seat"], event["how"]) == (2, "seat")


def test_the_lot_falls_on_every_seat(shared: Table) -> None:
    drawn = [chosen(shared, shared.ask(request(3, first_dealer={}))) for _ in range(40)]
    assert {event["how"] for event in drawn} == {"lot"}
    assert {event["seat"] for event in drawn} == {0, 1, 2}


def test_a_seat_that_is_not_there_cannot_deal(shared: Table) -> None:
    assert "0 to 1" in faults(shared.ask(request(first_dealer={"seat": 2})))["#/first_dealer/seat"]
    assert "#/first_dealer/seat" in faults(shared.ask(request(first_dealer={"seat": -1})))
    assert "#/first_dealer" in faults(shared.ask(request(first_dealer={"seat": 0, "cut": [["2S", "3S"]]})))


@pytest.mark.parametrize(
    ("rounds", "dealer"),
    [
        ([["KS", "2H", "AD"]], 1),
        ([["AS", "AH", "KD"]], 2),
        ([["3S", "3H", "KD"], ["9S", "4D", None]], 1),
        ([["3S", "3H", "3D"], ["7S", "5D", "5C"], [None, "QS", "JS"]], 2),
    ],
)
def test_tn_2_lowest_card_deals_and_ties_cut_again(shared: Table, rounds: list[list[str | None]], dealer: int) -> None:
    event = chosen(shared, shared.ask(request(3, first_dealer={"cut": rounds})))
    assert (event["seat"], event["how"], event["cuts"]) == (dealer, "cut", rounds)


@pytest.mark.parametrize(
    ("rounds", "code", "params"),
    [
        ([["2S", "3S"]], "CUT_BY_WRONG_SEATS", {"round": 1, "seats": [0, 1, 2]}),
        ([["2S", None, "3S"]], "CUT_BY_WRONG_SEATS", {"round": 1, "seats": [0, 1, 2]}),
        ([["2S", "2H", "KD"], ["4S", "5S", "6S"]], "CUT_BY_WRONG_SEATS", {"round": 2, "seats": [0, 1]}),
        ([["2S", "2H", "KD"], [None, "5S", "6S"]], "CUT_BY_WRONG_SEATS", {"round": 2, "seats": [0, 1]}),
        ([["2S", "3H", "KD"], ["4S", None, None]], "CUT_DECIDED", {"round": 1, "seat": 0}),
        ([["2S", "2S", "KD"]], "PACK_MISMATCH", {"extra": ["2S"], "missing": []}),
        ([["2S", "X", "KD"]], "PACK_MISMATCH", {"extra": ["X"], "missing": []}),
        ([["2S", "2H", "KD"]], "CUT_TIED", {"seats": [0, 1]}),
        ([["2S", "2H", "KD"], ["QS", "QD", None]], "CUT_TIED", {"seats": [0, 1]}),
    ],
)
def test_tn_2_a_cut_that_cannot_be(shared: Table, rounds: list[Any], code: str, params: dict[str, Any]) -> None:
    reply = shared.ask(request(3, first_dealer={"cut": rounds}))
    assert refusal(reply) == (code, "TN-2")
    assert reply.json()["violations"][0]["params"] == params


def test_a_cut_is_read_as_people_write_cards(shared: Table) -> None:
    event = chosen(shared, shared.ask(request(first_dealer={"cut": [["t♠", "9h"]]})))
    assert event["cuts"] == [["10S", "9H"]]
    event = chosen(shared, shared.ask(request(first_dealer={"cut": [["Т♠", "дЧ"]]}, alphabet="ru")))
    assert event["cuts"] == [["AS", "QH"]]
    assert "#/first_dealer/cut/0/1" in faults(shared.ask(request(first_dealer={"cut": [["2S", "1S"]]})))


# ---- rematch and retries


def test_c044_a_rematch_is_linked_both_ways_and_the_old_match_stays(shared: Table) -> None:
    old = shared.open(players=3, target=77)
    before = old.scorekeeper.get().json()
    reply = old.scorekeeper.post("/rematch", {})
    assert reply.status_code == 201, reply.text
    new = Opened(shared.client, reply.json())
    after, now = old.scorekeeper.get().json(), new.scorekeeper.get().json()
    assert after == before | {"version": before["version"] + 1, "rematches": [new.id]}
    assert (now["id"], now["rematch_of"], now["rematches"]) == (new.id, old.id, [])
    assert now["seats"] == before["seats"]
    assert now["house_rules"] == before["house_rules"]
    assert now["totals"] == [0, 0, 0]
    assert new.scorekeeper.post("/deals", {}).status_code == 201
    assert old.scorekeeper.get().json() == after
    assert old.scorekeeper.post("/deals", {}).status_code == 201
    assert new.scorekeeper.get("/totals").json()["seats"][0]["total"] == 0


def test_the_deal_passes_on_into_a_rematch_unless_said(shared: Table) -> None:
    old = shared.open(dealer=1)
    assert old.scorekeeper.post("/deals", {}).status_code == 201
    assert old.scorekeeper.post("/rematch", {}).json()["match"]["next_dealer"] == 0
    assert old.arbiter.post("/rematch", {"first_dealer": {"seat": 1}}).json()["match"]["next_dealer"] == 1
    assert len(old.scorekeeper.get().json()["rematches"]) == 2


def test_a_rematch_is_for_scorekeeper_and_arbiter(shared: Table) -> None:
    old = shared.open()
    assert [phone.post("/rematch", {}).status_code for phone in (*old.seats, old.spectator)] == [403] * 3
    assert old.nobody.post("/rematch", {}).status_code == 401
    assert old.scorekeeper.get().json()["rematches"] == []


def test_c044_opened_twice_with_the_same_key_is_one_match(shared: Table) -> None:
    key, body = str(uuid4()), request(first_dealer={})
    first, again = shared.ask(body, idempotency_key=key), shared.ask(body, idempotency_key=key)
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert "idempotent-replayed" not in first.headers
    assert again.headers["idempotent-replayed"] == "true"
    assert again.headers["location"] == first.headers["location"] == f"/v1/matches/{first.json()['match']['id']}"
    assert Opened(shared.client, again.json()).arbiter.get().status_code == 200


def test_c044_a_rematch_asked_for_twice_with_the_same_key_is_one(shared: Table) -> None:
    old = shared.open()
    key = str(uuid4())
    first = old.scorekeeper.post("/rematch", {}, idempotency_key=key)
    again = old.scorekeeper.post("/rematch", {}, idempotency_key=key)
    assert again.json() == first.json()
    assert again.headers["idempotent-replayed"] == "true"
    assert old.scorekeeper.get().json()["rematches"] == [first.json()["match"]["id"]]


def test_the_key_with_another_body_is_refused(shared: Table) -> None:
    key = str(uuid4())
    assert shared.ask(request(), idempotency_key=key).status_code == 201
    reply = shared.ask(request(3), idempotency_key=key)
    assert (reply.status_code, reply.json()["code"]) == (422, "KEY_REUSED")


def test_a_refused_opening_does_not_use_up_its_key(shared: Table) -> None:
    key = str(uuid4())
    assert shared.ask(request(1), idempotency_key=key).status_code == 422
    assert shared.ask(request(2), idempotency_key=key).status_code == 201


def test_tokens_are_never_cached(shared: Table) -> None:
    assert shared.ask(request()).headers["cache-control"] == "no-store"
