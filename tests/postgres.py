"""A throw-away PostgreSQL server for the tests: started on demand, gone with them."""

import os
import pwd
import shutil
import socket
import subprocess
import tempfile
from functools import cached_property
from pathlib import Path
from uuid import uuid4

import psycopg

from referee.store import migrate

FORGETFUL = "-c fsync=off -c full_page_writes=off"
"""Nothing is flushed to the disk, so nothing is promised for after a crash."""


class NotInstalled(Exception):
    """There is no PostgreSQL server program on this machine."""


def _programs() -> Path:
    found = shutil.which("initdb")
    places = [Path(found).parent] if found else sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    if not places:
        raise NotInstalled("PostgreSQL's initdb is not installed (Debian: apt-get install postgresql)")
    return places[0]


class Server:
    """A cluster in a folder of its own, on a free loopback port; `durable` where it is to be killed or measured."""

    def __init__(self, durable: bool = True) -> None:
        self.durable = durable
        programs = _programs()
        self.folder = Path(tempfile.mkdtemp(prefix="referee-pg-"))
        # PostgreSQL refuses to run as root, so root lends the folder to somebody who is not
        self.user = next((u for u in ("postgres", "nobody") if _exists(u)), None) if os.geteuid() == 0 else None
        if self.user:
            shutil.chown(self.folder, self.user)
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.data = self.folder / "data"
        self._ctl = programs / "pg_ctl"
        self._run(
            programs / "initdb", "-D", self.data, "-U", "referee", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"
        )
        self.start()

    def start(self) -> None:
        """Start it, or start it again; returns once it takes connections."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories='' -c max_connections=200"
        options += "" if self.durable else f" {FORGETFUL}"
        self._run(self._ctl, "-D", self.data, "-l", self.folder / "log", "-w", "-o", options, "start")

    def stop(self, mode: str = "fast") -> None:
        """Stop it: `fast`, or `immediate` as after a power cut."""
        self._run(self._ctl, "-D", self.data, "-m", mode, "-w", "stop")

    def pid(self) -> int:
        """The server's process."""
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])

    def database(self, template: str = "template1") -> str:
        """The address of a new database, empty."""
        name = f"t{uuid4().hex}"
        with psycopg.connect(f"{self.url}/postgres", autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return f"{self.url}/{name}"

    def prepared(self) -> str:
        """The address of a new database with the log's tables."""
        return self.database(self._template)

    @cached_property
    def _template(self) -> str:
        address = self.database()
        migrate(address)
        return address.rpartition("/")[2]

    @property
    def url(self) -> str:
        """The server's address, without a database."""
        return f"postgresql://referee@127.0.0.1:{self.port}"

    def remove(self) -> None:
        """Stop it and delete everything."""
        self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _run(self, *command: str | Path) -> None:
        done = subprocess.run(
            [str(word) for word in command], user=self.user, cwd="/", capture_output=True, text=True, check=False
        )  # fmt: skip
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"


def _exists(user: str) -> bool:
    try:
        pwd.getpwnam(user)
    except KeyError:
        return False
    return True
