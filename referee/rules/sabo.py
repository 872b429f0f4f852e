"""Sabo, clauses SB-1 to SB-13: tricks in which a higher suit beats, and face-down cards that nobody knows.

Tables first, then what a match agrees on, what is laid out, moved and caused, then the rules as plain functions.
A card that lies face down is named by its place only, until the effects of the move show it.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from referee.rules.cards import HIDDEN, PACK, RANK, SUIT, Card, Cards, Sight, surplus
from referee.rules.chance import Chance
from referee.rules.target import Tie
from referee.rules.verdict import LEGAL, Illegal, Verdict, Violation

NAME: Final = "sabo"
RULESET: Final = "sabo@1"
DEALER_CLAUSE: Final = "SB-4"
END_CLAUSE: Final = "SB-13"
SEATS: Final = (2, 5)
HAND_SIZE: Final = 8
SABO_SIZE: Final = {2: 5, 3: 5, 4: 5, 5: 2}
LINES: Final = ("tricks", "penalty")
PENALTY: Final = {"none": 0, "one": 1, "three": 3}

LOW_TO_HIGH: Final = ("K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2", "A")
SENIORITY: Final = {"S": 0, "H": 1, "D": 2, "C": 3}
HEIGHT: Final = {card: LOW_TO_HIGH.index(RANK[card]) for card in PACK}


def _less(ranks: tuple[str, ...], cards: Cards) -> Cards:
    return tuple(card for card in PACK if RANK[card] not in ranks and card not in cards)


PACKS: Final[dict[int, Cards]] = {
    2: tuple(card for card in PACK if SUIT[card] in "DC"),
    3: _less(("K", "Q", "J"), ("10S",)),
    4: PACK,
    5: _less((), ("KS", "KH")),
}
SHORT_RANKS: Final = _less(("K", "Q", "J", "10", "9", "8"), ("7H", "7S"))


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """House rules of a Sabo match (rules 6)."""

    target: Annotated[int, Meta(ge=1, le=1_000_000)] = 50
    trick_order: Literal["suit_first", "equal_rank_overtakes", "led_suit_only", "rank_first"] = "suit_first"
    discard_low: Literal["per_suit", "overall", "any"] = "per_suit"
    lead_from_sabo: Literal["any_time", "empty_hand_only"] = "any_time"
    senior_suit: Literal["above_led", "clubs_only"] = "above_led"
    two_player_pack: Literal["two_suits", "short_ranks"] = "two_suits"
    revoke_penalty: Literal["none", "one", "three"] = "none"
    tie: Tie = "another_deal"


PRESETS: Final[dict[str, dict[str, object]]] = {
    "classic": {},
    "clogs": {"trick_order": "equal_rank_overtakes", "discard_low": "any", "two_player_pack": "short_ranks"},
}


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="sabo"):
    """A deal before the first move: hands by seat, and by seat the face-down sabo by place (SB-2, SB-5)."""

    hands: tuple[Cards, ...]
    sabo: tuple[Cards, ...]


class Hand(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="sabo.hand"):
    """A card from hand (SB-6 to SB-8)."""

    card: Card


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="sabo.place"):
    """The sabo card that lies at a place, counted from 0; whoever plays it has not seen it (SB-5)."""

    place: Annotated[int, Meta(ge=0)]


Move: TypeAlias = Hand | Place


class Effects(msgspec.Struct, frozen=True, tag="sabo", omit_defaults=True):
    """What a move caused: the card that appeared, the trick's number from 1 and its led suit; the seat that took the
    trick once it is complete; `next` is null when the deal is over."""

    card: Card
    trick: int
    led: str
    next: int | None
    winner: int | None = None


class Played(msgspec.Struct, frozen=True):
    """A card of the current trick; `place` is where it lay among the sabo, null when it came from hand."""

    card: Card
    place: int | None = None


class State(msgspec.Struct, frozen=True, tag="sabo"):
    """A deal between two moves. Tuples by seat; `turn` is null once the deal is over; a used sabo place is null.

    `trick` counts from 1; `played` are its cards in order from `leader` on; `led` is null before the lead; `tricks`
    are those taken by each seat; `taken` all cards of the tricks that are complete.
    """

    dealer: int
    turn: int | None
    hands: tuple[Cards, ...]
    sabo: tuple[tuple[Card | None, ...], ...]
    leader: int
    tricks: tuple[int, ...]
    trick: int = 1
    led: str | None = None
    played: tuple[Played, ...] = ()
    taken: Cards = ()


# ---- before the first move


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


def start(dealer: int, layout: Layout) -> State:
    """The state before the first move; the seat after the dealer leads (SB-4)."""
    seats = len(layout.hands)
    first = (dealer + 1) % seats
    return State(dealer, first, layout.hands, layout.sabo, first, (0,) * seats)


# ---- judging


def judge(rules: Rules, state: State, seat: int, move: Move) -> Verdict:
    """Whether `seat` may make this move now (SB-4 to SB-8). Every violation is named, in the order of the clauses.

    Duties of the trick bind only the seat to act. What is said of a sabo place never depends on the card there.
    """
    if state.turn is None:
        return Illegal((Violation("DEAL_OVER", "SB-12"),))
    hand = state.hands[seat]
    found = []
    if seat != state.turn:
        found.append(Violation("NOT_YOUR_TURN", "SB-4", {"turn": state.turn}))
    if isinstance(move, Hand):
        if move.card not in hand:
            found.append(Violation("CARD_NOT_IN_HAND", "SB-6", {"card": move.card}))
        if seat == state.turn and move.card not in playable(rules, hand, state.led):
            found += _card_faults(rules, hand, state.led, move.card)
    else:
        found += _place_faults(state.sabo[seat], move.place)
        if seat == state.turn and not sabo_allowed(rules, hand, state.led):
            found += _sabo_faults(hand, state.led, move.place)
    return Illegal(tuple(found)) if found else LEGAL


def legal_moves(rules: Rules, state: State, card: Card | None = None) -> Iterator[Move]:
    """Every legal move of the seat to act: cards from hand, then sabo places.

    With `card` only playing it from hand: of a sabo place nobody may learn which card it holds.
    """
    if (seat := state.turn) is None:
        return
    hand = state.hands[seat]
    for may in playable(rules, hand, state.led):
        if card is None or may == card:
            yield Hand(may)
    if card is None and sabo_allowed(rules, hand, state.led):
        for place, lies in enumerate(state.sabo[seat]):
            if lies is not None:
                yield Place(place)


def playable(rules: Rules, hand: Cards, led: str | None) -> Cards:
    """The cards of `hand` that may be led (`led` null) or played to a trick of suit `led` (SB-6 to SB-8)."""
    if led is None:
        return hand
    if follows := _of_suit(hand, led):
        return follows
    if rules.discard_low == "any" or not hand:
        return hand
    lowest = _lowest(rules, hand)
    if rules.senior_suit == "clubs_only":
        return tuple([card for card in hand if card in lowest or SUIT[card] == "C"])
    above = SENIORITY[led]
    return tuple([card for card in hand if card in lowest or SENIORITY[SUIT[card]] > above])


def sabo_allowed(rules: Rules, hand: Cards, led: str | None) -> bool:
    """Whether a sabo card may be used beside this hand (SB-6 to SB-8, S3)."""
    if led is None:
        return not hand or rules.lead_from_sabo == "any_time"
    return not _of_suit(hand, led)


def _of_suit(hand: Cards, suit: str) -> Cards:
    return tuple([card for card in hand if SUIT[card] == suit])


def _lowest(rules: Rules, hand: Cards) -> Cards:
    """What option 1 of a void player offers: the lowest card of each suit, or the lowest of all (SB-8, S5)."""
    by_height = sorted(hand, key=HEIGHT.__getitem__)
    if rules.discard_low == "overall":
        return tuple([card for card in by_height if HEIGHT[card] == HEIGHT[by_height[0]]])
    return tuple({SUIT[card]: card for card in reversed(by_height)}.values())


def _card_faults(rules: Rules, hand: Cards, led: str | None, card: Card) -> list[Violation]:
    """What else is wrong with a card that is not among the playable ones (SB-6 to SB-8)."""
    if led is None:
        return [] if hand else [Violation("MUST_LEAD_SABO", "SB-6")]
    if follows := _of_suit(hand, led):
        return [] if SUIT.get(card) == led else [_must_follow(led, follows)]
    if card not in hand:
        return []
    lowest = _lowest(rules, hand)
    if rules.discard_low == "per_suit":
        lowest = _of_suit(lowest, SUIT[card])
    return [Violation("NOT_LOWEST_OF_SUIT", "SB-8", {"card": card, "led": led, "lowest": lowest})]


def _place_faults(sabo: tuple[Card | None, ...], place: int) -> list[Violation]:
    """Whether no card lies at the place, and whether one did (SB-5)."""
    used = place < len(sabo) and sabo[place] is None
    if place < len(sabo) and not used:
        return []
    left = tuple(other for other, card in enumerate(sabo) if card is not None)
    found = [Violation("SABO_POSITION_EMPTY", "SB-5", {"place": place, "places": left})]
    if used:
        found.append(Violation("CARD_ALREADY_PLAYED", "SB-5", {"place": place}))
    return found


def _sabo_faults(hand: Cards, led: str | None, place: int) -> list[Violation]:
    """Why no sabo card may be used: the suit is held, or there is a hand to lead from (SB-7, S3; rules 0.7)."""
    if led is None:
        return [Violation("SABO_NOT_ALLOWED", "SB-6", {"place": place, "led": None, "cards": hand})]
    follows = _of_suit(hand, led)
    not_allowed = Violation("SABO_NOT_ALLOWED", "SB-7", {"place": place, "led": led, "cards": follows})
    return [not_allowed, _must_follow(led, follows)]


def _must_follow(led: str, follows: Cards) -> Violation:
    return Violation("MUST_FOLLOW_SUIT", "SB-7", {"led": led, "cards": follows})


# ---- who takes a trick: from its cards in order, the place of the winning one


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


# ---- playing


def play(rules: Rules, state: State, seat: int, move: Move, chance: Chance) -> Effects:
    """What a legal move causes: the card appears, the trick is taken, the deal ends (SB-9 to SB-12)."""
    seats, sabo = len(state.hands), state.sabo[seat]
    card = move.card if isinstance(move, Hand) else sabo[move.place]
    assert card is not None, "a move is judged before it is played"
    led = state.led or SUIT[card]
    if len(state.played) + 1 < seats:
        return Effects(card, state.trick, led, (seat + 1) % seats)
    at = TRICK_ORDERS[rules.trick_order]((*[shown.card for shown in state.played], card))
    winner = (state.leader + at) % seats
    over = len(state.hands[seat]) + len(sabo) - sabo.count(None) == 1
    return Effects(card, state.trick, led, None if over else winner, winner)


def outcomes(effects: Effects) -> tuple[Cards, ...]:
    """Results of the shuffles a move caused, in order: none in Sabo once the deal is laid out."""
    return ()


def evolve(state: State, seat: int, move: Move, effects: Effects) -> State:
    """The state after a recorded move: applies its facts and asks no rule."""
    hands, sabo = state.hands, state.sabo
    if isinstance(move, Hand):
        hand = hands[seat]
        at = hand.index(move.card)
        hands = (*hands[:seat], hand[:at] + hand[at + 1 :], *hands[seat + 1 :])
        shown = Played(effects.card)
    else:
        lay, at = sabo[seat], move.place
        sabo = (*sabo[:seat], (*lay[:at], None, *lay[at + 1 :]), *sabo[seat + 1 :])
        shown = Played(effects.card, at)
    played, winner = (*state.played, shown), effects.winner
    if winner is None:
        return State(
            state.dealer, effects.next, hands, sabo, state.leader, state.tricks,
            effects.trick, effects.led, played, state.taken,
        )  # fmt: skip
    tricks = (*state.tricks[:winner], state.tricks[winner] + 1, *state.tricks[winner + 1 :])
    following = effects.trick if effects.next is None else effects.trick + 1
    taken = (*state.taken, *[shown.card for shown in played])
    return State(state.dealer, effects.next, hands, sabo, winner, tricks, following, None, (), taken)


def score(rules: Rules, state: State) -> tuple[dict[str, int], ...]:
    """Points of a finished deal by seat, a line each of `LINES`: one a trick, no penalty yet (SB-13)."""
    return tuple({"tricks": tricks, "penalty": 0} for tricks in state.tricks)


def penalise(
    rules: Rules, lines: Sequence[dict[str, int]], faults_by_seat: Sequence[int]
) -> tuple[dict[str, int], ...]:  # fmt: skip
    """The lines of `score` with what proven faults cost: off the offender, not below 0, given to nobody (rules 4.2).

    `faults_by_seat` counts plays at fault; each play is one fault, however many rules it breaks (rules 0.7).
    """
    price = PENALTY[rules.revoke_penalty]
    return tuple(
        line | {"penalty": -min(line["tricks"], price * faults)}
        for line, faults in zip(lines, faults_by_seat, strict=True)
    )


def held(state: State) -> Cards:
    """Every card of the deal wherever it lies: what must always be the pack (rules 5)."""
    face_down = (card for sabo in state.sabo for card in sabo if card is not None)
    shown = (played.card for played in state.played)
    return (*(card for hand in state.hands for card in hand), *face_down, *shown, *state.taken)


# ---- what a reader may see


def hide_layout(layout: Layout, sight: Sight) -> Layout:
    """The layout with other hands as `?`, and every sabo card too: its owner knows it no better (SB-5)."""
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(layout.hands))
    return Layout(hands, tuple(sight.hidden(sabo) for sabo in layout.sabo))


def hide_effects(effects: Effects, seat: int, sight: Sight) -> Effects:
    """The effects of `seat`'s move: everything a move causes in Sabo lies open (SB-9)."""
    return effects


def hide_state(state: State, sight: Sight) -> State:
    """The state with other hands and all face-down sabo as `?`; a used place stays null (SB-5)."""
    if sight.everything:
        return state
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(state.hands))
    sabo = tuple(tuple(None if card is None else HIDDEN for card in cards) for cards in state.sabo)
    return msgspec.structs.replace(state, hands=hands, sabo=sabo)
