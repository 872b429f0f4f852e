"""Random deals through the service: what is answered is what the log folds to, and no card is ever lost."""

import asyncio
import functools
import random
import tempfile
from pathlib import Path
from typing import Any, get_args, get_type_hints
from uuid import uuid4

import msgspec
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from referee import access, deal, match, starting
from referee.access import Caller
from referee.rules import tablanet
from referee.rules.cards import PACK
from referee.rules.game import GAMES
from referee.service import FirstDealer, Referee
from referee.store import migrate, open_log

TARGETS = {"target": st.integers(1, 60), "tie": st.sampled_from(("another_deal", "shared"))}
RULES = {
    name: st.sampled_from(get_args(hint))
    for name, hint in get_type_hints(tablanet.Rules).items()
    if name not in TARGETS
}


# no shrinking: it would play a failing deal hundreds of times, and the rules it failed under are told anyway
@settings(max_examples=16, deadline=None, phases=(Phase.explicit, Phase.generate))
@given(
    rules=st.fixed_dictionaries(RULES | TARGETS),
    players=st.sampled_from((2, 3)),
    dealt=st.booleans(),
    seed=st.integers(0, 2**32),
)
def test_answers_equal_the_folded_log_and_cards_are_conserved(
    rules: dict[str, Any], players: int, dealt: bool, seed: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(f"sqlite:{Path(folder) / 'referee.db'}", rules, players, dealt, random.Random(seed)))


async def play(database: str, rules: dict[str, Any], players: int, dealt: bool, rng: random.Random) -> None:
    migrate(database)
    log = open_log(database)
    try:
        referee = Referee(log, b"secret")
        names = [(uuid4(), "Ana") for _ in range(players)]
        opened = await referee.open_match(
            GAMES["tablanet"], msgspec.convert(rules, tablanet.Rules), names, FirstDealer(), "spoken", None
        )
        who = Caller(next(iter(opened.command.versions)), "arbiter")
        layout = None if dealt else laid_out(players, (await referee.match(who.match)).dealer, rng)
        await starting.start(referee, who, starting.Start(layout), None, None)
        now = await check(referee, who, 0)
        while now.state.turn is not None:
            agreed = (await referee.match(who.match)).rules
            move = rng.choice(list(tablanet.legal_moves(agreed, now.state)))
            await referee.play(who, 1, now.state.turn, move, (), (), now.version, None)
            now = await check(referee, who, now.version)
        assert now.moves == 48
        await check_end(referee, who, now)
    finally:
        await log.close()


def laid_out(players: int, dealer: int, rng: random.Random) -> tablanet.Layout:
    """A table dealt by people: any order without a jack among the four open cards (TN-5)."""
    cards = rng.sample(PACK, 52)
    size = tablanet.HAND_SIZE[players] * players
    open_cards = [card for card in cards[size:] if card[0] != "J"][:4]
    hands = tuple(tuple(cards[seat:size:players]) for seat in range(players))
    return tablanet.Layout(hands, tuple(open_cards), tuple(c for c in cards[size:] if c not in open_cards))


async def check(referee: Referee, who: Caller, known: int) -> deal.Deal:
    """The deal now; after every event since `known` it is as its stream folds from nothing, with the whole pack."""
    entries = await referee.log.read(match.deal_id(who.match, 1))
    now = await referee.deal(who.match, 1)
    assert now.version == len(entries) > known
    for version in range(known + 1, len(entries) + 1):
        then = await referee.deal(who.match, 1, version)
        assert then == functools.reduce(deal.evolve, entries[:version], None)
        assert sorted(tablanet.held(then.state)) == sorted(PACK)
    assert now == then
    return now


async def check_end(referee: Referee, who: Caller, now: deal.Deal) -> None:
    """The match as answered: its stream folded from nothing, with the deal's points as totals."""
    folded: Any = None
    for recorded in await referee.log.read(who.match):
        folded = match.evolve(folded, recorded)
    assert await referee.match(who.match) == folded
    assert folded.totals == now.points == tuple(sum(line.values()) for line in now.lines or ())
    assert folded.running is None
    granted: Any = None
    for recorded in await referee.log.read(match.access_id(who.match)):
        granted = access.evolve(granted, recorded)
    assert len(granted.valid) == 3 + len(now.layout.hands)
