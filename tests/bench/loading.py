"""Loading a stream of 200 entries: eventsourcing's repository against our read and fold."""

import asyncio
import functools
import os
import statistics
import time
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import msgspec
from eventsourcing.application import Application
from eventsourcing.domain import Aggregate, event

from referee import deal, match
from referee.events import Entry, MatchOpened, Recorded
from referee.rules import tablanet
from referee.rules.chance import Told
from referee.store import migrate, open_log
from referee.store.log import Batch
from tests.bench.stage import Bench, rounds
from tests.bench.stage import median as middle
from tests.bench.stage import ratio as of
from tests.store.entries import entry
from tests.store.two import CASE

ENTRIES, TIMES = 200, 40


class Table(Aggregate):
    """A deal as the library's own documentation would have it."""

    def __init__(self) -> None:
        self.taken: list[list[str]] = [[], []]
        self.turn = 0

    @event("Played")
    def play(self, seat: int, card: str, captures: list[str], effects: dict[str, object]) -> None:
        """A card and what it captured."""
        self.taken[seat] += captures
        self.turn = 1 - seat


def whole_deals() -> list[Entry]:
    """200 entries of Tablanet deals, one after the other in one stream, as the service would have written them."""
    rules = msgspec.convert(
        CASE["house_rules"] | {"ace_value": CASE["house_rules"].get("ace_value", 1)}, tablanet.Rules
    )
    opened = MatchOpened("tablanet", "tablanet@1", msgspec.to_builtins(rules), (uuid4(), uuid4()))
    table = match.evolve(None, Recorded(uuid4(), 1, 1, entry().at, "x", opened))
    table = msgspec.structs.replace(table, dealer=CASE["dealer"])
    started = match.start_deal(table, None, False)[0]  # type: ignore[index]
    line = match.evolve(table, Recorded(table.id, 2, 2, entry().at, "x", started)).deals[0]  # type: ignore[arg-type]
    layout = msgspec.convert({"type": "tablanet", **CASE["layout"]}, tablanet.Layout)
    made: list[Entry] = []
    while len(made) < ENTRIES:
        dealt = deal.lay_out(table, line, layout, "scorekeeper")
        assert isinstance(dealt, tuple), dealt
        events = list(dealt)
        state = deal.evolve(None, Recorded(line.id, 1, 1, entry().at, "x", events[0]))
        for step in CASE["steps"]:
            move = tablanet.Play(step["move"]["card"], tuple(step["move"]["captures"]))
            played = deal.play(state, rules, step["seat"], move, Told(()), None)
            assert isinstance(played, tuple), played
            for one in played:
                state = deal.evolve(state, Recorded(line.id, state.version + 1, 1, entry().at, "x", one))
            events += played
        made += [Entry(entry().at, "scorekeeper", one) for one in events]
    return made[:ENTRIES]


def run(server: Bench, times: int) -> dict[str, object]:
    """Milliseconds to load, and ours as a part of the stock time."""
    stock, id_ = _stock(server)
    url, stream, runner = server.database(), uuid4(), asyncio.Runner()
    migrate(url)
    log = open_log(url)
    runner.run(log.append([Batch(stream, 0, whole_deals())]))

    async def load() -> None:
        assert functools.reduce(deal.evolve, await log.read(stream), None).version == ENTRIES

    async def ours() -> float:
        await load()
        taken = []
        for _ in range(TIMES):
            start = time.perf_counter()
            await load()
            taken.append(time.perf_counter() - start)
        return statistics.median(taken) * 1000

    def theirs() -> float:
        taken = []
        for _ in range(TIMES):
            start = time.perf_counter()
            assert stock.repository.get(id_).version == ENTRIES
            taken.append(time.perf_counter() - start)
        return statistics.median(taken) * 1000

    rates = rounds({"load stock, ms": theirs, "load ours, ms": lambda: runner.run(ours())}, times)
    runner.run(log.close())
    runner.close()
    stock.close()
    return {
        "load_200_ms": {"stock": middle(rates, "load stock, ms"), "ours": middle(rates, "load ours, ms")},
        "load_200_of_stock": of(rates, "load ours, ms", "load stock, ms"),
    }


def _stock(server: Bench) -> tuple[Application[UUID], UUID]:
    parts = urlsplit(server.database())
    env = {
        "PERSISTENCE_MODULE": "eventsourcing.postgres", "POSTGRES_DBNAME": parts.path[1:],
        "POSTGRES_HOST": str(parts.hostname), "POSTGRES_PORT": str(parts.port), "POSTGRES_USER": str(parts.username),
        "POSTGRES_PASSWORD": os.environ.get("PGPASSWORD", "none"),
    }  # fmt: skip
    app: Application[UUID] = Application(env=env)
    table = Table()
    for number in range(ENTRIES - 1):
        table.play(number % 2, "10S", ["10D", "4C", "6H"], {"captured": ["10D", "4C", "6H"], "next": 1})
    app.save(table)
    return app, table.id
