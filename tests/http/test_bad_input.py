"""Bad input of every kind: a problem document with the right status each, security headers on it, and nothing stored."""

import json
from typing import Any, NamedTuple
from uuid import UUID, uuid4

import pytest
from httpx import Response

from referee.access import issue
from tests.conftest import SECRET
from tests.http.deals import shuffled, told
from tests.http.stored import stored
from tests.http.table import Opened, Phone, Table

SECURITY = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "x-frame-options": "DENY",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
MOVE = {"seat": 1, "move": {"type": "tablanet.play", "card": "5C", "captures": []}}
MOVES = "/v1/matches/{match}/deals/1/moves"
OPEN = {"game": "tablanet", "seats": [{"name": "Ana"}, {"name": "Bob"}], "house_rules": {"ace_value": 1}}
NOWHERE = UUID(int=7)
JSON = "application/json"


class Case(NamedTuple):
    """A request and how it is refused; `says` are words of the answer: what was wrong, where, what would do.

    In `path` and in header values {match}, {other} and the tokens' names are filled in.
    """

    what: str
    status: int
    code: str
    says: tuple[str, ...]
    method: str = "POST"
    path: str = MOVES
    body: Any = None
    token: str | None = "scorekeeper"
    headers: dict[str, str] = {}
    content_type: str | None = JSON


def move(**change: Any) -> dict[str, Any]:
    return MOVE | {"move": MOVE["move"] | change}


def get(what: str, status: int, code: str, path: str, *says: str, **more: Any) -> Case:
    return Case(what, status, code, says, method="GET", path="/v1/matches/{match}" + path, **more)


