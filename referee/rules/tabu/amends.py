"""How a Tabu table puts right what went wrong with its cards (rules 4.2; TB-4, TB-9 to TB-13)."""

from typing import Final

import msgspec

from referee.rules.amends import TOP, Told, hand_counted, mixed_in
from referee.rules.cards import HIDDEN, RANK, Card, Cards, surplus
from referee.rules.chance import Chance
from referee.rules.proof import Step
from referee.rules.puts import Noted, Put, Spot, put
from referee.rules.tabu.judging import takers
from referee.rules.tabu.layout import pack
from referee.rules.tabu.model import HAND_SIZE, ROW_SIZE, SPECIAL, Play, Rules, State
from referee.rules.tabu.scoring import held
from referee.rules.unseen import turned_up
from referee.rules.verdict import Illegal, Violation

ROW: Final = Spot("row")
RESERVE_TOP: Final = Spot("reserve", at=TOP)
_RENEWED: Final = ("discard", "reserve")
_COMPLETED: Final = frozenset({("row", "reserve"), ("reserve", "row"), _RENEWED})
PUTS: Final = {
    "hand_made_right": frozenset({("hands", "reserve"), ("reserve", "hands"), _RENEWED}),
    "surplus_to_reserve": frozenset({("reserve", "reserve")}),
    "row_made_right": _COMPLETED,
    "clean_up_now": _COMPLETED,
    "take_them": _COMPLETED | {("row", "captured")},
    "draw_now": frozenset({("reserve", "hands"), _RENEWED}),
    "draw_lapses": frozenset({("hands", "reserve")}),
}
"""Between which zones a remedy puts cards."""


def put_right(rules: Rules, state: State, remedy: str, told: Told, chance: Chance) -> tuple[Put, ...] | Illegal:
    """What is put where by a remedy of rules 4.2; nothing where the record has it right already.

    `hand_made_right`: a surplus goes into the reserve, a short hand draws. `surplus_to_reserve`: cards drawn too many go
    into the reserve. `row_made_right`, `clean_up_now`, `take_them`: the row as TB-4, TB-9 and TB-12 want it. `draw_now`:
    a draw that a jack or joker imposed is made; `draw_lapses`: one that the record took for granted was never made.
    """
    table = _Table(rules, state, chance)
    found = _put_right(table, remedy, told)
    return found if isinstance(found, Illegal) else tuple(table.puts)


def amend(state: State, note: Noted) -> State:
    """The state after a note of something irregular; a discard that became the reserve was a renewal (TB-15)."""
    after = put(state, note.puts)
    renewed = any(one.source.zone == "discard" for one in note.puts)
    return msgspec.structs.replace(after, barren=after.barren + 1) if renewed else after


class _Table:
    """A deal while cards of it are put; `puts` says what was put so far."""

    def __init__(self, rules: Rules, state: State, chance: Chance):
        self.rules, self.state, self.chance = rules, state, chance
        self.puts: list[Put] = []

    def put(self, *puts: Put) -> None:
        self.state = put(self.state, puts)
        self.puts += puts

    def can_take(self) -> bool:
        """Whether the reserve has a card, renewed from the discard if need be (TB-13, TB-15)."""
        if not self.state.reserve and self.state.discard and self.state.barren < self.rules.blocked_after:
            discard, reserve = Spot("discard"), Spot("reserve")
            unseen = any(HIDDEN in hand for hand in self.state.hands)
            order = self.state.discard if unseen else self.chance.shuffle(self.state.discard)
            self.put(*[Put(card, discard, reserve) for card in order])
        return bool(self.state.reserve)

    def draw(self, seat: int) -> None:
        if self.can_take():
            self.put(Put(self.state.reserve[TOP], RESERVE_TOP, Spot("hands", seat)))

    def turn_up(self) -> None:
        card = self.state.reserve[TOP]
        if card == HIDDEN:
            whole = pack(self.rules, len(self.state.hands))
            card = turned_up(self.chance, whole, held(self.state), "TB-1")
        self.put(Put(card, RESERVE_TOP, ROW))

    def mix_in(self, card: Card, source: Spot) -> None:
        """Put a card into the reserve at a random place (TB-4); of a reserve that nobody has seen no place is known."""
        reserve = self.state.reserve
        at = mixed_in(self.chance, card, 0, len(reserve) + 1) if reserve and reserve[TOP] != HIDDEN else None
        self.put(Put(card, source, Spot("reserve", at=at)))


