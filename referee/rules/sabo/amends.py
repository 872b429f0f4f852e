"""What becomes of Sabo's face-down cards when something irregular happens to them (rules 4.2)."""

from typing import Final

import msgspec

from referee.rules.amends import Told
from referee.rules.chance import Chance
from referee.rules.puts import Noted, Put
from referee.rules.sabo.model import Rules, State
from referee.rules.verdict import Illegal

PUTS: Final[dict[str, frozenset[tuple[str, str]]]] = {}
"""Between which zones a remedy puts cards: none does in Sabo, counts cannot come right."""


def put_right(rules: Rules, state: State, remedy: str, told: Told, chance: Chance) -> tuple[Put, ...] | Illegal:
    """What is put where by a remedy of rules 4.2: nothing."""
    return ()


def amend(state: State, note: Noted) -> State:
    """The state after a note: a card that was looked at lies face up and comes next, one that was shown lies face up.

    Whoever played it since has it no more.
    """
    for card in note.shown:
        if state.sabo[card.seat][card.place] is not None:
            state = _face_up(state, card.seat, card.place, card.card)
    seat, place = note.seat, note.place
    if seat is None or place is None or state.sabo[seat][place] is None:
        return state
    looked_at = list(state.looked_at or (None,) * len(state.hands))
    looked_at[seat] = place
    return msgspec.structs.replace(state, looked_at=tuple(looked_at))


def lies_open(state: State, seat: int) -> bool:
    """Whether one of a seat's sabo cards lies face up: looked at, or seen by everybody."""
    looked_at = state.looked_at[seat] if state.looked_at else None
    return looked_at is not None or any(whose == seat for whose, _ in state.face_up)


def _face_up(state: State, seat: int, place: int, card: str) -> State:
    own = state.sabo[seat]
    sabo = (*state.sabo[:seat], (*own[:place], card, *own[place + 1 :]), *state.sabo[seat + 1 :])
    lying = (*(at for at in state.face_up if at != (seat, place)), (seat, place))
    return msgspec.structs.replace(state, sabo=sabo, face_up=lying)
