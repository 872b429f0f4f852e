"""What was wrong with a move that goes back or is made again: its row of rules 4.2, and the note of it."""

from collections.abc import Sequence
from typing import NamedTuple
from uuid import UUID

from referee import errors
from referee.deal import Deal
from referee.events import Consent, IrregularityNoted, Moved
from referee.irregularities import Remedy, Row, Situation, may_be_in, remedy
from referee.match import DealLine, Match
from referee.settling.rows import row_of


class AtFault(NamedTuple):
    """An irregularity in a move that goes back or is made again: its row, the move's seat by place, whether the window
    is open, and the remedy while it is."""

    row: Row
    seat: int
    open: bool
    remedy: Remedy

    def note(
        self, found: Deal, consent: Consent, why: UUID | None, number: int, gone: Sequence[Moved]
    ) -> IrregularityNoted:  # fmt: skip
        """The note of it in move `number`, with the face-down cards that the moves which are gone had turned up."""
        shown = tuple(card for one in gone for card in found.kernel.uncovered(one.seat, one.move, one.effects))
        return IrregularityNoted(
            consent, why, self.row.kind, self.seat, self.remedy.name, number, after=number - 1, shown=shown
        )


def at_fault(now: Match, line: DealLine, found: Deal, number: int, kind: str | None) -> AtFault | None:
    """What was wrong with move `number`. Raises BadValue for what no move can have, or has not by the record."""
    if kind is None:
        return None
    row = row_of(now, kind, "#/irregularity")
    ways = set(row.open.ways)
    if not ways & {"take_back", "correct"}:
        raise errors.BadValue(errors.Fault("#/irregularity", f"{kind} is put right by none of the moves: note it"))
    made = found.played[number - 1].made
    if not may_be_in(row, made):
        raise errors.BadValue(errors.Fault("#/irregularity", f"by the record there was no {kind} in move {number}"))
    is_open, _ = remedy(row, Situation(now, line, found, number))
    return AtFault(row, made.seat, is_open, row.open)
