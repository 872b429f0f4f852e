"""The servers that `tests.bench.http` compares, each an ASGI application made by a function of this module."""

import itertools
import os
from typing import Any
from uuid import UUID

import msgspec
from eventsourcing.application import AggregateNotFoundError, Application
from eventsourcing.domain import Aggregate, event
from litestar import Litestar, post
from litestar.params import FromPath, JSONBody

from referee.api.app import create_app
from referee.api.schemas import MakeMove
from referee.rules import tablanet


class Answer(msgspec.Struct):
    """Something to answer."""

    ok: bool
    moves: int


@post("/v1/matches/{match_id:uuid}/deals/1/moves")
async def nothing(match_id: FromPath[UUID], data: JSONBody[MakeMove]) -> Answer:
    """Reads the body as the real handler does, and answers."""
    return Answer(True, data.seat)


def noop() -> Litestar:
    """The framework alone."""
    return Litestar([nothing], logging_config=None, openapi_config=None)


def durable() -> Litestar:
    """The service."""
    return create_app()


def immediate() -> Litestar:
    """The service, its log saying at once that what it was given is stored."""
    app = create_app()
    positions = itertools.count(1 << 40)

    def patch() -> None:
        log = app.state.referee.log
        real = log.append

        async def append(batches: Any, key: Any = None, words: Any = None, guards: Any = None) -> int:
            # matches are opened and dealt for real: only moves are not stored
            if len(batches) > 1 or not batches[0].after:
                return int(await real(batches, key, words, guards))
            return next(positions)

        log.append = append

    app.on_startup.append(patch)
    return app


class Table(Aggregate):
    """A deal as the library's documentation would have it."""

    def __init__(self, id: UUID) -> None:
        self.moves: list[tuple[int, str]] = []
        self._id = id

    @staticmethod
    def create_id(id: UUID) -> UUID:
        """The match's id."""
        return id

    @event("Played")
    def play(self, seat: int, card: str, captures: list[str]) -> None:
        """A card."""
        self.moves.append((seat, card))


def stock() -> Litestar:
    """eventsourcing as it comes, called in a thread for each request."""
    app: Application[UUID] = Application(env={**os.environ, "PERSISTENCE_MODULE": "eventsourcing.postgres"})

    @post("/v1/matches/{match_id:uuid}/deals/1/moves", sync_to_thread=True)
    def play(match_id: FromPath[UUID], data: JSONBody[MakeMove]) -> Answer:
        """Load, play, save."""
        try:
            table: Table = app.repository.get(match_id)
        except AggregateNotFoundError:
            table = Table(match_id)
        assert isinstance(data.move, tablanet.Play)
        table.play(data.seat, data.move.card, list(data.move.captures))
        app.save(table)
        return Answer(True, len(table.moves))

    return Litestar([play], logging_config=None, openapi_config=None)
