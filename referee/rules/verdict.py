"""What the referee answers to a move: legal, illegal, or undecided until hidden cards come out."""

from typing import Any, Final, TypeAlias

import msgspec


class Violation(msgspec.Struct, frozen=True):
    """One reason why a move is refused.

    `code` is stable and names the text in the rulebook, `clause` the rule (`TN-12`); `params` fill the text in:
    cards, seats and numbers only, so that it can be said in any language.
    """

    code: str
    clause: str
    params: dict[str, Any] = {}

    def __post_init__(self) -> None:
        _same_when_read_back(self.params)


class Claim(msgspec.Struct, frozen=True):
    """Something a legal move takes for granted about cards that nobody has seen: inert data, proven elsewhere."""

    code: str
    clause: str
    seat: int
    params: dict[str, Any] = {}

    def __post_init__(self) -> None:
        _same_when_read_back(self.params)


def _same_when_read_back(params: dict[str, Any]) -> None:
    """JSON knows no tuples: every sequence is a tuple here, so that what was recorded equals what is judged again."""
    for name, value in params.items():
        if isinstance(value, list):
            params[name] = tuple(value)


class Legal(msgspec.Struct, frozen=True):
    """The move may be made."""


class Illegal(msgspec.Struct, frozen=True):
    """The move may not be made; every reason is given, the leading one first. `claims` are what it takes for granted
    where it is let stand all the same."""

    violations: tuple[Violation, ...]
    claims: tuple[Claim, ...] = ()


class Undecided(msgspec.Struct, frozen=True):
    """The move may be made unless a claim turns out false. Never in a deal whose cards are all known."""

    claims: tuple[Claim, ...]


Verdict: TypeAlias = Legal | Illegal | Undecided
LEGAL: Final = Legal()


def claims_in(verdict: Verdict) -> tuple[Claim, ...]:
    """What a move takes for granted about hidden cards, be it legal or let stand."""
    return () if isinstance(verdict, Legal) else verdict.claims
