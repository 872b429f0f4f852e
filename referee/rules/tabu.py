"""Tabu, clauses TB-1 to TB-18: pairs of a rank out of a row of four, a reserve that is renewed, deals that block.

Tables first, then what a match agrees on, what is laid out, moved and caused, then the rules as plain functions.
"""

from collections.abc import Callable, Iterator
from itertools import chain
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from referee.rules.cards import HIDDEN, JOKER, PACK, RANK, Card, Cards, Sight, surplus, without
from referee.rules.chance import Chance
from referee.rules.target import Tie
from referee.rules.verdict import LEGAL, Illegal, Verdict, Violation

NAME: Final = "tabu"
RULESET: Final = "tabu@1"
SEATS: Final = (2, 20)
DEALER_CLAUSE: Final = "TB-2"
END_CLAUSE: Final = "TB-18"
ONE_PACK: Final[Cards] = (*PACK, JOKER, JOKER)
TWO_PACKS_FROM: Final = 5
HAND_SIZE: Final = 5
ROW_SIZE: Final = 4
SPECIAL: Final = ("J", JOKER)
POINTS: Final = {card: {"K": 12, "Q": 11, "A": 1}.get(RANK[card], 0) for card in ONE_PACK}
LINES: Final = ("captured", "in_hand")
PRESETS: Final[dict[str, dict[str, object]]] = {f"classic-{t}": {"target": t} for t in (100, 150, 200, 300, 400)}


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """House rules of a Tabu match (rules 6); the target has no default (TB-18)."""

    target: Annotated[int, Meta(ge=1, le=1_000_000)]
    must_play: Literal["strict", "matches_only", "free"] = "strict"
    joker_draws: Literal["all", "others"] = "all"
    last_joker: Literal["ends", "redraws"] = "ends"
    blocked_after: Literal[1, 2, 3] = 1
    packs: Literal["by_players", 1, 2] = "by_players"
    deal_limit: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    tie: Tie = "another_deal"


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the row came about: cards turned in order, and the jacks and jokers put back among them (TB-4)."""

    turned: Cards
    set_aside: Cards = ()


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu"):
    """A deal before the first move: hands by seat, the open row, the reserve from the top (TB-3)."""

    hands: tuple[Cards, ...]
    row: Cards
    reserve: Cards
    opening: Opening | None = None


class Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu.play"):
    """A card from hand: a match, a jack or a joker (TB-9 to TB-11)."""

    card: Card


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu.draw"):
    """The top card of the reserve: the draw that a jack imposed, or one in place of a play (TB-8, TB-10)."""


class Keep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu.keep"):
    """The card just drawn stays in hand although it could be played, where the house rules allow it (B3)."""


class Pass(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu.pass"):
    """Nothing to play and nothing to draw: the turn passes (TB-13, TB-15b)."""


End: TypeAlias = Literal["went_out", "blocked"]


class Effects(msgspec.Struct, frozen=True, tag="tabu", omit_defaults=True):
    """What a move caused; `next` is null when the deal is over.

    `forced`: this was the draw that a jack imposed; `drawn`: the card that a Draw brought, null when it blocked the
    deal. `captured` and `discarded` include the played card, sorted. A refill: cards `turned` in order, those of
    them `set_aside`, and the whole `reserve_after` they were shuffled into. `renewed`: each new reserve, complete, at
    its renewal. `draws`: seat and card in order, after a joker. `forced_draw`: what a jack imposes on the next seat.
    """

    next: int | None
    forced: bool = False
    drawn: Card | None = None
    captured: Cards = ()
    discarded: Cards = ()
    turned: Cards = ()
    set_aside: Cards = ()
    reserve_after: Cards = ()
    renewed: tuple[Cards, ...] = ()
    draws: tuple[tuple[int, Card], ...] = ()
    forced_draw: Literal["pending", "lapsed"] | None = None
    end: End | None = None
    out: int | None = None


class State(msgspec.Struct, frozen=True, tag="tabu"):
    """A deal between two moves. Tuples by seat; `turn` is null once the deal is over; reserve from the top.

    `barren` counts renewals since the last capture, `passes` the passes in a row; `forced`: the seat to act owes the
    draw that a jack imposed; `drawn`: the playable card it has just drawn in place of a play; `out` went out.
    """

    dealer: int
    turn: int | None
    hands: tuple[Cards, ...]
    row: Cards
    reserve: Cards
    discard: Cards
    captured: tuple[Cards, ...]
    barren: int = 0
    passes: int = 0
    forced: bool = False
    drawn: Card | None = None
    out: int | None = None


Move: TypeAlias = Play | Draw | Keep | Pass
DRAW: Final = Draw()
KEEP: Final = Keep()
PASS: Final = Pass()


# ---- before the first move


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
    turned, aside = _turn_up(ROW_SIZE, lambda: next(rest, None))
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


def start(dealer: int, layout: Layout) -> State:
    """The state before the first move; the seat after the dealer acts first (TB-5)."""
    seats = len(layout.hands)
    return State(dealer, (dealer + 1) % seats, layout.hands, layout.row, layout.reserve, (), ((),) * seats)


# ---- judging


def judge(rules: Rules, state: State, seat: int, move: Move) -> Verdict:
    """Whether `seat` may make this move now (TB-5 to TB-8, TB-10, TB-13). Every violation is named, the leading first.

    What the turn demands is asked only of the seat whose turn it is.
    """
    if state.turn is None:
        return Illegal((Violation("DEAL_OVER", "TB-14" if state.out is not None else "TB-15"),))
    found = [] if seat == state.turn else [Violation("NOT_YOUR_TURN", "TB-5", {"turn": state.turn})]
    if isinstance(move, Play):
        _play_faults(state, seat, move.card, found)
    elif not found:
        if isinstance(move, Draw):
            _draw_faults(rules, state, state.hands[seat], found)
        else:
            _end_faults(rules, state, state.hands[seat], isinstance(move, Keep), found)
    return Illegal(tuple(found)) if found else LEGAL


def legal_moves(rules: Rules, state: State, card: Card | None = None) -> Iterator[Move]:
    """Every legal move of the seat to act: plays first, a card held twice once; with `card` only those that play it."""
    if state.turn is None:
        return
    hand, can_play = state.hands[state.turn], False
    if not _owes_draw(state):
        for held_card in dict.fromkeys(hand) if state.drawn is None else (state.drawn,):
            if _playable(held_card, state.row):
                can_play = True
                if card is None or card == held_card:
                    yield Play(held_card)
    if card is not None:
        return
    if state.drawn is not None:
        if _may_keep(rules, state.drawn):
            yield KEEP
    elif not _can_draw(state):
        if not can_play:
            yield PASS
    elif state.forced or not _must_play(rules, hand, state.row):
        yield DRAW


def _playable(card: Card, row: Cards) -> bool:
    """Whether the card may be put down: a jack, a joker, or the rank of a row card (TB-6)."""
    rank = RANK.get(card, HIDDEN)
    return rank in SPECIAL or rank in map(RANK.__getitem__, row)


def _must_play(rules: Rules, hand: Cards, row: Cards) -> bool:
    """Whether the hand holds a card that forbids drawing instead (TB-7, B3)."""
    if rules.must_play == "free":
        return False
    ranks = {RANK[card] for card in row}
    if rules.must_play == "strict":
        ranks.update(SPECIAL)
    return not ranks.isdisjoint(map(RANK.__getitem__, hand))


def _may_keep(rules: Rules, drawn: Card) -> bool:
    """Whether a playable card just drawn may stay in hand (TB-8, B3)."""
    return rules.must_play == "free" or (rules.must_play == "matches_only" and RANK[drawn] in SPECIAL)


def _can_draw(state: State) -> bool:
    """Whether a draw can be asked for; one that needs a barren renewal can, and blocks the deal (TB-13, TB-15a)."""
    return bool(state.reserve or state.discard)


def _owes_draw(state: State) -> bool:
    """Whether a jack's forced draw comes first; it lapses when nothing can be drawn (TB-10, B17)."""
    return state.forced and _can_draw(state)


