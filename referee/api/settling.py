"""What is settled after the fact, over REST: one address for each thing that can be asked for, and proposals of them."""

from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from referee import errors
from referee.access import Caller
from referee.api import schemas as s
from referee.api.present import answer, deal_out, dispute_out, words_in
from referee.api.request import StrictRequest, cards_in, if_match, key_of
from referee.api.settled import settled, shown_if_stale
from referee.reading import sight
from referee.rules.game import Move, Tally
from referee.service import Referee
from referee.settling import carry, disputes
from referee.settling.asks import (
    Abandon,
    AnyAsk,
    CorrectMove,
    CorrectScore,
    Join,
    Kind,
    Leave,
    LetStand,
    Number,
    Seat,
    Seen,
    Substitute,
    TakeBack,
    Told,
    VoidDeal,
)  # fmt: skip


class Said(s.In, frozen=True):
    """Why, and which seats agreed where the scorekeeper records it."""

    why: s.Why = None
    agreed: s.Agreed = ()
    alphabet: s.Alphabet = "latin"


class TakeBackIn(Said, frozen=True, kw_only=True):
    """Only the first `kept` moves shall count. `irregularity`: what was wrong with the next one at the table, so that it
    goes back as rules 4.2 say; cards that it had turned up then lie face up."""

    kept: Annotated[int, Meta(ge=0, le=100_000)]
    irregularity: Kind | None = None


class CorrectionIn(Said, frozen=True, kw_only=True):
    """Move `number` was another one; with `let_stand` (the arbiter's) later moves that become irregular are kept.
    `seen`: cards that the table saw turned up in it, where they are others than were recorded. `irregularity`: what was
    wrong with it at the table, where it was not merely recorded wrongly."""

    number: Number
    move: Move
    let_stand: bool = False
    seen: Seen = ()
    irregularity: Kind | None = None


class LetStandIn(Said, frozen=True, kw_only=True):
    """An irregular move that was made at the table and shall stand; `told` and `seen` as in a move."""

    seat: Seat
    move: Move
    told: Told = ()
    seen: Seen = ()


class VoidIn(Said, frozen=True, kw_only=True):
    """With the `offender` whose revoke or the like is on record, only the other seats have to agree."""

    offender: Seat | None = None


class ScoreCorrectionIn(Said, frozen=True, kw_only=True):
    """The result was another one, in the parts in which a counted deal is entered."""

    tally: Tally


class JoinIn(Said, frozen=True):
    """A name, or the id of a known player, for a new seat that begins with `total`."""

    name: Annotated[str, Meta(max_length=10_000)] | None = None
    player: UUID | None = None
    total: Annotated[int, Meta(ge=-1_000_000, le=1_000_000)] = 0


class SubstituteIn(Said, frozen=True):
    """A name, or the id of a known player, for a seat that is taken over."""

    name: Annotated[str, Meta(max_length=10_000)] | None = None
    player: UUID | None = None


class ProposalIn(s.In, frozen=True):
    """What is put to all seats, and why."""

    ask: AnyAsk
    why: s.Why = None
    alphabet: s.Alphabet = "latin"


class AnswerIn(s.In, frozen=True):
    """Whether the seat agrees."""

    agreed: bool


class DisputeIn(s.In, frozen=True):
    """The move that is disputed (from 1), and why."""

    move: Number
    why: s.Why = None


class RulingIn(s.In, frozen=True):
    """Upheld, with a remedy if one is due, or dismissed; and why."""

    upheld: bool
    why: Annotated[str, Meta(max_length=10_000)]
    remedy: AnyAsk | None = None
    alphabet: s.Alphabet = "latin"


