"""The outermost layer: host check, security headers on every answer, HEAD for every GET."""

import re
from collections.abc import Iterable
from typing import Any

import msgspec

from referee.api.problems import MEDIA_TYPE, TITLES
from referee.api.schemas import Problem

HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
]
CONTROL = re.compile(r"[\x00-\x1f\x7f]")


class Edge:
    """An ASGI layer around the whole app, so that it also covers what no route answers."""

    def __init__(self, app: Any, hosts: Iterable[str]) -> None:
        self._app, self._hosts = app, frozenset(hosts)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        head = scope["method"] == "HEAD"

        async def answer(message: Any) -> None:
            if message["type"] == "http.response.start":
                message = {**message, "headers": [*message.get("headers", ()), *HEADERS]}
            elif head and message["type"] == "http.response.body":
                message = {**message, "body": b""}
            await send(message)

        if head:
            scope = {**scope, "method": "GET"}
        host = next((value.decode("latin-1") for name, value in scope["headers"] if name == b"host"), "")
        name = host if host.endswith("]") else host.rsplit(":", 1)[0]
        if "*" not in self._hosts and name.lower() not in self._hosts:
            await _refuse(answer, 421, "WRONG_HOST", "This host name is not served here; see REFEREE_HOSTS.")
        elif CONTROL.search(scope["path"]):
            await _refuse(answer, 400, "MALFORMED_REQUEST", "The path holds a control character.")
        else:
            await self._app(scope, receive, answer)


async def _refuse(send: Any, status: int, code: str, detail: str) -> None:
    body = msgspec.json.encode(
        Problem(f"/problems/{code.lower().replace('_', '-')}", TITLES[status], status, detail, code)
    )
    headers = [(b"content-type", MEDIA_TYPE.encode()), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
