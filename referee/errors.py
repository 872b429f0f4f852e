"""Everything that the service can answer instead of what was asked.

RefereeError
├── BadToken          401  no token, or one that was never issued or was revoked
├── Forbidden         403  another match's token, or a role without this right
├── NotFound          404  no such match, deal or move
├── Clash             409  not now: a deal is running, a race was lost
├── Consequences      409  a correction would make later moves irregular: which
├── MovedOn           412  the version in If-Match is not the current one
├── NeedsIfMatch      428  this changes what was recorded: If-Match is required
├── Refused           422  a rule forbids it: every violation with its clause
├── BadValue          422  well formed, but not a value that is accepted here: where, and what would be
├── RecordDiverges    422  a match record that does not follow from itself under its own rules
├── KeyReused         422  the Idempotency-Key was used for another request
└── Busy              503  cannot be answered now; nothing was half-done
"""

from collections.abc import Sequence
from typing import Any

import msgspec

from referee.rules.verdict import Violation


class RefereeError(Exception):
    """Base of all. The message is for the caller: it says what was wrong and what would have been accepted."""


class BadToken(RefereeError):
    """No bearer token, or one that is not valid (any longer)."""


class Forbidden(RefereeError):
    """The token is valid, but gives no right to this."""


class NotFound(RefereeError):
    """There is no such thing."""


class Clash(RefereeError):
    """The request does not fit what is going on now; `code` is stable."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


class Consequences(RefereeError):
    """Later moves would be irregular after a correction: their numbers, with the violations of each; `final` where they
    were to stand and cannot."""

    def __init__(self, moves: Sequence[tuple[int, Sequence[Violation]]], final: bool) -> None:
        may = "The arbiter may let them stand, where the cards allow it."
        super().__init__(
            f"Moves would be irregular after this; nothing was changed. {may}"
            if not final
            else "After this moves cannot be made at all; nothing was changed. Correct these first."
        )
        self.moves = tuple(moves)


class MovedOn(RefereeError):
    """The caller's version is stale; `current` is the version now, `recorded` what came since, as the caller may see it,
    and `asked` who wanted what in vain."""

    def __init__(self, current: int, recorded: Sequence[Any] = (), asked: Any = None) -> None:
        super().__init__(f"The version in If-Match is not the current one, which is {current}.")
        self.current, self.recorded, self.asked = current, tuple(recorded), asked


class NeedsIfMatch(RefereeError):
    """This changes what was recorded, so it must say which version it goes by."""


class Refused(RefereeError):
    """The rules forbid it. `legal` are some moves that would have been accepted, `version` the state judged;
    `may_lie`: a layout from which play can go on by consent."""

    def __init__(
        self,
        violations: Sequence[Violation],
        *,
        seat: int | None = None,
        move: Any = None,
        legal: Sequence[Any] = (),
        version: int | None = None,
        may_lie: bool = False,
    ) -> None:
        super().__init__(", ".join(violation.code for violation in violations))
        self.violations = tuple(violations)
        self.seat, self.move, self.legal, self.version = seat, move, tuple(legal), version
        self.may_lie = may_lie


class Fault(msgspec.Struct, frozen=True):
    """One value that is not accepted: a JSON pointer into the body, and why."""

    pointer: str
    message: str


class BadValue(RefereeError):
    """Values that fit the schema but nothing here: each with its place in the body."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("Some values are not accepted.")
        self.faults = faults


class RecordDiverges(RefereeError):
    """A record whose moves, points or totals are not what its rules give; `report` says where."""

    def __init__(self, report: Any) -> None:
        super().__init__("The record does not follow from itself under its own rules; nothing was stored.")
        self.report = report


class KeyReused(RefereeError):
    """The Idempotency-Key belongs to another request."""


class Busy(RefereeError):
    """Try again after `retry_after` seconds."""

    def __init__(self, message: str, retry_after: int = 1) -> None:
        super().__init__(message)
        self.retry_after = retry_after
