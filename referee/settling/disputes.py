"""Disputes: raised at a move by a seat, ruled by the arbiter, provisional until confirmed; later rulings supersede."""

from itertools import islice
from typing import Any, Final, NamedTuple

import msgspec

from referee import deal, errors
from referee.access import Caller
from referee.deal import Deal
from referee.desk import Done, Plan, check_version
from referee.events import DisputeRaised, DisputeRuled, Moved, RulingConfirmed
from referee.match import Dispute, Match
from referee.service import LEGAL_SHOWN, Referee
from referee.settling.asks import AdjustPoints, Ask
from referee.settling.carry import PLANS, as_json, together
from referee.settling.consent import ARBITER, words_of
from referee.settling.moves import deal_of
from referee.store.log import Key

REMEDIES: Final = ("take_back", "correct_move", "let_stand", "correct_score", "adjust_points", "void_deal")


class Evidence(NamedTuple):
    """What a dispute is about: the deal before and after the move, the move, and what was legal then."""

    before: Deal
    after: Deal
    made: Moved
    legal: tuple[Any, ...]


async def raise_dispute(
    referee: Referee, who: Caller, number: int, move: int, why: str | None, key: Key | None
) -> Done:
    """A seat disputes a move of a deal. The first stream is the match."""

    async def decide() -> Plan:
        now = await referee.match(who.match)
        _, found = await deal_of(referee, now, number)
        if not 0 < move <= found.moves:
            raise errors.BadValue(errors.Fault("#/move", f"the deal has {found.moves} moves"))
        assert who.seat is not None
        reason, words = words_of(why)
        raised = DisputeRaised(len(now.disputes) + 1, number, move, who.seat, reason)
        return Plan([referee.batch(now.id, now.version, who.name, raised)], words)

    if who.role != "seat":
        raise errors.Forbidden("Only a seat raises a dispute, with its own token.")
    return await referee.carry_out(who, key, decide)


async def evidence(referee: Referee, now: Match, dispute: Dispute) -> Evidence:
    """The evidence on a dispute as the deal's moves count now. Raises Clash if the move counts no more."""
    found = await referee.deal(now.id, dispute.deal)
    if dispute.move > found.moves:
        raise errors.Clash("MOVE_TAKEN_BACK", f"Move {dispute.move} of deal {dispute.deal} counts no more.")
    before, after = deal.at_move(found, dispute.move - 1), deal.at_move(found, dispute.move)
    legal = tuple(islice(found.kernel.legal_moves(now.rules, before.state), LEGAL_SHOWN))
    return Evidence(before, after, found.played[dispute.move - 1].made, legal)


async def rule(
    referee: Referee, who: Caller, number: int, upheld: bool, remedy: Ask | None, why: str | None, if_match: int,
    key: Key | None,
) -> Done:  # fmt: skip
    """The arbiter's ruling with its remedy, in one transaction. The first stream is the match.

    A ruling supersedes those before it; points that an earlier one added are taken away first.
    """

    async def decide() -> Plan:
        now = await referee.match(who.match)
        check_version(if_match, now.version)
        dispute = of(now, number)
        reason, words = words_of(why)
        body = as_json(remedy) if remedy else {}
        ruled = DisputeRuled(number, len(dispute.rulings) + 1, upheld, body, reason)
        batches = [referee.batch(now.id, now.version, who.name, ruled)]
        ask = _instead(now, dispute, remedy)
        if ask is not None:
            plan = await PLANS[type(ask)](referee, who, now, ask, (), ARBITER, why, reason)
            batches, words = together([*batches, *plan.batches]), words | plan.words
        return Plan(batches, words)

    if who.role != "arbiter":
        raise errors.Forbidden("Only the arbiter rules.")
    if remedy is not None and (not upheld or msgspec.to_builtins(remedy)["kind"] not in REMEDIES):
        raise errors.BadValue(errors.Fault("#/remedy", f"only where upheld, and one of {', '.join(REMEDIES)}"))
    if not why:
        raise errors.BadValue(errors.Fault("#/why", "a ruling says why: 1 to 500 visible characters"))
    return await referee.carry_out(who, key, decide)


async def confirm(referee: Referee, who: Caller, number: int, ruling: int, key: Key | None) -> Done:
    """The arbiter confirms a ruling. The first stream is the match."""

    async def decide() -> Plan:
        now = await referee.match(who.match)
        dispute = of(now, number)
        if not 0 < ruling <= len(dispute.rulings):
            raise errors.NotFound(f"There is no ruling {ruling} on dispute {number}.")
        if ruling != len(dispute.rulings):
            raise errors.Clash("SUPERSEDED", f"Ruling {len(dispute.rulings)} has taken the place of ruling {ruling}.")
        if ruling in dispute.confirmed:
            raise errors.Clash("CONFIRMED", f"Ruling {ruling} is confirmed already.")
        return Plan([referee.batch(now.id, now.version, who.name, RulingConfirmed(number, ruling))])

    if who.role != "arbiter":
        raise errors.Forbidden("Only the arbiter confirms a ruling.")
    return await referee.carry_out(who, key, decide)


def of(now: Match, number: int) -> Dispute:
    """A dispute by its number. Raises NotFound."""
    if not 0 < number <= len(now.disputes):
        raise errors.NotFound(f"There is no dispute {number}.")
    return now.disputes[number - 1]


def _instead(now: Match, dispute: Dispute, remedy: Ask | None) -> Ask | None:
    """The remedy, less the points that the ruling in force had added. Raises Clash where the two cannot be one step."""
    last = dispute.rulings[-1].remedy if dispute.rulings else {}
    line = now.line(last["deal"]) if last.get("kind") == "adjust_points" else None
    if line is None or line.voided:
        return remedy
    back = {int(seat): -points for seat, points in last["points"].items()}
    if remedy is None:
        return AdjustPoints(last["deal"], back)
    if not isinstance(remedy, AdjustPoints) or remedy.deal != last["deal"]:
        raise errors.Clash("POINTS_IN_FORCE", "The ruling in force added points: dismiss first, then rule anew.")
    return AdjustPoints(
        remedy.deal, {seat: back.get(seat, 0) + remedy.points.get(seat, 0) for seat in {*back, *remedy.points}}
    )
