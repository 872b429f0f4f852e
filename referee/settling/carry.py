"""How anything is settled: at once on the word of who may, or as a proposal that the last consent carries out."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final
from uuid import UUID

import msgspec

from referee import errors
from referee.access import Caller
from referee.desk import Done, Plan, check_version
from referee.events import Consent, Event, ProposalAnswered, ProposalMade
from referee.match import Match, Proposal, consenting
from referee.service import Referee
from referee.settling import moves, notes, scores, seats
from referee.settling.asks import (
    Abandon,
    AdjustPoints,
    AnyAsk,
    Ask,
    CorrectMove,
    CorrectScore,
    Join,
    Leave,
    LetStand,
    Note,
    Substitute,
    TakeBack,
    VoidDeal,
)  # fmt: skip
from referee.settling.consent import words_of
from referee.store.log import Batch, Key

Planner = Callable[..., Awaitable[Plan]]
PLANS: Final[dict[type[Ask], Planner]] = {
    TakeBack: moves.take_back,
    CorrectMove: moves.correct_move,
    LetStand: moves.let_stand,
    CorrectScore: scores.correct_score,
    AdjustPoints: scores.adjust_points,
    VoidDeal: scores.void_deal,
    Note: notes.note,
    Join: seats.join,
    Leave: seats.leave,
    Substitute: seats.substitute,
    Abandon: seats.abandon,
}
OF_A_DEAL: Final = (TakeBack, CorrectMove, LetStand, Note)
"""Asks whose If-Match is a version of the deal; of the others it is one of the match."""


async def settle(
    referee: Referee,
    who: Caller,
    ask: Any,
    agreed: Sequence[int],
    why: str | None,
    if_match: int | None,
    key: Key | None,
) -> Done:
    """Do it now. Raises Clash CONSENT_MISSING where it needs more agreement than there is."""

    async def decide() -> Plan:
        now = await referee.match(who.match)
        current = now.version
        if isinstance(ask, OF_A_DEAL):
            current = (await moves.deal_of(referee, now, ask.deal))[1].version
        check_version(if_match, current)
        reason, words = words_of(why)
        plan = await PLANS[type(ask)](referee, who, now, ask, agreed, None, why, reason)
        return plan._replace(words=plan.words | words)

    if who.role == "spectator":
        raise errors.Forbidden("A spectator settles nothing.")
    return await referee.carry_out(who, key, decide)


async def propose(referee: Referee, who: Caller, ask: Any, why: str | None, key: Key | None) -> Done:
    """Put something to the seats. A seat that proposes has agreed, and where no other is asked it is done at once; the
    first stream is the match."""

    async def decide() -> Plan:
        now = await referee.match(who.match)
        reason, words = words_of(why)
        if isinstance(ask, VoidDeal) and (line := now.line(ask.deal)):
            await scores.check_offender(referee, now, line, ask)
        body = as_json(ask)
        made = Proposal(len(now.proposals) + 1, body["kind"], body, reason)
        events: list[Event] = [ProposalMade(made.number, made.kind, body, reason)]
        if who.seat is not None:
            events.append(ProposalAnswered(made.number, who.seat, True))
        plan = Plan([referee.batch(now.id, now.version, who.name, *events)], words)
        return await _carried_out(referee, who, now, made, plan) if consenting(now, made) == {who.seat} else plan

    if who.role == "spectator":
        raise errors.Forbidden("A spectator proposes nothing.")
    return await referee.carry_out(who, key, decide)


async def answer(referee: Referee, who: Caller, number: int, agreed: bool, key: Key | None) -> Done:
    """A seat's answer; the last consent carries the proposal out in the same transaction. The first stream is the match.

    The seat whose fault a proposal is about is heard too, but neither ends it nor carries it out.
    """

    async def decide() -> Plan:
        now = await referee.match(who.match)
        if not 0 < number <= len(now.proposals):
            raise errors.NotFound(f"There is no proposal {number}.")
        proposal = now.proposals[number - 1]
        assert who.seat is not None
        if who.seat not in now.active:
            raise errors.Forbidden("An empty seat answers nothing.")
        if proposal.done:
            raise errors.Clash("PROPOSAL_CLOSED", f"Proposal {number} is closed.")
        needed = consenting(now, proposal)
        # who was missing may have left since: then saying it again carries it out
        if who.seat in proposal.agreed and not (agreed and needed.issubset(proposal.agreed)):
            raise errors.Clash("ANSWERED", f"Seat {who.seat} has agreed already.")
        if who.seat in proposal.refused:
            raise errors.Clash("ANSWERED", f"Seat {who.seat} has refused already.")
        answered = ProposalAnswered(number, who.seat, agreed)
        mine = Plan([referee.batch(now.id, now.version, who.name, answered)])
        if not agreed or not needed.issubset({*proposal.agreed, who.seat}):
            return mine
        return await _carried_out(referee, who, now, proposal, mine)

    if who.role != "seat":
        raise errors.Forbidden("Only a seat answers a proposal, with its own token.")
    return await referee.carry_out(who, key, decide)


async def _carried_out(referee: Referee, who: Caller, now: Match, proposal: Proposal, said: Plan) -> Plan:
    """What was said last of a proposal, and what it carries out with it."""
    ask = msgspec.json.decode(msgspec.json.encode(proposal.body), type=AnyAsk)
    consent = Consent("tokens", tuple(sorted(consenting(now, proposal))))
    try:
        plan = await PLANS[type(ask)](referee, who, now, ask, (), consent, None, proposal.why)
    except (errors.Refused, errors.Consequences, errors.BadValue) as refusal:
        # why not may tell of a hand that is not for the seat that happens to answer last
        left = "it is still open" if proposal.number <= len(now.proposals) else "it was not made"
        raise errors.Clash(
            "PROPOSAL_FAILED", f"Proposal {proposal.number} cannot be carried out as the match stands; {left}."
        ) from refusal
    return Plan(together([*said.batches, *plan.batches]), said.words | plan.words)


def as_json(ask: Any) -> dict[str, Any]:
    """What is asked for as plain JSON, the same before it is written and after it is read back."""
    body: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(ask))
    return body


def together(batches: Sequence[Batch]) -> list[Batch]:
    """Batches for the same stream made one, entries in the order given."""
    streams: dict[UUID, Batch] = {}
    for batch in batches:
        known = streams.get(batch.stream)
        streams[batch.stream] = batch._replace(entries=[*known.entries, *batch.entries]) if known else batch
    return list(streams.values())
