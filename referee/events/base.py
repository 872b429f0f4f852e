"""What all events share: their words for roles, modes and points, and who agreed to what."""

from typing import Final, Literal, TypeAlias
from uuid import UUID

import msgspec

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
