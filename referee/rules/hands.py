"""Hands shown when an observed deal is over, so that what is still in hand can be counted (TB-17)."""

from itertools import chain
from typing import Any, Final

import msgspec

from referee.rules.cards import HIDDEN, Cards, hide
from referee.rules.unseen import seen_faults
from referee.rules.verdict import Violation

CLAUSE: Final = "TB-17"
"""Only in Tabu is a card left in hand when a deal is over."""


def hands_due(state: Any) -> bool:
    """Whether the deal is over and cards that nobody has seen are still in hand: it is scored once they are shown."""
    return state.turn is None and any(HIDDEN in hand for hand in state.hands)


def check_hands(game: Any, rules: Any, state: Any, hands: tuple[Cards, ...]) -> tuple[Violation, ...]:
    """Why these cannot be the hands by seat: numbers of cards, cards of the pack, cards seen elsewhere."""
    found = []
    given, due = [len(hand) for hand in hands], [len(hand) for hand in state.hands]
    if given != due:
        found.append(Violation("HAND_SIZES", CLAUSE, {"given": given, "due": due}))
    pack = game.pack(rules, len(state.hands))
    elsewhere = [card for card in game.held(_without_hands(state)) if card != HIDDEN]
    found += seen_faults((*chain(*hands), *elsewhere), pack, CLAUSE)
    return tuple(found)


def show_hands(state: Any, hands: tuple[Cards, ...]) -> Any:
    """The state with the hands that were shown, by seat, in place of cards that nobody had seen."""
    return msgspec.structs.replace(state, hands=hands)


def _without_hands(state: Any) -> Any:
    """The state with every hand unseen."""
    return msgspec.structs.replace(state, hands=tuple(hide(hand) for hand in state.hands))
