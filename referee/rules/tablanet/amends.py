"""How a Tablanet table puts right what went wrong with its cards (rules 4.2; TN-4, TN-5)."""

from collections.abc import Iterator
from typing import Final

from referee.rules.amends import TOP, Told, hand_counted
from referee.rules.cards import HIDDEN, PACK, RANK
from referee.rules.chance import Chance
from referee.rules.puts import Noted, Put, Spot, put
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

    `short_hand_plays_on`: surplus cards go under the stock. `clean_up_now`: jacks that were left on the table when it
    was turned up are exchanged as TN-5 says.
    """
    if remedy == "short_hand_plays_on" and told.count is not None and told.seat is not None:
        first_batch = len(state.stock) >= len(told.layout.stock)
        size = HAND_SIZE[len(state.hands)]
        dealt = len(told.layout.hands[told.seat]) if first_batch else size
        counted = hand_counted(state, told.seat, told.count, size, dealt, told.cards, UNDER, "TN-4")
        return counted if isinstance(counted, Illegal) else tuple(counted[0])
    if remedy == "clean_up_now" and told.step is None:
        return tuple(_clean_up(state, chance))
    return ()


def amend(state: State, note: Noted) -> State:
    """The state after a note of something irregular (rules 4.2)."""
    return put(state, note.puts)


def _clean_up(state: State, chance: Chance) -> Iterator[Put]:
    """Jacks from the table, the first under the stock, others into its middle; then cards from its top, up to four."""
    table, stock, named, away = list(state.table), list(state.stock), list(held(state)), 0
    while True:
        if jack := next((card for card in table if RANK[card] == "J"), None):
            at = 1 + chance.below(len(stock) - 1) if away else len(stock)
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
