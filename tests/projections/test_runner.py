"""The runner: every event once whatever stops it, one at a time, past what it cannot read, woken when there is more."""

import asyncio
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from projections import base, matches, runner, standings, totals
from projections.runner import Batches, Step, run, step
from projections.status import status, verify
from projections.tables import Tables
from projections.wake import APART_SECONDS, CHANNEL, Bell
from referee.events import DealStarted, Recorded
from referee.store import migrate, open_log, open_reader, sqlite_path
from referee.store.evolution import Undecodable
from referee.store.log import Reader
from tests.conftest import SQLITE
from tests.postgres import Server
from tests.projections.follow import ALL, catch_up, prepare, rows
from tests.projections.logs import Book, random_changes, write

KILLS = int(os.environ.get("REFEREE_KILLS", "3"))
WRITERS = 4


@contextmanager
def followed(database: str, bell: Bell | None = None, projections: Any = ALL) -> Iterator[None]:
    """A runner in a thread."""
    reader, tables, stop = open_reader(database), Tables(database), threading.Event()
    thread = threading.Thread(target=run, args=(tables, reader, projections, stop, bell))
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join(20)
        assert not thread.is_alive(), "it did not stop"
        reader.close()
        tables.close()


def stop_soon(bell: Bell) -> None:
    """Ring until the runner, told to stop in the meantime, has heard it."""
    timers = [threading.Timer(seconds / 4, bell.ring) for seconds in range(1, 9)]
    for timer in timers:
        timer.daemon = True
        timer.start()