def _play_faults(state: State, seat: int, card: Card, found: list[Violation]) -> None:
    if card not in state.hands[seat]:
        found.append(Violation("CARD_NOT_IN_HAND", "TB-7", {"card": card}))
    if seat == state.turn and _owes_draw(state):
        found.append(Violation("FORCED_DRAW_PENDING", "TB-10"))
    if not _playable(card, state.row):
        found.append(Violation("NO_MATCH", "TB-6", {"card": card, "row": state.row}))
    if seat == state.turn and state.drawn is not None and card != state.drawn:
        found.append(Violation("MUST_PLAY", "TB-8"))


def _draw_faults(rules: Rules, state: State, hand: Cards, found: list[Violation]) -> None:
    """Why the seat to act may not draw."""
    if _owes_draw(state):
        return
    if state.drawn is not None:
        found.append(Violation("DRAW_NOT_ALLOWED", "TB-8"))
        if not _may_keep(rules, state.drawn):
            found.append(Violation("MUST_PLAY", "TB-8"))
    elif _must_play(rules, hand, state.row):
        found += (Violation("DRAW_NOT_ALLOWED", "TB-7"), Violation("MUST_PLAY", "TB-7"))
    if not _can_draw(state):
        found.append(Violation("NOTHING_TO_DRAW", "TB-13"))


