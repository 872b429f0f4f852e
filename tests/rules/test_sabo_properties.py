"""Sabo: what holds at every step of every deal, under all house rules."""

import random
from collections.abc import Iterator

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import sabo
from referee.rules.cards import PACK, Sight, surplus
from referee.rules.chance import Told
from referee.rules.sabo import Hand, Move, Place, Rules, State
from referee.rules.verdict import LEGAL

HOUSE_RULES = st.builds(
    Rules,
    trick_order=st.sampled_from(list(sabo.TRICK_ORDERS)),
    discard_low=st.sampled_from(["per_suit", "overall", "any"]),
    lead_from_sabo=st.sampled_from(["any_time", "empty_hand_only"]),
    senior_suit=st.sampled_from(["above_led", "clubs_only"]),
    two_player_pack=st.sampled_from(["two_suits", "short_ranks"]),
    revoke_penalty=st.sampled_from(["none", "one", "three"]),
)
SEATS = st.integers(2, 5)
SEEDS = st.integers(0, 2**32)
EVERY_MOVE: list[Move] = [*map(Hand, PACK), *map(Place, range(6))]


def deal(rules: Rules, seats: int, seed: int) -> Iterator[State]:
    """Every state of one deal played at random, the finished one last."""
    chance = random.Random(seed)
    cards = list(sabo.pack(rules, seats))
    chance.shuffle(cards)
    dealer = chance.randrange(seats)
    layout = sabo.lay_out(rules, seats, dealer, tuple(cards), Told(()))
    assert sabo.check_layout(rules, seats, layout) == ()
    state = sabo.start(dealer, layout)
    yield state
    while state.turn is not None:
        move = chance.choice(list(sabo.legal_moves(rules, state)))
        effects = sabo.play(rules, state, state.turn, move, Told(()))
        state = sabo.evolve(state, state.turn, move, effects)
        yield state


@settings(max_examples=150, deadline=None)
@given(HOUSE_RULES, SEATS, SEEDS)
def test_conservation_tricks_and_points(rules: Rules, seats: int, seed: int) -> None:
    pack = sabo.pack(rules, seats)
    states = list(deal(rules, seats, seed))
    for state in states:
        assert surplus(sabo.held(state), pack) == ((), ())
    tricks = sabo.most(rules, seats)
    assert tricks == (10 if seats == 5 else 13)
    assert len(states) == tricks * seats + 1
    assert states[-1].trick == tricks
    assert sum(sum(line.values()) for line in sabo.score(rules, states[-1])) == tricks
    assert all(tuple(line) == sabo.LINES for line in sabo.score(rules, states[-1]))


@settings(max_examples=100, deadline=None)
@given(HOUSE_RULES, SEATS, SEEDS)
def test_judge_and_legal_moves_agree(rules: Rules, seats: int, seed: int) -> None:
    for state in deal(rules, seats, seed):
        listed = list(sabo.legal_moves(rules, state))
        assert bool(listed) == (state.turn is not None)
        for seat in range(seats) if state.turn is None else [state.turn]:
            assert {move for move in EVERY_MOVE if sabo.judge(rules, state, seat, move) == LEGAL} == set(listed)
        if state.turn is not None:
            other = (state.turn + 1) % seats
            assert all(sabo.judge(rules, state, other, move) != LEGAL for move in listed)


@settings(max_examples=100, deadline=None)
@given(HOUSE_RULES, SEATS, SEEDS)
def test_hidden_cards_stay_hidden(rules: Rules, seats: int, seed: int) -> None:
    for state in deal(rules, seats, seed):
        face_down = {card for cards in state.sabo for card in cards if card is not None}
        for viewer in [None, *range(seats)]:
            seen = msgspec.json.encode(sabo.hide_state(state, Sight(viewer))).decode()
            secret = face_down.union(*(hand for seat, hand in enumerate(state.hands) if seat != viewer))
            assert not [card for card in secret if f'"{card}"' in seen]
            own = state.hands[viewer] if viewer is not None else ()
            assert not [card for card in own if f'"{card}"' not in seen]


@settings(max_examples=40, deadline=None)
@given(HOUSE_RULES, SEATS, SEEDS)
def test_no_answer_depends_on_what_the_mover_cannot_see(rules: Rules, seats: int, seed: int) -> None:
    for state in deal(rules, seats, seed):
        for seat in range(seats):
            blind = sabo.hide_state(state, Sight(seat))
            for move in EVERY_MOVE:
                assert sabo.judge(rules, state, seat, move) == sabo.judge(rules, blind, seat, move)
        if state.turn is not None:
            blind = sabo.hide_state(state, Sight(state.turn))
            assert list(sabo.legal_moves(rules, state)) == list(sabo.legal_moves(rules, blind))
