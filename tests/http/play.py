"""Deals played over HTTP at random, each seat with its own phone."""

from collections.abc import Iterator
from typing import Any

from httpx import Response

from tests.dealing import SeededChance
from tests.http.table import Opened


def steps(
    match: Opened, number: int, chance: SeededChance, turn: int
) -> Iterator[tuple[int, dict[str, Any], Response]]:
    """Moves until the deal is over: who acts, the move, the answer. `turn` acts first."""
    seat: int | None = turn
    while seat is not None:
        phone = match.seats[seat]
        moves = phone.get(f"/deals/{number}/legal-moves?limit=30").json()["moves"]
        move = chance.choice(moves)
        reply = phone.move(number, seat, move)
        assert reply.status_code == 201, reply.text
        yield seat, move, reply
        seat = reply.json()["deal"]["turn"]


def play_out(match: Opened, number: int, turn: int, seed: int = 1) -> dict[str, Any]:
    """The answer to the last move of a deal played to its end."""
    answer: dict[str, Any] = {}
    for *_, reply in steps(match, number, SeededChance(seed), turn):
        answer = reply.json()
    return answer
