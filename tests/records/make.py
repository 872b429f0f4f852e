"""Makes the golden records: `python -m tests.records.make [name …]` writes the same bytes every time.

Each plan is a match played at random from its seed, through the service, on a log of its own. The clock, the ids and
the referee's seeds follow from the plan as well. A record here never changes: a ruleset that changes gets a new
version, and these stay judged by the one they were played under.
"""

import asyncio
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple
from unittest import mock
from uuid import UUID

from referee import dealer, record, service, starting
from referee.access import Caller
from referee.rules.game import GAMES, Game
from referee.service import FirstDealer, Referee
from referee.store import migrate, open_log
from tests.dealing import SeededChance, new_deal, rules_of

HERE = Path(__file__).parent
NAMES = ("Ana", "Žarko", "Łukasz", "Марія", "O'Neil", "Bob 🐺")
LISTED = 40


class Plan(NamedTuple):
    """A match to be played. `way`: dealt by the referee, with words of the seats, or layouts and shuffles told."""

    name: str
    game: str
    seats: int
    way: Literal["dealt", "words", "told"]
    seed: int
    rules: dict[str, object] = {}
    preset: str | None = None
    first: FirstDealer = FirstDealer(0)
    shows: frozenset[str] = frozenset()


PLAYED, WENT_OUT, BLOCKED = frozenset({"played out"}), frozenset({"went out"}), frozenset({"blocked by the reserve"})
TIED, CROSSED = frozenset({"tie, then another deal"}), frozenset({"crossed together"})
SHARED, LIMITED, MINUS = frozenset({"shared win"}), frozenset({"deal limit"}), frozenset({"below zero"})
CUT, BY_LOT = FirstDealer(None, (("7S", "7D"), ("KS", "2D"))), FirstDealer()

PLANS = (
    Plan("tablanet-2-one-deal", "tablanet", 2, "dealt", 1, {"target": 12}, first=FirstDealer(1), shows=PLAYED),
    Plan("tablanet-2-classic", "tablanet", 2, "dealt", 6, {}, "classic", shows=PLAYED),
    Plan("tablanet-2-balkan-101", "tablanet", 2, "words", 1, {}, "balkan-101", shows=PLAYED),
    Plan("tablanet-3-english-251", "tablanet", 3, "dealt", 1, {}, "english-251", FirstDealer(2), PLAYED),
    Plan(
        "tablanet-2-words",
        "tablanet",
        2,
        "words",
        1,
        {"target": 60, "ace_value": "either", "capture_duty": "maximal"},
        None,
        FirstDealer(1),
        PLAYED,
    ),
    Plan(
        "tablanet-2-told",
        "tablanet",
        2,
        "told",
        1,
        {"target": 40, "single_match": "rank", "units_per_capture": "one_of_each"},
        None,
        CUT,
        PLAYED,
    ),
    Plan(
        "tablanet-3-crossing",
        "tablanet",
        3,
        "dealt",
        12,
        {"target": 40, "deal_bonus_tie": "all"},
        None,
        BY_LOT,
        CROSSED,
    ),
    Plan("tablanet-2-tie", "tablanet", 2, "told", 50, {"target": 30, "deal_bonus_tie": "all"}, shows=TIED),
    Plan("tablanet-2-shared", "tablanet", 2, "dealt", 15, {"target": 24, "tie": "shared"}, shows=SHARED),
    Plan("tabu-2-one-deal", "tabu", 2, "words", 88, {"target": 20, "deal_limit": 1}, None, FirstDealer(1), LIMITED),
    Plan("tabu-2-classic-100", "tabu", 2, "dealt", 1, {}, "classic-100", shows=WENT_OUT | BLOCKED),
    Plan("tabu-2-classic-150", "tabu", 2, "words", 1, {}, "classic-150", FirstDealer(1), BLOCKED),
    Plan("tabu-5-classic-200", "tabu", 5, "dealt", 4, {}, "classic-200", FirstDealer(4), WENT_OUT | BLOCKED),
    Plan("tabu-5-classic-300", "tabu", 5, "words", 3, {}, "classic-300", shows=WENT_OUT | BLOCKED),
    Plan("tabu-5-classic-400", "tabu", 5, "dealt", 33, {}, "classic-400", BY_LOT, WENT_OUT | BLOCKED),
    Plan(
        "tabu-3-told", "tabu", 3, "told", 1, {"target": 60, "must_play": "free", "joker_draws": "others"}, shows=BLOCKED
    ),
    Plan(
        "tabu-4-words",
        "tabu",
        4,
        "words",
        1,
        {"target": 40, "must_play": "matches_only", "last_joker": "redraws"},
        shows=BLOCKED | MINUS,
    ),
    Plan("tabu-6-told", "tabu", 6, "told", 5, {"target": 60}, None, FirstDealer(5), CROSSED | MINUS),
    Plan(
        "tabu-6-one-pack",
        "tabu",
        6,
        "dealt",
        1,
        {"target": 40, "packs": 1, "blocked_after": 3, "deal_limit": 4},
        None,
        FirstDealer(5),
        LIMITED,
    ),
    Plan("tabu-2-deal-limit", "tabu", 2, "dealt", 1, {"target": 200, "deal_limit": 3}, shows=LIMITED),
    Plan("tabu-2-tie", "tabu", 2, "dealt", 51, {"target": 12}, shows=TIED),
    Plan("tabu-3-shared", "tabu", 3, "told", 14, {"target": 12, "tie": "shared"}, shows=SHARED),
    Plan("tabu-3-crossing", "tabu", 3, "words", 2, {"target": 40}, shows=CROSSED),
    Plan("sabo-2-one-deal", "sabo", 2, "words", 1, {"target": 7}, None, FirstDealer(1), PLAYED),
    Plan("sabo-2-classic", "sabo", 2, "dealt", 7, {}, "classic", FirstDealer(1), TIED | CROSSED),
    Plan(
        "sabo-3-words",
        "sabo",
        3,
        "words",
        1,
        {"target": 30, "trick_order": "rank_first", "senior_suit": "clubs_only"},
        None,
        FirstDealer(2),
        PLAYED,
    ),
    Plan("sabo-4-classic", "sabo", 4, "words", 1, {}, "classic", shows=PLAYED),
    Plan("sabo-5-clogs", "sabo", 5, "dealt", 1, {"target": 25}, "clogs", shows=PLAYED),
    Plan("sabo-2-clogs", "sabo", 2, "told", 1, {}, "clogs", shows=PLAYED),
    Plan("sabo-4-tie", "sabo", 4, "dealt", 4, {"target": 15}, shows=TIED | CROSSED),
    Plan(
        "sabo-5-shared",
        "sabo",
        5,
        "words",
        2,
        {"target": 12, "tie": "shared", "lead_from_sabo": "empty_hand_only"},
        shows=SHARED,
    ),
    Plan(
        "sabo-3-crossing",
        "sabo",
        3,
        "told",
        9,
        {"target": 20, "trick_order": "led_suit_only", "discard_low": "overall"},
        shows=CROSSED,
    ),
)
"""Small targets where a match would be long; seeds are such that the match ends as it is to show."""


