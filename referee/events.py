"""Every fact the log can hold: frozen Structs, each with a tag of its own that never changes.

How events may evolve: a field is only ever added, with a default; a field is never retyped or put to another use;
a meaning that changes is a new event beside the old one. Tags are words of ours, not Python names, so code can move.
Events carry facts and their consequences, so that folding them asks no rule, no clock and no chance. They hold ids and
digests; names and free words lie in a table beside the log, where they can be erased.
"""

from datetime import datetime
from typing import Annotated, Any, Final, Literal, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Meta

from referee.rules.cards import Card
from referee.rules.game import Effects, Layout, Move
from referee.rules.verdict import Claim, Violation

Role: TypeAlias = Literal["arbiter", "scorekeeper", "seat", "spectator"]
Mode: TypeAlias = Literal["dealt", "observed", "tallied"]
DealtBy: TypeAlias = Literal["referee", "scorekeeper", "arbiter"]
Points: TypeAlias = tuple[int, ...]
Lines: TypeAlias = tuple[dict[str, int], ...]
WORD: Final = "^[0-9A-Za-z]{1,64}$(?!\n)"
"""A word that a seat adds to a shuffle, as a regular expression."""


class Fact(msgspec.Struct, frozen=True, tag_field="type", omit_defaults=True):
    """What every event is. Seats count from 0, clockwise; tuples run by seat; deals count from 1.

    A field that has its default is not written, so an event looks the same before and after another one was added.
    """


class Consent(msgspec.Struct, frozen=True):
    """Who agreed to something that is not free: nobody had to, the arbiter, or these seats, by word or by token."""

    how: Literal["free", "arbiter", "spoken", "tokens"]
    seats: tuple[int, ...] = ()


FREE: Final = Consent("free")


class Settled(Fact, frozen=True):
    """Something decided after the fact: `why` is the id of the words that give the reason, beside the log."""

    consent: Consent
    why: UUID | None


# ---- match stream


class MatchOpened(Fact, frozen=True, tag="MatchOpened"):
    """A match under a pinned ruleset and every house rule, defaults included; player ids by seat.

    `consent`: whether the scorekeeper records who agreed, or the seats answer with their own tokens.
    """

    game: str
    ruleset: str
    house_rules: dict[str, Any]
    players: tuple[UUID, ...]
    rematch_of: UUID | None = None
    consent: Literal["spoken", "tokens"] = "spoken"


class DealerChosen(Fact, frozen=True, tag="DealerChosen"):
    """The first dealer: named, by lot, or by cards cut (rounds of a card by seat, null for who did not cut; TN-2)."""

    seat: int
    how: Literal["seat", "lot", "cut"]
    cuts: tuple[tuple[Card | None, ...], ...] = ()


class DealStarted(Fact, frozen=True, tag="DealStarted"):
    """A deal begins; `most` is the most points it can pay one seat, null if unbounded.

    Where the referee shuffles, `commitment` is the SHA-256 of its seed (hex); `waiting` says that the seats may add
    their words to it before the cards are dealt. `seats` sit at the table, clockwise; empty means those
    that the match was opened with.
    """

    number: int
    deal: UUID
    dealer: int
    mode: Mode
    most: int | None
    commitment: str | None = None
    waiting: bool = False
    seats: tuple[int, ...] = ()


class WordAdded(Fact, frozen=True, tag="WordAdded"):
    """A seat added its word to the shuffle of a deal whose seed is committed to and whose cards are not yet dealt."""

    number: int
    seat: int
    word: str


class ShuffleClosed(Fact, frozen=True, tag="ShuffleClosed"):
    """The cards of a deal that waited for words are dealt: no further word counts."""

    number: int


class DealScored(Fact, frozen=True, tag="DealScored"):
    """A deal's points and score lines, the totals after it, and the fingerprint (hex) of all deals up to it."""

    number: int
    points: Points
    lines: Lines
    totals: Points
    fingerprint: str | None = None


class MatchWon(Fact, frozen=True, tag="MatchWon"):
    """The match is over: its winner, or several where a shared win was agreed, and after which deal."""

    seats: tuple[int, ...]
    totals: Points
    deal: int = 0


class DealTallied(Fact, frozen=True, tag="DealTallied"):
    """The result of a deal that was only counted, in the parts it was entered in (see the game's Tally)."""

    number: int
    tally: dict[str, Any]


class ScoreCorrected(Settled, frozen=True, tag="ScoreCorrected"):
    """A scored deal counts otherwise from now on; the totals after all deals, and the new fingerprint of this one."""

    number: int
    points: Points
    lines: Lines
    totals: Points
    fingerprint: str | None = None


class DealVoided(Settled, frozen=True, tag="DealVoided"):
    """A deal counts for nobody; if it was the last one the same dealer deals again. The totals without it."""

    number: int
    totals: Points


class DealReopened(Settled, frozen=True, tag="DealReopened"):
    """Its last move was taken back: a scored deal is played on. The totals without it."""

    number: int
    totals: Points


class MatchReopened(Fact, frozen=True, tag="MatchReopened"):
    """The totals have changed and nobody has won any more."""


