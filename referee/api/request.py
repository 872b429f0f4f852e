"""Reading a request strictly: JSON bodies, preconditions, keys, cards as people write them."""

import hashlib
import re
from typing import Any, TypeVar

import msgspec
from litestar import Request
from litestar.exceptions import ClientException, HTTPException

from referee import errors
from referee.api.accepted import accepted
from referee.rules.cards import ACCEPTED, parse
from referee.store.log import Key

T = TypeVar("T")
_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}
_ETAG = re.compile(r'^(?:W/)?"(\d{1,15})(?:\.[^"]*)?"$')
_KEY = re.compile(r"^[\x21-\x7e]{1,255}$(?!\n)")
_MISSING = re.compile(r"missing required field `(.*)`")
_MESSAGE = re.compile(r"^(.*?)(?: - at `(.*)`)?$", re.DOTALL)


class WrongMediaType(HTTPException):
    """The body is not declared as JSON."""

    status_code = 415


class StrictRequest(Request[Any, Any, Any]):
    """Decodes a JSON body strictly and straight into the handler's `data` type."""

    async def json(self) -> Any:
        """The body. Raises WrongMediaType, ClientException (unreadable), or BadValue (not its schema)."""
        field = self.route_handler.parsed_fn_signature.parameters["data"]
        if self.headers.get("content-type", "").partition(";")[0].strip().lower() != "application/json":
            raise WrongMediaType("The body must be JSON, declared as Content-Type: application/json.")
        decoder = _decoders.get(field.annotation)
        if decoder is None:
            decoder = _decoders[field.annotation] = msgspec.json.Decoder(field.annotation, strict=True)
        try:
            return decoder.decode(await self.body() or b"{}")
        except msgspec.ValidationError as error:
            raise errors.BadValue(fault_of(error, field.annotation)) from error
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise ClientException(f"The body is not readable JSON: {error}") from error


def fault_of(error: msgspec.ValidationError, of: Any, under: str = "") -> errors.Fault:
    """What msgspec found in a value meant for the type `of`: its path as a JSON pointer below `under`, and what fits."""
    matched = _MESSAGE.match(str(error))
    message, path = (matched[1], matched[2] or "") if matched else (str(error), "")
    pointer = path.removeprefix("$").replace("[...]", "/*").replace(".", "/").replace("[", "/").replace("]", "")
    steps = pointer.split("/")[1:]
    missing = _MISSING.search(message)
    fits = accepted(of, [*steps, missing[1]], True) if missing else accepted(of, steps)
    return errors.Fault(f"#{under}{pointer}", f"{message}; accepted: {', '.join(fits)}" if fits else message)


def cards_in(value: T, alphabet: str, pointer: str) -> T:
    """`value` with every card in it as the table writes it. Raises BadValue naming each word that is no card."""
    faults: list[errors.Fault] = []
    read = _cards_in(value, alphabet, pointer, faults)
    if faults:
        raise errors.BadValue(*faults)
    return read  # type: ignore[no-any-return]


def _cards_in(value: Any, alphabet: str, pointer: str, faults: list[errors.Fault]) -> Any:
    if isinstance(value, str):
        card = parse(value, alphabet)
        if card is None:
            faults.append(errors.Fault(pointer, f"{value[:20]!r} is not a card; accepted: {ACCEPTED[alphabet]}"))
        return card
    if isinstance(value, tuple):
        return tuple(_cards_in(part, alphabet, f"{pointer}/{place}", faults) for place, part in enumerate(value))
    if isinstance(value, msgspec.Struct):
        parts = {name: getattr(value, name) for name in value.__struct_fields__}
        return type(value)(**{n: _cards_in(part, alphabet, f"{pointer}/{n}", faults) for n, part in parts.items()})
    return value


def if_match(request: Request[Any, Any, Any]) -> int | None:
    """The version that the caller goes by, or None if none is given. Raises ClientException if it is no ETag of ours."""
    given = request.headers.get("if-match")
    if given is None or given.strip() == "*":
        return None
    found = _ETAG.match(given.strip())
    if found is None:
        raise ClientException('If-Match must be an ETag as answered by a GET, such as "12.seat:0.en", or "12".')
    return int(found[1])


async def key_of(request: Request[Any, Any, Any], scope: str) -> Key | None:
    """The request's Idempotency-Key in its scope, with the digest of what it asks. Raises ClientException."""
    given = request.headers.get("idempotency-key")
    if given is None:
        return None
    if not _KEY.match(given):
        raise ClientException("Idempotency-Key must be 1 to 255 visible ASCII characters.")
    asked = hashlib.sha256(b"\n".join([request.method.encode(), request.url.path.encode(), await request.body()]))
    return Key(scope, given, asked.hexdigest())
