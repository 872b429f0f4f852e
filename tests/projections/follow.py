"""Following a log in tests, without threads: catch up, read every row."""

import sys
import threading
from typing import Any

from projections import base, irregularities, matches, players, standings, totals
from projections.base import Projection
from projections.runner import Batches, run, step
from projections.tables import Tables
from referee.store import open_reader

ALL: tuple[Projection, ...] = (totals, matches, standings, players, irregularities)


def prepare(tables: Tables, *projections: Projection) -> None:
    """Create the tables."""
    with tables.transaction() as execute:
        for projection in projections or ALL:
            base.prepare(execute, projection)


def catch_up(database: str, *projections: Projection) -> None:
    """Apply all that is in the log."""
    tables, reader = Tables(database), open_reader(database)
    prepare(tables, *projections)
    with tables.session() as session:
        batches = Batches(reader)
        for projection in projections or ALL:
            while True:
                with session.transaction(write=False) as execute:
                    view = base.live(execute, projection)
                done = step(session, view, batches)
                assert not done.stopped, f"{projection.NAME} stopped"
                if not done.applied:
                    break
    reader.close()
    tables.close()


def rows(database: str, projection: Projection) -> dict[str, set[tuple[Any, ...]]]:
    """Every row of every table of the live generation."""
    tables = Tables(database)
    with tables.transaction(write=False) as execute:
        view = base.live(execute, projection)
        found = {name: set(view(f"SELECT * FROM {{{name}}}")) for name in view.names()}
    tables.close()
    return found


if __name__ == "__main__":
    run(Tables(sys.argv[1]), open_reader(sys.argv[1]), ALL, threading.Event())
