"""A database that is full, read-only, gone or slow: a clear 503, nothing half-done, and on it goes afterwards."""

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from litestar.testing import TestClient

from referee.store import Limits, open_log, sqlite_path
from referee.store.log import Key, KeyUsed, Log, Unavailable
from referee.store.postgres import PostgresLog
from referee.store.postgres_line import Line, Lost
from referee.store.scan import Scan
from referee.verify import verify
from tests.postgres import Server
from tests.store.entries import batch, with_log
from tests.store.two import MOVES, served, started

Trouble = Callable[[str, TestClient[Any]], Callable[[], None]]


def _on(database: str, *statements: str) -> None:
    with psycopg.connect(database, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


def _in_writer(client: TestClient[Any], statement: str) -> None:
    log = client.app.state.referee.log
    log._writer.submit(lambda: log._connection().execute(statement).fetchall()).result()


def full(database: str, client: TestClient[Any]) -> Callable[[], None]:
    """No room for another page, as the database itself says it."""
    path = sqlite_path(database)
    if path:
        with sqlite3.connect(path) as other:
            pages = other.execute("PRAGMA page_count").fetchone()[0]
        _in_writer(client, f"PRAGMA max_page_count={pages}")
        return lambda: _in_writer(client, "PRAGMA max_page_count=1000000")
    _on(
        database,
        "CREATE FUNCTION no_room() RETURNS trigger LANGUAGE plpgsql AS"
        " $$BEGIN RAISE EXCEPTION 'could not extend file' USING ERRCODE = 'disk_full'; END$$",
        "CREATE TRIGGER no_room BEFORE INSERT ON command FOR EACH ROW EXECUTE FUNCTION no_room()",
    )
    return lambda: _on(database, "DROP TRIGGER no_room ON command")


def read_only(database: str, client: TestClient[Any]) -> Callable[[], None]:
    if sqlite_path(database):
        _in_writer(client, "PRAGMA query_only=ON")
        return lambda: _in_writer(client, "PRAGMA query_only=OFF")
    name = database.rpartition("/")[2]
    again = (
        f"SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '{name}' AND pid <> pg_backend_pid()"
    )
    _on(database, f"ALTER DATABASE {name} SET default_transaction_read_only = on", again)

    def recover() -> None:
        _on(database, "SET default_transaction_read_only = off", f"ALTER DATABASE {name} RESET ALL", again)

    return recover


@pytest.mark.parametrize("trouble", [full, read_only])
def test_503_and_recovery(database: str, trouble: Trouble) -> None:
    with served(database) as client:
        keeper = started(client).scorekeeper
        assert keeper.move(1, *MOVES[0], idempotency_key="m0").status_code == 201
        recover = trouble(database, client)
        for number in range(1, 200):
            # the last page has room for a few more
            answer = keeper.move(1, *MOVES[number % len(MOVES)], idempotency_key=f"m{number}")
            if answer.status_code != 201:
                break
        assert answer.status_code == 503, answer.text
        assert int(answer.headers["retry-after"]) >= 1
        assert answer.json()["code"] == "UNAVAILABLE"
        assert keeper.get("/deals/1").json()["moves"] == number
        recover()
        for again in range(number, number + 2):
            made = keeper.move(1, *MOVES[again], idempotency_key=f"m{again}")
            assert made.status_code == 201, made.text
        assert keeper.get("/deals/1").json()["moves"] == number + 2
    scan = Scan(database)
    assert [found for checked in verify(scan) for found in checked.damage] == []
    scan.close()


@pytest.fixture
def address(postgres: Server) -> str:
    """A prepared PostgreSQL database."""
    return postgres.prepared()


class Breaks:
    """Lets a statement through and loses its answer, or loses it on the way there."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, times: int, before: bool) -> None:
        self.left, self.before, self.real = times, before, Line.execute
        breaks = self

        async def execute(line: Line, query: str, *values: Any) -> list[Any]:
            if "INSERT" not in query or not breaks.left:
                return await breaks.real(line, query, *values)
            breaks.left -= 1
            if not breaks.before:
                await breaks.real(line, query, *values)
            await line._drop()
            raise Lost("cut")

        monkeypatch.setattr(Line, "execute", execute)


@pytest.mark.parametrize("key", [Key("s", "k", "b"), None])
@pytest.mark.parametrize("before", [True, False])
def test_a_lost_answer_is_no_conflict(
    address: str, monkeypatch: pytest.MonkeyPatch, before: bool, key: Key | None
) -> None:
    """The commit was acknowledged to nobody: the command is known again by its key, or by its digest, and is there once."""
    stream = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(stream, 0)])
        Breaks(monkeypatch, 1, before)
        others = [uuid4() for _ in range(5)]
        done = await asyncio.gather(log.append([batch(stream, 1)], key), *(log.append([batch(s, 0)]) for s in others))
        assert len(set(done)) == 6
        entries = await log.read(stream)
        assert [entry.version for entry in entries] == [1, 2]
        assert entries[1].position == done[0]
        if key:
            with pytest.raises(KeyUsed) as used:
                await log.append([batch(stream, 2)], key)
            assert used.value.command.position == done[0]

    with_log(address, use)


def test_lost_again_and_again(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    stream, key = uuid4(), Key("s", "k", "b")

    async def use(log: Log) -> None:
        Breaks(monkeypatch, 3, before=True)
        with pytest.raises(Unavailable):
            await log.append([batch(stream, 0)], key)
        assert await log.read(stream) == []
        await log.append([batch(stream, 0)], key)
        assert len(await log.read(stream)) == 1

    with_log(address, use)


def test_nobody_there() -> None:
    """No server at the address: every call says so, and soon."""

    async def run() -> None:
        log = open_log("postgresql://referee@127.0.0.1:9/none", Limits(connect_seconds=1))
        for call in (
            log.append([batch(uuid4(), 0)]),
            log.tails({uuid4(): 0}),
            log.command("s", "k"),
            log.read(uuid4()),
        ):
            with pytest.raises(Unavailable):
                await call
        done = await asyncio.gather(*(log.append([batch(uuid4(), 0)]) for _ in range(100)), return_exceptions=True)
        assert all(isinstance(one, Unavailable) for one in done)
        await log.close()

    asyncio.run(asyncio.wait_for(run(), 20))


def test_a_server_that_does_not_answer(address: str) -> None:
    """A backend that hangs is given up after the limit, and the rest goes on with another."""

    async def run() -> None:
        log = open_log(address, Limits(statement_seconds=0.2))
        assert isinstance(log, PostgresLog)
        await log.append([batch(uuid4(), 0)])
        with pytest.raises((Lost, psycopg.errors.QueryCanceled)):
            await log._writers[0].execute("SELECT pg_sleep(5)")
        await log.append([batch(uuid4(), 0)])
        await log.close()

    asyncio.run(run())
