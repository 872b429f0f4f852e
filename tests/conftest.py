"""What all tests share: a database of each kind, a served app, and skips that count as failures in CI."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from litestar.testing import TestClient

from referee.api.app import create_app
from referee.settings import Settings
from referee.store import migrate
from tests.http.table import Table
from tests.postgres import NotInstalled, Server

SECRET = b"a secret of the tests, and of nobody else"


SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)
"""For tests of what has nothing to do with the kind of database."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--deals N`: how many deals are played at random, where a test plays so many over all games."""
    parser.addoption("--deals", type=int, help="deals played at random over all games (default: each test has its own)")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server that flushes nothing; skips where none is installed."""
    try:
        server = Server(durable=False)
    except NotInstalled as reason:
        pytest.skip(str(reason))
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a new, prepared database; every test that asks for it runs on both kinds."""
    if request.param == "postgresql":
        server: Server = request.getfixturevalue("postgres")
        return server.prepared()
    address = f"sqlite:{tmp_path / 'referee.db'}"
    migrate(address)
    return address


@pytest.fixture
def settings(database: str) -> Settings:
    """Settings on that database, projections running."""
    return Settings(database, SECRET, frozenset({"testserver.local"}), project=True)


@pytest.fixture
def table(settings: Settings) -> Iterator[Table]:
    """A table with the app served on that database."""
    with TestClient(create_app(settings), base_url="http://testserver.local") as client:
        yield Table(client)


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    """In CI everything is installed, so a skipped test is one that nobody ran: a failure."""
    reporter = session.config.pluginmanager.get_plugin("terminalreporter")
    skipped = reporter.stats.get("skipped", []) if reporter else []
    if os.environ.get("CI") and reporter and skipped and exitstatus == 0:
        reporter.write_line(f"{len(skipped)} skipped in CI, where nothing may be", red=True)
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
