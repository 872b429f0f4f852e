"""What all tallied deals share: parts of a result against each other."""

from collections.abc import Sequence
from typing import Any

from referee.rules.verdict import Violation


def seats_fault(seats: int, clause: str, **parts: Sequence[Any] | None) -> tuple[Violation, ...]:
    """A violation for each part that is not given for every seat."""
    return tuple(
        Violation("TALLY_SEATS", clause, {"part": part, "given": len(by_seat), "seats": seats})
        for part, by_seat in parts.items()
        if by_seat is not None and len(by_seat) != seats
    )


def disagree(part: str, given: Sequence[int] | None, due: Sequence[int], clause: str) -> list[Violation]:
    """A violation where a part, as it was given by seat, is not what the other parts come to."""
    if given is None or list(given) == list(due):
        return []
    difference = [one - other for one, other in zip(given, due, strict=True)]
    params = {"part": part, "given": list(given), "due": list(due), "difference": difference}
    return [Violation("PARTS_DISAGREE", clause, params)]
