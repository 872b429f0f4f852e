"""What a Tablanet move causes, and the state after it (TN-13 to TN-17)."""

from typing import Any

from referee.rules.cards import Cards, played_from, without
from referee.rules.chance import Chance
from referee.rules.puts import Shown
from referee.rules.tablanet.captures import bonus_of
from referee.rules.tablanet.layout import batch, next_holder
from referee.rules.tablanet.model import Effects, Leftovers, Play, Rules, State


def play(rules: Rules, state: State, seat: int, move: Play, chance: Chance) -> Effects:
    """What a legal move causes: capture, tablanet, the next batch, the end of the deal (TN-13 to TN-17)."""
    seats = len(state.hands)
    captured = tuple(sorted((*move.captures, move.card))) if move.captures else ()
    tablanet = bool(captured) and len(captured) == len(state.table) + 1
    bonus = bonus_of(rules, move) if tablanet else 0
    following = _following(state, seat)
    if len(state.hands[seat]) > 1 or any(hand for other, hand in enumerate(state.hands) if other != seat):
        return Effects(following, captured, tablanet, bonus)
    if state.stock:
        hands, _ = batch(state.stock, seats, state.dealer)
        return Effects(next_holder(hands, seat), captured, tablanet, bonus, batch=hands)
    to = seat if captured else state.last_capturer
    left = () if tablanet else without(state.table, move.captures) if captured else (*state.table, move.card)
    leftovers = Leftovers(to, tuple(sorted(left))) if left and to is not None else None
    return Effects(None, captured, tablanet, bonus, leftovers=leftovers)


def _following(state: State, seat: int) -> int:
    """The seat to act once `seat` has played a card: the next that has one (TN-7).

    After a card played out of turn that was let stand, the seat passed over is still to act.
    """
    seats = len(state.hands)
    if seat != state.turn and state.turn is not None:
        return state.turn
    if state.hands[(seat + 1) % seats]:
        return (seat + 1) % seats
    others = [(seat + step) % seats for step in range(1, seats)]
    return next((other for other in others if state.hands[other]), seat if len(state.hands[seat]) > 1 else others[0])


def outcomes(effects: Effects) -> tuple[Cards, ...]:
    """Results of the shuffles a move caused, in order: none in Tablanet once the deal is laid out."""
    return ()


def reveals(move: Play, effects: Effects) -> bool:
    """Whether a move showed cards that nobody, or one player only, had seen: the next batch was dealt (TN-16)."""
    return effects.batch is not None


def uncovered(seat: int, move: Play, effects: Effects) -> tuple[Shown, ...]:
    """Face-down cards of its own that a seat turned up in a move: there are none."""
    return ()


def seen(move: Play, effects: Effects) -> Cards:
    """The cards that the table saw turned up in a move: none once the deal is laid out."""
    return ()


def evolve(state: State, seat: int, move: Play, effects: Effects) -> State:
    """The state after a recorded move: applies its facts and asks no rule."""
    hands, stock = effects.batch, state.stock
    if hands is None:
        hands = (*state.hands[:seat], played_from(state.hands[seat], move.card), *state.hands[seat + 1 :])
    else:
        stock = stock[sum(map(len, hands)) :]
    piles, tablanets, bonuses, last = state.piles, state.tablanets, state.bonuses, state.last_capturer
    if effects.captured:
        taken = move.captures
        table = tuple([card for card in state.table if card not in taken])
        piles = _add(piles, seat, effects.captured)
        last = seat
        if effects.tablanet:
            tablanets = _add(tablanets, seat, 1)
            bonuses = _add(bonuses, seat, effects.bonus)
    else:
        table = (*state.table, move.card)
    if effects.leftovers:
        piles = _add(piles, effects.leftovers.to, effects.leftovers.cards)
        table = ()
    return State(state.dealer, effects.next, hands, table, stock, piles, tablanets, bonuses, last)


def _add(by_seat: tuple[Any, ...], seat: int, gain: Any) -> tuple[Any, ...]:
    return (*by_seat[:seat], by_seat[seat] + gain, *by_seat[seat + 1 :])
