"""Deals of Tablanet that the tests lay out themselves, and how they are played to the end."""

from collections.abc import Callable, Iterator
from typing import Any, TypeAlias

from referee.dealer import SeededChance
from referee.rules import tablanet
from referee.rules.cards import PACK
from referee.rules.chance import Told
from tests.http.table import Opened

Moves: TypeAlias = Iterator[tablanet.Play]
Choose: TypeAlias = Callable[[tablanet.State, Moves], tablanet.Play]


def shuffled(number: int, players: int = 2, dealer: int = 0) -> tablanet.Layout:
    """The same layout for the same number."""
    chance = SeededChance(f"{number:064x}")
    return tablanet.lay_out(tablanet.Rules(ace_value=1), players, dealer, chance.pack(PACK), chance)


def told(layout: tablanet.Layout) -> dict[str, Any]:
    """The layout as a request body's part."""
    return {
        "type": "tablanet",
        "hands": [list(hand) for hand in layout.hands],
        "table": list(layout.table),
        "stock": list(layout.stock),
    }


def spoken(move: tablanet.Play) -> dict[str, Any]:
    """The move as a request body's part."""
    return {"type": "tablanet.play", "card": move.card, "captures": list(move.captures)}


def first(state: tablanet.State, moves: Moves) -> tablanet.Play:
    """The first legal move."""
    return next(moves)


def plan(
    layout: tablanet.Layout, dealer: int = 0, choose: Choose = first, **house_rules: Any
) -> list[tuple[int, dict[str, Any]]]:
    """Seat and move of a whole deal, worked out beforehand."""
    rules = tablanet.Rules(**{"ace_value": 1, **house_rules})
    state = tablanet.start(dealer, layout)
    made = []
    while state.turn is not None:
        seat, move = state.turn, choose(state, tablanet.legal_moves(rules, state))
        made.append((seat, spoken(move)))
        state = tablanet.evolve(state, seat, move, tablanet.play(rules, state, seat, move, Told(())))
    return made


def play_out(match: Opened, number: int, layout: tablanet.Layout, moves: list[tuple[int, dict[str, Any]]]) -> Any:
    """Start deal `number` with this layout and make these moves; the answer to the last one."""
    started = match.scorekeeper.post("/deals", {"layout": told(layout)})
    assert started.status_code == 201, started.text
    for seat, move in moves:
        made = match.scorekeeper.move(number, seat, move)
        assert made.status_code == 201, made.text
    return made.json()
