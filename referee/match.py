"""Decide and evolve of a match: what was agreed, who deals, the totals, the end.

Deciding functions return the events that follow, or Illegal with the reasons; `evolve` applies an event and asks no rule.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import lru_cache
from typing import Any, Final, Literal, TypeVar
from uuid import UUID, uuid5

import msgspec

from referee import fingerprint
from referee.events import (
    DealerChosen,
    DealReopened,
    DealScored,
    DealStarted,
    DealVoided,
    DisputeRaised,
    DisputeRuled,
    Lines,
    MatchAbandoned,
    MatchEvent,
    MatchOpened,
    MatchReopened,
    MatchWon,
    Mode,
    PlayerJoined,
    PlayerLeft,
    PlayerSubstituted,
    Points,
    ProposalAnswered,
    ProposalMade,
    Recorded,
    RematchOpened,
    RulingConfirmed,
    ScoreCorrected,
    ShuffleClosed,
    WordAdded,
)
from referee.rules.cards import RANK, RANKS, Card
from referee.rules.game import RULESETS, Game
from referee.rules.verdict import Illegal, Violation

T = TypeVar("T")
RULING: Final = "ruling"
"""The score line of what rulings add to a deal."""


class DealLine(msgspec.Struct, frozen=True):
    """A deal as the match knows it: who sits at the table, words by place, `waiting` while more of them may be added.

    Points and score lines by seat of the match are null while it is played; the fingerprint (hex) is of all deals up to
    it; `revision` counts its results; `ruled` are points by seat that rulings add to whatever it is scored with; a
    voided deal counts for nobody.
    """

    number: int
    id: UUID
    dealer: int
    mode: Mode
    most: int | None
    seats: tuple[int, ...]
    commitment: str | None = None
    words: tuple[str, ...] = ()
    waiting: bool = False
    points: Points | None = None
    lines: Lines | None = None
    fingerprint: str | None = None
    revision: int = 1
    ruled: Points = ()
    voided: bool = False

    @property
    def over(self) -> bool:
        """Whether it is played no more."""
        return self.voided or self.points is not None


class Proposal(msgspec.Struct, frozen=True):
    """Something that waits for consent: what, and who has agreed."""

    number: int
    kind: str
    body: dict[str, Any]
    why: UUID | None
    agreed: tuple[int, ...] = ()
    refused: tuple[int, ...] = ()
    done: bool = False


class Dispute(msgspec.Struct, frozen=True):
    """A disputed move of a deal, and the rulings on it, the last one in force; `confirmed` rulings by number."""

    number: int
    deal: int
    move: int
    seat: int
    why: UUID | None
    rulings: tuple[DisputeRuled, ...] = ()
    confirmed: tuple[int, ...] = ()


class Match(msgspec.Struct, frozen=True):
    """A match after `version` events, tuples by seat. Seats are never renumbered; those in `left` are empty.

    `opened_with` are the seats at the opening, `begun` the totals that seats began with; `begun_with` and `fingerprint`
    (hex) stand before any deal and after all that were scored. `dealer` is the first deal's; `winners` is empty until
    the end, `won_after` the deal that ended it; `abandoned` ended it unfinished.
    """

    id: UUID
    version: int
    opened_at: datetime
    game: str
    ruleset: str
    house_rules: dict[str, Any]
    rules: Any
    players: tuple[UUID, ...]
    opened_with: tuple[int, ...]
    begun: Points
    totals: Points
    begun_with: str
    fingerprint: str
    consent: Literal["spoken", "tokens"] = "spoken"
    dealer: int = 0
    deals: tuple[DealLine, ...] = ()
    left: tuple[int, ...] = ()
    winners: tuple[int, ...] = ()
    won_after: int = 0
    abandoned: bool = False
    amended: bool = False
    proposals: tuple[Proposal, ...] = ()
    disputes: tuple[Dispute, ...] = ()
    rematch_of: UUID | None = None
    rematches: tuple[UUID, ...] = ()

    @property
    def kernel(self) -> Game:
        """The rules this match is played under."""
        return RULESETS[self.ruleset]

    @property
    def running(self) -> DealLine | None:
        """The deal being played, if any."""
        return self.deals[-1] if self.deals and not self.deals[-1].over else None

    @property
    def active(self) -> tuple[int, ...]:
        """The seats that are not empty, clockwise."""
        return tuple(seat for seat in range(len(self.players)) if seat not in self.left)

    def without(self, seat: int | None) -> tuple[int, ...]:
        """The seats that are not empty, but for this one."""
        return tuple(other for other in self.active if other != seat)

    @property
    def over(self) -> bool:
        """Whether no further deal is played."""
        return bool(self.winners) or self.abandoned

    @property
    def next_dealer(self) -> int:
        """Who deals next: the dealership moves one place clockwise (TN-3, TB-2, SB-4), past empty seats; after a deal
        that was voided the same dealer deals again."""
        seats = len(self.players)
        last = self.deals[-1] if self.deals else None
        first = last.dealer + (0 if last.voided else 1) if last else self.dealer
        return next(seat % seats for seat in range(first, first + seats) if seat % seats not in self.left)

    def mark_before(self, number: int) -> str:
        """The fingerprint (hex) that a deal's own is chained to."""
        marks = [deal.fingerprint for deal in self.deals[: number - 1] if deal.fingerprint]
        return marks[-1] if marks else self.begun_with

    def line(self, number: int) -> DealLine | None:
        """A deal by its number."""
        return self.deals[number - 1] if 0 < number <= len(self.deals) else None


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
    game: Game,
    rules: msgspec.Struct,
    players: Sequence[UUID],
    dealer: DealerChosen,
    consent: Literal["spoken", "tokens"] = "spoken",
    rematch_of: UUID | None = None,
) -> tuple[MatchEvent, ...] | Illegal:
    """Open a match under these rules; every default is written down, so that later defaults do not touch it."""
    if reasons := game.agree(rules, len(players)):
        return Illegal(reasons)
    agreed = msgspec.to_builtins(rules)
    return MatchOpened(game.NAME, game.RULESET, agreed, tuple(players), rematch_of, consent), dealer


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


