"""Deals of all three games as a table with real cards enters them: told layouts, and what is seen of hidden ones."""

from typing import Any

import msgspec

from referee.rules.game import GAMES, Game
from tests.dealing import SMALLEST, SeededChance, new_deal, rules_of
from tests.http.table import Opened, Phone, Table
from tests.rules.observing import Sides, opened

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


def observe(table: Table, game: Game, rules: Any, seats: int, dealer: int, cards: Any = ()) -> Opened:
    """A match whose first deal is observed: what lies open, and nothing of the hands."""
    match = table.open(game.NAME, seats, dealer, **msgspec.to_builtins(rules))
    started = match.scorekeeper.post("/deals", {"open": list(cards)})
    assert started.status_code == 201, started.text
    return match


def observed(table: Table, game: Game, sides: Sides, show: bool = True) -> Opened:
    """The deal as the table saw it, irregular moves let stand."""
    record = sides.seen
    match = observe(table, game, sides.rules, len(record.layout.hands), record.dealer, opened(record.layout))
    follow(match, game, record)
    if show and record.hands is not None:
        shown = match.scorekeeper.post("/deals/1/hands", {"hands": body(record.hands)})
        assert shown.status_code == 201, shown.text
    return match


def dealt(table: Table, game: Game, sides: Sides) -> Opened:
    """The same deal with every card told, irregular moves let stand."""
    record = sides.known
    match = table.open(game.NAME, len(record.layout.hands), record.dealer, **msgspec.to_builtins(sides.rules))
    started = match.scorekeeper.post("/deals", {"layout": body(record.layout)})
    assert started.status_code == 201, started.text
    follow(match, game, record)
    return match


def follow(match: Opened, game: Game, record: Any) -> None:
    """Make the moves of a record; those that are refused are let stand by all."""
    for step in record.steps:
        said = {"seat": step.seat, "move": body(step.move)}
        said["told"] = [list(order) for order in game.outcomes(step.effects)]
        if record.hands is not None or "?" in record.layout.hands[0]:
            said["seen"] = list(game.seen(step.move, step.effects))
        made = match.scorekeeper.post("/deals/1/moves", said)
        if made.status_code == 422:
            assert made.json()["violations"], made.text
            version = tag(match.scorekeeper, "/deals/1")
            asked = said | {"why": "played on", "agreed": list(range(len(record.layout.hands)))}
            made = match.scorekeeper.post("/deals/1/irregular-moves", asked, if_match=version)
        assert made.status_code == 201, made.text
