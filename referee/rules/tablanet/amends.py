"""How a Tablanet table puts right what went wrong with its cards (rules 4.2; TN-4, TN-5)."""

from collections.abc import Iterator, Sequence
from typing import Final

import msgspec

from referee.rules.amends import TOP, Told, hand_counted, mixed_in
from referee.rules.cards import HIDDEN, PACK, RANK
from referee.rules.chance import Chance
from referee.rules.puts import Noted, Put, Spot, put
from referee.rules.tablanet.layout import next_holder
from referee.rules.tablanet.model import HAND_SIZE, TABLE_SIZE, Rules, State
from referee.rules.tablanet.scoring import held
from referee.rules.unseen import turned_up
from referee.rules.verdict import Illegal

UNDER: Final = Spot("stock")
PUTS: Final = {
    "short_hand_plays_on": frozenset({("hands", "stock"), ("stock", "hands")}),
    "clean_up_now": frozenset({("table", "stock"), ("stock", "table")}),
}
"""Between which zones a remedy puts cards."""


def put_right(rules: Rules, state: State, remedy: str, told: Told, chance: Chance) -> tuple[Put, ...] | Illegal:
    """What is put where by a remedy of rules 4.2; nothing where the record has it right already.

    `short_hand_plays_on`: surplus cards go under the stock; if they were the last in hand, the next batch is given (TN-16).
    `clean_up_now`: jacks that were left on the table when it
    was turned up are exchanged as TN-5 says.
    """
    if remedy == "short_hand_plays_on" and told.count is not None and told.seat is not None:
        first_batch = len(state.stock) >= len(told.layout.stock)
        size = HAND_SIZE[len(state.hands)]
        dealt = len(told.layout.hands[told.seat]) if first_batch else size
        counted = hand_counted(state, told.seat, told.count, size, dealt, told.cards, UNDER, "TN-4")
        return counted if isinstance(counted, Illegal) else (*counted[0], *_batch_due(state, counted[0]))
    if remedy == "clean_up_now" and told.step is None:
        return tuple(_clean_up(state, chance))
    return ()


def amend(state: State, note: Noted) -> State:
    """The state after a note of something irregular (rules 4.2); a seat left without a card is passed over (TN-7)."""
    after = put(state, note.puts)
    if after.turn is None or after.hands[after.turn]:
        return after
    return msgspec.structs.replace(after, turn=next_holder(after.hands, after.turn))


def _batch_due(state: State, puts: Sequence[Put]) -> Iterator[Put]:
    """The next batch, one card at a time, where nobody holds a card once these are put."""
    after = put(state, puts)
    if any(after.hands):
        return
    seats = len(after.hands)
    for at, card in enumerate(after.stock[: HAND_SIZE[seats] * seats]):
        yield Put(card, Spot("stock", at=TOP), Spot("hands", (after.dealer + 1 + at) % seats))


def _clean_up(state: State, chance: Chance) -> Iterator[Put]:
    """Jacks from the table, the first under the stock, others into its middle; then cards from its top, up to four."""
    table, stock, named, away = list(state.table), list(state.stock), list(held(state)), 0
    while True:
        if jack := next((card for card in table if RANK[card] == "J"), None):
            at = mixed_in(chance, jack, 1, len(stock)) if away else len(stock)
            yield Put(jack, Spot("table"), Spot("stock", at=at))
            table.remove(jack)
            stock.insert(at, jack)
            away += 1
        elif len(table) < TABLE_SIZE:
            card = stock.pop(TOP)
            if card == HIDDEN:
                card = turned_up(chance, PACK, named, "TN-1")
                named.append(card)
            yield Put(card, Spot("stock", at=TOP), Spot("table"))
            table.append(card)
        else:
            return
