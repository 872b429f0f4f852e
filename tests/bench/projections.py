"""How fast the projections read a log, and what readers notice: `python -m tests.bench.projections [--events N]`.

Catch-up of all five projections together at 10^4 events and ten times as many up to N, so that growth shows; beside it
the same with one event a transaction, as a plain runner would do it (the baseline of the ratio). Then a rebuild of each
projection while readers go on, and the match list's first page with 20 and with many matches. `--database postgresql`
starts a server of its own. The last line is one JSON object with every figure; nothing is asserted.
"""

import argparse
import asyncio
import json
import random
import statistics
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

from projections import base, matches, runner, standings, totals
from projections.rebuild import rebuild
from projections.runner import Batches, step
from projections.tables import Execute, Tables
from referee.store import migrate, open_log, open_reader
from tests.postgres import Server
from tests.projections.follow import ALL, prepare
from tests.projections.logs import Book, Change, Pen

PEOPLE = [UUID(int=number + 1) for number in range(200)]
DEALS = 10


def whole_match(rng: random.Random, game: str | None = None, deals: int = DEALS) -> Change:
    """A match of some deals, a correction in it."""
    pen = Pen(rng, rng.sample(PEOPLE, 4), game)
    pen.target = 10_000
    change = pen.open()
    for _ in range(deals):
        change += pen.start()
        for _ in range(10):
            change += pen.move()
        change += pen.score()
    return change + (pen.correct() if deals else [])


async def write_log(database: str, events: int, deals: int = DEALS) -> int:
    """Fill a log with whole matches until it holds so many events; how many it holds."""
    rng, log = random.Random(events), open_log(database)
    book = Book(log)
    while book.written < events:
        await book.write(whole_match(rng, deals=deals))
    await log.close()
    return book.written


def catch_up(database: str, batch: int, most: int | None = None) -> tuple[int, float, float]:
    """Bring all projections up to date; events, seconds, and seconds of CPU time of this process."""
    tables, reader = Tables(database), open_reader(database)
    prepare(tables)
    begin, cpu, read = time.perf_counter(), time.process_time(), dict.fromkeys((p.NAME for p in ALL), 0)
    before, runner.BATCH = runner.BATCH, batch  # type: ignore[misc]
    with tables.session() as session:
        batches = _Batches(reader, batch)
        while most is None or read["totals"] < most:
            with session.transaction(write=False) as execute:
                views = [base.live(execute, projection) for projection in ALL]
            done = [step(session, view, batches).applied for view in views]
            for projection, count in zip(ALL, done, strict=True):
                read[projection.NAME] += count
            if not any(done):
                break
    runner.BATCH = before  # type: ignore[misc]
    seconds, cpu = time.perf_counter() - begin, time.process_time() - cpu
    reader.close()
    tables.close()
    return read["totals"], seconds, cpu


class _Batches(Batches):
    def __init__(self, reader: Any, size: int) -> None:
        super().__init__(reader)
        self._size = size

    def after(self, position: int, limit: int = 0) -> Any:
        return super().after(position, self._size)


def decode_only(database: str) -> float:
    """Events a second that the log reader alone gives."""
    reader = open_reader(database)
    begin, at, count = time.perf_counter(), 0, 0
    while entries := reader.follow(at, runner.BATCH):
        at, count = entries[-1].position, count + len(entries)
    reader.close()
    return count / (time.perf_counter() - begin)


def rebuild_with_readers(database: str) -> dict[str, Any]:
    """Rebuild every projection while two readers ask; what they waited, and whether anything was ever missing."""
    tables, reader = Tables(database), open_reader(database)
    lines, _ = tables.read(lambda e: matches.read(base.live(e, matches), matches.Wanted(), None, 20))
    known = lines[-1].match
    waits: list[float] = []
    missing = 0
    stop = threading.Event()

    def look() -> None:
        nonlocal missing
        while not stop.is_set():
            begin = time.perf_counter()
            sheet = tables.read(lambda e: totals.read(base.live(e, totals), known))
            page, _ = tables.read(lambda e: matches.read(base.live(e, matches), matches.Wanted(), None, 20))
            waits.append(time.perf_counter() - begin)
            missing += sheet is None or len(page) < min(20, len(lines))
            time.sleep(0.005)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    figures: dict[str, Any] = {}
    begin = time.perf_counter()
    for projection in ALL:
        at = time.perf_counter()
        done = rebuild(tables, reader, projection)
        assert done is not None
        figures[projection.NAME] = {
            "events_per_second": round(done.events / (time.perf_counter() - at)),
            "differences": done.differences,
        }
    seconds = time.perf_counter() - begin
    stop.set()
    for thread in threads:
        thread.join()
    reader.close()
    tables.close()
    return {
        "projections": figures,
        "seconds": round(seconds, 2),
        "reads": len(waits),
        "reads_missing": missing,
        "read_p95_ms": _p95(waits),
        "read_max_ms": round(max(waits) * 1e3, 1),
    }


