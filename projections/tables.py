"""The read tables' database: an SQLite file beside the log's, or tables in the same PostgreSQL database."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final, TypeAlias, TypeVar

import psycopg
from psycopg import sql

from referee.store import sqlite_path

try:
    import fcntl
except ImportError:  # a system without file locks has one process on an SQLite file anyway
    fcntl = None  # type: ignore[assignment]

T = TypeVar("T")
Rows: TypeAlias = list[tuple[Any, ...]]
BUSY_SECONDS: Final = 30
IDLE: Final = 8

UNAVAILABLE = (sqlite3.OperationalError, psycopg.OperationalError)


class Execute:
    """`execute(sql, *values)` inside a transaction: placeholders are `%s` whatever the database; gives all rows."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.lite = isinstance(connection, sqlite3.Connection)

    def __call__(self, statement: str, *values: Any) -> Rows:
        """Run one statement."""
        cursor = self._connection.execute(self._sql(statement), values)
        return cursor.fetchall() if cursor.description else []

    def many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run one statement for every row, in one round trip where the database allows."""
        if rows:
            self._connection.cursor().executemany(self._sql(statement), rows)

    def alone(self) -> None:
        """Keep everybody else out of what they do behind this same call, until the transaction ends."""
        if not self.lite:  # SQLite has one writer at a time
            self("SELECT pg_advisory_xact_lock(%s)", _number("referee tables"))

    def _sql(self, statement: str) -> str:
        return statement.replace("%s", "?") if self.lite else statement


class Session:
    """One connection to the read tables, and the locks held through it; for one thread at a time."""

    def __init__(self, database: str) -> None:
        self._locks: dict[str, IO[bytes] | None] = {}
        self._path = _path(database)
        if self._path:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._connection: Any = sqlite3.connect(
                self._path, check_same_thread=False, isolation_level=None, timeout=BUSY_SECONDS
            )
            self._connection.execute("PRAGMA journal_mode=WAL")
            self._connection.execute("PRAGMA synchronous=NORMAL")  # what a power cut loses is read from the log again
        else:
            self._connection = psycopg.connect(database, autocommit=True, connect_timeout=5)

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[Execute]:
        """All or nothing; without `write`, one unchanging view of all tables. Raises one of UNAVAILABLE."""
        execute = Execute(self._connection)
        if execute.lite:
            begin = "BEGIN IMMEDIATE" if write else "BEGIN"
        else:
            begin = "BEGIN" if write else "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
        try:
            execute(begin)
            yield execute
            execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error, psycopg.Error):
                execute("ROLLBACK")
            raise

    def lock(self, name: str) -> bool:
        """Take a lock that ends with this session, however it ends; False if another session has it."""
        if name in self._locks:
            return True
        if self._path is None:
            with self.transaction(write=False) as execute:
                if not execute("SELECT pg_try_advisory_lock(%s)", _number(name))[0][0]:
                    return False
            self._locks[name] = None
        elif fcntl:
            file = self._path.with_name(f"{self._path.name}.{name.replace(' ', '-')}.lock").open("ab")
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.close()
                return False
            self._locks[name] = file
        return True

    def close(self) -> None:
        """Let go of the database and of every lock."""
        for file in self._locks.values():
            if file:
                file.close()
        self._locks.clear()
        self._connection.close()


class Tables:
    """The read tables of the log at `database`; safe to share between threads."""

    def __init__(self, database: str) -> None:
        self.database = database
        self._idle: list[Session] = []
        self._lock = threading.Lock()

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A connection of one's own, closed afterwards."""
        session = Session(self.database)
        try:
            yield session
        finally:
            session.close()

    @contextmanager
    def transaction(self, *, write: bool = True) -> Iterator[Execute]:
        """A transaction on a connection that is kept for the next one, unless it fails."""
        with self._lock:
            session = self._idle.pop() if self._idle else None
        session = session or Session(self.database)
        try:
            with session.transaction(write=write) as execute:
                yield execute
        except BaseException:
            session.close()
            raise
        with self._lock:
            keep = len(self._idle) < IDLE
            if keep:
                self._idle.append(session)
        if not keep:
            session.close()

    def read(self, query: Callable[[Execute], T]) -> T:
        """What `query` finds in one unchanging view; asked again where a swap took a table away while it looked."""
        for _ in range(3):
            with suppress(psycopg.errors.UndefinedTable), self.transaction(write=False) as execute:
                return query(execute)
        with self.transaction(write=False) as execute:
            return query(execute)

    def close(self) -> None:
        """Let go of the database."""
        with self._lock:
            while self._idle:
                self._idle.pop().close()


def listen(database: str, channel: str) -> psycopg.Connection[Any] | None:
    """A connection that hears `channel`; None where the database has no such thing. Raises one of UNAVAILABLE."""
    if sqlite_path(database):
        return None
    connection = psycopg.connect(database, autocommit=True, connect_timeout=5)
    connection.execute(sql.SQL("LISTEN {}").format(sql.Identifier(channel)))
    return connection


def _path(database: str) -> Path | None:
    path = sqlite_path(database)
    return path.with_name(path.name + ".read") if path else None


def _number(name: str) -> int:
    """The 64-bit number that stands for a lock's name in PostgreSQL."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big", signed=True)
