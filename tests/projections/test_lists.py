"""Lists, score sheets and files over HTTP: one number everywhere, stable pages, a fixed number of queries, for whom."""

import asyncio
import random
import threading
import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from litestar.testing import TestClient

from projections.tables import Execute
from referee.api import spreadsheet
from referee.api.app import create_app
from referee.events import (
    FREE,
    Consent,
    DealScored,
    DealStarted,
    DealVoided,
    Entry,
    Event,
    MatchReopened,
    MatchWon,
    PlayerLeft,
    ScoreCorrected,
)
from referee.match import deal_id
from referee.settings import Settings
from referee.store import open_log
from referee.store.log import Batch
from tests.conftest import SECRET
from tests.http.table import Opened, Table
from tests.projections.logs import START, Book, Change, Pen, random_changes

OPERATOR = "a token of the tests' operator"
NAMES = ("Ana; Bob", 'O\'Neil, "Red"', "Žarko")


class Hall:
    """The served app, its operator, and a pen for what no command writes."""

    def __init__(self, client: TestClient[Any], database: str) -> None:
        self.client, self.table, self._log = client, Table(client), open_log(database)
        self.book = Book(self._log)
        self._versions: dict[UUID, int] = {}

    def get(self, path: str, token: str | None = OPERATOR) -> Any:
        """GET with the operator's token."""
        return self.client.get(path, headers={"Authorization": f"Bearer {token}"} if token else {})

    def write(self, *changes: Change) -> int:
        """Append changes; the last position."""

        async def all_of_them() -> int:
            return [await self.book.write(change) for change in changes if change][-1]

        return asyncio.run(all_of_them())

    def add(self, match: Opened, *events: Event, by: str = "scorekeeper") -> int:
        """Append events to a match that was opened through the API."""
        stream = UUID(match.id)
        after = self._versions.get(stream, match.answer["match"]["version"])
        self._versions[stream] = after + len(events)
        return asyncio.run(self._log.append([Batch(stream, after, [Entry(START, by, event) for event in events])]))


@pytest.fixture
def hall(database: str) -> Iterator[Hall]:
    settings = Settings(database, SECRET, frozenset({"testserver.local"}), project=True, operator=OPERATOR)
    with TestClient(create_app(settings), base_url="http://testserver.local") as client:
        yield Hall(client, database)


def scored(match: Opened, number: int, points: tuple[int, ...], totals: tuple[int, ...]) -> list[Event]:
    stream = deal_id(UUID(match.id), number)
    lines = tuple({"tricks": one} for one in points)
    return [DealStarted(number, stream, 0, "tallied", 20), DealScored(number, points, lines, totals)]


def corrected(number: int, points: tuple[int, ...], totals: tuple[int, ...]) -> ScoreCorrected:
    why = UUID(int=99)
    return ScoreCorrected(Consent("spoken", (0, 1)), why, number, points, tuple({"tricks": p} for p in points), totals)


def test_C001_a_correction_changes_every_total_after_it(hall: Hall) -> None:  # noqa: N802
    """10, 8, 6 with the first corrected to 7 is 7, 15, 21 wherever it is read, and the 10 stays as a revision."""
    match = hall.table.open("tablanet", 2)
    before = (((10, 1), (10, 1)), ((8, 2), (18, 3)), ((6, 0), (24, 3)))
    for number, (points, totals) in enumerate(before, 1):
        hall.add(match, *scored(match, number, points, totals))
    at = hall.add(match, corrected(1, (7, 1), (21, 3)), by="arbiter")
    sheet = match.spectator.get(f"/totals?min_position={at}").json()
    assert [deal["totals"] for deal in sheet["deals"]] == [[7, 1], [15, 3], [21, 3]]
    assert [seat["total"] for seat in sheet["seats"]] == [21, 3]
    assert [(r["kind"], r["points"], r["by"], r.get("why")) for r in sheet["deals"][0]["revisions"]] == [
        ("scored", [10, 1], "scorekeeper", None),
        ("corrected", [7, 1], "arbiter", str(UUID(int=99))),
    ]
    assert sheet["deals"][0]["revisions"][1]["version"] == sheet["version"]
    deals = match.seats[0].get(f"/deals?min_position={at}").json()["deals"]
    assert [(deal["points"][0], deal["totals"][0], deal["revisions"]) for deal in deals] == [
        (7, 7, 2),
        (8, 15, 1),
        (6, 21, 1),
    ]
    chart = match.seats[0].get(f"/totals/chart?min_position={at}").json()
    assert [line["totals"] for line in chart["series"]] == [[7, 15, 21], [1, 3, 3]]
    file = match.seats[0].get(f"/totals.csv?min_position={at}").content
    assert [row[5] for row in spreadsheet.read(file) if row[1] == "0"] == ["7", "15", "21"]
    standings = hall.get(f"/v1/standings?match={match.id}&min_position={at}").json()["standings"]
    assert sorted((one["points"], one["deals"], one["average"]) for one in standings) == [(3, 3, 1.0), (21, 3, 7.0)]
    (line,) = hall.get(f"/v1/matches?min_position={at}").json()["matches"]
    assert [seat["total"] for seat in line["seats"]] == [21, 3]


