"""What the log says to PostgreSQL, and why no event is ever passed over.

A row's position is the number of its transaction and its place there: `base + (transaction << 12 | place)`. A transaction
gets its number at its first write, and no number is given twice. `pg_snapshot_xmin` is the lowest number still running
anywhere in the cluster: everything below it is finished and visible, and nothing new can come below it. So a reader that
stays below it meets a finished set, in an order that never changes, without any lock between writers. A writer that sits
idle in a transaction, in any database of the cluster, holds readers back: they see entries later, never fewer.

Versions of a stream lie in the order of their positions because a version is only written by somebody who has seen the one
before committed: nothing may be written earlier in the transaction, so one statement carries everything.
"""

from collections.abc import Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import quote

import msgspec
from psycopg.types.numeric import Int8

from referee.store.chain import Row
from referee.store.log import Batch, Key, Limits

PLACES: Final = 4096
"""Rows that a transaction has places for."""

BELOW: Final = "(SELECT base + (pg_snapshot_xmin(pg_current_snapshot())::text::bigint << 12) FROM log_base)"
"""Positions from here on may still be passed by others."""

APPEND: Final = """
WITH start AS MATERIALIZED (
    SELECT base + (pg_current_xact_id()::text::bigint << 12) AS at FROM log_base WHERE NOT EXISTS (
        SELECT FROM unnest(%b::uuid[], %b::bigint[]) AS guard (stream, version)
        JOIN stored_events ON originator_id = guard.stream AND originator_version = guard.version + 1)),
added AS (
    INSERT INTO stored_events (originator_id, originator_version, topic, state, digest, seals, notification_id)
    SELECT e.stream, e.version, e.topic, e.state, e.digest, e.seals, start.at + e.place - 1 FROM start,
        unnest(%b::uuid[], %b::bigint[], %b::text[], %b::bytea[], %b::bytea[], %b::text[]) WITH ORDINALITY
        AS e (stream, version, topic, state, digest, seals, place)),
keyed AS (
    INSERT INTO command (scope, key, body, versions, position)
    SELECT c.scope, c.key, c.body, c.versions, start.at + c.place FROM start,
        unnest(%b::text[], %b::text[], %b::text[], %b::text[], %b::bigint[]) AS c (scope, key, body, versions, place)),
told AS (
    INSERT INTO word (id, text) SELECT w.id, w.text FROM start, unnest(%b::uuid[], %b::text[]) AS w (id, text)
    ON CONFLICT DO NOTHING)
SELECT at FROM start
"""
"""Appends everything and answers the first position; no row if a guarded stream has moved on."""

HEADS: Final = (
    "SELECT originator_id, originator_version, digest FROM unnest(%b::uuid[], %b::bigint[]) AS at (stream, version)"
    " JOIN stored_events ON originator_id = at.stream AND originator_version = at.version"
)
OURS: Final = "SELECT notification_id FROM stored_events WHERE originator_id=%b AND originator_version=%b AND digest=%b"
VERSION: Final = "originator_version, notification_id, topic, state"
ENTRY: Final = f"originator_id, {VERSION}"
TAILS: Final = (
    f"SELECT {ENTRY} FROM unnest(%b::uuid[], %b::bigint[]) AS known (stream, version)"  # noqa: S608
    " JOIN stored_events ON originator_id = known.stream AND originator_version > known.version"
    " ORDER BY originator_id, originator_version"
)
STREAM: Final = (
    f"SELECT {VERSION} FROM stored_events WHERE originator_id = %b"  # noqa: S608
    " AND originator_version > %b AND originator_version <= %b ORDER BY originator_version"
)
PAGE: Final = (
    f"SELECT {ENTRY} FROM stored_events WHERE originator_id = ANY(%b) AND notification_id > %b"  # noqa: S608
    f" AND notification_id < {BELOW} ORDER BY notification_id LIMIT %b"
)
FOLLOW: Final = (
    f"SELECT {ENTRY} FROM stored_events WHERE notification_id > %b"  # noqa: S608
    f" AND notification_id < {BELOW} ORDER BY notification_id LIMIT %b"
)
HEAD: Final = f"SELECT coalesce(max(notification_id), 0) FROM stored_events WHERE notification_id < {BELOW}"  # noqa: S608
HELD: Final = f"SELECT count(*) FROM stored_events WHERE notification_id >= {BELOW}"  # noqa: S608
COMMANDS: Final = (
    "SELECT c.scope, c.key, body, versions, position FROM unnest(%b::text[], %b::text[]) AS asked (scope, key)"
    " JOIN command c ON c.scope = asked.scope AND c.key = asked.key"
)
WORDS: Final = "SELECT id, text FROM word WHERE id = ANY(%b::uuid[])"
FIT: Final = (
    "SELECT (SELECT max(version) FROM log_schema), coalesce((SELECT max(notification_id) FROM stored_events), 0)"
    " < base + (pg_snapshot_xmax(pg_current_snapshot())::text::bigint << 12) FROM log_base"
)
"""The version of the tables, and whether the next position will be past all there are."""


class Write(NamedTuple):
    """One command as rows."""

    rows: list[Row]
    batches: Sequence[Batch]
    key: Key | None
    words: Sequence[tuple[Any, str]]
    guards: Sequence[tuple[Any, int]]


def arguments(writes: Sequence[Write]) -> list[list[Any]]:
    """The arguments of APPEND for these commands together."""
    guards = [guard for write in writes for guard in write.guards]
    rows = [row for write in writes for row in write.rows]
    words = [word for write in writes for word in write.words]
    keys, place = [], -1
    for write in writes:
        place += len(write.rows)
        if write.key:
            versions = {batch.stream: batch.after + len(batch.entries) for batch in write.batches}
            keys.append((*write.key, msgspec.json.encode(versions).decode(), Int8(place)))
    return [
        [stream for stream, _ in guards], [Int8(version) for _, version in guards],
        [row.stream for row in rows], [Int8(row.version) for row in rows], [row.topic for row in rows],
        [row.state for row in rows], [row.digest for row in rows], [row.seals for row in rows],
        *([list(column) for column in zip(*keys, strict=True)] or [[], [], [], [], []]),
        *([list(column) for column in zip(*words, strict=True)] or [[], []]),
    ]  # fmt: skip


def address(url: str, limits: Limits) -> str:
    """The address with the log's own settings of a session: no wait is for ever, and plans go by index alone."""
    wanted = {
        "statement_timeout": f"{int(limits.statement_seconds * 1000)}",
        "lock_timeout": f"{int(limits.lock_seconds * 1000)}",
        "idle_in_transaction_session_timeout": f"{int(limits.idle_seconds * 1000)}",
        # a plan made while the log was small must not outlive its growth
        "enable_seqscan": "off", "enable_hashjoin": "off", "enable_mergejoin": "off", "jit": "off",
    }  # fmt: skip
    options = quote(" ".join(f"-c {name}={value}" for name, value in wanted.items()))
    joined = f"{url}{'&' if '?' in url else '?'}options={options}"
    return f"{joined}&connect_timeout={int(limits.connect_seconds)}&tcp_user_timeout={int(limits.statement_seconds * 2000)}"
