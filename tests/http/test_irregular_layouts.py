"""Deals laid out irregularly, from which play went on (rules 4.2): refused, let stand by consent, played to their end."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from httpx import Response
from msgspec.structs import replace

from referee import record
from referee.rules import tablanet, tabu
from referee.rules.cards import without
from referee.rules.game import GAMES
from tests.conftest import SQLITE
from tests.dealing import SMALLEST, SeededChance, new_deal, rules_of
from tests.http.real import body, follow, observe, play
from tests.http.settle import settle
from tests.http.stored import stored
from tests.http.table import Opened, Table
from tests.http.test_settling_consent import with_tokens
from tests.records.doctor import event_of, laid_out
from tests.rules.observing import both_sides

pytestmark = SQLITE
AGREED = {"let_stand": True, "why": "found after two moves", "agreed": [0, 1]}
Forge = Callable[[dict[str, Any]], object]


def layout(kind: str) -> Any:
    """A layout of two seats with one thing irregular, and one that is regular."""
    game = "sabo" if kind == "sabo" else kind.partition(" ")[0]
    made, _ = new_deal(GAMES[game], rules_of(GAMES[game]), 2, SeededChance(4))
    first, second = made.hands
    if game == "sabo":
        return replace(made, hands=(first[1:], (*second, first[0])))
    pile = "stock" if game == "tablanet" else "reserve"
    hidden, opened = getattr(made, pile), made.table if game == "tablanet" else made.row
    where = "table" if game == "tablanet" else "row"
    match kind.partition(" ")[2]:
        case "hands":
            return replace(made, hands=((*first, hidden[0]), second[1:]), **{pile: (second[0], *hidden[1:])})
        case "special":
            jack = next(card for card in hidden if card[0] == "J")
            swapped = tuple(opened[0] if card == jack else card for card in hidden)
            return replace(made, **{where: (jack, *opened[1:]), pile: swapped})
        case "joker":
            out = (*hidden, *opened[:1])
            return replace(made, **{where: ("X", *opened[1:]), pile: without(out, ["X"])})
        case "five":
            return replace(made, **{where: (*opened, hidden[0]), pile: hidden[1:]})
        case "three":
            return replace(made, **{where: opened[1:], pile: (opened[0], *hidden)})
        case "pack":
            return replace(made, hands=(first, second[1:]))
        case "nobody":
            return replace(made, hands=((), ()), **{pile: (*first, *second, *hidden)})
        case "seats":
            return replace(made, hands=(*made.hands, ()))
    return made


STANDING = [
    ("tablanet hands", ["DEAL_SIZES"]),
    ("tablanet special", ["JACK_ON_TABLE"]),
    ("tablanet five", ["DEAL_SIZES"]),
    ("tabu hands", ["DEAL_SIZES"]),
    ("tabu special", ["SPECIAL_IN_ROW"]),
    ("tabu joker", ["SPECIAL_IN_ROW"]),
    ("tabu five", ["DEAL_SIZES"]),
    ("tabu three", ["DEAL_SIZES"]),
]
NEVER = ["tablanet pack", "tablanet nobody", "tablanet seats", "tabu pack", "tabu nobody", "tabu seats", "sabo"]


def opened(table: Table, kind: str) -> Opened:
    game = kind.partition(" ")[0]
    return table.open(game, 2, 0, **SMALLEST.get(game, {}))


def lay(match: Opened, kind: str, **more: Any) -> Response:
    """Tell an irregular layout."""
    return match.scorekeeper.post("/deals", {"layout": body(layout(kind)), **more})


def stands(table: Table, kind: str) -> Opened:
    """A match whose first deal was laid out so and let stand by all."""
    match = opened(table, kind)
    done = lay(match, kind, **AGREED)
    assert done.status_code == 201, done.text
    return match


def codes(reply: Response) -> list[str]:
    return [violation["code"] for violation in reply.json()["violations"]]


# ---- refused


@pytest.mark.parametrize(("kind", "found"), STANDING)
def test_it_is_refused_and_hears_how_it_may_stand(table: Table, database: str, kind: str, found: list[str]) -> None:
    match = opened(table, kind)
    before, was = stored(database), match.spectator.get().json()
    reply = lay(match, kind)
    assert (reply.status_code, codes(reply)) == (422, found)
    assert "let_stand" in reply.json()["detail"]
    assert "let_stand" not in reply.json()["title"]
    for lang, word in (("ru", "судьи"), ("uk", "судді")):
        said = match.scorekeeper.post("/deals", {"layout": body(layout(kind))}, accept_language=lang)
        assert word in said.json()["detail"]
    for more, status, code in (
        ({"agreed": [0]}, 409, "CONSENT_MISSING"),
        ({"agreed": []}, 409, "CONSENT_MISSING"),
        ({"why": None}, 422, "BAD_VALUE"),
        ({"why": "\n"}, 422, "BAD_VALUE"),
    ):
        reply = lay(match, kind, **AGREED | more)
        assert (reply.status_code, reply.json()["code"]) == (status, code)
    assert "missing: 1" in lay(match, kind, **AGREED | {"agreed": [0]}).json()["detail"]
    by_seat = match.seats[0].post("/deals", {"layout": body(layout(kind)), **AGREED})
    assert by_seat.status_code == 403
    assert match.arbiter.post("/deals", {"layout": body(layout(kind)), "let_stand": True}).status_code == 422
    assert (stored(database), match.spectator.get().json()) == (before, was), "nothing is left behind"


@pytest.mark.parametrize("kind", NEVER)
def test_what_never_stands(table: Table, database: str, kind: str) -> None:
    match = opened(table, kind)
    before = stored(database)
    for phone in (match.scorekeeper, match.arbiter):
        for more in ({}, AGREED):
            reply = phone.post("/deals", {"layout": body(layout(kind)), **more})
            assert reply.status_code == 422
            assert {"DEAL_SIZES", "PACK_MISMATCH"} & set(codes(reply))
            assert "let_stand" not in reply.json()["detail"]
    assert stored(database) == before


@pytest.mark.parametrize(
    ("said", "pointer"),
    [
        ({"let_stand": True, "why": "so"}, "#/let_stand"),
        ({"why": "so"}, "#/why"),
        ({"agreed": [0]}, "#/agreed"),
        ({"sizes": [6, 6]}, "#/sizes"),
        ({"layout": "regular", "sizes": [6, 6]}, "#/sizes"),
        ({"layout": "regular", "why": "so"}, "#/why"),
        ({"tally": {"type": "tablanet"}, "let_stand": True}, "#/let_stand"),
        ({"open": ["2S"], "sizes": [109, 6]}, "#/sizes/0"),
        ({"open": ["2S"], "sizes": []}, "#/sizes"),
        ({"layout": "of another game"}, "#/layout/type"),
    ],
)
def test_what_is_said_in_the_wrong_place(table: Table, said: dict[str, Any], pointer: str) -> None:
    match = opened(table, "tablanet")
    other = {"regular": "tablanet regular", "of another game": "tabu regular"}
    asked = said | ({"layout": body(layout(other[said["layout"]]))} if "layout" in said else {})
    reply = match.scorekeeper.post("/deals", asked)
    assert (reply.status_code, reply.json()["code"]) == (422, "BAD_VALUE")
    assert [fault["pointer"] for fault in reply.json()["errors"]] == [pointer]


# ---- stands


@pytest.mark.parametrize(("kind", "found"), STANDING)
def test_it_stands_by_consent_and_is_played_to_its_end(table: Table, lite: Table, kind: str, found: list[str]) -> None:
    match = stands(table, kind)
    shown = match.spectator.get("/deals/1").json()
    assert (shown["irregular"], shown["consent"]) == (found, {"how": "spoken", "seats": [0, 1]})
    dealt = match.spectator.get("/deals/1/events").json()["events"][0]
    assert dealt["why"] == AGREED["why"]
    assert [fault["code"] for fault in dealt["event"]["irregular"]] == found
    assert dealt["event"]["consent"] == shown["consent"]
    assert play(match)
    line = match.spectator.get("/deals/1").json()
    assert line["turn"] is None
    assert line["points"] == match.spectator.get().json()["totals"]
    assert match.spectator.get("/deals/1/replay?move=0").json()["deal"]["irregular"] == found
    assert match.spectator.get("/deals/1/audit").json()["divergence"] is None
    told = match.spectator.get("/record")
    assert record.check(told.content).legal
    taken = lite.take_in(told.content)
    assert taken.status_code == 201, taken.text
    again = Opened(lite.client, taken.json())
    assert again.spectator.get("/deals/1").json()["irregular"] == found
    assert again.spectator.get("/record").content == told.content


def test_the_arbiter_lets_it_stand(table: Table) -> None:
    match = opened(table, "tabu special")
    asked = {"layout": body(layout("tabu special")), "let_stand": True, "why": "nobody saw it"}
    key = str(uuid4())
    done = match.arbiter.post("/deals", asked, idempotency_key=key)
    assert done.status_code == 201, done.text
    assert (done.json()["deal"]["irregular"], done.json()["deal"]["consent"]["how"]) == (["SPECIAL_IN_ROW"], "arbiter")
    assert match.arbiter.post("/deals", asked, idempotency_key=key).json() == done.json()


def test_where_the_seats_have_tokens_it_is_the_arbiters(table: Table) -> None:
    match = with_tokens(table, 2, "tablanet", ace_value=1)
    reply = lay(match, "tablanet special", **AGREED)
    assert (reply.status_code, reply.json()["code"]) == (409, "CONSENT_MISSING")
    assert "proposals" not in reply.json()["detail"]
    asked = {"layout": body(layout("tablanet special")), "let_stand": True, "why": "nobody saw it"}
    assert match.arbiter.post("/deals", asked).status_code == 201


@pytest.mark.parametrize("game", GAMES)
def test_a_regular_layout_is_simply_dealt(table: Table, database: str, game: str) -> None:
    match = opened(table, game)
    made, _ = new_deal(GAMES[game], rules_of(GAMES[game]), 2, SeededChance(4))
    before = stored(database)["word"]
    done = match.scorekeeper.post("/deals", {"layout": body(made), "let_stand": True})
    assert done.status_code == 201, done.text
    assert (done.json()["deal"]["irregular"], done.json()["deal"]["consent"]) == ([], None)
    event = match.scorekeeper.get("/deals/1/events").json()["events"][0]["event"]
    assert not {"irregular", "why", "consent"} & event.keys()
    assert stored(database)["word"] == before


def test_a_jack_on_the_table_is_captured_and_listed(table: Table) -> None:
    match = stands(table, "tablanet special")
    jack = match.spectator.get("/deals/1").json()["state"]["table"][0]
    assert jack[0] == "J"
    play(match)
    state = match.spectator.get("/deals/1").json()["state"]
    assert any(jack in pile for pile in state["piles"])
    assert sum(len(pile) for pile in state["piles"]) == 52


def test_moves_are_taken_back_to_the_irregular_layout(table: Table) -> None:
    match = stands(table, "tabu joker")
    first = match.arbiter.get("/deals/1").json()["state"]
    play(match, 3)
    assert settle(match.arbiter, "/deals/1/take-backs", {"kept": 0, "why": "again"}).status_code == 201
    now = match.arbiter.get("/deals/1").json()
    assert (now["state"], now["irregular"]) == (first, ["SPECIAL_IN_ROW"])
    play(match)
    assert record.check(match.spectator.get("/record").content).legal


def test_what_if_goes_by_the_layout_as_it_stands(table: Table) -> None:
    match = stands(table, "tablanet hands")
    play(match)
    same = match.spectator.post("/deals/1/what-if", {})
    assert same.status_code == 200, same.text
    assert same.json()["departures"] == []
    assert same.json()["supposed"] == same.json()["recorded"]
    other = match.spectator.post("/deals/1/what-if", {"house_rules": {"jack_points": 1}})
    assert sum(other.json()["supposed"]["points"]) == sum(same.json()["recorded"]["points"]) + 4
    tabus = stands(table, "tabu special")
    play(tabus)
    packs = tabus.spectator.post("/deals/1/what-if", {"house_rules": {"packs": 2}})
    assert codes(packs) == ["PACK_MISMATCH"]


def test_it_is_in_the_list_of_irregularities(table: Table) -> None:
    match = stands(table, "tabu joker")
    at = match.scorekeeper.get().json()
    play(match, 1)
    position = match.arbiter.post("/deals/1/void", {"why": "enough"}, if_match=f'"{at["version"]}"').json()["position"]
    items = match.spectator.get(f"/irregularities?sort=layout&min_position={position}").json()
    (entry,) = items["items"]
    item = entry["item"]
    assert (item["kind"], item["clause"], item["state"], item["seat"]) == ("SPECIAL_IN_ROW", "TB-4", "stands", None)
    assert items["words"][item["why"]] == AGREED["why"]


# ---- observed


@pytest.mark.parametrize(("kind", "found"), STANDING)
def test_real_cards_with_hands_of_other_sizes(table: Table, kind: str, found: list[str]) -> None:
    game = GAMES[kind.partition(" ")[0]]
    sides = both_sides(game, 3, 0.0, layout(kind), rules_of(game))
    dealer = sides.known.dealer
    lies: Any = sides.known.layout
    asked = {
        "open": list(lies.table if game is tablanet else lies.row),
        "sizes": [len(hand) for hand in lies.hands],
    }
    match = table.open(game.NAME, 2, dealer, **SMALLEST[game.NAME])
    refused = match.scorekeeper.post("/deals", asked)
    assert (refused.status_code, codes(refused)) == (422, found)
    assert "let_stand" in refused.json()["detail"]
    done = match.scorekeeper.post("/deals", asked | AGREED)
    assert done.status_code == 201, done.text
    assert (done.json()["deal"]["irregular"], done.json()["deal"]["mode"]) == (found, "observed")
    follow(match, game, sides.seen)
    if sides.seen.hands is not None:
        shown = match.scorekeeper.post("/deals/1/hands", {"hands": body(sides.seen.hands)})
        assert shown.status_code == 201, shown.text
    points = [sum(line.values()) for line in game.score(sides.rules, sides.known_end)]
    assert match.spectator.get("/deals/1").json()["points"] == points
    assert match.spectator.get("/deals/1/audit").json()["faults"] == []
    assert record.check(match.spectator.get("/record").content).legal


def test_regular_sizes_may_be_told(table: Table) -> None:
    match = opened(table, "tabu")
    done = match.scorekeeper.post("/deals", {"open": ["2S", "3H", "5D", "7C"], "sizes": [5, 5]})
    assert done.status_code == 201, done.text
    other = observe(table, tabu, tabu.Rules(100), 2, 0, ["2S", "3H", "5D", "7C"])
    assert done.json()["deal"]["state"] == other.spectator.get("/deals/1").json()["state"]


@pytest.mark.parametrize("sizes", [[5, 60], [5, 5, 5], [5], [0, 0]])
def test_sizes_that_cannot_be(table: Table, sizes: list[int]) -> None:
    match = opened(table, "tabu")
    for more in ({}, AGREED):
        reply = match.scorekeeper.post("/deals", {"open": ["2S", "3H", "5D", "7C"], "sizes": sizes, **more})
        assert (reply.status_code, codes(reply)[0]) == (422, "DEAL_SIZES")
        assert "let_stand" not in reply.json()["detail"]


# ---- the audit


def no_longer(name: str) -> Forge:
    return lambda document: event_of(document, "CardsDealt", 0).pop(name)


def other_fault(document: dict[str, Any]) -> None:
    event_of(document, "CardsDealt", 0)["irregular"][0]["code"] = "PACK_SIZE"


def of_itself(document: dict[str, Any]) -> None:
    event_of(document, "CardsDealt", 0)["consent"] = {"how": "free"}


def one_fault_more(document: dict[str, Any]) -> None:
    faults = event_of(document, "CardsDealt", 0)["irregular"]
    faults.append(faults[0])


@pytest.mark.parametrize(
    "forge", [no_longer("irregular"), no_longer("consent"), other_fault, of_itself, one_fault_more]
)
def test_a_layout_stands_only_as_it_was_recorded(table: Table, forge: Forge) -> None:
    match = stands(table, "tablanet special")
    play(match)
    document = match.spectator.get("/record").json()
    assert record.check(laid_out(document)).legal
    forge(document)
    report = record.check(laid_out(document))
    found = report.deals[0].divergence
    assert not report.legal
    assert found is not None
    assert (found.what, found.version, [v.code for v in found.violations]) == ("layout", 1, ["JACK_ON_TABLE"])


def test_a_regular_layout_cannot_pass_for_an_irregular_one(table: Table) -> None:
    match = opened(table, "tablanet")
    assert lay(match, "tablanet regular").status_code == 201
    play(match)
    document = match.spectator.get("/record").json()
    fault = {"code": "JACK_ON_TABLE", "clause": "TN-5", "params": {"cards": ["JS"]}}
    for more in ({"irregular": [fault]}, {"consent": {"how": "arbiter"}}):
        forged = match.spectator.get("/record").json()
        event_of(forged, "CardsDealt", 0).update({"irregular": [fault], "consent": {"how": "arbiter"}} | more)
        found = record.check(laid_out(forged)).deals[0].divergence
        assert found is not None
        assert found.what == "layout"
    event_of(document, "CardsDealt", 0)["consent"] = {"how": "arbiter"}
    found = record.check(laid_out(document)).deals[0].divergence
    assert found is not None
    assert found.what == "layout"
