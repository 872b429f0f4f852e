"""What a reader of a Sabo deal may see (SB-5)."""

import msgspec

from referee.rules.cards import HIDDEN, Sight
from referee.rules.sabo.model import (
    Effects,
    Layout,
    State,
)


def hide_layout(layout: Layout, sight: Sight) -> Layout:
    """The layout with other hands as `?`, and every sabo card too: its owner knows it no better (SB-5)."""
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(layout.hands))
    return Layout(hands, tuple(sight.hidden(sabo) for sabo in layout.sabo))


def hide_effects(effects: Effects, seat: int, sight: Sight) -> Effects:
    """The effects of `seat`'s move: everything a move causes in Sabo lies open (SB-9)."""
    return effects


def hide_state(state: State, sight: Sight) -> State:
    """The state with other hands and all face-down sabo as `?`; used places stay null, one looked at is open (SB-5)."""
    if sight.everything:
        return state
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(state.hands))
    looked_at = state.looked_at or (None,) * len(state.sabo)
    sabo = tuple(
        tuple(
            card if card is None or place == seen or (seat, place) in state.face_up else HIDDEN
            for place, card in enumerate(cards)
        )
        for seat, (cards, seen) in enumerate(zip(state.sabo, looked_at, strict=True))
    )
    return msgspec.structs.replace(state, hands=hands, sabo=sabo)
