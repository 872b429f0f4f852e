"""What all projections share: how events become documents and rows, and which generation of their tables is read.

A projection folds the events of a match into one document, with a pure function, and lays out rows from it to search by.
Its tables are named by version and generation: `totals_v1_g3_doc`. The version is that of its code's schema, and a number in
its file; each version has a line of its own in the table `projection`, so old and new code run side by side.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Protocol, TypeVar
from uuid import UUID, uuid5

import msgspec

from projections.tables import Execute, Rows, Tables
from referee.events import CardsDealt, Event, MatchEvent, MatchOpened, Recorded

T = TypeVar("T")
PROJECTION: Final = (
    "CREATE TABLE IF NOT EXISTS projection (name TEXT, version INTEGER, generation INTEGER NOT NULL,"
    " position BIGINT NOT NULL, events BIGINT NOT NULL, stopped TEXT, PRIMARY KEY (name, version))"
)
OWN: Final = {
    "doc": "key TEXT PRIMARY KEY, position BIGINT NOT NULL, doc TEXT NOT NULL",
    "stream": "stream TEXT PRIMARY KEY, key TEXT NOT NULL",
}
"""Tables of every projection: a match's document with the position of the last event in it, and whose a stream is."""
MATCH_EVENTS: Final = frozenset(MatchEvent.__args__)


class Projection(Protocol):
    """What a projection's module provides.

    `hears` says which events it folds; of a deal's stream all but plain moves, so that moves can be counted.
    Tables have the match's id as their first column, `key`, and a primary key that begins with it.
    """

    @property
    def NAME(self) -> str: ...
    @property
    def VERSION(self) -> int: ...
    @property
    def TABLES(self) -> Mapping[str, str]: ...
    @property
    def INDEXES(self) -> Sequence[str]: ...
    @property
    def Doc(self) -> Any: ...
    def hears(self, event: Event) -> bool: ...
    def evolve(self, doc: Any, recorded: Recorded) -> Any: ...
    def rows(self, key: str, doc: Any) -> Mapping[str, Rows]: ...


class NotThere(Exception):
    """The projection has no tables yet."""


class Stopped(msgspec.Struct, frozen=True):
    """An event that a projection cannot take in: where it stands, what it is, and the error; `since` as ISO 8601."""

    position: int | None
    event: str
    stream: str | None
    why: str
    since: str


class View:
    """One generation of a projection's tables inside a transaction: `view("SELECT … FROM {match}")`."""

    def __init__(self, execute: Execute, projection: Projection, generation: int, position: int = 0) -> None:
        self.projection, self.generation, self.position, self._execute = projection, generation, position, execute
        self._names = {name: table(projection, generation, name) for name in (*OWN, *projection.TABLES)}

    def __call__(self, statement: str, *values: Any) -> Rows:
        """Run one statement, table names in braces."""
        return self._execute(statement.format_map(self._names), *values)

    def many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for every row."""
        self._execute.many(statement.format_map(self._names), rows)

    def among(self, statement: str, values: Sequence[Any]) -> Rows:
        """Run one statement whose `IN {these}` holds these values."""
        return self(statement.replace("{these}", _slots(len(values))), *values) if values else []

    def document(self, key: UUID) -> tuple[Any, int] | None:
        """A match's document and the position of the last event in it."""
        found = self("SELECT doc, position FROM {doc} WHERE key = %s", str(key))
        return (decode(self.projection, found[0][0]), found[0][1]) if found else None

    def names(self) -> Sequence[str]:
        """The tables, without what only finds a stream's match."""
        return [name for name in self._names if name != "stream"]


def table(projection: Projection, generation: int, name: str) -> str:
    """How a table is called in the database."""
    return f"{projection.NAME}_v{projection.VERSION}_g{generation}_{name}"


def prepare_all(tables: Tables, projections: Sequence[Projection]) -> None:
    """Create what is not there yet, of all of them; processes that do it at once do not collide."""
    with tables.transaction() as execute:
        for projection in projections:
            prepare(execute, projection)


def prepare(execute: Execute, projection: Projection) -> None:
    """Create what is not there yet; a new version begins with an empty generation."""
    execute.alone()
    execute(PROJECTION)
    if not execute("SELECT 1 FROM projection WHERE name = %s AND version = %s", projection.NAME, projection.VERSION):
        create(execute, projection, 1)
        execute("INSERT INTO projection VALUES (%s, %s, 1, 0, 0, NULL)", projection.NAME, projection.VERSION)


