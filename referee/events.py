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

Role: TypeAlias = Literal["arbiter", "scorekeeper", "seat", "spectator"]
Mode: TypeAlias = Literal["dealt"]
DealtBy: TypeAlias = Literal["referee", "scorekeeper", "arbiter"]
Points: TypeAlias = tuple[int, ...]
Lines: TypeAlias = tuple[dict[str, int], ...]
WORD: Final = "^[0-9A-Za-z]{1,64}$(?!\n)"
"""A word that a seat adds to a shuffle, as a regular expression."""


class Fact(msgspec.Struct, frozen=True, tag_field="type"):
    """What every event is. Seats count from 0, clockwise; tuples run by seat; deals count from 1."""


# ---- match stream


class MatchOpened(Fact, frozen=True, tag="MatchOpened"):
    """A match under a pinned ruleset and every house rule, defaults included; player ids by seat."""

    game: str
    ruleset: str
    house_rules: dict[str, Any]
    players: tuple[UUID, ...]
    rematch_of: UUID | None = None


class DealerChosen(Fact, frozen=True, tag="DealerChosen"):
    """The first dealer: named, by lot, or by cards cut (rounds of a card by seat, null for who did not cut; TN-2)."""

    seat: int
    how: Literal["seat", "lot", "cut"]
    cuts: tuple[tuple[Card | None, ...], ...] = ()


class DealStarted(Fact, frozen=True, tag="DealStarted"):
    """A deal begins; `most` is the most points it can pay one seat, null if unbounded.

    Where the referee shuffles, `commitment` is the SHA-256 of its seed (hex); `waiting` says that the seats may add
    their words to it before the cards are dealt.
    """

    number: int
    deal: UUID
    dealer: int
    mode: Mode
    most: int | None
    commitment: str | None = None
    waiting: bool = False


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
    """The match is over: its winner, or several where a shared win was agreed."""

    seats: tuple[int, ...]
    totals: Points


class RematchOpened(Fact, frozen=True, tag="RematchOpened"):
    """The same players opened another match under the same rules."""

    match: UUID


# ---- deal stream


class CardsDealt(Fact, frozen=True, tag="CardsDealt"):
    """What was dealt, by whom it was entered, and where the referee shuffled what the order follows from.

    `commitment`: SHA-256 of the seed (hex); `words` by seat, empty where none was added; `shuffles`: how many things
    the layout asked of chance.
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


class Moved(Fact, frozen=True):
    """A move that was made, with everything it caused."""

    seat: int
    move: Move
    effects: Effects


class CardPlayed(Moved, frozen=True, tag="CardPlayed"):
    """A card was played."""


class CardDrawn(Moved, frozen=True, tag="CardDrawn"):
    """A card was drawn, or asked for where none could come."""


class TurnPassed(Moved, frozen=True, tag="TurnPassed"):
    """A turn ended without a card."""


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
    MatchOpened | DealerChosen | DealStarted | WordAdded | ShuffleClosed | DealScored | MatchWon | RematchOpened
)
DealEvent: TypeAlias = CardsDealt | CardPlayed | CardDrawn | TurnPassed | SeedRevealed | DealFinished
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
