"""How a table puts right what went wrong with its cards (rules 4.2): what it tells of it, and what all games share."""

from collections.abc import Sequence
from typing import Any, Final

import msgspec

from referee.rules.cards import HIDDEN, Card, Cards, surplus
from referee.rules.chance import Chance, WrongOutcome
from referee.rules.chance import Told as Outcomes
from referee.rules.proof import Step
from referee.rules.puts import FACE_DOWN, Put, Spot, Zone
from referee.rules.verdict import Illegal, Violation

TOP: Final = 0


class Told(msgspec.Struct, frozen=True):
    """What the table tells: whose irregularity, `cards` put back from a hand, how many there are of what there should be
    one number (cards dealt to the hand, or drawn too many); the deal's `layout`, and the `step` after which it was seen,
    null before the first."""

    seat: int | None = None
    cards: Cards = ()
    count: int | None = None
    layout: Any = None
    step: Step | None = None


class AsPut(Outcomes):
    """Chance that comes out as a record says that cards were put: how that is judged again."""

    def __init__(self, puts: Sequence[Put]) -> None:
        order = tuple(one.card for one in puts if one.source.zone == "discard")
        seen = [one.card for one in puts if one.source.zone in FACE_DOWN and one.target.zone not in FACE_DOWN]
        super().__init__((order,) if order else (), seen)
        self.places = [(one.card, one.target.at) for one in puts if one.target.zone in FACE_DOWN]


def mixed_in(chance: Chance, card: Card, low: int, high: int) -> int:
    """The place, `low` or a later one below `high`, that chance gives a card in a face-down pile."""
    if not isinstance(chance, AsPut):
        return low + chance.below(high - low)
    at = next((at for put, at in chance.places if put == card and at is not None), None)
    if at is None or not low <= at < high:
        raise WrongOutcome(f"{card} cannot have been put there")
    chance.places.remove((card, at))
    return at


def hand_counted(
    state: Any, seat: int, count: int, size: int, dealt: int, named: Cards, pile: Spot, clause: str
) -> tuple[list[Put], int] | Illegal:
    """What is put when a hand of `size` cards was dealt `count`: its surplus (`named`) back to `pile`; how many it lacks.

    By the record it was `dealt` so many. Where nobody has seen the hand that was taken for granted, and is put right
    first.
    """
    hand = Spot("hands", seat)
    unseen = HIDDEN in state.hands[seat]
    if not unseen and count != dealt:
        return Illegal((Violation("HAND_ON_RECORD", clause, {"given": count, "due": dealt}),))
    if unseen and named:
        return Illegal((Violation("NOT_OPEN", clause, {"cards": named}),))
    over, off = max(0, count - size), count - dealt
    back = min(max(0, off), over)
    due = over - back
    named = (HIDDEN,) * due if unseen else named
    if len(named) != due:
        return Illegal((Violation("SURPLUS_CARDS", clause, {"given": len(named), "due": due}),))
    absent, _ = surplus(named, state.hands[seat])
    fewer, more = max(0, -off), max(0, off) - back
    for given, there in ((fewer + due, state.hands[seat]), (more, getattr(state, pile.zone))):
        if given > len(there):
            return Illegal((Violation("SURPLUS_CARDS", clause, {"given": given, "due": len(there)}),))
    if absent and not unseen:
        return Illegal((Violation("CARD_NOT_IN_HAND", clause, {"card": absent[0]}),))
    puts = [Put(HIDDEN, hand, pile)] * fewer + [Put(HIDDEN, _top(pile.zone), hand)] * more
    return [*puts, *(Put(card, hand, pile) for card in named)], max(0, size - count)


def _top(zone: Zone) -> Spot:
    return Spot(zone, at=TOP)
