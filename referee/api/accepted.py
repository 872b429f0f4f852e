"""What a request body would have been accepted with, at the place where it was not: values or fields by name."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec import inspect


def accepted(of: Any, path: Sequence[str]) -> tuple[str, ...]:
    """Values that the type `of` takes at `path` if it names them, or else its fields there; empty if it has neither."""
    kinds = tuple(_alternatives([inspect.type_info(of)]))
    for step in path:
        kinds = tuple(_alternatives(inner for kind in kinds for inner in _inside(kind, step)))
    named = tuple(str(value) for kind in kinds if isinstance(kind, inspect.LiteralType) for value in kind.values)
    return named or tuple(field.encode_name for kind in kinds for field in getattr(kind, "fields", ()))


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
