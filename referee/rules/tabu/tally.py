"""A Tabu deal of which only the result is entered (TB-14 to TB-17)."""

from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from referee.rules.cards import Card, Cards
from referee.rules.tabu.layout import pack
from referee.rules.tabu.model import LINES, POINTS, Rules
from referee.rules.tallies import disagree, seats_fault
from referee.rules.unseen import seen_faults
from referee.rules.verdict import Illegal, Violation

Figure = Annotated[int, Meta(ge=0, le=1_000_000)]
Honours: TypeAlias = tuple[int, int, int]
"""Numbers of kings, queens and aces: all that pays (TB-16)."""


class Tally(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu"):
    """What each seat captured and what it still held, as cards or as their points (both are compared), who went out -
    null when the deal was blocked - and the points of the deal as the table wrote them down, to be compared."""

    captured: tuple[Cards, ...] | None = None
    captured_points: tuple[Figure, ...] | None = None
    hands: tuple[Cards, ...] | None = None
    hand_points: tuple[Figure, ...] | None = None
    out: Annotated[int, Meta(ge=0)] | None = None
    points: tuple[int, ...] | None = None


def tally(rules: Rules, seats: int, entered: Tally) -> tuple[dict[str, int], ...] | Illegal:
    """Score lines by seat, or everything that cannot be about the parts entered (TB-14, TB-16, TB-17)."""
    parts = {name: getattr(entered, name) for name in entered.__struct_fields__ if name != "out"}
    found = [*seats_fault(seats, "TB-1", **parts)]
    for cards, figures in (("captured", "captured_points"), ("hands", "hand_points")):
        if parts[cards] is None and parts[figures] is None:
            found.append(Violation("PARTS_MISSING", "TB-17", {"parts": (cards, figures)}))
    if entered.out is not None and entered.out >= seats:
        found.append(Violation("TALLY_SEATS", "TB-14", {"part": "out", "given": entered.out, "seats": seats}))
    if found:
        return Illegal(tuple(found))
    whole = pack(rules, seats)
    named = tuple(card for piles in (entered.captured, entered.hands) for pile in piles or () for card in pile)
    found += seen_faults(named, whole, "TB-1")
    captured = _figures(entered.captured, entered.captured_points)
    in_hand = _figures(entered.hands, entered.hand_points)
    found += _out_faults(entered, in_hand, seats)
    if entered.captured is not None:
        found += disagree("captured_points", entered.captured_points, captured, "TB-16")
    if entered.hands is not None:
        found += disagree("hand_points", entered.hand_points, in_hand, "TB-16")
    found += _sum_faults([*captured, *in_hand], whole)
    due = [taken - left for taken, left in zip(captured, in_hand, strict=True)]
    found += disagree("points", entered.points, due, "TB-17")
    lines = tuple(dict(zip(LINES, (taken, -left), strict=True)) for taken, left in zip(captured, in_hand, strict=True))
    return Illegal(tuple(found)) if found else lines


def _figures(piles: Sequence[Cards] | None, figures: Sequence[int] | None) -> list[int]:
    """Points by seat of cards where they are given, else as given."""
    return list(figures or ()) if piles is None else [sum(POINTS.get(card, 0) for card in pile) for pile in piles]


def _out_faults(entered: Tally, in_hand: Sequence[int], seats: int) -> Iterator[Violation]:
    """Whoever went out holds nothing, and everybody else something (TB-14)."""
    for seat in range(seats):
        if seat == entered.out and (in_hand[seat] or (entered.hands and entered.hands[seat])):
            yield Violation("OUT_WITH_CARDS", "TB-14", {"seat": seat, "points": in_hand[seat]})
        if seat != entered.out and entered.hands is not None and not entered.hands[seat]:
            yield Violation("EMPTY_HAND", "TB-14", {"seat": seat})


def _sum_faults(figures: Sequence[int], whole: Cards) -> Iterator[Violation]:
    """Figures that add up to more than the pack holds, or into which its kings, queens and aces cannot be divided."""
    given, most = sum(figures), sum(POINTS[card] for card in whole)
    if given > most:
        yield Violation("POINTS_OVER", "TB-16", {"given": given, "most": most, "difference": given - most})
    elif not _divides(figures, whole):
        yield Violation("POINTS_IMPOSSIBLE", "TB-16", {"given": tuple(figures)})


def _divides(figures: Sequence[int], whole: Cards) -> bool:
    """Whether the honours of the pack can be shared out so that these figures come about."""
    each = whole.count("KS") * 4
    used: set[Honours] = {(0, 0, 0)}
    for figure in figures:
        used = {
            (kings + k, queens + q, aces + a)
            for kings, queens, aces in used
            for k, q, a in _ways(figure, each)
            if kings + k <= each and queens + q <= each and aces + a <= each
        }
    return bool(used)


def _ways(figure: int, each: int) -> Iterator[Honours]:
    king, queen = _worth("KS"), _worth("QS")
    for kings in range(min(each, figure // king) + 1):
        for queens in range(min(each, (figure - kings * king) // queen) + 1):
            aces = figure - kings * king - queens * queen
            if aces <= each:
                yield kings, queens, aces


def _worth(card: Card) -> int:
    return POINTS[card]
