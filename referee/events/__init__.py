"""Every fact the log can hold: frozen Structs, each with a tag of its own that never changes.

How events may evolve: a field is only ever added, with a default; a field is never retyped or put to another use;
a meaning that changes is a new event beside the old one. Tags are words of ours, not Python names, so code can move.
Events carry facts and their consequences, so that folding them asks no rule, no clock and no chance. They hold ids and
digests; names and free words lie in a table beside the log, where they can be erased.
"""

from datetime import datetime
from typing import Annotated, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Meta

from referee.events.access import AccessEvent, CapabilityGranted, CapabilityRevoked, HiddenCardsRead, MatchImported
from referee.events.base import FREE, WORD, Consent, DealtBy, Fact, Lines, Mode, Points, Role, Settled
from referee.events.deal import (
    CardDrawn,
    CardPlayed,
    CardsDealt,
    DealEvent,
    DealFinished,
    HandsShown,
    IrregularityFound,
    IrregularityNoted,
    Made,
    MoveCorrected,
    Moved,
    MovesTakenBack,
    SeedRevealed,
    TurnPassed,
)
from referee.events.match import (
    DealerChosen,
    DealReopened,
    DealScored,
    DealStarted,
    DealTallied,
    DealVoided,
    DisputeRaised,
    DisputeRuled,
    MatchAbandoned,
    MatchEvent,
    MatchOpened,
    MatchReopened,
    MatchWon,
    PlayerJoined,
    PlayerLeft,
    PlayerSubstituted,
    ProposalAnswered,
    ProposalMade,
    RematchOpened,
    RulingConfirmed,
    ScoreCorrected,
    ShuffleClosed,
    WordAdded,
)

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


__all__ = [
    "FREE",
    "WORD",
    "AccessEvent",
    "CapabilityGranted",
    "CapabilityRevoked",
    "CardDrawn",
    "CardPlayed",
    "CardsDealt",
    "Consent",
    "DealEvent",
    "DealFinished",
    "DealReopened",
    "DealScored",
    "DealStarted",
    "DealTallied",
    "DealVoided",
    "DealerChosen",
    "DealtBy",
    "DisputeRaised",
    "DisputeRuled",
    "Entry",
    "Event",
    "Fact",
    "HandsShown",
    "HiddenCardsRead",
    "IrregularityFound",
    "IrregularityNoted",
    "Lines",
    "Made",
    "MatchAbandoned",
    "MatchEvent",
    "MatchImported",
    "MatchOpened",
    "MatchReopened",
    "MatchWon",
    "Mode",
    "MoveCorrected",
    "Moved",
    "MovesTakenBack",
    "PlayerJoined",
    "PlayerLeft",
    "PlayerSubstituted",
    "Points",
    "ProposalAnswered",
    "ProposalMade",
    "Recorded",
    "RematchOpened",
    "Role",
    "RulingConfirmed",
    "ScoreCorrected",
    "SeedRevealed",
    "Settled",
    "ShuffleClosed",
    "TurnPassed",
    "WordAdded",
]
