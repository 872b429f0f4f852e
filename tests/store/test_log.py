"""The port's promises, on both databases."""

import asyncio
from datetime import UTC, datetime, timedelta
from uuid import UUID, uuid4

import pytest

from referee.events import Recorded
from referee.store import Limits, open_reader, open_recorder
from referee.store.log import Batch, Conflict, Key, KeyUsed, Log, Unavailable
from tests.store.entries import batch, entry, with_log


def test_several_streams_are_written_or_none(database: str) -> None:
    one, two = uuid4(), uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(one, 0), batch(two, 0, 3)])
        with pytest.raises(Conflict):
            await log.append([batch(one, 1), batch(two, 2)])
        assert [e.version for e in await log.read(one)] == [1]
        assert [e.version for e in await log.read(two, 1)] == [2, 3]
        assert [e.version for e in await log.read(two, 1, 2)] == [2]
        assert await log.read(uuid4()) == []

    with_log(database, use)


def test_a_version_that_is_not_there_yet_is_a_conflict(database: str) -> None:
    stream = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(stream, 0)])
        with pytest.raises(Conflict):
            await log.append([batch(stream, 2)])
        with pytest.raises(Conflict):
            await log.append([batch(uuid4(), 1)])
        assert len(await log.read(stream)) == 1

    with_log(database, use)


def test_a_key_counts_once(database: str) -> None:
    """C028: the same key with a newer, correct version writes nothing; in another scope it is another key."""
    stream, other = uuid4(), uuid4()
    key = Key("match A", "E", "body")

    async def use(log: Log) -> None:
        position = await log.append([batch(stream, 0)], key)
        for after in (0, 1):
            with pytest.raises(KeyUsed) as used:
                await log.append([batch(stream, after)], key)
            assert used.value.command.versions == {stream: 1}
            assert used.value.command.position == position
            assert used.value.command.body == "body"
        await log.append([batch(other, 0)], Key("match B", "E", "body"))
        assert len(await log.read(stream)) == 1
        assert len(await log.read(other)) == 1
        assert await log.command("match A", "F") is None

    with_log(database, use)


def test_keys_in_one_group(database: str) -> None:
    """Sent together under one key: one is written, the rest hear of it."""
    key = Key("s", "k", "b")

    async def use(log: Log) -> None:
        streams = [uuid4() for _ in range(10)]
        done = await asyncio.gather(*(log.append([batch(s, 0)], key) for s in streams), return_exceptions=True)
        assert sum(isinstance(d, int) for d in done) == 1
        assert sum(isinstance(d, KeyUsed) for d in done) == 9
        assert sum([len(await log.read(s)) for s in streams]) == 1

    with_log(database, use)


def test_a_guard_that_moved_on_stops_the_append(database: str) -> None:
    guarded, stream = uuid4(), uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(guarded, 0)])
        await log.append([batch(stream, 0)], guards={guarded: 1})
        await log.append([batch(guarded, 1)])
        with pytest.raises(Conflict):
            await log.append([batch(stream, 1)], Key("s", "k", "b"), {uuid4(): "a word"}, guards={guarded: 1})
        assert await log.command("s", "k") is None
        await log.append([batch(stream, 1)], guards={guarded: 2, uuid4(): 0})

    with_log(database, use)


def test_a_loser_takes_nobody_down(database: str) -> None:
    streams = [uuid4() for _ in range(40)]

    async def use(log: Log) -> None:
        await log.append([batch(streams[0], 0)])
        await log.append([batch(uuid4(), 0)], Key("s", "used", "b"))
        done = await asyncio.gather(
            *(log.append([batch(s, 0)]) for s in streams),
            log.append([batch(uuid4(), 0)], Key("s", "used", "b")),
            log.append([batch(uuid4(), 0)], guards={streams[0]: 0}),
            return_exceptions=True,
        )
        assert isinstance(done[0], Conflict)
        assert all(isinstance(d, int) for d in done[1:40])
        assert isinstance(done[40], KeyUsed)
        assert isinstance(done[41], Conflict)

    with_log(database, use)


def test_another_process_is_seen(database: str) -> None:
    """What one log remembers of a stream's end never stands against what another has written."""
    stream = uuid4()

    async def use(mine: Log) -> None:
        await mine.append([batch(stream, 0)])

        async def theirs(log: Log) -> None:
            await log.append([batch(stream, 1)])

        await asyncio.to_thread(with_log, database, theirs)
        with pytest.raises(Conflict):
            await mine.append([batch(stream, 1)])
        news = await mine.tails({stream: 1, uuid4(): 0})
        assert [e.version for e in news[stream]] == [2]
        assert len(news) == 1
        await mine.append([batch(stream, 2)])

    with_log(database, use)


