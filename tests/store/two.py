"""Two API processes on one database, as far as the database can tell; and a Tablanet deal to play there."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from litestar.testing import TestClient

from referee.api.app import create_app
from referee.settings import Settings
from tests.http.table import Opened, Phone, Table
from tests.vectors_of import cases

SECRET = b"a secret of the tests, and of nobody else"
CASE: dict[str, Any] = next(case for case in cases("transcripts/tablanet") if case["players"] == 2 and "points" in case)
MOVES = [(step["seat"], {"type": "tablanet.play", **step["move"]}) for step in CASE["steps"]]


@contextmanager
def served(database: str, project: bool = False) -> Iterator[TestClient[Any]]:
    """The app on that database."""
    config = Settings(database, SECRET, frozenset({"testserver.local"}), project)
    with TestClient(create_app(config), base_url="http://testserver.local") as client:
        yield client


def started(client: TestClient[Any]) -> Opened:
    """A match with the vectors' deal laid out."""
    opened = Table(client).open("tablanet", 2, CASE["dealer"], **CASE["house_rules"])
    laid = opened.scorekeeper.post("/deals", {"layout": {"type": "tablanet", **CASE["layout"]}}, idempotency_key="deal")
    assert laid.status_code == 201, laid.text
    return opened


def at(client: TestClient[Any], phone: Phone) -> Phone:
    """The same phone, talking to another server."""
    return Phone(client, phone.match, phone.token)


def play_all(phone: Phone, first: int = 0) -> None:
    """Play the deal to its end."""
    for number, (seat, move) in enumerate(MOVES[first:], first):
        made = phone.move(1, seat, move, idempotency_key=f"move-{number}")
        assert made.status_code == 201, made.text