def test_C014_a_correction_unfinishes_the_match(hall: Hall) -> None:  # noqa: N802
    """51 of 50 is corrected to 48; no winner, the match is open, standings follow, and so does a voided deal."""
    match = hall.table.open("tablanet", 2, target=50)
    at = hall.add(match, *scored(match, 1, (51, 30), (51, 30)), MatchWon((0,), (51, 30)))
    sheet = match.arbiter.get(f"/totals?min_position={at}").json()
    assert (sheet["state"], sheet["winners"]) == ("won", [0])
    assert hall.get(f"/v1/standings?min_position={at}").json()["standings"][0]["win_rate"] == 1.0
    at = hall.add(match, corrected(1, (48, 30), (48, 30)), MatchReopened())
    at = hall.add(match, DealStarted(2, deal_id(UUID(match.id), 2), 1, "tallied", 19))
    sheet = match.arbiter.get(f"/totals?min_position={at}").json()
    assert (sheet["state"], sheet["winners"], sheet["running"], sheet["most"]) == ("open", [], 2, 19)
    assert [seat["can_win"] for seat in sheet["seats"]] == [True, False]
    assert [(result["kind"], result.get("winners", [])) for result in sheet["results"]] == [
        ("won", [0]),
        ("reopened", []),
    ]
    for one in hall.get(f"/v1/standings?min_position={at}").json()["standings"]:
        assert (one["matches"], one["unfinished"], one["wins"], one["win_rate"]) == (1, 1, 0, None)
    at = hall.add(match, DealVoided(FREE, None, 1, (0, 0)))
    sheet = match.arbiter.get(f"/totals?min_position={at}").json()
    assert [seat["total"] for seat in sheet["seats"]] == [0, 0]
    assert [revision["kind"] for revision in sheet["voided"][0]["revisions"]] == ["scored", "corrected", "voided"]
    assert hall.get(f"/v1/matches?state=won&min_position={at}").json()["matches"] == []


def test_a_seat_that_was_left_is_out_of_the_ranking(hall: Hall) -> None:
    match = hall.table.open("tablanet", 3)
    at = hall.add(match, *scored(match, 1, (5, 9, -4), (5, 9, -4)), PlayerLeft(FREE, None, 1))
    sheet = match.arbiter.get(f"/totals?min_position={at}").json()
    assert [(seat["rank"], seat["left"]) for seat in sheet["seats"]] == [(1, False), (None, True), (2, False)]
    assert sheet["leaders"] == [0]


