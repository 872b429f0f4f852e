"""The cards behind an observed deal, which only the tests know: what its hands and its reserve hold while the table tells
the rest."""

from typing import Any, NamedTuple

import msgspec

from referee.deal import Deal
from referee.rules import tabu
from referee.rules.cards import PUBLIC, Cards
from tests.dealing import SeededChance

HIDDEN_PARTS = ("hands", "stock", "reserve", "sabo")


class Truth(NamedTuple):
    """How the cards were really dealt; every shuffle in play follows from the seed and the number of its move."""

    layout: Any
    seed: int

    def state(self, found: Deal, rules: Any) -> Any:
        """The state with every card known, or None where the record tells of cards that are not there: once a move has
        been corrected, those after it may."""
        game = found.kernel
        seen, state = game.start(found.dealer, found.layout), game.start(found.dealer, self.layout)
        for number, one in enumerate(found.played):
            place, move = one.made.seat, one.made.move
            card = getattr(move, "card", None)
            if card is not None and card not in state.hands[place]:
                return None
            effects = game.play(rules, state, place, move, SeededChance(self.seed + number))
            if game.seen(move, effects) != game.seen(move, one.made.effects):
                return None
            seen = game.evolve(seen, place, move, one.made.effects)
            state = _behind(seen, game.evolve(state, place, move, effects))
            assert game.hide_state(state, PUBLIC) == seen
        return state

    def turned_up(self, found: Deal, rules: Any, state: Any, place: int, move: Any) -> Cards:
        """The cards that the table will see turned up in the next move."""
        effects = found.kernel.play(rules, state, place, move, SeededChance(self.seed + found.moves))
        return found.kernel.seen(move, effects)


def _behind(seen: Any, state: Any) -> Any:
    """What is to be done as the table sees it, with the cards that lie there: a card drawn that cannot be played ends the
    turn only once that is said."""
    parts = {name: getattr(state, name) for name in HIDDEN_PARTS if hasattr(state, name)}
    if getattr(seen, "drawn", None) is not None:
        parts["drawn"] = state.hands[seen.turn][-1]
    return msgspec.structs.replace(seen, **parts)


def moves_of(found: Deal, rules: Any, state: Any) -> list[Any]:
    """The legal moves of who sees his hand; where there is none, that a card just drawn cannot be played."""
    return list(found.kernel.legal_moves(rules, state)) or [tabu.KEEP]
