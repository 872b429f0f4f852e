"""Every stream is a chain: a row's digest takes in the row before it, so none can be changed, lost or moved unseen.

    digest = SHA-256(digest before, or 32 zero bytes || stream, 16 bytes || version, 8 bytes || length of the topic, 2 bytes
                     || topic || length of the state, 4 bytes || state || where the row seals another: its stream,
                     16 bytes || its version, 8 bytes || its digest)

Integers are big-endian. Of streams written in one transaction the first row of each later one seals the last row of the
first: a deal's end is written with its score in the match, so the match's digest takes in the deal's, deal after deal.
Positions in the whole log are not covered: they belong to one database, and a restore may raise them.
"""

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple
from uuid import UUID

import msgspec

from referee.store.evolution import TOPICS
from referee.store.log import Batch

START: Final = bytes(32)
_encode = msgspec.json.Encoder().encode


class Head(NamedTuple):
    """The last row of a stream."""

    version: int
    digest: bytes


class Row(NamedTuple):
    """A row to be written; `seals` names a row of another stream as `stream@version`."""

    stream: UUID
    version: int
    topic: str
    state: bytes
    digest: bytes
    seals: str | None


def link(before: bytes, stream: UUID, version: int, topic: str, state: bytes, sealed: bytes = b"") -> bytes:
    """The digest of a row; `sealed` as given by `sealing`."""
    name = topic.encode()
    head = b"%b%b%b%b%b%b" % (
        before, stream.bytes, version.to_bytes(8, "big"), len(name).to_bytes(2, "big"), name, len(state).to_bytes(4, "big"),
    )  # fmt: skip
    return hashlib.sha256(head + state + sealed).digest()


def sealing(stream: UUID, head: Head) -> bytes:
    """What a row takes in of another stream's row."""
    return stream.bytes + head.version.to_bytes(8, "big") + head.digest


def parse_seal(seals: str) -> tuple[UUID, int]:
    """Stream and version that a row seals. Raises ValueError."""
    stream, _, version = seals.partition("@")
    return UUID(stream), int(version)


def rows(batches: Sequence[Batch], before: Mapping[UUID, bytes]) -> list[Row]:
    """The rows of an append; `before` holds the digest at each batch's `after`, none for a stream that begins."""
    made: list[Row] = []
    first: tuple[UUID, Head] | None = None
    for stream, after, entries in batches:
        digest = before[stream] if after else START
        seal, sealed = (f"{first[0]}@{first[1].version}", sealing(*first)) if first else (None, b"")
        for version, entry in enumerate(entries, after + 1):
            topic, state = TOPICS.topics[entry.event.__struct_config__.tag], _encode(entry)  # type: ignore[index]
            digest = link(digest, stream, version, topic, state, sealed)
            made.append(Row(stream, version, topic, state, digest, seal))
            seal, sealed = None, b""
        first = first or (stream, Head(after + len(entries), digest))
    return made
