"""The log in an SQLite file: the library's recorder, with keys and words written in the same transaction."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from eventsourcing.persistence import StoredEvent
from eventsourcing.sqlite import SQLiteApplicationRecorder, SQLiteCursor, SQLiteDatastore

from referee.store.recorder import MAX_VERSION, Writing

TABLES = (
    "CREATE TABLE IF NOT EXISTS command (scope TEXT, key TEXT, body TEXT NOT NULL, versions TEXT NOT NULL,"
    " position INTEGER NOT NULL, PRIMARY KEY (scope, key)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS word (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
    "CREATE VIEW IF NOT EXISTS event AS SELECT rowid AS position, originator_id AS stream,"
    " originator_version AS version, topic AS type, CAST(state AS TEXT) AS entry FROM stored_events",
)


class SQLiteRecorder(SQLiteApplicationRecorder):
    """The library's recorder and two tables beside its own: `command` and `word`; `event` is a view to read by eye."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(SQLiteDatastore(str(path)))

    def construct_create_table_statements(self) -> list[str]:
        return [*super().construct_create_table_statements(), *TABLES]

    def _insert_events(
        self, c: SQLiteCursor, stored_events: Sequence[StoredEvent], writing: Writing | None = None, **_: Any
    ) -> Sequence[int] | None:
        positions = super()._insert_events(c, stored_events)
        if writing and positions:
            if writing.key:
                scope, key, body = writing.key
                values = (scope, key, body, writing.versions, positions[-1])
                c.execute("INSERT INTO command VALUES (?,?,?,?,?)", values)
            for id_, text in writing.words.items():
                c.execute("INSERT INTO word VALUES (?,?) ON CONFLICT DO NOTHING", (id_.hex, text))
        return positions

    def select_stream(self, stream: UUID, after: int, upto: int | None) -> list[tuple[int, int, bytes]]:
        """Version, position and state of a stream's events with version in (after, upto], in order."""
        with self.datastore.transaction(commit=False) as c:
            c.execute(
                "SELECT originator_version, rowid, state FROM stored_events"
                " WHERE originator_id=? AND originator_version>? AND originator_version<=? ORDER BY originator_version",
                (stream.hex, after, upto or MAX_VERSION),
            )
            return [tuple(row) for row in c.fetchall()]

    def select_command(self, scope: str, key: str) -> tuple[str, str, int] | None:
        """Body, versions (JSON) and position of a command."""
        with self.datastore.transaction(commit=False) as c:
            c.execute("SELECT body, versions, position FROM command WHERE scope=? AND key=?", (scope, key))
            row = c.fetchone()
        return tuple(row) if row else None

    def select_words(self, ids: Sequence[UUID]) -> dict[UUID, str]:
        """Words by id."""
        with self.datastore.transaction(commit=False) as c:
            c.execute(f"SELECT id, text FROM word WHERE id IN ({','.join('?' * len(ids))})", [i.hex for i in ids])  # noqa: S608
            return {UUID(row["id"]): row["text"] for row in c.fetchall()}