CASES = [
    # the body
    Case("malformed JSON", 400, "MALFORMED_REQUEST", ("JSON",), body=b'{"seat": 1,'),
    Case("not JSON at all", 400, "MALFORMED_REQUEST", ("JSON",), body=b"seat=1"),
    Case("NaN", 400, "MALFORMED_REQUEST", ("JSON",), body=b'{"seat": NaN}'),
    Case("two values", 400, "MALFORMED_REQUEST", ("JSON",), body=json.dumps(MOVE).encode() + b" {}"),
    Case("invalid UTF-8", 400, "MALFORMED_REQUEST", (), body=json.dumps(MOVE).encode().replace(b"5C", b"\xff\xfe")),
    Case("deep nesting", 422, "BAD_VALUE", ("#", "object"), body=b"[" * 100_000),
    Case("deep nesting inside", 400, "MALFORMED_REQUEST", (), path="/v1/matches",
         body=b'{"game": "tablanet", "seats": [{}], "house_rules": ' + b'{"a":' * 20_000 + b"1" + b"}" * 20_000 + b"}"),
    Case("too large", 413, "BODY_TOO_LARGE", ("262144",), body=b'{"a": "' + b"x" * 262_144 + b'"}'),
    Case("empty body", 400, "MALFORMED_REQUEST", ("body is missing", "{}"), body=b""),
    Case("null", 422, "BAD_VALUE", ("#", "object"), body=b"null"),
    Case("a list", 422, "BAD_VALUE", ("#", "object"), body=b"[]"),
    Case("wrong content type", 415, "NOT_JSON", ("application/json",), body=MOVE, content_type="text/plain"),
    Case("a form", 415, "NOT_JSON", ("application/json",), body=b"a=1",
         content_type="application/x-www-form-urlencoded"),
    Case("no content type", 415, "NOT_JSON", ("application/json",), body=MOVE, content_type=None),
    # its schema
    Case("unknown field", 422, "BAD_VALUE", ("#", "colour", "seat, move, told, seen, alphabet"), body=MOVE | {"colour": "red"}),
    Case("unknown field inside", 422, "BAD_VALUE", ("#/move", "colour", "captures"), body=move(colour="red")),
    Case("missing field", 422, "BAD_VALUE", ("#", "`move`"), body={"seat": 1}),
    Case("text for a number", 422, "BAD_VALUE", ("#/seat", "int"), body=MOVE | {"seat": "1"}),
    Case("fraction for a number", 422, "BAD_VALUE", ("#/seat", "int"), body=MOVE | {"seat": 1.0}),
    Case("truth for a number", 422, "BAD_VALUE", ("#/seat", "int"), body=MOVE | {"seat": True}),
    Case("nothing for a number", 422, "BAD_VALUE", ("#/seat", "int"), body=MOVE | {"seat": None}),
    Case("number for a card", 422, "BAD_VALUE", ("#/move/card", "str"), body=move(card=5)),
    Case("text for a list", 422, "BAD_VALUE", ("#/move/captures", "array"), body=move(captures="5C")),
    Case("number in a list", 422, "BAD_VALUE", ("#/move/captures/1", "str"), body=move(captures=["5C", 6])),
    Case("negative seat", 422, "BAD_VALUE", ("#/seat", ">= 0"), body=MOVE | {"seat": -1}),
    Case("far seat", 422, "BAD_VALUE", ("#/seat", "<= 19"), body=MOVE | {"seat": 20}),
    Case("huge seat", 422, "BAD_VALUE", ("#/seat",), body=b'{"seat": 99999999999999999999999999}'),
    Case("seat not taken", 422, "BAD_VALUE", ("#/seat", "0, 1"), body=MOVE | {"seat": 2}),
    Case("unknown move", 422, "BAD_VALUE", ("#/move/type", "tablanet.play"), body=move(type="tablanet.pass")),
    Case("unknown alphabet", 422, "BAD_VALUE", ("#/alphabet", "latin, ru, uk"), body=MOVE | {"alphabet": "el"}),
    Case("unknown layout", 422, "BAD_VALUE", ("#/layout/type", "tablanet"), path="/v1/matches/{idle}/deals",
         body={"layout": {"type": "bridge"}}, token="idle"),
    Case("unknown role", 422, "BAD_VALUE", ("#/role", "arbiter, scorekeeper, seat, spectator"),
         path="/v1/matches/{match}/tokens", body={"role": "king"}, token="arbiter"),
    Case("a seat for no seat", 422, "BAD_VALUE", ("#/seat", "0 to 1"), path="/v1/matches/{match}/tokens",
         body={"role": "spectator", "seat": 0}, token="arbiter"),
    Case("seat without number", 422, "BAD_VALUE", ("#/seat", "0 to 1"), path="/v1/matches/{match}/tokens",
         body={"role": "seat"}, token="arbiter"),
    # cards
    Case("no card", 422, "BAD_VALUE", ("#/move/card", "1C", "2-10", "S, H, D, C"), body=move(card="1C")),
    Case("empty card", 422, "BAD_VALUE", ("#/move/card", "2-10"), body=move(card="")),
    Case("hidden card", 422, "BAD_VALUE", ("#/move/card", "2-10"), body=move(card="?")),
    Case("long card", 422, "BAD_VALUE", ("#/move/card", "2-10"), body=move(card="5" * 5000)),
    Case("card with a newline inside", 422, "BAD_VALUE", ("#/move/card", "2-10"), body=move(card="5\nC")),
    Case("wrong captures, each", 422, "BAD_VALUE", ("#/move/captures/0", "#/move/captures/2"),
         body=move(captures=["5X", "5C", "0S"])),
    Case("Cyrillic unannounced", 422, "BAD_VALUE", ("#/move/card", "J, Q, K, A"), body=move(card="К♠")),
    Case("Cyrillic not a card", 422, "BAD_VALUE", ("#/move/card", "В, Д, К, Т"),
         body=move(card="Ж♠") | {"alphabet": "ru"}),
    Case("Greek", 422, "BAD_VALUE", ("#/move/card",), body=move(card="Α♠")),
    Case("surrogate in a card", 400, "MALFORMED_REQUEST", ("JSON",), body=b'{"seat":1,"move":{"card":"\\ud800"}}'),
    # names
    Case("NUL in a name", 422, "BAD_VALUE", ("#/seats/0/name", "control"), path="/v1/matches",
         body=OPEN | {"seats": [{"name": "A\0"}, {"name": "B"}]}),
    Case("surrogate in a name", 400, "MALFORMED_REQUEST", ("JSON",), path="/v1/matches",
         body=json.dumps(OPEN).replace("Ana", "\\ud83d").encode()),
    Case("a player's id that is none", 422, "BAD_VALUE", ("#/seats/0/player",), path="/v1/matches",
         body=OPEN | {"seats": [{"player": "Ana"}, {"name": "B"}]}),
    # tokens
    Case("missing token", 401, "BAD_TOKEN", ("Authorization: Bearer",), body=MOVE, token=None),
    Case("junk token", 401, "BAD_TOKEN", ("not issued",), body=MOVE, token="junk"),
    Case("token of other letters", 401, "BAD_TOKEN", (), body=MOVE, token="rf_абв"),
    Case("token of 10,000 letters", 401, "BAD_TOKEN", (), body=MOVE, token="rf_" + "A" * 10_000),
    Case("forged token", 401, "BAD_TOKEN", ("not issued",), body=MOVE, token="{scorekeeper_forged}"),
    Case("another scheme", 401, "BAD_TOKEN", ("Bearer",), body=MOVE, token=None,
         headers={"Authorization": "Basic Zm9vOmJhcg=="}),
    Case("revoked token", 401, "BAD_TOKEN", ("revoked",), body=MOVE, token="{revoked}"),
    Case("other match's token", 403, "FORBIDDEN", ("another match",), body=MOVE, token="{idle}"),
    Case("other seat's token", 403, "FORBIDDEN", ("seat 1",), body=MOVE, token="{seat0}"),
    Case("spectator moves", 403, "FORBIDDEN", ("seat 1",), body=MOVE, token="{spectator}"),
    Case("spectator starts a deal", 403, "FORBIDDEN", ("scorekeeper",), path="/v1/matches/{match}/deals", body={},
         token="{spectator}"),
    Case("seat tells a layout", 403, "FORBIDDEN", ("scorekeeper",), path="/v1/matches/{idle}/deals",
         body={"layout": told(shuffled(1))}, token="{idle_seat0}"),
    Case("scorekeeper renews a token", 403, "FORBIDDEN", ("arbiter",), path="/v1/matches/{match}/tokens",
         body={"role": "spectator"}),
    get("reading without a token", 401, "BAD_TOKEN", "", "Bearer", token=None),
    get("events without a token", 401, "BAD_TOKEN", "/events", "Bearer", token=None),
    get("totals without a token", 401, "BAD_TOKEN", "/totals", "Bearer", token=None),
    get("deal without a token", 401, "BAD_TOKEN", "/deals/1", "Bearer", token=None),
    # places
    Case("unknown match", 403, "FORBIDDEN", ("another match",), path=f"/v1/matches/{uuid4()}/deals", body={}),
    Case("match that is gone", 404, "NOT_FOUND", ("no such match",), path=f"/v1/matches/{NOWHERE}/deals", body={},
         token=issue(SECRET, NOWHERE, "arbiter", None)[0]),
    Case("bad id", 404, "NOT_FOUND", (), path="/v1/matches/42/deals", body={}),
    Case("unknown deal", 404, "NOT_FOUND", ("Deal 2",), path="/v1/matches/{match}/deals/2/moves", body=MOVE),
    get("deal zero", 404, "NOT_FOUND", "/deals/0", "Deal 0"),
    get("deal minus one", 404, "NOT_FOUND", "/deals/-1"),
    get("deal in words", 404, "NOT_FOUND", "/deals/one"),
    get("deal past any number", 404, "NOT_FOUND", "/deals/" + "9" * 40),
    get("deal of 5,000 digits", 404, "NOT_FOUND", "/deals/" + "9" * 5000),
    get("legal moves of an unknown deal", 404, "NOT_FOUND", "/deals/7/legal-moves", "Deal 7"),
    get("replay of an unknown deal", 404, "NOT_FOUND", "/deals/7/replay", "Deal 7"),
    get("events of an unknown deal", 404, "NOT_FOUND", "/deals/7/events", "Deal 7"),
    get("no such page", 404, "NOT_FOUND", "/nothing"),
    Case("no such path", 404, "NOT_FOUND", (), method="GET", path="/v2"),
    Case("method", 405, "METHOD_NOT_ALLOWED", (), method="DELETE", path="/v1/matches/{match}"),
    Case("method on a list", 405, "METHOD_NOT_ALLOWED", (), method="PUT", path="/v1/matches"),
    Case("odd method", 405, "METHOD_NOT_ALLOWED", (), method="BREW", path="/v1/matches"),
    Case("wrong host", 421, "WRONG_HOST", ("REFEREE_HOSTS",), body=MOVE, headers={"Host": "evil.example"}),
    Case("NUL in the path", 400, "MALFORMED_REQUEST", ("control",), method="GET", path="/v1/matches/%00"),
    Case("newline in the path", 400, "MALFORMED_REQUEST", ("control",), method="GET", path="/v1/%0aX: y"),
    Case("path that is not UTF-8", 404, "NOT_FOUND", (), method="GET", path="/v1/%ff%fe"),
    # parameters
    get("limit in words", 400, "MALFORMED_REQUEST", "/events?limit=ten", "limit"),
    get("limit of none", 400, "MALFORMED_REQUEST", "/events?limit=0", "limit", "1"),
    get("limit past the cap", 400, "MALFORMED_REQUEST", "/events?limit=501", "limit", "500"),
    get("negative place", 400, "MALFORMED_REQUEST", "/events?after=-1", "after"),
    get("place past the end", 404, "NOT_FOUND", "/events?after=999", "999"),
    get("place past any number", 400, "MALFORMED_REQUEST", "/events?after=" + "9" * 30, "after"),
    get("position past any number", 400, "MALFORMED_REQUEST", "/totals?min_position=" + "9" * 30, "min_position"),
    get("replay in words", 400, "MALFORMED_REQUEST", "/deals/1/replay?move=last", "move"),
    get("replay before the first", 400, "MALFORMED_REQUEST", "/deals/1/replay?move=-1", "move"),
    get("junk cursor", 400, "MALFORMED_REQUEST", "/deals/1/legal-moves?cursor=junk", "cursor"),
    get("cursor of other digits", 400, "MALFORMED_REQUEST", "/deals/1/legal-moves?cursor=%D9%A1-%D9%A1", "cursor"),
    get("long cursor", 400, "MALFORMED_REQUEST", "/deals/1/legal-moves?cursor=" + "1" * 41, "cursor"),
    get("huge cursor", 400, "MALFORMED_REQUEST", "/deals/1/legal-moves?cursor=1-" + "9" * 30, "cursor"),
    Case("dry run of a sort", 400, "MALFORMED_REQUEST", ("dry_run",), path=MOVES + "?dry_run=perhaps", body=MOVE),
    # conditions and keys
    Case("stale version", 412, "MOVED_ON", ("1",), body=MOVE, headers={"If-Match": '"7"'}),
    Case("stale version of a dry run", 412, "MOVED_ON", ("1",), path=MOVES + "?dry_run=true", body=MOVE,
         headers={"If-Match": '"7"'}),
    Case("stale version of the match", 412, "MOVED_ON", ("2",), path="/v1/matches/{idle}/deals", body={},
         token="idle", headers={"If-Match": '"1"'}),
    Case("If-Match without quotes", 400, "MALFORMED_REQUEST", ("If-Match", '"12'), body=MOVE,
         headers={"If-Match": "1"}),
    Case("If-Match in words", 400, "MALFORMED_REQUEST", ("If-Match",), body=MOVE, headers={"If-Match": '"now"'}),
    Case("empty key", 400, "MALFORMED_REQUEST", ("Idempotency-Key", "255"), body=MOVE,
         headers={"Idempotency-Key": ""}),
    Case("key with a space", 400, "MALFORMED_REQUEST", ("Idempotency-Key",), body=MOVE,
         headers={"Idempotency-Key": "a b"}),
    Case("long key", 400, "MALFORMED_REQUEST", ("Idempotency-Key", "255"), body=MOVE,
         headers={"Idempotency-Key": "k" * 256}),
    # clauses
    Case("not the seat's turn", 422, "NOT_YOUR_TURN", ("TN-7", "seat 1"), body=MOVE | {"seat": 0}),
    Case("not the seat's card", 422, "CARD_NOT_IN_HAND", ("TN-8", "QH"), body=move(card="QH")),
    Case("no lay where it can take", 422, "CAPTURE_REQUIRED", ("TN-12", "5S"), body=MOVE),
    Case("a deal while one is played", 409, "DEAL_RUNNING", ("Deal 1",), path="/v1/matches/{match}/deals", body={}),
    Case("a card twice", 422, "PACK_MISMATCH", ("TN-1",), path="/v1/matches/{idle}/deals", token="idle",
         body={"layout": told(shuffled(1)) | {"table": ["2S", "2S", "2S", "2S"]}}),
    Case("hands of three", 422, "DEAL_SIZES", ("TN-4",), path="/v1/matches/{idle}/deals", token="idle",
         body={"layout": told(shuffled(1, players=3))}),
    Case("nothing dealt", 422, "DEAL_SIZES", ("TN-4",), path="/v1/matches/{idle}/deals", token="idle",
         body={"layout": {"type": "tablanet", "hands": [], "table": [], "stock": []}}),
    Case("jokers", 422, "PACK_MISMATCH", ("TN-1", "X"), path="/v1/matches/{idle}/deals", token="idle",
         body={"layout": told(shuffled(1)) | {"stock": ["X"] * 36}}),
]  # fmt: skip