def start_deal(
    match: Match, commitment: str | None, waiting: bool = False, mode: Mode = "dealt"
) -> tuple[MatchEvent, ...] | Illegal:
    """Start the next deal; refused once the match is over. `commitment` where the referee is to shuffle."""
    if match.over:
        return Illegal((Violation("MATCH_OVER", match.kernel.END_CLAUSE, {"seats": match.winners}),))
    number, seats = len(match.deals) + 1, match.active
    most = match.kernel.most(match.rules, len(seats))
    sitting = () if seats == match.opened_with else seats
    deal = deal_id(match.id, number)
    return (DealStarted(number, deal, match.next_dealer, mode, most, commitment, waiting, sitting),)


# ---- evolve


def evolve(match: Match | None, recorded: Recorded) -> Match:
    """The match after one more event of its stream."""
    event = recorded.event
    if isinstance(event, MatchOpened):
        rules = msgspec.convert(event.house_rules, RULESETS[event.ruleset].Rules)
        nothing = (0,) * len(event.players)
        return Match(
            id=recorded.stream,
            version=recorded.version,
            opened_at=recorded.at,
            game=event.game,
            ruleset=event.ruleset,
            house_rules=event.house_rules,
            rules=rules,
            players=event.players,
            opened_with=tuple(range(len(event.players))),
            begun=nothing,
            totals=nothing,
            begun_with=fingerprint.first(event),
            fingerprint=fingerprint.first(event),
            consent=event.consent,
            rematch_of=event.rematch_of,
        )
    assert match is not None, "a match stream begins with MatchOpened"
    return msgspec.structs.replace(match, version=recorded.version, **_changes(match, event))


