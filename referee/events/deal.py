"""Events of a deal stream: the cards, the moves, what was taken back or corrected, faults and notes, the end."""

from typing import TypeAlias
from uuid import UUID

import msgspec

from referee.events.base import Consent, DealtBy, Fact, Lines, Mode, Points, Settled
from referee.rules.cards import Card
from referee.rules.game import Effects, Layout, Move
from referee.rules.puts import Put, Shown
from referee.rules.verdict import Claim, Violation


class CardsDealt(Fact, frozen=True, tag="CardsDealt"):
    """What was dealt, by whom it was entered, and where the referee shuffled what the order follows from.

    `commitment`: SHA-256 of the seed (hex); `words` by place, empty where none was added; `shuffles`: how many things
    the layout asked of chance. `seats` sit at the table, clockwise, one to a place; empty means
    those that the match was opened with.
    Everything in a deal's stream counts by place at this table. `irregular`: why this is no layout of the game, where it
    was let stand, with the reason and who agreed.
    """

    match: UUID
    number: int
    ruleset: str
    dealer: int
    mode: Mode
    dealt_by: DealtBy
    layout: Layout
    commitment: str | None = None
    shuffles: int = 0
    words: tuple[str, ...] = ()
    seats: tuple[int, ...] = ()
    irregular: tuple[Violation, ...] = ()
    why: UUID | None = None
    consent: Consent | None = None


class Moved(Fact, frozen=True):
    """A move that was made, with everything it caused.

    `claims` are what it takes for granted about hidden cards; `irregular` why it was not legal where it was let stand,
    with the reason and who agreed.
    """

    seat: int
    move: Move
    effects: Effects
    claims: tuple[Claim, ...] = ()
    irregular: tuple[Violation, ...] = ()
    why: UUID | None = None
    consent: Consent | None = None


class CardPlayed(Moved, frozen=True, tag="CardPlayed"):
    """A card was played."""


class CardDrawn(Moved, frozen=True, tag="CardDrawn"):
    """A card was drawn, or asked for where none could come."""


class TurnPassed(Moved, frozen=True, tag="TurnPassed"):
    """A turn ended without a card."""


class HandsShown(Fact, frozen=True, tag="HandsShown"):
    """Hands that were shown when a deal was over, by seat."""

    hands: tuple[tuple[Card, ...], ...]


class MovesTakenBack(Settled, frozen=True, tag="MovesTakenBack"):
    """Only the first `kept` moves count from now on."""

    kept: int


class Made(msgspec.Struct, frozen=True):
    """A move as it counts after a correction, with what it causes now."""

    seat: int
    move: Move
    effects: Effects
    irregular: tuple[Violation, ...] = ()
    claims: tuple[Claim, ...] = ()


class MoveCorrected(Settled, frozen=True, tag="MoveCorrected"):
    """Move `number` (from 1) was another one: it and all later moves as they count now."""

    number: int
    moves: tuple[Made, ...]


class IrregularityFound(Fact, frozen=True, tag="IrregularityFound"):
    """The record proves a fault: its kind, whose it is, in which move, by which later move, and the clause."""

    kind: str
    seat: int
    move: int
    proof: int
    clause: str


class IrregularityNoted(Settled, frozen=True, tag="IrregularityNoted"):
    """Something irregular at the table that is in no move, with the remedy that was applied (rules 4.2).

    `move` moves had been made then, `after` when it was put right; `puts` are the cards that were put for it, with so
    many `shuffles`, things asked of chance. Of Sabo's face-down cards: the `place` of one that `seat` looked at, all of
    `seat`'s as they lie after they were `mixed` again, those `shown` to everybody. `dealer`: who dealt in fact.
    """

    kind: str
    seat: int | None
    remedy: str
    move: int = 0
    place: int | None = None
    mixed: tuple[Card, ...] = ()
    after: int = 0
    puts: tuple[Put, ...] = ()
    shown: tuple[Shown, ...] = ()
    shuffles: int = 0
    dealer: int | None = None


class SeedRevealed(Fact, frozen=True, tag="SeedRevealed"):
    """The 256-bit seed (hex) of every shuffle in this deal, published once it is over."""

    seed: str


class DealFinished(Fact, frozen=True, tag="DealFinished"):
    """The deal is played out: points and score lines by seat."""

    points: Points
    lines: Lines


DealEvent: TypeAlias = (
    CardsDealt
    | CardPlayed
    | CardDrawn
    | TurnPassed
    | HandsShown
    | MovesTakenBack
    | MoveCorrected
    | IrregularityFound
    | IrregularityNoted
    | SeedRevealed
    | DealFinished
)
