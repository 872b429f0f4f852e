"""Golden records: whole matches of every game, judged strictly, taken in by a fresh log and given out again byte for byte."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from litestar.testing import TestClient

from referee import record
from referee.api.app import create_app
from referee.events import MatchOpened, MatchWon
from referee.record_schema import schema
from referee.rules.game import GAMES
from referee.settings import Settings
from referee.store import migrate
from tests.conftest import SECRET
from tests.http.table import Opened, Table
from tests.postgres import Server
from tests.records.doctor import GOLDEN, golden
from tests.records.endings import endings
from tests.records.make import PLANS, Plan, play_match

FILE = Path(__file__).parents[1] / "openapi" / "record.schema.json"
SCHEMA = Draft202012Validator(json.loads(FILE.read_text("utf-8")))
OF_NAME = {plan.name: plan for plan in PLANS}
EVERY = pytest.mark.parametrize("name", list(OF_NAME))


@pytest.fixture(scope="module")
def fresh(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Table]:
    """A table on an SQLite file of its own, with nothing in it before the first record."""
    yield from served(f"sqlite:{tmp_path_factory.mktemp('records') / 'referee.db'}")


@pytest.fixture(scope="module")
def fresh_postgres(postgres: Server) -> Iterator[Table]:
    """The same on PostgreSQL."""
    yield from served(postgres.database())


def served(database: str) -> Iterator[Table]:
    migrate(database)
    settings = Settings(database, SECRET, frozenset({"testserver.local"}), project=True)
    with TestClient(create_app(settings), base_url="http://testserver.local") as client:
        yield Table(client)


def test_every_record_has_its_plan() -> None:
    assert [path.stem for path in GOLDEN] == sorted(OF_NAME)
    assert sum(path.stat().st_size for path in GOLDEN) < 6_000_000


def test_every_game_preset_ending_and_way_is_there() -> None:
    for game, seats in (("tablanet", range(2, 4)), ("tabu", range(2, 7)), ("sabo", range(2, 6))):
        assert {plan.seats for plan in PLANS if plan.game == game} == set(seats)
        assert {plan.preset for plan in PLANS if plan.game == game} >= set(GAMES[game].PRESETS)
        assert {plan.way for plan in PLANS if plan.game == game} == {"dealt", "words", "told"}
        shown = frozenset().union(*(plan.shows for plan in PLANS if plan.game == game))
        assert shown >= {"tie, then another deal", "crossed together", "shared win"}
        ends = {"went out", "blocked by the reserve", "deal limit"} if game == "tabu" else {"played out"}
        assert shown >= ends


@EVERY
def test_it_is_legal_and_what_it_is_meant_to_be(name: str) -> None:
    plan, data = OF_NAME[name], golden(name)
    report = record.check(data)
    assert report.legal, list(record.lines(report))
    found, _ = record.read(data)
    assert found
    assert record.write(found) == data
    opened = found.match[0].event
    assert isinstance(opened, MatchOpened)
    assert (opened.game, len(opened.players)) == (plan.game, plan.seats)
    assert endings(found) >= plan.shows


@EVERY
def test_it_fits_the_schema(name: str) -> None:
    """The match and its first two deals: the deals of a match are alike."""
    document = json.loads(golden(name))
    document["deals"] = document["deals"][:2]
    SCHEMA.validate(document)


def test_the_schema_in_the_repository_is_the_one_the_code_gives() -> None:
    """After a change: python -m referee.record_schema > openapi/record.schema.json"""
    Draft202012Validator.check_schema(schema())
    assert json.loads(FILE.read_text("utf-8")) == schema()


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d.update(format="referee-match/2"),
        lambda d: d.pop("id"),
        lambda d: d["match"][0].pop("at"),
        lambda d: d["match"][0]["event"].update(type="CardsDealt"),
        lambda d: d["match"].append(d["deals"][0][0]),
        lambda d: d["deals"][0][1]["event"].update(shoe_size=44),
        lambda d: d["deals"][0][1]["event"]["move"].update(card=7),
        lambda d: d.update(digest="?"),
    ],
)
def test_the_schema_refuses(change: Any) -> None:
    document = json.loads(golden("tabu-2-one-deal"))
    change(document)
    assert not SCHEMA.is_valid(document)


@pytest.mark.parametrize(
    "plan", [plan for plan in PLANS if plan.name.endswith("-one-deal")], ids=lambda plan: plan.name
)
def test_the_script_makes_the_same_again(plan: Plan, tmp_path: Path) -> None:
    assert play_match(plan, f"sqlite:{tmp_path / 'log.db'}") == golden(plan.name)


@EVERY
def test_taken_in_and_given_out_again(fresh: Table, name: str) -> None:
    taken_in_and_given_out(fresh, golden(name))


@pytest.mark.parametrize("name", ["tablanet-2-words", "tabu-3-told", "sabo-5-clogs"])
def test_taken_in_and_given_out_again_on_postgresql(fresh_postgres: Table, name: str) -> None:
    taken_in_and_given_out(fresh_postgres, golden(name))


def taken_in_and_given_out(table: Table, data: bytes) -> None:
    found, _ = record.read(data)
    assert found
    won = found.match[-1].event
    assert isinstance(won, MatchWon)
    reply = table.take_in(data)
    assert reply.status_code == 201, reply.text
    match = Opened(table.client, reply.json())
    assert match.spectator.get("/record").content == data
    assert reply.json()["match"]["id"] == str(found.id)
    assert [seat["name"] for seat in reply.json()["match"]["seats"]] == list(found.names.values())
    state = match.spectator.get().json()
    assert (state["state"], state["totals"], state["winners"]) == ("won", [*won.totals], [*won.seats])
    sheet = match.spectator.get(f"/totals?min_position={reply.json()['position']}").json()
    assert ([seat["total"] for seat in sheet["seats"]], sheet["winners"]) == ([*won.totals], [*won.seats])
    assert len(sheet["deals"]) == len(found.deals)
    for number, entries in enumerate(found.deals, 1):
        moves = sum(hasattr(entry.event, "effects") for entry in entries)
        replay = match.spectator.get(f"/deals/{number}/replay").json()
        assert replay["moves"] == len(replay["played"]) == moves
        assert replay["deal"]["points"] == sheet["deals"][number - 1]["points"]
