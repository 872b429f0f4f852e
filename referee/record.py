"""The match record: one JSON document that a person can read and that needs no server to be judged again.

One entry a line, so that what is left of a damaged file can still be read:

    {"format": "referee-match/1", "id": …, "names": {player id: name},
    "match": [entries of the match stream],
    "deals": [[entries of deal 1], [entries of deal 2], …],
    "fingerprint": the last deal's, or null}

A deal that is still being played is left out, together with the event that started it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from referee.audit import Divergence, audit, audit_match
from referee.events import DealScored, DealStarted, Entry, MatchOpened, Recorded
from referee.fingerprint import canonical, short
from referee.match import deal_id
from referee.rules.game import RULESETS
from referee.rules.rulebook import say

FORMAT: Final = "referee-match/1"
MEDIA_TYPE: Final = "application/vnd.referee.match+json"
PARTS: Final = ("format", "id", "names", "match", "deals", "fingerprint")
_BOM: Final = b"\xef\xbb\xbf"


class Record(msgspec.Struct, frozen=True):
    """What a record holds, as far as it could be read."""

    id: UUID
    names: dict[UUID, str]
    match: tuple[Entry, ...]
    deals: tuple[tuple[Entry, ...], ...]
    fingerprint: str | None


class Defect(msgspec.Struct, frozen=True):
    """Something wrong with the file itself: where (a path into the document, or a line), and what."""

    where: str
    what: str


class DealReport(msgspec.Struct, frozen=True):
    """A deal judged again: legal throughout, or its first divergence."""

    number: int
    moves: int
    divergence: Divergence | None


class Report(msgspec.Struct, frozen=True):
    """A record judged: defects of the file, each deal, and the match's own first divergence (dealers, totals, end)."""

    legal: bool
    defects: tuple[Defect, ...]
    deals: tuple[DealReport, ...]
    match: Divergence | None
    fingerprint: str | None


def write(record: Record) -> bytes:
    """The document, the same bytes for the same record."""
    lines = [f'{{"format":"{FORMAT}","id":"{record.id}","names":{_json(record.names)},', '"match":[']
    lines += _entries(record.match)
    lines += ["],", '"deals":[']
    for number, entries in enumerate(record.deals, 1):
        lines += ["[", *_entries(entries), "]," if number < len(record.deals) else "]"]
    lines += ["],", f'"fingerprint":{_json(record.fingerprint)}}}']
    return "\n".join(lines).encode() + b"\n"


def whole(
    match_id: UUID, names: Mapping[UUID, str], match: Sequence[Recorded], deals: Mapping[int, Sequence[Recorded]]
) -> Record:
    """The record of a match from its streams; `deals` are the entries of each deal by number."""
    scored = [entry.event for entry in match if isinstance(entry.event, DealScored)]
    running = {e.event.number for e in match if isinstance(e.event, DealStarted)} - {event.number for event in scored}
    kept = [e for e in match if getattr(e.event, "number", None) not in running]
    return Record(
        match_id,
        {player: names[player] for player in _players(match[0]) if player in names},
        tuple(Entry(e.at, e.by, e.event) for e in kept),
        tuple(tuple(Entry(e.at, e.by, e.event) for e in deals[event.number]) for event in scored),
        scored[-1].fingerprint if scored else None,
    )


def read(data: bytes) -> tuple[Record | None, tuple[Defect, ...]]:
    """A document as far as it can be read, and every defect that was met on the way."""
    defects: list[Defect] = []
    if data.startswith(_BOM):
        defects.append(Defect("line 1", "begins with a byte order mark"))
        data = data.removeprefix(_BOM)
    if b"\r" in data:
        defects.append(Defect("line 1", "lines end with CR LF, not LF"))
    parts = _parts(data, defects)
    for name in parts:
        if name not in PARTS:
            defects.append(Defect(name, "unknown field"))
    if _plain(parts.get("format", b"null")) != FORMAT:
        told = _plain(parts.get("format", b"null"))
        defects.append(Defect("format", f"this reads {FORMAT}, not {told!r}"))
        return None, tuple(defects)
    for name in PARTS:
        if name not in parts:
            defects.append(Defect(name, "missing"))
    match_id = _read(parts.get("id", b"null"), UUID, "id", defects)
    match = tuple(_entries_in(parts.get("match", b"[]"), "match", defects))
    if match_id is None or not match or not isinstance(match[0].event, MatchOpened):
        defects.append(Defect("match", "does not begin with MatchOpened"))
        return None, tuple(defects)
    deals = _read(parts.get("deals", b"[]"), list[msgspec.Raw], "deals", defects) or []
    return (
        Record(
            match_id,
            _read(parts.get("names", b"{}"), dict[UUID, str], "names", defects) or {},
            match,
            tuple(tuple(_entries_in(raw, f"deals/{n}", defects)) for n, raw in enumerate(deals)),
            _read(parts.get("fingerprint", b"null"), str | None, "fingerprint", defects),
        ),
        tuple(defects),
    )


def check(data: bytes) -> Report:
    """Judge a document from itself alone, as far as it can be read."""
    return judge(*read(data))


