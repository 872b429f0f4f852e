"""Follow the log and bring the read tables up to date: every event once, in order, whatever stops and starts."""

import logging
import threading
from collections.abc import Sequence
from typing import Final, Protocol

from projections.tables import UNAVAILABLE, Execute, Tables
from referee.events import Recorded
from referee.store.log import Reader

BATCH: Final = 500
POLL_SECONDS: Final = 0.05
RETRY_SECONDS: Final = 1.0
POSITIONS: Final = "CREATE TABLE IF NOT EXISTS projection_position (name TEXT PRIMARY KEY, position BIGINT NOT NULL)"

log = logging.getLogger(__name__)


class Projection(Protocol):
    """What a projection's module provides."""

    @property
    def NAME(self) -> str: ...
    @property
    def TABLES(self) -> Sequence[str]: ...
    def apply(self, execute: Execute, recorded: Recorded) -> None: ...


def prepare(tables: Tables, projection: Projection) -> None:
    """Create the tables that are not there yet."""
    with tables.transaction() as execute:
        for statement in (POSITIONS, *projection.TABLES):
            execute(statement)
        execute("INSERT INTO projection_position VALUES (%s, 0) ON CONFLICT DO NOTHING", projection.NAME)


def position(execute: Execute, name: str) -> int:
    """How far a projection has read the log; 0 if it has not begun."""
    rows = execute("SELECT position FROM projection_position WHERE name = %s", name)
    return int(rows[0][0]) if rows else 0


def step(reader: Reader, tables: Tables, projection: Projection) -> int:
    """Apply the next events, at most BATCH of them; how many there were.

    The position moves in the transaction that holds their effects, and only from where it was read: a second runner
    changes nothing, and an event counts once however often this stops half-way.
    """
    with tables.transaction() as execute:
        at = position(execute, projection.NAME)
    entries = reader.follow(at, BATCH)
    if not entries:
        return 0
    with tables.transaction() as execute:
        mine = execute(
            "UPDATE projection_position SET position = %s WHERE name = %s AND position = %s RETURNING position",
            entries[-1].position,
            projection.NAME,
            at,
        )
        if mine:
            for recorded in entries:
                projection.apply(execute, recorded)
    return len(entries)


def run(reader: Reader, tables: Tables, projections: Sequence[Projection], stop: threading.Event) -> None:
    """Follow the log until told to stop; a database that does not answer is tried again."""
    ready = False
    while not stop.is_set():
        try:
            if not ready:
                for projection in projections:
                    prepare(tables, projection)
                ready = True
            read = sum(step(reader, tables, projection) for projection in projections)
        except UNAVAILABLE as error:
            log.warning("the read tables wait for their database: %s", type(error).__name__)
            stop.wait(RETRY_SECONDS)
            continue
        except Exception:
            log.exception("the read tables could not be brought up to date; trying again")
            stop.wait(RETRY_SECONDS)
            continue
        if not read:
            stop.wait(POLL_SECONDS)
