"""`kill -9` of API processes and of PostgreSQL at random points under load: what was acknowledged is there, once."""

import contextlib
import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import msgspec
import pytest

from referee.match import deal_id
from referee.store import migrate
from referee.store.scan import Scan
from referee.verify import verify
from tests.http.served import Served
from tests.postgres import NotInstalled, Server
from tests.store.two import CASE, MOVES

KILLS = int(os.environ.get("REFEREE_TEST_KILLS", "5"))
TABLES = 6
PATIENCE = 60.0
OPENING = {
    "game": "tablanet",
    "seats": [{"name": "Ana"}, {"name": "Bob"}],
    "house_rules": {"ace_value": 1, **CASE["house_rules"]},
    "first_dealer": {"seat": CASE["dealer"]},
}


class Table(threading.Thread):
    """Plays deal after deal, repeating every command under its key until it is acknowledged."""

    def __init__(self, urls: list[str], seed: int) -> None:
        super().__init__(daemon=True)
        self.urls, self.dice, self.stop = urls, random.Random(seed), threading.Event()
        self.acknowledged: list[tuple[UUID, str, int]] = []
        self.asked = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        try:
            with httpx.Client(timeout=10) as client:
                while not self.stop.is_set():
                    self.play(client)
        except BaseException as error:
            self.error = error

    def play(self, client: httpx.Client) -> None:
        opened = self.command(client, "/v1/matches", OPENING, f"open-{uuid4()}", "")
        id_, token = opened["match"]["id"], opened["tokens"]["scorekeeper"]
        path = f"/v1/matches/{id_}/deals"
        self.command(client, path, {"layout": {"type": "tablanet", **CASE["layout"]}}, "deal", token)
        for number, (seat, move) in enumerate(MOVES):
            made = self.command(client, f"{path}/1/moves", {"seat": seat, "move": move}, f"move-{number}", token)
            assert made["deal"]["moves"] == number + 1
            self.acknowledged.append((UUID(id_), f"move-{number}", made["deal"]["version"]))
            if self.stop.is_set():
                return
        assert made["totals"] == CASE["points"]

    def command(self, client: httpx.Client, path: str, body: Any, key: str, token: str) -> Any:
        headers = {"Idempotency-Key": key} | ({"Authorization": f"Bearer {token}"} if token else {})
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            self.asked += 1
            try:
                reply = client.post(self.dice.choice(self.urls) + path, json=body, headers=headers)
            except httpx.TransportError:
                time.sleep(0.02)
                continue
            if reply.status_code == 201:
                return reply.json()
            assert reply.status_code == 503, f"{path}, {key}: {reply.status_code} {reply.text}"
            time.sleep(0.05)
        raise AssertionError(f"{path}, {key}: never answered")


@pytest.fixture
def own() -> Iterator[Server]:
    """A PostgreSQL server of its own, to be killed."""
    try:
        server = Server()
    except NotInstalled as reason:
        pytest.skip(str(reason))
    yield server
    server.remove()


def kill_postgres(server: Server) -> None:
    os.kill(server.pid(), signal.SIGKILL)
    deadline = time.monotonic() + 20
    while True:
        # its children take a moment to notice that they are orphans
        try:
            return server.start()
        except AssertionError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.1)


def test_every_acknowledged_event_is_there_once(own: Server, tmp_path: Path) -> None:
    dice = random.Random(KILLS)
    database = own.database()
    migrate(database)
    apis = [Served(database, tmp_path) for _ in range(2)]
    tables: list[Table] = []
    try:
        for api in apis:
            api.wait()
        tables = [Table([api.url for api in apis], seed) for seed in range(TABLES)]
        for table in tables:
            table.start()
        for turn in range(KILLS):
            time.sleep(0.3 + dice.random())
            if turn % 2:
                kill_postgres(own)
            else:
                api = apis[turn // 2 % 2]
                api.kill()
                api.launch()
        time.sleep(1.5)
        for table in tables:
            table.stop.set()
        for table in tables:
            table.join(PATIENCE)
    finally:
        for api in apis:
            with contextlib.suppress(ProcessLookupError):
                api.kill()
    assert [table.error for table in tables] == [None] * TABLES
    acknowledged = [one for table in tables for one in table.acknowledged]
    assert len(acknowledged) > 100
    assert all(table.asked > len(table.acknowledged) for table in tables)
    scan = Scan(database)
    assert [found for checked in verify(scan) for found in checked.damage] == []
    kept = {(c.scope, c.key): msgspec.json.decode(c.versions, type=dict[UUID, int]) for c in scan.commands()}
    for match, key, version in acknowledged:
        assert kept[str(match), key][deal_id(match, 1)] == version, "acknowledged, and not there"
    moves = {id_: len(scan.rows(deal_id(id_, 1))) for id_, _, _ in acknowledged}
    for match, _, version in acknowledged:
        assert version <= moves[match] <= len(MOVES) + 2, "a move is there twice"
    scan.close()
