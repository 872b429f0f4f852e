"""Moments as whole microseconds since 1970, so that databases compare them alike."""

from datetime import UTC, datetime, timedelta
from typing import Final

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def micros(at: datetime) -> int:
    """Microseconds since 1970 of a moment with a time zone."""
    return (at - _EPOCH) // timedelta(microseconds=1)


def moment(since: int) -> datetime:
    """The moment, in UTC."""
    return _EPOCH + timedelta(microseconds=since)
