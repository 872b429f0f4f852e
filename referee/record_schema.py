"""The JSON Schema of a match record, read off its types: `python -m referee.record_schema` prints it."""

import json
from datetime import datetime
from typing import Annotated, Any, Final, Literal
from uuid import UUID

import msgspec
from msgspec import Meta

from referee.events import DealEvent, MatchEvent
from referee.record import BY, FORMAT

HEX: Final = "^[0-9a-f]{64}$"


class MatchEntry(msgspec.Struct):
    """An event of the match's own stream: when, by whom (`arbiter`, `seat:0`, …), and what."""

    at: Annotated[datetime, Meta(tz=True)]
    by: Annotated[str, Meta(pattern=f"^{BY}$")]
    event: MatchEvent


class DealEntry(msgspec.Struct):
    """An event of a deal's stream: when, by whom (`arbiter`, `seat:0`, …), and what."""

    at: Annotated[datetime, Meta(tz=True)]
    by: Annotated[str, Meta(pattern=f"^{BY}$")]
    event: DealEvent


class Document(msgspec.Struct):
    """A match with every deal that was scored, enough to judge it again with no server.

    `id`: the match. `names` by player id, erased ones left out. `match`: the match's own entries in order. `deals`: the
    entries of deal 1, deal 2, …. `fingerprint`: of the last deal, null where none is scored. `digest`: SHA-256 of all
    bytes before the line it stands in. One entry stands on a line; a changed byte anywhere is found by `referee check`.
    """

    format: Literal["referee-match/1"]
    id: UUID
    names: dict[UUID, str]
    match: Annotated[tuple[MatchEntry, ...], Meta(min_length=2)]
    deals: tuple[tuple[DealEntry, ...], ...]
    fingerprint: Annotated[str, Meta(pattern=HEX)] | None
    digest: Annotated[str, Meta(pattern=HEX)]


def schema() -> dict[str, Any]:
    """The JSON Schema (2020-12) of a record; what a schema cannot say, `check` finds."""
    found = msgspec.json.schema(Document)
    for part in found["$defs"].values():
        if "properties" in part:
            part["additionalProperties"] = False
    head = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": f"urn:referee:{FORMAT}"}
    whole: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(head | found))
    return whole


if __name__ == "__main__":
    print(json.dumps(schema(), indent=2, ensure_ascii=False))
