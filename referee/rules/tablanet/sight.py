"""What a reader of a Tablanet deal may see."""

import msgspec

from referee.rules.cards import Sight
from referee.rules.tablanet.model import (
    Effects,
    Layout,
    State,
)


def hide_layout(layout: Layout, sight: Sight) -> Layout:
    """The layout with other hands and the stock as `?`; the table and the jacks set aside were open."""
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(layout.hands))
    return Layout(hands, layout.table, sight.hidden(layout.stock), layout.opening)


def hide_effects(effects: Effects, seat: int, sight: Sight) -> Effects:
    """The effects of `seat`'s move with other players' new hands as `?`."""
    if effects.batch is None:
        return effects
    return msgspec.structs.replace(effects, batch=tuple(sight.of(s, hand) for s, hand in enumerate(effects.batch)))


def hide_state(state: State, sight: Sight) -> State:
    """The state with other hands and the stock as `?`; piles were captured in the open."""
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(state.hands))
    return msgspec.structs.replace(state, hands=hands, stock=sight.hidden(state.stock))
