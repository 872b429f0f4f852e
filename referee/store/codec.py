"""Entries as the database holds them: JSON that a person can read there, the event's tag as its topic."""

from uuid import UUID

import msgspec
from eventsourcing.persistence import StoredEvent

from referee.events import Entry, Recorded

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Entry).decode


def to_stored(stream: UUID, version: int, entry: Entry) -> StoredEvent:
    """The row for an entry."""
    return StoredEvent(stream, version, str(entry.event.__struct_config__.tag), _encode(entry))


def to_recorded(stream: UUID, version: int, position: int, state: bytes) -> Recorded:
    """The entry in a row. Raises msgspec.DecodeError for a row that holds none."""
    entry = _decode(state)
    return Recorded(stream, version, position, entry.at, entry.by, entry.event)