def judge(record: Record | None, defects: tuple[Defect, ...]) -> Report:
    """Judge what was read of a document."""
    if record is None:
        return Report(False, defects, (), None, None)
    opened = record.match[0].event
    assert isinstance(opened, MatchOpened)
    game = RULESETS.get(opened.ruleset)
    try:
        rules = msgspec.convert(opened.house_rules, game.Rules) if game else None
    except msgspec.ValidationError as error:
        return Report(False, (*defects, Defect("match/0/event/house_rules", str(error))), (), None, None)
    if rules is None:
        found = Defect("match/0/event/ruleset", f"{opened.ruleset} is not known here; known: {', '.join(RULESETS)}")
        return Report(False, (*defects, found), (), None, None)
    streams = [_recorded(deal_id(record.id, n), entries) for n, entries in enumerate(record.deals, 1)]
    deals = tuple(
        DealReport(n, sum(hasattr(e.event, "effects") for e in entries), audit(rules, entries))
        for n, entries in enumerate(streams, 1)
    )
    found_in_match = audit_match(_recorded(record.id, record.match), dict(enumerate(streams, 1)))
    legal = not defects and found_in_match is None and all(deal.divergence is None for deal in deals)
    return Report(legal, defects, deals, found_in_match, record.fingerprint)


def lines(report: Report) -> Iterator[str]:
    """A report as lines of text, in English."""
    for defect in report.defects:
        yield f"{defect.where}: {defect.what}"
    for deal in report.deals:
        found = deal.divergence
        verdict = "legal throughout" if found is None else _said(found)
        yield f"deal {deal.number} ({deal.moves} moves): {verdict}"
    if report.match:
        yield f"match, entry {report.match.version}: {report.match.what} does not follow from the deals"
    if report.fingerprint:
        yield f"fingerprint {short(report.fingerprint)}"
    yield "legal" if report.legal else "not in order"


def _said(found: Divergence) -> str:
    at = f"move {found.move} by seat {found.seat}" if found.move else f"entry {found.version}"
    reasons = "; ".join(f"{say(v, 'en')} ({v.code}, {v.clause})" for v in found.violations)
    return f"{at}: {reasons or found.what + ' other than the rules give'}"


def _recorded(stream: UUID, entries: Sequence[Entry]) -> list[Recorded]:
    return [Recorded(stream, version, 0, e.at, e.by, e.event) for version, e in enumerate(entries, 1)]


def _players(entry: Recorded) -> tuple[UUID, ...]:
    return entry.event.players if isinstance(entry.event, MatchOpened) else ()


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _entries(entries: Sequence[Entry]) -> list[str]:
    return [_json(entry) + ("," if place < len(entries) else "") for place, entry in enumerate(entries, 1)]


def _parts(data: bytes, defects: list[Defect]) -> dict[str, bytes]:
    """The parts of the document by name, undecoded; from what is left of the lines where it is no JSON."""
    try:
        text = data.decode()
        return {name: bytes(raw) for name, raw in msgspec.json.decode(text, type=dict[str, msgspec.Raw]).items()}
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        defects.append(Defect("document", f"not readable as a whole: {error}"))
    match: list[bytes] = []
    deals: list[list[bytes]] = []
    into = match
    head: dict[str, bytes] = {}
    for line in data.split(b"\n"):
        bare = line.strip().rstrip(b",")
        if bare.startswith(b'{"format"'):
            head = {n: json.dumps(v).encode() for n, v in (_plain(bare + b"}") or {}).items()}
        elif bare == b"[":
            deals.append(into := [])
        elif bare.startswith(b'{"at"'):
            into.append(bare)
        elif bare.startswith(b'"fingerprint"'):
            head["fingerprint"] = bare.partition(b":")[2].rstrip(b"}")
    lists = [b"[" + b",".join(entries) + b"]" for entries in deals]
    return head | {"match": b"\n".join(match), "deals": b"\n".join(lists)}


def _read(raw: bytes, kind: Any, where: str, defects: list[Defect]) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        defects.append(Defect(where, str(error)))
        return None


def _plain(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return None


def _entries_in(raw: bytes, where: str, defects: list[Defect]) -> Iterator[Entry]:
    """Entries up to the first that cannot be read."""
    for place, line in enumerate(_read(raw, list[msgspec.Raw], where, defects) or ()):
        entry = _read(bytes(line), Entry, f"{where}/{place}", defects)
        if entry is None:
            return
        for path in _unknown(_plain(bytes(line)), canonical(entry, whole=True), f"{where}/{place}"):
            defects.append(Defect(path, "unknown field"))
        yield entry


def _unknown(given: Any, known: Any, where: str) -> Iterator[str]:
    if isinstance(given, dict) and isinstance(known, dict):
        for name, part in given.items():
            if name in known:
                yield from _unknown(part, known[name], f"{where}/{name}")
            else:
                yield f"{where}/{name}"
    elif isinstance(given, list) and isinstance(known, list):
        for place, (part, other) in enumerate(zip(given, known, strict=False)):
            yield from _unknown(part, other, f"{where}/{place}")