def play_match(plan: Plan, database: str) -> bytes:
    """The record of a plan's match, played to its end on this database."""
    migrate(database)
    return asyncio.run(_played(plan, database))


async def _played(plan: Plan, database: str) -> bytes:
    log = open_log(database)
    try:
        ids = random.Random(plan.name)
        with _determined(ids, random.Random(plan.seed)) as clock:
            return await _play(Referee(log, b"no secret", clock), plan, ids)
    finally:
        await log.close()


@contextmanager
def _determined(ids: random.Random, chance: random.Random) -> Iterator[Any]:
    """Ids, seeds and lots that come out the same each time, and a clock that ticks whenever it is read."""
    ticks = iter(range(10**9))
    with (
        mock.patch.object(service, "uuid4", lambda: new_id(ids)),  # noqa: PT008
        mock.patch.object(dealer, "new_seed", lambda: chance.randbytes(dealer.SEED_BYTES).hex()),  # noqa: PT008
        mock.patch.object(dealer, "lot", chance.randrange),
    ):
        yield lambda: datetime(2026, 1, 5, 18, tzinfo=UTC) + timedelta(seconds=7 * next(ticks))


def new_id(ids: random.Random) -> UUID:
    return UUID(int=ids.getrandbits(128), version=4)


async def _play(referee: Referee, plan: Plan, ids: random.Random) -> bytes:
    game, chance = GAMES[plan.game], SeededChance(plan.seed)
    rules = rules_of(game, **{**game.PRESETS.get(plan.preset or "", {}), **plan.rules})
    players = [(new_id(ids), NAMES[seat]) for seat in range(plan.seats)]
    opened = await referee.open_match(game, rules, players, plan.first, "spoken", None)
    match_id = next(iter(opened.command.versions))
    while not (match := await referee.match(match_id)).winners:
        await _start(referee, plan, match, chance)
        await _play_deal(referee, plan, game, rules, match_id, len(match.deals) + 1, chance)
    return record.write(await referee.record(match_id))


async def _start(referee: Referee, plan: Plan, match: Any, chance: SeededChance) -> None:
    keeper, seats = Caller(match.id, "scorekeeper"), [Caller(match.id, "seat", n) for n in range(plan.seats)]
    number, by = len(match.deals) + 1, match.next_dealer
    if plan.way == "told":
        layout, _ = new_deal(match.kernel, match.rules, plan.seats, chance, by)
        await starting.start(referee, keeper, starting.Start(layout), None, None)
        return
    await starting.start(referee, seats[by], starting.Start(words=plan.way == "words"), None, None)
    if plan.way == "words":
        for seat in chance.sample(range(plan.seats), chance.randrange(plan.seats + 1)):
            await starting.add_word(referee, seats[seat], number, f"word{chance.randrange(1000)}", None)
        await starting.deal_now(referee, seats[by], number, None)


async def _play_deal(
    referee: Referee, plan: Plan, game: Game, rules: Any, match_id: UUID, number: int, chance: SeededChance
) -> None:
    told = plan.way == "told"
    while (deal := await referee.deal(match_id, number)).points is None:
        seat = deal.state.turn
        move = chance.choice(list(islice(game.legal_moves(rules, deal.state), LISTED)))
        outcomes = game.outcomes(game.play(rules, deal.state, seat, move, chance)) if told else ()
        who = Caller(match_id, "scorekeeper") if told else Caller(match_id, "seat", seat)
        await referee.play(who, number, seat, move, outcomes, (), None, None)


def main(names: list[str]) -> None:
    for plan in PLANS:
        if not names or plan.name in names:
            with tempfile.TemporaryDirectory() as folder:
                data = play_match(plan, f"sqlite:{folder}/log.db")
            (HERE / f"{plan.name}.json").write_bytes(data)
            print(f"{plan.name}: {len(data)} bytes")


if __name__ == "__main__":
    main(sys.argv[1:])
