"""The log against the database's own rate and the stock recorder: `python -m tests.bench.store [--rounds N] [--seconds S]`.

Appends per second of one event each: pgbench's plain INSERT, eventsourcing's own recorder, ours; at 1, 4, 16 and 64
clients and from 2 processes of 8 and 4 of 16. Then SQLite against raw sqlite3, loading a stream of 200 entries against
eventsourcing's repository, and growth: the same on an empty store and on one of `--events` events.
The last line is one JSON object.
"""

import argparse
import json
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.bench import growth, loading, writers
from tests.bench.stage import Bench, median, ratio, rounds, say
from tests.postgres import _programs

CLIENTS = (1, 4, 16, 64)
PROCESSES = ((2, 8), (4, 16))


def main() -> None:
    """Run what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--events", type=int, default=1_000_000, help="0: no growth")
    parser.add_argument("--only", choices=("append", "sqlite", "loading", "growth"))
    asked = parser.parse_args()
    figures: dict[str, object] = {}
    server = Bench()
    try:
        if asked.only in (None, "append"):
            figures |= appends(server, asked.rounds, asked.seconds)
        if asked.only in (None, "sqlite"):
            figures |= on_sqlite(asked.rounds, asked.seconds)
        if asked.only in (None, "loading"):
            figures |= loading.run(server, asked.rounds)
        if asked.only in (None, "growth") and asked.events:
            figures |= growth.run(server, asked.events, asked.rounds)
    finally:
        server.remove()
    print(json.dumps(figures))


def appends(server: Bench, times: int, seconds: float) -> dict[str, object]:
    """Rates on PostgreSQL, and ours against the two baselines."""
    program = (_programs() / "initdb").resolve().with_name("pgbench")
    cells = {}
    for clients in CLIENTS:
        cells[f"pgbench {clients}"] = writers.pgbench(server, program, clients, seconds)
        cells[f"stock {clients}"] = writers.processes(server, "stock", 1, clients, seconds)
        cells[f"ours {clients}"] = writers.processes(server, "ours", 1, clients, seconds)
    for number, clients in PROCESSES:
        cells[f"stock {number}x{clients}"] = writers.processes(server, "stock", number, clients, seconds)
        cells[f"ours {number}x{clients}"] = writers.processes(server, "ours", number, clients, seconds)
    rates = rounds(cells, times)
    return {
        "append_per_second": {name: median(rates, name) for name in rates},
        "append_of_pgbench": {str(n): ratio(rates, f"ours {n}", f"pgbench {n}") for n in CLIENTS},
        "append_of_stock": {
            where: ratio(rates, f"ours {where}", f"stock {where}")
            for where in (*map(str, CLIENTS), *(f"{number}x{clients}" for number, clients in PROCESSES))
        },
    }


def on_sqlite(times: int, seconds: float) -> dict[str, object]:
    """Rates on SQLite."""
    with TemporaryDirectory(dir=Path.cwd() if "--here" in sys.argv else None) as folder:
        cells = {"raw": writers.raw_sqlite(Path(folder), seconds)}
        cells |= {f"ours {clients}": writers.our_sqlite(Path(folder), clients, seconds) for clients in (1, 16)}
        rates = rounds(cells, times)
    say("")
    return {
        "sqlite_per_second": {name: median(rates, name) for name in rates},
        "sqlite_of_raw": {name.split()[1]: ratio(rates, name, "raw") for name in cells if name != "raw"},
    }


if __name__ == "__main__":
    main()
