"""Deals for tests: chance that can be repeated, and games played out at random."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec

from referee.rules.cards import Cards
from referee.rules.game import Game

SMALLEST: dict[str, dict[str, object]] = {"tablanet": {"ace_value": 1}, "tabu": {"target": 100}}
"""What must be said when a match of the game is opened, and nothing more."""


class SeededChance(random.Random):
    """Chance that comes out the same for the same seed."""

    def shuffle(self, cards: Any) -> Cards:  # type: ignore[override]
        """The same cards in another order."""
        return tuple(self.sample(cards, len(cards)))

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""
        return self.randrange(count)


def rules_of(game: Game, **house_rules: object) -> Any:
    """The game's rules with these house rules, the others as by default."""
    return msgspec.convert(SMALLEST.get(game.NAME, {}) | house_rules, game.Rules)


def new_deal(game: Game, rules: Any, seats: int, chance: SeededChance, dealer: int = 0) -> tuple[Any, Any]:
    """A fresh deal: how it is laid out, and the state before the first move."""
    layout = game.lay_out(rules, seats, dealer, chance.shuffle(game.pack(rules, seats)), chance)
    return layout, game.start(dealer, layout)


def random_line(game: Game, rules: Any, state: Any, chance: SeededChance) -> Iterator[tuple[Any, int, Any, Any]]:
    """A deal played to its end at random: each state, who acts, the move and what it caused."""
    while state.turn is not None:
        seat = state.turn
        move = chance.choice(list(game.legal_moves(rules, state)))
        effects = game.play(rules, state, seat, move, chance)
        yield state, seat, move, effects
        state = game.evolve(state, seat, move, effects)
