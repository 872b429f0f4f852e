"""What a request body would have been accepted with, at the place where it was not: values or fields by name."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import inspect


def accepted(of: Any, path: Sequence[str], missing: bool = False) -> tuple[str, ...]:
    """Values that the type `of` takes at `path` if it names them, or else its fields there - where all of it is `missing`
    its kinds, if there are several; empty if it has neither."""
    kinds = tuple(_alternatives([inspect.type_info(of)]))
    for step in path:
        kinds = tuple(_alternatives(inner for kind in kinds for inner in _inside(kind, step)))
    named = [str(value) for kind in kinds if isinstance(kind, inspect.LiteralType) for value in kind.values]
    tagged = [f"{kind.tag_field} {kind.tag}" for kind in kinds if isinstance(kind, inspect.StructType) and kind.tag]
    if missing and not named and len(tagged) > 1:
        return tuple(tagged)
    fields = dict.fromkeys(field.encode_name for kind in kinds for field in getattr(kind, "fields", ()))
    return tuple(named) or tuple(fields)


def _alternatives(kinds: Iterable[inspect.Type]) -> Iterator[inspect.Type]:
    for kind in kinds:
        match kind:
            case inspect.UnionType(types):
                yield from _alternatives(types)
            case inspect.Metadata(inner):
                yield from _alternatives([inner])
            case _:
                yield kind


def _inside(kind: inspect.Type, step: str) -> Iterator[inspect.Type]:
    match kind:
        case inspect.StructType(fields=fields, tag_field=tag_field, tag=tag):
            if step == tag_field:
                yield inspect.LiteralType((tag,))
            yield from (field.type for field in fields if field.encode_name == step)
        case inspect.VarTupleType(item_type=item):
            yield item
