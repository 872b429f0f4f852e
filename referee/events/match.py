"""Events of the match stream: the agreement, the deals and their results, the seats, consent, disputes, the end."""

from typing import Any, Literal, TypeAlias
from uuid import UUID

from referee.events.base import Fact, Lines, Mode, Points, Settled
from referee.rules.cards import Card


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
