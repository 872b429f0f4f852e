"""Deals of every game and number of players at random, under random house rules: 30, or as many as `--deals N` says."""

from collections import Counter
from typing import Any

import pytest

from referee.rules import sabo, tablanet
from referee.rules.chance import Told
from referee.rules.game import GAMES, Game
from referee.rules.options import options_of
from referee.rules.verdict import LEGAL
from tests.dealing import SeededChance, new_deal, random_line, rules_of
from tests.rules import test_sabo_properties, test_tablanet_properties, test_tabu_properties

TABLES = [
    *(("tablanet", seats) for seats in (2, 3)),
    *(("tabu", seats) for seats in (2, 3, 4, 5, 6, 10, 20)),
    *(("sabo", seats) for seats in (2, 3, 4, 5)),
]
EVERY_MOVE: dict[str, list[Any]] = {"tabu": test_tabu_properties.EVERY_MOVE, "sabo": test_sabo_properties.EVERY_MOVE}
DEALS = 30
LONGEST = {"tablanet": 48, "tabu": test_tabu_properties.LONGEST, "sabo": 52}


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_deals(request: pytest.FixtureRequest, name: str, seats: int) -> None:
    deals = request.config.getoption("--deals") or DEALS
    for number in range(TABLES.index((name, seats)), deals, len(TABLES)):
        played_out(GAMES[name], seats, SeededChance(number))


def played_out(game: Game, seats: int, chance: SeededChance) -> None:
    """The deal ends, keeps every card, and at each step what is listed and what is judged legal are the same."""
    rules = drawn(game, seats, chance)
    pack = Counter(game.pack(rules, seats))
    layout, first = new_deal(game, rules, seats, chance, chance.below(seats))
    assert game.check_layout(rules, seats, layout) == ()
    assert Counter(game.held(first)) == pack
    moves, last = 0, first
    for state, seat, move, effects in random_line(game, rules, first, chance):
        agree(game, rules, state, seat, chance)
        told = Told(game.outcomes(effects))
        assert game.play(rules, state, seat, move, told) == effects
        assert told.rest == []
        last = game.evolve(state, seat, move, effects)
        assert Counter(game.held(last)) == pack
        moves += 1
        assert moves <= LONGEST[game.NAME]
    assert last.turn is None
    assert moves == (48 if game is tablanet else moves)
    assert moves == (seats * sabo.most(rules, seats) if game is sabo else moves)  # type: ignore[operator]
    most = game.most(rules, seats)
    assert most is not None
    assert all(sum(line.values()) <= most for line in game.score(rules, last))


def drawn(game: Game, seats: int, chance: SeededChance) -> Any:
    """House rules at random, such as so many can play by; the target and what is a number stay as they are."""
    options = [option for option in options_of(game, "en") if option.kind == "choice"]
    rules = rules_of(game, **{option.key: chance.choice(option.values).value for option in options})
    return rules_of(game) if game.agree(rules, seats) else rules


def agree(game: Game, rules: Any, state: Any, seat: int, chance: SeededChance) -> None:
    """Every card of the pack, every place, every draw, keep and pass: legal exactly when it is listed."""
    listed = list(game.legal_moves(rules, state))
    if game is tablanet:
        test_tablanet_properties.judged(rules, state, seat, listed, chance)
        return
    assert listed
    for move in EVERY_MOVE[game.NAME]:
        assert (game.judge(rules, state, seat, move) == LEGAL) == (move in listed), move
