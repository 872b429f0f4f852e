"""The match record: one JSON document that a person can read and that needs no server to be judged again.

One entry a line, so that what is left of a damaged file can still be read:

    {"format": "referee-match/1", "id": …, "names": {player id: name},
    "match": [entries of the match stream],
    "deals": [[entries of deal 1], [entries of deal 2], …],
    "fingerprint": the last deal's, or null,
    "digest": SHA-256 (hex) of all bytes before this line}

A deal that is still being played is left out, together with the events about it, unless it was scored before: then its
cards are known. A deal that was only counted, or voided before it was scored, has no entries of its own.

There is one way to write a record, so that any change of a byte shows; names, which no fingerprint covers, are covered
by the digest.
"""

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple
from uuid import UUID

import msgspec

from referee.audit import Divergence, audit
from referee.audit_match import agreement, audit_match
from referee.events import (
    CardsDealt,
    DealReopened,
    DealScored,
    DealStarted,
    DealVoided,
    Entry,
    MatchOpened,
    PlayerJoined,
    PlayerSubstituted,
    Recorded,
    ScoreCorrected,
)
from referee.fingerprint import canonical, short
from referee.match import deal_id
from referee.names import check_name
from referee.rules.rulebook import say

FORMAT: Final = "referee-match/1"
MEDIA_TYPE: Final = "application/vnd.referee.match+json"
PARTS: Final = ("format", "id", "names", "match", "deals", "fingerprint", "digest")
MOST_DEFECTS: Final = 100
NEWLINE: Final = b"\n"
_BOM: Final = b"\xef\xbb\xbf"
BY: Final = "[a-z]{1,20}(:[0-9]{1,2})?"
_UNREADABLE: Final = (msgspec.MsgspecError, ValueError, OverflowError, RecursionError)


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
    lines += ["],", f'"fingerprint":{_json(record.fingerprint)},', ""]
    body = "\n".join(lines).encode()
    return body + b'"digest":"%s"}\n' % hashlib.sha256(body).hexdigest().encode()


def whole(
    match_id: UUID, names: Mapping[UUID, str], match: Sequence[Recorded], deals: Mapping[int, Sequence[Recorded]]
) -> Record:
    """The record of a match from its streams; `deals` are the entries of each deal by number."""
    scored, started = _numbers(match, DealScored), _numbers(match, DealStarted)
    running = started - scored - _numbers(match, DealVoided)
    kept = [e for e in match if getattr(e.event, "number", None) not in running]
    return Record(
        match_id,
        {player: names[player] for player in players(match) if player in names},
        tuple(Entry(e.at, e.by, e.event) for e in kept),
        tuple(
            tuple(Entry(e.at, e.by, e.event) for e in deals.get(number, ())) if number in scored else ()
            for number in sorted(started - running)
        ),
        _last_mark(kept),
    )


def players(match: Sequence[Recorded | Entry]) -> tuple[UUID, ...]:
    """Everybody who ever had a seat, in the order of sitting down."""
    found: list[UUID] = []
    for entry in match:
        if isinstance(entry.event, MatchOpened):
            found += entry.event.players
        elif isinstance(entry.event, PlayerJoined | PlayerSubstituted):
            found.append(entry.event.player)
    return tuple(found)


def _numbers(match: Sequence[Recorded | Entry], kind: type[Any]) -> set[int]:
    return {entry.event.number for entry in match if isinstance(entry.event, kind)}


def _last_mark(match: Sequence[Recorded | Entry]) -> str | None:
    """The fingerprint (hex) of the last deal that has one."""
    marks: dict[int, str] = {}
    for entry in match:
        match entry.event:
            case DealScored(number=number, fingerprint=mark) | ScoreCorrected(number=number, fingerprint=mark) if mark:
                marks[number] = mark
            case DealReopened(number=number):
                marks.pop(number, None)
    return marks[max(marks)] if marks else None


