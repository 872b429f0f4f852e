"""Sabo positions and lines of play for the tests."""

from collections.abc import Sequence

from referee.rules import sabo
from referee.rules.cards import Card
from referee.rules.chance import Told
from referee.rules.sabo import Effects, Hand, Move, Place, Played, Rules, State
from referee.rules.verdict import LEGAL, Illegal, Violation

CLASSIC = Rules()


def cards(text: str) -> tuple[Card, ...]:
    return tuple(text.split())


def at(*hands: str, sabo: Sequence[Sequence[Card | None]] = (), played: str = "", turn: int = 0) -> State:
    """A position: hands by seat as text, the cards played to this trick so far, `turn` to act."""
    seats, shown = len(hands), cards(played)
    face_down = tuple(tuple(row) for row in sabo) or ((),) * seats
    leader = (turn - len(shown)) % seats
    return State(
        dealer=(leader - 1) % seats,
        turn=turn,
        hands=tuple(cards(hand) for hand in hands),
        sabo=face_down,
        leader=leader,
        tricks=(0,) * seats,
        led=shown[0][-1] if shown else None,
        played=tuple(Played(card, (leader + n) % seats) for n, card in enumerate(shown)),
    )


def move_of(word: Card | int) -> Move:
    """`7C` is played from hand, a number is a sabo place."""
    return Place(word) if isinstance(word, int) else Hand(word)


def run(state: State, *words: Card | int, rules: Rules = CLASSIC) -> tuple[Effects, State]:
    """Plays legal moves one after another; the effects of the last and the state after it."""
    assert words
    for word in words:
        seat, move = state.turn, move_of(word)
        assert seat is not None
        assert sabo.judge(rules, state, seat, move) == LEGAL, word
        effects = sabo.play(rules, state, seat, move, Told(()))
        state = sabo.evolve(state, seat, move, effects)
    return effects, state


def legal(state: State, rules: Rules = CLASSIC) -> set[Card | int]:
    """What the seat to act may play, judged move by move and equal to what `legal_moves` lists."""
    seat = state.turn
    assert seat is not None
    words: list[Card | int] = [*state.hands[seat], *range(len(state.sabo[seat]))]
    judged = {word for word in words if sabo.judge(rules, state, seat, move_of(word)) == LEGAL}
    listed = list(sabo.legal_moves(rules, state))
    assert {move_of(word) for word in judged} == set(listed)
    assert len(listed) == len(judged)
    return judged


def refused(state: State, seat: int, word: Card | int, rules: Rules = CLASSIC) -> list[Violation]:
    """Why a move is refused; fails if it is not."""
    verdict = sabo.judge(rules, state, seat, move_of(word))
    assert isinstance(verdict, Illegal)
    return list(verdict.violations)


def codes(violations: Sequence[Violation]) -> list[tuple[str, str]]:
    return [(violation.code, violation.clause) for violation in violations]