class MatchAbandoned(Settled, frozen=True, tag="MatchAbandoned"):
    """The match ends unfinished with the standing as it is; `seats` win by forfeit, if any."""

    seats: tuple[int, ...] = ()


class PlayerJoined(Settled, frozen=True, tag="PlayerJoined"):
    """A new seat, from the next deal on, with the total it begins with."""

    seat: int
    player: UUID
    total: int


class PlayerLeft(Settled, frozen=True, tag="PlayerLeft"):
    """A seat is empty from now on; its total is kept out of the ranking."""

    seat: int


class PlayerSubstituted(Settled, frozen=True, tag="PlayerSubstituted"):
    """Another player takes over a seat with its hand, its duties and its total."""

    seat: int
    player: UUID


class ProposalMade(Fact, frozen=True, tag="ProposalMade"):
    """Something that needs the consent of all seats was proposed: its kind, and the body of the request it stands for."""

    proposal: int
    kind: str
    body: dict[str, Any]
    why: UUID | None = None


class ProposalAnswered(Fact, frozen=True, tag="ProposalAnswered"):
    """A seat agreed to a proposal, or did not; the last consent carries it out, one refusal ends it."""

    proposal: int
    seat: int
    agreed: bool


class DisputeRaised(Fact, frozen=True, tag="DisputeRaised"):
    """A seat disputes a move of a deal (from 1); `dispute` counts from 1 in the match."""

    dispute: int
    deal: int
    move: int
    seat: int
    why: UUID | None = None


class DisputeRuled(Fact, frozen=True, tag="DisputeRuled"):
    """The arbiter's ruling, provisional until confirmed: dismissed, or upheld with a remedy. Later rulings supersede it."""

    dispute: int
    ruling: int
    upheld: bool
    remedy: dict[str, Any]
    why: UUID | None = None


class RulingConfirmed(Fact, frozen=True, tag="RulingConfirmed"):
    """A ruling is provisional no longer."""

    dispute: int
    ruling: int


class RematchOpened(Fact, frozen=True, tag="RematchOpened"):
    """The same players opened another match under the same rules."""

    match: UUID


# ---- deal stream


class CardsDealt(Fact, frozen=True, tag="CardsDealt"):
    """What was dealt, by whom it was entered, and where the referee shuffled what the order follows from.

    `commitment`: SHA-256 of the seed (hex); `words` by place, empty where none was added; `shuffles`: how many things
    the layout asked of chance. `seats` sit at the table, clockwise, one to a place; empty means
    those that the match was opened with.
    Everything in a deal's stream counts by place at this table.
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

    `move` moves had been made then. Of Sabo's face-down cards: the `place` of one that `seat` looked at, or all of
    `seat`'s as they lie after they were `mixed` again.
    """

    kind: str
    seat: int | None
    remedy: str
    move: int = 0
    place: int | None = None
    mixed: tuple[Card, ...] = ()


class SeedRevealed(Fact, frozen=True, tag="SeedRevealed"):
    """The 256-bit seed (hex) of every shuffle in this deal, published once it is over."""

    seed: str


class DealFinished(Fact, frozen=True, tag="DealFinished"):
    """The deal is played out: points and score lines by seat."""

    points: Points
    lines: Lines


# ---- access stream


class CapabilityGranted(Fact, frozen=True, tag="CapabilityGranted"):
    """A bearer token was issued; only its SHA-256 (hex) is kept. `serial` counts the tokens of this role and seat."""

    role: Role
    seat: int | None
    serial: int
    digest: str


class CapabilityRevoked(Fact, frozen=True, tag="CapabilityRevoked"):
    """A bearer token is valid no longer."""

    digest: str


class HiddenCardsRead(Fact, frozen=True, tag="HiddenCardsRead"):
    """The arbiter looked at hidden cards of a deal that is still played."""

    deal: UUID
    version: int


class MatchImported(Fact, frozen=True, tag="MatchImported"):
    """The match came in as a record; its fingerprint (hex) then, null before a deal was scored."""

    fingerprint: str | None


MatchEvent: TypeAlias = (
    MatchOpened
    | DealerChosen
    | DealStarted
    | WordAdded
    | ShuffleClosed
    | DealTallied
    | DealScored
    | ScoreCorrected
    | DealVoided
    | DealReopened
    | MatchWon
    | MatchReopened
    | MatchAbandoned
    | PlayerJoined
    | PlayerLeft
    | PlayerSubstituted
    | ProposalMade
    | ProposalAnswered
    | DisputeRaised
    | DisputeRuled
    | RulingConfirmed
    | RematchOpened
)
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
AccessEvent: TypeAlias = CapabilityGranted | CapabilityRevoked | HiddenCardsRead | MatchImported
Event: TypeAlias = MatchEvent | DealEvent | AccessEvent


class Entry(msgspec.Struct, frozen=True):
    """An event as it is written down: when, by whom (`arbiter`, `seat:0`, …), and what."""

    at: Annotated[datetime, Meta(tz=True)]
    by: str
    event: Event


class Recorded(msgspec.Struct, frozen=True):
    """An entry read back: its stream, its version there (from 1), its place in the whole log (rising, with gaps)."""

    stream: UUID
    version: int
    position: int
    at: datetime
    by: str
    event: Event
