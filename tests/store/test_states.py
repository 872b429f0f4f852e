"""Cached states: as good as a full replay, and never the reason for a wrong answer."""

import asyncio
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4

import msgspec

from referee import access, deal, match
from referee.access import Access
from referee.events import Recorded
from referee.match import access_id, deal_id
from referee.states import States, recorded
from referee.store.log import Conflict, Log
from tests.store.entries import batch, with_log
from tests.store.two import CASE, MOVES, at, play_all, served, started

EVOLVES: list[Any] = [match.evolve, access.evolve, deal.evolve]


def test_moves_of_another_process_are_seen(database: str) -> None:
    with served(database) as here, served(database) as there:
        opened = started(here)
        mine, theirs = opened.scorekeeper, at(there, opened.scorekeeper)
        for number, (seat, move) in enumerate(MOVES):
            made = (mine, theirs)[number % 2].move(1, seat, move)
            assert made.status_code == 201, made.text
            assert (mine, theirs)[1 - number % 2].get("/deals/1").json()["version"] == made.json()["deal"]["version"]
        assert mine.get("").json()["totals"] == theirs.get("").json()["totals"] == CASE["points"]


def test_nobody_is_refused_on_a_stale_state(database: str) -> None:
    """The second process knows the deal as it was before the first move, when the second move was not yet legal."""
    with served(database) as here, served(database) as there:
        opened = started(here)
        theirs = at(there, opened.scorekeeper)
        assert theirs.get("/deals/1").status_code == 200
        assert theirs.move(1, *MOVES[1]).status_code == 422
        assert opened.scorekeeper.move(1, *MOVES[0]).status_code == 201
        assert theirs.move(1, *MOVES[1]).status_code == 201


def test_nobody_is_accepted_on_a_stale_state(database: str) -> None:
    """C030: the loser of a race is judged on the new state: the card has been played already."""
    with served(database) as here, served(database) as there:
        opened = started(here)
        theirs = at(there, opened.scorekeeper)
        assert theirs.get("/deals/1").status_code == 200
        assert opened.scorekeeper.move(1, *MOVES[0]).status_code == 201
        refused = theirs.move(1, *MOVES[0])
        assert refused.status_code == 422
        assert refused.json()["version"] == 2
        assert opened.scorekeeper.get("/deals/1").json()["version"] == 2


def test_a_revoked_token_moves_nowhere(database: str) -> None:
    """Revoked in one process, the token is worth nothing in the other, which has seen it valid just before."""
    with served(database) as here, served(database) as there:
        opened = started(here)
        theirs = at(there, opened.scorekeeper)
        assert theirs.move(1, *MOVES[0]).status_code == 201
        assert opened.arbiter.post("/tokens", {"role": "scorekeeper"}).status_code == 201
        for answer in (
            theirs.move(1, *MOVES[1]),
            theirs.post("/deals/1/moves?dry_run=true", {"seat": MOVES[1][0], "move": MOVES[1][1]}),
            theirs.get("/deals/1"),
        ):
            assert answer.status_code == 401, answer.text
        assert opened.arbiter.get("/deals/1").json()["version"] == 2


def test_a_new_token_counts_at_once(database: str) -> None:
    with served(database) as here, served(database) as there:
        opened = started(here)
        assert at(there, opened.scorekeeper).get("").status_code == 200
        token = opened.arbiter.post("/tokens", {"role": "scorekeeper"}).json()["token"]
        theirs = at(there, opened.scorekeeper)
        theirs.token = token
        assert theirs.move(1, *MOVES[0]).status_code == 201


def test_a_retry_is_answered_as_before(database: str) -> None:
    """C026: the same key again, at once, in another process, after a restart, and when the deal has gone on."""
    with served(database) as here, served(database) as there:
        opened = started(here)
        keeper = opened.scorekeeper
        first = keeper.move(1, *MOVES[0], idempotency_key="k")
        assert keeper.move(1, *MOVES[1], idempotency_key="l").status_code == 201
        for phone in (keeper, at(there, keeper)):
            again = phone.move(1, *MOVES[0], idempotency_key="k")
            assert (again.status_code, again.json()) == (201, first.json())
            assert again.headers["idempotent-replayed"] == "true"
            assert phone.move(1, *MOVES[2], idempotency_key="k").json()["code"] == "KEY_REUSED"
    with served(database) as restarted:
        again = at(restarted, keeper).move(1, *MOVES[0], idempotency_key="k", if_match='"1"')
        assert (again.status_code, again.json()) == (201, first.json())
        assert at(restarted, keeper).get("/deals/1").json()["version"] == 3


