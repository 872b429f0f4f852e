"""A deal heard again: its audit with everything now known, and what if it had gone otherwise."""

from typing import Any

import msgspec
import pytest

from referee.rules import sabo, tablanet
from referee.rules.cards import PACK, SUIT
from referee.rules.game import GAMES
from tests.http.real import begun, body, follow, observe, observed, play, tag
from tests.http.table import Opened, Phone, Table
from tests.rules.observing import both_sides
from tests.vectors_of import cases


def what_if(phone: Phone, **asked: Any) -> dict[str, Any]:
    answer = phone.post("/deals/1/what-if", asked)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def departures(told: dict[str, Any]) -> list[tuple[int, list[str]]]:
    return [(one["number"], [f"{v['code']} {v['clause']}" for v in one["violations"]]) for one in told["departures"]]


# ---- what if


@pytest.mark.parametrize("game", GAMES)
def test_under_the_same_rules_everything_is_as_it_was(lite: Table, game: str) -> None:
    match = begun(lite, game, 10_000)
    told = what_if(match.spectator)
    assert (told["departures"], told["stopped"], told["assumed"]) == ([], None, [])
    assert told["supposed"] == told["recorded"]
    assert told["recorded"]["points"] is not None


def test_a_deal_that_the_referee_shuffled_follows_its_seed(lite: Table) -> None:
    match = lite.open("tabu", 2, target=100)
    assert match.scorekeeper.post("/deals", {}).status_code == 201
    turn: int | None = match.spectator.get("/deals/1").json()["turn"]
    while turn is not None:
        move = match.seats[turn].get("/deals/1/legal-moves?limit=1").json()["moves"][0]
        turn = match.seats[turn].move(1, turn, move).json()["deal"]["turn"]
    told = what_if(match.spectator)
    assert (told["departures"], told["assumed"], told["supposed"]) == ([], [], told["recorded"])
    other = what_if(match.spectator, house_rules={"must_play": "free", "joker_draws": "others"})
    assert other == what_if(match.spectator, house_rules={"must_play": "free", "joker_draws": "others"})


TABLE = ("10H", "10D", "4C", "6C")
TAKEN = ("10H", "4C", "6C")
OTHERWISE: list[tuple[dict[str, Any], list[str]]] = [
    ({}, []),
    ({"units_per_capture": "one_of_each"}, []),
    ({"max_sum_cards": "unlimited", "ace_value": 11}, []),
    ({"single_match": "rank"}, ["CAPTURE_NOT_VALID TN-10"]),
    ({"values": "balkan"}, ["CAPTURE_NOT_VALID TN-10"]),
    ({"capture_duty": "maximal"}, ["CAPTURE_NOT_MAXIMAL TN-12"]),
]


@pytest.fixture(scope="module")
def jack(lite: Table) -> Opened:
    """Tablanet: a jack took a ten and a sum, and left a ten (TN-10, TN-11)."""
    rest = [card for card in PACK if card not in (*TABLE, "JS")]
    layout = {"type": "tablanet", "hands": [rest[:6], ["JS", *rest[6:11]]], "table": TABLE, "stock": rest[11:]}
    match = lite.open()
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    made = match.scorekeeper.move(1, 1, {"type": "tablanet.play", "card": "JS", "captures": TAKEN})
    assert made.status_code == 201, made.text
    return match


@pytest.mark.parametrize(("house_rules", "codes"), OTHERWISE, ids=[str(rules) for rules, _ in OTHERWISE])
def test_other_house_rules_refuse_what_was_legal(jack: Opened, house_rules: dict[str, Any], codes: list[str]) -> None:
    told = what_if(jack.arbiter, house_rules=house_rules)
    assert departures(told) == ([(1, codes)] if codes else [])
    assert told["house_rules"] == jack.answer["match"]["house_rules"] | house_rules
    assert told["supposed"] == {"points": None, "lines": None}


def test_the_arbiters_question_in_a_running_deal_leaves_its_trace_and_nothing_else(lite: Table) -> None:
    match = begun(lite, "sabo", 3)
    before = (tag(match.spectator), tag(match.spectator, "/deals/1"))
    for phone in (match.scorekeeper, match.seats[0], match.spectator):
        for answer in (phone.post("/deals/1/what-if", {}), phone.get("/deals/1/audit")):
            assert (answer.status_code, answer.json()["code"]) == (403, "FORBIDDEN")
    asked = lite.client.app.state.referee  # type: ignore[attr-defined]
    looks: list[Any] = []
    look = asked.look

    async def watched(who: Any, found: Any) -> None:
        looks.append((who.name, found.number))
        await look(who, found)

    asked.look = watched
    try:
        what_if(match.arbiter)
        assert match.arbiter.get("/deals/1/audit").status_code == 200
    finally:
        del asked.look
    assert looks == [("arbiter", 1)] * 2
    assert (tag(match.spectator), tag(match.spectator, "/deals/1")) == before


