"""The log's tables in an SQLite file: steps that are taken once, in order."""

import sqlite3
from pathlib import Path
from typing import Final
from uuid import UUID

from referee.store.chain import START, link

_FIRST: Final = (
    "CREATE TABLE IF NOT EXISTS stored_events (originator_id TEXT, originator_version INTEGER, topic TEXT, state BLOB,"
    " PRIMARY KEY (originator_id, originator_version))",
    "CREATE TABLE IF NOT EXISTS command (scope TEXT, key TEXT, body TEXT NOT NULL, versions TEXT NOT NULL,"
    " position INTEGER NOT NULL, PRIMARY KEY (scope, key)) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS word (id TEXT PRIMARY KEY, text TEXT NOT NULL) WITHOUT ROWID",
    "CREATE VIEW IF NOT EXISTS event AS SELECT rowid AS position, originator_id AS stream,"
    " originator_version AS version, topic AS type, CAST(state AS TEXT) AS entry FROM stored_events",
)
_CHAINED: Final = (
    "ALTER TABLE stored_events ADD COLUMN digest BLOB",
    "ALTER TABLE stored_events ADD COLUMN seals TEXT",
)
_FOREVER: Final = (
    "CREATE TRIGGER keep_changed BEFORE UPDATE ON stored_events"
    " BEGIN SELECT RAISE(ABORT, 'events are neither changed nor deleted'); END",
    "CREATE TRIGGER keep_deleted BEFORE DELETE ON stored_events"
    " BEGIN SELECT RAISE(ABORT, 'events are neither changed nor deleted'); END",
)


def connect(path: Path, seconds: float = 5) -> sqlite3.Connection:
    """A connection in the log's mode: a commit is on the disk when it returns, and readers do not wait for the writer."""
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=seconds)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def migrate(path: Path) -> None:
    """Take the steps that have not been taken, in one transaction; several at once wait for each other."""
    path.parent.mkdir(parents=True, exist_ok=True)
    connection = connect(path)
    try:
        connection.execute("BEGIN IMMEDIATE")
        (taken,) = connection.execute("PRAGMA user_version").fetchone()
        for step in STEPS[taken:]:
            step(connection)
        connection.execute(f"PRAGMA user_version={len(STEPS)}")
        connection.execute("COMMIT")
    finally:
        connection.close()


def _first(connection: sqlite3.Connection) -> None:
    for statement in _FIRST:
        connection.execute(statement)


def _chained(connection: sqlite3.Connection) -> None:
    for statement in _CHAINED:
        connection.execute(statement)
    before = "", START
    rows = connection.execute(
        "SELECT rowid, originator_id, originator_version, topic, state FROM stored_events"
        " ORDER BY originator_id, originator_version"
    ).fetchall()
    for rowid, stream, version, topic, state in rows:
        digest = link(before[1] if before[0] == stream else START, UUID(stream), version, topic, state)
        connection.execute("UPDATE stored_events SET digest = ? WHERE rowid = ?", (digest, rowid))
        before = stream, digest
    for statement in _FOREVER:
        connection.execute(statement)


STEPS: Final = (_first, _chained)
