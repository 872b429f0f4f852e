"""Reading the read tables: wait for a position within bounds, pages, who the operator is."""

import asyncio
import base64
import hashlib
import hmac
from collections.abc import Callable
from datetime import datetime
from typing import Any, Final, TypeVar
from urllib.parse import urlencode

import msgspec
from litestar import Request, Response
from litestar.connection import ASGIConnection
from litestar.handlers import BaseRouteHandler

from projections import base
from projections.base import Projection, View
from projections.tables import UNAVAILABLE, Execute, Tables
from referee import errors

T = TypeVar("T")
WAIT_SECONDS: Final = 2.0
LOOK_SECONDS: Final = 0.02
LARGEST: Final = 100


async def ask(
    tables: Tables, projection: Projection, min_position: int, query: Callable[[View], T | None], *, sure: bool = False
) -> tuple[T | None, int]:
    """What `query` finds in the live generation once that has come to `min_position`, and the position it has.

    `sure`: what is asked for is in the log, so nothing found means not yet. Raises Busy after WAIT_SECONDS.
    """

    def look(execute: Execute) -> tuple[T | None, int]:
        view = base.live(execute, projection)
        return (query(view), view.position) if view.position >= min_position else (None, -1)

    deadline = asyncio.get_running_loop().time() + WAIT_SECONDS
    while True:
        try:
            found, position = await asyncio.to_thread(tables.read, look)
        except UNAVAILABLE as error:
            raise errors.Busy("The read tables cannot be read now.") from error
        except base.NotThere:
            found, position = None, -1
        if position >= 0 and (found is not None or not sure):
            return found, position
        if asyncio.get_running_loop().time() > deadline:
            raise errors.Busy("The read tables have not come so far yet; ask again.")
        await asyncio.sleep(LOOK_SECONDS)


def only_operator(connection: ASGIConnection[Any, Any, Any, Any], _: BaseRouteHandler) -> None:
    """Let only the operator's token pass. Raises Forbidden where no operator is set, BadToken for another token.

    Tokens of a match say nothing here: they are for one match, and what is asked for is about all of them.
    """
    expected: str | None = connection.app.state.operator
    if expected is None:
        raise errors.Forbidden("This is for the operator, and none is set here (REFEREE_OPERATOR_TOKEN).")
    scheme, _space, token = connection.headers.get("authorization", "").partition(" ")
    given = token.strip() if scheme.lower() == "bearer" else ""
    # digests are compared, so that neither time nor length tells anything
    if not hmac.compare_digest(_digest(given), _digest(expected)):
        raise errors.BadToken("This needs the operator's token: Authorization: Bearer …")


def limited(limit: int, largest: int = LARGEST) -> int:
    """The limit. Raises BadValue beyond 1 to `largest`."""
    if not 1 <= limit <= largest:
        raise errors.BadValue(errors.Fault("limit", f"from 1 to {largest}"))
    return limit


def zoned(name: str, at: datetime | None) -> datetime | None:
    """The moment. Raises BadValue for one without a time zone."""
    if at is not None and at.tzinfo is None:
        raise errors.BadValue(errors.Fault(name, "give a time zone, as in 2026-05-01T18:00:00Z"))
    return at


def cursor_out(place: Any | None) -> str | None:
    """Where the next page begins, as something to hand back unread."""
    return base64.urlsafe_b64encode(msgspec.json.encode(place)).decode().rstrip("=") if place else None


def cursor_in(text: str | None, kind: Any) -> Any:
    """The place of this kind in a cursor. Raises BadValue for anything that was not handed out here."""
    if text is None:
        return None
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        return msgspec.json.decode(raw, type=kind)
    except (ValueError, msgspec.MsgspecError) as error:
        raise errors.BadValue(errors.Fault("cursor", "not a cursor of this list; begin without one")) from error


def page(request: Request[Any, Any, Any], body: T, following: str | None) -> Response[T]:
    """A page with its link to the next one. It is kept nowhere: names in it can be erased at any time."""
    headers = {"Cache-Control": "no-store", "Vary": "Authorization, Accept"}
    if following:
        asked = [(name, value) for name, value in request.query_params.multi_items() if name != "cursor"]
        headers["Link"] = f'<{request.url.path}?{urlencode([*asked, ("cursor", following)])}>; rel="next"'
    return Response(body, headers=headers)


def _digest(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()