def test_words_lie_beside(database: str) -> None:
    id_ = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(uuid4(), 0)], words={id_: "Žarko", uuid4(): "x"})
        assert await log.words([id_, uuid4()]) == {id_: "Žarko"}
        assert await log.words([]) == {}

    with_log(database, use)


def test_as_of_a_time(database: str) -> None:
    stream, start = uuid4(), datetime(2026, 1, 1, tzinfo=UTC)

    async def use(log: Log) -> None:
        await log.append([Batch(stream, 0, [entry(n, start + timedelta(minutes=n)) for n in (0, 1, 3, 2)])])
        for minutes, versions in ((-1, []), (0, [1]), (1.5, [1, 2]), (2, [1, 2]), (3, [1, 2, 3, 4])):
            until = start + timedelta(minutes=minutes)
            assert [e.version for e in await log.read(stream, until=until)] == versions

    with_log(database, use)


def test_pages_of_several_streams(database: str) -> None:
    one, two, other = uuid4(), uuid4(), uuid4()

    async def use(log: Log) -> None:
        for after in range(3):
            for stream in (one, other, two):
                await log.append([batch(stream, after)])
        seen: list[tuple[UUID, int]] = []
        after = 0
        while page := await log.page([one, two], after, 4):
            seen += [(e.stream, e.version) for e in page]
            after = page[-1].position
        assert seen == [(stream, version) for version in (1, 2, 3) for stream in (one, two)]

    with_log(database, use)


def test_the_reader_gives_everything_once_in_order(database: str) -> None:
    streams = [uuid4() for _ in range(5)]

    async def use(log: Log) -> list[int]:
        return [await log.append([batch(s, 0, 2)]) for s in streams]

    positions = with_log(database, use)
    reader = open_reader(database)
    try:
        seen: list[Recorded] = []
        while page := reader.follow(seen[-1].position if seen else 0, 3):
            seen += page
        assert [(e.stream, e.version) for e in seen] == [(s, v) for s in streams for v in (1, 2)]
        assert [e.position for e in seen][1::2] == positions == sorted(positions)
        assert reader.head() == positions[-1]
        assert reader.held_back() == 0
    finally:
        reader.close()


def test_the_library_reads_and_writes_the_same_log(database: str) -> None:
    stream = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(stream, 0, 2)])

    with_log(database, use)
    recorder = open_recorder(database)
    try:
        rows = recorder.select_events(stream)
        assert [(row.originator_version, row.topic) for row in rows] == [(1, "HiddenCardsRead"), (2, "HiddenCardsRead")]
        (position,) = recorder.insert_events([type(rows[0])(stream, 3, rows[0].topic, rows[0].state)]) or ()
        assert recorder.max_notification_id() == position
        seen = recorder.select_notifications(None, 10)
        assert [(n.originator_version, n.id) for n in seen][-1] == (3, position)
        assert [
            n.originator_version for n in recorder.select_notifications(seen[0].id, 1, inclusive_of_start=False)
        ] == [2]
    finally:
        recorder.datastore.close()

    async def go_on(log: Log) -> None:
        await log.append([batch(stream, 3)])

    with_log(database, go_on)


def test_a_full_queue_turns_commands_away(database: str) -> None:
    """Backpressure: what is turned away is not written, what was taken is."""
    streams = [uuid4() for _ in range(30)]

    async def use(log: Log) -> None:
        done = await asyncio.gather(*(log.append([batch(s, 0)]) for s in streams), return_exceptions=True)
        taken = [isinstance(d, int) for d in done]
        assert all(isinstance(d, (int, Unavailable)) for d in done)
        assert all(d.retry_after >= 1 for d in done if isinstance(d, Unavailable))
        assert 0 < sum(taken) < 30
        assert [len(await log.read(s)) == 1 for s in streams] == taken

    with_log(database, use, Limits(queue=8, group=4))


def test_a_closed_log_takes_nothing(database: str) -> None:
    async def use(log: Log) -> None:
        await log.append([batch(uuid4(), 0)])
        await log.close()
        with pytest.raises(Unavailable):
            await log.append([batch(uuid4(), 0)])

    with_log(database, use)
