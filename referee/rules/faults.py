"""Audit of a deal: the faults that its record proves, in any mode of dealing, and what they cost under the match's rules.

A fault is a claim about hidden cards that turned out false (see `proof`), or an irregularity that everybody could see and
that was let stand.
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from referee.rules.cards import Card
from referee.rules.proof import Proof, Record, observed, proofs, public_faults


class Fault(msgspec.Struct, frozen=True):
    """A proven fault of `seat` in move `move` (from 1): its kind, the card that was played if one was, the move that
    proves it - one past the last when the hands shown do - and the clause. `cost`: points the match's rules charge.

    `kind` is the game's own word for a false claim (its `FAULTS`), or the code of a refusal in small letters.
    """

    kind: str
    seat: int
    move: int
    card: Card | None
    proof: int
    clause: str
    cost: int = 0


class Audit(msgspec.Struct, frozen=True):
    """Everything that a deal's record proves, and what became of each claim."""

    faults: tuple[Fault, ...]
    claims: tuple[Proof, ...]

    @property
    def undecided(self) -> tuple[Proof, ...]:
        """The claims that the record leaves open."""
        return tuple(proof for proof in self.claims if proof.status == "open")


def audit(game: Any, rules: Any, record: Record, since: int = 0) -> Audit:
    """Replay a deal with everything now known. Faults in the order of the moves at fault; several of one play cost once
    (rules 0.7). What the first `since` moves prove may be left out."""
    told = proofs(game, rules, record, since)
    found = [
        (proof.move, game.FAULTS[proof.claim.code, _tag(record, proof.move)], proof.by, proof.claim.clause)
        for proof in told
        if proof.status == "refuted" and proof.by is not None
    ]
    plays = {move for move, *_ in found}
    found += [(move, fault.code.lower(), move, fault.clause) for move, fault in public_faults(game, rules, record)]
    faults = []
    for move, kind, proof, clause in sorted(found, key=lambda one: one[0]):
        cost = game.fault_cost(rules) if move in plays else 0
        plays.discard(move)
        faults.append(Fault(kind, record.steps[move - 1].seat, move, _card(record, move), proof, clause, cost))
    return Audit(tuple(faults), told)


def faults(game: Any, rules: Any, record: Record) -> tuple[Fault, ...]:
    """The faults that the record of a deal proves, each with its earliest proof."""
    return audit(game, rules, record).faults


def false_claims(game: Any, rules: Any, record: Record, since: int = 0) -> tuple[Fault, ...]:
    """The faults of an observed deal that hidden cards kept secret until the record proved them; none in any other. What
    the first `since` moves prove may be left out."""
    if not observed(record.layout):
        return ()
    kinds = set(game.FAULTS.values())
    return tuple(fault for fault in audit(game, rules, record, since).faults if fault.kind in kinds)


def consequence(
    game: Any, rules: Any, lines: Sequence[dict[str, int]], found: Sequence[Fault]
) -> tuple[dict[str, int], ...]:
    """The score lines of a deal once its faults are charged as the match agreed (rules 4.2); no score falls below 0."""
    charged: tuple[dict[str, int], ...] = game.penalise(rules, lines, _plays_at_fault(len(lines), found))
    return charged


def _plays_at_fault(seats: int, found: Sequence[Fault]) -> list[int]:
    """How many plays of each seat are charged."""
    return [len({fault.move for fault in found if fault.seat == seat and fault.cost}) for seat in range(seats)]


def _tag(record: Record, move: int) -> str:
    return str(type(record.steps[move - 1].move).__struct_config__.tag)


def _card(record: Record, move: int) -> Card | None:
    """The card that a move put down: from hand, or the sabo card that appeared."""
    step = record.steps[move - 1]
    card: Card | None = getattr(step.move, "card", None) or getattr(step.effects, "card", None)
    return card
