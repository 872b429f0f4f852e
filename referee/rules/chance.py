"""Where chance enters a deal: shuffles and places of insertion, made by the dealer or told by the table."""

from collections.abc import Sequence
from typing import Protocol

from referee.rules.cards import Card, Cards, surplus
from referee.rules.verdict import Violation


class Chance(Protocol):
    """What a game asks of chance; the game itself stays without randomness."""

    def shuffle(self, cards: Sequence[Card]) -> Cards:
        """The same cards in an order that nobody could know, top card first."""
        ...

    def below(self, count: int) -> int:
        """A number from 0 to `count` - 1."""
        ...


class WrongOutcome(ValueError):
    """A told outcome that cannot be: other cards than were shuffled, one that cannot turn up, or none where one is due.

    `violation` says it in the terms of the rules where it is a matter of rules.
    """

    def __init__(self, message: str, violation: Violation | None = None) -> None:
        super().__init__(message)
        self.violation = violation


class Told:
    """Outcomes told beforehand, in order: how a recorded move is replayed, or what happened to real cards entered.

    `outcomes` are orders after shuffles; `seen` the cards that the table saw turned up.
    """

    def __init__(self, outcomes: Sequence[Cards] = (), seen: Sequence[Card] = ()) -> None:
        self.rest = list(outcomes)
        self.unseen = list(seen)

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

    def seen(self) -> Card:
        """The next card that the table saw turned up. Raises WrongOutcome when none is left."""
        if not self.unseen:
            raise WrongOutcome("a card was turned up here and none was told")
        return self.unseen.pop(0)
