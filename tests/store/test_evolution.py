"""Events grow old well: unique tags, golden rows that decode for ever, upcasters, an old log that opens and replays."""

import sqlite3
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

import msgspec
import psycopg
import pytest

from referee import events
from referee.events import CapabilityRevoked, Entry, Event
from referee.store import evolution, migrate, open_reader, sqlite_path
from referee.store.evolution import TagsClash, Topics, Undecodable, tags, versions
from referee.store.scan import Scan
from referee.verify import verify
from tests.postgres import Server
from tests.store import golden
from tests.store.entries import with_log

OLD = Path(__file__).parent / "old"
GOLDEN = sorted(golden.FOLDER.glob("*.json"))


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_golden_rows_decode_for_ever(path: Path) -> None:
    """What was written once is read as the same facts: every field that the row holds is in the event."""
    topic = path.stem.replace("@", "/")
    entry = evolution.TOPICS.decode(topic, path.read_bytes())
    written = msgspec.json.decode(path.read_bytes())
    if topic in evolution.TOPICS.topics.values():
        assert golden.holds(msgspec.to_builtins(entry), written)


@pytest.mark.parametrize("topic", sorted(evolution.TOPICS.topics.values()))
def test_every_event_has_a_golden_row(topic: str) -> None:
    """`python -m tests.store.golden` writes those that are missing; one that is there is never written again."""
    assert golden.path_of(topic) in GOLDEN, f"no golden row for {topic}: run python -m tests.store.golden"


@pytest.mark.parametrize("event", get_args(Event), ids=lambda event: event.__name__)
def test_fields_added_later_have_a_default(event: type) -> None:
    """The fields that a golden row lacks are those with a default."""
    written = msgspec.json.decode(golden.path_of(event.__struct_config__.tag).read_bytes())["event"]  # type: ignore[attr-defined]
    needed = {field.encode_name for field in msgspec.structs.fields(event) if field.required}
    assert needed <= written.keys()


def test_tags_are_unique(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(events.Fact, frozen=True, tag="CardPlayed"):
        """A second event of that tag."""

    assert len(tags()) == len(get_args(Event))
    monkeypatch.setattr(evolution, "Event", Event | Other)
    with pytest.raises(TagsClash, match="share the tag CardPlayed"):
        tags()


def test_a_tag_is_a_plain_word(monkeypatch: pytest.MonkeyPatch) -> None:
    class Other(events.Fact, frozen=True, tag="Card/Played"):
        """A tag that would read as a version."""

    monkeypatch.setattr(evolution, "Event", Event | Other)
    with pytest.raises(TagsClash, match="without a slash"):
        tags()


@pytest.mark.parametrize("missing", [("CardPlayed", 2), ("NoSuchEvent", 1)])
def test_upcasters_leave_no_version_out(missing: tuple[str, int]) -> None:
    with pytest.raises(TagsClash, match="no event to follow"):
        versions({missing: dict})


def test_an_old_row_is_lifted_step_by_step() -> None:
    """Version 1 called the digest `hash`, version 2 gave it in capitals."""

    def renamed(event: dict[str, Any]) -> dict[str, Any]:
        return {"type": event["type"], "digest": event["hash"].upper()}

    def lowered(event: dict[str, Any]) -> dict[str, Any]:
        return {**event, "digest": event["digest"].lower()}

    topics = Topics({("CapabilityRevoked", 1): renamed, ("CapabilityRevoked", 2): lowered})
    assert topics.topics["CapabilityRevoked"] == "CapabilityRevoked/3"
    for topic, event in (
        ("CapabilityRevoked", {"type": "CapabilityRevoked", "hash": "ab"}),
        ("CapabilityRevoked/2", {"type": "CapabilityRevoked", "digest": "AB"}),
        ("CapabilityRevoked/3", {"type": "CapabilityRevoked", "digest": "ab"}),
    ):
        row = msgspec.json.encode({"at": "2026-01-01T00:00:00Z", "by": "arbiter", "event": event})
        read = topics.decode(topic, row)
        assert isinstance(read, Entry)
        assert read.event == CapabilityRevoked("ab")


@pytest.mark.parametrize(
    ("topic", "state"),
    [
        ("CapabilityRevoked", b"{}"),
        ("CapabilityRevoked", b"\xff"),
        ("NoSuchEvent", b'{"at":"2026-01-01T00:00:00Z","by":"a","event":{"type":"NoSuchEvent"}}'),
        ("CapabilityRevoked/9", b'{"at":"2026-01-01T00:00:00Z","by":"a","event":{"type":"HiddenCardsRead"}}'),
        ("HiddenCardsRead", b'{"at":"2026-01-01T00:00:00Z","by":"a","event":{"type":"CapabilityRevoked","digest":""}}'),
    ],
)
def test_what_is_no_event_is_not_taken_for_one(topic: str, state: bytes) -> None:
    with pytest.raises(Undecodable):
        evolution.TOPICS.decode(topic, state)


@pytest.fixture(params=["sqlite", "postgresql"])
def old(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A log as the first version of it left it: a Tablanet match, one deal played, one under way."""
    script = (OLD / "log-1.sql").read_text()
    if request.param == "sqlite":
        path = tmp_path / "old.db"
        with sqlite3.connect(path) as connection:
            connection.executescript(script)
        connection.close()
        return f"sqlite:{path}"
    server: Server = request.getfixturevalue("postgres")
    address = server.database()
    with psycopg.connect(address) as into:
        into.execute((OLD / "log-1-postgresql.sql").read_text())
        kept = sqlite3.connect(":memory:")
        kept.executescript(script)
        for stream, version, topic, state in kept.execute("SELECT * FROM stored_events ORDER BY rowid"):
            row = (UUID(stream), version, topic, state)
            into.execute("INSERT INTO stored_events VALUES (%s, %s, %s, %s)", row)
        for command in kept.execute("SELECT * FROM command"):
            into.execute("INSERT INTO command VALUES (%s, %s, %s, %s, %s)", command)
        kept.close()
    return address


def test_an_old_log_opens_and_replays(old: str) -> None:
    for _ in range(2):
        migrate(old)
    scan = Scan(old)
    try:
        assert [found for checked in verify(scan) for found in checked.damage] == []
        assert scan.count() == 68
    finally:
        scan.close()
    reader = open_reader(old)
    entries = reader.follow(0, 1000)
    reader.close()
    assert len(entries) == 68
    scored = next(entry for entry in entries if isinstance(entry.event, events.DealScored))
    assert scored.event.totals == (17, 7)  # type: ignore[union-attr]
    assert [entry.position for entry in entries] == list(range(1, 69))

    async def go_on(log: Any) -> int:
        from tests.store.entries import batch

        last = max(entry.version for entry in entries if entry.stream == scored.stream)
        return int(await log.append([batch(scored.stream, last)]))

    assert with_log(old, go_on) > 68


def test_an_old_log_is_not_written_to_before_it_is_migrated(old: str) -> None:
    from referee.store.log import Unavailable
    from tests.store.entries import batch

    async def write(log: Any) -> None:
        with pytest.raises(Unavailable):
            await log.append([batch(UUID(int=1), 0)])

    with_log(old, write)
    assert sqlite_path(old) is None or Path(sqlite_path(old) or "").exists()