def read(data: bytes) -> tuple[Record | None, tuple[Defect, ...]]:
    """A document as far as it can be read, and every defect that was met on the way."""
    defects: list[Defect] = []
    parts = _parts(data, defects)
    head = parts.head
    defects += [Defect(name[:80], "unknown field") for name in head if name not in PARTS]
    told = _plain(head.get("format", b"null"))
    if told != FORMAT:
        defects.append(Defect("format", f"this reads {FORMAT}, not {str(told)[:40]!r}"))
        if told is not None:
            return None, _some(defects)
    defects += [Defect(name, "missing") for name in PARTS if name not in head]
    match = tuple(_entries_in(parts.match, "match", defects))
    if not match or not isinstance(match[0].event, MatchOpened):
        defects.append(Defect("match", "does not begin with MatchOpened"))
        return None, _some(defects)
    deals = tuple(tuple(_entries_in(lines, f"deals/{n}", defects)) for n, lines in enumerate(parts.deals))
    record = Record(
        _read(head.get("id", b"null"), UUID, "id", defects) or _id_in(deals),
        _names(head.get("names", b"{}"), players(match), defects),
        match,
        deals,
        _read(head.get("fingerprint", b"null"), str | None, "fingerprint", defects),
    )
    if record.id.version != 4:
        # ids of deals and grants are derived (version 5): a match under such an id would lie in another's streams
        defects.append(Defect("id", "not a random UUID (version 4), as the ids of matches are"))
    defects += () if defects else _missing(record)
    if not defects and (again := write(record)) != data:
        defects.append(_first_difference(data.split(NEWLINE), again.split(NEWLINE)))
    return record, _some(defects)


def check(data: bytes) -> Report:
    """Judge a document from itself alone, as far as it can be read."""
    return judge(*read(data))