def test_a_list_over_all_matches_is_for_the_operator(hall: Hall, database: str) -> None:
    match = hall.table.open()
    paths = ["/v1/matches", "/v1/standings", "/v1/standings.csv", f"/v1/players/{UUID(int=1)}", "/v1/irregularities",
             "/v1/projections", "/metrics"]  # fmt: skip
    for path in paths:
        assert hall.get(path, None).status_code == 401
        assert hall.get(path, "a wrong token").status_code == 401
        assert hall.get(path, match.arbiter.token).status_code == 401
    assert match.nobody.get("/deals").status_code == 401
    assert hall.get(f"/v1/matches/{match.id}/deals").status_code == 401
    nobody = Settings(database, SECRET, frozenset({"testserver.local"}), project=False)
    with TestClient(create_app(nobody), base_url="http://testserver.local") as client:
        for path in paths:
            reply = client.get(path, headers={"Authorization": "Bearer "})
            assert reply.status_code == 403
            assert "REFEREE_OPERATOR_TOKEN" in reply.json()["detail"]


def test_pages_are_stable_under_inserts(hall: Hall) -> None:
    rng = random.Random(1)
    people = [UUID(int=number + 1) for number in range(6)]
    pens = [Pen(rng, rng.sample(people, 4)) for _ in range(23)]
    at = hall.write(*(pen.open() for pen in pens))
    seen: list[str] = []
    path = f"/v1/matches?limit=5&min_position={at}"
    while path:
        reply = hall.get(path)
        seen += [line["match"] for line in reply.json()["matches"]]
        hall.write(Pen(rng, people).open())
        path = reply.links["next"]["url"] if "next" in reply.links else ""
        assert ("next" in reply.links) == (reply.json()["next"] is not None)
    assert seen == [str(pen.match) for pen in reversed(pens)]


def test_matches_by_what_is_asked(hall: Hall) -> None:
    pens, changes = random_changes(21, matches=12, steps=250)
    at = hall.write(*changes)

    def found(query: str) -> set[str]:
        reply = hall.get(f"/v1/matches?limit=100&min_position={at}&{query}")
        assert reply.status_code == 200, reply.text
        return {line["match"] for line in reply.json()["matches"]}

    everything = found("")
    assert everything == {str(pen.match) for pen in pens}
    assert found("game=sabo") == {str(pen.match) for pen in pens if pen.game == "sabo"}
    for state in ("open", "won", "abandoned"):
        assert found(f"state={state}") < everything
    assert found("state=open") | found("state=won") | found("state=abandoned") == everything
    assert found("imported=true") | found("imported=false") == everything
    player = pens[0].players[0]
    assert str(pens[0].match) in found(f"player={player}")
    assert found(f"player={player}&game=tabu") == found(f"player={player}") & found("game=tabu")
    assert found(f"player={UUID(int=4711)}") == set()
    moment = START.replace(second=5).isoformat().replace("+", "%2B")
    assert found(f"since={moment}") | found(f"until={moment}") == everything
    assert found(f"since={moment}") & found(f"until={moment}") == set()


def test_standings_are_the_sum_of_what_was_played(hall: Hall) -> None:
    pens, changes = random_changes(22, matches=10, steps=300)
    at = hall.write(*changes)
    answer = hall.get(f"/v1/standings?min_position={at}&imported=true").json()
    every = answer["standings"]
    assert answer["players"] == len(every)
    assert sum(one["points"] for one in every) == sum(sum(points) for pen in pens for points in pen.points.values())
    assert [(one["wins"], one["points"]) for one in every] == sorted(
        ((one["wins"], one["points"]) for one in every), reverse=True
    )
    assert all(one["matches"] == one["finished"] + one["unfinished"] for one in every)
    assert any(one["revokes"] for one in every)
    few = hall.get(f"/v1/standings?min_position={at}&match={pens[0].match}&imported=true").json()["standings"]
    assert {one["player"] for one in few} >= {str(player) for player in pens[0].players}
    both = "&".join(f"player={player}" for player in pens[0].players[:2])
    for one in hall.get(f"/v1/standings?min_position={at}&imported=true&{both}").json()["standings"]:
        assert one["matches"] <= 10
    leader = every[0]
    about = hall.get(f"/v1/players/{leader['player']}?min_position={at}&limit=3").json()
    assert len(about["page"]["history"]) <= 3
    assert all(len(about["page"][part]) > 0 for part in ("history", "opponents", "best"))
    assert sum(figures["matches"] for figures in about["page"]["games"].values()) <= leader["matches"]
    assert hall.get(f"/v1/players/{UUID(int=4711)}?min_position={at}").status_code == 404


