"""Every error as a problem document (RFC 9457): the one place where errors become status codes."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

from litestar import Request, Response
from litestar.exceptions import HTTPException, ValidationException

from referee import errors
from referee.api import schemas as s
from referee.record import Report
from referee.rules import rulebook
from referee.rules.verdict import Violation

log = logging.getLogger(__name__)

TITLES = {
    400: "Malformed request",
    401: "Token required",
    403: "Forbidden",
    404: "Not found",
    405: "Method not allowed",
    409: "Conflict",
    412: "The version moved on",
    413: "Body too large",
    415: "Not JSON",
    421: "Wrong host",
    422: "Not accepted",
    428: "If-Match required",
    429: "Too many requests",
    500: "Internal error",
    503: "Unavailable",
}
STATUS: dict[type[errors.RefereeError], tuple[int, str]] = {
    errors.BadToken: (401, "BAD_TOKEN"),
    errors.Forbidden: (403, "FORBIDDEN"),
    errors.NotFound: (404, "NOT_FOUND"),
    errors.Clash: (409, "CONFLICT"),
    errors.Consequences: (409, "LATER_MOVES_ILLEGAL"),
    errors.MovedOn: (412, "MOVED_ON"),
    errors.NeedsIfMatch: (428, "IF_MATCH_REQUIRED"),
    errors.BadValue: (422, "BAD_VALUE"),
    errors.RecordDiverges: (422, "RECORD_DIVERGES"),
    errors.KeyReused: (422, "KEY_REUSED"),
    errors.Busy: (503, "UNAVAILABLE"),
}
MEDIA_TYPE = "application/problem+json"


def problem(
    status: int, code: str, detail: str, *, headers: Mapping[str, str] | None = None, **more: Any
) -> Response[s.Problem]:
    """A problem document as an answer."""
    body = s.Problem(
        type=f"/problems/{code.lower().replace('_', '-')}",
        title=more.pop("title", TITLES.get(status, "Error")),
        status=status,
        detail=detail,
        code=code,
        **more,
    )
    return Response(body, status_code=status, media_type=MEDIA_TYPE, headers=dict(headers or {}))


def on_referee(request: Request[Any, Any, Any], error: errors.RefereeError) -> Response[s.Problem]:
    """What the service answered instead."""
    if isinstance(error, errors.Refused):
        return _refused(request, error)
    status, code = STATUS[type(error)]
    headers: dict[str, str] = {}
    more: dict[str, Any] = {}
    match error:
        case errors.BadToken():
            headers["WWW-Authenticate"] = 'Bearer realm="match"'
        case errors.Clash():
            code = error.code
        case errors.MovedOn():
            headers["ETag"] = f'"{error.current}"'
            more["version"] = error.current
            more["recorded"], more["asked"] = error.recorded, error.asked
        case errors.Consequences():
            lang = rulebook.pick(request.headers.get("accept-language"))
            more["errors"] = tuple(
                s.FieldFault(f"move {number}", f"{rulebook.say(fault, lang)} ({fault.code}, {fault.clause})")
                for number, faults in error.moves
                for fault in faults
            )
        case errors.BadValue():
            more["errors"] = tuple(s.FieldFault(fault.pointer, fault.message) for fault in error.faults)
        case errors.RecordDiverges():
            more["errors"] = tuple(_divergences(error.report))
        case errors.Busy():
            headers["Retry-After"] = str(error.retry_after)
    return problem(status, code, str(error), headers=headers, **more)


def _refused(request: Request[Any, Any, Any], error: errors.Refused) -> Response[s.Problem]:
    lang = rulebook.pick(request.headers.get("accept-language"))
    found = tuple(_violation(violation, lang) for violation in error.violations)
    lead = found[0]
    headers = {"Content-Language": lang}
    if error.version is not None:
        headers["ETag"] = f'"{error.version}"'
    return problem(
        422,
        lead.code,
        f"{lead.detail} {rulebook.may_lie(lang)}" if error.may_lie else lead.detail,
        headers=headers,
        title=lead.detail,
        clause=lead.clause,
        clause_text=lead.clause_text,
        seat=error.seat,
        cards=_cards(error.violations),
        violations=found,
        legal=error.legal,
        version=error.version,
    )


def _divergences(report: Report) -> Iterator[s.FieldFault]:
    """Where a record does not follow from itself: the deal and move, or the event of the match."""
    for deal in report.deals:
        if found := deal.divergence:
            why = ", ".join(f"{v.code} ({v.clause})" for v in found.violations) or found.what
            at = f"move {found.move}" if found.move else f"entry {found.version}"
            yield s.FieldFault(f"#/deals/{deal.number - 1}/{found.version - 1}", f"deal {deal.number}, {at}: {why}")
    if report.match:
        yield s.FieldFault(f"#/match/{report.match.version - 1}", report.match.what)


def _violation(violation: Violation, lang: str) -> s.ViolationOut:
    text = rulebook.clause_text(violation.clause, lang)
    return s.ViolationOut(violation.code, violation.clause, text, rulebook.say(violation, lang), violation.params)


def _cards(violations: tuple[Violation, ...]) -> tuple[str, ...]:
    """The cards that the violations are about, each once."""
    named: list[str] = []
    for violation in violations:
        named += [violation.params["card"]] if "card" in violation.params else []
        named += violation.params.get("cards", ())
    return tuple(dict.fromkeys(named))


def on_http(request: Request[Any, Any, Any], error: HTTPException) -> Response[s.Problem]:
    """What the framework found."""
    detail = error.detail
    faults: tuple[s.FieldFault, ...] = ()
    if isinstance(error, ValidationException):
        # the framework's own detail repeats the query string, which may hold what is not to be repeated
        detail = "Parameters are not valid."
        extra = error.extra if isinstance(error.extra, list) else []
        if any(e.get("key") == "data" for e in extra):
            detail = "The body is missing: send a JSON object, {} where there is nothing to say."
        else:
            faults = tuple(s.FieldFault(str(e.get("key", "")), str(e.get("message", ""))) for e in extra)
    elif error.status_code == 413:
        detail = f"A body has at most {request.app.request_max_body_size} bytes."
    code = TITLES.get(error.status_code, "error").upper().replace(" ", "_")
    return problem(error.status_code, code, detail, headers=error.headers, errors=faults)


def on_any(request: Request[Any, Any, Any], error: Exception) -> Response[s.Problem]:
    """A fault of ours: logged under a number that the caller is given, and nothing of it shown."""
    if isinstance(error, RecursionError):
        return problem(400, "MALFORMED_REQUEST", "The request is nested too deeply.")
    number = f"urn:uuid:{uuid4()}"
    log.error("unhandled error %s", number, exc_info=error)
    return problem(500, "INTERNAL_ERROR", "This is a fault of the referee; it was logged.", instance=number)


HANDLERS: Any = {errors.RefereeError: on_referee, HTTPException: on_http, Exception: on_any}
