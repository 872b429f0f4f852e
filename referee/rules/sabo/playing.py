"""Who takes a trick, what a Sabo move causes, and the state after it (SB-9 to SB-12)."""

from collections.abc import Callable, Sequence
from typing import Final

from referee.rules.cards import HIDDEN, RANK, SUIT, Card, Cards, played_from
from referee.rules.chance import Chance, Told, WrongOutcome
from referee.rules.puts import Shown
from referee.rules.sabo.layout import pack
from referee.rules.sabo.model import HEIGHT, SENIORITY, Effects, Hand, Move, Place, Played, Rules, State
from referee.rules.sabo.scoring import held
from referee.rules.unseen import turned_up


def suit_first(cards: Cards) -> int:
    """The highest suit, then the highest rank (SB-10)."""
    return max(range(len(cards)), key=lambda at: (SENIORITY[SUIT[cards[at]]], HEIGHT[cards[at]]))


def rank_first(cards: Cards) -> int:
    """The highest rank, the suit breaking ties (S4 b)."""
    return max(range(len(cards)), key=lambda at: (HEIGHT[cards[at]], SENIORITY[SUIT[cards[at]]]))


def led_suit_only(cards: Cards) -> int:
    """The highest card of the led suit (S4 c)."""
    led = SUIT[cards[0]]
    return max(range(len(cards)), key=lambda at: HEIGHT[cards[at]] if SUIT[cards[at]] == led else -1)


def equal_rank_overtakes(cards: Cards) -> int:
    """Each card against the one winning so far: same suit and higher, or same rank and a higher suit (S4 d)."""
    best = 0
    for at, card in enumerate(cards):
        winning = cards[best]
        if SUIT[card] == SUIT[winning]:
            if HEIGHT[card] > HEIGHT[winning]:
                best = at
        elif RANK[card] == RANK[winning] and SENIORITY[SUIT[card]] > SENIORITY[SUIT[winning]]:
            best = at
    return best


TRICK_ORDERS: Final[dict[str, Callable[[Cards], int]]] = {
    "suit_first": suit_first,
    "equal_rank_overtakes": equal_rank_overtakes,
    "led_suit_only": led_suit_only,
    "rank_first": rank_first,
}


def play(rules: Rules, state: State, seat: int, move: Move, chance: Chance) -> Effects:
    """What a move causes, legal or let stand: the card appears, the trick is taken, the deal ends (SB-9 to SB-12)."""
    seats, sabo = len(state.hands), state.sabo[seat]
    card = move.card if isinstance(move, Hand) else sabo[move.place]
    assert card is not None, "a move is judged before it is played"
    if card == HIDDEN:
        card = turned_up(chance, pack(rules, seats), held(state), "SB-2")
    elif isinstance(move, Place) and (seat, move.place) in state.face_up and _told_another(chance, card):
        raise WrongOutcome(f"{card} lies face up there")
    led = state.led or SUIT[card]
    order = (*[shown.seat for shown in state.played], seat)
    if len(order) < seats:
        return Effects(card, state.trick, led, _next(state, seat, order))
    at = TRICK_ORDERS[rules.trick_order]((*[shown.card for shown in state.played], card))
    winner = order[at]
    over = len(state.hands[seat]) + len(sabo) - sabo.count(None) == 1
    return Effects(card, state.trick, led, None if over else winner, winner)


def _told_another(chance: Chance, card: Card) -> bool:
    """Whether the table tells another card than the one that lies face up; it need not be told again."""
    return isinstance(chance, Told) and bool(chance.unseen) and chance.seen() != card


def _next(state: State, seat: int, order: Sequence[int]) -> int | None:
    """Who plays next to a trick to which the seats of `order` have played, `seat` the last: clockwise from a leader, in
    turn or not, whoever has not; a seat that was skipped comes first (rules 4.2)."""
    if state.led is not None and seat != state.turn:
        return state.turn
    seats = len(state.hands)
    return next(at % seats for at in range(seat + 1, seat + seats) if at % seats not in order)


def outcomes(effects: Effects) -> tuple[Cards, ...]:
    """Results of the shuffles a move caused, in order: none in Sabo once the deal is laid out."""
    return ()


def reveals(move: Move, effects: Effects) -> bool:
    """Whether a move showed a card that nobody had seen: a sabo card (SB-5)."""
    return isinstance(move, Place)


def uncovered(seat: int, move: Move, effects: Effects) -> tuple[Shown, ...]:
    """The sabo card that a seat turned up in a move: once withdrawn it lies face up at its place (rules 4.2)."""
    return (Shown(seat, move.place, effects.card),) if isinstance(move, Place) else ()


def seen(move: Move, effects: Effects) -> Cards:
    """The cards that the table saw turned up in a move, in order."""
    return (effects.card,) if isinstance(move, Place) else ()


def evolve(state: State, seat: int, move: Move, effects: Effects) -> State:
    """The state after a recorded move: applies its facts and asks no rule."""
    hands, sabo, looked_at = state.hands, state.sabo, state.looked_at
    if isinstance(move, Hand):
        hands = (*hands[:seat], played_from(hands[seat], move.card), *hands[seat + 1 :])
        shown = Played(effects.card, seat)
    else:
        lay, at = sabo[seat], move.place
        sabo = (*sabo[:seat], (*lay[:at], None, *lay[at + 1 :]), *sabo[seat + 1 :])
        shown = Played(effects.card, seat, at)
        if looked_at and looked_at[seat] == at:
            looked_at = (*looked_at[:seat], None, *looked_at[seat + 1 :])
    played, winner = (*state.played, shown), effects.winner
    if winner is None:
        leader = state.leader if state.played else seat
        return State(
            state.dealer, effects.next, hands, sabo, leader, state.tricks,
            effects.trick, effects.led, played, state.taken, looked_at, state.face_up,
        )  # fmt: skip
    tricks = (*state.tricks[:winner], state.tricks[winner] + 1, *state.tricks[winner + 1 :])
    following = effects.trick if effects.next is None else effects.trick + 1
    taken = (*state.taken, *[shown.card for shown in played])
    return State(
        state.dealer, effects.next, hands, sabo, winner, tricks, following, None, (), taken, looked_at, state.face_up
    )
