"""Several processes on one PostgreSQL: nothing is passed over, nothing comes twice, and a version has one winner."""

import asyncio
import logging
import os
import subprocess
import sys
import threading
import time
from uuid import UUID, uuid4

import psycopg
import pytest

from referee.store import open_reader, postgres_recorder
from referee.store import postgres_sql as sql
from referee.store.log import Conflict, Log
from referee.store.postgres_recorder import PostgresReader
from tests.postgres import Server
from tests.store.entries import batch, opened, with_log

RACES = int(os.environ.get("REFEREE_TEST_RACES", "20"))
WRITERS = 50
Seen = list[tuple[int, UUID, int]]


@pytest.fixture
def address(postgres: Server) -> str:
    """A prepared PostgreSQL database."""
    return postgres.prepared()


class Tail(threading.Thread):
    """Reads the log as it grows."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.reader, self.seen, self.stop = open_reader(address), Seen(), threading.Event()

    def run(self) -> None:
        while True:
            last = self.stop.is_set()
            page = self.page(self.seen[-1][0] if self.seen else 0)
            self.seen += page
            if last and not page:
                break
            time.sleep(0.001)
        self.reader.close()

    def page(self, after: int) -> Seen:
        return [(e.position, e.stream, e.version) for e in self.reader.follow(after, 100)]


class Naive(Tail):
    """Reads whatever is past what it has read, as if nothing could still come before it."""

    def page(self, after: int) -> Seen:
        assert isinstance(self.reader, PostgresReader)
        query = (
            "SELECT notification_id, originator_id, originator_version FROM stored_events WHERE notification_id > %s"
        )
        with self.reader._cursor() as cursor:
            return cursor.execute(query + " ORDER BY notification_id LIMIT 100", (after,)).fetchall()


def test_no_reader_passes_an_entry_over(address: str) -> None:
    tails = [Tail(address), Tail(address), Naive(address)]
    for tail in tails:
        tail.start()
    command = [sys.executable, "-m", "tests.store.gap_writer", address]
    writers = [subprocess.Popen([*command, str(100 * n)]) for n in range(2)]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    for tail in tails:
        tail.stop.set()
        tail.join(20)
    with psycopg.connect(address) as connection:
        query = "SELECT notification_id, originator_id, originator_version FROM stored_events ORDER BY notification_id"
        table = connection.execute(query).fetchall()
    assert len(table) > 1500
    assert tails[0].seen == table, "missed, doubled, or in another order"
    assert tails[1].seen == table
    versions: dict[UUID, int] = {}
    for _, stream, version in table:
        assert version == versions.get(stream, 0) + 1
        versions[stream] = version
    assert len(tails[2].seen) < len(table), "the test must be able to fail: without the bound entries are missed"


def test_an_idle_writer_elsewhere_delays_and_loses_nothing(
    postgres: Server, address: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(postgres_recorder, "HELD_SECONDS", 0.02)
    stream = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(stream, 0, 3)])
        assert len(await log.read(stream)) == 3, "a stream is read as it is, held back or not"

    reader = open_reader(address)
    with psycopg.connect(postgres.database()) as elsewhere:
        elsewhere.execute("SELECT pg_current_xact_id()")
        with_log(address, use)
        with caplog.at_level(logging.WARNING):
            for _ in range(5):
                assert reader.follow(0, 10) == []
                time.sleep(0.02)
        assert reader.held_back() == 3
        assert reader.head() == 0
        assert "3 entries wait for a transaction" in caplog.text
        elsewhere.rollback()
    assert [entry.version for entry in reader.follow(0, 10)] == [1, 2, 3]
    assert reader.held_back() == 0
    reader.close()


def test_somebody_who_only_reads_delays_nobody(postgres: Server, address: str) -> None:
    async def use(log: Log) -> None:
        await log.append([batch(uuid4(), 0)])

    reader = open_reader(address)
    with psycopg.connect(address) as elsewhere:
        elsewhere.execute("SELECT count(*) FROM stored_events")
        with_log(address, use)
        assert len(reader.follow(0, 10)) == 1
    reader.close()


def test_races_have_one_winner_each(database: str) -> None:
    """C030: 50 writers, half of them in another process as far as the database can tell, on one version."""
    stream = uuid4()
    with_log(database, lambda log: log.append([batch(stream, 0)]))
    won: list[list[int]] = [[], []]
    barrier = threading.Barrier(2)

    def side(which: int) -> None:
        async def run() -> None:
            async with opened(database) as log:
                for version in range(1, RACES + 1):
                    await asyncio.to_thread(barrier.wait)
                    tries = (log.append([batch(stream, version)]) for _ in range(WRITERS // 2))
                    done = await asyncio.gather(*tries, return_exceptions=True)
                    assert all(isinstance(one, (int, Conflict)) for one in done), done
                    won[which].append(sum(isinstance(one, int) for one in done))

        asyncio.run(run())

    sides = [threading.Thread(target=side, args=(which,)) for which in (0, 1)]
    for thread in sides:
        thread.start()
    for thread in sides:
        thread.join()
    assert [sum(pair) for pair in zip(*won, strict=True)] == [1] * RACES

    async def versions(log: Log) -> list[int]:
        return [entry.version for entry in await log.read(stream)]

    assert with_log(database, versions) == list(range(1, RACES + 2))


def test_positions_are_as_they_are_said_to_be(address: str) -> None:
    """`base + (transaction << 12 | place)`, the place counting from 0 in a transaction."""

    async def use(log: Log) -> list[int]:
        return [await log.append([batch(uuid4(), 0, 3)]) for _ in range(2)]

    first, second = with_log(address, use)
    assert first % sql.PLACES == second % sql.PLACES == 2
    assert second // sql.PLACES > first // sql.PLACES
