"""The command line says what was wrong in one line, before anything is started."""

import socket
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from click.testing import CliRunner

from referee.cli import main
from tests.postgres import Server

SILENT = "postgresql://nobody@127.0.0.1:9/nothing"


@pytest.fixture
def taken() -> Iterator[int]:
    """A port that somebody else listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()
        port: int = listener.getsockname()[1]
        yield port


def said(*words: str, secret: str = "of the tests") -> str:
    done = CliRunner(env={"REFEREE_SECRET": secret, "REFEREE_DATABASE": ""}).invoke(main, words)
    assert done.exit_code == 1, done.output
    assert done.output.startswith("Error: ")
    assert "Traceback" not in done.output
    return done.output


@pytest.mark.parametrize("command", ["serve", "project", "migrate"])
def test_an_address_that_is_none(command: str) -> None:
    assert "write sqlite:PATH or postgresql://" in said(command, "--database", "mysql://there")


@pytest.mark.parametrize("command", ["serve", "project", "migrate"])
def test_a_file_that_cannot_be_made(command: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "The database cannot be" in said(command, "--database", f"sqlite:{tmp_path}/file/referee.db")


@pytest.mark.parametrize("command", ["serve", "migrate"])
def test_a_server_that_does_not_answer(command: str) -> None:
    assert "The database cannot be" in said(command, "--database", SILENT)


@pytest.mark.parametrize("command", ["serve", "project"])
def test_a_database_that_is_not_prepared(command: str, postgres: Server) -> None:
    assert "`referee migrate` prepares it" in said(command, "--database", postgres.database())


def test_a_port_that_is_taken(taken: int, tmp_path: Path) -> None:
    words = ("serve", "--database", f"sqlite:{tmp_path}/referee.db", "--port", str(taken))
    assert f"cannot listen on 127.0.0.1:{taken}" in said(*words)


def test_a_file_takes_one_process(tmp_path: Path) -> None:
    assert "use PostgreSQL" in said("serve", "--database", f"sqlite:{tmp_path}/referee.db", "--workers", "2")


def test_migrate_makes_the_read_tables_too(postgres: Server) -> None:
    """So that workers which start together find them, and none fails over the other's."""
    address = postgres.database()
    for _ in range(2):
        assert CliRunner().invoke(main, ["migrate", "--database", address]).exit_code == 0
    with psycopg.connect(address) as connection:
        assert connection.execute("SELECT name, position FROM projection ORDER BY 1").fetchall() == [
            (name, 0) for name in ("irregularities", "matches", "players", "standings", "totals")
        ]


def test_postgresql_needs_a_secret(postgres: Server) -> None:
    address = postgres.database()
    assert CliRunner().invoke(main, ["migrate", "--database", address]).output == "The database is ready.\n"
    assert "set REFEREE_SECRET" in said("serve", "--database", address, secret="")