def _end_faults(rules: Rules, state: State, hand: Cards, keeps: bool, found: list[Violation]) -> None:
    """Why the seat to act may not end its turn without a play: by keeping the drawn card, or by passing."""
    if _owes_draw(state):
        found.append(Violation("FORCED_DRAW_PENDING", "TB-10"))
    elif state.drawn is not None:
        if keeps and _may_keep(rules, state.drawn):
            return
        found.append(Violation("MUST_PLAY", "TB-8"))
        if keeps:
            found.append(Violation("DRAW_NOT_ALLOWED", "TB-8"))
    elif any(_playable(card, state.row) for card in hand):
        found.append(Violation("MUST_PLAY", "TB-7"))
    elif _can_draw(state):
        found.append(Violation("MUST_DRAW", "TB-8"))
    elif keeps:
        found.append(Violation("NOTHING_TO_DRAW", "TB-13"))


# ---- playing


class _Supply:
    """Reserve and discard while one move takes cards from them: one renewal at most, the discard is empty then."""

    def __init__(self, rules: Rules, state: State, chance: Chance, discarded: Cards = (), captured: bool = False):
        self.reserve, self.discard = list(state.reserve), state.discard + discarded
        self.barren, self.limit = 0 if captured else state.barren, rules.blocked_after
        self.renewed: tuple[Cards, ...] = ()
        self.blocked = False
        self.chance = chance

    def card(self) -> Card | None:
        """The next card, from the renewed discard if need be; None when there is none (TB-13) or it blocks (TB-15a)."""
        if not self.reserve and self.discard:
            if self.barren >= self.limit:
                self.blocked = True
                return None
            renewed = self.chance.shuffle(self.discard)
            self.reserve, self.discard = list(renewed), ()
            self.renewed = (renewed,)
        return self.reserve.pop(0) if self.reserve else None


def play(rules: Rules, state: State, seat: int, move: Move, chance: Chance) -> Effects:
    """What a legal move causes: the card's own effect, the end of the deal, then refill and draws (TB-8 to TB-15)."""
    following = (seat + 1) % len(state.hands)
    if isinstance(move, Draw):
        return _draw(rules, state, seat, following, chance)
    if not isinstance(move, Play):
        nobody = isinstance(move, Pass) and state.passes + 1 == len(state.hands)
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
    turned, aside = _turn_up(ROW_SIZE - len(state.row) + len(gone) - 1, supply.card)
    return Effects(
        None if supply.blocked else following,
        captured=captured,
        discarded=discarded,
        turned=turned,
        set_aside=aside,
        reserve_after=chance.shuffle((*supply.reserve, *aside)) if aside else (),
        renewed=supply.renewed,
        # never lapsed here: the jack itself lies in the discard or in the reserve
        forced_draw="pending" if jack and not supply.blocked else None,
        end="blocked" if supply.blocked else None,
    )


