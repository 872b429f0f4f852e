"""The OpenAPI document: the framework's, completed by what it leaves out, so that it says what the service does."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import OpenAPI

from projections import totals
from projections.status import Status
from referee import events, record
from referee.api import hearing, lists, noted, schemas, settling, sheets
from referee.api import operation as service
from referee.rules import game, rulebook
from referee.rules.game import GAMES
from referee.settling import asks

REF: Final = "#/components/schemas/{name}"
ABOUT: Final = """Keeps the score of card matches played with real cards; refuses illegal moves with the clause that says so.

Seats count from 0, clockwise; deals, moves and versions from 1. A card is its rank and suit (`10D`, `KS`), a joker `X`;
`?` is a card that this reader may not see. Errors are problem documents (RFC 9457) with a stable `code`; nothing was
stored then. A refusal's texts follow `Accept-Language` (en, ru, uk)."""
TOKENS: Final = """A token of one match, answered when the match is opened: for the arbiter, the scorekeeper, the spectators,
or one seat. It says which cards its holder may see and what its holder may do; other matches refuse it."""
UNIONS: Final[dict[str, Any]] = {
    "Event": events.Event,
    "Layout": game.Layout,
    "Move": game.Move,
    "Effects": game.Effects,
    "State": game.State,
    "Tally": game.Tally,
    "Ask": asks.AnyAsk,
}
TEXTS: Final = {
    "200": "Here it is",
    "201": "Done, and stored",
    "202": "Begun",
    "304": "The version in If-None-Match is the current one",
    "400": "Malformed request",
    "401": "No token, or one that does not count",
    "403": "The token gives no right to this",
    "404": "No such thing",
    "409": "Does not fit what is going on now",
    "412": "The version in If-Match is not the current one",
    "413": "Body too large",
    "415": "Not application/json",
    "421": "This host name is not served here",
    "422": "The body does not match its schema, a rule forbids it, or the Idempotency-Key was used for another request",
    "428": "If-Match is missing: this goes by a version",
    "500": "A fault of the referee, logged under the number in `instance`",
    "503": "Cannot be answered now; nothing was half-done",
}
REQUEST_HEADERS: Final = {
    "If-Match": "The ETag, or version, that this is based on; refused with 412 if it is not the current one.",
    "If-None-Match": "ETags that the reader has; answered with 304 if one is the current one.",
    "Idempotency-Key": "1 to 255 visible ASCII characters: a retry with the same key and body is carried out once.",
}
ANSWER_HEADERS: Final = {
    "Content-Language": "The language of the texts.",
    "ETag": "Version, viewer and language of this answer, or of the current state.",
    "Location": "The path of what was made.",
    "Idempotent-Replayed": "`true` where this was done before, under the same Idempotency-Key.",
    "Link": 'The next page, with `rel="next"`, if there is one.',
    "Retry-After": "Seconds to wait.",
    "WWW-Authenticate": "Bearer.",
}
HEADERS_OF_ERRORS: Final = {
    "401": ("WWW-Authenticate",),
    "412": ("ETag",),
    "422": ("ETag", "Content-Language"),
    "503": ("Retry-After",),
}
ERRORS: Final = ("400", "401", "403", "404", "409", "412", "413", "415", "421", "422", "428", "500", "503")
SETTLING: Final = (
    "takeBack", "correctMove", "letMoveStand", "correctScore", "voidDeal", "joinMatch", "leaveMatch", "substitutePlayer",
    "abandonMatch", "ruleOnDispute",
)  # fmt: skip
CONDITIONAL: Final = ("startDeal", "makeMove", "showHands", "noteIrregularity", *SETTLING)
LOCATED: Final = ("importRecord", "addWord", "dealCards", "openMatch", "openRematch", "startDeal")
RECORDS: Final = ("importRecord", "checkRecord")
OPERATORS: Final = """The operator's token (the service's REFEREE_OPERATOR_TOKEN), for lists over all matches, rebuilds
and metrics. No token of a match is good for them, and without the setting nobody gets them."""
OPERATOR: Final[list[Any]] = [{"operator": []}]
PAGED: Final = ("listLegalMoves", "listMatches", "listIrregularities", "listMatchIrregularities", "getPlayer")
LISTS: Final = (*PAGED[1:], "getStandings", "getStandingsCsv", "getTotalsCsv")
UNTAGGED: Final = (
    *LISTS, "healthz", "readyz", "metrics", "listProjections", "rebuildProjection", "getRebuild", "renewToken",
    "checkRecord", "listRulebooks", "getRulebook",
)  # fmt: skip
UNKEYED: Final = ("checkRecord", "rebuildProjection", "whatIf")
CLASHES: Final = (
    *SETTLING,
    "answerProposal",
    "confirmRuling",
    "getDispute",
    "raiseDispute",
    "showHands",
    "addWord",
    "dealCards",
    "importRecord",
    "listLegalMoves",
    "makeMove",
    "openRematch",
    "rebuildProjection",
    "renewToken",
    "startDeal",
    "showHands",
    "noteIrregularity",
    "propose",
    "answerProposal",
    "raiseDispute",
    "getDispute",
    "confirmRuling",
    *SETTLING,
)


