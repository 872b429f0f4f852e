"""For who runs the service: is it up, how far the read tables are, metrics, rebuilding."""

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

import msgspec
from litestar import Controller, MediaType, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath

from projections import rebuild
from projections.base import Projection
from projections.rebuild import Progress, Rebuilt
from projections.status import Status, status
from projections.tables import UNAVAILABLE, Tables
from referee import errors
from referee.api import schemas as s
from referee.api.reading import only_operator
from referee.service import Referee
from referee.store import open_reader

METRICS = (
    ("referee_projection_position", "gauge", "Position in the log that a projection has read to.", "position"),
    ("referee_projection_events_total", "counter", "Events that a projection has taken in.", "events"),
    ("referee_projection_lag_events", "gauge", "Events not yet taken in, counted up to 1000.", "lag_events"),
    ("referee_projection_lag_seconds", "gauge", "Age of the oldest event not yet taken in.", "lag_seconds"),
)


class Lag(msgspec.Struct, frozen=True):
    """How far a projection is behind the log (1000 events: or more; seconds null: unreadable), and whether it stopped."""

    name: str
    events: int
    seconds: float | None
    stopped: bool


class Ready(msgspec.Struct, frozen=True):
    """The event log answers. Projections may be behind: reads with `min_position` wait for them, commands do not."""

    status: str
    projections: tuple[Lag, ...]


class RebuildState(msgspec.Struct):
    """A rebuild begun through this process: how far it is, and what came of it, or why it failed."""

    name: str
    progress: Progress | None = None
    done: Rebuilt | None = None
    failed: str | None = None


class Watch:
    """The projections of this process's database: their state, and rebuilds in threads of their own."""

    def __init__(self, database: str, projections: Sequence[Projection], stop: threading.Event) -> None:
        self._database, self._stop = database, stop
        self._by_name = {projection.NAME: projection for projection in projections}
        self._reader, self._tables = open_reader(database), Tables(database)
        self.rebuilds: dict[str, RebuildState] = {}

    async def status(self) -> list[Status]:
        """Where every projection stands. Raises Busy."""
        try:
            return await asyncio.to_thread(status, self._tables, self._reader, list(self._by_name.values()))
        except Exception as error:
            raise errors.Busy("The read tables or the log cannot be read now.") from error

    def begin(self, name: str) -> RebuildState:
        """Begin a rebuild. Raises NotFound, or Clash while one runs here."""
        projection = self._by_name.get(name)
        if projection is None:
            raise errors.NotFound(f"There is no such projection; there are {', '.join(self._by_name)}.")
        before = self.rebuilds.get(name)
        if before and not (before.done or before.failed):
            raise errors.Clash("REBUILD_RUNNING", f"{name} is being rebuilt already.")
        state = self.rebuilds[name] = RebuildState(name)
        threading.Thread(target=self._rebuild, args=(projection, state), name=f"rebuild {name}", daemon=True).start()
        return state

    def close(self) -> None:
        """Let go of the database."""
        self._reader.close()
        self._tables.close()

    def _rebuild(self, projection: Projection, state: RebuildState) -> None:
        reader, tables = open_reader(self._database), Tables(self._database)

        def tell(progress: Progress) -> None:
            state.progress = progress

        try:
            state.done = rebuild.rebuild(tables, reader, projection, self._stop, tell)
            state.failed = None if state.done else "stopped"
        except rebuild.Running:
            state.failed = "another process is rebuilding it"
        except UNAVAILABLE as error:
            state.failed = f"the database does not answer: {type(error).__name__}"
        except Exception as error:
            state.failed = f"{type(error).__name__}: {error}"
        finally:
            reader.close()
            tables.close()


@get("/healthz", operation_id="healthz", tags=["operation"], security=[{}])
async def healthz() -> s.Health:
    """The process is up."""
    return s.Health("ok")


@get("/readyz", operation_id="readyz", tags=["operation"], security=[{}])
async def readyz(referee: NamedDependency[Referee], watch: NamedDependency[Watch]) -> Response[Ready]:
    """The event log answers, and how far the read tables are behind it; 503 while either does not answer."""
    await referee.ready()
    lags = tuple(Lag(one.name, one.lag_events, one.lag_seconds, bool(one.stopped)) for one in await watch.status())
    return Response(Ready("ok", lags), headers={"Cache-Control": "no-store"})


@get(
    "/metrics",
    operation_id="metrics",
    tags=["operation"],
    media_type=MediaType.TEXT,
    guards=[only_operator],
    security=[{"operator": []}],
)
async def metrics(watch: NamedDependency[Watch]) -> Response[str]:
    """Figures in the plain text format that scrapers read. For the operator."""
    text = "\n".join(_exposition(await watch.status())) + "\n"
    return Response(text, media_type="text/plain; version=0.0.4")


class Projections(Controller):
    """`/v1/projections`, for the operator."""

    path = "/projections"
    tags = ["operation"]
    guards = [only_operator]
    security = [{"operator": []}]

    @get(operation_id="listProjections")
    async def list(self, watch: NamedDependency[Watch]) -> list[Status]:
        """How far each projection is, and before which event it stopped, if it did."""
        return await watch.status()

    @post("/{name:str}/rebuild", operation_id="rebuildProjection", status_code=202)
    async def rebuild(self, watch: NamedDependency[Watch], name: FromPath[str]) -> RebuildState:
        """Build a projection anew beside the one that is read, and swap; ask for the state with GET."""
        return watch.begin(name)

    @get("/{name:str}/rebuild", operation_id="getRebuild")
    async def rebuild_state(self, watch: NamedDependency[Watch], name: FromPath[str]) -> RebuildState:
        """How far the last rebuild is that was begun through this process."""
        if name not in watch.rebuilds:
            raise errors.NotFound("No rebuild of that name was begun here.")
        return watch.rebuilds[name]


def _exposition(found: list[Status]) -> Any:
    for name, kind, text, field in METRICS:
        yield f"# HELP {name} {text}"
        yield f"# TYPE {name} {kind}"
        for one in found:
            value = getattr(one, field)
            yield f'{name}{{projection="{one.name}"}} {"NaN" if value is None else value}'
    yield "# HELP referee_projection_stopped Whether a projection stopped before an event it cannot take in."
    yield "# TYPE referee_projection_stopped gauge"
    for one in found:
        yield f'referee_projection_stopped{{projection="{one.name}"}} {int(bool(one.stopped))}'
