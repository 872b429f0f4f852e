"""Sums of table cards without the cards: which of them come to a value, and what they unite to (TN-10 to TN-12).

Cards are places on the table, a set of them a number with one bit a place. `parts` are pairs of a value and the bit of
its place, lowest value first; an ace that may count 1 or 11 is there twice. `longest` is the most cards in a sum.
Everything is found as it is asked for: a crowded table has thousands of captures, and most readers want a few.
"""

from collections.abc import Iterator
from itertools import chain
from typing import TypeAlias

Parts: TypeAlias = list[tuple[int, int]]


def sums(parts: Parts, value: int, longest: int) -> Iterator[int]:
    """Sums of two cards or more that come to `value`; a set that aces make in two ways comes twice (TN-10)."""
    return _adding(parts, 0, value, 0, longest)


def _adding(parts: Parts, first: int, missing: int, taken: int, room: int) -> Iterator[int]:
    for place in range(first, len(parts)):
        v, bit = parts[place]
        if v > missing:
            return
        if taken & bit:
            continue
        if v == missing:
            if taken:
                yield taken | bit
        elif 2 * v <= missing and room > 1:
            yield from _adding(parts, place + 1, missing - v, taken | bit, room - 1)


def unions(singles: list[int], parts: Parts, value: int, longest: int) -> Iterator[int]:
    """Every union of single cards and sums that share no card, units first, then unions of two and more (TN-11)."""
    units = []
    for unit in chain(singles, sums(parts, value, longest)):
        units.append(unit)
        yield unit
    seen = set(units)
    waiting = units = list(seen)
    while waiting and len(units) > 1:
        further = []
        for taken in waiting:
            for unit in units:
                if not unit & taken and (union := taken | unit) not in seen:
                    seen.add(union)
                    further.append(union)
                    yield union
        waiting = further


def maximal_unions(singles: list[int], parts: Parts, value: int, longest: int) -> Iterator[int]:
    """Those unions that leave no further unit on the table, depth first so that one is found at once (N6)."""
    seen = set()

    def further(taken: int) -> Iterator[int]:
        last = True
        for unit in chain([one for one in singles if not one & taken], sums(_free(parts, taken), value, longest)):
            last = False
            if (union := taken | unit) not in seen:
                seen.add(union)
                yield from further(union)
        if last and taken:
            yield taken

    return further(0)


def one_of_each(singles: list[int], parts: Parts, value: int, longest: int, maximal: bool) -> Iterator[int]:
    """One single, one sum, or both (N8); `maximal` leaves one kind alone only where the other cannot be added."""
    for single in singles:
        alone = True
        for several in sums(_free(parts, single), value, longest):
            alone = False
            yield single | several
        if alone or not maximal:
            yield single
    for several in sums(parts, value, longest):
        if not maximal or all(single & several for single in singles):
            yield several


def _free(parts: Parts, taken: int) -> Parts:
    return [part for part in parts if not part[1] & taken]


def falls_into_sums(values: list[int], value: int, longest: int) -> bool:
    """Whether `values`, highest first, divide into sums of two or more that come to `value` each (TN-11).

    Exact cover: the highest value left is completed in every way, and what stays is divided in turn.
    """
    groups, rest = divmod(sum(values), value)
    if rest or (values and values[0] >= value):
        return False
    hopeless: set[tuple[int, ...]] = set()

    def divides(left: tuple[int, ...], groups: int) -> bool:
        if not left:
            return True
        if left in hopeless or not 2 * groups <= len(left) <= longest * groups:
            return False
        hopeless.add(left)
        return any(divides(stays, groups - 1) for stays in _completions(left, 1, value - left[0], longest - 1, ()))

    return divides(tuple(values), groups)


def _completions(
    values: tuple[int, ...], first: int, missing: int, room: int, stays: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """What is left of `values` from `first` on, and of `stays`, once cards that add to `missing` are gone."""
    tried = 0
    for place in range(first, len(values)):
        v = values[place]
        if v * room < missing:
            return
        if v == tried:
            continue
        if v == missing:
            yield stays + values[first:place] + values[place + 1 :]
            # where a sum may be of any length, cards that add to v can stand in for v elsewhere: no need to try them
            if room >= len(values):
                return
        elif v < missing and room > 1:
            yield from _completions(values, place + 1, missing - v, room - 1, stays + values[first:place])
        tried = v
