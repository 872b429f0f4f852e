"""A durable move over HTTP against what it could be at best and is at worst: `python -m tests.bench.http`.

Under wrk, at 32 connections on 32 matches, on PostgreSQL, one worker: an endpoint that does nothing, the service, the service
whose log answers at once without storing, a move that is refused, and eventsourcing as it comes in a thread pool; with
npm also boardgame.io's server, in memory. Ratios are medians over the rounds. The last line is one JSON object.
"""

import argparse
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import urlsplit

import httpx

from referee.store import migrate
from tests.bench import boardgame
from tests.bench.stage import Bench, Cell, median, ratio, rounds, say
from tests.store.two import CASE, MOVES

CONNECTIONS = 32
SECRET = "a secret of the bench"
CELLS = {
    "durable": ("durable", "moves"), "immediate": ("immediate", "moves"), "refused": ("durable", "refused"),
    "noop": ("noop", "moves"), "stock": ("stock", "moves"),
}  # fmt: skip
LUA = Path(__file__).with_name("moves.lua")
OPENING = {
    "game": "tablanet",
    "seats": [{"name": "Ana"}, {"name": "Bob"}],
    "house_rules": {"ace_value": 1, **CASE["house_rules"]},
    "first_dealer": {"seat": CASE["dealer"]},
}


@contextmanager
def serving(app: str, database: str) -> Iterator[str]:
    """An application of `tests.bench.apps` in a process of its own; its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    parts = urlsplit(database)
    environment = os.environ | {
        "REFEREE_DATABASE": database, "REFEREE_SECRET": SECRET, "REFEREE_PROJECT": "0",
        "POSTGRES_DBNAME": parts.path[1:], "POSTGRES_HOST": str(parts.hostname), "POSTGRES_PORT": str(parts.port),
        "POSTGRES_USER": str(parts.username), "POSTGRES_PASSWORD": "none", "POSTGRES_MAX_OVERFLOW": "40",
    }  # fmt: skip
    command = [
        sys.executable,
        "-m",
        "granian",
        "--interface",
        "asgi",
        "--factory",
        "--loop",
        "uvloop",
        "--no-access-log",
    ]
    command += ["--log-level", "warning", "--port", str(port), f"tests.bench.apps:{app}"]
    process = subprocess.Popen(command, env=environment, start_new_session=True)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(400):
            try:
                httpx.get(f"{url}/healthz")
                break
            except httpx.TransportError:
                time.sleep(0.05)
        yield url
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def prepare(url: str, folder: Path, matches: int) -> None:
    """Open matches and lay out their deals; write them down for wrk, with the moves and one that is never legal."""
    with httpx.Client(base_url=url, timeout=20) as client, (folder / "matches").open("w") as listed:
        for _ in range(matches):
            opened = client.post("/v1/matches", json=OPENING).json()
            id_, token = opened["match"]["id"], opened["tokens"]["scorekeeper"]
            layout = {"layout": {"type": "tablanet", **CASE["layout"]}}
            laid = client.post(f"/v1/matches/{id_}/deals", json=layout, headers={"Authorization": f"Bearer {token}"})
            assert laid.status_code == 201, laid.text
            listed.write(f"{id_} {token}\n")
    write_moves(folder)


def write_moves(folder: Path) -> None:
    """The moves of the deal, and one out of turn."""
    # the last move reads the whole deal back for its fingerprint, which a log that stores nothing cannot give
    bodies = [json.dumps({"seat": seat, "move": move}) for seat, move in MOVES[:-1]]
    (folder / "moves").write_text("\n".join(bodies) + "\n")
    wrong = json.dumps({"seat": 1 - MOVES[0][0], "move": MOVES[1][1]})
    (folder / "refused").write_text(wrong + "\n")


def wrk(url: str, folder: Path, kind: str, seconds: int) -> tuple[float, float, float, int]:
    """Requests per second, median and p99 in milliseconds, and how many were not answered with 2xx."""
    command = [
        "wrk",
        "-t",
        str(CONNECTIONS),
        "-c",
        str(CONNECTIONS),
        "-d",
        f"{seconds}s",
        "--latency",
        "-s",
        str(LUA),
        url,
    ]
    done = subprocess.run([*command, "--", str(CONNECTIONS), folder, kind], capture_output=True, text=True, check=False)
    if "FIGURES" not in done.stdout:
        raise RuntimeError(done.stdout + done.stderr)
    asked, micros, failed, p50, p99 = map(int, done.stdout.rpartition("FIGURES ")[2].split())
    return asked / micros * 1e6, p50 / 1000, p99 / 1000, failed


def main() -> None:
    """Run every cell in every round."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=2)
    parser.add_argument("--matches", type=int, default=4, help="for each connection and round")
    parser.add_argument("--without", nargs="*", default=[], help="cells to leave out")
    asked = parser.parse_args()
    server, times = Bench(), dict[str, list[tuple[float, float]]]()

    def cell(name: str, app: str, kind: str, url: str, folder: Path) -> float:
        if app in ("durable", "immediate"):
            prepare(url, folder, CONNECTIONS * (1 if kind == "refused" else asked.matches))
        rate, p50, p99, failed = wrk(url, folder, kind, asked.seconds)
        say(f"{name}: p50 {p50} ms, p99 {p99} ms, {failed} not 2xx")
        if kind == "moves" and failed > rate * asked.seconds * 0.001:
            raise RuntimeError(f"{name}: {failed} requests were not carried out; give more --matches")
        times.setdefault(name, []).append((p50, p99))
        return rate

    with TemporaryDirectory() as place, ExitStack() as stack:
        folder = Path(place)
        stack.callback(server.remove)
        cells: dict[str, Cell] = {}
        urls: dict[str, str] = {}
        for name, (app, kind) in CELLS.items():
            if name in asked.without:
                continue
            if app not in urls:
                database = server.database()
                if app != "stock":
                    migrate(database)
                urls[app] = stack.enter_context(serving(app, database))
            cells[name] = partial(cell, name, app, kind, urls[app], folder)
        theirs = None if "boardgame.io" in asked.without else stack.enter_context(boardgame.serving(folder))
        if theirs:
            cells["boardgame.io"] = partial(boardgame.rate, theirs, folder, CONNECTIONS, asked.seconds)
        rates = rounds(cells, asked.rounds)
    figures = {
        "requests_per_second": {name: median(rates, name) for name in rates},
        "p50_p99_ms": {name: sorted(taken)[len(taken) // 2] for name, taken in times.items()},
        "durable_of": {name: ratio(rates, "durable", name) for name in rates if name != "durable"},
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