def test_what_was_appended_is_what_a_replay_gives(database: str) -> None:
    """States taken in after an append are equal to those read back, event by event."""
    with served(database) as here:
        opened = started(here)
        play_all(opened.scorekeeper)
        referee = here.app.state.referee
        held = {stream: state for stream, (state, _) in referee.states._states.items()}
    id_ = UUID(opened.id)
    kept = {stream: held[stream] for stream in (id_, access_id(id_), deal_id(id_, 1))}
    assert kept[deal_id(id_, 1)].points == tuple(CASE["points"])

    async def use(log: Log) -> None:
        for (stream, state), evolve in zip(kept.items(), EVOLVES, strict=True):
            assert await States(log).fresh(stream, evolve) == state

    with_log(database, use)


def test_C076_a_state_of_another_format_is_not_used(database: str) -> None:  # noqa: N802
    """A cached state that another evolve made is discarded: the state is that of a full replay."""
    stream = uuid4()

    class Sum(msgspec.Struct, frozen=True):
        version: int
        sum: int

    def add(state: Sum | None, entry: Recorded) -> Sum:
        return Sum(entry.version, (state.sum if state else 0) + entry.event.version)  # type: ignore[union-attr]

    def double(state: Sum | None, entry: Recorded) -> Sum:
        return Sum(entry.version, (state.sum if state else 0) + 2 * entry.event.version)  # type: ignore[union-attr]

    async def use(log: Log) -> None:
        await log.append([batch(stream, 0, 3)])
        states = States(log)
        assert (await states.fresh(stream, add)).sum == 6
        await log.append([batch(stream, 3)])
        assert (await states.fresh(stream, double)).sum == 20
        assert states.known(stream, add) is None
        with states.looking() as look:
            assert (await states.load(stream, add)).sum == 10
            await log.append([batch(stream, 4)])
            assert await states.moved(look)

    with_log(database, use)


def test_as_of_version_and_time(database: str) -> None:
    stream = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(stream, 0, 3)])
        states = States(log)
        assert (await states.fresh(stream, access.evolve)).version == 3
        assert (await states.at(stream, access.evolve, 2)).version == 2
        assert states.known(stream, access.evolve).version == 3
        entries = await log.read(stream)
        assert (await states.as_of(stream, access.evolve, entries[1].at)).version in (2, 3)
        assert await states.as_of(stream, access.evolve, entries[0].at - timedelta(seconds=1)) is None
        assert await States(log).at(uuid4(), access.evolve, 1) is None

    with_log(database, use)


def test_what_was_known_before_a_restore_is_forgotten(database: str) -> None:
    """A state ahead of its log, as after a restore to an earlier time, lasts until the first conflict."""
    stream = uuid4()

    async def use(log: Log) -> None:
        await log.append([batch(stream, 0)])
        states = States(log)
        with states.looking() as look:
            assert (await states.load(stream, access.evolve)).version == 1
            states.appended(look, [batch(stream, 1)], 99)
            ahead: Access = await states.load(stream, access.evolve)
            assert ahead.version == 2
            try:
                await log.append([batch(stream, ahead.version)])
            except Conflict:
                states.forget(look)
            assert (await states.load(stream, access.evolve)).version == 1

    with_log(database, use)


def test_the_cache_is_bounded(database: str) -> None:
    async def use(log: Log) -> None:
        states = States(log, kept=3)
        streams = [uuid4() for _ in range(5)]
        await asyncio.gather(*(log.append([batch(s, 0)]) for s in streams))
        for stream in streams:
            await states.fresh(stream, access.evolve)
        assert [states.known(s, access.evolve) is not None for s in streams] == [False, False, True, True, True]

    with_log(database, use)


def test_recorded_counts_on() -> None:
    made = recorded(batch(uuid4(), 4, 2), 10)
    assert [(e.version, e.position) for e in made] == [(5, 11), (6, 12)]
