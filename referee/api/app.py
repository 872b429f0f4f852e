"""The composition root: the one place where settings, log, service, read tables and handlers meet."""

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any
from uuid import UUID

from litestar import Litestar, Request, Response, Router, get
from litestar.datastructures import State
from litestar.di import NamedDependency, Provide
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import FromPath

from projections import runner, totals
from projections.tables import Tables
from referee import errors, settings
from referee.access import Caller
from referee.api import schemas as s
from referee.api.deals import Deals
from referee.api.edge import Edge
from referee.api.hearing import Hearing
from referee.api.matches import Matches
from referee.api.noted import Noted
from referee.api.openapi import CompleteConfig
from referee.api.problems import HANDLERS
from referee.api.records import RecordBox, Records, list_rulebooks, read_rulebook
from referee.api.request import StrictRequest
from referee.api.settling import Settling
from referee.service import Referee
from referee.settings import Settings
from referee.store import migrate, open_log, open_reader, sqlite_path

VERSION = "0.1.0"
PROJECTIONS = (totals,)


async def provide_referee(state: State) -> Referee:
    """The service."""
    return state.referee  # type: ignore[no-any-return]


async def provide_tables(state: State) -> Tables:
    """The read tables."""
    return state.tables  # type: ignore[no-any-return]


async def provide_caller(
    request: Request[Any, Any, Any], referee: NamedDependency[Referee], match_id: FromPath[UUID]
) -> Caller:
    """Who calls: the holder of the bearer token, which must be one of this match."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    held = token.strip() if scheme.lower() == "bearer" and token.strip() else None
    return await referee.caller(match_id, held, command=request.method == "POST")


@get("/healthz", operation_id="healthz", tags=["operation"], security=[{}])
async def healthz() -> s.Health:
    """The process is up."""
    return s.Health("ok")


@get("/readyz", operation_id="readyz", tags=["operation"], security=[{}])
async def readyz(referee: NamedDependency[Referee]) -> Response[s.Health]:
    """The event log answers; 503 while it does not."""
    await referee.ready()
    return Response(s.Health("ok"))


def create_app(given: Settings | None = None) -> Litestar:
    """The ASGI application. Raises what `referee.settings.load` raises."""
    config = given or settings.load()

    @asynccontextmanager
    async def lifespan(app: Litestar) -> AsyncIterator[None]:
        # opened here, not before: a server may fork after this module was loaded
        if sqlite_path(config.database):
            migrate(config.database)
        log = open_log(config.database, config.limits)
        app.state.referee = Referee(log, config.secret)
        app.state.tables = Tables(config.database)
        for projection in PROJECTIONS:
            runner.prepare(app.state.tables, projection)
        stop = threading.Event()
        follower = threading.Thread(target=follow, args=(config.database, stop), name="projections", daemon=True)
        if config.project:
            follower.start()
        try:
            yield
        finally:
            stop.set()
            if config.project:
                follower.join(5)
            app.state.tables.close()
            await log.close()

    app = Litestar(
        route_handlers=[
            Router(
                "/v1",
                route_handlers=[Matches, Deals, Settling, Hearing, Noted, Records],
                dependencies={"who": Provide(provide_caller)},
            ),
            Router("/v1", route_handlers=[RecordBox, list_rulebooks, read_rulebook]),
            healthz,
            readyz,
        ],
        dependencies={"referee": Provide(provide_referee), "tables": Provide(provide_tables)},
        request_class=StrictRequest,
        exception_handlers=HANDLERS,
        lifespan=[lifespan],
        request_max_body_size=config.max_body,
        logging_config=None,
        openapi_config=CompleteConfig(
            title="Referee",
            version=VERSION,
            # not "/": the framework answers every unknown path below this one with a page of its own
            path="/openapi.json",
            render_plugins=[JsonRenderPlugin(path="/")],
            security=[{"capability": []}],
            components=Components(security_schemes={"capability": SecurityScheme(type="http", scheme="bearer")}),
        ),
    )
    app.asgi_handler = Edge(app.asgi_handler, config.hosts)
    return app


def follow(database: str, stop: threading.Event) -> None:
    """Keep the read tables up to date until `stop` is set."""
    reader, tables = open_reader(database), Tables(database)
    try:
        runner.run(reader, tables, PROJECTIONS, stop)
    finally:
        reader.close()
        tables.close()


__all__ = ["create_app", "errors", "follow"]