def judge(record: Record | None, defects: tuple[Defect, ...]) -> Report:
    """Judge what was read of a document."""
    if record is None:
        return Report(False, defects, (), None, None)
    opened = record.match[0].event
    assert isinstance(opened, MatchOpened)
    if found := agreement(opened):
        return Report(False, defects, (), found, record.fingerprint)
    streams = [_recorded(deal_id(record.id, n), entries) for n, entries in enumerate(record.deals, 1)]
    deals = tuple(
        DealReport(n, sum(hasattr(e.event, "effects") for e in entries), audit(opened, entries))
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
        legal = "legal as far as it can be read" if report.defects else "legal throughout"
        verdict = legal if found is None else _said(found)
        yield f"deal {deal.number} ({deal.moves} moves): {verdict}"
    if report.match:
        yield f"match, {_said(report.match)}"
    if report.fingerprint:
        yield f"fingerprint {short(report.fingerprint)}"
    yield "legal" if report.legal else "not in order"


def _said(found: Divergence) -> str:
    at = f"move {found.move} by seat {found.seat}" if found.move else f"entry {found.version}"
    reasons = "; ".join(f"{say(v, 'en')} ({v.code}, {v.clause})" for v in found.violations)
    return f"{at}: {reasons or found.what + ' other than the rules give'}"


def _recorded(stream: UUID, entries: Sequence[Entry]) -> list[Recorded]:
    return [Recorded(stream, version, 0, e.at, e.by, e.event) for version, e in enumerate(entries, 1)]


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _entries(entries: Sequence[Entry]) -> list[str]:
    return [_json(entry) + ("," if place < len(entries) else "") for place, entry in enumerate(entries, 1)]


class _Parts(NamedTuple):
    """A document taken apart, nothing decoded yet: `head` by name, entries one by one."""

    head: dict[str, bytes]
    match: list[bytes]
    deals: list[list[bytes]]


def _parts(data: bytes, defects: list[Defect]) -> _Parts:
    """The parts of the document; of one that is no JSON, what is left of its lines."""
    if data.startswith(_BOM):
        defects.append(Defect("line 1", "begins with a byte order mark"))
        data = data.removeprefix(_BOM)
    before, cr, _ = data.partition(b"\r")
    if cr:
        defects.append(Defect(f"line {before.count(NEWLINE) + 1}", "holds a carriage return: lines end with LF alone"))
    try:
        head = _raw(data.decode(), dict[str, msgspec.Raw])
    except _UNREADABLE as error:
        defects.append(Defect("document", f"not readable as a whole: {error}"))
        return _parts_by_line(data)
    deals = _list(head.get("deals", b"[]"), "deals", defects)
    return _Parts(
        head,
        _list(head.get("match", b"[]"), "match", defects),
        [_list(raw, f"deals/{n}", defects) for n, raw in enumerate(deals)],
    )


def _parts_by_line(data: bytes) -> _Parts:
    parts = _Parts({"match": b"", "deals": b""}, [], [])
    into = parts.match
    for line in data.split(NEWLINE):
        bare = line.strip().removesuffix(b",")
        if bare == b"[":
            parts.deals.append(into := [])
        elif bare.startswith(b'{"format"'):
            parts.head.update({name: _json(part).encode() for name, part in (_plain(bare + b"}") or {}).items()})
        elif bare.startswith((b'"fingerprint":', b'"digest":')):
            name, _, part = bare.removesuffix(b"}").partition(b":")
            parts.head[name.decode().strip('"')] = part
        elif bare in (b"", b"]", b'"match":[', b'"deals":['):
            continue
        elif into or parts.deals or bare.startswith(b'{"at"'):
            into.append(bare)
    return parts


def _raw(text: str | bytes, kind: Any) -> dict[str, bytes]:
    return {name: bytes(raw) for name, raw in msgspec.json.decode(text, type=kind).items()}


def _list(raw: bytes, where: str, defects: list[Defect]) -> list[bytes]:
    return [bytes(part) for part in _read(raw, list[msgspec.Raw], where, defects) or ()]


def _read(raw: bytes, kind: Any, where: str, defects: list[Defect]) -> Any:
    try:
        return msgspec.json.decode(raw, type=kind)
    except _UNREADABLE as error:
        defects.append(Defect(where, str(error)))
        return None


def _plain(raw: bytes) -> Any:
    try:
        return msgspec.json.decode(raw)
    except _UNREADABLE:
        return None


def _entries_in(lines: Sequence[bytes], where: str, defects: list[Defect]) -> Iterator[Entry]:
    """Entries up to the first that cannot be read."""
    for place, line in enumerate(lines):
        entry = _read(line, Entry, f"{where}/{place}", defects)
        if entry is None:
            return
        if not re.fullmatch(BY, entry.by):
            defects.append(Defect(f"{where}/{place}/by", "not a role, or a role with its seat"))
        for path in _unknown(_plain(line), canonical(entry, whole=True), f"{where}/{place}"):
            defects.append(Defect(path, "unknown field"))
        yield entry


def _names(raw: bytes, players: Sequence[UUID], defects: list[Defect]) -> dict[UUID, str]:
    """Names by player, in the order of the seats."""
    told: dict[UUID, str] = _read(raw, dict[UUID, str], "names", defects) or {}
    for player, name in told.items():
        kept, why = check_name(name)
        if player not in players:
            defects.append(Defect(f"names/{player}", "not a player of this match"))
        elif why or kept != name:
            defects.append(Defect(f"names/{player}", why or "not in its normal form"))
    return {player: told[player] for player in players if player in told}


def _id_in(deals: Sequence[Sequence[Entry]]) -> UUID:
    """The match's id where the file's own is lost: every deal names it."""
    dealt = (entries[0].event for entries in deals if entries)
    return next((event.match for event in dealt if isinstance(event, CardsDealt)), UUID(int=0))


def _missing(record: Record) -> Iterator[Defect]:
    """Whether every deal is there from its start to its score, and the fingerprint is the last one's."""
    started = sum(isinstance(entry.event, DealStarted) for entry in record.match)
    over = _numbers(record.match, DealScored) | _numbers(record.match, DealVoided)
    if not len(record.deals) == started == len(over):
        what = f"{len(record.deals)} deals, where the match started {started} and ended {len(over)}"
        yield Defect("deals", what)
    elif record.fingerprint != _last_mark(record.match):
        yield Defect("fingerprint", "not that of the last deal")


def _some(defects: list[Defect]) -> tuple[Defect, ...]:
    """The first defects and how many more there are, so that a file cannot ask for an answer without end."""
    more = len(defects) - MOST_DEFECTS
    return (*defects[:MOST_DEFECTS], Defect("document", f"{more} more defects")) if more > 0 else tuple(defects)


def _first_difference(told: list[bytes], written: list[bytes]) -> Defect:
    at = next((n for n, pair in enumerate(zip(told, written, strict=False)) if pair[0] != pair[1]), len(written))
    if at == len(written) - 2:
        return Defect(
            "digest", f"the lines above are not as they were written; their SHA-256 is {written[at][10:74].decode()}"
        )
    return Defect(f"line {at + 1}", "not spaced, ordered or spelled as a record is written")


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
