"""A row of every event, as it was written when the event was new. `python -m tests.store.golden` adds the missing ones."""

import types
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, Literal, Union, get_args, get_origin
from uuid import UUID

import msgspec

from referee.events import Entry
from referee.store.evolution import TOPICS, tags

FOLDER = Path(__file__).parent / "golden"
AT = datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


def path_of(topic: str) -> Path:
    """Where a topic's golden row lies."""
    return FOLDER / f"{topic.replace('/', '@')}.json"


def example(kind: Any) -> Any:
    """A value of a type: the first of a choice, two of many, everything optional filled in."""
    origin, args = get_origin(kind), get_args(kind)
    if origin is Annotated:
        return example(args[0])
    if origin in (Union, types.UnionType):
        return example(next(arg for arg in args if arg is not type(None)))
    if origin is Literal:
        return args[0]
    if origin is tuple:
        return tuple(example(arg) for arg in (args if args[-1] is not Ellipsis else (args[0], args[0])))
    if origin is dict:
        return {example(args[0]): example(args[1])}
    if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
        return kind(**{field.name: example(field.type) for field in msgspec.structs.fields(kind)})
    plain: dict[Any, Any] = {int: 3, bool: True, str: "9C", UUID: UUID(int=11), datetime: AT, Any: 5, float: 0.5}
    if kind in plain:
        return plain[kind]
    raise TypeError(f"no example of {kind}")


def holds(read: Any, written: Any) -> bool:
    """Whether everything written is in what was read."""
    if isinstance(written, dict):
        return isinstance(read, dict) and all(
            name in read and holds(read[name], part) for name, part in written.items()
        )
    if isinstance(written, list):
        same = isinstance(read, list | tuple) and len(read) == len(written)
        return same and all(map(holds, read, written))
    return bool(read == written)


def main() -> None:
    """Write what is missing, and never what is there."""
    FOLDER.mkdir(exist_ok=True)
    for tag, event in tags().items():
        path = path_of(TOPICS.topics[tag])
        if not path.exists():
            path.write_bytes(msgspec.json.encode(Entry(AT, "scorekeeper", example(event))) + b"\n")
            print(path.name)


if __name__ == "__main__":
    main()
