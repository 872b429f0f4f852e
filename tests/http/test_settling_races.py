"""Races of what is settled after the fact, against moves and against each other: one is carried out, whoever comes first."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, NamedTuple

import httpx
import pytest
from litestar.testing import AsyncTestClient

from referee.api.app import create_app
from referee.settings import Settings
from tests.http.deals import told
from tests.http.stored import stored
from tests.http.table import Opened, Phone
from tests.http.test_races import LAYOUT, MOVES, OPEN, counted


class Asked(NamedTuple):
    """A request: whose, where, what, and the version that it goes by."""

    who: Phone
    path: str
    body: Any
    version: str | None = None


TAKE_BACK = {"kept": 1, "why": "not that card"}
CORRECTION = {"number": 2, "move": MOVES[1][1], "why": "read again"}
NOTE = {"kind": "exposed_in_play", "seat": 0}
VOID = {"why": "a card was missing"}
NEXT_MOVE = {"seat": MOVES[2][0], "move": MOVES[2][1]}
PILES = {"tally": {"type": "tablanet", "card_points": [10, 11]}, "why": "counted again"}
LOST = {(412, "MOVED_ON")}


class Settled:
    """A match of its own for each race, and clients on one or more servers."""

    def __init__(self, clients: list[Any], database: str) -> None:
        self.clients, self.database = clients, database

    async def begin(self, moves: int) -> Opened:
        """A match in whose first deal so many moves were made."""
        reply = await self.clients[0].post("/v1/matches", json=OPEN)
        match = Opened(None, reply.json())  # type: ignore[arg-type]
        start = {"layout": told(LAYOUT)}
        made = [Asked(match.scorekeeper, "/deals", start)]
        made += [Asked(match.scorekeeper, "/deals/1/moves", {"seat": s, "move": m}) for s, m in MOVES[:moves]]
        for asked in made:
            assert (await self.ask(0, asked)).status_code == 201
        return match

    async def ask(self, client: int, asked: Asked) -> httpx.Response:
        headers = {"Authorization": f"Bearer {asked.who.token}"}
        headers |= {"If-Match": asked.version} if asked.version else {}
        path = f"/v1/matches/{asked.who.match}{asked.path}"
        reply: httpx.Response = await self.clients[client].post(path, json=asked.body, headers=headers)
        return reply

    async def race(self, asked: Sequence[Asked]) -> list[list[httpx.Response]]:
        """Everybody at once, each request from six phones in turn over all servers; the answers by request."""
        each = [(turn, one) for turn in range(6) for one in asked]
        found = await asyncio.gather(*(self.ask(n % len(self.clients), one) for n, (_, one) in enumerate(each)))
        return [list(found[place :: len(asked)]) for place in range(len(asked))]

    async def events(self, match: Opened, path: str = "/deals/1") -> list[dict[str, Any]]:
        headers = {"Authorization": f"Bearer {match.arbiter.token}"}
        reply = await self.clients[0].get(f"/v1/matches/{match.id}{path}/events?limit=500", headers=headers)
        return list(reply.json()["events"])


def won(replies: list[httpx.Response], lost: set[tuple[int, str]]) -> int:
    """How many of the requests were carried out; the others were refused with one of these."""
    found = counted(replies)
    assert set(found) <= {(201, ""), *lost}, found
    return found[201, ""]


async def one_of_a_version(of: Settled) -> None:
    """A take-back, a correction, a note and a move that go by one version: whoever comes first, one is carried out."""
    for first in range(4):
        match = await of.begin(2)
        keeper = match.scorekeeper
        kinds = [
            Asked(keeper, "/deals/1/take-backs", TAKE_BACK, '"3"'),
            Asked(keeper, "/deals/1/corrections", CORRECTION, '"3"'),
            Asked(keeper, "/deals/1/irregularities", NOTE, '"3"'),
            Asked(keeper, "/deals/1/moves", NEXT_MOVE, '"3"'),
        ]
        before = stored(of.database)["stored_events"]
        replies = await of.race([*kinds[first:], *kinds[:first]])
        assert won([reply for some in replies for reply in some], LOST) == 1
        assert stored(of.database)["stored_events"] == before + 1
        assert len(await of.events(match)) == 4
        again = await of.race([kinds[first]])
        assert won(again[0], LOST) == 0


async def a_void_and_a_move(of: Settled) -> None:
    """No move counts after the void; before it one may."""
    for first in range(2):
        match = await of.begin(2)
        kinds = [
            Asked(match.scorekeeper, "/deals/1/void", VOID, '"3"'),
            Asked(match.scorekeeper, "/deals/1/moves", NEXT_MOVE, '"3"'),
        ]
        replies = await of.race([*kinds[first:], *kinds[:first]])
        voids, moves = replies if first == 0 else replies[::-1]
        assert won(voids, LOST) == 1
        made = won(moves, LOST | {(409, "DEAL_VOIDED")})
        assert made <= 1
        positions = [r.json()["position"] for some in (moves, voids) for r in some if r.status_code == 201]
        assert positions == sorted(positions)
        assert len(await of.events(match)) == 3 + made


async def a_void_told_elsewhere(of: Settled) -> None:
    """A server that has the match in memory makes no move in a deal that another one voided."""
    match = await of.begin(1)
    seat, move = MOVES[1]
    elsewhere = len(of.clients) - 1
    known = Asked(match.scorekeeper, "/deals/1/moves", {"seat": seat, "move": move})
    assert (await of.ask(elsewhere, known)).status_code == 201
    assert (await of.ask(0, Asked(match.scorekeeper, "/deals/1/void", VOID, '"3"'))).status_code == 201
    late = await of.ask(elsewhere, Asked(match.scorekeeper, "/deals/1/moves", NEXT_MOVE, '"3"'))
    assert (late.status_code, late.json()["code"]) == (409, "DEAL_VOIDED")
    assert len(await of.events(match)) == 3


async def a_void_and_the_last_move(of: Settled) -> None:
    """The deal is scored or it is void."""
    for first in range(2):
        match = await of.begin(len(MOVES) - 1)
        seat, move = MOVES[-1]
        kinds = [
            Asked(match.scorekeeper, "/deals/1/void", VOID, '"3"'),
            Asked(match.scorekeeper, "/deals/1/moves", {"seat": seat, "move": move}, f'"{len(MOVES)}"'),
        ]
        replies = await of.race([*kinds[first:], *kinds[:first]])
        assert won([reply for some in replies for reply in some], LOST | {(409, "DEAL_VOIDED")}) == 1
        types = [entry["event"]["type"] for entry in await of.events(match, "")]
        assert types[3:] in (["DealVoided"], ["DealScored"])


async def a_result_and_a_void(of: Settled) -> None:
    """Two results and a void of one scored deal, by one version of the match."""
    for first in range(3):
        match = await of.begin(len(MOVES))
        kinds = [
            Asked(match.scorekeeper, "/deals/1/score-corrections", PILES, '"4"'),
            Asked(match.arbiter, "/deals/1/score-corrections", PILES, '"4"'),
            Asked(match.arbiter, "/deals/1/void", VOID, '"4"'),
        ]
        replies = await of.race([*kinds[first:], *kinds[:first]])
        assert won([reply for some in replies for reply in some], LOST) == 1


async def a_last_answer_and_a_move(of: Settled) -> None:
    """What the last consent carries out is carried out once; a move by the version before it counts only before it."""
    for first in range(2):
        match = await of.begin(2)
        ask = {"kind": "take_back", "deal": 1, "kept": 0}
        assert (await of.ask(0, Asked(match.seats[0], "/proposals", {"ask": ask, "why": "again"}))).status_code == 201
        kinds = [
            Asked(match.seats[1], "/proposals/1/answers", {"agreed": True}),
            Asked(match.scorekeeper, "/deals/1/moves", NEXT_MOVE, '"3"'),
        ]
        replies = await of.race([*kinds[first:], *kinds[:first]])
        answers, moves = replies if first == 0 else replies[::-1]
        assert won(answers, {(409, "PROPOSAL_CLOSED"), (409, "RACE_LOST")}) == 1
        made = won(moves, LOST)
        types = [entry["event"]["type"] for entry in await of.events(match)]
        assert types == ["CardsDealt", *["CardPlayed"] * (2 + made), "MovesTakenBack"]
        settled = [entry["event"]["type"] for entry in await of.events(match, "")]
        assert settled.count("ProposalAnswered") == 2


SETTLED = [
    one_of_a_version,
    a_void_and_a_move,
    a_void_told_elsewhere,
    a_void_and_the_last_move,
    a_result_and_a_void,
    a_last_answer_and_a_move,
]


@pytest.mark.parametrize("contest", SETTLED, ids=lambda contest: contest.__name__)
def test_races_of_what_is_settled(database: str, contest: Callable[[Settled], Awaitable[None]]) -> None:
    settings = Settings(database, b"s", frozenset({"testserver.local"}), project=False)

    async def run() -> None:
        async with AsyncTestClient(create_app(settings), base_url="http://testserver.local") as client:
            await contest(Settled([client], database))

    asyncio.run(run())


def test_races_of_what_is_settled_over_two_processes(two_servers: tuple[str, str, str]) -> None:
    database, *urls = two_servers

    async def run() -> None:
        async with httpx.AsyncClient(base_url=urls[0]) as one, httpx.AsyncClient(base_url=urls[1]) as other:
            for contest in SETTLED:
                await contest(Settled([one, other], database))

    asyncio.run(run())
