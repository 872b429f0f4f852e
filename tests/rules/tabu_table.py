"""A Tabu table for tests: positions written as they look, moves made and checked, a dealer that shuffles by seed."""

import random
from collections.abc import Sequence
from typing import Any

from referee.rules import tabu
from referee.rules.cards import Card, Cards
from referee.rules.chance import Told
from referee.rules.tabu import Effects, Move, Rules, State
from referee.rules.verdict import LEGAL, Illegal

RULES = Rules(target=100)


def cards(text: str) -> Cards:
    return tuple(text.split())


def at(hands: str, row: str, reserve: str = "", discard: str = "", **more: Any) -> State:
    """A position with seat 0 to act; hands by seat, parted by `|`."""
    by_seat = tuple(cards(hand) for hand in hands.split("|"))
    blank: dict[str, Any] = {"captured": ((),) * len(by_seat), "turn": 0} | more
    return State(
        dealer=len(by_seat) - 1, hands=by_seat, row=cards(row), reserve=cards(reserve), discard=cards(discard), **blank
    )


def make(state: State, move: Move, *told: str, rules: Rules = RULES) -> tuple[Effects, State]:
    """A legal move of the seat to act: what it caused, and the state after it. Every told order must be asked for."""
    assert state.turn is not None
    assert tabu.judge(rules, state, state.turn, move) == LEGAL
    chance = Told([cards(order) for order in told])
    effects = tabu.play(rules, state, state.turn, move, chance)
    assert chance.rest == []
    after = tabu.evolve(state, state.turn, move, effects)
    assert sorted(tabu.held(after)) == sorted(tabu.held(state))
    return effects, after


def refusal(state: State, move: Move, seat: int = 0, rules: Rules = RULES) -> list[str]:
    """Code and clause of every violation, the leading one first."""
    verdict = tabu.judge(rules, state, seat, move)
    assert isinstance(verdict, Illegal)
    return [f"{violation.code} {violation.clause}" for violation in verdict.violations]


def points(state: State, rules: Rules = RULES) -> list[int]:
    return [sum(line.values()) for line in tabu.score(rules, state)]


class Shuffler:
    """Chance by seed, so that a failure can be played again."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def shuffle(self, cards: Sequence[Card]) -> Cards:
        return tuple(self.random.sample(cards, len(cards)))

    def below(self, count: int) -> int:
        raise AssertionError("no place is drawn in Tabu")
