"""The same tables through the library's recorder and through a Reader: for followers, tools and tests."""

import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final
from urllib.parse import unquote, urlsplit

import psycopg
from eventsourcing.persistence import IntegrityError, Notification, StoredEvent
from eventsourcing.postgres import PostgresApplicationRecorder, PostgresDatastore
from psycopg.types.numeric import Int8

from referee.events import Recorded
from referee.store import chain
from referee.store import postgres_sql as sql
from referee.store.codec import to_recorded
from referee.store.log import Limits

HELD_SECONDS: Final = 5.0

log = logging.getLogger(__name__)


class Datastore(PostgresDatastore):
    """The library's connections; nothing is asked of the database before it is needed."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        super().__init__(
            parts.path.lstrip("/"), parts.hostname or "", parts.port or 5432,
            unquote(parts.username or ""), unquote(parts.password or ""),
            pool_size=1, max_overflow=8, max_waiting=200, lock_timeout=5, idle_in_transaction_session_timeout=5,
        )  # fmt: skip

    def register_type_adapters(self) -> None:
        """There are no types of the library's own in these tables."""


class PostgresRecorder(PostgresApplicationRecorder):
    """The library's recorder on this log: it writes the chain and the positions, and reads only what is settled."""

    def __init__(self, url: str) -> None:
        super().__init__(Datastore(url))
        self.sql_create_statements.clear()
        bound = f" WHERE notification_id < {sql.BELOW}"
        self.max_notification_id_statement += psycopg.sql.SQL(bound)

    def insert_events(self, stored_events: Sequence[StoredEvent], **_: Any) -> Sequence[int] | None:
        """Write events of one or more streams in one transaction. Raises IntegrityError as the library does."""
        if not stored_events:
            return []
        with self.datastore.get_connection() as conn, conn.cursor() as curs:
            heads: dict[Any, bytes] = {}
            rows = []
            for event in stored_events:
                stream, version = event.originator_id, event.originator_version
                if stream not in heads and version > 1:
                    curs.execute(sql.HEADS, [[stream], [Int8(version - 1)]])
                    found = curs.fetchone()
                    if not found:
                        raise IntegrityError(f"{stream} has no version {version - 1}")
                    heads[stream] = found["digest"]
                before = heads.get(stream, chain.START)
                heads[stream] = chain.link(before, stream, version, event.topic, event.state)  # type: ignore[arg-type]
                rows.append(chain.Row(stream, version, event.topic, event.state, heads[stream], None))  # type: ignore[arg-type]
            curs.execute(sql.APPEND, sql.arguments([sql.Write(rows, [], None, [], [])]))
            first = curs.fetchone()
            assert first
            return [first["at"] + place for place in range(len(rows))]

    def select_notifications(
        self,
        start: int | None,
        limit: int,
        stop: int | None = None,
        topics: Sequence[str] = (),
        *,
        inclusive_of_start: bool = True,
    ) -> Sequence[Notification]:
        """What the library's followers ask for, below the positions that others may still pass."""
        with self.datastore.get_connection() as conn, conn.cursor() as curs:
            curs.execute(f"SELECT {sql.BELOW} - 1 AS settled")
            settled: Any = curs.fetchone()
        stop = settled["settled"] if stop is None else min(stop, settled["settled"])
        return super().select_notifications(  # type: ignore[no-any-return]
            start, limit, stop, topics, inclusive_of_start=inclusive_of_start
        )


class PostgresReader:
    """A Reader of the log; it belongs to one thread. Raises psycopg.OperationalError while the database does not answer."""

    def __init__(self, url: str, limits: Limits) -> None:
        self._url = sql.address(url, limits)
        self._connection: psycopg.Connection[Any] | None = None
        self._held: tuple[int, float] | None = None

    def follow(self, after: int, limit: int) -> list[Recorded]:
        with self._cursor() as cursor:
            rows = cursor.execute(sql.FOLLOW, [Int8(after), Int8(limit)], prepare=True).fetchall()
            if not rows:
                self._watch(cursor)
        return [to_recorded(*row) for row in rows]

    def head(self) -> int:
        with self._cursor() as cursor:
            return int(cursor.execute(sql.HEAD).fetchall()[0][0])

    def held_back(self) -> int:
        """How many committed entries cannot be given yet, because somebody in the cluster has not ended a transaction."""
        with self._cursor() as cursor:
            return self._count_held(cursor)

    def close(self) -> None:
        if self._connection:
            self._connection.close()

    def _watch(self, cursor: "psycopg.Cursor[Any]") -> None:
        """Say in the operator's log when entries have been held back for long."""
        now = time.monotonic()
        if self._held and now < self._held[1]:
            return
        held = self._count_held(cursor)
        if self._held and held and self._held[0]:
            log.warning(
                "%d entries wait for a transaction that is open somewhere in the cluster (pg_stat_activity)", held
            )
        self._held = held, now + HELD_SECONDS

    def _count_held(self, cursor: "psycopg.Cursor[Any]") -> int:
        return int(cursor.execute(sql.HELD).fetchall()[0][0])

    @contextmanager
    def _cursor(self) -> "Iterator[psycopg.Cursor[Any]]":
        if self._connection is None or self._connection.closed:
            self._connection = psycopg.connect(self._url, autocommit=True)
        with self._connection.cursor(binary=True) as cursor:
            yield cursor