class Scene(NamedTuple):
    """A match with deal 1 running, one with none, and every word that cases fill in."""

    table: Table
    database: str
    words: dict[str, str]
    played: Opened


@pytest.fixture(scope="module")
def scene(shared: Table, shared_database: str) -> Scene:
    played, idle = shared.open(), shared.open()
    old = played.answer["tokens"]["seats"][0]
    assert played.scorekeeper.post("/deals", {"layout": told(shuffled(3))}).status_code == 201
    renewed = played.arbiter.post("/tokens", {"role": "seat", "seat": 0})
    assert renewed.status_code == 201
    tokens = played.answer["tokens"]
    words = {
        "match": played.id,
        "idle_match": idle.id,
        "arbiter": tokens["arbiter"],
        "scorekeeper": tokens["scorekeeper"],
        "scorekeeper_forged": tokens["scorekeeper"][:-6] + "AAAAAA",
        "spectator": tokens["spectator"],
        "seat0": renewed.json()["token"],
        "revoked": old,
        "idle": idle.answer["tokens"]["scorekeeper"],
        "idle_seat0": idle.answer["tokens"]["seats"][0],
    }
    return Scene(shared, shared_database, words, played)


def ask(scene: Scene, case: Case) -> Response:
    path = case.path.replace("{match}", scene.words["match"]).replace("{idle}", scene.words["idle_match"])
    headers: dict[str, str | bytes] = dict(case.headers)
    if case.token is not None:
        token = case.token.strip("{}")
        headers["Authorization"] = f"Bearer {scene.words.get(token, token)}".encode()
    if case.content_type and case.body is not None:
        headers["Content-Type"] = case.content_type
    content = (
        case.body if isinstance(case.body, bytes) else json.dumps(case.body).encode() if case.body is not None else b""
    )
    return scene.table.client.request(case.method, path, content=content, headers=headers)  # type: ignore[arg-type]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.what)
