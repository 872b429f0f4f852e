"""Follow the log and bring the read tables up to date: every event once, in order, whatever stops and starts."""

import logging
import threading
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

import msgspec

from projections import base
from projections.base import Projection, Stopped, View
from projections.tables import UNAVAILABLE, Session, Tables
from projections.wake import Bell
from referee.events import Recorded
from referee.store.log import Reader

BATCH: Final = 1000
RETRY_SECONDS: Final = 1.0
LOCK_SECONDS: Final = 1.0
STOPPED_SECONDS: Final = 30.0
IDLE_SECONDS: Final = (0.02, 0.5)
"""How long to wait for a wake-up before looking anyway: longer each time that nothing was there."""

log = logging.getLogger(__name__)


class Unreadable(Exception):
    """The entry after this position cannot be read as an event."""

    def __init__(self, after: int) -> None:
        super().__init__(f"the entry after position {after} cannot be read")


class Batches:
    """What comes after a position, for several who follow at about the same place: read once, given to each."""

    def __init__(self, reader: Reader) -> None:
        self._reader, self._after, self._entries = reader, 0, list[Recorded]()

    def after(self, position: int, limit: int = BATCH) -> list[Recorded]:
        """At most `limit` entries past a position. Raises Unreadable, or what the reader raises."""
        if self._entries and self._after <= position < self._entries[-1].position:
            return [entry for entry in self._entries if entry.position > position]
        self._after, self._entries = position, _read(self._reader, position, limit)
        return self._entries


class Step(NamedTuple):
    """How many events were applied; whether the projection stands before one that it cannot apply."""

    applied: int
    stopped: bool = False


def step(session: Session, at: View, batches: Batches) -> Step:
    """Apply the events after a live generation's position, at most BATCH of them. Raises one of UNAVAILABLE.

    An event that cannot be applied stops the projection before it, and is written down; the next step tries again.
    """
    try:
        entries = batches.after(at.position)
    except Unreadable as error:
        return _stop(session, at, None, error)
    return _advance(session, at, entries)


def run(
    tables: Tables, reader: Reader, projections: Sequence[Projection], stop: threading.Event, bell: Bell | None = None
) -> None:
    """Follow the log until told to stop, each projection only while no other process does.

    A database that does not answer is tried again; the batch under way is finished before this returns.
    """
    bell = bell or Bell(tables.database)
    while not stop.is_set():
        try:
            with tables.session() as session:
                _follow(session, Batches(reader), projections, stop, bell)
        except UNAVAILABLE as error:
            log.warning("the read tables wait for their database: %s", type(error).__name__)
        except Exception:
            log.exception("the read tables could not be brought up to date; trying again")
        if not stop.is_set():
            stop.wait(RETRY_SECONDS)
    bell.close()


def _follow(
    session: Session, batches: Batches, projections: Sequence[Projection], stop: threading.Event, bell: Bell
) -> None:
    mine: dict[str, Projection] = {}
    resting: dict[str, float] = {}
    looked, idle = -LOCK_SECONDS, IDLE_SECONDS[0]
    while not stop.is_set():
        now = time.monotonic()
        if len(mine) < len(projections) and now - looked >= LOCK_SECONDS:
            looked = now
            mine |= {p.NAME: p for p in projections if p.NAME not in mine and _claim(session, p)}
        awake = [projection for name, projection in mine.items() if resting.get(name, 0) <= now]
        with session.transaction(write=False) as execute:
            views = [base.live(execute, projection) for projection in awake]
        read = 0
        for view in views:
            applied, stuck = step(session, view, batches)
            read += applied
            if stuck:
                resting[view.projection.NAME] = now + STOPPED_SECONDS
        idle = IDLE_SECONDS[0] if read or bell.wait(idle, stop) else min(idle * 2, IDLE_SECONDS[1])


def _claim(session: Session, projection: Projection) -> bool:
    if not session.lock(f"follow {projection.NAME} {projection.VERSION}"):
        return False
    with session.transaction() as execute:
        base.prepare(execute, projection)
    return True


def _advance(session: Session, at: View, entries: Sequence[Recorded]) -> Step:
    """Apply entries; where some cannot be, those before the first such one."""
    if not entries:
        return Step(0)
    try:
        return Step(_commit(session, at, entries))
    except UNAVAILABLE:
        raise
    except Exception as error:
        if len(entries) == 1:
            return _stop(session, at, entries[0], error)
    half = len(entries) // 2
    first = _advance(session, at, entries[:half])
    if first.stopped or first.applied < half:
        return first
    rest = _advance(session, at, entries[half:])
    return Step(first.applied + rest.applied, rest.stopped)


def _commit(session: Session, at: View, entries: Sequence[Recorded]) -> int:
    """Apply entries and move the position, in one transaction, and only from where it stood: 0 if it stands elsewhere."""
    with session.transaction() as execute:
        mine = execute(
            "UPDATE projection SET position = %s, events = events + %s, stopped = NULL"
            " WHERE name = %s AND version = %s AND generation = %s AND position = %s RETURNING position",
            entries[-1].position,
            len(entries),
            at.projection.NAME,
            at.projection.VERSION,
            at.generation,
            at.position,
        )
        if not mine:
            return 0
        base.take(View(execute, at.projection, at.generation), entries)
    at.position = entries[-1].position
    return len(entries)


def _stop(session: Session, at: View, entry: Recorded | None, error: Exception) -> Step:
    name = at.projection.NAME
    what = Stopped(
        entry.position if entry else None,
        str(entry.event.__struct_config__.tag) if entry else "unreadable",
        str(entry.stream) if entry else None,
        f"{type(error).__name__}: {error}",
        datetime.now(UTC).isoformat(timespec="seconds"),
    )
    log.error("projection %s stopped at %s (%s): %s", name, what.position, what.event, what.why, exc_info=error)
    with session.transaction() as execute:
        execute(
            "UPDATE projection SET stopped = %s WHERE name = %s AND version = %s AND generation = %s AND position = %s",
            msgspec.json.encode(what).decode(),
            name,
            at.projection.VERSION,
            at.generation,
            at.position,
        )
    return Step(0, stopped=True)


def _read(reader: Reader, after: int, limit: int) -> list[Recorded]:
    """As many entries as can be read. Raises Unreadable if the very next one cannot be."""
    try:
        return reader.follow(after, limit)
    except (
        ValueError,
        msgspec.MsgspecError,
    ) as error:  # a row that holds no event, as the store or the decoder says it
        if limit == 1:
            raise Unreadable(after) from error
        return _read(reader, after, limit // 2)
