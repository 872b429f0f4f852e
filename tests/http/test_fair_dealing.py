"""Commit, words, cards, reveal (design 7): in this order only, the seed seen by nobody before the deal is over."""

import hashlib
import json
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID, uuid5

import pytest
from httpx import Response

from referee import dealer, record
from tests.conftest import SQLITE
from tests.dealing import SeededChance
from tests.fair.recompute import recompute
from tests.http.play import play_out, steps
from tests.http.table import Opened, Phone, Table

SEED = "5eed" * 16
GAMES = ("tablanet", "tabu", "sabo")


@pytest.fixture
def seeded(monkeypatch: pytest.MonkeyPatch) -> str:
    """The seed of every deal in the test."""
    monkeypatch.setattr(dealer, "new_seed", lambda: SEED)
    return SEED


def opened(table: Table, game: str = "sabo", **house_rules: Any) -> Opened:
    return table.open(game, **({"target": 5} if game == "tabu" else {}) | house_rules)


def begun(table: Table, game: str = "sabo") -> Opened:
    """A match whose first deal, dealt by seat 0, waits for words."""
    match = opened(table, game)
    reply = match.seats[0].post("/deals", {"words": True})
    assert reply.status_code == 201
    assert reply.json()["deal"] is None
    assert reply.json()["line"]["waiting"] is True
    return match


def word(phone: Phone, text: str, number: int = 1, **headers: str) -> Response:
    return phone.post(f"/deals/{number}/words", {"word": text}, **headers)


def cards(phone: Phone, number: int = 1, **headers: str) -> Response:
    return phone.post(f"/deals/{number}/cards", {}, **headers)


def code(reply: Response) -> tuple[int, str]:
    return reply.status_code, reply.json()["code"]


def layout(match: Opened) -> Any:
    return match.arbiter.get("/deals/1/events").json()["events"][0]["event"]["layout"]


# ---- the order of things


def test_a_word_is_for_a_seat_once_and_before_the_cards(table: Table) -> None:
    match = opened(table)
    assert code(word(match.seats[0], "early")) == (409, "NOT_WAITING")
    match = begun(table)
    for phone in (match.scorekeeper, match.arbiter, match.spectator):
        assert code(word(phone, "mine")) == (403, "FORBIDDEN")
    assert word(match.nobody, "mine").status_code == 401
    for bad in ("", "a" * 65, "two words", "слово", "a\n", "é"):
        assert word(match.seats[1], bad).status_code == 422
    assert word(match.seats[1], "a" * 64).status_code == 201
    assert code(word(match.seats[1], "again")) == (409, "WORD_GIVEN")
    assert code(word(match.seats[0], "next", number=2)) == (409, "NOT_WAITING")
    assert word(match.seats[0], "b").json()["line"]["words"] == ["b", "a" * 64]
    assert cards(match.seats[0]).status_code == 201
    assert code(word(match.seats[0], "late")) == (409, "NOT_WAITING")
    assert match.spectator.get("/deals/1").json()["words"] == ["b", "a" * 64]


@SQLITE
def test_cards_are_for_the_dealer_and_only_while_the_deal_waits(table: Table) -> None:
    match = opened(table)
    assert code(cards(match.seats[0])) == (409, "NOT_WAITING")
    assert code(match.seats[1].post("/deals", {"words": True})) == (403, "FORBIDDEN")
    match = begun(table)
    for phone in (match.seats[1], match.spectator):
        assert code(cards(phone)) == (403, "FORBIDDEN")
    assert cards(match.nobody).status_code == 401
    assert code(match.seats[0].post("/deals", {"words": True})) == (409, "DEAL_RUNNING")
    for path in ("/deals/1", "/deals/1/legal-moves", "/deals/1/replay", "/deals/1/events"):
        assert match.arbiter.get(path).status_code == 404
    assert match.seats[1].move(1, 1, {"type": "sabo.place", "place": 0}).status_code == 404
    assert cards(match.seats[0]).status_code == 201
    assert code(cards(match.seats[0])) == (409, "NOT_WAITING")
    assert match.spectator.get("").json()["deals"][0]["waiting"] is False


@SQLITE
@pytest.mark.parametrize("role", ["scorekeeper", "arbiter"])
def test_the_table_s_officers_may_deal_for_the_dealer(table: Table, role: str) -> None:
    assert cards(getattr(begun(table), role)).status_code == 201


@SQLITE
def test_words_go_into_no_told_layout(table: Table) -> None:
    told = {"type": "sabo", "hands": [], "sabo": []}
    reply = opened(table).scorekeeper.post("/deals", {"layout": told, "words": True})
    assert [fault["pointer"] for fault in reply.json()["errors"]] == ["#/words"]


# ---- the seed