def test_refused_and_nothing_stored(scene: Scene, case: Case) -> None:
    before = stored(scene.database)
    reply = ask(scene, case)
    problem = reply.json()
    assert (reply.status_code, problem["code"]) == (case.status, case.code), reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    assert problem["status"] == case.status
    assert problem["type"] == "/problems/" + case.code.lower().replace("_", "-")
    assert problem["title"]
    assert problem["detail"]
    assert {name: reply.headers.get(name) for name in SECURITY} == SECURITY
    told = json.dumps(problem, ensure_ascii=False).replace('\\"', '"')
    assert [word for word in case.says if word not in told] == []
    assert len(reply.content) < 4000
    assert stored(scene.database) == before


@pytest.mark.parametrize("status", [401, 405, 412])
def test_headers_that_go_with_a_status(scene: Scene, status: int) -> None:
    name, value = {
        401: ("www-authenticate", "Bearer"),
        405: ("allow", "GET"),
        412: ("etag", '"1"'),
    }[status]
    case = next(case for case in CASES if case.status == status)
    assert value in ask(scene, case).headers[name]


def test_an_unknown_match_is_not_found_by_nobody(scene: Scene) -> None:
    """Without a token nobody hears whether a match exists."""
    replies = [Phone(scene.table.client, match, None).get() for match in (scene.words["match"], str(uuid4()))]
    assert [reply.status_code for reply in replies] == [401, 401]
    assert replies[0].json() == replies[1].json()


