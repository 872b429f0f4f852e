"""What requests and answers share."""

from datetime import datetime
from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from referee.settling.asks import Seat

Alphabet: TypeAlias = Literal["latin", "ru", "uk"]
SeatNumber: TypeAlias = Annotated[int, Meta(ge=0, le=19)]
Why: TypeAlias = Annotated[str, Meta(max_length=10_000)] | None
Agreed: TypeAlias = Annotated[tuple[Seat, ...], Meta(max_length=100)]
Moment: TypeAlias = Annotated[datetime, Meta(tz=True)]


class In(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A request body, or a part of one."""


class Out(msgspec.Struct, frozen=True):
    """An answer, or a part of one."""