def complete(doc: dict[str, Any]) -> dict[str, Any]:
    """The document with components from msgspec's own schemas and everything that every operation can answer."""
    components = doc.setdefault("components", {})
    components["schemas"] = _schemas()
    components["responses"] = {code: _answer(code, HEADERS_OF_ERRORS.get(code, ()), "Problem") for code in ERRORS}
    components["headers"] = {
        name: {"description": text, "schema": {"type": "string"}} for name, text in ANSWER_HEADERS.items()
    }
    components["securitySchemes"]["capability"]["description"] = TOKENS
    components["securitySchemes"]["operator"]["description"] = OPERATORS
    doc["info"] |= {"description": ABOUT, "license": {"name": "MIT", "identifier": "MIT"}}
    for path, item in doc["paths"].items():
        for method, operation in item.items():
            _complete_operation(path, method, operation)
    return doc


def _complete_operation(path: str, method: str, operation: dict[str, Any]) -> None:
    name = operation["operationId"]
    operation.pop("deprecated", None)
    summary, _, more = operation.get("description", "").partition("\n")
    operation["summary"], operation["description"] = summary, more.strip() or summary
    if operation.get("security") == [{}]:
        operation["security"] = []
    parameters = [_parameter(parameter) for parameter in operation.get("parameters", ())]
    operation["parameters"] = parameters + [_header(header) for header in _request_headers(path, method, name)]
    answers = {
        code: _succeeded(code, answer, method, name) for code, answer in operation["responses"].items() if code < "300"
    }
    if name == "makeMove":
        answers["200"] = _answer("200", ("ETag",), "VerdictOut") | {"description": "A dry run: the move is legal"}
        answers["201"]["content"]["application/json"]["schema"] = {"$ref": REF.format(name="PlayedOut")}
    if "If-None-Match" in _request_headers(path, method, name):
        answers["304"] = _answer("304", ("ETag",))
    if name in RECORDS:
        schema = {"type": "object", "description": "A match record, as exported"}
        content = {media: {"schema": schema} for media in (record.MEDIA_TYPE, "application/json")}
        operation["requestBody"] = {"required": True, "content": content}
    if name == "importRecord":
        answers["200"] = _answer("200", ("ETag", "Location"), "Imported") | {"description": "It was here already"}
    if name == "exportRecord":
        answers["200"]["content"][record.MEDIA_TYPE]["schema"] = {"type": "object"}
    answers |= {code: {"$ref": f"#/components/responses/{code}"} for code in _errors(path, method, operation)}
    operation["responses"] = dict(sorted(answers.items()))


def _errors(path: str, method: str, operation: dict[str, Any]) -> Iterator[str]:
    name = operation["operationId"]
    yield from ("421", "500")
    if path.startswith("/v1"):
        yield "400"
    if name != "healthz":
        yield "503"
    if "{" in path:
        yield "404"
    if "{match_id}" in path or operation.get("security") == OPERATOR:
        yield from ("401", "403")
    if name in LISTS:
        yield "422"
    if method == "post":
        yield from ("413", "415", "422")
    if name in CLASHES:
        yield "409"
    if name in CONDITIONAL:
        yield "412"
    if name in (*SETTLING, "startDeal"):
        yield "428"


def _request_headers(path: str, method: str, name: str) -> list[str]:
    if method == "get":
        return ["If-None-Match"] if "{match_id}" in path and name not in UNTAGGED else []
    if name in UNKEYED:
        return []
    conditional = name in CONDITIONAL
    return ["If-Match", "Idempotency-Key"] if conditional else ["Idempotency-Key"]


def _header(name: str) -> dict[str, Any]:
    text = REQUEST_HEADERS[name]
    return {"name": name, "in": "header", "required": False, "description": text, "schema": {"type": "string"}}


def _parameter(parameter: dict[str, Any]) -> dict[str, Any]:
    for word in ("allowEmptyValue", "allowReserved", "deprecated"):
        parameter.pop(word, None)
    alternatives = [a for a in parameter["schema"].get("oneOf", ()) if a.get("type") != "null"]
    if len(alternatives) == 1:
        parameter["schema"] = alternatives[0]
    return parameter