def create(execute: Execute, projection: Projection, generation: int) -> View:
    """Empty tables of a generation, in place of any that were left behind."""
    drop(execute, projection, generation)
    for name, columns in {**OWN, **projection.TABLES}.items():
        execute(f"CREATE TABLE {table(projection, generation, name)} ({columns})")
    for number, index in enumerate(projection.INDEXES):
        name, _, columns = index.partition(" ")
        at = table(projection, generation, name)
        execute(f"CREATE INDEX {at}_i{number} ON {at} {columns}")
    return View(execute, projection, generation)


def drop(execute: Execute, projection: Projection, generation: int) -> None:
    """Remove a generation's tables, if there are any."""
    for name in (*OWN, *projection.TABLES):
        execute(f"DROP TABLE IF EXISTS {table(projection, generation, name)}")


def live(execute: Execute, projection: Projection) -> View:
    """The generation that is read now. Raises NotThere."""
    if execute.lite and not execute("SELECT 1 FROM sqlite_master WHERE name = 'projection'"):
        raise NotThere(projection.NAME)
    found = execute(
        "SELECT generation, position FROM projection WHERE name = %s AND version = %s",
        projection.NAME,
        projection.VERSION,
    )
    if not found:
        raise NotThere(projection.NAME)
    return View(execute, projection, *found[0])


def take(view: View, entries: Sequence[Recorded]) -> None:
    """What entries of the log, in order, change in a generation's tables. Raises what the projection's fold raises."""
    projection = view.projection
    heard = [entry for entry in entries if projection.hears(entry.event)]
    if not heard:
        return
    keys = _keys(view, heard)
    wanted = sorted(set(keys))
    rows = view.among("SELECT key, doc FROM {doc} WHERE key IN {these}", wanted)
    before = {key: decode(projection, doc) for key, doc in rows}
    after, last = dict(before), dict[str, int]()
    for key, entry in zip(keys, heard, strict=True):
        after[key] = projection.evolve(after.get(key), entry)
        last[key] = entry.position
    view.many(
        "INSERT INTO {doc} VALUES (%s, %s, %s)"
        " ON CONFLICT (key) DO UPDATE SET position = excluded.position, doc = excluded.doc",
        [(key, last[key], encode(after[key])) for key in wanted],
    )
    gone: dict[str, list[tuple[str]]] = {name: [] for name in projection.TABLES}
    new: dict[str, Rows] = {name: [] for name in projection.TABLES}
    for key in wanted:
        old = projection.rows(key, before[key]) if key in before else {}
        for name, found in projection.rows(key, after[key]).items():
            if found != old.get(name, []):
                if key in before:
                    gone[name].append((key,))
                new[name] += found
    for name in projection.TABLES:
        view.many(f"DELETE FROM {{{name}}} WHERE key = %s", gone[name])
        if new[name]:
            view.many(f"INSERT INTO {{{name}}} VALUES {_slots(len(new[name][0]))}", new[name])


def keys_of(
    known: Callable[[list[str]], Mapping[str, str]], heard: Sequence[Recorded]
) -> tuple[list[str], dict[str, str]]:
    """The match of every entry, and what the entries themselves tell of streams; `known` finds the match of others."""
    told: dict[str, str] = {}
    for entry in heard:
        match entry.event:
            case CardsDealt(match):
                told[str(entry.stream)] = str(match)
            case MatchOpened():
                told[str(access_stream(entry.stream))] = str(entry.stream)
    others = {str(e.stream) for e in heard if type(e.event) not in MATCH_EVENTS} - told.keys()
    found = {**known(sorted(others)), **told}
    return [str(e.stream) if type(e.event) in MATCH_EVENTS else found[str(e.stream)] for e in heard], told


def access_stream(match: UUID) -> UUID:
    """The stream of a match's capabilities, named as `referee.match` names it."""
    return uuid5(match, "access")


def encode(doc: Any) -> str:
    """A document as it is kept."""
    return msgspec.json.encode(doc).decode()


def decode(projection: Projection, text: str) -> Any:
    """A kept document."""
    return decode_text(text, projection.Doc)


def decode_text(text: str, kind: type[T]) -> T:
    """What was kept as JSON."""
    decoder = _decoders.get(kind)
    if decoder is None:
        decoder = _decoders[kind] = msgspec.json.Decoder(kind)
    return decoder.decode(text)  # type: ignore[no-any-return]


_decoders: dict[Any, msgspec.json.Decoder[Any]] = {}


def _keys(view: View, heard: Sequence[Recorded]) -> list[str]:
    def known(streams: list[str]) -> dict[str, str]:
        return dict(view.among("SELECT stream, key FROM {stream} WHERE stream IN {these}", streams))

    keys, told = keys_of(known, heard)
    view.many("INSERT INTO {stream} VALUES (%s, %s) ON CONFLICT DO NOTHING", list(told.items()))
    return keys


def _slots(count: int) -> str:
    return f"({', '.join(['%s'] * count)})"
