"""Capability tokens: who may do and see what in one match.

A token is the match, the role, the seat and a serial number, followed by an HMAC of these under the server's secret:
the same request always gives the same token, and only its SHA-256 is kept. A token counts while the access stream of its
match says that it was granted and not revoked.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence
from typing import Final
from uuid import UUID

import msgspec

from referee.events import CapabilityGranted, CapabilityRevoked, HiddenCardsRead, MatchImported, Recorded, Role
from referee.rules.cards import Sight

ROLES: Final[tuple[Role, ...]] = ("arbiter", "scorekeeper", "seat", "spectator")
PREFIX: Final = "rf_"
_HEAD: Final = 20
_MAC: Final = 24
_NO_SEAT: Final = 255


class Caller(msgspec.Struct, frozen=True):
    """The holder of a valid token of this match; `mark` is the token's digest, null for who acts without a token."""

    match: UUID
    role: Role
    seat: int | None = None
    mark: str | None = None

    @property
    def name(self) -> str:
        """How the log and the ETag name the caller: `arbiter`, `seat:0`, …"""
        return self.role if self.seat is None else f"{self.role}:{self.seat}"

    def sight(self, dealt_by: str, finished: bool, seats: Sequence[int]) -> Sight:
        """What the caller sees of a deal's hidden cards: a seat its own hand, the arbiter all, the scorekeeper only
        what he entered himself, and everybody all of it once the deal is over. `seats` sit at the deal's table."""
        entered = self.role == "scorekeeper" and dealt_by == "scorekeeper"
        place = seats.index(self.seat) if self.seat in seats else None
        return Sight(place, everything=finished or entered or self.role == "arbiter")


class Capability(msgspec.Struct, frozen=True):
    """A token that counts."""

    role: Role
    seat: int | None
    serial: int


class Access(msgspec.Struct, frozen=True):
    """The capabilities of a match after `version` events, by digest; the last look at hidden cards, by deal;
    whether the match came in as a record."""

    version: int = 0
    valid: dict[str, Capability] = {}
    serials: dict[tuple[Role, int | None], int] = {}
    looked: dict[UUID, int] = {}
    imported: bool = False


def evolve(access: Access | None, recorded: Recorded) -> Access:
    """Access after one more event of its stream."""
    access = access or Access()
    valid, serials, looked, imported = access.valid, access.serials, access.looked, access.imported
    match recorded.event:
        case CapabilityGranted(role, seat, serial, digest):
            valid = valid | {digest: Capability(role, seat, serial)}
            serials = serials | {(role, seat): serial}
        case CapabilityRevoked(digest):
            valid = {key: capability for key, capability in valid.items() if key != digest}
        case HiddenCardsRead(deal, version):
            looked = looked | {deal: version}
        case MatchImported():
            imported = True
    return Access(recorded.version, valid, serials, looked, imported)


def issue(secret: bytes, match: UUID, role: Role, seat: int | None, serial: int = 1) -> tuple[str, CapabilityGranted]:
    """A token and the event that makes it count."""
    head = match.bytes + bytes([ROLES.index(role), _NO_SEAT if seat is None else seat]) + serial.to_bytes(2, "big")
    token = PREFIX + base64.urlsafe_b64encode(head + _mac(secret, head)).decode().rstrip("=")
    return token, CapabilityGranted(role, seat, serial, digest(token))


def digest(token: str) -> str:
    """What is kept of a token: its SHA-256, as hex."""
    return hashlib.sha256(token.encode()).hexdigest()


def match_of(secret: bytes, token: str) -> UUID | None:
    """The match that a token was issued for, or None for a token that this server never issued."""
    try:
        raw = base64.b64decode(token.removeprefix(PREFIX) + "=", altchars=b"-_", validate=True)
    except ValueError:
        return None
    if not token.startswith(PREFIX) or len(raw) != _HEAD + _MAC or not hmac.compare_digest(
        raw[_HEAD:], _mac(secret, raw[:_HEAD])
    ):  # fmt: skip
        return None
    return UUID(bytes=raw[:16])


def seed_id(secret: bytes, deal: UUID) -> UUID:
    """Where a deal's seed lies until it is revealed: beside the log, under an id that nobody else can name, since
    whoever could would have it read as a player's."""
    return UUID(bytes=_mac(secret, b"seed" + deal.bytes)[:16])


def _mac(secret: bytes, head: bytes) -> bytes:
    return hmac.digest(secret, head, "sha256")[:_MAC]
