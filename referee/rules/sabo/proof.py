"""What the public record proves of Sabo: revokes, discards that were not the lowest, sabo used while holding the suit
(SB-7, SB-8; rules 5).

Hands are never replenished and every hand card is shown in the end, so whatever a player held at a fault surfaces.
Nothing is inferred from the assumption that other plays were legal.
"""

from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

import msgspec

from referee.rules.cards import SUIT, Card
from referee.rules.proof import Made, Proof, Record
from referee.rules.sabo.judging import claims_of, convicting
from referee.rules.sabo.layout import pack
from referee.rules.sabo.model import HAND_SIZE, Hand, Rules
from referee.rules.verdict import Violation

Kind: TypeAlias = Literal["revoke", "not_lowest", "sabo_while_holding"]
FAULTS: Final[dict[tuple[str, str], Kind]] = {
    ("NO_LED_SUIT_HELD", "sabo.hand"): "revoke",
    ("NO_LED_SUIT_HELD", "sabo.place"): "sabo_while_holding",
    ("LOWEST_OF_SUIT", "sabo.hand"): "not_lowest",
}
"""What a false claim is called, by its code and the tag of the move that made it."""


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
    unseen: frozenset[Card]
    in_hand: tuple[int, ...]


class _Found(NamedTuple):
    """Places in the record: of the play that proves a claim false, and of the card from hand that shows it."""

    proof: int
    witness: int | None


def audit(rules: Rules, seats: int, tricks: Sequence[Sequence[Show]]) -> tuple[Fault, ...]:
    """Every fault that the record proves, in the order of the plays at fault (SB-7, SB-8).

    `tricks` hold the plays in order; the last may be incomplete. A play that breaks two rules gives two faults.
    Leading is never at fault. A fault is proven by the first play after which no placing of the cards not yet shown
    clears the offender.
    """
    moments = list(_moments(rules, seats, tricks))
    starts = [(number, at, trick[0].card) for number, trick in enumerate(tricks, 1) for at in range(len(trick))]
    faults = []
    for at, (moment, (trick, place, first)) in enumerate(zip(moments, starts, strict=True)):
        shown = moment.shown
        led, card = SUIT[first] if place else None, None if moment.from_sabo else shown.card
        for claim in claims_of(rules, shown.seat, led, card):
            if found := _refuted(shown.seat, convicting(rules, claim), moments, at):
                kind = FAULTS[claim.code, "sabo.place" if moment.from_sabo else "sabo.hand"]
                witness = None if found.witness is None else moments[found.witness].shown
                proof = moments[found.proof].shown
                faults.append(Fault(kind, shown.seat, trick, shown.card, proof, witness))
    return tuple(faults)


def prove(rules: Rules, record: Record, made: Sequence[Made], since: int = 0) -> tuple[Proof, ...]:
    """What became of each claim of an observed deal; by the end of the deal every one is decided (rules 5)."""
    tricks: list[list[Show]] = []
    for step in record.steps:
        if step.effects.trick > len(tricks):
            tricks.append([])
        tricks[-1].append(Show(step.seat, step.effects.card, not isinstance(step.move, Hand)))
    face_up = [(after, card.card) for after, note in record.notes for card in note.shown]
    moments = list(_moments(rules, len(record.layout.hands), tricks, face_up))
    proofs = []
    for number, claim in made:
        false_if = convicting(rules, claim)
        if found := _refuted(claim.seat, false_if, moments, number - 1):
            proofs.append(Proof(claim, number, "refuted", found.proof + 1))
        else:
            may_hold = moments[-1].in_hand[claim.seat] and not moments[-1].unseen.isdisjoint(false_if)
            proofs.append(Proof(claim, number, "open" if may_hold else "confirmed"))
    return tuple(proofs)


def check_record(rules: Rules, record: Record) -> tuple[Violation, ...]:
    """Why no placing of the unseen cards fits the record: one always does, for a card not yet seen may be anywhere."""
    return ()


def _moments(
    rules: Rules, seats: int, tricks: Sequence[Sequence[Show]], face_up: Sequence[tuple[int, Card]] = ()
) -> Iterator[_Moment]:
    """Every play; `face_up` are sabo cards that everybody saw, with the number of plays before (rules 4.2)."""
    unseen = frozenset(pack(rules, seats))
    in_hand = [HAND_SIZE] * seats
    plays = 0
    for number, trick in enumerate(tricks, 1):
        for seat, card, from_sabo in trick:
            unseen -= {card, *(shown for after, shown in face_up if after == plays)}
            plays += 1
            in_hand[seat] -= not from_sabo
            yield _Moment(Shown(number, seat, card), from_sabo, unseen, tuple(in_hand))


def _refuted(seat: int, false_if: frozenset[Card], moments: Sequence[_Moment], since: int) -> _Found | None:
    """What proves that `seat` held one of the cards `false_if` at the play `since`, if anything does."""
    proof = None
    for at in range(since, len(moments)):
        moment = moments[at]
        shown = moment.shown
        witnessed = shown.seat == seat and not moment.from_sabo and shown.card in false_if
        # as many cards of the unseen as he holds do not fit among those that would clear him
        cornered = len(moment.unseen - false_if) < moment.in_hand[seat]
        if proof is None and (witnessed or cornered):
            proof = at
        if witnessed and proof is not None:
            return _Found(proof, at)
    return None if proof is None else _Found(proof, None)
