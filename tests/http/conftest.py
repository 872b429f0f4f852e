"""A table that all tests of a file share, for those that look at many small things."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar.testing import TestClient

from referee.api.app import create_app
from referee.settings import Settings
from referee.store import migrate
from tests.conftest import SECRET
from tests.http.served import Served
from tests.http.table import Table
from tests.postgres import Server


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def shared_database(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a prepared database for all tests of a file."""
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgres")
        return server.prepared()
    address = f"sqlite:{tmp_path_factory.mktemp('shared') / 'referee.db'}"
    migrate(address)
    return address


@pytest.fixture(scope="module")
def shared(shared_database: str) -> Iterator[Table]:
    """A table on that database, projections running."""
    settings = Settings(shared_database, SECRET, frozenset({"testserver.local"}), project=True)
    with TestClient(create_app(settings), base_url="http://testserver.local") as client:
        yield Table(client)


@pytest.fixture(scope="module")
def lite(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A table on SQLite for all tests of a file, where the kind of database cannot matter; nothing is projected."""
    address = f"sqlite:{tmp_path_factory.mktemp('lite') / 'referee.db'}"
    settings = Settings(address, SECRET, frozenset({"testserver.local"}), project=False)
    with TestClient(create_app(settings), base_url="http://testserver.local") as client:
        yield Table(client)


@pytest.fixture
def two_servers(postgres: Server, tmp_path: Path) -> Iterator[tuple[str, str, str]]:
    """A database, and two processes that serve it."""
    database = postgres.prepared()
    servers = Served(database, tmp_path), Served(database, tmp_path)
    try:
        for server in servers:
            server.wait()
        yield database, servers[0].url, servers[1].url
    finally:
        for server in servers:
            server.kill()
