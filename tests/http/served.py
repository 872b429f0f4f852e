"""The real server as a process of its own, to be killed and started again."""

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from tests.http.table import Table

START_SECONDS = 30.0


class Served:
    """`referee serve` on a database; `log` is what it printed."""

    def __init__(self, database: str, folder: Path) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.database, self._log = database, folder / f"server-{self.port}.log"
        self.launch()

    def start(self) -> None:
        """Start it again; returns once it answers."""
        self.launch()
        self.wait()

    def launch(self) -> None:
        """Start it."""
        environment = {name: value for name, value in os.environ.items() if not name.startswith("REFEREE_")}
        environment["REFEREE_SECRET"] = "a secret of the tests"
        command = [sys.executable, "-m", "referee.cli", "serve", "--port", str(self.port), "--database", self.database]
        with self._log.open("a") as log:
            # a session of its own, so that a kill reaches the workers too
            self._process = subprocess.Popen(
                command, stdout=log, stderr=subprocess.STDOUT, env=environment, start_new_session=True
            )

    def wait(self) -> None:
        """Returns once it answers."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._process.poll() is None:
            try:
                if httpx.get(f"{self.url}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                time.sleep(0.02)
        raise AssertionError(f"the server did not start:\n{self.log}")

    def kill(self) -> None:
        """As a power cut does: no process of it gets a word in."""
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    @property
    def log(self) -> str:
        """Everything it printed."""
        return self._log.read_text()


@contextmanager
def serving(database: str, folder: Path) -> Iterator[tuple[Served, Table]]:
    """A server and a table at it."""
    server = Served(database, folder)
    try:
        server.wait()
        with httpx.Client(base_url=server.url, timeout=20) as client:
            yield server, Table(client)
    finally:
        server.kill()
