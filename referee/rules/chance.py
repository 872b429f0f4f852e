"""Where chance enters a deal: shuffles and places of insertion, made by the dealer or told by the table."""

from collections.abc import Sequence
from typing import Protocol

from referee.rules.cards import Card, Cards, surplus


class Chance(Protocol):
    """What a game asks of chance; the game itself stays without randomness."""

    def shuffle(self, cards: Sequence[Card]) -> Cards:
        """The same cards in an order that nobody could know, top card first."""
        ...

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""
        ...


class WrongOutcome(ValueError):
    """A told outcome that cannot be: other cards than were shuffled, or none told where one is due."""


class Told:
    """Outcomes told beforehand, in order: how a recorded move is replayed, or a shuffle of real cards entered."""

    def __init__(self, outcomes: Sequence[Cards]) -> None:
        self.rest = list(outcomes)

    def shuffle(self, cards: Sequence[Card]) -> Cards:
        """The next told order. Raises WrongOutcome when none is left or its cards are not those shuffled."""
        if not self.rest:
            raise WrongOutcome("an order is due here and none was told")
        order = tuple(self.rest.pop(0))
        extra, missing = surplus(order, cards)
        if extra or missing:
            raise WrongOutcome(f"the order told has {list(extra)} too many and lacks {list(missing)}")
        return order

    def below(self, count: int) -> int:
        """Raises WrongOutcome: places are never told, only the order they lead to."""
        raise WrongOutcome("a place cannot be told")