def test_nothing_is_stored(lite: Table) -> None:
    match = begun(lite, "sabo", 10_000)
    paths = ("", "/events", "/deals/1", "/deals/1/events", "/deals/1/replay", "/record")
    before = [match.arbiter.get(path).content for path in paths]
    what_if(match.arbiter, house_rules={"trick_order": "led_suit_only", "revoke_penalty": "three", "target": 1})
    what_if(match.seats[0], **{"from": 2, "moves": []})
    assert [match.arbiter.get(path).content for path in paths] == before


def test_another_move_from_some_move_on(lite: Table) -> None:
    match = begun(lite, "tablanet")
    first, other = match.scorekeeper.get("/deals/1/legal-moves?limit=2").json()["moves"]
    play(match)
    told = what_if(match.spectator, **{"from": 1, "moves": [{"move": other}]})
    assert departures(told)[0] == (1, [])
    assert (told["departures"][0]["recorded"], told["departures"][0]["move"]) == (False, other)
    asked = {"type": "tablanet.play", "card": first["card"], "captures": []}
    nowhere = {**asked, "card": match.spectator.get("/deals/1/replay").json()["played"][1]["move"]["card"]}
    told = what_if(match.spectator, **{"from": 1, "moves": [{"move": nowhere}]})
    assert told["stopped"] == 1
    assert told["departures"][0]["effects"] is None
    assert "CARD_NOT_IN_HAND TN-8" in departures(told)[0][1]
    assert told["deal"]["moves"] == 0
    beyond = match.spectator.post("/deals/1/what-if", {"from": 50})
    assert (beyond.status_code, beyond.json()["errors"][0]["pointer"]) == (422, "#/from")


def test_another_trick_order_gives_the_lead_to_another(lite: Table) -> None:
    """SB-E2: a king of clubs beats the ace that was led, unless only the led suit counts."""
    diamonds, clubs = ([card for card in PACK if SUIT[card] == suit] for suit in "DC")
    layout = {"type": "sabo", "hands": [clubs[:8], diamonds[-8:]], "sabo": [diamonds[:5], clubs[8:]]}
    match = lite.open("sabo", 2)
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    for seat, card in ((1, "AD"), (0, "9C"), (0, "8C")):
        assert match.scorekeeper.move(1, seat, {"type": "sabo.hand", "card": card}).status_code == 201
    assert departures(what_if(match.arbiter)) == []
    told = what_if(match.arbiter, house_rules={"trick_order": "led_suit_only"})
    assert departures(told) == [(2, []), (3, ["NOT_YOUR_TURN SB-4"])]
    assert told["departures"][0]["effects"]["winner"] == 1
    # the recorded lead is then one out of turn, which the rest can follow
    assert (told["stopped"], told["deal"]["moves"], told["deal"]["turn"]) == (None, 3, 1)
    assert told["deal"]["state"]["played"] == [{"card": "8C", "seat": 0, "place": None}]


def test_what_cannot_be_supposed(lite: Table) -> None:
    match = begun(lite, "sabo", 10_000)
    pack = match.spectator.post("/deals/1/what-if", {"house_rules": {"two_player_pack": "short_ranks"}})
    assert (pack.status_code, pack.json()["code"], pack.json()["clause"]) == (422, "PACK_MISMATCH", "SB-2")
    for asked, pointer in [
        ({"house_rules": {"trick_order": "upwards"}}, "#/house_rules/trick_order"),
        ({"moves": [{"move": {"type": "tabu.draw"}}]}, "#/moves/0/move/type"),
        ({"moves": [{"move": {"type": "sabo.hand", "card": "2C"}, "seat": 3}]}, "#/moves/0/seat"),
    ]:
        refused = match.spectator.post("/deals/1/what-if", asked)
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, pointer)


# ---- observed deals and their audit


def found(match: Opened) -> list[dict[str, Any]]:
    return list(match.spectator.get("/deals/1/irregularities").json()["found"])


SAMPLE = [case for case in cases("sabo_audits") if case["faults"]][::12] + [
    case for case in cases("sabo_audits") if not case["faults"]
][:2]


