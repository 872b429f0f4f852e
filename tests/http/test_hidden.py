"""C097: in a deal that the referee dealt nobody reads a card he may not see, in any field of any answer."""

import asyncio
import json
import logging
import re
from collections.abc import Iterator
from hashlib import sha256
from uuid import UUID

import pytest
from httpx import Response

from referee import deal as deals
from referee.dealer import SeededChance
from referee.events import HiddenCardsRead, Recorded
from referee.match import access_id, deal_id
from referee.rules import tablanet
from referee.rules.cards import PACK
from referee.store import open_log, open_reader
from tests.http.deals import shuffled, told
from tests.http.table import Opened, Phone, Table

CARD = re.compile(r"(?<![0-9A-Za-z_-])(?:10|[2-9JQKA])[SHDC](?![0-9A-Za-z_-])")
MOMENTS = {2: (0, 12, 47), 3: (0, 13)}


def log_since(database: str, match: Opened) -> list[Recorded]:
    """What was written since the match was opened."""
    reader = open_reader(database)
    try:
        return reader.follow(match.answer["position"], 10_000)
    finally:
        reader.close()


def truth(database: str, match: Opened) -> deals.Deal:
    """The deal as the log has it."""
    # read as a stream: who follows the whole log sees an entry only once everything before it is final
    return asyncio.run(_folded(database, deal_id(UUID(match.id), 1)))


async def _folded(database: str, stream: UUID) -> deals.Deal:
    log = open_log(database)
    try:
        deal: deals.Deal | None = None
        for entry in await log.read(stream):
            deal = deals.evolve(deal, entry)
    finally:
        await log.close()
    assert deal is not None
    return deal


def hidden_from(deal: deals.Deal, own: int | None) -> set[str]:
    """Cards that lie face down for this seat, or for who has none; jacks turned before the first move were seen by all."""
    hands = {card for seat, hand in enumerate(deal.state.hands) if seat != own for card in hand}
    return (hands | set(deal.state.stock)) - set(deal.layout.opening.turned)


def looks(database: str, match: Opened) -> list[int]:
    """Versions of the deal at which the arbiter's look left its trace."""
    mine = [entry.event for entry in log_since(database, match) if entry.stream == access_id(UUID(match.id))]
    return [event.version for event in mine if isinstance(event, HiddenCardsRead)]


def cards_in(reply: Response) -> set[str]:
    """Every card named anywhere in an answer: its body, its headers, its own address."""
    return set(CARD.findall(reply.text + json.dumps(dict(reply.headers))))


def answers(phone: Phone, moves: int, open_card: str) -> Iterator[Response]:
    """Everything that can be read or provoked without knowing a hidden card."""
    for path in ("", "/events", "/totals", "/deals/1", "/deals/1/events", "/deals/1/legal-moves", "/deals/1/replay"):
        yield phone.get(path)
    for made in range(moves + 1):
        yield phone.get(f"/deals/1/replay?move={made}")
    for seat in range(2):
        move = {"type": "tablanet.play", "card": open_card, "captures": [open_card, open_card]}
        yield phone.move(1, seat, move)
        yield phone.post("/deals/1/moves?dry_run=true", {"seat": seat, "move": move})
        yield phone.move(1, seat, move, If_Match='"999"')
        yield phone.move(1, seat, move | {"card": "nonsense"})
    yield phone.post("/deals", {})
    yield phone.get("/deals/2")
    yield phone.get("/deals/1/replay?move=49")


