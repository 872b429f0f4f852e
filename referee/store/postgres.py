"""The log in PostgreSQL: the library's recorder, with keys and words written in the same transaction."""

from collections.abc import Sequence
from typing import Any
from urllib.parse import unquote, urlsplit
from uuid import UUID

from eventsourcing.persistence import StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg import Cursor
from psycopg.rows import DictRow
from psycopg.sql import SQL

from referee.store.recorder import MAX_VERSION, Writing

TABLES = (
    "CREATE TABLE IF NOT EXISTS command (scope text, key text, body text NOT NULL, versions text NOT NULL,"
    " position bigint NOT NULL, PRIMARY KEY (scope, key))",
    "CREATE TABLE IF NOT EXISTS word (id uuid PRIMARY KEY, text text NOT NULL)",
    "CREATE OR REPLACE VIEW event AS SELECT notification_id AS position, originator_id AS stream,"
    " originator_version AS version, topic AS type, convert_from(state, 'UTF8')::jsonb AS entry FROM stored_events",
)


class PostgresRecorder(PostgresApplicationRecorder):
    """The library's recorder and two tables beside its own: `command` and `word`; `event` is a view to read by eye."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        super().__init__(
            PostgresDatastore(
                dbname=parts.path.lstrip("/"),
                host=parts.hostname or "",
                port=parts.port or 5432,
                user=unquote(parts.username or ""),
                password=unquote(parts.password or ""),
                originator_id_type="uuid",
                pool_size=2,
                max_overflow=8,
                max_waiting=200,
                lock_timeout=5,
                idle_in_transaction_session_timeout=5,
            )
        )
        self.sql_create_statements.extend(SQL(statement).format() for statement in TABLES)

    def _insert_events(
        self, curs: Cursor[DictRow], stored_events: Sequence[StoredEvent], writing: Writing | None = None, **_: Any
    ) -> None:
        if writing is None:
            return
        for id_, text in writing.words.items():
            curs.execute("INSERT INTO word VALUES (%s,%s) ON CONFLICT DO NOTHING", (id_, text))

    def _insert_stored_events(
        self, curs: Cursor[DictRow], stored_events: Sequence[StoredEvent], writing: Writing | None = None, **_: Any
    ) -> None:
        super()._insert_stored_events(curs, stored_events)
        if writing and writing.key:
            with curs.connection.cursor() as other:
                values = (*writing.key, writing.versions)
                other.execute("INSERT INTO command SELECT %s,%s,%s,%s, max(notification_id) FROM stored_events", values)

    def select_stream(self, stream: UUID, after: int, upto: int | None) -> list[tuple[int, int, bytes]]:
        """Version, position and state of a stream's events with version in (after, upto], in order."""
        with self.datastore.get_connection() as conn, conn.cursor() as curs:
            curs.execute(
                "SELECT originator_version, notification_id, state FROM stored_events WHERE originator_id=%s"
                " AND originator_version>%s AND originator_version<=%s ORDER BY originator_version",
                (stream, after, upto or MAX_VERSION),
            )
            return [(row["originator_version"], row["notification_id"], bytes(row["state"])) for row in curs]

    def select_command(self, scope: str, key: str) -> tuple[str, str, int] | None:
        """Body, versions (JSON) and position of a command."""
        with self.datastore.get_connection() as conn, conn.cursor() as curs:
            curs.execute("SELECT body, versions, position FROM command WHERE scope=%s AND key=%s", (scope, key))
            row = curs.fetchone()
        return (row["body"], row["versions"], row["position"]) if row else None

    def select_words(self, ids: Sequence[UUID]) -> dict[UUID, str]:
        """Words by id."""
        with self.datastore.get_connection() as conn, conn.cursor() as curs:
            curs.execute("SELECT id, text FROM word WHERE id = ANY(%s)", (list(ids),))
            return {row["id"]: row["text"] for row in curs.fetchall()}
