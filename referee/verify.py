"""Is the log whole, and does everything in it follow? The first divergence of every stream that has one.

Row by row: the versions of a stream without a gap, positions that rise with them, an event that can be read, the digest
chained over the stream, the rows of other streams that it seals. Then what the rows say: every deal judged again
under its match's rules, the match's own totals and end, every other stream folded. At last what commands were answered:
the versions they are remembered with must be there, which finds a stream that was cut short.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import Any
from uuid import UUID

import msgspec

from referee import access
from referee.audit import Divergence, audit
from referee.audit_match import audit_match
from referee.events import MatchOpened, Recorded
from referee.match import Match, access_id, deal_id
from referee.match import evolve as evolve_match
from referee.store.chain import START, Head, link, parse_seal, sealing
from referee.store.codec import to_recorded
from referee.store.evolution import Undecodable
from referee.store.scan import RawRow, Scan


class Damage(msgspec.Struct, frozen=True):
    """The first thing wrong in a stream: `what` in a word, `version` where, `match` and `deal` where they are known."""

    stream: UUID
    version: int
    what: str
    detail: str = ""
    match: UUID | None = None
    deal: int | None = None

    def __str__(self) -> str:
        place = f"match {self.match}" if self.match else f"stream {self.stream}"
        deal = f", deal {self.deal}" if self.deal else ""
        return f"{place}{deal}, entry {self.version}: {self.what}{f' ({self.detail})' if self.detail else ''}"


class Checked(msgspec.Struct, frozen=True):
    """A match (or a stream that belongs to none) that was gone through: how many events, and what is wrong."""

    events: int
    damage: tuple[Damage, ...] = ()


def verify(scan: Scan, only: UUID | None = None) -> Iterator[Checked]:
    """Go through the whole log, or one match, match by match."""
    if only is not None:
        yield _match(scan, only, set())
        yield Checked(0, tuple(_commands(scan, str(only))))
        return
    streams = set(scan.streams())
    for match_id in sorted(streams):
        first = scan.row(match_id, 1)
        if first and (first.topic or "").partition("/")[0] == "MatchOpened":
            yield _match(scan, match_id, streams)
    for stray in sorted(streams):
        rows = scan.rows(stray)
        found = _stream(scan, stray, rows)[1] or Damage(stray, rows[0].version, "belongs to no match")
        yield Checked(len(rows), (found,))
    yield Checked(0, tuple(_commands(scan, None)))


def _match(scan: Scan, id_: UUID, left: set[UUID]) -> Checked:
    """A match, its deals and its capabilities; what was gone through is taken out of `left`."""
    damage: list[Damage] = []
    rows = scan.rows(id_)
    left.discard(id_)
    if not rows:
        return Checked(0, (Damage(id_, 1, "there is no such match"),))
    entries, found = _stream(scan, id_, rows)
    events = len(rows)
    if found:
        damage.append(found)
    match: Match | None = None
    deals: dict[int, Sequence[Recorded]] = {}
    if entries and isinstance(entries[0].event, MatchOpened):
        match = _folded(entries)
    if match is not None:
        for line in match.deals:
            rows = scan.rows(deal_id(id_, line.number))
            left.discard(deal_id(id_, line.number))
            events += len(rows)
            deals[line.number], found = _deal(scan, entries[0].event, match, line.number, rows)
            if found:
                damage.append(found)
    if match is not None and not damage:
        found = _judged(id_, lambda: audit_match(entries, deals))
        if found:
            damage.append(found)
    rows = scan.rows(access_id(id_))
    left.discard(access_id(id_))
    events += len(rows)
    granted, found = _stream(scan, access_id(id_), rows)
    if found:
        damage.append(found)
    elif not granted:
        damage.append(Damage(access_id(id_), 1, "missing", "no capability was ever granted"))
    state = None
    for entry in granted:
        state = access.evolve(state, entry)
    return Checked(events, tuple(msgspec.structs.replace(d, match=id_) for d in damage))


def _folded(entries: Sequence[Recorded]) -> Match | None:
    """The match as far as its entries can be folded."""
    match: Match | None = None
    for entry in entries:
        try:
            match = evolve_match(match, entry)
        except Exception:
            # whatever a damaged row makes of a fold, the row itself is reported
            return match
    return match


def _deal(
    scan: Scan, opened: Any, match: Match, number: int, rows: Sequence[RawRow]
) -> tuple[list[Recorded], Damage | None]:
    id_ = deal_id(match.id, number)
    line = match.deals[number - 1]
    if not rows and not (line.waiting or line.voided or line.mode == "tallied"):
        return [], Damage(id_, 1, "missing", "the match knows this deal", deal=number)
    entries, found = _stream(scan, id_, rows)
    if found:
        return entries, msgspec.structs.replace(found, deal=number)
    found = _judged(id_, lambda: audit(opened, entries)) if entries else None
    return entries, msgspec.structs.replace(found, deal=number) if found else None


def _judged(stream: UUID, judge: Callable[[], Divergence | None]) -> Damage | None:
    try:
        found = judge()
    except Exception as error:
        # a stream that was forged may hold what no game could have made
        return Damage(stream, 0, "cannot be judged", f"{type(error).__name__}: {error}")
    return Damage(stream, found.version, found.what, _said(found)) if found else None


def _stream(scan: Scan, stream: UUID, rows: Sequence[RawRow]) -> tuple[list[Recorded], Damage | None]:
    """The entries of a stream up to its first damage."""
    entries: list[Recorded] = []
    digest, position = START, 0
    for expected, row in enumerate(rows, 1):
        if row.version != expected:
            return entries, Damage(stream, expected, "missing", f"the next one there is {row.version}")
        if row.position <= position:
            return entries, Damage(stream, row.version, "position", "lies before the entry before it in the log")
        position = row.position
        try:
            entry = to_recorded(stream, row.version, row.position, str(row.topic), row.state or b"")
        except Undecodable as error:
            return entries, Damage(stream, row.version, "unreadable", str(error))
        sealed, wrong = _sealed(scan, row)
        if wrong:
            return entries, Damage(stream, row.version, "seal", wrong)
        digest = link(digest, stream, row.version, str(row.topic), row.state or b"", sealed)
        if digest != row.digest:
            return entries, Damage(stream, row.version, "digest", "the entry is not the one that was written")
        entries.append(entry)
    return entries, None


def _sealed(scan: Scan, row: RawRow) -> tuple[bytes, str]:
    """What a row takes in of another stream's row, or what is wrong with that."""
    if row.seals is None:
        return b"", ""
    try:
        stream, version = parse_seal(row.seals)
    except ValueError:
        return b"", "names no row"
    other = scan.row(stream, version)
    if other is None:
        return b"", f"entry {version} of stream {stream} is missing"
    if other.position >= row.position or other.digest is None:
        return b"", f"entry {version} of stream {stream} lies after it in the log"
    return sealing(stream, Head(version, other.digest)), ""


def _commands(scan: Scan, scope: str | None) -> Iterator[Damage]:
    """Commands that were answered with versions that are not there."""
    for command in scan.commands(scope):
        try:
            versions = msgspec.json.decode(command.versions, type=dict[UUID, int])
        except msgspec.DecodeError as error:
            yield Damage(UUID(int=0), 0, "command", f"{command.scope}, key {command.key}: {error}")
            continue
        rows = {stream: scan.row(stream, version) for stream, version in versions.items()}
        for stream, row in rows.items():
            if row is None:
                yield Damage(
                    stream, versions[stream], "missing", f"the command with key {command.key} was answered with it"
                )
                break
        else:
            if rows and max(row.position for row in rows.values() if row) != command.position:
                where = next(iter(versions))
                yield Damage(where, versions[where], "position", f"the command with key {command.key} was told another")


def _said(found: Divergence) -> str:
    reasons: list[Any] = [violation.code for violation in found.violations]
    if found.move:
        reasons.insert(0, f"move {found.move} by seat {found.seat}")
    return ", ".join(reasons)
