"""Decide and evolve of a match: what was agreed, who deals, the totals, the end.

Deciding functions return the events that follow, or Illegal with the reasons; `evolve` applies an event and asks no rule.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any
from uuid import UUID, uuid5

import msgspec

from referee import fingerprint
from referee.events import (
    DealerChosen,
    DealScored,
    DealStarted,
    Lines,
    MatchEvent,
    MatchOpened,
    MatchWon,
    Points,
    Recorded,
    RematchOpened,
    ShuffleClosed,
    WordAdded,
)
from referee.rules import target
from referee.rules.cards import RANK, RANKS, Card
from referee.rules.game import RULESETS, Game
from referee.rules.verdict import Illegal, Violation


class DealLine(msgspec.Struct, frozen=True):
    """A deal as the match knows it: words by seat, `waiting` while more of them may be added.

    Points and score lines by seat are null while it is played; the fingerprint (hex) is of all deals up to it.
    """

    number: int
    id: UUID
    dealer: int
    most: int | None
    commitment: str | None = None
    words: tuple[str, ...] = ()
    waiting: bool = False
    points: Points | None = None
    lines: Lines | None = None
    fingerprint: str | None = None


class Match(msgspec.Struct, frozen=True):
    """A match after `version` events, tuples by seat.

    `fingerprint` (hex) of the scored deals; `dealer` is the first deal's; `winners` is empty until the end.
    """

    id: UUID
    version: int
    opened_at: datetime
    game: str
    ruleset: str
    house_rules: dict[str, Any]
    rules: Any
    players: tuple[UUID, ...]
    totals: Points
    fingerprint: str
    dealer: int = 0
    deals: tuple[DealLine, ...] = ()
    winners: tuple[int, ...] = ()
    rematch_of: UUID | None = None
    rematches: tuple[UUID, ...] = ()

    @property
    def kernel(self) -> Game:
        """The rules this match is played under."""
        return RULESETS[self.ruleset]

    @property
    def running(self) -> DealLine | None:
        """The deal being played, if any."""
        return self.deals[-1] if self.deals and self.deals[-1].points is None else None

    @property
    def next_dealer(self) -> int:
        """Who deals next: the dealership moves one place clockwise (TN-3, TB-2, SB-4)."""
        return (self.deals[-1].dealer + 1) % len(self.players) if self.deals else self.dealer


@lru_cache(65_536)
def deal_id(match: UUID, number: int) -> UUID:
    """The stream of a match's deal: starting it twice meets the same stream, so only one start is written."""
    return uuid5(match, f"deal:{number}")


@lru_cache(65_536)
def access_id(match: UUID) -> UUID:
    """The stream of a match's capabilities."""
    return uuid5(match, "access")


# ---- decide


def open_match(
    game: Game, rules: msgspec.Struct, players: Sequence[UUID], dealer: DealerChosen, rematch_of: UUID | None = None
) -> tuple[MatchEvent, ...] | Illegal:
    """Open a match under these rules; every default is written down, so that later defaults do not touch it."""
    if reasons := game.agree(rules, len(players)):
        return Illegal(reasons)
    agreed = msgspec.to_builtins(rules)
    return MatchOpened(game.NAME, game.RULESET, agreed, tuple(players), rematch_of), dealer


