"""Deals of all three games as a table with real cards enters them: told layouts, and what is seen of hidden ones."""

from typing import Any

import msgspec

from referee.rules.game import GAMES
from tests.dealing import SMALLEST, SeededChance, new_deal, rules_of
from tests.http.table import Opened, Phone, Table

PLAYERS = {"tablanet": 2, "tabu": 2, "sabo": 2}


def body(part: Any) -> Any:
    """A Struct as a request body's part."""
    return msgspec.json.decode(msgspec.json.encode(part))


def begun(table: Table, game: str, moves: int = 0, seed: int = 1, **house_rules: Any) -> Opened:
    """A match whose first deal was told whole and has had so many moves."""
    rules = {**SMALLEST.get(game, {}), **house_rules}
    match = table.open(game, PLAYERS[game], 0, **rules)
    layout, _ = new_deal(GAMES[game], rules_of(GAMES[game], **rules), PLAYERS[game], SeededChance(seed))
    done = match.scorekeeper.post("/deals", {"layout": body(layout)})
    assert done.status_code == 201, done.text
    play(match, moves)
    return match


def play(match: Opened, moves: int = 10_000, number: int = 1) -> list[int]:
    """Up to so many moves of a deal, each the first legal one; the seats that made them."""
    keeper, seats = match.scorekeeper, list[int]()
    while len(seats) < moves:
        turn = keeper.get(f"/deals/{number}/legal-moves?limit=1").json()
        if not turn["moves"]:
            break
        made = keeper.move(number, turn["seat"], turn["moves"][0])
        assert made.status_code == 201, made.text
        seats.append(turn["seat"])
    return seats


def tag(phone: Phone, path: str = "") -> str:
    """The ETag of something."""
    return str(phone.get(path).headers["etag"])
