"""The log's tables in PostgreSQL: steps that are taken once, in order; the service's role; positions after a restore."""

from typing import Any, Final

from psycopg import Connection, connect
from psycopg.rows import TupleRow
from psycopg.sql import SQL, Identifier

from referee.store.chain import START, link

_FIRST: Final = (
    "CREATE TABLE IF NOT EXISTS stored_events (originator_id uuid NOT NULL, originator_version bigint NOT NULL,"
    " topic text, state bytea, notification_id bigserial, PRIMARY KEY (originator_id, originator_version))",
    "CREATE UNIQUE INDEX IF NOT EXISTS stored_events_notification_id_idx ON stored_events (notification_id ASC)",
    "CREATE TABLE IF NOT EXISTS command (scope text, key text, body text NOT NULL, versions text NOT NULL,"
    " position bigint NOT NULL, PRIMARY KEY (scope, key))",
    "CREATE TABLE IF NOT EXISTS word (id uuid PRIMARY KEY, text text NOT NULL)",
    "CREATE OR REPLACE VIEW event AS SELECT notification_id AS position, originator_id AS stream,"
    " originator_version AS version, topic AS type, convert_from(state, 'UTF8')::jsonb AS entry FROM stored_events",
)
_CHAINED: Final = (
    "DROP FUNCTION IF EXISTS es_insert_events_uuid",
    "DROP TYPE IF EXISTS stored_event_uuid",
    "ALTER TABLE stored_events ADD COLUMN digest bytea, ADD COLUMN seals text,"
    " ALTER COLUMN notification_id DROP DEFAULT",
    "DROP SEQUENCE IF EXISTS stored_events_notification_id_seq",
    "CREATE TABLE log_base (base bigint NOT NULL, single boolean PRIMARY KEY DEFAULT true CHECK (single))",
    "INSERT INTO log_base VALUES (0)",
)
_FOREVER: Final = (
    "ALTER TABLE stored_events ALTER COLUMN digest SET NOT NULL",
    "CREATE FUNCTION keep_event() RETURNS trigger LANGUAGE plpgsql AS"
    " $$BEGIN RAISE EXCEPTION 'events are neither changed nor deleted' USING ERRCODE = '42501'; END$$",
    "CREATE TRIGGER keep_event BEFORE UPDATE OR DELETE ON stored_events FOR EACH ROW EXECUTE FUNCTION keep_event()",
    "CREATE TRIGGER keep_events BEFORE TRUNCATE ON stored_events EXECUTE FUNCTION keep_event()",
)
_LOCK: Final = 7_236_221_001


def migrate(url: str, role: str | None = None) -> None:
    """Take the steps that have not been taken, in one transaction; several at once wait for each other.

    `role` is given what the service needs, and is created (to log in, without a password) if there is none of that name.
    After a restore into another cluster, whose transaction numbers are lower, positions are lifted past the restored ones.
    """
    with connect(url, connect_timeout=5) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        connection.execute(
            "CREATE TABLE IF NOT EXISTS log_schema (version int PRIMARY KEY, at timestamptz DEFAULT now())"
        )
        rows = connection.execute("SELECT coalesce(max(version), 0) FROM log_schema").fetchall()
        for version, step in enumerate(STEPS[rows[0][0] :], rows[0][0] + 1):
            step(connection)
            connection.execute("INSERT INTO log_schema VALUES (%s)", (version,))
        lift(connection)
        if role:
            _grant(connection, role)


def lift(connection: Connection[TupleRow]) -> None:
    """Raise the base so that the next position lies past every one there is; does nothing where it does already."""
    connection.execute("LOCK TABLE stored_events IN EXCLUSIVE MODE")
    connection.execute(
        "UPDATE log_base SET base = base + lack FROM (SELECT ((max(notification_id) >> 12) + 1 << 12)"
        " - b.base - (pg_current_xact_id()::text::bigint << 12) AS lack FROM stored_events, log_base b GROUP BY b.base)"
        " AS behind WHERE lack > 0"
    )


def _first(connection: Connection[TupleRow]) -> None:
    for statement in _FIRST:
        connection.execute(statement)


def _chained(connection: Connection[TupleRow]) -> None:
    for statement in _CHAINED:
        connection.execute(statement)
    digests: list[tuple[Any, ...]] = []
    before = None, START
    with connection.cursor("old_rows") as rows:
        rows.execute(
            "SELECT originator_id, originator_version, topic, state FROM stored_events"
            " ORDER BY originator_id, originator_version"
        )
        for stream, version, topic, state in rows:
            digest = link(before[1] if before[0] == stream else START, stream, version, topic, state)
            digests.append((digest, stream, version))
            before = stream, digest
    with connection.cursor() as cursor:
        cursor.executemany(
            "UPDATE stored_events SET digest = %s WHERE originator_id = %s AND originator_version = %s", digests
        )
    for statement in _FOREVER:
        connection.execute(statement)


def _grant(connection: Connection[TupleRow], role: str) -> None:
    name = Identifier(role)
    if not connection.execute("SELECT FROM pg_roles WHERE rolname = %s", (role,)).fetchall():
        connection.execute(SQL("CREATE ROLE {} LOGIN").format(name))
    for grant in (
        "REVOKE ALL ON stored_events, command, word, log_base, log_schema, event FROM {}",
        "GRANT SELECT, INSERT ON stored_events, command TO {}",
        "GRANT SELECT, INSERT, UPDATE, DELETE ON word TO {}",
        "GRANT SELECT ON log_base, log_schema, event TO {}",
        "GRANT USAGE, CREATE ON SCHEMA public TO {}",  # its read tables are its own
    ):
        connection.execute(SQL(grant).format(name))


STEPS: Final = (_first, _chained)