def cut(game: Game, seats: int, cuts: Sequence[Sequence[Card | None]]) -> DealerChosen | Illegal:
    """The first dealer by cutting: lowest card, ranks from 2 to ace, equal lowest cut again (TN-2, N1).

    A round gives a card by seat, null for a seat that does not cut (again).
    """
    standing = list(range(seats))
    for place, cards in enumerate(cuts):
        shown = [seat for seat, card in enumerate(cards) if card is not None]
        if len(cards) != seats or shown != standing:
            params = {"round": place + 1, "seats": standing}
            return Illegal((Violation("CUT_BY_WRONG_SEATS", game.DEALER_CLAUSE, params),))
        drawn = {seat: card for seat, card in enumerate(cards) if card is not None}
        if wrong := sorted({card for card in drawn.values() if card not in RANK or RANK[card] not in RANKS}):
            return Illegal((Violation("PACK_MISMATCH", game.DEALER_CLAUSE, {"extra": wrong, "missing": ()}),))
        if len(set(drawn.values())) < len(drawn):
            twice = sorted({card for card in drawn.values() if list(drawn.values()).count(card) > 1})
            return Illegal((Violation("PACK_MISMATCH", game.DEALER_CLAUSE, {"extra": twice, "missing": ()}),))
        lowest = min(RANKS.index(RANK[card]) for card in drawn.values())
        standing = [seat for seat, card in drawn.items() if RANKS.index(RANK[card]) == lowest]
        if len(standing) == 1 and place < len(cuts) - 1:
            return Illegal((Violation("CUT_DECIDED", game.DEALER_CLAUSE, {"round": place + 1, "seat": standing[0]}),))
    if len(standing) > 1:
        return Illegal((Violation("CUT_TIED", game.DEALER_CLAUSE, {"seats": standing}),))
    return DealerChosen(standing[0], "cut", tuple(tuple(cards) for cards in cuts))


def start_deal(match: Match, commitment: str | None, waiting: bool = False) -> tuple[MatchEvent, ...] | Illegal:
    """Start the next deal; refused once the match is won. `commitment` where the referee is to shuffle."""
    if match.winners:
        return Illegal((Violation("MATCH_OVER", match.kernel.END_CLAUSE, {"seats": match.winners}),))
    number = len(match.deals) + 1
    most = match.kernel.most(match.rules, len(match.players))
    return (DealStarted(number, deal_id(match.id, number), match.next_dealer, "dealt", most, commitment, waiting),)


def score_deal(match: Match, number: int, points: Points, lines: Lines, mark: str) -> tuple[MatchEvent, ...]:
    """Add a finished deal to the totals, and end the match if somebody has won (rules 0.5)."""
    totals = tuple(total + gain for total, gain in zip(match.totals, points, strict=True))
    scored = DealScored(number, points, lines, totals, mark)
    last = match.kernel.last_deal(match.rules, number)
    won = target.winners(totals, match.rules.target, match.rules.tie, last)
    return (scored, MatchWon(won, totals)) if won else (scored,)


# ---- evolve


def evolve(match: Match | None, recorded: Recorded) -> Match:
    """The match after one more event of its stream."""
    event = recorded.event
    if isinstance(event, MatchOpened):
        rules = msgspec.convert(event.house_rules, RULESETS[event.ruleset].Rules)
        return Match(
            id=recorded.stream,
            version=recorded.version,
            opened_at=recorded.at,
            game=event.game,
            ruleset=event.ruleset,
            house_rules=event.house_rules,
            rules=rules,
            players=event.players,
            totals=(0,) * len(event.players),
            fingerprint=fingerprint.first(event),
            rematch_of=event.rematch_of,
        )
    assert match is not None, "a match stream begins with MatchOpened"
    return msgspec.structs.replace(match, version=recorded.version, **_changes(match, event))


def _changes(match: Match, event: Any) -> Mapping[str, Any]:
    match event:
        case DealerChosen(seat):
            return {"dealer": seat}
        case DealStarted(number, deal, dealer, _, most, commitment, waiting):
            words = ("",) * len(match.players) if commitment else ()
            return {"deals": (*match.deals, DealLine(number, deal, dealer, most, commitment, words, waiting))}
        case ShuffleClosed(number):
            return {"deals": _with(match, number, waiting=False)}
        case WordAdded(number, seat, word):
            words = match.deals[number - 1].words
            return {"deals": _with(match, number, words=(*words[:seat], word, *words[seat + 1 :]))}
        case DealScored(number, points, lines, totals, mark):
            deals = _with(match, number, points=points, lines=lines, fingerprint=mark)
            return {"deals": deals, "totals": totals, "fingerprint": mark or match.fingerprint}
        case MatchWon(seats):
            return {"winners": seats}
        case RematchOpened(other):
            return {"rematches": (*match.rematches, other)}
        case _:
            return {}


def _with(match: Match, number: int, **changes: Any) -> tuple[DealLine, ...]:
    return tuple(msgspec.structs.replace(d, **changes) if d.number == number else d for d in match.deals)
