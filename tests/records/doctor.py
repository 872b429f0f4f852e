"""A record taken apart as plain JSON, changed, and written again so that only the change itself gives it away."""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from msgspec.structs import replace

from referee import fingerprint, record
from referee.events import DealScored, MatchOpened
from referee.record import Record

HERE = Path(__file__).parent
GOLDEN = sorted(HERE.glob("*.json"))
SMALL = [path for path in GOLDEN if path.stem.endswith("-one-deal")]

Change = Callable[[dict[str, Any]], object]


def golden(name: str) -> bytes:
    return (HERE / f"{name}.json").read_bytes()


def doctored(data: bytes, change: Change) -> bytes:
    """The record with `change` made to it as JSON; fingerprints and digest fit what it says now, where it can be read."""
    document = json.loads(data)
    change(document)
    told = laid_out(document)
    found, _ = record.read(told)
    return told if found is None or lossy(found, told) else record.write(sealed(found))


def laid_out(document: dict[str, Any]) -> bytes:
    """Plain JSON in the lines of a record, with the digest that fits."""

    def lines(entries: Any) -> str:
        return ",\n".join(map(_compact, entries)) + "\n" if entries else ""

    head = ",".join(
        f"{_compact(name)}:{_compact(document[name])}" for name in ("format", "id", "names") if name in document
    )
    deals = [f"[\n{lines(entries)}]" for entries in document["deals"]]
    body = f'{{{head},\n"match":[\n{lines(document["match"])}],\n"deals":[\n'
    body += (",\n".join(deals) + "\n" if deals else "") + f'],\n"fingerprint":{_compact(document["fingerprint"])},\n'
    return f'{body}"digest":"{hashlib.sha256(body.encode()).hexdigest()}"}}\n'.encode()


def lossy(found: Record, told: bytes) -> bool:
    """Whether what was read is not all that the text says."""
    return record.write(found) != told


def sealed(found: Record) -> Record:
    """The record with fingerprints that fit its deals."""
    opened = found.match[0].event
    assert isinstance(opened, MatchOpened)
    mark, match = fingerprint.first(opened), []
    for entry in found.match:
        event = entry.event
        if isinstance(event, DealScored) and 0 < event.number <= len(found.deals):
            mark = fingerprint.after_deal(mark, found.deals[event.number - 1])
            event = replace(event, fingerprint=mark)
        match.append(replace(entry, event=event))
    return replace(found, match=tuple(match), fingerprint=mark if found.fingerprint else None)


def event_of(document: dict[str, Any], kind: str, deal: int | None = None) -> dict[str, Any]:
    """The first event of a kind in a deal (from 0), or in the match's own stream."""
    entries = document["match"] if deal is None else document["deals"][deal]
    found: dict[str, Any] = next(entry["event"] for entry in entries if entry["event"]["type"] == kind)
    return found


def _compact(value: Any) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