def test_irregularities_and_disputes(hall: Hall) -> None:
    _, changes = random_changes(23, matches=6, steps=400)
    at = hall.write(*changes)
    found = hall.get(f"/v1/irregularities?limit=100&min_position={at}").json()
    sorts = {entry["item"]["sort"] for entry in found["items"]}
    assert sorts == {"illegal_move", "proven", "noted", "dispute"}
    assert "2S" not in str([entry["item"] for entry in found["items"] if entry["item"]["sort"] == "illegal_move"])
    states = {entry["item"]["state"] for entry in found["items"]}
    assert states >= {"stands", "withdrawn", "open", "provisional"}
    some = hall.get(f"/v1/irregularities?sort=dispute&state=open&limit=100&min_position={at}").json()["items"]
    assert some
    assert all((entry["item"]["sort"], entry["item"]["state"]) == ("dispute", "open") for entry in some)
    seen, path = [], f"/v1/irregularities?limit=7&min_position={at}"
    while path:
        reply = hall.get(path)
        seen += reply.json()["items"]
        path = reply.links["next"]["url"] if "next" in reply.links else ""
    assert seen[:100] == found["items"]


def test_C099_queries_do_not_grow_with_the_page_or_the_store(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:  # noqa: N802
    """The same number of queries for a page of 5 and of 100, and with 20 matches and 220."""
    asked: list[str] = []
    ask = Execute.__call__

    def counting(self: Execute, statement: str, *values: Any) -> Any:
        if threading.current_thread().name != "projections":  # what the follower asks meanwhile is not the reader's
            asked.append(statement)
        return ask(self, statement, *values)

    rng = random.Random(3)
    people = [UUID(int=number + 1) for number in range(6)]
    pens = [Pen(rng, people, "sabo") for _ in range(220)]

    def queries(path: str) -> int:
        hall.get(path)
        asked.clear()
        monkeypatch.setattr(Execute, "__call__", counting)
        reply = hall.get(path)
        monkeypatch.setattr(Execute, "__call__", ask)
        assert reply.status_code == 200
        assert "CardsDealt" not in reply.text
        return sum("_v1_g1_" in text and text.startswith("SELECT") for text in asked)

    counts = []
    for some in (pens[:20], pens[20:]):
        at = hall.write(*(pen.open() for pen in some))
        for limit in (5, 100):
            counts.append(queries(f"/v1/matches?limit={limit}&min_position={at}"))
            counts.append(queries(f"/v1/standings?limit={limit}&min_position={at}"))
    assert set(counts) == {1}
    about = [queries(f"/v1/players/{people[0]}?limit={limit}") for limit in (5, 100)]
    assert about[0] == about[1] <= 8


def test_C099_limits_cursors_and_moments_that_are_none(hall: Hall) -> None:  # noqa: N802
    for path in (
        "/v1/matches?limit=100000",
        "/v1/matches?limit=0",
        "/v1/standings?limit=501",
        "/v1/irregularities?limit=101",
        "/v1/matches?cursor=bogus",
        "/v1/matches?cursor=WzFd",
        "/v1/matches?since=2026-05-01T18:00:00",
        "/v1/standings?" + "&".join(f"player={UUID(int=n)}" for n in range(101)),
    ):
        reply = hall.get(path)
        assert reply.status_code == 422, path
        assert reply.json()["errors"]
    assert hall.get("/v1/matches?player=nobody").status_code == 400


def test_a_position_that_does_not_come_is_waited_for_within_bounds(hall: Hall, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("referee.api.reading.WAIT_SECONDS", 0.1)
    match = hall.table.open()
    far = 2**62
    for path in ("/v1/matches", "/v1/standings", f"/v1/players/{UUID(int=1)}", "/v1/irregularities"):
        reply = hall.get(f"{path}?min_position={far}")
        assert reply.status_code == 503, path
        assert reply.headers["Retry-After"] == "1"
    for path in ("/totals", "/totals.csv", "/totals/chart", "/deals", "/irregularities"):
        assert match.spectator.get(f"{path}?min_position={far}").status_code == 503


def test_C083_C011_files_that_spreadsheets_open_rightly(hall: Hall) -> None:  # noqa: N802
    """Separators, quotes, line ends, formulas made harmless, ASCII minus; what is read back is the same."""
    body = {
        "game": "tabu",
        "seats": [{"name": name} for name in (*NAMES, "=1+1")],
        "house_rules": {"target": 251},
        "first_dealer": {"seat": 0},
    }
    reply = hall.table.ask(body)
    assert reply.status_code == 201, reply.text
    match = Opened(hall.client, reply.json())
    at = hall.add(match, *scored(match, 1, (-11, 251, 0, 3), (-11, 251, 0, 3)))
    for separator in ("comma", "semicolon", "tab"):
        for bom in (False, True):
            path = f"/totals.csv?min_position={at}&separator={separator}&bom={str(bom).lower()}"
            file = match.seats[0].get(path).content
            assert file.startswith("\ufeff".encode()) == bom
            assert file.count(b"\r\n") == file.count(b"\n") == 5
            text = file.decode("utf-8-sig")
            assert "'=1+1" in text
            assert "\u2212" not in text
            mark = spreadsheet.SEPARATORS[separator]
            assert f"{mark}-11{mark}-11\r\n" in text
            if separator == "comma":
                assert '"O\'Neil, ""Red"""' in text
            if separator == "semicolon":
                assert '"Ana; Bob"' in text
            _, *lines = spreadsheet.read(file, separator)
            assert [line[3] for line in lines] == [*NAMES, "=1+1"]
            assert [int(line[5]) for line in lines] == [-11, 251, 0, 3]
    answer = hall.get(f"/v1/standings.csv?min_position={at}&separator=semicolon&bom=true")
    assert answer.headers["content-type"] == "text/csv; charset=utf-8"
    head, *lines = spreadsheet.read(answer.content, "semicolon")
    assert [(line[2], line[head.index("points")]) for line in lines] == [
        (NAMES[1], "251"),
        ("=1+1", "3"),
        (NAMES[2], "0"),
        (NAMES[0], "-11"),
    ]


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "'quoted", "\tx", "plain", "-", ""])
def test_a_name_comes_back_as_it_was(name: str) -> None:
    file = spreadsheet.write([(name, -1, 2.5, None)], "semicolon")
    assert file.split(b";")[0][:1] not in (b"=", b"+", b"-", b"@", b"\t")
    assert spreadsheet.read(file, "semicolon") == [[name, "-1", "2,5", ""]]


