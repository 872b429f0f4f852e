"""A demonstration: a whole recorded Tablanet match of three players, played through the real HTTP API."""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

MATCH = Path(__file__).parent / "match.json"
START_SECONDS = 30


def run(console: Console) -> None:
    """Start a server on a temporary database and play the match. Raises RuntimeError if an answer is not as recorded."""
    recorded = json.loads(MATCH.read_text("utf-8"))
    with tempfile.TemporaryDirectory() as folder, _server(Path(folder)) as url, httpx.Client(base_url=url) as http:
        console.print(f"[bold]Referee[/] on {url}, database {folder}/demo.db")
        names = recorded["seats"]
        seats = [{"name": name} for name in names]
        body = {"game": "tablanet", "seats": seats, "house_rules": recorded["house_rules"], "first_dealer": {"seat": 0}}
        opened = _ask(http, "POST", "/v1/matches", body, 201)
        match, token = f"/v1/matches/{opened['match']['id']}", opened["tokens"]["scorekeeper"]
        http.headers["Authorization"] = f"Bearer {token}"
        console.print(
            f"Match to {opened['match']['target']} between {', '.join(names)}, ace {recorded['house_rules']['ace_value']}"
        )
        refused, position = None, 0
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console) as progress:
            task = progress.add_task("moves", total=sum(len(deal["moves"]) for deal in recorded["deals"]))
            for number, deal in enumerate(recorded["deals"], 1):
                _ask(http, "POST", f"{match}/deals", {"layout": deal["layout"]}, 201)
                for place, (seat, card, captures) in enumerate(deal["moves"]):
                    if number == 1 and captures and refused is None:
                        wrong = {"seat": seat, "move": {"type": "tablanet.play", "card": card, "captures": []}}
                        refused = _ask(http, "POST", f"{match}/deals/1/moves", wrong, 422)
                    move = {"type": "tablanet.play", "card": card, "captures": captures}
                    headers = {"Idempotency-Key": f"{number}-{place}"}
                    done = _ask(
                        http, "POST", f"{match}/deals/{number}/moves", {"seat": seat, "move": move}, 201, headers
                    )
                    position = done["position"]
                    progress.advance(task)
        _show_refusal(console, refused or {})
        totals = _ask(http, "GET", f"{match}/totals?min_position={position}", None, 200)
        _show_totals(console, totals, names)
        console.print(f"Winner: [bold]{' and '.join(names[seat] for seat in totals['winners'])}[/]")
        _show_replay(console, http, match, len(recorded["deals"]), names)


@contextmanager
def _server(folder: Path) -> Iterator[str]:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        sys.executable,
        "-m",
        "referee.cli",
        "serve",
        "--port",
        str(port),
        "--database",
        f"sqlite:{folder}/demo.db",
    ]
    environment = {k: v for k, v in os.environ.items() if not k.startswith("REFEREE_")}
    with (folder / "server.log").open("w+") as log:
        server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)  # noqa: S603
        try:
            _wait(f"http://127.0.0.1:{port}", server, folder / "server.log")
            yield f"http://127.0.0.1:{port}"
        finally:
            server.terminate()
            server.wait(15)


def _wait(url: str, server: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and server.poll() is None:
        try:
            if httpx.get(f"{url}/healthz").status_code == 200:
                return
        except httpx.TransportError:
            time.sleep(0.05)
    raise RuntimeError(f"the server did not start:\n{log.read_text()}")


def _ask(http: httpx.Client, method: str, path: str, body: Any, expected: int, headers: Any = None) -> Any:
    reply = http.request(method, path, json=body, headers=headers)
    if reply.status_code != expected:
        raise RuntimeError(f"{method} {path} answered {reply.status_code}: {reply.text}")
    return reply.json()


def _show_refusal(console: Console, refused: dict[str, Any]) -> None:
    console.print(
        f"\nAn illegal move is refused: [bold red]{refused['code']}[/] ({refused['clause']})", highlight=False
    )
    console.print(f"  {refused['detail']}", highlight=False)
    console.print(f"  {refused['clause']}: {refused['clause_text']}", highlight=False)
    legal = "; ".join(f"{move['card']} takes {' '.join(move['captures'])}" for move in refused["legal"])
    console.print(f"  Legal would have been: {legal}", highlight=False)


def _show_totals(console: Console, totals: dict[str, Any], names: list[str]) -> None:
    table = Table("Deal", *names, title=f"\nRunning totals to {totals['target']}")
    for deal in totals["deals"]:
        cells = [f"{total} (+{points})" for total, points in zip(deal["totals"], deal["points"], strict=True)]
        table.add_row(str(deal["number"]), *cells)
    console.print(table)
    lines = Table("Points from", *names)
    for line in totals["seats"][0]["lines"]:
        lines.add_row(line.replace("_", " "), *(str(seat["lines"][line]) for seat in totals["seats"]))
    console.print(lines)


def _show_replay(console: Console, http: httpx.Client, match: str, number: int, names: list[str]) -> None:
    replay = _ask(http, "GET", f"{match}/deals/{number}/replay", None, 200)
    table = Table("Move", "Player", "Card", "Takes", title=f"\nDeal {number} replayed")
    for move in replay["played"]:
        taken = " ".join(move["move"]["captures"]) + (" tablanet" if move["effects"].get("tablanet") else "")
        table.add_row(str(move["number"]), names[move["seat"]], move["move"]["card"], taken)
    console.print(table)
    then = _ask(http, "GET", f"{match}/deals/{number}/replay?move=24", None, 200)["deal"]["state"]
    console.print(f"After move 24 the table held {' '.join(then['table']) or 'nothing'}.", highlight=False)
