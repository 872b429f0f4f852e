"""The house rules of a game as a form offers them, read off the types of its Rules (rules 6)."""

from collections.abc import Iterator
from types import UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

import msgspec

from referee.rules.game import Game
from referee.rules.words import texts_of

OFFERED_FIRST: Final = ("tablanet_bonus",)


class Value(msgspec.Struct, frozen=True):
    """A value that a house rule may take, as the API spells it."""

    value: int | str | None
    label: str


class Option(msgspec.Struct, frozen=True):
    """A house rule. A `number` lies between `least` and `most` (null: no limit) or is one of `values`; a `choice` is
    one of `values`. `default` is null when the rule is `required`."""

    key: str
    label: str
    required: bool
    default: int | str | None
    kind: Literal["choice", "number"]
    values: tuple[Value, ...]
    least: int | None
    most: int | None
    offered_first: bool


def options_of(game: Game, lang: str) -> Iterator[Option]:
    """Every house rule in the order of the Rules. Raises KeyError where a rule or a value has no text."""
    labels = texts_of("common")["option"] | texts_of(game.NAME)["option"]
    for field in msgspec.structs.fields(game.Rules):
        label = labels[field.name]
        allowed, limits = _allowed(field.type)
        yield Option(
            key=field.name,
            label=label[lang],
            required=field.required,
            default=None if field.required else field.default,
            kind="number" if limits else "choice",
            values=tuple(Value(v, label["values"]["none" if v is None else str(v)][lang]) for v in allowed),
            least=limits.ge if limits else None,
            most=limits.le if limits else None,
            offered_first=field.name in OFFERED_FIRST,
        )


def _allowed(hint: Any) -> tuple[tuple[Any, ...], Any]:
    """Values that a house rule's type names, in order, and the limits of a number if it may be one, else None."""
    origin, parts = get_origin(hint), get_args(hint)
    if origin is Literal:
        return parts, None
    if origin is Annotated:
        return _allowed(parts[0])[0], parts[1]
    if origin in (Union, UnionType):
        found = [_allowed(part) for part in parts]
        return sum((values for values, _ in found), ()), next((limits for _, limits in found if limits), None)
    return ((None,), None) if hint is type(None) else ((), msgspec.Meta())
