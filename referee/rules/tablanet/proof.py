"""What the public record proves of Tablanet: nothing that was not judged at once, for no duty depends on a hand (rules 5)."""

from collections.abc import Sequence

from referee.rules.proof import Made, Proof, Record
from referee.rules.tablanet.model import Rules
from referee.rules.verdict import Violation


def prove(rules: Rules, record: Record, made: Sequence[Made], since: int = 0) -> tuple[Proof, ...]:
    """What became of each claim: there are none."""
    return ()


def check_record(rules: Rules, record: Record) -> tuple[Violation, ...]:
    """Why no placing of the unseen cards fits the record: one always does, for a card not yet seen may be anywhere."""
    return ()
