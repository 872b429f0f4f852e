"""The read tables' database: an SQLite file beside the log's, or tables in the same PostgreSQL database."""

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeAlias

import psycopg

from referee.store import sqlite_path

Rows: TypeAlias = list[tuple[Any, ...]]
Execute: TypeAlias = Callable[..., Rows]
"""`execute(sql, *values)` inside a transaction; placeholders are `%s` whatever the database; gives all rows."""

UNAVAILABLE = (sqlite3.OperationalError, psycopg.OperationalError)


class Tables:
    """One connection to the read tables of the log at `database`; safe to share between threads."""

    def __init__(self, database: str) -> None:
        self._database = database
        self._lock = threading.Lock()
        self._connection: Any = None

    @contextmanager
    def transaction(self) -> Iterator[Execute]:
        """All or nothing. Raises one of UNAVAILABLE if the database does not answer; the next try connects anew."""
        with self._lock:
            connection = self._connected()
            execute = self._execute_on(connection)
            try:
                execute("BEGIN")
                yield execute
                execute("COMMIT")
            except BaseException:
                self._give_up(connection)
                raise

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _connected(self) -> Any:
        if self._connection is None:
            path = sqlite_path(self._database)
            if path:
                path = path.with_name(path.name + ".read")
                path.parent.mkdir(parents=True, exist_ok=True)
                self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=5)
                self._connection.execute("PRAGMA journal_mode=WAL")
            else:
                self._connection = psycopg.connect(self._database, autocommit=True, connect_timeout=5)
        return self._connection

    def _execute_on(self, connection: Any) -> Execute:
        lite = isinstance(connection, sqlite3.Connection)

        def execute(sql: str, *values: Any) -> Rows:
            cursor = connection.execute(sql.replace("%s", "?") if lite else sql, values)
            return cursor.fetchall() if cursor.description else []

        return execute

    def _give_up(self, connection: Any) -> None:
        try:
            connection.execute("ROLLBACK")
        except (sqlite3.Error, psycopg.Error):
            connection.close()
            self._connection = None
