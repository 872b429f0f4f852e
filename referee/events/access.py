"""Events of the access stream: capabilities, looks at hidden cards, how the match came here."""

from typing import TypeAlias
from uuid import UUID

from referee.events.base import Fact, Role


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


AccessEvent: TypeAlias = CapabilityGranted | CapabilityRevoked | HiddenCardsRead | MatchImported