def test_the_query_is_never_repeated(scene: Scene) -> None:
    reply = scene.played.scorekeeper.get("/events?limit=ten&token=secretword")
    assert reply.status_code == 400
    assert "secretword" not in reply.text


def test_head_is_get_without_a_body(scene: Scene) -> None:
    token = {"Authorization": f"Bearer {scene.words['scorekeeper']}"}
    path = f"/v1/matches/{scene.words['match']}"
    head, got = (scene.table.client.request(method, path, headers=token) for method in ("HEAD", "GET"))
    assert (head.status_code, head.content) == (200, b"")
    assert head.headers == got.headers
    missing = scene.table.client.head(path)
    assert (missing.status_code, missing.content) == (401, b"")


@pytest.mark.parametrize(
    ("card", "alphabet"),
    [("qh", "latin"), ("Q♥", "latin"), (" q♥️ ", "latin"), ("ДЧ", "ru"), ("дч", "uk"), ("Д♥", "ru"), ("QH", "uk")],
)
def test_cards_are_read_as_people_write_them(scene: Scene, card: str, alphabet: str) -> None:
    body = MOVE | {"move": MOVE["move"] | {"card": card}, "alphabet": alphabet}
    problem = scene.played.scorekeeper.post("/deals/1/moves?dry_run=true", body).json()
    assert problem["code"] in ("CARD_NOT_IN_HAND", "CAPTURE_REQUIRED")
    assert "QH" in problem["cards"]


