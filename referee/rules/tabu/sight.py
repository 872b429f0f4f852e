"""What a reader of a Tabu deal may see."""

import msgspec

from referee.rules.cards import Sight
from referee.rules.tabu.model import (
    Effects,
    Layout,
    State,
)


def hide_layout(layout: Layout, sight: Sight) -> Layout:
    """The layout with other hands and the reserve as `?`; the row and the cards set aside were open."""
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(layout.hands))
    return Layout(hands, layout.row, sight.hidden(layout.reserve), layout.opening)


def hide_effects(effects: Effects, seat: int, sight: Sight) -> Effects:
    """The effects of `seat`'s move with other players' drawn cards and every order of the reserve as `?`."""
    return msgspec.structs.replace(
        effects,
        drawn=effects.drawn and sight.of(seat, (effects.drawn,))[0],
        reserve_after=sight.hidden(effects.reserve_after),
        renewed=tuple(sight.hidden(order) for order in effects.renewed),
        draws=tuple((to, sight.of(to, (card,))[0]) for to, card in effects.draws),
    )


def hide_state(state: State, sight: Sight) -> State:
    """The state with other hands and the reserve as `?`; row, discard and captures were open."""
    drawn = state.drawn
    if drawn is not None and state.turn is not None:
        drawn = sight.of(state.turn, (drawn,))[0]
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(state.hands))
    return msgspec.structs.replace(state, hands=hands, reserve=sight.hidden(state.reserve), drawn=drawn)
