"""Before the first move of a Sabo deal (SB-1 to SB-5)."""

from collections.abc import Sequence
from itertools import chain

from referee.rules.cards import HIDDEN, Cards, surplus
from referee.rules.chance import Chance
from referee.rules.sabo.model import HAND_SIZE, PACKS, SABO_SIZE, SEATS, SHORT_RANKS, Layout, Rules, State
from referee.rules.unseen import open_faults
from referee.rules.verdict import Violation


def agree(rules: Rules, seats: int) -> tuple[Violation, ...]:
    """Why these rules cannot be played by so many players; empty when they can (SB-1)."""
    if SEATS[0] <= seats <= SEATS[1]:
        return ()
    return (Violation("PLAYER_COUNT", "SB-1", {"players": seats, "least": SEATS[0], "most": SEATS[1]}),)


def pack(rules: Rules, seats: int) -> Cards:
    """The cards a deal is played with (SB-2, S11)."""
    return SHORT_RANKS if seats == 2 and rules.two_player_pack == "short_ranks" else PACKS[seats]


def most(rules: Rules, seats: int) -> int | None:
    """The most that one seat can score in a deal, in points: every trick (SB-13)."""
    return HAND_SIZE + SABO_SIZE[seats]


def last_deal(rules: Rules, number: int) -> bool:
    """Whether no deal may follow deal `number`, whatever the totals: never in Sabo."""
    return False


def lay_out(rules: Rules, seats: int, dealer: int, cards: Cards, chance: Chance) -> Layout:
    """Hands and sabo from a shuffled pack, top card first (SB-2, SB-3, rules 0.7).

    One card at a time, clockwise from the dealer's left: first the hands, then the sabo, each in the order of its
    places.
    """
    in_hand = HAND_SIZE * seats
    firsts = [(seat - dealer - 1) % seats for seat in range(seats)]
    return Layout(
        tuple(cards[first:in_hand:seats] for first in firsts),
        tuple(cards[in_hand + first :: seats] for first in firsts),
    )


def check_layout(rules: Rules, seats: int, layout: Layout) -> tuple[Violation, ...]:
    """Why a layout cannot be dealt: numbers of cards, cards of the pack (SB-2, SB-3)."""
    found = []
    hands, sabo = [len(hand) for hand in layout.hands], [len(cards) for cards in layout.sabo]
    if hands != [HAND_SIZE] * seats or sabo != [SABO_SIZE[seats]] * seats:
        params = {"hands": hands, "sabo": sabo, "hand_size": HAND_SIZE, "sabo_size": SABO_SIZE[seats], "seats": seats}
        found.append(Violation("DEAL_SIZES", "SB-3" if seats == 5 else "SB-2", params))
    cards = [card for part in (*layout.hands, *layout.sabo) for card in part]
    extra, missing = surplus(cards, pack(rules, seats))
    if extra or missing:
        found.append(Violation("PACK_MISMATCH", "SB-2", {"extra": extra, "missing": missing}))
    return tuple(found)


def lay_open(rules: Rules, seats: int, cards: Cards, sizes: Sequence[int] | None = None) -> Layout:
    """The layout of an observed deal: nothing lies open in Sabo, so a card named in `cards` fails `check_open`.

    `sizes` of the hands by seat, which fail there too unless they are those of SB-2.
    """
    hands = [(HIDDEN,) * size for size in ((HAND_SIZE,) * seats if sizes is None else sizes)]
    first = (*cards, *hands[0][len(cards) :])
    return Layout((first, *hands[1:]), ((HIDDEN,) * SABO_SIZE[seats],) * seats)


def check_open(rules: Rules, seats: int, layout: Layout) -> tuple[Violation, ...]:
    """Why a layout cannot be observed: counts, cards that nobody can know (SB-2, SB-5)."""
    found = [fault for fault in check_layout(rules, seats, layout) if fault.code == "DEAL_SIZES"]
    return (*found, *open_faults((), tuple(chain(*layout.hands, *layout.sabo)), pack(rules, seats), "SB-2"))


def start(dealer: int, layout: Layout) -> State:
    """The state before the first move; the seat after the dealer leads (SB-4)."""
    seats = len(layout.hands)
    first = (dealer + 1) % seats
    return State(dealer, first, layout.hands, layout.sabo, first, (0,) * seats)