@SQLITE
@pytest.mark.parametrize("game", GAMES)
def test_the_seed_is_readable_nowhere_before_the_deal_is_over(
    table: Table, seeded: str, game: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    match = begun(table, game)
    phones = [match.arbiter, match.scorekeeper, match.spectator, *match.seats]
    paths = [
        "",
        "/events",
        "/totals",
        "/record",
        *(f"/deals/1{part}" for part in ("", "/events", "/replay", "/legal-moves")),
    ]

    def nowhere(*more: Response) -> None:
        answers = [phone.get(path) for phone in phones for path in paths] + list(more)
        for answer in answers:
            assert seeded not in answer.text + str(answer.headers)
        assert seeded not in caplog.text

    nowhere(word(match.seats[1], "mine"), word(match.seats[1], "again"), cards(match.seats[1]))
    nowhere(
        cards(match.seats[0]), cards(match.seats[0]), match.seats[0].move(1, 0, {"type": f"{game}.play", "card": "AS"})
    )
    for number, (seat, move, reply) in enumerate(steps(match, 1, SeededChance(7), 1)):
        over = reply.json()["deal"]["turn"] is None
        if number in (1, 9) and not over:
            nowhere(reply, match.seats[seat].move(1, seat, move))
    commitment = match.spectator.get("").json()["deals"][0]["commitment"]
    assert hashlib.sha256(bytes.fromhex(seeded)).hexdigest() == commitment
    assert match.spectator.get("/deals/1").json()["seed"] == seeded
    assert seeded in match.spectator.get("/deals/1/events").text
    document = match.spectator.get("/record")
    assert record.check(document.content).legal
    assert recompute(document.json()) == [True]


@SQLITE
@pytest.mark.parametrize("words", [True, False])
def test_the_seed_is_no_player_s_name(table: Table, seeded: str, words: bool) -> None:
    """It lies beside the names until it is revealed: under no id that anybody could ask for."""
    match = opened(table)
    assert match.seats[0].post("/deals", {"words": words}).status_code == 201
    guess = uuid5(uuid5(UUID(match.id), "deal:1"), "seed")
    reply = table.ask({"game": "sabo", "seats": [{"player": str(guess)}, {"name": "Eve"}]})
    assert reply.status_code == 422
    assert seeded not in reply.text


@SQLITE
def test_a_word_changes_the_pack(table: Table, seeded: str) -> None:
    def dealt(*words: str) -> Any:
        match = begun(table)
        for phone, text in zip(match.seats, words, strict=True):
            assert not text or word(phone, text).status_code == 201
        assert cards(match.seats[0]).status_code == 201
        return json.dumps(layout(match))

    told = [dealt("", ""), dealt("a", ""), dealt("", "a"), dealt("a", "b"), dealt("ab", ""), dealt("", "ab")]
    assert len(set(told)) == len(told)
    assert dealt("a", "b") == told[3]


@SQLITE
def test_each_deal_has_a_seed_of_its_own(table: Table) -> None:
    match = opened(table, target=50)
    commitments = []
    for number in (1, 2):
        by = (number - 1) % 2
        reply = match.seats[by].post("/deals", {})
        commitments.append(reply.json()["line"]["commitment"])
        play_out(match, number, (by + 1) % 2)
    assert len(set(commitments)) == 2


# ---- races and retries


def test_a_word_and_the_cards_at_the_same_time(table: Table) -> None:
    with ThreadPoolExecutor(2) as pool:
        for _ in range(6):
            match = begun(table)
            said, dealt = pool.submit(word, match.seats[1], "race"), pool.submit(cards, match.seats[0])
            assert dealt.result().status_code == 201
            deal = match.spectator.get("/deals/1").json()
            if said.result().status_code == 201:
                assert deal["words"] == ["", "race"]
            else:
                assert code(said.result()) == (409, "NOT_WAITING")
                assert deal["words"] == ["", ""]
            kinds = [entry["event"]["type"] for entry in match.spectator.get("/events").json()["events"]]
            assert kinds.count("ShuffleClosed") == 1
            assert kinds[-1] == "ShuffleClosed"


def test_two_words_and_two_dealings_at_the_same_time(table: Table) -> None:
    with ThreadPoolExecutor(4) as pool:
        match = begun(table)
        words = list(pool.map(lambda text: word(match.seats[0], text).status_code, ["a", "b", "c", "d"]))
        assert sorted(words) == [201, 409, 409, 409]
        dealt = list(
            pool.map(lambda phone: cards(phone).status_code, [match.seats[0], match.scorekeeper, match.arbiter])
        )
        assert sorted(dealt) == [201, 409, 409]


def test_retries_are_carried_out_once(table: Table) -> None:
    match = opened(table)
    sends: list[Callable[[str], Response]] = [
        lambda key: match.seats[0].post("/deals", {"words": True}, idempotency_key=key),
        lambda key: word(match.seats[1], "mine", idempotency_key=key),
        lambda key: cards(match.seats[0], idempotency_key=key),
    ]
    for number, send in enumerate(sends):
        key = f"key-{number}"
        first, again = send(key), send(key)
        assert (first.status_code, again.status_code) == (201, 201)
        assert first.json() == again.json()
        assert again.headers["Idempotent-Replayed"] == "true"
        assert "Idempotent-Replayed" not in first.headers
        assert code(word(match.seats[0], "other", idempotency_key=key)) == (422, "KEY_REUSED")
    kinds = [entry["event"]["type"] for entry in match.spectator.get("/events").json()["events"]]
    assert kinds == ["MatchOpened", "DealerChosen", "DealStarted", "WordAdded", "ShuffleClosed"]
