"""Build a projection anew beside the live one, compare the two, and swap: nobody who reads notices.

The new generation has tables of its own. It follows the log up to where the live one stands; then, in one transaction
that holds the live one still, it takes the last events, is compared, and becomes the one that is read.
"""

import threading
from collections.abc import Callable
from typing import Final

import msgspec

from projections import base
from projections.base import Projection, View
from projections.runner import Batches, Unreadable
from projections.tables import Execute, Session, Tables
from referee.events import Recorded
from referee.store.log import Reader

BATCH: Final = 2000
NEAR: Final = 200
"""How many events may be left for the transaction that swaps."""


class Running(Exception):
    """The projection is being rebuilt already."""


class Progress(msgspec.Struct, frozen=True):
    """How far a rebuild is: events taken in, its position, and the position it goes to."""

    events: int
    position: int
    target: int


class Rebuilt(msgspec.Struct, frozen=True):
    """A rebuild that was swapped in: its generation, events taken in, and rows that differ from before, by table.

    `compared` is False where the live one had not come as far: it had only begun.
    """

    name: str
    version: int
    generation: int
    position: int
    events: int
    compared: bool
    differences: dict[str, int]


def rebuild(
    tables: Tables,
    reader: Reader,
    projection: Projection,
    stop: threading.Event | None = None,
    tell: Callable[[Progress], None] = lambda _: None,
) -> Rebuilt | None:
    """Rebuild a projection; None if told to stop before the swap. Raises Running, Unreadable, or what its fold raises.

    Killed half-way it leaves tables that nobody reads; the next rebuild removes them.
    """
    with tables.session() as session:
        if not session.lock(f"rebuild {projection.NAME} {projection.VERSION}"):
            raise Running(projection.NAME)
        with session.transaction() as execute:
            base.prepare(execute, projection)
            old = base.live(execute, projection)
            shadow = base.create(execute, projection, old.generation + 1)
        read = _catch_up(session, shadow, reader, stop or threading.Event(), tell)
        if read is None:
            return None
        with session.transaction() as execute:
            found = _swap(execute, shadow, reader, read)
        with session.transaction() as execute:
            base.drop(execute, projection, old.generation)
        return found


def differences(one: View, other: View) -> dict[str, int]:
    """How many rows of one generation are not in the other, or the other way round, by table; without equal tables."""
    found = {}
    for name in one.names():
        here, there = (base.table(v.projection, v.generation, name) for v in (one, other))
        count = sum(
            one(f"SELECT count(*) FROM (SELECT * FROM {a} EXCEPT SELECT * FROM {b}) AS difference")[0][0]
            for a, b in ((here, there), (there, here))
        )
        if count:
            found[name] = count
    return found


def _catch_up(
    session: Session, shadow: View, reader: Reader, stop: threading.Event, tell: Callable[[Progress], None]
) -> int | None:
    """Follow the log to near the live one, or to its end where the live one has not begun; how many events that were."""
    batches, read = Batches(reader), 0
    while not stop.is_set():
        with session.transaction(write=False) as execute:
            target = base.live(execute, shadow.projection).position or reader.head()
        entries = _upto(batches.after(shadow.position, BATCH), target)
        near = len(entries) < NEAR
        if entries:
            with session.transaction() as execute:
                base.take(View(execute, shadow.projection, shadow.generation), entries)
            shadow.position, read = entries[-1].position, read + len(entries)
        tell(Progress(read, shadow.position, target))
        if near:
            return read
    return None


def _swap(execute: Execute, shadow: View, reader: Reader, read: int) -> Rebuilt:
    projection = shadow.projection
    # holds the live one where it is: its own step begins with this row
    execute(
        "UPDATE projection SET position = position WHERE name = %s AND version = %s",
        projection.NAME,
        projection.VERSION,
    )
    live = base.live(execute, projection)
    new = View(execute, projection, shadow.generation)
    batches, at = Batches(reader), shadow.position
    while entries := _upto(batches.after(at, BATCH), live.position):
        base.take(new, entries)
        at, read = entries[-1].position, read + len(entries)
    compared = live.position == at
    found = differences(live, new) if compared else {}
    execute(
        "UPDATE projection SET generation = %s, position = %s, events = %s WHERE name = %s AND version = %s",
        shadow.generation,
        max(at, live.position),
        read,
        projection.NAME,
        projection.VERSION,
    )
    return Rebuilt(projection.NAME, projection.VERSION, shadow.generation, at, read, compared, found)


def _upto(entries: list[Recorded], position: int) -> list[Recorded]:
    if not entries or entries[-1].position <= position:
        return entries
    return [entry for entry in entries if entry.position <= position]


__all__ = ["Progress", "Rebuilt", "Running", "Unreadable", "differences", "rebuild"]
