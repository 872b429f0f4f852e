"""Where a match stands once its deals are counted: totals, winners, and deals that lie outside it."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol

from referee.events import Points
from referee.rules import target
from referee.rules.game import Game


class Counted(Protocol):
    """What a deal is to the standing."""

    @property
    def number(self) -> int: ...
    @property
    def points(self) -> Points | None: ...
    @property
    def voided(self) -> bool: ...


class Standing(NamedTuple):
    """Totals by seat; the winners, empty while nobody has won, and the deal after which they had."""

    totals: Points
    winners: tuple[int, ...]
    deal: int


def standing(game: Game, rules: Any, begun: Sequence[int], active: Sequence[int], deals: Iterable[Counted]) -> Standing:
    """Add the deals in order to the totals begun with, up to the first after which somebody has won (rules 0.5, 4.2).

    Voided and unscored deals count for nobody; only `active` seats are ranked. Points of a deal run by seat, and may
    be fewer than there are seats now.
    """
    totals, counted = list(begun), 0
    for deal in deals:
        if deal.points is None or deal.voided:
            continue
        counted += 1
        for seat, points in enumerate(deal.points):
            totals[seat] += points
        ranked = [totals[seat] for seat in active]
        won = target.winners(ranked, rules.target, rules.tie, game.last_deal(rules, counted))
        if won:
            return Standing(tuple(totals), tuple(active[place] for place in won), deal.number)
    return Standing(tuple(totals), (), 0)