class Settling(Controller):
    """Below `/v1/matches/{match_id}`."""

    path = "/matches/{match_id:uuid}"
    tags = ["settling"]

    @post("/deals/{number:int}/take-backs", operation_id="takeBack", status_code=201)
    async def take_back(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[TakeBackIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """Take moves back: free for the last turn until another seat acts, later by consent or the arbiter."""
        return await _settle(request, referee, who, TakeBack(number, data.kept, data.irregularity), data, number)

    @post("/deals/{number:int}/corrections", operation_id="correctMove", status_code=201)
    async def correct(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[CorrectionIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """Correct an earlier move; the moves after it are judged again, and those that become illegal are named (409)."""
        ask = CorrectMove(number, data.number, data.move, data.let_stand, data.seen, data.irregularity)
        return await _settle(request, referee, who, ask, data, number)

    @post("/deals/{number:int}/irregular-moves", operation_id="letMoveStand", status_code=201)
    async def let_stand(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[LetStandIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """Record an irregular move as it was made at the table, by consent or the arbiter; play goes on from there."""
        ask = LetStand(number, data.seat, data.move, data.told, data.seen)
        return await _settle(request, referee, who, ask, data, number)

    @post("/deals/{number:int}/score-corrections", operation_id="correctScore", status_code=201)
    async def correct_score(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[ScoreCorrectionIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """Correct a scored deal's result; totals follow, and a finished match may reopen."""
        return await _settle(request, referee, who, CorrectScore(number, data.tally), data, number)

    @post("/deals/{number:int}/void", operation_id="voidDeal", status_code=201)
    async def void(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[VoidIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """Void a deal (misdeal, wrong pack): it counts for nobody, and the same dealer deals again.

        For a fault of the `offender` (a revoke, a discard that was not the lowest, sabo used while holding the suit) the
        other seats alone agree to it, until the deal is scored.
        """
        return await _settle(request, referee, who, VoidDeal(number, data.offender), data, number)

    @post("/seats", operation_id="joinMatch", status_code=201)
    async def join(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], data: JSONBody[JoinIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """A player joins from the next deal on."""
        return await _settle(request, referee, who, Join(data.name, data.player, data.total), data)

    @post("/seats/{seat:int}/departure", operation_id="leaveMatch", status_code=201)
    async def leave(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], seat: FromPath[int], data: JSONBody[Said],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """A player leaves: the deal being played is void; of two players the other wins by forfeit."""
        return await _settle(request, referee, who, Leave(seat), data)

    @post("/seats/{seat:int}/substitution", operation_id="substitutePlayer", status_code=201)
    async def substitute(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], seat: FromPath[int], data: JSONBody[SubstituteIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """Another player takes over a seat with its hand, its duties and its total."""
        return await _settle(request, referee, who, Substitute(seat, data.name, data.player), data)

    @post("/abandonment", operation_id="abandonMatch", status_code=201)
    async def abandon(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], data: JSONBody[Said],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """All stop here: the standing is final, the match unfinished."""
        return await _settle(request, referee, who, Abandon(), data)

    @post("/proposals", operation_id="propose", status_code=201)
    async def propose(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], data: JSONBody[ProposalIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """Put something to all seats; a seat that proposes has agreed. A deal voided for a fault is put to the others."""
        done = await carry.propose(
            referee, who, _read(data.ask, data.alphabet, "#/ask"), data.why, await key_of(request, str(match_id))
        )
        return await settled(request, referee, who, done)

    @post("/proposals/{number:int}/answers", operation_id="answerProposal", status_code=201)
    async def answer_proposal(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[AnswerIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """A seat's answer; the last consent carries the proposal out."""
        done = await carry.answer(referee, who, number, data.agreed, await key_of(request, str(match_id)))
        return await settled(request, referee, who, done)

    @post("/deals/{number:int}/disputes", operation_id="raiseDispute", status_code=201)
    async def dispute(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[DisputeIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """A seat disputes a move (from 1)."""
        key = await key_of(request, str(match_id))
        done = await disputes.raise_dispute(referee, who, number, data.move, data.why, key)
        return await settled(request, referee, who, done, number)

    @get("/disputes/{number:int}", operation_id="getDispute")
    async def evidence(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int],
    ) -> Response[s.EvidenceOut]:  # fmt: skip
        """The evidence on a dispute: the deal before and after the move, what was legal then, what was irregular."""
        match = await referee.match(match_id)
        dispute = disputes.of(match, number)
        found = await disputes.evidence(referee, match, dispute)
        now = await referee.deal(match_id, dispute.deal)
        await referee.look(who, now)
        seen, seat = sight(who, now), now.seats[found.made.seat]
        shown = dispute_out(dispute, await referee.names(words_in(match)))
        legal = found.legal if referee.sees(who, now, seat) else ()
        taken = tuple(s.ClaimOut(claim.code, claim.clause, claim.params) for claim in found.made.claims)
        effects = now.kernel.hide_effects(found.made.effects, found.made.seat, seen)
        body = s.EvidenceOut(
            shown, deal_out(found.before, seen), deal_out(found.after, seen), seat, found.made.move, effects, legal,
            tuple(fault.code for fault in found.made.irregular), taken,
        )  # fmt: skip
        return answer(request, body, match.version, who)

    @post("/disputes/{number:int}/rulings", operation_id="ruleOnDispute", status_code=201)
    async def rule(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[RulingIn],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """The arbiter rules, with the remedy in the same step; provisional until confirmed, and superseded by a later ruling.

        Points are adjusted only once the deal is scored.
        """
        version, key = _version(request), await key_of(request, str(match_id))
        remedy = _read(data.remedy, data.alphabet, "#/remedy")
        async with shown_if_stale(request, referee, who, None, version):
            done = await disputes.rule(referee, who, number, data.upheld, remedy, data.why, version, key)
        return await settled(request, referee, who, done)

    @post("/disputes/{number:int}/rulings/{ruling:int}/confirmation", operation_id="confirmRuling", status_code=201)
    async def confirm(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], ruling: FromPath[int], data: JSONBody[s.Nothing],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """The arbiter confirms the ruling in force."""
        done = await disputes.confirm(referee, who, number, ruling, await key_of(request, str(match_id)))
        return await settled(request, referee, who, done)


async def _settle(
    request: StrictRequest, referee: Referee, who: Caller, ask: Any, said: Said, number: int | None = None
) -> Response[s.SettledOut]:  # fmt: skip
    key = await key_of(request, str(who.match))
    ask = _read(ask, said.alphabet, "#")
    version, of_deal = _version(request), isinstance(ask, carry.OF_A_DEAL)
    async with shown_if_stale(request, referee, who, number if of_deal else None, version):
        done = await carry.settle(referee, who, ask, said.agreed, said.why, version, key)
    return await settled(request, referee, who, done, number, of_deal)


def _version(request: StrictRequest) -> int:
    version = if_match(request)
    if version is None:
        raise errors.NeedsIfMatch("Say which version this goes by: If-Match with the ETag of what you have read.")
    return version


def _read(ask: Any, alphabet: str, pointer: str) -> Any:
    """What is asked for, with its cards as the table writes them."""
    parts = {name: getattr(ask, name) for name in ("move", "tally", "told", "seen", "cards") if hasattr(ask, name)}
    read = {name: cards_in(part, alphabet, f"{pointer}/{name}") for name, part in parts.items()}
    return msgspec.structs.replace(ask, **read) if read else ask
