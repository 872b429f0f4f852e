"""Whether a Sabo move may be made, and which may (SB-4 to SB-8)."""

from collections.abc import Iterator

from referee.rules.cards import HIDDEN, PACK, SUIT, Card, Cards
from referee.rules.sabo.layout import pack
from referee.rules.sabo.model import CAN_STAND, HEIGHT, SENIORITY, Hand, Move, Place, Rules, State
from referee.rules.sabo.scoring import held
from referee.rules.unseen import not_in_hand
from referee.rules.verdict import LEGAL, Claim, Illegal, Undecided, Verdict, Violation


def judge(rules: Rules, state: State, seat: int, move: Move) -> Verdict:
    """Whether `seat` may make this move now (SB-4 to SB-8). Every violation is named, in the order of the clauses.

    Duties of the trick bind whoever has not yet played to it, in turn or not; of a hand that nobody has seen they are
    claims. What is said of a sabo place never depends on the card there.
    """
    if state.turn is None:
        return Illegal((Violation("DEAL_OVER", "SB-12"),))
    hand = state.hands[seat]
    if HIDDEN in hand:
        return _judge_unseen(rules, state, seat, move)
    found, bound = _not_in_turn(state, seat), not _has_played(state, seat)
    if isinstance(move, Hand):
        if move.card not in hand:
            found.append(Violation("CARD_NOT_IN_HAND", "SB-6", {"card": move.card}))
        if bound and move.card not in playable(rules, hand, state.led):
            found += _card_faults(rules, hand, state.led, move.card)
    else:
        found += _place_faults(state.sabo[seat], move.place)
        found += _not_looked_at(state, seat, move.place)
        if bound and not sabo_allowed(rules, hand, state.led):
            found += _sabo_faults(hand, state.led, move.place)
    found += [] if bound else [_second()]
    return Illegal(tuple(found)) if found else LEGAL


def _judge_unseen(rules: Rules, state: State, seat: int, move: Move) -> Verdict:
    """What can be said of a move from a hand that nobody has seen; the rest are claims (SB-7, SB-8; rules 5)."""
    seats, bound = len(state.hands), not _has_played(state, seat)
    found = _not_in_turn(state, seat)
    if isinstance(move, Place):
        found += _place_faults(state.sabo[seat], move.place) + _not_looked_at(state, seat, move.place)
        if state.led is None and rules.lead_from_sabo == "empty_hand_only":
            found.append(Violation("SABO_NOT_ALLOWED", "SB-6", {"place": move.place, "led": None, "cards": ()}))
    elif move.card not in state.hands[seat]:
        found += not_in_hand(move.card, state.hands, seat, pack(rules, seats), held(state), ("SB-6", "SB-2"))
    found += [] if bound else [_second()]
    if not CAN_STAND.issuperset(fault.code for fault in found):
        return Illegal(tuple(found))
    claims = claims_of(rules, seat, state.led, move.card if isinstance(move, Hand) else None)
    if found:
        return Illegal(tuple(found), claims)
    return Undecided(claims) if claims else LEGAL


def _not_in_turn(state: State, seat: int) -> list[Violation]:
    return [] if seat == state.turn else [Violation("NOT_YOUR_TURN", "SB-4", {"turn": state.turn})]


def _has_played(state: State, seat: int) -> bool:
    return any(shown.seat == seat for shown in state.played)


def _second() -> Violation:
    """A trick has one card from each player, so a second one belongs to none (SB-11)."""
    return Violation("PLAYED_TO_TRICK", "SB-11")


def claims_of(rules: Rules, seat: int, led: str | None, card: Card | None) -> tuple[Claim, ...]:
    """What `seat` takes for granted by playing `card` from hand, or a sabo card (null), to a trick of suit `led`."""
    if led is None or (card is not None and SUIT[card] == led):
        return ()
    void = Claim("NO_LED_SUIT_HELD", "SB-7", seat, {"led": led})
    if card is None or rules.discard_low == "any" or _senior(rules, card, led):
        return (void,)
    return void, Claim("LOWEST_OF_SUIT", "SB-8", seat, {"card": card, "led": led})


def convicting(rules: Rules, claim: Claim) -> frozenset[Card]:
    """The cards any one of which, in hand then, makes the claim false. A lower card of the led suit is no lower card:
    holding it is the other fault."""
    led, card = claim.params["led"], claim.params.get("card")
    if card is None:
        return frozenset(other for other in PACK if SUIT[other] == led)
    return frozenset(
        other
        for other in PACK
        if HEIGHT[other] < HEIGHT[card]
        and SUIT[other] != led
        and (rules.discard_low == "overall" or SUIT[other] == SUIT[card])
    )


def breaks(rules: Rules, state: State, claim: Claim) -> bool:
    """Whether the known hand in `state`, in which the claim was made, makes it false."""
    return not convicting(rules, claim).isdisjoint(state.hands[claim.seat])


def _senior(rules: Rules, card: Card, led: str) -> bool:
    """Whether option 3 of a void player covers the card (SB-8, S6)."""
    return SUIT[card] == "C" if rules.senior_suit == "clubs_only" else SENIORITY[SUIT[card]] > SENIORITY[led]


def legal_moves(rules: Rules, state: State, card: Card | None = None) -> Iterator[Move]:
    """Every legal move of the seat to act: cards from hand, then sabo places.

    With `card` only playing it from hand: of a sabo place nobody may learn which card it holds. From a hand that nobody
    has seen no card is listed: only the places, or with `card` playing it if it can be there.
    """
    if (seat := state.turn) is None:
        return
    hand = state.hands[seat]
    if HIDDEN in hand:
        moves: list[Move] = [Place(at) for at in range(len(state.sabo[seat]))] if card is None else [Hand(card)]
        yield from (move for move in moves if not isinstance(judge(rules, state, seat, move), Illegal))
        return
    for may in playable(rules, hand, state.led):
        if card is None or may == card:
            yield Hand(may)
    if card is None and sabo_allowed(rules, hand, state.led):
        for place, lies in enumerate(state.sabo[seat]):
            if lies is not None and not _not_looked_at(state, seat, place):
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


def _not_looked_at(state: State, seat: int, place: int) -> list[Violation]:
    """Whether another sabo card comes first: one that the seat looked at, when it does not lead (rules 4.2)."""
    first = state.looked_at[seat] if state.looked_at else None
    if first is None or first == place or state.led is None:
        return []
    return [Violation("SABO_LOOKED_AT", "SB-8", {"first": first})]


def _sabo_faults(hand: Cards, led: str | None, place: int) -> list[Violation]:
    """Why no sabo card may be used: the suit is held, or there is a hand to lead from (SB-7, S3; rules 0.7)."""
    if led is None:
        return [Violation("SABO_NOT_ALLOWED", "SB-6", {"place": place, "led": None, "cards": hand})]
    follows = _of_suit(hand, led)
    not_allowed = Violation("SABO_NOT_ALLOWED", "SB-7", {"place": place, "led": led, "cards": follows})
    return [not_allowed, _must_follow(led, follows)]


def _must_follow(led: str, follows: Cards) -> Violation:
    return Violation("MUST_FOLLOW_SUIT", "SB-7", {"led": led, "cards": follows})