def _put_right(table: _Table, remedy: str, told: Told) -> Illegal | None:
    seat, step = told.seat, told.step
    match remedy:
        case "hand_made_right" if seat is not None and told.count is not None:
            return _hand(table, seat, told.count, told)
        case "surplus_to_reserve" if told.count is not None:
            return _drawn_too_many(table, told.count)
        case "row_made_right":
            for card in table.state.row[: ROW_SIZE - 1 : -1]:
                table.put(Put(card, ROW, RESERVE_TOP))
            _complete(table)
        case "clean_up_now":
            _complete(table, tuple(card for card in table.state.row if RANK[card] in SPECIAL))
        case "take_them" if step is not None and isinstance(step.move, Play) and step.move.left:
            return _take(table, step.move.left, step.seat)
        case "draw_now" if seat is not None and step is not None and _forgot(table, step, seat):
            table.draw(seat)
        case "draw_lapses" if seat is not None and step is not None:
            return _never_drawn(table, step, seat)
    return None


def _hand(table: _Table, seat: int, count: int, told: Told) -> Illegal | None:
    dealt = len(told.layout.hands[seat])
    counted = hand_counted(table.state, seat, count, HAND_SIZE, dealt, told.cards, Spot("reserve"), "TB-3")
    if isinstance(counted, Illegal):
        return counted
    puts, short = counted
    for one in puts:
        if one.card == HIDDEN:
            table.put(one)
        else:
            table.mix_in(one.card, one.source)
    for _ in range(short):
        table.draw(seat)
    return None


def _drawn_too_many(table: _Table, count: int) -> Illegal | None:
    """The cards next on the reserve, for the record never let them go, each to a random place below them."""
    reserve = table.state.reserve
    if count > len(reserve):
        return Illegal((Violation("SURPLUS_CARDS", "TB-8", {"given": count, "due": len(reserve)}),))
    if HIDDEN in reserve:
        return None
    for left in reversed(range(count)):
        card = table.state.reserve[TOP]
        at = mixed_in(table.chance, card, left, len(reserve))
        table.put(Put(card, RESERVE_TOP, Spot("reserve", at=at)))
    return None


def _complete(table: _Table, aside: Cards = ()) -> None:
    """Turn cards up until the row has four without those set aside, which then go into the reserve (TB-4, TB-12)."""
    away = list(aside)
    while len(table.state.row) - len(away) < ROW_SIZE and table.can_take():
        table.turn_up()
        if RANK[table.state.row[-1]] in SPECIAL:
            away.append(table.state.row[-1])
    for card in away:
        table.mix_in(card, ROW)


def _take(table: _Table, left: Cards, seat: int) -> Illegal | None:
    absent, _ = surplus(left, table.state.row)
    if absent:
        return Illegal((Violation("CARD_NOT_ON_TABLE", "TB-9", {"cards": absent}),))
    table.put(*[Put(card, ROW, Spot("captured", seat)) for card in left])
    _complete(table)
    return None


def _forgot(table: _Table, step: Step, seat: int) -> bool:
    """Whether the record says that the seat did not make a draw: one of a joker's, or that which a jack imposed."""
    if any(fault.code == "FORCED_DRAW_PENDING" for fault in getattr(step, "irregular", ())):
        return step.seat == seat
    if not isinstance(step.move, Play) or step.move.drew is None:
        return False
    return seat in takers(table.rules, len(table.state.hands), step.seat, False) and seat not in step.move.drew


def _never_drawn(table: _Table, step: Step, seat: int) -> Illegal | None:
    """A card that the record gave a seat after a joker, back on the reserve."""
    drawn = dict(step.effects.draws).get(seat)
    if drawn is None:
        return None
    if drawn not in table.state.hands[seat]:
        return Illegal((Violation("CARD_NOT_IN_HAND", "TB-11", {"card": drawn}),))
    table.put(Put(drawn, Spot("hands", seat), RESERVE_TOP))
    return None
