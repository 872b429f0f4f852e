"""What a Tabu move causes, and the state after it (TB-8 to TB-15)."""

from itertools import chain

import msgspec

from referee.rules.cards import HIDDEN, JOKER, RANK, Card, Cards, hide, played_from, without
from referee.rules.chance import Chance
from referee.rules.tabu.judging import playable
from referee.rules.tabu.layout import pack, turn_up
from referee.rules.tabu.model import ROW_SIZE, Draw, Effects, End, Move, Pass, Play, Rules, State
from referee.rules.unseen import turned_up


class _Supply:
    """Reserve and discard while one move takes cards from them: one renewal at most, the discard is empty then."""

    def __init__(self, rules: Rules, state: State, chance: Chance, discarded: Cards = (), captured: bool = False):
        self.reserve, self.discard = list(state.reserve), state.discard + discarded
        self.barren, self.limit = 0 if captured else state.barren, rules.blocked_after
        self.renewed: tuple[Cards, ...] = ()
        self.blocked = False
        self.chance, self.unseen = chance, any(HIDDEN in hand for hand in state.hands)
        self.pack = pack(rules, len(state.hands))
        self.turned: list[Card] = []

    def card(self) -> Card | None:
        """The next card, from the renewed discard if need be; None when there is none (TB-13) or it blocks (TB-15a)."""
        if not self.reserve and self.discard:
            if self.barren >= self.limit:
                self.blocked = True
                return None
            renewed = self.shuffled(self.discard)
            self.reserve, self.discard = list(renewed), ()
            self.renewed = (renewed,)
        return self.reserve.pop(0) if self.reserve else None

    def open_card(self, lying: Cards) -> Card | None:
        """The next card for the row; one that nobody has seen is told by the table. `lying` are cards open elsewhere."""
        card = self.card()
        if card == HIDDEN:
            card = turned_up(self.chance, self.pack, (*lying, *self.discard, *self.turned), "TB-1")
            self.turned.append(card)
        return card

    def shuffled(self, cards: Cards) -> Cards:
        """The cards in a new order; at a real table nobody knows it, and only their number is kept (rules 5)."""
        return hide(cards) if self.unseen else self.chance.shuffle(cards)


def play(rules: Rules, state: State, seat: int, move: Move, chance: Chance) -> Effects:
    """What a move causes: the card's own effect, the end of the deal, then refill and draws (TB-8 to TB-15).

    After a move out of turn that was let stand, the seat passed over acts next and owes what it owed before.
    """
    if seat == state.turn:
        return _play(rules, state, seat, move, chance)
    effects = _play(rules, msgspec.structs.replace(state, forced=False), seat, move, chance)
    if effects.next is None:
        return effects
    owed = "pending" if state.forced else effects.forced_draw
    return msgspec.structs.replace(effects, next=state.turn, forced_draw=owed)


def _play(rules: Rules, state: State, seat: int, move: Move, chance: Chance) -> Effects:
    following = (seat + 1) % len(state.hands)
    if isinstance(move, Draw):
        return _draw(rules, state, seat, following, chance)
    if not isinstance(move, Play):
        nobody = _is_pass(state, move) and state.passes + 1 == len(state.hands)
        return Effects(None, end="blocked") if nobody else Effects(following)
    if move.card == JOKER:
        return _joker(rules, state, seat, chance)
    rank = RANK[move.card]
    jack = rank == "J"
    gone = tuple(sorted((*(card for card in state.row if jack or RANK[card] == rank), move.card)))
    captured: Cards = () if jack else gone
    discarded: Cards = gone if jack else ()
    if len(state.hands[seat]) == 1:
        return Effects(None, captured=captured, discarded=discarded, end="went_out", out=seat)
    supply = _Supply(rules, state, chance, discarded, captured=not jack)
    lying = (*chain(*state.captured), *captured, *(card for card in state.row if card not in gone))
    turned, aside = turn_up(ROW_SIZE - len(state.row) + len(gone) - 1, lambda: supply.open_card(lying))
    return Effects(
        None if supply.blocked else following,
        captured=captured,
        discarded=discarded,
        turned=turned,
        set_aside=aside,
        reserve_after=supply.shuffled((*supply.reserve, *aside)) if aside else (),
        renewed=supply.renewed,
        # never lapsed here: the jack itself lies in the discard or in the reserve
        forced_draw="pending" if jack and not supply.blocked else None,
        end="blocked" if supply.blocked else None,
    )


