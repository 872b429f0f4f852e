"""Faults of Sabo that the public record proves: revokes, discards that were not the lowest, sabo used while holding
the suit (SB-7, SB-8; rules 5).

Hands are never replenished and every hand card is shown in the end, so whatever a player held at a fault surfaces.
Nothing is inferred from the assumption that other plays were legal.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple, TypeAlias

import msgspec

from referee.rules.cards import PACK, SUIT, Card
from referee.rules.sabo import HAND_SIZE, HEIGHT, SENIORITY, Rules, pack

Kind: TypeAlias = Literal["revoke", "not_lowest", "sabo_while_holding"]


class Show(NamedTuple):
    """A card as the table saw it: who showed it, and whether it came from the sabo."""

    seat: int
    card: Card
    from_sabo: bool = False


class Shown(msgspec.Struct, frozen=True):
    """Where in the record a card was shown; tricks count from 1."""

    trick: int
    seat: int
    card: Card


class Fault(msgspec.Struct, frozen=True):
    """A proven fault: the play of `seat` at fault, the earliest play that proves it, and the first card from the
    offender's own hand that shows it, null while none has."""

    kind: Kind
    seat: int
    trick: int
    card: Card
    proof: Shown
    witness: Shown | None


class _Moment(NamedTuple):
    """A play and what is known once it is made: cards nobody has shown, and how many of them its seat's hand is."""

    shown: Shown
    from_sabo: bool
    led: str
    leads: bool
    unseen: frozenset[Card]
    in_hand: tuple[int, ...]


def audit(rules: Rules, seats: int, tricks: Sequence[Sequence[Show]]) -> tuple[Fault, ...]:
    """Every fault that the record proves, in the order of the plays at fault (SB-7, SB-8).

    `tricks` hold the plays in order; the last may be incomplete. A play that breaks two rules gives two faults.
    Leading is never at fault. A fault is proven by the first play after which no placing of the cards not yet shown
    clears the offender.
    """
    moments = list(_moments(rules, seats, tricks))
    return tuple(
        fault
        for at, moment in enumerate(moments)
        for kind, convicting in _suspicions(rules, moment)
        if (fault := _proven(kind, convicting, moments[at:]))
    )


def _moments(rules: Rules, seats: int, tricks: Sequence[Sequence[Show]]) -> Iterator[_Moment]:
    unseen = frozenset(pack(rules, seats))
    in_hand = [HAND_SIZE] * seats
    for number, trick in enumerate(tricks, 1):
        for at, (seat, card, from_sabo) in enumerate(trick):
            unseen -= {card}
            in_hand[seat] -= not from_sabo
            shown = Shown(number, seat, card)
            yield _Moment(shown, from_sabo, SUIT[trick[0].card], at == 0, unseen, tuple(in_hand))


def _suspicions(rules: Rules, play: _Moment) -> Iterator[tuple[Kind, frozenset[Card]]]:
    """What a play may have broken, with the cards any one of which, still in hand, would convict it."""
    card, led = play.shown.card, play.led
    if play.leads:
        return
    of_led = frozenset(other for other in PACK if SUIT[other] == led)
    if play.from_sabo:
        yield "sabo_while_holding", of_led
    elif SUIT[card] != led:
        yield "revoke", of_led
        if rules.discard_low != "any" and not _senior(rules, card, led):
            yield "not_lowest", frozenset(other for other in PACK if _lower(rules, other, card)) - of_led


def _senior(rules: Rules, card: Card, led: str) -> bool:
    return SUIT[card] == "C" if rules.senior_suit == "clubs_only" else SENIORITY[SUIT[card]] > SENIORITY[led]


def _lower(rules: Rules, other: Card, card: Card) -> bool:
    """Whether `other`, held, would have been the card to discard (S5)."""
    return HEIGHT[other] < HEIGHT[card] and (rules.discard_low == "overall" or SUIT[other] == SUIT[card])


def _proven(kind: Kind, convicting: frozenset[Card], since: Sequence[_Moment]) -> Fault | None:
    """The fault of the first play in `since`, if what followed proves it."""
    seat, proof = since[0].shown.seat, None
    for moment in since:
        shown = moment.shown
        witnessed = shown.seat == seat and not moment.from_sabo and shown.card in convicting
        # as many cards of the unseen as he holds do not fit among those that would clear him
        cornered = len(moment.unseen - convicting) < moment.in_hand[seat]
        if proof is None and (witnessed or cornered):
            proof = shown
        if witnessed and proof is not None:
            return Fault(kind, seat, since[0].shown.trick, since[0].shown.card, proof, shown)
    return Fault(kind, seat, since[0].shown.trick, since[0].shown.card, proof, None) if proof else None
