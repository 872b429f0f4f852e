"""How the deals and the match of a record ended, read off its entries alone."""

from collections.abc import Iterator
from typing import Any

from referee.events import DealScored, MatchWon, Moved, TurnPassed
from referee.record import Record


def endings(record: Record) -> frozenset[str]:
    """Words for every ending that the record shows."""
    opened: Any = record.match[0].event
    return frozenset([*_of_deals(record), *_of_match(record, opened.house_rules["target"])])


def _of_deals(record: Record) -> Iterator[str]:
    for entries in record.deals:
        last = [entry.event for entry in entries if isinstance(entry.event, Moved)][-1]
        end = getattr(last.effects, "end", None)
        if end == "blocked":
            yield "blocked by passes" if isinstance(last, TurnPassed) else "blocked by the reserve"
        else:
            yield "went out" if end else "played out"


def _of_match(record: Record, target: int) -> Iterator[str]:
    scored = [entry.event for entry in record.match if isinstance(entry.event, DealScored)]
    for event in scored[:-1]:
        best = max(event.totals)
        if best >= target and event.totals.count(best) > 1:
            yield "tie, then another deal"
    won: Any = record.match[-1].event
    assert isinstance(won, MatchWon)
    if len(won.seats) > 1:
        yield "shared win"
    elif sum(total >= target for total in won.totals) > 1:
        yield "crossed together"
    if max(won.totals) < target:
        yield "deal limit"
    if min(won.totals) < 0:
        yield "below zero"
