"""C097: while the referee's own deal is played, no answer shows a card that its reader may not know."""

import json
import re
from collections.abc import Callable
from itertools import islice
from typing import Any
from uuid import UUID

import pytest

from referee import dealer
from referee.events import HiddenCardsRead
from referee.match import access_id
from referee.rules.game import GAMES
from referee.settings import Settings
from referee.store import open_reader
from tests.conftest import SQLITE
from tests.dealing import SeededChance, rules_of
from tests.http.play import steps
from tests.http.table import Opened, Phone, Table

HIDDEN = {"tablanet": ("hands", "stock"), "tabu": ("hands", "reserve"), "sabo": ("hands", "sabo")}
CARD = re.compile(r'"((?:10|[2-9JQKA])[SHDC])"')
TABLES = [
    ("tablanet", 2, 1),
    ("tablanet", 3, 2),
    ("tabu", 2, 3),
    ("tabu", 3, 4),
    ("sabo", 2, 5),
    ("sabo", 5, 7),
]
READ_AT = (0, 2, 9, 20, 35)

pytestmark = SQLITE


@pytest.fixture(autouse=True)
def seeded(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same cards in every run."""
    monkeypatch.setattr(dealer, "new_seed", lambda: "c097" * 16)


class Seen:
    """What has lain open on the table so far, and what each seat has held."""

    def __init__(self, game: str, seats: int) -> None:
        self.game, self.table = game, set[str]()
        self.own = [set[str]() for _ in range(seats)]

    def look(self, state: dict[str, Any], more: Any = ()) -> None:
        closed = HIDDEN[self.game]
        shown = [part for name, part in state.items() if name not in (*closed, "drawn")]
        self.table |= set(CARD.findall(json.dumps([shown, more])))
        for seat, hand in enumerate(state["hands"]):
            self.own[seat] |= set(hand)

    def by(self, seat: int | None) -> set[str]:
        return self.table | (self.own[seat] if seat is not None else set())


def answers(match: Opened, game: str, phone: Phone, acting: int, pack: set[str]) -> list[str]:
    """Everything that a phone can be told now: states, events, replay, record, lists, refusals, verdicts."""
    of_deal = ("", "/events?limit=500", "/replay", "/replay?move=0", "/legal-moves?limit=500")
    told = [phone.get(path) for path in ("", "/events", "/record", "/totals", *(f"/deals/1{part}" for part in of_deal))]
    own = {phone: seat for seat, phone in enumerate(match.seats)}.get(phone, acting)
    tries: list[dict[str, Any]] = (
        [{"type": "sabo.place", "place": place} for place in range(6)] if game == "sabo" else []
    )
    tries += [{"type": f"tabu.{word}"} for word in ("draw", "keep", "pass")] if game == "tabu" else []
    play = "sabo.hand" if game == "sabo" else f"{game}.play"
    for move in tries:
        told.append(phone.post("/deals/1/moves?dry_run=true", {"seat": own, "move": move}))
        told.append(phone.post("/deals/1/moves?dry_run=true", {"seat": acting, "move": move}))
    texts = [reply.text for reply in told]
    for card in sorted(pack)[::17]:
        # a refusal repeats the card that was asked for, and says nothing of where it lies
        asked = phone.post("/deals/1/moves?dry_run=true", {"seat": own, "move": {"type": play, "card": card}})
        texts.append(asked.text.replace(f'"{card}"', '"-"'))
    return texts


@pytest.mark.parametrize(("game", "seats", "seed"), TABLES)
def test_C097_hidden_cards_stay_hidden(table: Table, game: str, seats: int, seed: int) -> None:  # noqa: N802
    rules: dict[str, Any] = {"target": 400, "packs": 1, "must_play": "free"} if game == "tabu" else {}
    match = table.open(game, seats, **rules)
    kernel = GAMES[game]
    pack = set(kernel.pack(rules_of(kernel), seats)) - {"X"}
    started = match.seats[0].post("/deals", {})
    seen, viewers = Seen(game, seats), [*enumerate(match.seats), (None, match.spectator), (None, match.scorekeeper)]
    opening = match.arbiter.get("/deals/1/events").json()["events"][0]["event"]["layout"].get("opening")
    seen.look(match.arbiter.get("/deals/1").json()["state"], opening)
    assert not set(CARD.findall(started.text)) - seen.by(0)
    hidden_once = 0
    for number, (seat, move, reply) in enumerate(steps(match, 1, SeededChance(seed), 1)):
        effects = reply.json()["effects"]
        truth = match.arbiter.get("/deals/1").json()
        seen.look(truth["state"], [move, effects.get("turned", ()), effects.get("captured", ())])
        if truth["turn"] is None:
            break
        assert not set(CARD.findall(reply.text)) - seen.by(seat)
        if number not in READ_AT:
            continue
        for viewer, phone in viewers:
            secret = pack - seen.by(viewer)
            hidden_once += len(secret)
            for text in answers(match, game, phone, truth["turn"], pack):
                assert not secret.intersection(CARD.findall(text)), (viewer, text)
            shown = phone.get("/deals/1").json()["state"]
            for owner, hand in enumerate(shown["hands"]):
                assert hand == truth["state"]["hands"][owner] if owner == viewer else set(hand) <= {"?"}
            assert not CARD.findall(json.dumps(shown[HIDDEN[game][1]]))
    assert hidden_once
    assert set(CARD.findall(match.spectator.get("/deals/1/events?limit=500").text)) == pack


@pytest.mark.parametrize("game", HIDDEN)
def test_C097_the_arbiter_s_look_leaves_a_trace(table: Table, settings: Settings, game: str) -> None:  # noqa: N802
    match = table.open(game, **({"target": 100} if game == "tabu" else {}))
    match.seats[0].post("/deals", {})
    assert "?" not in json.dumps(match.arbiter.get("/deals/1").json()["state"])
    reader = open_reader(settings.database)
    try:
        looked = [row for row in reader.follow(0, 500) if isinstance(row.event, HiddenCardsRead)]
    finally:
        reader.close()
    assert [(row.by, row.stream) for row in looked] == [("arbiter", access_id(UUID(match.id)))]


def test_C097_a_card_drawn_is_its_owner_s_alone(table: Table) -> None:  # noqa: N802
    """Also in the state between a draw and the choice to keep, and in what a jack or joker made others draw."""
    match = table.open("tabu", 2, target=400, must_play="free")
    match.seats[0].post("/deals", {})
    turn, drew = 1, 0
    while drew < 6:
        reply = match.seats[turn].move(1, turn, {"type": "tabu.draw"})
        if reply.status_code == 201:
            drawn = reply.json()["effects"].get("drawn")
            assert drawn in reply.json()["deal"]["state"]["hands"][turn]
            last: list[Callable[[Phone], Any]] = [
                lambda phone: phone.get("/deals/1/replay").json()["played"][-1]["effects"],
                lambda phone: phone.get("/deals/1/events?limit=500").json()["events"][-1]["event"]["effects"],
            ]
            for phone in (match.seats[1 - turn], match.spectator, match.scorekeeper):
                assert phone.get("/deals/1").json()["state"]["drawn"] in (None, "?")
                assert {part(phone)["drawn"] for part in last} == {"?"}
            assert {part(match.seats[turn])["drawn"] for part in last} == {drawn}
            drew += 1
        else:
            move = match.seats[turn].get("/deals/1/legal-moves").json()["moves"][-1]
            reply = match.seats[turn].move(1, turn, move)
            assert reply.status_code == 201
        turn = reply.json()["deal"]["turn"]


def test_C097_a_correction_shows_nothing_more_than_the_move_did(table: Table) -> None:  # noqa: N802
    """The twelfth move brings new hands, and so does whatever is put in its place."""
    match = table.open("tablanet")
    match.seats[0].post("/deals", {})
    move = [move for _, move, _ in islice(steps(match, 1, SeededChance(1), 1), 12)][-1]
    version = match.arbiter.get("/deals/1").headers["etag"]
    same = {"number": 12, "move": move, "why": "misread"}
    assert match.arbiter.post("/deals/1/corrections", same, if_match=version).status_code == 201
    viewers = [(None, match.spectator), (None, match.scorekeeper), *enumerate(match.seats)]
    for viewer, phone in viewers:
        last = phone.get("/deals/1/events?limit=500").json()["events"][-1]["event"]
        assert last["type"] == "MoveCorrected"
        for owner, hand in enumerate(last["moves"][0]["effects"]["batch"]):
            assert ("?" in hand) == (owner != viewer)


@pytest.mark.parametrize("corrected", [False, True])
def test_C097_a_move_let_stand_does_not_name_the_cards_it_should_have_been(table: Table, corrected: bool) -> None:  # noqa: N802
    match = table.open("sabo", 4)
    match.seats[0].post("/deals", {})
    for *_, reply in steps(match, 1, SeededChance(1), 1):
        turn = reply.json()["deal"]["turn"]
        hand = match.arbiter.get("/deals/1").json()["state"]["hands"][turn]
        tried = [{"type": "sabo.hand", "card": card} for card in hand]
        revokes = [
            move for move in tried
            if match.seats[turn].post("/deals/1/moves?dry_run=true", {"seat": turn, "move": move}).status_code == 422
        ]  # fmt: skip
        if revokes:
            break
    if corrected:
        due = match.seats[turn].get("/deals/1/legal-moves").json()["moves"][0]
        assert match.seats[turn].move(1, turn, due).status_code == 201
        path, asked = "corrections", {"number": reply.json()["deal"]["moves"] + 1, "let_stand": True}
    else:
        path, asked = "irregular-moves", {"seat": turn}
    version = match.arbiter.get("/deals/1").headers["etag"]
    body = {**asked, "move": revokes[0], "why": "played"}
    assert match.arbiter.post(f"/deals/1/{path}", body, if_match=version).status_code == 201
    for viewer, phone in [(None, match.spectator), (None, match.scorekeeper), *enumerate(match.seats)]:
        event = phone.get("/deals/1/events?limit=500").json()["events"][-1]["event"]
        fault = (event["moves"][0] if corrected else event)["irregular"][0]
        assert fault["code"]
        assert bool(fault["params"]) == (viewer == turn)