def _draw(rules: Rules, state: State, seat: int, following: int, chance: Chance) -> Effects:
    """One card; after a forced draw the turn begins, otherwise it goes on if the card is playable (TB-8, TB-10)."""
    supply = _Supply(rules, state, chance)
    drawn = supply.card()
    if drawn is None:
        return Effects(None, forced=state.forced, end="blocked")
    stays = state.forced or _playable(drawn, state.row)
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


def _turn_up(places: int, next_card: Callable[[], Card | None]) -> tuple[Cards, Cards]:
    """Cards turned until `places` are filled or none comes, and the jacks and jokers among them (TB-4, TB-12)."""
    turned: list[Card] = []
    aside: list[Card] = []
    while len(turned) - len(aside) < places and (card := next_card()) is not None:
        turned.append(card)
        if RANK[card] in SPECIAL:
            aside.append(card)
    return tuple(turned), tuple(aside)


def outcomes(effects: Effects) -> tuple[Cards, ...]:
    """Results of the shuffles a move caused, in order: renewals, then the cards set aside."""
    return (*effects.renewed, effects.reserve_after) if effects.set_aside else effects.renewed


def evolve(state: State, seat: int, move: Move, effects: Effects) -> State:
    """The state after a recorded move: applies its facts and asks no rule."""
    hands, row, reserve, captured, drawn = state.hands, state.row, state.reserve, state.captured, None
    discard = () if effects.renewed else state.discard + effects.discarded
    barren = len(effects.renewed) + (0 if effects.captured else state.barren)
    passes = state.passes + 1 if isinstance(move, Pass) else 0
    for renewed in effects.renewed:
        reserve += renewed
    if isinstance(move, Play):
        hand = hands[seat]
        place = hand.index(move.card)
        hands = (*hands[:seat], hand[:place] + hand[place + 1 :], *hands[seat + 1 :])
        gone = effects.captured or effects.discarded
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


def score(rules: Rules, state: State) -> tuple[dict[str, int], ...]:
    """Points of a finished deal by seat, a line each of `LINES` (TB-16, TB-17); whoever went out holds no card."""
    captured = [sum(POINTS[card] for card in pile) for pile in state.captured]
    in_hand = [-sum(POINTS[card] for card in hand) for hand in state.hands]
    return tuple(dict(zip(LINES, points, strict=True)) for points in zip(captured, in_hand, strict=True))


def held(state: State) -> Cards:
    """Every card of the deal wherever it lies: what must always be the pack (rules 5)."""
    return tuple(chain(*state.hands, state.row, state.reserve, state.discard, *state.captured))


# ---- what a reader may see


def hide_layout(layout: Layout, sight: Sight) -> Layout:
    """The layout with other hands and the reserve as `?`; the row and the cards set aside were open."""
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(layout.hands))
    return Layout(hands, layout.row, sight.hidden(layout.reserve), layout.opening)


def hide_effects(effects: Effects, seat: int, sight: Sight) -> Effects:
    """The effects of `seat`'s move with other players' drawn cards and every order of the reserve as `?`."""
    return msgspec.structs.replace(
        effects,
        drawn=effects.drawn and sight.of(seat, (effects.drawn,))[0],
        reserve_after=sight.hidden(effects.reserve_after),
        renewed=tuple(sight.hidden(order) for order in effects.renewed),
        draws=tuple((to, sight.of(to, (card,))[0]) for to, card in effects.draws),
    )


def hide_state(state: State, sight: Sight) -> State:
    """The state with other hands and the reserve as `?`; row, discard and captures were open."""
    drawn = state.drawn
    if drawn is not None and state.turn is not None:
        drawn = sight.of(state.turn, (drawn,))[0]
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(state.hands))
    return msgspec.structs.replace(state, hands=hands, reserve=sight.hidden(state.reserve), drawn=drawn)


def _give(by_seat: tuple[Cards, ...], seat: int, cards: Cards) -> tuple[Cards, ...]:
    return (*by_seat[:seat], by_seat[seat] + cards, *by_seat[seat + 1 :])
