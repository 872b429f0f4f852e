"""Those who append as fast as they can; as a program one process of them: `KIND URL CLIENTS SECONDS`."""

import asyncio
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from uuid import uuid4

import msgspec
import psycopg
from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore

from referee.events import CardPlayed, Entry
from referee.rules import tablanet
from referee.store import migrate, open_log
from referee.store.log import Batch
from referee.store.sqlite_schema import connect
from tests.bench.stage import Bench, Cell
from tests.store.entries import entry

EFFECTS = tablanet.Effects(next=1, captured=("10D", "4C", "6H"))
EVENT = CardPlayed(0, tablanet.Play("10S", ("10D", "4C", "6H")), EFFECTS)
PLAIN = """
CREATE TABLE plain (id uuid NOT NULL, version bigint NOT NULL, topic text, state bytea, position bigserial,
    PRIMARY KEY (id, version));
CREATE UNIQUE INDEX ON plain (position)
"""


def moved() -> Entry:
    """An entry such as a move leaves."""
    return Entry(entry().at, "scorekeeper", EVENT)


def pgbench(server: Bench, program: Path, clients: int, seconds: float) -> Cell:
    """PostgreSQL's own bench with a plain INSERT of the same row into a table of the same shape."""

    def cell() -> float:
        url = server.database()
        state = msgspec.json.encode(moved()).hex()
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute(PLAIN)
        script = server.folder / "plain.sql"
        script.write_text(
            f"INSERT INTO plain (id, version, topic, state) VALUES (gen_random_uuid(), 1, 'CardPlayed', '\\x{state}');\n"
        )
        command: list[str | Path] = [
            program,
            "-n",
            "-M",
            "prepared",
            "-c",
            str(clients),
            "-j",
            str(min(clients, 2)),
            "-f",
            script,
        ]
        command += ["-T", str(max(1, round(seconds))), url]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        return float(done.stdout.rpartition("tps = ")[2].split()[0])

    return cell


def processes(server: Bench, kind: str, number: int, clients: int, seconds: float) -> Cell:
    """So many processes of so many clients each, on a new database."""

    def cell() -> float:
        url = server.database()
        if kind == "ours":
            migrate(url)
        else:
            stock(url, 1).create_table()
        command = [sys.executable, "-m", "tests.bench.writers", kind, url, str(clients), str(seconds)]
        started = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(number)]
        return sum(float(process.communicate()[0]) for process in started)

    return cell


def stock(url: str, clients: int) -> PostgresApplicationRecorder:
    """The library's own recorder."""
    parts = urlsplit(url)
    store = PostgresDatastore(
        parts.path[1:], parts.hostname or "", parts.port or 5432, parts.username or "", "", pool_size=clients
    )
    return PostgresApplicationRecorder(store)


def our_clients(url: str, clients: int, seconds: float) -> float:
    """Appends per second of so many tasks on one log."""

    async def run() -> float:
        log = open_log(url)
        await log.append([Batch(uuid4(), 0, [moved()])])
        start = time.perf_counter()

        async def client() -> int:
            done, stream = 0, uuid4()
            while time.perf_counter() < start + seconds:
                await log.append([Batch(stream, done, [moved()])])
                done += 1
            return done

        done = sum(await asyncio.gather(*(client() for _ in range(clients))))
        took = time.perf_counter() - start
        await log.close()
        return done / took

    import uvloop

    return uvloop.run(run())


def stock_clients(url: str, clients: int, seconds: float) -> float:
    """The same of so many threads on the library's recorder."""
    recorder, done = stock(url, clients), [0] * clients
    state = msgspec.json.encode(moved())
    recorder.insert_events([StoredEvent(uuid4(), 1, "CardPlayed", state)])
    start = time.perf_counter()

    def client(which: int) -> None:
        stream = uuid4()
        while time.perf_counter() < start + seconds:
            recorder.insert_events([StoredEvent(stream, done[which] + 1, "CardPlayed", msgspec.json.encode(moved()))])
            done[which] += 1

    threads = [threading.Thread(target=client, args=(which,)) for which in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    took = time.perf_counter() - start
    recorder.datastore.close()
    return sum(done) / took


def raw_sqlite(folder: Path, seconds: float) -> Cell:
    """sqlite3 alone in the log's mode: one INSERT and one COMMIT after the other."""

    def cell() -> float:
        connection: sqlite3.Connection = connect(folder / f"{uuid4()}.db")
        connection.execute(
            "CREATE TABLE plain (id TEXT, version INTEGER, topic TEXT, state BLOB, PRIMARY KEY (id, version))"
        )
        start, done, stream = time.perf_counter(), 0, uuid4().hex
        while time.perf_counter() < start + seconds:
            row: tuple[Any, ...] = (stream, done, "CardPlayed", msgspec.json.encode(moved()))
            connection.execute("INSERT INTO plain VALUES (?, ?, ?, ?)", row)
            done += 1
        rate = done / (time.perf_counter() - start)
        connection.close()
        return rate

    return cell


def our_sqlite(folder: Path, clients: int, seconds: float) -> Cell:
    """So many tasks on one log in a file."""

    def cell() -> float:
        address = f"sqlite:{folder / f'{uuid4()}.db'}"
        migrate(address)
        return our_clients(address, clients, seconds)

    return cell


if __name__ == "__main__":
    kinds = {"ours": our_clients, "stock": stock_clients}
    print(kinds[sys.argv[1]](sys.argv[2], int(sys.argv[3]), float(sys.argv[4])))