@pytest.mark.parametrize("players", [2, 3])
def test_c097_no_hidden_card_in_any_answer(
    shared: Table, shared_database: str, players: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    match = shared.open(players=players)
    viewers = [(match.spectator, None), (match.scorekeeper, None)]
    viewers += [(phone, seat) for seat, phone in enumerate(match.seats)]
    assert match.scorekeeper.post("/deals", {}).status_code == 201
    for moves in range(48):
        now = truth(shared_database, match)
        state = now.state
        if moves in MOMENTS[players]:
            for phone, own in viewers:
                hidden = hidden_from(now, own)
                for reply in answers(phone, moves, state.piles[1][0] if state.piles[1] else now.layout.table[0]):
                    assert reply.status_code < 500
                    assert cards_in(reply) & hidden == set(), f"{own} read {reply.request.url}: {reply.text}"
                if own is not None:
                    assert set(state.hands[own]) <= cards_in(phone.get("/deals/1"))
        move = next(tablanet.legal_moves(tablanet.Rules(ace_value=1), state))
        body = {"type": "tablanet.play", "card": move.card, "captures": list(move.captures)}
        made = match.seats[state.turn].move(1, state.turn, body)
        assert made.status_code == 201
        if moves < 47:
            assert cards_in(made) & hidden_from(truth(shared_database, match), state.turn) == set()
    for phone, _ in viewers:
        everything_is_open(phone, players)
    assert CARD.findall(caplog.text) == []
    assert "rf_" not in caplog.text


def everything_is_open(phone: Phone, players: int) -> None:
    """The deal is over: all was dealt as the commitment said, and anybody can recompute it."""
    events = [entry["event"] for entry in phone.get("/deals/1/events").json()["events"]]
    dealt, revealed = events[0], events[-2]
    assert (dealt["type"], revealed["type"], events[-1]["type"]) == ("CardsDealt", "SeedRevealed", "DealFinished")
    assert sha256(bytes.fromhex(revealed["seed"])).hexdigest() == dealt["commitment"]
    chance = SeededChance(revealed["seed"], dealt["words"])
    again = tablanet.lay_out(
        tablanet.Rules(ace_value=1), players, dealt["dealer"], chance.pack(PACK), chance
    )  # fmt: skip
    layout = dealt["layout"]
    assert layout["hands"] == [list(hand) for hand in again.hands]
    assert (layout["table"], layout["stock"]) == (list(again.table), list(again.stock))
    assert phone.get("/deals/1").json()["seed"] == revealed["seed"]
    assert "?" not in phone.get("/deals/1/replay?move=0").json()["deal"]["state"]["stock"]


@pytest.fixture
def dealt(shared: Table) -> Opened:
    match = shared.open()
    started = match.scorekeeper.post("/deals", {})
    assert started.status_code == 201
    assert started.json()["deal"]["seed"] is None
    return match


def test_scorekeeper_neither_moves_nor_tries_nor_lists_where_the_referee_dealt(
    dealt: Opened, shared_database: str
) -> None:
    state = truth(shared_database, dealt).state
    move = {"type": "tablanet.play", "card": state.hands[1][0], "captures": []}
    refused = [
        dealt.scorekeeper.move(1, 1, move),
        dealt.scorekeeper.post("/deals/1/moves?dry_run=true", {"seat": 1, "move": move}),
        dealt.scorekeeper.get("/deals/1/legal-moves"),
        dealt.spectator.get("/deals/1/legal-moves"),
        dealt.seats[0].get("/deals/1/legal-moves"),
        dealt.seats[0].move(1, 1, move),
    ]
    assert [reply.status_code for reply in refused] == [403] * 6
    assert truth(shared_database, dealt).version == 1
    assert dealt.seats[1].get("/deals/1/legal-moves").status_code == 200


def test_scorekeeper_sees_a_deal_that_he_laid_out_and_others_do_not(shared: Table) -> None:
    match, layout = shared.open(), shuffled(5)
    assert match.scorekeeper.post("/deals", {"layout": told(layout)}).status_code == 201
    hands = [list(hand) for hand in layout.hands]
    seen = {name: phone.get("/deals/1").json()["state"] for name, phone in
            {"keeper": match.scorekeeper, "seat": match.seats[0], "spectator": match.spectator}.items()}  # fmt: skip
    assert seen["keeper"]["hands"] == hands
    assert seen["keeper"]["stock"] == list(layout.stock)
    assert seen["seat"]["hands"] == [hands[0], ["?"] * 6]
    assert seen["spectator"]["hands"] == [["?"] * 6] * 2
    assert seen["spectator"]["stock"] == ["?"] * 36


def test_arbiter_sees_all_and_leaves_one_trace_a_version(dealt: Opened, shared_database: str) -> None:
    state = truth(shared_database, dealt).state
    match_version = dealt.spectator.get().json()["version"]
    for _ in range(2):
        for path in ("/deals/1", "/deals/1/events", "/deals/1/legal-moves", "/deals/1/replay"):
            dealt.arbiter.get(path)
        seen = dealt.arbiter.get("/deals/1").json()["state"]
        assert seen["hands"] == [list(hand) for hand in state.hands]
        assert seen["stock"] == list(state.stock)
    assert looks(shared_database, dealt) == [1]
    legal = dealt.seats[1].get("/deals/1/legal-moves?limit=1").json()["moves"][0]
    assert dealt.seats[1].move(1, 1, legal).status_code == 201
    assert looks(shared_database, dealt) == [1]
    assert dealt.arbiter.get("/deals/1").status_code == 200
    assert looks(shared_database, dealt) == [1, 2]
    assert dealt.spectator.get().json()["version"] == match_version
    assert dealt.spectator.get("/deals/1").json()["version"] == 2


@pytest.mark.parametrize("way", ["legal-moves", "dry run", "refusal"])
def test_every_way_of_the_arbiter_to_see_cards_leaves_a_trace(dealt: Opened, shared_database: str, way: str) -> None:
    move = {"type": "tablanet.play", "card": "?", "captures": []}
    held = truth(shared_database, dealt).state.hands[1][0]
    if way == "legal-moves":
        reply = dealt.arbiter.get("/deals/1/legal-moves")
    elif way == "dry run":
        reply = dealt.arbiter.post("/deals/1/moves?dry_run=true", {"seat": 1, "move": move | {"card": held}})
    else:
        reply = dealt.arbiter.move(1, 0, move | {"card": held})
    assert reply.status_code in (200, 422)
    assert looks(shared_database, dealt) == [1]


def test_reads_of_open_things_leave_no_trace(dealt: Opened, shared_database: str) -> None:
    for path in ("", "/events", "/totals"):
        assert dealt.arbiter.get(path).status_code == 200
    for phone in (dealt.scorekeeper, dealt.spectator, *dealt.seats):
        assert phone.get("/deals/1").status_code == 200
    assert looks(shared_database, dealt) == []


def test_a_replayed_answer_is_filtered_for_who_asks_again(shared: Table, shared_database: str) -> None:
    match = shared.open()
    dealer, other = match.seats
    first = dealer.post("/deals", {}, idempotency_key="deal-1").json()["deal"]["state"]
    again = other.post("/deals", {}, idempotency_key="deal-1").json()["deal"]["state"]
    hands = truth(shared_database, match).state.hands
    assert first["hands"] == [list(hands[0]), ["?"] * 6]
    assert again["hands"] == [["?"] * 6, list(hands[1])]


def test_a_key_gives_nobody_the_right_to_move(dealt: Opened) -> None:
    legal = dealt.seats[1].get("/deals/1/legal-moves?limit=1").json()["moves"][0]
    assert dealt.seats[1].move(1, 1, legal, idempotency_key="k").status_code == 201
    others = [dealt.seats[0], dealt.spectator]
    assert [phone.move(1, 1, legal, idempotency_key="k").status_code for phone in others] == [403] * 2


def test_a_refusal_tells_nothing_of_where_a_hidden_card_lies(dealt: Opened, shared_database: str) -> None:
    """Cards of one rank are answered alike, whether the other player holds them or they lie in the stock."""
    state = truth(shared_database, dealt).state
    said: dict[str, set[str]] = {}
    for card in (*state.hands[0], *state.stock):
        body = {"seat": 1, "move": {"type": "tablanet.play", "card": card, "captures": []}}
        reply = dealt.seats[1].post("/deals/1/moves?dry_run=true", body)
        assert reply.status_code == 422
        said.setdefault(card[:-1], set()).add(reply.text.replace(card, "?"))
    assert {rank: len(answers) for rank, answers in said.items()} == dict.fromkeys(said, 1)


def test_the_dealer_deals_and_no_other_seat(shared: Table) -> None:
    match = shared.open(dealer=1)
    assert match.seats[0].post("/deals", {}).status_code == 403
    assert match.seats[1].post("/deals", {}).status_code == 201
