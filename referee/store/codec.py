"""Rows as the domain reads them."""

from collections.abc import Iterable
from datetime import datetime
from uuid import UUID

from referee.events import Recorded
from referee.store.evolution import TOPICS

_decode = TOPICS.decode


def to_recorded(stream: UUID, version: int, position: int, topic: str, state: bytes) -> Recorded:
    """The entry in a row. Raises Undecodable for a row that holds none."""
    entry = _decode(topic, state)
    return Recorded(stream, version, position, entry.at, entry.by, entry.event)


def as_of(entries: Iterable[Recorded], until: datetime | None) -> list[Recorded]:
    """Entries up to the first one later than `until`: what had been written then, without a gap."""
    found = []
    for recorded in entries:
        if until is not None and recorded.at > until:
            break
        found.append(recorded)
    return found
