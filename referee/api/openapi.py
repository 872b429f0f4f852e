"""The OpenAPI document: the framework's, completed by what it leaves out, so that it says what the service does."""

from dataclasses import dataclass
from typing import Any

import msgspec
from litestar.openapi.config import OpenAPIConfig
from litestar.openapi.spec import OpenAPI

from referee.api import schemas

REF = "#/components/schemas/{name}"
PROBLEM = {"application/problem+json": {"schema": {"$ref": REF.format(name="Problem")}}}
STRUCTS = [
    found
    for found in vars(schemas).values()
    if isinstance(found, type) and issubclass(found, msgspec.Struct) and found not in (schemas.In, schemas.Out)
]
HEADERS = {
    "If-Match": "The ETag, or version, that this is based on; refused with 412 if it is not the current one.",
    "Idempotency-Key": "1 to 255 visible ASCII characters: a retry with the same key and body is carried out once.",
}
TEXTS = {
    "400": "Malformed request",
    "401": "No token, or one that does not count",
    "403": "The token gives no right to this",
    "404": "No such thing",
    "409": "Does not fit what is going on now",
    "412": "The version in If-Match is not the current one",
    "413": "Body too large",
    "415": "Not application/json",
    "422": "The body does not match its schema, or a rule forbids it",
    "503": "Cannot be answered now; nothing was half-done",
}


def complete(doc: dict[str, Any]) -> dict[str, Any]:
    """The document with components from msgspec's own schemas and the errors that every operation can answer."""
    components = doc.setdefault("components", {})
    _, ours = msgspec.json.schema_components(STRUCTS, ref_template=REF)
    components["schemas"] = dict(sorted((components.get("schemas", {}) | ours).items()))
    for path, item in doc["paths"].items():
        for method, operation in item.items():
            _complete_operation(path, method, operation)
    return doc


def _complete_operation(path: str, method: str, operation: dict[str, Any]) -> None:
    answers = operation["responses"]
    answers.pop("400", None)
    codes = {"400", "503"}
    if "{match_id}" in path:
        codes |= {"401", "403", "404"}
    if method == "post":
        codes |= {"409", "412", "413", "415", "422"}
        operation.setdefault("parameters", []).extend(
            {"name": name, "in": "header", "required": False, "description": text, "schema": {"type": "string"}}
            for name, text in HEADERS.items()
        )
    for parameter in operation.get("parameters", ()):
        parameter.pop("allowEmptyValue", None)
        parameter.pop("allowReserved", None)
        alternatives = [a for a in parameter["schema"].get("oneOf", ()) if a.get("type") != "null"]
        if len(alternatives) == 1:
            parameter["schema"] = alternatives[0]
    if operation.get("operationId") == "makeMove":
        verdict = {"$ref": REF.format(name="VerdictOut")}
        answers["200"] = {"description": "Dry run: legal", "content": {"application/json": {"schema": verdict}}}
        answers["201"]["content"]["application/json"]["schema"] = {"$ref": REF.format(name="PlayedOut")}
    if method == "get" and "{match_id}" in path:
        answers["304"] = {"description": "The version in If-None-Match is the current one"}
    for code in codes:
        answers[code] = {"description": TEXTS[code], "content": PROBLEM}
    operation["responses"] = dict(sorted(answers.items()))


@dataclass
class CompleteOpenAPI(OpenAPI):
    """The framework's document, completed when it is written out."""

    def to_schema(self) -> dict[str, Any]:
        """The whole document."""
        return complete(super().to_schema())


@dataclass
class CompleteConfig(OpenAPIConfig):
    """Makes CompleteOpenAPI documents."""

    def to_openapi_schema(self) -> OpenAPI:
        """The document to complete."""
        base = super().to_openapi_schema()
        return CompleteOpenAPI(**{field: getattr(base, field) for field in base.__dataclass_fields__})
