"""Races: one of many equal moves counts, a retry never adds an event, whatever the number of processes."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias

import httpx
from litestar.testing import AsyncTestClient

from referee.api.app import create_app
from referee.settings import Settings
from tests.http.deals import plan, shuffled, told
from tests.http.stored import stored
from tests.http.table import Opened, Table

PARALLEL = 50
LAYOUT = shuffled(11)
MOVES = plan(LAYOUT)
Send: TypeAlias = Callable[..., Awaitable[httpx.Response]]


class Race:
    """A match, and requests by the scorekeeper sent to one or more servers at once."""

    def __init__(self, match: Opened, clients: list[Any]) -> None:
        self.match, self.clients = match, clients
        self.token = {"Authorization": f"Bearer {match.answer['tokens']['scorekeeper']}"}

    async def all(self, path: str, body: Any, headers: Callable[[int], dict[str, str]]) -> list[httpx.Response]:
        """The same request from everybody at once."""
        replies: list[httpx.Response] = await asyncio.gather(
            *(
                self.clients[n % len(self.clients)].post(
                    f"/v1/matches/{self.match.id}{path}", json=body, headers=self.token | headers(n)
                )
                for n in range(PARALLEL)
            )
        )
        return replies


def counted(replies: list[httpx.Response]) -> Counter[tuple[int, str]]:
    return Counter((reply.status_code, reply.json().get("code", "")) for reply in replies)


async def run_all(match: Opened, clients: list[Any], database: str) -> None:
    """Every race, one after the other, in one match."""
    race = Race(match, clients)
    before = stored(database)["stored_events"]
    start = {"layout": told(LAYOUT)}
    replies = await race.all("/deals", start, lambda n: {"Idempotency-Key": f"start-{n}"})
    assert counted(replies) == {(201, ""): 1, (409, "DEAL_RUNNING"): PARALLEL - 1}
    assert stored(database)["stored_events"] == before + 2
    assert stored(database)["command"] == 2

    def move(n: int) -> dict[str, Any]:
        seat, played = MOVES[n]
        return {"seat": seat, "move": played}

    replies = await race.all("/deals/1/moves", move(0), lambda n: {"If-Match": '"1"'})
    assert counted(replies) == {(201, ""): 1, (412, "MOVED_ON"): PARALLEL - 1}
    assert {reply.headers["etag"] for reply in replies if reply.status_code == 412} == {'"2"'}
    assert stored(database)["stored_events"] == before + 3

    replies = await race.all("/deals/1/moves", move(1), lambda n: {})
    found = counted(replies)
    assert found.pop((201, "")) == 1
    assert set(found) <= {(422, "NOT_YOUR_TURN"), (409, "RACE_LOST")}
    assert stored(database)["stored_events"] == before + 4

    replies = await race.all("/deals/1/moves", move(2), lambda n: {"If-Match": '"3"', "Idempotency-Key": "same"})
    assert counted(replies) == {(201, ""): PARALLEL}
    assert len({reply.text for reply in replies}) == 1
    assert Counter(reply.headers.get("idempotent-replayed") for reply in replies) == {None: 1, "true": PARALLEL - 1}
    assert stored(database)["stored_events"] == before + 5

    # who lost and asks again is judged by what the table is like now
    again = await race.all("/deals/1/moves", move(0), lambda n: {"If-Match": '"4"'})
    assert {reply.status_code for reply in again} == {422}
    assert {violation["code"] for reply in again for violation in reply.json()["violations"]} >= {"CARD_NOT_IN_HAND"}
    told_of = await clients[0].get(f"/v1/matches/{match.id}/deals/1/events", headers=race.token)
    assert [entry["version"] for entry in told_of.json()["events"]] == [1, 2, 3, 4]

    replies = await race.all("/rematch", {}, lambda n: {"Idempotency-Key": "rematch"})
    assert len({reply.json()["match"]["id"] for reply in replies}) == 1


def test_C030_races_in_one_process(database: str) -> None:  # noqa: N802
    settings = Settings(database, b"s", frozenset({"testserver.local"}), project=False)

    async def run() -> None:
        async with AsyncTestClient(create_app(settings), base_url="http://testserver.local") as client:
            reply = await client.post("/v1/matches", json=OPEN, headers={"Idempotency-Key": "opened"})
            await run_all(Opened(None, reply.json()), [client], database)  # type: ignore[arg-type]

    asyncio.run(run())


OPEN = {
    "game": "tablanet",
    "seats": [{"name": "Ana"}, {"name": "Bob"}],
    "house_rules": {"ace_value": 1},
    "first_dealer": {"seat": 0},
}


def test_C030_races_over_two_processes(two_servers: tuple[str, str, str]) -> None:  # noqa: N802
    database, *urls = two_servers

    async def run() -> None:
        async with httpx.AsyncClient(base_url=urls[0]) as one, httpx.AsyncClient(base_url=urls[1]) as other:
            replies = await asyncio.gather(
                *(c.post("/v1/matches", json=OPEN, headers={"Idempotency-Key": "opened"}) for c in (one, other) * 5)
            )
            assert {reply.status_code for reply in replies} == {201}
            assert len({reply.text for reply in replies}) == 1
            await run_all(Opened(None, replies[0].json()), [one, other], database)  # type: ignore[arg-type]

    asyncio.run(run())


def test_c026_the_same_move_with_the_same_key_is_one_event(shared: Table, shared_database: str) -> None:
    match = shared.open()
    assert match.scorekeeper.post("/deals", {"layout": told(LAYOUT)}).status_code == 201
    seat, move = MOVES[0]
    before = stored(shared_database)["stored_events"]
    replies = [match.scorekeeper.move(1, seat, move, idempotency_key="lost-answer") for _ in range(3)]
    assert [reply.status_code for reply in replies] == [201] * 3
    assert len({reply.text for reply in replies}) == 1
    assert len({reply.headers["etag"] for reply in replies}) == 1
    assert stored(shared_database)["stored_events"] == before + 1


def test_c028_a_retry_is_known_whatever_version_it_names(shared: Table, shared_database: str) -> None:
    match, other = shared.open(), shared.open()
    for one in (match, other):
        assert one.scorekeeper.post("/deals", {"layout": told(LAYOUT)}).status_code == 201
    (seat, move), (next_seat, next_move) = MOVES[:2]
    first = match.scorekeeper.move(1, seat, move, idempotency_key="E", If_Match='"1"')
    assert match.scorekeeper.move(1, next_seat, next_move, If_Match='"2"').status_code == 201
    before = stored(shared_database)["stored_events"]
    for version in ('"1"', '"2"', '"3"', '"99"'):
        again = match.scorekeeper.move(1, seat, move, idempotency_key="E", If_Match=version)
        assert again.status_code == 201
        assert again.json() == first.json()
        assert again.headers["idempotent-replayed"] == "true"
    assert stored(shared_database)["stored_events"] == before
    elsewhere = other.scorekeeper.move(1, seat, move, idempotency_key="E", If_Match='"1"')
    assert elsewhere.status_code == 201
    assert "idempotent-replayed" not in elsewhere.headers
    assert elsewhere.json()["deal"]["match"] == other.id
    assert stored(shared_database)["stored_events"] == before + 1


def test_C038_what_was_lost_on_the_way_is_sent_again(shared: Table, shared_database: str) -> None:  # noqa: N802
    """Of one move the answer was lost, of the next the request: both are sent again, and each is stored once. Whether it
    had arrived the answer says."""
    match = shared.open()
    assert match.scorekeeper.post("/deals", {"layout": told(LAYOUT)}).status_code == 201
    before = stored(shared_database)["stored_events"]
    (seat, move), (next_seat, next_move) = MOVES[:2]
    lost = match.scorekeeper.move(1, seat, move, idempotency_key="first")
    sent = [
        match.scorekeeper.move(1, seat, move, idempotency_key="first"),
        match.scorekeeper.move(1, next_seat, next_move, idempotency_key="second"),
    ]
    assert [(reply.status_code, reply.headers.get("idempotent-replayed")) for reply in sent] == [
        (201, "true"),
        (201, None),
    ]
    assert sent[0].json() == lost.json()
    assert stored(shared_database)["stored_events"] == before + 2


def test_a_key_used_for_another_move_is_refused(shared: Table, shared_database: str) -> None:
    match = shared.open()
    assert match.scorekeeper.post("/deals", {"layout": told(LAYOUT)}, idempotency_key="k").status_code == 201
    before = stored(shared_database)
    seat, move = MOVES[0]
    reply = match.scorekeeper.move(1, seat, move, idempotency_key="k")
    assert (reply.status_code, reply.json()["code"]) == (422, "KEY_REUSED")
    assert stored(shared_database) == before


def test_refusals_and_dry_runs_do_not_use_up_a_key(shared: Table) -> None:
    match = shared.open()
    assert match.scorekeeper.post("/deals", {"layout": told(LAYOUT)}).status_code == 201
    seat, move = MOVES[0]
    body = {"seat": seat, "move": move}
    assert match.scorekeeper.move(1, 0, move, idempotency_key="k").status_code == 422
    dry = match.scorekeeper.post("/deals/1/moves?dry_run=true", body, idempotency_key="k")
    assert (dry.status_code, dry.json()["verdict"]) == (200, "legal")
    real = match.scorekeeper.move(1, seat, move, idempotency_key="k")
    assert real.status_code == 201
    assert "idempotent-replayed" not in real.headers


def test_a_token_renewed_twice_with_one_key_is_renewed_once(shared: Table) -> None:
    match = shared.open()
    first, again = (match.arbiter.post("/tokens", {"role": "spectator"}, idempotency_key="t") for _ in range(2))
    assert again.json() == first.json()
    assert match.spectator.get().status_code == 401
