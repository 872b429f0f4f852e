"""Before the first move of a Tabu deal (TB-1 to TB-5)."""

from collections.abc import Callable, Sequence
from itertools import chain

import msgspec

from referee.rules.cards import HIDDEN, JOKER, RANK, Card, Cards, surplus, without
from referee.rules.chance import Chance
from referee.rules.tabu.model import (
    HAND_SIZE,
    ONE_PACK,
    POINTS,
    ROW_SIZE,
    SEATS,
    SPECIAL,
    TWO_PACKS_FROM,
    Layout,
    Opening,
    Rules,
    State,
)
from referee.rules.unseen import open_faults
from referee.rules.verdict import Violation


def agree(rules: Rules, seats: int) -> tuple[Violation, ...]:
    """Why these rules cannot be played by so many players; empty when hands and row can be dealt (TB-1, B14, B15)."""
    most_packs = 1 if rules.packs == 1 else 2
    largest = (len(ONE_PACK) * most_packs - ROW_SIZE) // HAND_SIZE
    if SEATS[0] <= seats <= largest:
        return ()
    return (Violation("PLAYER_COUNT", "TB-1", {"players": seats, "least": SEATS[0], "most": largest}),)


def pack(rules: Rules, seats: int) -> Cards:
    """The cards a deal is played with: one pack with two jokers, or two (TB-1, B14)."""
    if rules.packs == "by_players":
        return ONE_PACK * (2 if seats >= TWO_PACKS_FROM else 1)
    return ONE_PACK * rules.packs


def most(rules: Rules, seats: int) -> int | None:
    """The most that one seat can score in a deal: every point there is (TB-16)."""
    return sum(POINTS[card] for card in pack(rules, seats))


def last_deal(rules: Rules, number: int) -> bool:
    """Whether no deal may follow deal `number` unless the highest total is shared (B20)."""
    return rules.deal_limit is not None and number >= rules.deal_limit


def lay_out(rules: Rules, seats: int, dealer: int, cards: Cards, chance: Chance) -> Layout:
    """Hands, row and reserve from a shuffled pack, top card first, one card at a time (TB-3, TB-4)."""
    dealt = HAND_SIZE * seats
    hands = tuple(cards[(seat - dealer - 1) % seats : dealt : seats] for seat in range(seats))
    rest = iter(cards[dealt:])
    turned, aside = turn_up(ROW_SIZE, lambda: next(rest, None))
    reserve = tuple(rest)
    if aside:
        reserve = chance.shuffle((*reserve, *aside))
    return Layout(hands, without(turned, aside), reserve, Opening(turned, aside))


def check_layout(rules: Rules, seats: int, layout: Layout) -> tuple[Violation, ...]:
    """Why a layout cannot be dealt: counts, cards of the pack, jacks and jokers in the row (TB-1, TB-3, TB-4).

    A row is short only when nothing but jacks and jokers was left to turn (TB-12).
    """
    found = []
    counts, row = [len(hand) for hand in layout.hands], len(layout.row)
    short = row < ROW_SIZE and any(card[:1] not in SPECIAL for card in layout.reserve)
    if counts != [HAND_SIZE] * seats or row > ROW_SIZE or short:
        params = {"hands": counts, "row": row, "hand_size": HAND_SIZE, "row_size": ROW_SIZE, "seats": seats}
        found.append(Violation("DEAL_SIZES", "TB-3", params))
    extra, missing = surplus(chain(*layout.hands, layout.row, layout.reserve), pack(rules, seats))
    if extra or missing:
        found.append(Violation("PACK_MISMATCH", "TB-1", {"extra": extra, "missing": missing}))
    if special := [card for card in layout.row if card[:1] in SPECIAL]:
        found.append(Violation("SPECIAL_IN_ROW", "TB-4", {"cards": special}))
    return tuple(found)


def lay_open(rules: Rules, seats: int, cards: Cards, sizes: Sequence[int] | None = None) -> Layout:
    """The layout of an observed deal: `cards` lie open in the row, everything else is unseen.

    `sizes` of the hands by seat, where they are not those of TB-3; the reserve is what remains of the pack.
    """
    sizes = (HAND_SIZE,) * seats if sizes is None else sizes
    rest = len(pack(rules, seats)) - sum(sizes) - len(cards)
    return Layout(tuple((HIDDEN,) * size for size in sizes), cards, (HIDDEN,) * rest)


def check_open(rules: Rules, seats: int, layout: Layout) -> tuple[Violation, ...]:
    """Why a layout cannot be observed: counts, cards of the pack, cards that nobody can know, jacks and jokers in the row.

    A row is short only when the reserve may be nothing but jacks and jokers (TB-12).
    """
    whole = pack(rules, seats)
    specials = sum(RANK[card] in SPECIAL for card in whole)
    reserve = len(layout.reserve)
    told = msgspec.structs.replace(layout, reserve=(JOKER,) * reserve if reserve <= specials else layout.reserve)
    found = [fault for fault in check_layout(rules, seats, told) if fault.code != "PACK_MISMATCH"]
    return (*found, *open_faults(layout.row, tuple(chain(*layout.hands, layout.reserve)), whole, "TB-1"))


def start(dealer: int, layout: Layout) -> State:
    """The state before the first move; the seat after the dealer acts first (TB-5)."""
    seats = len(layout.hands)
    return State(dealer, (dealer + 1) % seats, layout.hands, layout.row, layout.reserve, (), ((),) * seats)


def turn_up(places: int, next_card: Callable[[], Card | None]) -> tuple[Cards, Cards]:
    """Cards turned until `places` are filled or none comes, and the jacks and jokers among them (TB-4, TB-12)."""
    turned: list[Card] = []
    aside: list[Card] = []
    while len(turned) - len(aside) < places and (card := next_card()) is not None:
        turned.append(card)
        if RANK[card] in SPECIAL:
            aside.append(card)
    return tuple(turned), tuple(aside)
