"""Live, rebuilt and freshly folded tables are the same, whatever happened in the matches."""

import random
import threading
from uuid import UUID

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from projections import base, totals
from projections.rebuild import Running, rebuild
from projections.runner import Batches, step
from projections.status import Fold, entries, verify
from projections.tables import Tables
from referee.store import open_log, open_reader
from tests.projections.follow import ALL, catch_up, prepare, rows
from tests.projections.logs import Book, random_changes, write


@settings(
    max_examples=4, deadline=None, suppress_health_check=list(HealthCheck), phases=[Phase.explicit, Phase.generate]
)
@given(seed=st.integers(0, 2**32))
def test_live_is_rebuilt_is_a_fresh_fold(database: str, seed: int) -> None:
    import asyncio

    log, rng = open_log(database), random.Random(seed)
    tables, reader = Tables(database), open_reader(database)
    prepare(tables)
    pens, changes = random_changes(seed, matches=4, steps=60)

    async def live() -> None:
        """Written and followed in turns, each projection stepping when it likes."""
        book = Book(log)
        with tables.session() as session:
            for change in changes:
                await book.write(change)
                for projection in ALL:
                    if rng.random() < 0.2:
                        with session.transaction(write=False) as execute:
                            view = base.live(execute, projection)
                        assert not step(session, view, Batches(reader)).stopped

    asyncio.run(live())
    catch_up(database)
    asyncio.run(log.close())
    lived = {projection.NAME: rows(database, projection) for projection in ALL}
    for projection in ALL:
        fold = Fold(projection)
        for entry in entries(reader, reader.head()):
            fold.take(entry)
        fresh: dict[str, set[tuple[object, ...]]] = {name: set() for name in lived[projection.NAME]}
        for name, row in fold.rows():
            fresh[name].add(tuple(row))
        assert fresh == lived[projection.NAME]
        done = rebuild(tables, reader, projection)
        assert done is not None
        assert done.compared
        assert done.differences == {}
        assert rows(database, projection) == lived[projection.NAME]
    assert verify(tables, reader, ALL) == []
    with tables.transaction(write=False) as execute:
        for pen in pens:
            sheet = totals.read(base.live(execute, totals), pen.match)
            assert sheet is not None
            assert tuple(seat.total for seat in sheet.seats) == pen.totals
            assert {deal.number: deal.points for deal in sheet.deals} == pen.points
            assert bool(sheet.winners or sheet.state == "abandoned") == pen.over
    reader.close()
    tables.close()


def test_what_is_wrong_is_found_and_mended(database: str) -> None:
    pens, changes = random_changes(3, matches=2, steps=30)
    log = open_log(database)
    write(log, *changes)
    catch_up(database)
    tables, reader = Tables(database), open_reader(database)
    with tables.transaction() as execute:
        view = base.live(execute, totals)
        view("UPDATE {doc} SET doc = %s WHERE key = %s", "{}", str(pens[0].match))
    assert [(found.projection, found.table, found.match) for found in verify(tables, reader, ALL)] == [
        ("totals", "doc", str(pens[0].match))
    ]
    done = rebuild(tables, reader, totals)
    assert done is not None
    assert done.differences == {"doc": 2}
    assert verify(tables, reader, ALL) == []
    reader.close()
    tables.close()


def test_reads_see_no_gap_while_rebuilding(database: str) -> None:
    pens, changes = random_changes(5, matches=6, steps=200)
    write(open_log(database), *changes)
    catch_up(database)
    tables, reader = Tables(database), open_reader(database)
    expected = pens[0].totals
    stop, seen = threading.Event(), list[object]()

    def look() -> None:
        while not stop.is_set():
            sheet = tables.read(lambda execute: totals.read(base.live(execute, totals), pens[0].match))
            seen.append(tuple(seat.total for seat in sheet.seats) if sheet else None)

    reading = [threading.Thread(target=look) for _ in range(2)]
    for thread in reading:
        thread.start()
    generations = [done.generation for _ in range(5) if (done := rebuild(tables, reader, totals))]
    stop.set()
    for thread in reading:
        thread.join()
    assert generations == [2, 3, 4, 5, 6]
    assert len(seen) > 5
    assert set(seen) == {expected}
    with tables.transaction(write=False) as execute:
        names = (
            "SELECT name FROM sqlite_master WHERE type = 'table'"
            if execute.lite
            else "SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        )
        left = {name for (name,) in execute(names) if name.startswith("totals_")}
    assert left == {"totals_v1_g6_doc", "totals_v1_g6_stream"}
    reader.close()
    tables.close()


def test_one_rebuild_at_a_time(database: str) -> None:
    tables, reader = Tables(database), open_reader(database)
    prepare(tables)
    with tables.session() as other:
        assert other.lock("rebuild totals 1")
        with pytest.raises(Running):
            rebuild(tables, reader, totals)
    assert rebuild(tables, reader, totals) is not None
    reader.close()
    tables.close()


def test_another_schema_lives_beside_the_old_one(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pens, changes = random_changes(11, matches=2, steps=30)
    write(open_log(database), *changes)
    catch_up(database, totals)
    tables, reader = Tables(database), open_reader(database)
    monkeypatch.setattr(totals, "VERSION", 2)
    done = rebuild(tables, reader, totals)
    assert done is not None
    assert (done.version, done.compared) == (2, False)
    for version in (1, 2):
        monkeypatch.setattr(totals, "VERSION", version)
        sheet = tables.read(lambda execute: totals.read(base.live(execute, totals), pens[0].match))
        assert sheet is not None
        assert tuple(seat.total for seat in sheet.seats) == pens[0].totals
    reader.close()
    tables.close()


def test_a_match_nobody_opened_is_not_there(database: str) -> None:
    tables = Tables(database)
    prepare(tables)
    assert tables.read(lambda execute: totals.read(base.live(execute, totals), UUID(int=1))) is None
    tables.close()
