"""The published contract: it is the one that is served, it is valid, and a live session keeps to it."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from click.testing import CliRunner
from httpx import Response
from jsonschema import Draft202012Validator
from litestar.testing import TestClient
from openapi_spec_validator import validate

from referee.api.app import create_app
from referee.cli import main
from referee.rules import tabu
from referee.settings import Settings
from tests.http.real import body, observed
from tests.http.table import Table
from tests.rules.observing import both_sides
from tests.vectors_of import cases

COMMITTED = Path(__file__).parents[1] / "openapi" / "openapi.json"
DOCUMENT: dict[str, Any] = json.loads(COMMITTED.read_text("utf-8"))
OPERATOR = "a token of the operator"
OPERATIONS = [
    pytest.param(path, method, operation, id=operation["operationId"])
    for path, item in DOCUMENT["paths"].items()
    for method, operation in item.items()
]


def closed(node: Any) -> Any:
    """The document with no room for a property that it does not name."""
    if isinstance(node, list):
        return [closed(part) for part in node]
    if not isinstance(node, dict):
        return node
    parts = {name: closed(part) for name, part in node.items()}
    return parts | {"additionalProperties": False} if isinstance(node.get("properties"), dict) else parts


COMPONENTS = closed(DOCUMENT["components"])


def keeps_to_it(answer: Response) -> str:
    """The operation that was asked and the status it answered; fails if the document does not allow the answer."""
    request = answer.request
    for path, item in DOCUMENT["paths"].items():
        pattern = re.sub(r"\{\w+\}", "[^/]+", path)
        if re.fullmatch(pattern, request.url.path) and request.method.lower() in item:
            operation = item[request.method.lower()]
            break
    else:
        pytest.fail(f"{request.method} {request.url.path} is in no document")
    described = operation["responses"].get(str(answer.status_code))
    assert described, f"{operation['operationId']} answered {answer.status_code}: {answer.text}"
    described = resolved(described)
    for header in answer.headers:
        if header in (
            "content-language",
            "etag",
            "location",
            "idempotent-replayed",
            "link",
            "retry-after",
            "www-authenticate",
        ):
            assert header in [name.lower() for name in described["headers"]], (operation["operationId"], header)
    if "content" in described:
        media = answer.headers["content-type"].partition(";")[0]
        schema = described["content"][media]["schema"]
        validator = Draft202012Validator(
            {**schema, "components": COMPONENTS}, format_checker=Draft202012Validator.FORMAT_CHECKER
        )
        validator.validate(answer.json() if media.endswith("json") else answer.text)
    else:
        assert answer.content == b""
    return f"{operation['operationId']} {answer.status_code}"


def resolved(node: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = DOCUMENT
    for word in node.get("$ref", "").split("/")[1:]:
        found = found[word]
    return found if "$ref" in node else node


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    hosts = frozenset({"testserver.local"})
    settings = Settings(f"sqlite:{tmp_path}/referee.db", b"secret", hosts, project=True, operator=OPERATOR)
    with TestClient(create_app(settings), base_url="http://testserver.local") as client:
        yield Table(client)


def test_the_committed_document_is_the_one_made_now() -> None:
    made = CliRunner().invoke(main, ["openapi"])
    assert made.exit_code == 0
    assert made.output == COMMITTED.read_text("utf-8")


def test_the_served_document_is_the_committed_one(table: Table) -> None:
    assert table.client.get("/openapi.json").json() == DOCUMENT


def test_the_document_is_valid_openapi() -> None:
    validate(DOCUMENT)


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS)
def test_every_operation_is_described(path: str, method: str, operation: dict[str, Any]) -> None:
    assert operation["summary"].endswith(".")
    assert operation["description"]
    answers = operation["responses"]
    problems = {"$ref": "#/components/schemas/Problem"}
    for code, answer in answers.items():
        if code >= "400":
            assert resolved(answer)["content"]["application/problem+json"]["schema"] == problems
    assert {"421", "500"} <= answers.keys()
    for_the_operator = operation.get("security") == [{"operator": []}]
    assert ("401" in answers) == ("403" in answers) == (operation.get("security") != [])
    assert ("{match_id}" in path) == ("401" in answers and not for_the_operator)
    assert ({"413", "415", "422"} <= answers.keys()) == (method == "post")
    sent = {parameter["name"] for parameter in operation["parameters"]}
    assert ("If-Match" in sent) == ("412" in answers)
    assert ("If-None-Match" in sent) == ("304" in answers)
    assert ("Idempotency-Key" in sent) == (
        method == "post" and operation["operationId"] not in ("checkRecord", "rebuildProjection", "whatIf")
    )


def test_operations_have_names_of_their_own() -> None:
    names = [operation["operationId"] for item in DOCUMENT["paths"].values() for operation in item.values()]
    assert len(set(names)) == len(names)


def test_parts_have_names_that_a_generator_can_use() -> None:
    names = list(DOCUMENT["components"]["schemas"])
    assert [name for name in names if not re.fullmatch("[A-Z][A-Za-z]*", name)] == []


def test_tagged_unions_name_their_discriminator() -> None:
    event = DOCUMENT["components"]["schemas"]["Event"]
    assert event["discriminator"]["propertyName"] == "type"
    assert set(event["discriminator"]["mapping"].values()) == {member["$ref"] for member in event["anyOf"]}


def test_a_live_session_keeps_to_it(table: Table) -> None:
    case = next(case for case in cases("transcripts/tablanet") if "illegal" not in case)
    layout = {"type": "tablanet", **case["layout"]}
    moves = [(step["seat"], {"type": "tablanet.play", **step["move"]}) for step in case["steps"]]
    http = table.client
    opened = table.open("tablanet", case["players"], case["dealer"], **case["house_rules"])
    keeper, seat = opened.scorekeeper, opened.seats[moves[0][0]]
    key = {"idempotency_key": str(uuid4())}
    version = keeper.get().headers["etag"]
    answers = [
        http.get("/healthz"),
        http.get("/readyz"),
        http.get("/healthz", headers={"Host": "elsewhere.example"}),
        table.ask({"game": "tablanet", "seats": [{"name": "Ana"}, {"name": "Bob"}], "preset": "balkan-101"}),
        table.ask({"game": "chess", "seats": [{"name": "Ana"}]}),
        http.post("/v1/matches", content=b"{", headers={"Content-Type": "application/json"}),
        http.post("/v1/matches", content=b"{}", headers={"Content-Type": "text/plain"}),
        http.post("/v1/matches", content=b" " * 300_000, headers={"Content-Type": "application/json"}),
        keeper.get(),
        keeper.get(if_none_match=version),
        opened.nobody.get(),
        table.open().seats[0].client.get(f"/v1/matches/{uuid4()}", headers={"Authorization": f"Bearer {keeper.token}"}),
        keeper.get("/deals/1"),
        keeper.post("/deals", {"layout": {**layout, "table": ["2C"]}}),
        keeper.post("/deals", {"layout": layout}, if_match='"99"'),
        keeper.post("/deals", {"layout": layout}, **key),
        keeper.post("/deals", {"layout": layout}, **key),
        keeper.post("/deals", {}, **key),
        keeper.post("/deals", {"layout": layout}),
        keeper.get("/deals/1/legal-moves?limit=1"),
        seat.get("/deals/1/legal-moves?limit=1"),
        seat.get("/deals/1"),
        opened.spectator.get("/deals/1/legal-moves"),
        keeper.post("/deals/1/moves?dry_run=true", {"seat": moves[0][0], "move": moves[0][1]}),
        keeper.move(1, moves[0][0], {**moves[0][1], "card": moves[1][1]["card"]}),
        keeper.move(1, moves[0][0], {**moves[0][1], "card": "one"}),
        keeper.move(1, moves[0][0], moves[0][1], if_match='"99"'),
    ]
    answers += [keeper.move(1, by, move) for by, move in moves]
    position = answers[-1].json()["position"]
    answers += [
        keeper.get("/deals/1/legal-moves?cursor=1-1"),
        keeper.get("/deals/1/replay"),
        opened.spectator.get("/deals/1/replay?move=5"),
        keeper.get("/deals/1/replay?move=500"),
        keeper.get("/deals/1/events"),
        opened.spectator.get("/deals/1/events"),
        keeper.get("/events"),
        keeper.get("/events?after=x"),
        keeper.get(f"/totals?min_position={position}"),
        opened.arbiter.post("/tokens", {"role": "seat", "seat": 0}),
        opened.seats[0].get(),
        keeper.post("/tokens", {"role": "arbiter"}),
        keeper.post("/rematch", {"first_dealer": {"cut": [["2C", "3C"]]}}),
        keeper.post("/rematch", {}),
        opened.arbiter.post("/deals", {}),
        opened.seats[1].get("/deals/2"),
        opened.arbiter.get("/deals/2"),
        http.get("/v1/rulebooks"),
        http.get("/v1/rulebooks/tabu?lang=uk"),
        http.get("/v1/rulebooks/chess"),
    ]
    other = table.open()
    record = keeper.get("/record").content
    written = {"Content-Type": "application/vnd.referee.match+json"}
    answers += [
        keeper.get("/record"),
        http.post("/v1/records/check", content=record, headers=written),
        http.post("/v1/records/check", content=b"{", headers=written),
        http.post("/v1/records", content=record, headers=written),
        http.post("/v1/records", content=record.replace(bytes(opened.id, "ascii"), b"0" * 8), headers=written),
        other.scorekeeper.post("/deals", {"words": True}),
        other.seats[1].post("/deals/1/words", {"word": "luck"}),
        other.seats[0].post("/deals/1/cards", {}),
    ]
    answers += [*settled(table, case["dealer"], layout, moves), *observed_and_heard(table), *stopped(table)]
    operator = {"Authorization": f"Bearer {OPERATOR}"}
    player = opened.answer["match"]["seats"][0]["player"]
    answers += [
        *(keeper.get(path) for path in ("/totals.csv", "/totals/chart", "/deals", "/irregularities")),
        keeper.get("/irregularities?limit=1000"),
        http.get("/v1/standings"),
        *(
            http.get(path, headers=operator)
            for path in (
                "/v1/matches?limit=1",
                "/v1/matches?limit=1000",
                "/v1/standings",
                "/v1/standings.csv?separator=semicolon",
                f"/v1/players/{player}",
                f"/v1/players/{uuid4()}",
                "/v1/irregularities",
                "/v1/projections",
                "/v1/projections/totals/rebuild",
                "/metrics",
            )
        ),
        http.post("/v1/projections/totals/rebuild", headers=operator),
        http.get("/v1/projections/totals/rebuild", headers=operator),
    ]
    seen = {keeps_to_it(answer) for answer in answers}
    done = {name for name in seen if name[-3:] < "300"}
    assert {name[:-4] for name in done} == {operation.id for operation in OPERATIONS}
    assert {name[-3:] for name in seen} >= {
        "200",
        "201",
        "304",
        "400",
        "401",
        "403",
        "404",
        "409",
        "412",
        "413",
        "415",
        "421",
        "422",
        "428",
    }


def settled(
    table: Table, dealer: int, layout: dict[str, Any], moves: list[tuple[int, dict[str, Any]]]
) -> Iterator[Response]:
    """What can be settled after the fact, at a match of two."""
    match = table.open(dealer=dealer)
    keeper, arbiter, seats = match.scorekeeper, match.arbiter, match.seats
    yield keeper.post("/deals", {"layout": layout})
    for seat, move in moves[:3]:
        yield keeper.move(1, seat, move)

    def now(path: str = "/deals/1") -> dict[str, str]:
        return {"if_match": str(keeper.get(path).headers["etag"])}

    yield keeper.post("/deals/1/take-backs", {"kept": 2})
    yield keeper.post("/deals/1/take-backs", {"kept": 2}, if_match='"99"')
    yield keeper.post("/deals/1/take-backs", {"kept": 0}, **now())
    yield keeper.post("/deals/1/take-backs", {"kept": 2}, **now())
    yield keeper.post("/deals/1/corrections", {"number": 2, "move": moves[1][1]}, **now())
    stands = {"seat": moves[2][0], "move": moves[2][1], "agreed": [0, 1], "why": "so it was"}
    yield keeper.post("/deals/1/irregular-moves", stands, **now())
    yield seats[0].post("/deals/1/irregularities", {"kind": "exposed_in_play", "seat": 0})
    yield keeper.post("/deals/1/irregularities", {"kind": "two_cards", "move": 1})
    yield keeper.post("/deals/1/irregularities", {"kind": "sneezed"})
    yield keeper.get("/deals/1/irregularities")
    yield keeper.get("/deals/1/remedies")
    yield keeper.get("/deals/1/remedies?kind=illegal_capture&move=1&seat=0")
    yield arbiter.post("/deals/1/what-if", {"house_rules": {"capture_duty": "optional"}, "from": 1, "moves": []})
    yield keeper.post("/deals/1/what-if", {})
    yield arbiter.get("/deals/1/audit")
    yield seats[0].post("/deals/1/disputes", {"move": 2, "why": "that was mine"})
    yield keeper.get("/disputes/1")
    yield arbiter.post("/disputes/1/rulings", {"upheld": False, "why": "it was not"}, **now(""))
    yield arbiter.post("/disputes/1/rulings/1/confirmation", {})
    ask = {"kind": "substitute", "seat": 1, "name": "Eva"}
    yield seats[0].post("/proposals", {"ask": ask, "why": "he must go"})
    yield seats[1].post("/proposals/1/answers", {"agreed": False})
    yield keeper.post("/deals/1/void", {"why": "wrong pack"}, **now(""))
    yield arbiter.post("/seats", {"name": "Vera", "why": "she came"}, **now(""))
    yield arbiter.post("/seats/0/substitution", {"name": "Dora", "why": "he went"}, **now(""))
    yield arbiter.post("/seats/2/departure", {"why": "she left"}, **now(""))
    yield keeper.get()


def observed_and_heard(table: Table) -> Iterator[Response]:
    """A deal of real cards, its hands shown, its result corrected."""
    sides = both_sides(tabu, 13)
    match = observed(table, tabu, sides, show=False)
    keeper = match.scorekeeper
    yield keeper.post("/deals/1/hands", {"hands": []})
    yield keeper.post("/deals/1/hands", {"hands": body(sides.seen.hands)})
    yield keeper.get("/deals/1/audit")
    yield keeper.post("/deals/1/what-if", {})
    yield match.spectator.get("/deals/1/events?limit=500")
    counted = table.open("sabo", 4)
    yield counted.scorekeeper.post("/deals", {"tally": {"type": "sabo", "tricks": [4, 4, 3, 3]}, "number": 1})
    yield counted.scorekeeper.post("/deals", {"tally": {"type": "sabo", "tricks": [4, 4, 3, 2]}, "number": 1})
    version = {"if_match": str(counted.scorekeeper.get().headers["etag"])}
    tally = {"type": "sabo", "tricks": [5, 3, 3, 2]}
    yield counted.scorekeeper.post("/deals/1/score-corrections", {"tally": tally}, **version)
    yield counted.scorekeeper.get("/deals/1/audit")


def stopped(table: Table) -> Iterator[Response]:
    """A match that all give up."""
    match = table.open()
    version = {"if_match": str(match.arbiter.get().headers["etag"])}
    yield match.arbiter.post("/abandonment", {"why": "it got late"}, **version)