def test_how_far_the_tables_are(hall: Hall) -> None:
    at = hall.write(*random_changes(24, matches=2, steps=20)[1])
    hall.get(f"/v1/irregularities?min_position={at}")
    ready = hall.client.get("/readyz").json()
    assert ready["status"] == "ok"
    assert {one["name"] for one in ready["projections"]} == {
        "totals",
        "matches",
        "standings",
        "players",
        "irregularities",
    }
    answer = hall.get("/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    text = answer.text
    assert 'referee_projection_lag_events{projection="totals"}' in text
    assert 'referee_projection_stopped{projection="totals"} 0' in text
    assert f'referee_projection_position{{projection="irregularities"}} {at}' in text
    before = hall.get("/v1/projections").json()
    assert hall.client.post("/v1/projections/totals/rebuild", json={}).status_code == 401
    headers = {"Authorization": f"Bearer {OPERATOR}"}
    assert hall.client.post("/v1/projections/nothing/rebuild", headers=headers).status_code == 404
    assert hall.client.post("/v1/projections/totals/rebuild", headers=headers).status_code == 202
    deadline = time.monotonic() + 30
    while not ((state := hall.get("/v1/projections/totals/rebuild").json())["done"] or state["failed"]):
        assert time.monotonic() < deadline, state
        time.sleep(0.02)
    assert state["failed"] is None
    assert state["done"]["differences"] == {}
    after = hall.get("/v1/projections").json()
    assert [one["generation"] for one in after] == [2, 1, 1, 1, 1]
    assert before[0]["events"] == after[0]["events"]