def until(true: Callable[[], bool], seconds: float = 90.0) -> None:
    """Wait for something to become true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


def position_of(database: str, projection: Any) -> int:
    tables = Tables(database)
    try:
        with tables.transaction(write=False) as execute:
            return base.live(execute, projection).position
    except (base.NotThere, psycopg.errors.UndefinedTable):
        return -1
    finally:
        tables.close()


def at_the_end(database: str, reader: Reader) -> bool:
    """Whether every projection has read all that is committed; what an open transaction holds back is not yet given."""
    return not reader.held_back() and all(position_of(database, one) == reader.head() for one in ALL)


async def write_with_delays(database: str, seed: int, done: threading.Event) -> int:
    """Several writers, each with a few matches and pauses of random length; how many events they wrote."""

    async def writer(number: int) -> int:
        rng, log = random.Random(seed * 100 + number), open_log(database)
        book = Book(log)
        _, changes = random_changes(seed * 100 + number, matches=2, steps=10_000)
        for change in changes:
            await book.write(change)
            await asyncio.sleep(rng.random() * 0.04)
            if done.is_set():
                break
        await log.close()
        return book.written

    return sum(await asyncio.gather(*(writer(number) for number in range(WRITERS))))


def test_every_event_once_whenever_the_runner_is_killed(database: str) -> None:
    rng, done = random.Random(1), threading.Event()
    written: list[int] = []
    writing = threading.Thread(target=lambda: written.append(asyncio.run(write_with_delays(database, 1, done))))
    writing.start()
    by_module = [sys.executable, "-m", "tests.projections.follow", database]
    by_command = [sys.executable, "-m", "referee.cli", "project", "--database", database]
    seen = -1
    for kill in range(KILLS + 1):
        command = by_module if kill < KILLS else by_command
        follower = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        until(lambda seen=seen: position_of(database, totals) > seen)  # type: ignore[misc]
        time.sleep(rng.random() * 0.3)
        if kill < KILLS:
            follower.kill()
            follower.wait()
            seen = position_of(database, totals)
    done.set()
    writing.join()
    reader, tables = open_reader(database), Tables(database)
    until(lambda: at_the_end(database, reader), 60)
    follower.send_signal(signal.SIGTERM)
    assert follower.wait(60) == 0
    for one in status(tables, reader, ALL):
        assert (one.events, one.lag_events, one.stopped) == (written[0], 0, None)
    assert verify(tables, reader, ALL) == []
    reader.close()
    tables.close()


def test_an_event_it_cannot_take_stops_one_projection_only(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, changes = random_changes(2, matches=3, steps=40)
    write(open_log(database), *changes)
    reader, tables = open_reader(database), Tables(database)
    everything = reader.follow(0, 10_000)
    poison = [entry for entry in everything if isinstance(entry.event, DealStarted)][2]
    evolve = totals.evolve

    def refusing(doc: Any, recorded: Recorded) -> Any:
        if recorded.position == poison.position:
            raise KeyError("no such thing")
        return evolve(doc, recorded)

    monkeypatch.setattr(totals, "evolve", refusing)
    bell = Bell(database)
    with followed(database, bell):
        until(lambda: position_of(database, matches) == reader.head())
        until(lambda: status(tables, reader, [totals])[0].stopped is not None)
        (found,) = status(tables, reader, [totals])
        before = [entry for entry in everything if entry.position < poison.position]
        assert (found.position, found.events) == (before[-1].position, len(before))
        assert found.lag_events == len(everything) - len(before)
        assert found.stopped is not None
        assert (found.stopped.position, found.stopped.event) == (poison.position, "DealStarted")
        assert found.stopped.stream == str(poison.stream)
        assert "no such thing" in found.stopped.why
    monkeypatch.setattr(totals, "evolve", evolve)
    with followed(database):
        until(lambda: position_of(database, totals) == reader.head())
    assert status(tables, reader, [totals])[0].stopped is None
    assert status(tables, reader, [totals])[0].events == len(everything)
    assert verify(tables, reader, ALL) == []
    reader.close()
    tables.close()


class Torn:
    """A reader whose log holds an entry that is no event."""

    def __init__(self, reader: Reader, at: int) -> None:
        self._reader, self.at = reader, at

    def follow(self, after: int, limit: int) -> list[Recorded]:
        found = self._reader.follow(after, limit)
        if any(entry.position == self.at for entry in found):
            raise Undecodable("not an event")
        return found


def test_an_entry_that_is_no_event_stops_before_it(database: str) -> None:
    _, changes = random_changes(4, matches=2, steps=20)
    write(open_log(database), *changes)
    reader, tables = open_reader(database), Tables(database)
    prepare(tables)
    everything = reader.follow(0, 10_000)
    torn = Torn(reader, everything[17].position)
    with tables.session() as session:

        def step_on(source: Any) -> Step:
            with session.transaction(write=False) as execute:
                view = base.live(execute, totals)
            return step(session, view, Batches(source))

        while (done := step_on(torn)).applied:
            pass
        assert done.stopped
        (found,) = status(tables, reader, [totals])
        assert found.position == everything[16].position
        assert found.stopped is not None
        assert found.stopped.event == "unreadable"
        torn.at = 0
        assert step_on(torn) == Step(len(everything) - 17)
    assert status(tables, reader, [totals])[0].stopped is None
    reader.close()
    tables.close()


def test_one_runner_at_a_time_and_the_next_takes_over(database: str) -> None:
    one, other = Tables(database), Tables(database)
    with other.session() as waiting:
        with one.session() as first:
            assert first.lock("follow totals 1")
            assert first.lock("follow totals 1"), "one's own lock is one's own"
            assert not waiting.lock("follow totals 1")
            assert waiting.lock("follow standings 1"), "another projection has another lock"
        until(lambda: waiting.lock("follow totals 1"))  # a server lets go once it notices


def test_two_runners_share_the_work_and_repeat_nothing(database: str) -> None:
    _, changes = random_changes(6, matches=3, steps=80)
    log = open_log(database)
    reader = open_reader(database)
    with followed(database), followed(database):
        write(log, *changes)
        until(lambda: at_the_end(database, reader))
    tables = Tables(database)
    count = len(reader.follow(0, 10_000))
    assert [one.events for one in status(tables, reader, ALL)] == [count] * len(ALL)
    assert verify(tables, reader, ALL) == []
    reader.close()
    tables.close()


def test_a_step_from_where_it_no_longer_stands_changes_nothing(database: str) -> None:
    _, changes = random_changes(8, matches=1, steps=10)
    write(open_log(database), *changes)
    reader, tables = open_reader(database), Tables(database)
    prepare(tables)
    with tables.session() as session:
        with session.transaction(write=False) as execute:
            stale = base.live(execute, totals)
        catch_up(database, totals)
        before = rows(database, totals)
        assert step(session, stale, Batches(reader)) == Step(0)
    assert rows(database, totals) == before
    reader.close()
    tables.close()


def test_lost_connections_are_made_again(database: str) -> None:
    if sqlite_path(database):
        return  # a file has no connections to lose
    _, changes = random_changes(9, matches=2, steps=60)
    found = list(changes)
    reader, log = open_reader(database), open_log(database)
    book = Book(log)

    async def writing() -> None:
        for change in found:
            await book.write(change)

    with followed(database):
        until(lambda: position_of(database, totals) == 0)
        with psycopg.connect(database, autocommit=True) as own:
            ended = own.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            ).fetchall()
        assert ended
        asyncio.run(writing())
        until(lambda: at_the_end(database, reader))
    tables = Tables(database)
    assert verify(tables, reader, ALL) == []
    reader.close()
    tables.close()


def test_a_ring_wakes_it(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(runner, "IDLE_SECONDS", (60.0, 60.0))
    here = Bell(database)
    heard = here if sqlite_path(database) else Bell(database)
    (pen,), _ = random_changes(1, matches=1, steps=0)
    reader = open_reader(database)
    with followed(database, heard, [standings]):
        until(lambda: position_of(database, standings) == 0)
        write(open_log(database), pen.open())

        def arrived() -> bool:
            here.ring()
            return position_of(database, standings) == reader.head()

        until(arrived)
        stop_soon(here)
    here.close()
    reader.close()


def test_rings_that_come_fast_are_passed_on_together(postgres: Server) -> None:
    database = postgres.prepared()
    bell = Bell(database)
    with psycopg.connect(database, autocommit=True) as ear:
        ear.execute(f"LISTEN {CHANNEL}")
        began = time.monotonic()
        for _ in range(500):
            bell.ring()
            time.sleep(0.0005)
        passed = (time.monotonic() - began) / APART_SECONDS
        heard = list(ear.notifies(timeout=1))
    bell.close()
    assert 1 <= len(heard) <= passed + 2


@SQLITE
def test_a_log_put_back_to_an_earlier_state_is_folded_anew(database: str) -> None:
    """Its file can be restored, or made anew, beside read tables that have read further."""
    _, longer = random_changes(3, matches=3, steps=60)
    _, shorter = random_changes(4, matches=1, steps=10)
    write(open_log(database), *longer)
    catch_up(database)
    path = sqlite_path(database)
    assert path
    for end in ("", "-wal", "-shm"):
        path.with_name(path.name + end).unlink(missing_ok=True)
    migrate(database)
    write(open_log(database), *shorter)
    reader, tables = open_reader(database), Tables(database)
    assert 0 < reader.head() < position_of(database, totals)
    with followed(database):
        until(lambda: at_the_end(database, reader))
    assert verify(tables, reader, ALL) == []
    assert {one.events for one in status(tables, reader, ALL)} == {reader.head()}
    reader.close()
    tables.close()
