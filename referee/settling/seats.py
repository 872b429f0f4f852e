"""Who sits at the table: joining, leaving, substitutes, and stopping altogether (rules 4.2, "Player leaves")."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from referee import access, errors, scoring
from referee.access import Access, Caller
from referee.desk import Plan
from referee.events import (
    CapabilityRevoked,
    Consent,
    Event,
    MatchAbandoned,
    PlayerJoined,
    PlayerLeft,
    PlayerSubstituted,
)
from referee.match import Match, access_id
from referee.rules.verdict import Violation
from referee.service import Referee
from referee.settling.asks import Abandon, Join, Leave, Substitute
from referee.settling.consent import consented

MOST_SEATS: Final = 20


async def join(
    referee: Referee, who: Caller, now: Match, ask: Join, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """A new seat from the next deal on, where the game allows one more; its token is issued with it."""
    consent = given or consented(who, now, False, agreed, why)
    _not_over(now)
    if ask.total >= now.rules.target:
        raise errors.BadValue(errors.Fault("#/total", f"less than the target, which is {now.rules.target}"))
    if len(now.players) >= MOST_SEATS:
        raise errors.Clash(
            "NO_MORE_SEATS", f"A match counts at most {MOST_SEATS} seats, those that were left included."
        )
    if reasons := now.kernel.agree(now.rules, len(now.active) + 1):
        raise errors.Refused(reasons, version=now.version)
    ((player, name),) = await referee.players([(ask.player, ask.name)], ["#"], now.players)
    seat = len(now.players)
    joined = PlayerJoined(consent, reason, seat, player, ask.total)
    tokens = await _tokens(referee, who, now, seat)
    return Plan([referee.batch(now.id, now.version, who.name, joined), tokens], {player: name})


async def leave(
    referee: Referee, who: Caller, now: Match, ask: Leave, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """A seat is given up: a seat may give up its own. A deal it sits at is void; of two players the other wins."""
    own = who.role == "seat" and who.seat == ask.seat
    consent = given or consented(who, now, own, agreed, why)
    _not_over(now)
    _at_table(now, ask.seat)
    events: list[Event] = []
    running = now.running
    if running and ask.seat in running.seats:
        events += scoring.void_deal(now, running.number, consent, reason)
    events.append(PlayerLeft(consent, reason, ask.seat))
    rest = tuple(seat for seat in now.active if seat != ask.seat)
    if now.kernel.agree(now.rules, len(rest)):
        events.append(MatchAbandoned(consent, reason, rest if len(rest) == 1 else ()))
    else:
        events += scoring.without(now, ask.seat)
    tokens = await _tokens(referee, who, now, ask.seat, renew=False)
    return Plan([referee.batch(now.id, now.version, who.name, *events), tokens])


async def substitute(
    referee: Referee, who: Caller, now: Match, ask: Substitute, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Another player takes over a seat as it is, in mid-deal too; the seat's token is issued anew."""
    consent = given or consented(who, now, False, agreed, why)
    _not_over(now)
    _at_table(now, ask.seat)
    ((player, name),) = await referee.players([(ask.player, ask.name)], ["#"], now.players)
    replaced = PlayerSubstituted(consent, reason, ask.seat, player)
    tokens = await _tokens(referee, who, now, ask.seat)
    return Plan([referee.batch(now.id, now.version, who.name, replaced), tokens], {player: name})


async def abandon(
    referee: Referee, who: Caller, now: Match, ask: Abandon, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """All agree to stop: a deal that is being played is void, the standing final."""
    consent = given or consented(who, now, False, agreed, why)
    _not_over(now)
    events: list[Event] = []
    if now.running:
        events += scoring.void_deal(now, now.running.number, consent, reason)
    return Plan([referee.batch(now.id, now.version, who.name, *events, MatchAbandoned(consent, reason))])


def _not_over(now: Match) -> None:
    if now.over:
        raise errors.Refused(
            [Violation("MATCH_OVER", now.kernel.END_CLAUSE, {"seats": now.winners})], version=now.version
        )


def _at_table(now: Match, seat: int) -> None:
    if seat not in now.active:
        raise errors.BadValue(errors.Fault("#/seat", f"in this match sit the seats {', '.join(map(str, now.active))}"))


async def _tokens(referee: Referee, who: Caller, now: Match, seat: int, renew: bool = True) -> Any:
    """The seat's old token stops counting, and a new one counts where the seat is taken again."""
    held: Access = await referee.access(now.id)
    events: list[Event] = [
        CapabilityRevoked(mark) for mark, kept in held.valid.items() if (kept.role, kept.seat) == ("seat", seat)
    ]
    if renew:
        events.append(access.issue(referee.secret, now.id, "seat", seat, held.serials.get(("seat", seat), 0) + 1)[1])
    return referee.batch(access_id(now.id), held.version, who.name, *events)
