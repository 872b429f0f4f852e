"""Whole Tabu deals at random, under all house rules and for every number of players."""

import random
from collections import Counter

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import game, tabu
from referee.rules.chance import Told
from referee.rules.tabu import DRAW, KEEP, PASS, Move, Play, Rules
from referee.rules.verdict import LEGAL
from tests.rules.tabu_table import Shuffler

EVERY_MOVE: list[Move] = [*(Play(card) for card in dict.fromkeys(tabu.ONE_PACK)), DRAW, KEEP, PASS]
LONGEST = 400
POINTS = {"K": 12, "Q": 11, "A": 1}

house_rules = st.builds(
    Rules,
    target=st.just(100),
    must_play=st.sampled_from(["strict", "matches_only", "free"]),
    joker_draws=st.sampled_from(["all", "others"]),
    last_joker=st.sampled_from(["ends", "redraws"]),
    blocked_after=st.sampled_from([1, 2, 3]),
    packs=st.sampled_from(["by_players", 1, 2]),
)


def worth(cards: tuple[str, ...]) -> int:
    return sum(POINTS.get(card[0], 0) for card in cards)


@settings(max_examples=120, deadline=None)
@given(house_rules, st.integers(2, 20), st.integers(0, 2**32))
def test_a_deal(rules: Rules, seats: int, seed: int) -> None:
    """Nothing is lost, judge and legal moves agree on everything, the deal ends, and what is told again is the same."""
    if tabu.agree(rules, seats):
        seats = 10
    pack = tabu.pack(rules, seats)
    chance, choose = Shuffler(seed), random.Random(seed)
    dealer = choose.randrange(seats)
    layout = tabu.lay_out(rules, seats, dealer, chance.shuffle(pack), chance)
    assert tabu.check_layout(rules, seats, layout) == ()
    assert msgspec.json.decode(msgspec.json.encode(layout), type=game.Layout) == layout
    state, whole, moves = tabu.start(dealer, layout), Counter(pack), 0
    while (seat := state.turn) is not None:
        legal = list(tabu.legal_moves(rules, state))
        assert legal
        assert [move for move in EVERY_MOVE if tabu.judge(rules, state, seat, move) == LEGAL] == [
            move for move in EVERY_MOVE if move in legal
        ]
        assert len(set(legal)) == len(legal)
        for card in set(state.hands[seat]):
            assert list(tabu.legal_moves(rules, state, card)) == [move for move in legal if move == Play(card)]
        assert tabu.judge(rules, state, (seat + 1) % seats, legal[0]) != LEGAL
        move = choose.choice(legal)
        effects = tabu.play(rules, state, seat, move, chance)
        told = Told(tabu.outcomes(effects))
        assert tabu.play(rules, state, seat, move, told) == effects
        assert told.rest == []
        state = tabu.evolve(state, seat, move, effects)
        assert Counter(tabu.held(state)) == whole
        assert not any(card[0] in "JX" for card in state.row)
        assert len(state.row) <= tabu.ROW_SIZE
        moves += 1
        assert moves < LONGEST
        for fact, kind in ((move, game.Move), (effects, game.Effects), (state, game.State)):
            assert msgspec.json.decode(msgspec.json.encode(fact), type=kind) == fact
    assert (effects.end == "went_out") == (state.out is not None) == (effects.out is not None)
    for seat, line in enumerate(tabu.score(rules, state)):
        assert tuple(line) == tabu.LINES
        assert sum(line.values()) == worth(state.captured[seat]) - worth(state.hands[seat])
    rest = worth(state.row) + worth(state.reserve) + worth(state.discard)
    assert sum(map(worth, (*state.captured, *state.hands))) + rest == tabu.most(rules, seats)