@pytest.mark.parametrize(
    ("written", "alphabet", "meant"),
    [("T♦", "latin", "10D"), ("td", "latin", "10D"), ("Т♦", "ru", "AD"), ("ТБ", "uk", "AD"), ("10Т", "ru", "10C")],
)
def test_t_is_ten_in_latin_and_ace_in_cyrillic(scene: Scene, written: str, alphabet: str, meant: str) -> None:
    body = MOVE | {"move": MOVE["move"] | {"card": "QH", "captures": [written, written]}, "alphabet": alphabet}
    problem = scene.played.scorekeeper.post("/deals/1/moves?dry_run=true", body).json()
    assert {"QH", meant} >= set(problem["cards"])
    assert meant in problem["cards"]


def test_every_violation_is_named_with_its_clause(scene: Scene) -> None:
    body = {"seat": 0, "move": {"type": "tablanet.play", "card": "5C", "captures": ["KS", "KS", "QH"]}}
    problem = scene.played.scorekeeper.post("/deals/1/moves", body).json()
    found = [(violation["code"], violation["clause"]) for violation in problem["violations"]]
    assert found[0] == ("NOT_YOUR_TURN", "TN-7")
    assert {("DUPLICATE_CAPTURE", "TN-11"), ("CARD_NOT_ON_TABLE", "TN-10")} <= set(found)
    assert all(violation["clause_text"] and violation["detail"] for violation in problem["violations"])
