"""Does the log slow down as it grows? The same appends and reads on an empty store and on a full one, in turns."""

import asyncio
import secrets
import time
from uuid import UUID, uuid4

import msgspec
import psycopg

from referee.store import migrate, open_log
from referee.store.log import Batch
from tests.bench.stage import Bench, quantile, say
from tests.bench.writers import moved

STREAM = 60
TIMES = 300


def preload(url: str, events: int) -> list[UUID]:
    """Fill a store by COPY with streams of 60 entries; some of the streams."""
    state = msgspec.json.encode(moved())
    streams: list[UUID] = []
    with psycopg.connect(url) as connection:
        connection.execute("SET synchronous_commit = off")
        columns = "originator_id, originator_version, topic, state, notification_id, digest"
        with connection.cursor().copy(f"COPY stored_events ({columns}) FROM STDIN (FORMAT BINARY)") as copy:
            copy.set_types(["uuid", "int8", "text", "bytea", "int8", "bytea"])
            for number in range(events):
                if number % STREAM == 0:
                    stream = UUID(bytes=secrets.token_bytes(16), version=4)
                    if len(streams) < 5000:
                        streams.append(stream)
                copy.write_row((stream, number % STREAM + 1, "CardPlayed", state, number, bytes(32)))
                if number % 1_000_000 == 999_999:
                    say(f"preloaded {number + 1:,}")
        # transactions begin past what was preloaded, as if they had written it
        connection.execute("UPDATE log_base SET base = %s", ((events // 4096 + 1) << 12,))
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("VACUUM (ANALYZE) stored_events")
        connection.execute("CHECKPOINT")
    return streams


def run(server: Bench, events: int, times: int) -> dict[str, object]:
    """Milliseconds of an append and of reading a deal, by size."""
    stores = {}
    for name, size in (("empty", STREAM * 20), ("full", events)):
        url = server.database()
        migrate(url)
        stores[name] = (url, preload(url, size))
    appends: dict[str, list[float]] = {name: [] for name in stores}
    reads: dict[str, list[float]] = {name: [] for name in stores}

    async def measure() -> None:
        logs = {name: open_log(url) for name, (url, _) in stores.items()}
        for number in range(times + 1):
            streams = {name: uuid4() for name in logs}
            for turn in range(TIMES):
                for name, log in logs.items():
                    start = time.perf_counter()
                    await log.append([Batch(streams[name], turn, [moved()])])
                    wrote = time.perf_counter()
                    chosen = secrets.choice(stores[name][1])
                    before = time.perf_counter()
                    assert len(await log.read(chosen)) == STREAM
                    if number:  # the first round only warms up
                        appends[name].append(wrote - start)
                        reads[name].append(time.perf_counter() - before)
        for log in logs.values():
            await log.close()

    asyncio.run(measure())
    figures: dict[str, object] = {"growth_events": events}
    for what, found in (("append", appends), ("read_60", reads)):
        for name, taken in found.items():
            figures[f"{what}_{name}_ms"] = {"p50": quantile(taken, 0.5), "p99": quantile(taken, 0.99)}
            say(f"{what} {name}: {figures[f'{what}_{name}_ms']}")
        figures[f"{what}_full_of_empty"] = round(quantile(found["full"], 0.5) / quantile(found["empty"], 0.5), 3)
    return figures