def _succeeded(code: str, answer: dict[str, Any], method: str, name: str) -> dict[str, Any]:
    headers = [] if name in UNTAGGED else ["ETag"]
    headers += ["Location"] if name in LOCATED else []
    headers += ["Idempotent-Replayed"] if method == "post" and name not in UNKEYED else []
    headers += ["Link"] if name in PAGED else []
    headers += ["Content-Language"] if name == "getRulebook" else []
    return answer | {"description": TEXTS[code], "headers": _refs(headers)}


def _answer(code: str, headers: tuple[str, ...], schema: str | None = None) -> dict[str, Any]:
    made: dict[str, Any] = {"description": TEXTS[code], "headers": _refs(headers)}
    if schema:
        media = "application/problem+json" if schema == "Problem" else "application/json"
        made["content"] = {media: {"schema": {"$ref": REF.format(name=schema)}}}
    return made


def _refs(headers: Any) -> dict[str, Any]:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in headers}


def _structs(module: Any) -> list[type[msgspec.Struct]]:
    return [
        found
        for found in vars(module).values()
        if isinstance(found, type)
        and issubclass(found, msgspec.Struct)
        and found.__module__.startswith(module.__name__)
    ]


def _schemas() -> dict[str, Any]:
    """Every component: a game's own Structs under the game's name, tagged unions under theirs, house rules by game."""
    kinds = [
        kind
        for module in (schemas, settling, hearing, noted, totals, record, rulebook, lists, sheets, service)
        for kind in (*_structs(module), *((Status,) if module is service else ()))
        if kind not in (schemas.In, schemas.Out)
    ]
    of_games = {kind: kernel.NAME.capitalize() for kernel in GAMES.values() for kind in _structs(kernel)}
    shown, found = msgspec.json.schema_components([*of_games, *kinds, *UNIONS.values()], ref_template=REF)
    refs = {
        made["$ref"]: REF.format(name=game_name + kind.__name__)
        for made, (kind, game_name) in zip(shown, of_games.items(), strict=False)
    }
    unions = dict(zip(UNIONS, shown[-len(UNIONS) :], strict=True))
    tagged = {name: union for name, union in unions.items() if "discriminator" in union}
    found = {_renamed(REF.format(name=name), refs): _named(schema, tagged) for name, schema in found.items()}
    found = _renamed({ref.rpartition("/")[2]: schema for ref, schema in found.items()} | tagged, refs)
    _describe_house_rules(found)
    for name, schema in found.items():
        schema["title"] = name
    return dict(sorted(found.items()))


def _named(node: Any, unions: dict[str, Any]) -> Any:
    """`node` with every tagged union in it replaced by a reference to its component."""
    if isinstance(node, list):
        return [_named(part, unions) for part in node]
    if not isinstance(node, dict):
        return node
    for name, union in unions.items():
        if node == union:
            return {"$ref": REF.format(name=name)}
    return {word: _named(part, unions) for word, part in node.items()}


def _renamed(node: Any, refs: dict[str, str]) -> Any:
    """`node` with references changed as `refs` says."""
    if isinstance(node, list):
        return [_renamed(part, refs) for part in node]
    if isinstance(node, dict):
        return {word: _renamed(part, refs) for word, part in node.items()}
    return refs.get(node, node) if isinstance(node, str) else node


def _describe_house_rules(found: dict[str, Any]) -> None:
    names = [kernel.NAME.capitalize() + "Rules" for kernel in GAMES.values()]
    for name in names:
        needed = found[name].pop("required", ())
        if needed:
            found[name]["description"] += f" Without a preset that gives it, needed: {', '.join(needed)}."
    rules = {"type": "object", "anyOf": [{"$ref": REF.format(name=name)} for name in names]}
    for schema in found.values():
        if "house_rules" in schema.get("properties", {}):
            schema["properties"]["house_rules"] |= rules


@dataclass
class CompleteOpenAPI(OpenAPI):
    """The framework's document, completed when it is written out."""

    def to_schema(self) -> dict[str, Any]:
        """The whole document."""
        return complete(super().to_schema())


@dataclass
class CompleteConfig(OpenAPIConfig):
    """Makes CompleteOpenAPI documents."""

    use_handler_docstrings: bool = True

    def to_openapi_schema(self) -> OpenAPI:
        """The document to complete."""
        base = super().to_openapi_schema()
        return CompleteOpenAPI(**{field: getattr(base, field) for field in base.__dataclass_fields__})