def _draw(rules: Rules, state: State, seat: int, following: int, chance: Chance) -> Effects:
    """One card; after a forced draw the turn begins, otherwise it goes on if the card is playable (TB-8, TB-10).

    Where nobody else has seen the card it goes on in any case, until the player plays the card or keeps it.
    """
    supply = _Supply(rules, state, chance)
    drawn = supply.card()
    if drawn is None:
        return Effects(None, forced=state.forced, end="blocked")
    stays = state.forced or drawn == HIDDEN or playable(drawn, state.row)
    return Effects(seat if stays else following, forced=state.forced, drawn=drawn, renewed=supply.renewed)


def _joker(rules: Rules, state: State, seat: int, chance: Chance) -> Effects:
    """A card each from the left round to the player (TB-11); a last joker ends the deal, or brings one (TB-14, B7)."""
    seats = len(state.hands)
    last = len(state.hands[seat]) == 1
    takers = [(seat + step) % seats for step in range(1, seats + (rules.joker_draws == "all"))]
    if last and not (rules.last_joker == "redraws" and seat in takers):
        return Effects(None, discarded=(JOKER,), end="went_out", out=seat)
    supply = _Supply(rules, state, chance, (JOKER,))
    draws = []
    for to in takers:
        if (card := supply.card()) is None:
            break
        draws.append((to, card))
    end: End | None = "blocked" if supply.blocked else "went_out" if last and len(draws) < seats else None
    return Effects(
        None if end else (seat + 1) % seats,
        discarded=(JOKER,),
        renewed=supply.renewed,
        draws=tuple(draws),
        end=end,
        out=seat if end == "went_out" else None,
    )


def outcomes(effects: Effects) -> tuple[Cards, ...]:
    """Results of the shuffles a move caused, in order: renewals, then the cards set aside; none that nobody knows."""
    orders = (*effects.renewed, effects.reserve_after) if effects.set_aside else effects.renewed
    return tuple(order for order in orders if HIDDEN not in order)


def reveals(move: Move, effects: Effects) -> bool:
    """Whether a move showed cards, to the table or to one player, that nobody had seen: drawn, or turned for the row."""
    return effects.drawn is not None or bool(effects.draws or effects.turned)


def seen(move: Move, effects: Effects) -> Cards:
    """The cards that the table saw turned up in a move, in order: those for the row."""
    return effects.turned


def evolve(state: State, seat: int, move: Move, effects: Effects) -> State:
    """The state after a recorded move: applies its facts and asks no rule."""
    hands, row, reserve, captured, drawn = state.hands, state.row, state.reserve, state.captured, None
    discard = () if effects.renewed else state.discard + effects.discarded
    barren = len(effects.renewed) + (0 if effects.captured else state.barren)
    passes = state.passes + 1 if _is_pass(state, move) else 0
    for renewed in effects.renewed:
        reserve += renewed
    if isinstance(move, Play):
        hands = (*hands[:seat], played_from(hands[seat], move.card), *hands[seat + 1 :])
        # a joker leaves the row as it lies, even with another joker in it
        gone = () if move.card == JOKER else effects.captured or effects.discarded
        row = tuple([card for card in row if card not in gone])
        if effects.captured:
            captured = _give(captured, seat, effects.captured)
        if effects.turned:
            row += without(effects.turned, effects.set_aside) if effects.set_aside else effects.turned
            reserve = effects.reserve_after if effects.set_aside else reserve[len(effects.turned) :]
        for to, card in effects.draws:
            hands = _give(hands, to, (card,))
        reserve = reserve[len(effects.draws) :]
    elif effects.drawn is not None:
        hands = _give(hands, seat, (effects.drawn,))
        reserve = reserve[1:]
        if effects.next == seat and not effects.forced:
            drawn = effects.drawn
    forced = effects.forced_draw == "pending"
    return State(
        state.dealer, effects.next, hands, row, reserve, discard, captured, barren, passes, forced, drawn, effects.out
    )


def _is_pass(state: State, move: Move) -> bool:
    """Whether a move counts towards a round of passes: because nothing could be drawn (TB-15b)."""
    return isinstance(move, Pass) and not (state.reserve or state.discard)


def _give(by_seat: tuple[Cards, ...], seat: int, cards: Cards) -> tuple[Cards, ...]:
    return (*by_seat[:seat], by_seat[seat] + cards, *by_seat[seat + 1 :])
