"""Fingerprints: a digest chained over the deals of a match, short enough to note on paper after each deal.

    first  = SHA-256 of the canonical MatchOpened event
    deal n = SHA-256(fingerprint of deal n - 1 || canonical entry || canonical entry …), every entry of the deal's stream
             up to the DealFinished with which it was scored

Canonical is compact JSON in field order without the fields that have their default, so that a field added to an event
later changes no fingerprint. Names and free words are in no event, and so in no fingerprint.
"""

import hashlib
from collections.abc import Iterable
from functools import cache
from typing import Any

import msgspec

from referee.events import Entry, MatchOpened, Recorded


def first(opened: MatchOpened) -> str:
    """The fingerprint (hex) before any deal."""
    return hashlib.sha256(_encode(canonical(opened))).hexdigest()


def after_deal(previous: str, entries: Iterable[Recorded | Entry]) -> str:
    """The fingerprint (hex) after a deal whose stream holds these entries, the last one its DealFinished."""
    digest = hashlib.sha256(bytes.fromhex(previous))
    for entry in entries:
        digest.update(_encode([canonical(entry.at), entry.by, canonical(entry.event)]))
    return digest.hexdigest()


def short(fingerprint: str) -> str:
    """The first 16 digits in groups of four, to note on paper."""
    return " ".join(fingerprint[start : start + 4] for start in range(0, 16, 4))


def canonical(value: Any, whole: bool = False) -> Any:
    """A value as plain JSON data, Struct fields in order, those with their default left out unless `whole`."""
    if isinstance(value, msgspec.Struct):
        config = value.__struct_config__
        data = {config.tag_field: config.tag} if config.tag_field else {}
        for field in _fields(type(value)):
            part = getattr(value, field.name)
            if whole or field.required or part != field.default:
                data[field.encode_name] = canonical(part, whole)
        return data
    if isinstance(value, dict):
        return {key: canonical(part, whole) for key, part in value.items()}
    if isinstance(value, tuple | list):
        return [canonical(part, whole) for part in value]
    return value


@cache
def _fields(kind: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(kind)


def _encode(data: Any) -> bytes:
    return msgspec.json.encode(data)
