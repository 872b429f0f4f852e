"""What the public record of a deal proves: claims about hidden cards, confirmed or refuted as the cards come out.

A claim is refuted exactly when no placing of the cards that nobody has seen leaves it true, and confirmed when none
makes it false. Nothing is inferred from the assumption that other moves were legal. Moves count from 1; the number after
the last move stands for the hands shown at the end.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

import msgspec

from referee.rules.cards import HIDDEN, PUBLIC, Cards
from referee.rules.puts import Noted
from referee.rules.verdict import Claim, Illegal, Verdict, Violation, claims_in

Status: TypeAlias = Literal["open", "confirmed", "refuted"]


class Step(Protocol):
    """A move that counts, with everything it caused."""

    @property
    def seat(self) -> int: ...
    @property
    def move(self) -> Any: ...
    @property
    def effects(self) -> Any: ...


class Record(NamedTuple):
    """A deal as it counts: after take-backs and corrections. `hands` by seat are those shown when it was over; `notes`
    of what went wrong with cards, each with the number of moves that counted when it was put right, in order."""

    dealer: int
    layout: Any
    steps: Sequence[Step]
    hands: tuple[Cards, ...] | None = None
    notes: Sequence[tuple[int, Noted]] = ()

    def noted_at(self, moves: int) -> Iterator[Noted]:
        """What was noted when so many moves counted."""
        return (note for after, note in self.notes if after == moves)


class Made(NamedTuple):
    """A claim and the number of the move that made it."""

    move: int
    claim: Claim


class Proof(msgspec.Struct, frozen=True):
    """What became of the claim that move `move` made; `by` is the first move that refutes it."""

    claim: Claim
    move: int
    status: Status
    by: int | None = None


class Judged(NamedTuple):
    """A move of the record: its number, the state before it, and what the table alone could say of it."""

    number: int
    state: Any
    step: Step
    verdict: Verdict


def judged(game: Any, rules: Any, record: Record) -> Iterator[Judged]:
    """Every move with the verdict that it gets from somebody who sees no hand, in any mode of dealing."""
    state = game.start(record.dealer, record.layout)
    for number, step in enumerate(record.steps, 1):
        for note in record.noted_at(number - 1):
            state = game.amend(state, note)
        yield Judged(number, state, step, game.judge(rules, game.hide_state(state, PUBLIC), step.seat, step.move))
        state = game.evolve(state, step.seat, step.move, step.effects)


def proofs(game: Any, rules: Any, record: Record, since: int = 0) -> tuple[Proof, ...]:
    """Every claim made in the deal and what became of it, in the order of the moves.

    In a deal whose cards are known each is decided by the move that makes it. Proofs by the first `since` moves are passed
    over: whoever asks after every move has them already.
    """
    if observed(record.layout):
        made = [Made(move.number, claim) for move in judged(game, rules, record) for claim in claims_in(move.verdict)]
        found: tuple[Proof, ...] = game.prove(rules, record, made, since)
        return found
    return tuple(
        Proof(claim, move.number, "refuted", move.number)
        if game.breaks(rules, move.state, claim)
        else Proof(claim, move.number, "confirmed")
        for move in judged(game, rules, record)
        for claim in claims_in(move.verdict)
    )


def observed(layout: Any) -> bool:
    """Whether the hands of a layout are cards that nobody has seen."""
    return any(HIDDEN in hand for hand in layout.hands)


def public_faults(game: Any, rules: Any, record: Record) -> Iterator[tuple[int, Violation]]:
    """Moves that everybody could see to be irregular, let stand all the same, with each reason."""
    for move in judged(game, rules, record):
        if isinstance(move.verdict, Illegal):
            yield from ((move.number, violation) for violation in move.verdict.violations)