def _changes(match: Match, event: Any) -> Mapping[str, Any]:
    match event:
        case DealerChosen(seat):
            return {"dealer": seat}
        case DealStarted(number, deal, dealer, mode, most, commitment, waiting, seats):
            sitting = seats or match.opened_with
            words = ("",) * len(sitting) if commitment else ()
            line = DealLine(number, deal, dealer, mode, most, sitting, commitment, words, waiting)
            return {"deals": (*match.deals, line)}
        case WordAdded(number, seat, word):
            line = match.deals[number - 1]
            return {"deals": with_line(match, number, words=_put(line.words, line.seats.index(seat), word))}
        case ShuffleClosed(number):
            return {"deals": with_line(match, number, waiting=False)}
        case DealScored(number, points, lines, totals, mark):
            deals = with_line(match, number, points=points, lines=lines, fingerprint=mark)
            return {"deals": deals, "totals": totals, "fingerprint": mark or match.fingerprint}
        case ScoreCorrected(number=number, points=points, lines=lines, totals=totals, fingerprint=mark):
            revision = match.deals[number - 1].revision + 1
            ruled = tuple(line.get(RULING, 0) for line in lines)
            changes: dict[str, Any] = {"points": points, "lines": lines, "revision": revision, "ruled": ruled}
            deals = with_line(match, number, **changes, **({"fingerprint": mark} if mark else {}))
            return _amended(match, deals, totals)
        case DealVoided(number=number, totals=totals):
            return _amended(match, with_line(match, number, voided=True, waiting=False), totals)
        case DealReopened(number=number, totals=totals):
            revision = match.deals[number - 1].revision + 1
            deals = with_line(match, number, points=None, lines=None, fingerprint=None, revision=revision)
            return _amended(match, deals, totals)
        case MatchWon(seats, _, deal):
            return {"winners": seats, "won_after": deal}
        case MatchReopened():
            return {"winners": (), "won_after": 0}
        case MatchAbandoned(seats=seats):
            return {"abandoned": True, "winners": seats}
        case PlayerJoined(player=player, total=total):
            players, begun = (*match.players, player), (*match.begun, total)
            return {"players": players, "begun": begun, "totals": (*match.totals, total)}
        case PlayerLeft(seat=seat):
            return {"left": (*match.left, seat)}
        case PlayerSubstituted(seat=seat, player=player):
            return {"players": _put(match.players, seat, player)}
        case ProposalMade(number, kind, body, why):
            return {"proposals": (*match.proposals, Proposal(number, kind, body, why))}
        case ProposalAnswered(number, seat, agreed):
            return {"proposals": _answered(match, number, seat, agreed)}
        case DisputeRaised(number, deal_number, move, seat, why):
            return {"disputes": (*match.disputes, Dispute(number, deal_number, move, seat, why))}
        case DisputeRuled() as ruling:
            old = match.disputes[ruling.dispute - 1]
            new = msgspec.structs.replace(old, rulings=(*old.rulings, ruling))
            return {"disputes": _put(match.disputes, ruling.dispute - 1, new)}
        case RulingConfirmed(dispute, number):
            old = match.disputes[dispute - 1]
            new = msgspec.structs.replace(old, confirmed=(*old.confirmed, number))
            return {"disputes": _put(match.disputes, dispute - 1, new)}
        case RematchOpened(other):
            return {"rematches": (*match.rematches, other)}
        case _:
            return {}


def _answered(match: Match, number: int, seat: int, agreed: bool) -> tuple[Proposal, ...]:
    proposal = match.proposals[number - 1]
    name = "agreed" if agreed else "refused"
    changed = msgspec.structs.replace(proposal, **{name: (*getattr(proposal, name), seat)})
    needed = consenting(match, proposal)
    done = bool(needed.intersection(changed.refused)) or needed.issubset(changed.agreed)
    return _put(match.proposals, number - 1, msgspec.structs.replace(changed, done=done))


def consenting(match: Match, proposal: Proposal) -> frozenset[int]:
    """The seats that carry a proposal out together: all but the one for whose fault a deal is to be voided (rules 4.2)."""
    return frozenset(match.without(proposal.body.get("offender")))


def _amended(match: Match, deals: tuple[DealLine, ...], totals: Points) -> Mapping[str, Any]:
    mark = msgspec.structs.replace(match, deals=deals).mark_before(len(deals) + 1)
    amended = match.amended or match.over
    return {"deals": deals, "totals": totals, "fingerprint": mark, "amended": amended}


def _put(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    return (*values[:place], value, *values[place + 1 :])


def with_line(match: Match, number: int, **changes: Any) -> tuple[DealLine, ...]:
    """The deals of a match, one of them changed."""
    return _put(match.deals, number - 1, msgspec.structs.replace(match.deals[number - 1], **changes))