@pytest.mark.parametrize("case", SAMPLE, ids=lambda case: f"{len(case['faults'])}-proven")
def test_a_fault_of_sabo_is_found_at_the_play_that_proves_it(lite: Table, case: dict[str, Any]) -> None:
    rules, seats = msgspec.convert(case["house_rules"], sabo.Rules), case["players"]
    match = observe(lite, sabo, rules, seats, (case["first"] - 1) % seats)
    order = [(number, seat, card) for number, trick in enumerate(case["tricks"], 1) for seat, card, _ in trick]
    number_of = {one: number for number, one in enumerate(order, 1)}
    due = {
        (
            fault["kind"],
            fault["seat"],
            number_of[fault["trick"], fault["seat"], fault["card"]],
            number_of[fault["proof"]["trick"], fault["proof"]["seat"], fault["proof"]["card"]],
        )
        for fault in case["faults"]
    }
    used: dict[int, int] = {}
    number = 0
    for trick in case["tricks"]:
        for seat, card, source in trick:
            move: dict[str, Any] = {"type": "sabo.hand", "card": card}
            said: dict[str, Any] = {"seat": seat, "move": move}
            if source == "sabo":
                move |= {"type": "sabo.place", "place": used.get(seat, 0)}
                del move["card"]
                said["seen"] = [card]
                used[seat] = used.get(seat, 0) + 1
            made = match.scorekeeper.post("/deals/1/moves", said)
            assert made.status_code == 201, made.text
            number += 1
            events = match.spectator.get("/deals/1/events?limit=500").json()["events"]
            told = [one["event"] for one in events if one["event"]["type"] == "IrregularityFound"]
            proved = {(one["kind"], one["seat"], one["move"], one["proof"]) for one in told}
            assert proved == {one for one in due if one[3] <= number}
            assert len(told) == len(proved)
    audit = match.arbiter.get("/deals/1/audit").json()
    assert {(one["kind"], one["seat"], one["move"], one["proof"]) for one in audit["faults"]} == due
    assert audit["divergence"] is None
    refuted = [one for one in audit["claims"] if one["status"] == "refuted"]
    assert {(one["seat"], one["move"], one["by"]) for one in refuted} == {one[1:] for one in due}
    assert audit["undecided"] == sum(one["status"] == "open" for one in audit["claims"])
    if case["complete"]:
        assert audit["undecided"] == 0


@pytest.mark.parametrize(("name", "seed"), [("tablanet", 3), ("tabu", 4), ("sabo", 5), ("tabu", 7)])
def test_a_clean_observed_deal_raises_no_alarm(lite: Table, name: str, seed: int) -> None:
    game = GAMES[name]
    sides = both_sides(game, seed)
    match = observed(lite, game, sides)
    audit = match.spectator.get("/deals/1/audit").json()
    assert (found(match), audit["faults"], audit["let_stand"], audit["divergence"]) == ([], [], [], None)
    lines = msgspec.to_builtins(game.score(sides.rules, sides.known_end))
    assert (
        audit["reading"] == audit["counted"] == {"points": [sum(line.values()) for line in lines], "lines": body(lines)}
    )
    if name != "tabu":
        assert audit["undecided"] == 0


@pytest.mark.parametrize(("name", "seed"), [("sabo", 0), ("sabo", 1), ("tablanet", 1)])
def test_an_observed_deal_and_the_same_deal_dealt_come_to_the_same(lite: Table, name: str, seed: int) -> None:
    game = GAMES[name]
    rules = sabo.Rules(revoke_penalty="one") if name == "sabo" else tablanet.Rules(ace_value=1)
    sides = both_sides(game, seed, fault_rate=0.15, rules=rules)
    seen = observed(lite, game, sides)
    known = lite.open(name, len(sides.known.layout.hands), sides.known.dealer, **msgspec.to_builtins(rules))
    assert known.scorekeeper.post("/deals", {"layout": body(sides.known.layout)}).status_code == 201
    follow(known, game, sides.known)
    one, other = (match.spectator.get("/deals/1/audit").json() for match in (seen, known))
    assert one["faults"]
    parts = ("kind", "seat", "move", "card", "clause", "cost")
    faults = [[tuple(fault[part] for part in parts) for fault in audit["faults"]] for audit in (one, other)]
    assert faults[0] == faults[1]
    assert one["counted"] == other["counted"] == one["reading"] == other["reading"]
    assert one["divergence"] is other["divergence"] is None
    # a fault of a dealt deal is one that everybody could have seen who knew the cards: it was let stand
    assert {fault["move"] for fault in other["faults"]} == {move["move"] for move in other["let_stand"]}
    if name == "sabo":
        cheaper = what_if(seen.spectator, house_rules={"revoke_penalty": "none"})
        assert cheaper["supposed"]["points"] != cheaper["recorded"]["points"]
        assert sum(cheaper["supposed"]["points"]) == sum(cheaper["supposed"]["lines"][s]["tricks"] for s in range(len(
            cheaper["supposed"]["lines"])))  # fmt: skip


def test_a_counted_deal_is_heard_too(lite: Table) -> None:
    match = lite.open("sabo", 4)
    assert (
        match.scorekeeper.post("/deals", {"tally": {"type": "sabo", "tricks": [4, 4, 3, 2]}, "number": 1}).status_code
        == 201
    )
    audit = match.spectator.get("/deals/1/audit").json()
    assert (audit["mode"], audit["faults"], audit["counted"]["points"]) == ("tallied", [], [4, 4, 3, 2])
    assert match.spectator.get("/deals/2/audit").status_code == 404
    assert match.spectator.post("/deals/1/what-if", {}).status_code == 404
