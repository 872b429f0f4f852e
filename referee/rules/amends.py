"""How a table puts right what went wrong with its cards (rules 4.2): what it tells of it, and what all games share."""

from typing import Any, Final

import msgspec

from referee.rules.cards import HIDDEN, Cards, surplus
from referee.rules.proof import Step
from referee.rules.puts import Put, Spot, Zone
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
    if absent:
        return Illegal((Violation("CARD_NOT_IN_HAND", clause, {"card": absent[0]}),))
    puts = [Put(HIDDEN, hand, pile)] * max(0, -off) + [Put(HIDDEN, _top(pile.zone), hand)] * (max(0, off) - back)
    return [*puts, *(Put(card, hand, pile) for card in named)], max(0, size - count)


def _top(zone: Zone) -> Spot:
    return Spot(zone, at=TOP)
