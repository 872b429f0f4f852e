"""How much the log holds, asked of the database itself."""

import sqlite3
from typing import Any

import psycopg

from referee.store import sqlite_path

COUNTED = ("stored_events", "command", "word")


def stored(database: str) -> dict[str, int]:
    """Rows by table: events, keys used, names and other words."""
    path = sqlite_path(database)
    connection: Any = sqlite3.connect(path) if path else psycopg.connect(database)
    try:
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in COUNTED}
    finally:
        connection.close()
