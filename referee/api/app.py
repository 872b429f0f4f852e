"""The composition root: the one place where settings, log, service, read tables and handlers meet."""

import gc
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final
from uuid import UUID

from litestar import Litestar, Request, Router
from litestar.di import NamedDependency, Provide
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, SecurityScheme
from litestar.params import FromPath

from projections import base, irregularities, matches, players, runner, standings, totals
from projections.tables import Tables
from projections.wake import Bell
from referee import errors, settings
from referee.access import Caller
from referee.api.deals import Deals
from referee.api.edge import Edge
from referee.api.hearing import Hearing
from referee.api.lists import Lists
from referee.api.matches import Matches
from referee.api.noted import Noted
from referee.api.openapi import CompleteConfig
from referee.api.operation import Projections, Watch, healthz, metrics, readyz
from referee.api.problems import HANDLERS
from referee.api.records import RecordBox, Records, list_rulebooks, read_rulebook
from referee.api.request import StrictRequest
from referee.api.settling import Settling
from referee.api.sheets import Sheets
from referee.service import Referee
from referee.settings import Settings
from referee.store import migrate, open_log, open_reader, sqlite_path

VERSION = "0.1.0"
PROJECTIONS: tuple[base.Projection, ...] = (totals, matches, standings, players, irregularities)
GARBAGE: Final = 10_000
"""New objects after which Python looks for garbage; its own 700 are fewer than some tens of requests hold."""


async def provide_caller(
    request: Request[Any, Any, Any], referee: NamedDependency[Referee], match_id: FromPath[UUID]
) -> Caller:
    """Who calls: the holder of the bearer token, which must be one of this match."""
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    held = token.strip() if scheme.lower() == "bearer" and token.strip() else None
    return await referee.caller(match_id, held, command=request.method == "POST")


async def after_response(request: Request[Any, Any, Any]) -> None:
    """Wake whoever follows the log, now that a command may have been written to it."""
    if request.method != "GET":
        request.app.state.bell.ring()


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
        app.state.tables, app.state.bell = Tables(config.database), Bell(config.database)
        app.state.operator = config.operator
        base.prepare_all(app.state.tables, PROJECTIONS)
        # requests under way hold thousands of objects at once, hardly any of them garbage that only a search finds
        gc.set_threshold(GARBAGE)
        stop = threading.Event()
        app.state.watch = Watch(config.database, PROJECTIONS, stop)
        # on an SQLite file this very bell wakes the follower; on PostgreSQL each has one of its own
        arguments = (config.database, stop, app.state.bell if sqlite_path(config.database) else None)
        follower = threading.Thread(target=follow, args=arguments, name="projections", daemon=True)
        if config.project:
            follower.start()
        try:
            yield
        finally:
            stop.set()
            app.state.bell.ring()
            if config.project:
                follower.join(5)
            app.state.bell.close()
            app.state.watch.close()
            app.state.tables.close()
            await log.close()

    def of_state(name: str) -> Provide:
        # it takes no parameters, so the framework has nothing to convert for it at each request
        async def provide() -> Any:
            return getattr(app.state, name)

        return Provide(provide)

    app = Litestar(
        route_handlers=[
            Router(
                "/v1",
                route_handlers=[Matches, Deals, Settling, Hearing, Noted, Records, Sheets, Lists],
                dependencies={"who": Provide(provide_caller)},
            ),
            Router("/v1", route_handlers=[RecordBox, Projections, list_rulebooks, read_rulebook]),
            healthz,
            readyz,
            metrics,
        ],
        dependencies={name: of_state(name) for name in ("referee", "tables", "watch")},
        after_response=after_response,
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
            components=Components(
                security_schemes={
                    "capability": SecurityScheme(type="http", scheme="bearer"),
                    "operator": SecurityScheme(type="http", scheme="bearer"),
                }
            ),
        ),
    )
    app.asgi_handler = Edge(app.asgi_handler, config.hosts)
    return app


def follow(database: str, stop: threading.Event, bell: Bell | None = None) -> None:
    """Keep the read tables up to date until `stop` is set."""
    reader, tables = open_reader(database), Tables(database)
    try:
        runner.run(tables, reader, PROJECTIONS, stop, bell)
    finally:
        reader.close()
        tables.close()


__all__ = ["PROJECTIONS", "create_app", "errors", "follow"]
