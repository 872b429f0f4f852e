"""How far every projection is, and whether its tables are what the log says."""

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

import msgspec

from projections import base
from projections.base import Projection, Stopped
from projections.runner import BATCH, Batches, Unreadable
from projections.tables import Tables
from referee.events import Recorded
from referee.store.log import Reader

COUNTED: Final = 1000
"""The lag is counted up to so many events: positions have gaps, so counting means reading."""


class Status(msgspec.Struct, frozen=True):
    """A projection: the generation that is read, its position in the log, events taken in.

    The lag is in events (1000 stands for as many or more) and in seconds since the oldest of them was written;
    seconds are null where that event cannot be read.
    """

    name: str
    version: int
    generation: int
    position: int
    events: int
    lag_events: int
    lag_seconds: float | None
    stopped: Stopped | None


class Difference(msgspec.Struct, frozen=True):
    """A match whose rows in a table are not what its events give."""

    projection: str
    table: str
    match: str


def status(tables: Tables, reader: Reader, projections: Sequence[Projection]) -> list[Status]:
    """Where every projection stands. Raises UNAVAILABLE or what the reader raises."""
    with tables.transaction(write=False) as execute:
        rows = execute("SELECT name, version, generation, position, events, stopped FROM projection")
    known = {(name, version): rest for name, version, *rest in rows}
    batches, found = Batches(reader), []
    for projection in projections:
        line = known.get((projection.NAME, projection.VERSION))
        generation, position, events, stopped = line or (0, 0, 0, None)
        behind, seconds = _lag(batches, position)
        why = msgspec.json.decode(stopped, type=Stopped) if stopped else None
        found.append(Status(projection.NAME, projection.VERSION, generation, position, events, behind, seconds, why))
    return found


def verify(tables: Tables, reader: Reader, projections: Sequence[Projection]) -> list[Difference]:
    """Compare every table with a fresh fold of the log, in memory, up to where the projection stood. Empty if all agree."""
    stored: list[tuple[Projection, int, Mapping[tuple[str, str], int]]] = []
    for projection in projections:
        with tables.transaction(write=False) as execute:
            view = base.live(execute, projection)
            rows = ((name, row) for name in view.names() for row in view(f"SELECT * FROM {{{name}}}"))
            stored.append((projection, view.position, _sums(rows)))
    folds = {projection.NAME: Fold(projection) for projection in projections}
    for entry in entries(reader, max((position for _, position, _ in stored), default=0)):
        for projection, position, _ in stored:
            if entry.position <= position:
                folds[projection.NAME].take(entry)
    found = []
    for projection, _, sums in stored:
        fresh = _sums(folds[projection.NAME].rows())
        wrong = {place for place in sums.keys() | fresh.keys() if sums.get(place) != fresh.get(place)}
        found += [Difference(projection.NAME, table, key) for table, key in sorted(wrong)]
    return found


class Fold:
    """A projection folded in memory, an event at a time: what its tables must hold."""

    def __init__(self, projection: Projection) -> None:
        self._projection = projection
        self._docs: dict[str, tuple[Any, int]] = {}
        self._streams: dict[str, str] = {}

    def take(self, entry: Recorded) -> None:
        """One more event."""
        if not self._projection.hears(entry.event):
            return
        (key,), told = base.keys_of(lambda streams: {s: self._streams[s] for s in streams}, [entry])
        self._streams |= told
        doc, _ = self._docs.get(key, (None, 0))
        self._docs[key] = self._projection.evolve(doc, entry), entry.position

    def rows(self) -> Iterator[tuple[str, Sequence[Any]]]:
        """Every row with its table."""
        for key, (doc, position) in self._docs.items():
            yield "doc", (key, position, base.encode(doc))
            for name, rows in self._projection.rows(key, doc).items():
                for row in rows:
                    yield name, row


def entries(reader: Reader, upto: int) -> Iterator[Recorded]:
    """The log from its beginning up to a position."""
    at = 0
    while batch := reader.follow(at, BATCH):
        for entry in batch:
            if entry.position > upto:
                return
            yield entry
        at = batch[-1].position


def _sums(rows: Iterator[tuple[str, Sequence[Any]]]) -> Counter[tuple[str, str]]:
    """A digest of every match's rows by table, whatever their order."""
    sums: Counter[tuple[str, str]] = Counter()
    for name, row in rows:
        digest = hashlib.sha256(repr(tuple(row)).encode()).digest()
        sums[name, row[0]] += int.from_bytes(digest[:16], "big")
    return sums


def _lag(batches: Batches, position: int) -> tuple[int, float | None]:
    try:
        waiting = batches.after(position, COUNTED)
    except Unreadable:
        return 1, None
    if not waiting:
        return 0, 0.0
    return len(waiting), max(0.0, (datetime.now(UTC) - waiting[0].at).total_seconds())
