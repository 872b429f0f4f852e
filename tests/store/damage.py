"""Damage done on purpose, past everything that keeps events as they are."""

import sqlite3
from typing import Any
from uuid import UUID

import psycopg

from referee.store import sqlite_path
from referee.store.chain import START, Head, link, parse_seal, sealing
from referee.store.scan import Scan


class Vandal:
    """Somebody with the database's own rights."""

    def __init__(self, database: str) -> None:
        self.database, path = database, sqlite_path(database)
        self._lite = path is not None
        if path:
            self._connection: Any = sqlite3.connect(path, isolation_level=None)
            self._connection.execute("DROP TRIGGER keep_changed")
            self._connection.execute("DROP TRIGGER keep_deleted")
        else:
            self._connection = psycopg.connect(database, autocommit=True)
            self._connection.execute("ALTER TABLE stored_events DISABLE TRIGGER ALL")

    def do(self, statement: str, *values: Any) -> list[Any]:
        """Run a statement; placeholders are %s."""
        values = tuple(value.hex if self._lite and isinstance(value, UUID) else value for value in values)
        cursor = self._connection.execute(statement.replace("%s", "?") if self._lite else statement, values)
        return list(cursor.fetchall()) if cursor.description else []

    def state(self, stream: UUID, version: int) -> bytes:
        """An entry's bytes."""
        where = "WHERE originator_id = %s AND originator_version = %s"
        return bytes(self.do(f"SELECT state FROM stored_events {where}", stream, version)[0][0])

    def write(self, stream: UUID, version: int, state: bytes) -> None:
        """Other bytes for an entry."""
        where = "WHERE originator_id = %s AND originator_version = %s"
        self.do(f"UPDATE stored_events SET state = %s {where}", state, stream, version)

    def delete(self, stream: UUID, version: int) -> None:
        """An entry less."""
        self.do("DELETE FROM stored_events WHERE originator_id = %s AND originator_version = %s", stream, version)

    def forge(self, stream: UUID) -> None:
        """Chain a stream anew, so that its digests say nothing."""
        scan, digest = Scan(self.database), START
        for row in scan.rows(stream):
            sealed = b""
            if row.seals:
                other, version = parse_seal(row.seals)
                found = scan.row(other, version)
                sealed = sealing(other, Head(version, found.digest)) if found and found.digest else b""
            digest = link(digest, stream, row.version, str(row.topic), row.state or b"", sealed)
            where = "WHERE originator_id = %s AND originator_version = %s"
            self.do(f"UPDATE stored_events SET digest = %s {where}", digest, stream, row.version)
        scan.close()

    def close(self) -> None:
        """Leave the scene."""
        self._connection.close()