def first_page(database: str) -> dict[str, Any]:
    """Queries and time of the match list's first page, and of standings over everything."""
    tables = Tables(database)
    counted: list[str] = []
    ask = Execute.__call__

    def counting(self: Execute, statement: str, *values: Any) -> Any:
        counted.append(statement)
        return ask(self, statement, *values)

    def page() -> int:
        lines, _ = tables.read(lambda e: matches.read(base.live(e, matches), matches.Wanted(), None, 20))
        return len(lines)

    page()
    Execute.__call__ = counting  # type: ignore[method-assign]
    found = page()
    Execute.__call__ = ask  # type: ignore[method-assign]
    waits = []
    for _ in range(300):
        begin = time.perf_counter()
        page()
        waits.append(time.perf_counter() - begin)
    begin = time.perf_counter()
    tables.read(lambda e: standings.read(base.live(e, standings), standings.Wanted(), 100))
    standings_ms = (time.perf_counter() - begin) * 1e3
    tables.close()
    queries = sum(text.startswith("SELECT") for text in counted)
    return {"lines": found, "queries": queries, "p95_ms": _p95(waits), "standings_ms": round(standings_ms, 1)}


def _p95(seconds: list[float]) -> float:
    return round(statistics.quantiles(seconds, n=20)[-1] * 1e3, 2)


@contextmanager
def databases(kind: str) -> Iterator[Any]:
    """Gives a function that makes a new database."""
    if kind == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            names = iter(range(100))

            def new() -> str:
                address = f"sqlite:{Path(folder) / str(next(names))}.db"
                migrate(address)
                return address

            yield new
        return
    server = Server()

    def new_on_server() -> str:
        address = server.database()
        migrate(address)
        return address

    try:
        yield new_on_server
    finally:
        server.remove()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--events", type=int, default=100_000)
    parser.add_argument("--matches", type=int, default=20_000)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    given = parser.parse_args()
    figures: dict[str, Any] = {"database": given.database, "catch_up": {}}
    with databases(given.database) as new:
        size = 10_000
        while size <= given.events:
            database = new()
            written = asyncio.run(write_log(database, size))
            alone = decode_only(database)
            slow, slow_seconds, _ = catch_up(database, 1, 1000)
            read, seconds, cpu = catch_up(database, runner.BATCH)
            rate, plain = read / seconds, slow / slow_seconds
            figures["catch_up"][size] = {
                "events": written,
                "seconds": round(seconds, 2),
                "events_per_second": round(rate),
                "events_per_cpu_second": round(read / cpu),
                "reader_alone": round(alone),
                "one_event_a_transaction": round(plain),
                "ratio": round(rate / plain, 1),
            }
            print(f"{written} events by 5 projections: {rate:,.0f}/s ({read / cpu:,.0f} a CPU second),"
                  f" {rate / plain:.0f}x one event a transaction"
                  f" ({plain:,.0f}/s); the reader alone {alone:,.0f}/s")  # fmt: skip
            size *= 10
        figures["rebuild"] = rebuild_with_readers(database)
        shown = figures["rebuild"]
        print(f"rebuild of all under reads: {shown['seconds']} s, {shown['reads']} reads, {shown['reads_missing']} missing, "
              f"p95 {shown['read_p95_ms']} ms, longest {shown['read_max_ms']} ms")  # fmt: skip
        figures["first_page"] = {}
        for count in (20, given.matches):
            database = new()
            asyncio.run(write_log(database, count * 3, deals=0))
            catch_up(database, runner.BATCH)
            figures["first_page"][count] = first_page(database)
            print(f"first page of about {count} matches: {figures['first_page'][count]}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
