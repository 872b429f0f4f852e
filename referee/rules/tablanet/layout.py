"""Before the first move of a Tablanet deal (TN-1 to TN-7)."""

from collections.abc import Sequence
from itertools import chain

from referee.rules.cards import HIDDEN, PACK, RANK, Card, Cards, surplus
from referee.rules.chance import Chance
from referee.rules.tablanet.model import (
    DEAL_BONUS,
    HAND_SIZE,
    PLAY_VALUES,
    SEATS,
    TABLE_SIZE,
    Layout,
    Opening,
    Rules,
    State,
)
from referee.rules.tablanet.scoring import card_points
from referee.rules.unseen import open_faults
from referee.rules.verdict import Violation


def agree(rules: Rules, seats: int) -> tuple[Violation, ...]:
    """Why these rules cannot be played by so many players; empty when they can (TN-1)."""
    if SEATS[0] <= seats <= SEATS[1]:
        return ()
    return (Violation("PLAYER_COUNT", "TN-1", {"players": seats, "least": SEATS[0], "most": SEATS[1]}),)


def pack(rules: Rules, seats: int) -> Cards:
    """The cards a deal is played with (TN-1)."""
    return PACK


def most(rules: Rules, seats: int) -> int | None:
    """The most that one seat can score in a deal, in points (TN-18 to TN-20, N9)."""
    points = sum(card_points(rules, card) for card in PACK) + DEAL_BONUS
    if rules.tablanet_bonus == "one_point":
        points += 48 // seats
    elif rules.tablanet_bonus == "card_values":
        points += sum(map(max, PLAY_VALUES[rules.ace_value, rules.values].values()))
    return points


def last_deal(rules: Rules, number: int) -> bool:
    """Whether no deal may follow deal `number`, whatever the totals: never in Tablanet."""
    return False


def lay_out(rules: Rules, seats: int, dealer: int, cards: Cards, chance: Chance) -> Layout:
    """Hands, open table and stock from a shuffled pack, top card first, jacks cleaned up (TN-4, TN-5)."""
    hands, rest = batch(cards, seats, dealer)
    stock = list(rest)
    turned: list[Card] = []
    table: list[Card] = []
    jacks: list[Card] = []
    while len(table) < TABLE_SIZE:
        card = stock.pop(0)
        turned.append(card)
        (jacks if RANK[card] == "J" else table).append(card)
    if jacks:
        stock.append(jacks[0])
    for jack in jacks[1:]:
        stock.insert(1 + chance.below(len(stock) - 1), jack)
    return Layout(hands, tuple(table), tuple(stock), Opening(tuple(turned), tuple(jacks)))


def check_layout(rules: Rules, seats: int, layout: Layout) -> tuple[Violation, ...]:
    """Why a layout cannot be dealt: counts, cards of the pack, jacks on the table (TN-4 to TN-6)."""
    found = []
    size = HAND_SIZE[seats]
    counts = [len(hand) for hand in layout.hands]
    if counts != [size] * seats or len(layout.table) != TABLE_SIZE:
        params = {"hands": counts, "table": len(layout.table), "hand_size": size, "seats": seats}
        found.append(Violation("DEAL_SIZES", "TN-4", params))
    extra, missing = surplus([card for part in (*layout.hands, layout.table, layout.stock) for card in part], PACK)
    if extra or missing:
        found.append(Violation("PACK_MISMATCH", "TN-1", {"extra": extra, "missing": missing}))
    if jacks := [card for card in layout.table if card[:1] == "J"]:
        found.append(Violation("JACK_ON_TABLE", "TN-5", {"cards": jacks}))
    return tuple(found)


def lay_open(rules: Rules, seats: int, cards: Cards, sizes: Sequence[int] | None = None) -> Layout:
    """The layout of an observed deal: `cards` lie open on the table, everything else is unseen.

    `sizes` of the hands by seat, where they are not those of TN-4; the stock is what remains of the pack.
    """
    sizes = (HAND_SIZE[seats],) * seats if sizes is None else sizes
    rest = len(PACK) - sum(sizes) - len(cards)
    return Layout(tuple((HIDDEN,) * size for size in sizes), cards, (HIDDEN,) * rest)


def check_open(rules: Rules, seats: int, layout: Layout) -> tuple[Violation, ...]:
    """Why a layout cannot be observed: counts, cards of the pack, a card twice, cards that nobody can know, jacks."""
    found = [fault for fault in check_layout(rules, seats, layout) if fault.code != "PACK_MISMATCH"]
    unseen = tuple(chain(*layout.hands, layout.stock))
    return (*found, *open_faults(layout.table, unseen, PACK, "TN-1"))


def start(dealer: int, layout: Layout) -> State:
    """The state before the first move; the seat after the dealer acts first, or the next that holds a card (TN-7)."""
    seats = len(layout.hands)
    none = (0,) * seats
    return State(
        dealer, next_holder(layout.hands, dealer), layout.hands, layout.table, layout.stock, ((),) * seats, none, none
    )


def next_holder(hands: Sequence[Cards], seat: int) -> int:
    """The next seat clockwise from `seat`, itself last, that holds a card: without one it is passed over (TN-7)."""
    order = [(seat + step) % len(hands) for step in range(1, len(hands) + 1)]
    return next((other for other in order if hands[other]), seat)


def batch(cards: Cards, seats: int, dealer: int) -> tuple[tuple[Cards, ...], Cards]:
    """Hands dealt one card at a time from the dealer's left, as far as the cards reach, and those that remain (TN-4,
    TN-16)."""
    dealt = HAND_SIZE[seats] * seats
    hands = tuple(cards[(seat - dealer - 1) % seats : dealt : seats] for seat in range(seats))
    return hands, cards[dealt:]
