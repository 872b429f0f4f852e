"""What a deal's record says when it is heard again: its audit, and what if it had gone otherwise."""

import asyncio
from collections.abc import Sequence
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody
from msgspec import Meta

from referee import deal as deals
from referee import errors
from referee.access import Caller
from referee.api import schemas as s
from referee.api.noted import NotedOut, noted_out
from referee.api.present import answer, deal_out
from referee.api.request import StrictRequest, cards_in, fault_of
from referee.audit import Divergence, audit
from referee.deal import Deal, record_of
from referee.desk import allowed
from referee.events import Lines, MatchOpened, Points, Recorded
from referee.match import Match, deal_id
from referee.reading import sight
from referee.rules import faults, rulebook
from referee.rules.cards import Card
from referee.rules.faults import Audit, Fault
from referee.rules.game import Effects, Move
from referee.rules.hands import hands_due
from referee.rules.proof import Proof, Status
from referee.rules.verdict import Violation
from referee.rules.words import say_claim, say_fault
from referee.service import Referee
from referee.whatif import Supposed, what_if


class SupposedMove(s.In, frozen=True):
    """A move as it is supposed: `seat` where it is not the one to act, `told` and `seen` as in a move that is made."""

    move: Move
    seat: s.SeatNumber | None = None
    told: Annotated[tuple[Annotated[tuple[Card, ...], Meta(max_length=108)], ...], Meta(max_length=20)] = ()
    seen: Annotated[tuple[Card, ...], Meta(max_length=108)] = ()


class WhatIfIn(s.In, frozen=True, rename={"since": "from"}):
    """House rules that are put in the place of those agreed on; `moves` in the place of as many recorded ones, `from`
    that number on. The recorded moves after them follow as far as they can be made."""

    house_rules: dict[str, Any] = {}
    since: Annotated[int, Meta(ge=1, le=100_000)] = 1
    moves: Annotated[tuple[SupposedMove, ...], Meta(max_length=1_000)] = ()
    alphabet: s.Alphabet = "latin"


class DepartureOut(s.Out, frozen=True):
    """A move that goes otherwise than it was recorded; `recorded` is false where another move is supposed. It would
    have been refused for these violations; effects are null where it cannot be made at all."""

    number: int
    seat: int
    move: Move
    recorded: bool
    violations: tuple[s.ViolationOut, ...]
    effects: Effects | None


class Reading(s.Out, frozen=True):
    """What a deal scores, by place at its table; null while it is not over."""

    points: Points | None
    lines: Lines | None


class WhatIfOut(s.Out, frozen=True):
    """A deal replayed otherwise, nothing stored: where it departs from the record, and what either reading scores.

    `stopped` is the first move that cannot be made at all; of the moves `assumed` the outcome of a shuffle is not known.
    """

    house_rules: dict[str, Any]
    departures: tuple[DepartureOut, ...]
    stopped: int | None
    assumed: tuple[int, ...]
    recorded: Reading
    supposed: Reading
    deal: s.DealOut


class FaultOut(s.Out, frozen=True):
    """A proven fault of `seat` in `move`, and the card played if one was; `proof` is the move that proves it, one past
    the last where the hands shown do; `cost` the points that the match's rules charge."""

    kind: str
    text: str
    seat: int
    move: int
    card: Card | None
    proof: int
    clause: str
    clause_text: str
    cost: int


class ClaimStatusOut(s.Out, frozen=True):
    """What a move took for granted about hidden cards, and what became of it; `by` is the move that refutes it."""

    code: str
    text: str
    clause: str
    seat: int
    move: int
    params: dict[str, Any]
    status: Status
    by: int | None


class LetStandOut(s.Out, frozen=True):
    """An irregular move that was let stand: why it would have been refused, on whose word it stands, the reason."""

    move: int
    seat: int
    violations: tuple[s.ViolationOut, ...]
    consent: str | None
    why: str | None


class DivergenceOut(s.Out, frozen=True):
    """The first thing in the record that does not follow from what stands before it."""

    what: str
    version: int
    move: int | None


class AuditOut(s.Out, frozen=True):
    """A deal heard again with everything now known. `reading` is what it scores with its faults charged, `counted` what
    the match counts for it now, which rulings may have changed; `divergence` is null where the record follows throughout.
    """

    number: int
    mode: str
    moves: int
    divergence: DivergenceOut | None
    faults: tuple[FaultOut, ...]
    claims: tuple[ClaimStatusOut, ...]
    undecided: int
    let_stand: tuple[LetStandOut, ...]
    noted: tuple[NotedOut, ...]
    reading: Reading
    counted: Reading


class Hearing(Controller):
    """Below a deal."""

    path = "/matches/{match_id:uuid}/deals/{number:int}"
    tags = ["hearing"]

    @post("/what-if", operation_id="whatIf", status_code=200)
    async def what_if(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[WhatIfIn],
    ) -> Response[WhatIfOut]:  # fmt: skip
        """Replay a deal under other house rules or with other moves; nothing is stored. A running deal: for the arbiter.

        Named are the moves that would be refused, with their clauses, or come to something else, and both scores.
        """
        match = await referee.match(match_id)
        found = await _heard(referee, who, number)
        moves = cards_in(data.moves, data.alphabet, "#/moves")
        rules = _rules(match, data.house_rules)
        if data.since > found.moves + 1:
            raise errors.BadValue(errors.Fault("#/from", f"the deal has {found.moves} moves: 1 to {found.moves + 1}"))
        supposed = [_supposed(found, number, one) for number, one in enumerate(moves)]
        seed = found.seed or (await referee.seed(found.id) if found.commitment else None)
        told = allowed(what_if(found, rules, data.since, supposed, seed), found.version)
        lang = rulebook.pick(request.headers.get("accept-language"))
        lines = told.lines
        body = WhatIfOut(
            msgspec.to_builtins(rules),
            tuple(
                DepartureOut(
                    one.number, found.seats[one.place], one.move, one.recorded, _said(one.violations, lang), one.effects
                )
                for one in told.departures
            ),
            told.stopped,
            told.assumed,
            Reading(found.points, found.lines),
            Reading(_sums(lines), lines),
            deal_out(told.deal, sight(who, found)),
        )
        return answer(request, body, found.version, who)

    @get("/audit", operation_id="auditDeal")
    async def audit(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int],
    ) -> Response[AuditOut]:  # fmt: skip
        """The audit of a deal: proven faults and what they cost, claims, what was let stand or noted. Running: arbiter.

        The whole record is judged again under the match's rules.
        """
        match = await referee.match(match_id)
        line = match.line(number)
        if line is None:
            raise errors.NotFound(f"There is no deal {number}.")
        counted = Reading(line.points, line.lines)
        if line.mode == "tallied":
            tallied = AuditOut(number, line.mode, 0, None, (), (), 0, (), (), counted, counted)
            return answer(request, tallied, match.version, who)
        found = await _heard(referee, who, number)
        entries = await referee.read(deal_id(match_id, number))
        opened = (await referee.read(match_id, 0, 1))[0].event
        assert isinstance(opened, MatchOpened)
        # a proof may take a second, in which others are served
        divergence, heard = await asyncio.to_thread(_hear, opened, entries, found, match)
        lang = rulebook.pick(request.headers.get("accept-language"))
        reasons = [one.made.why for one in found.played if one.made.why] + [
            one.note.why for one in found.notes if one.note.why
        ]
        words = await referee.names(reasons)
        claims = _claims(found, heard.claims, lang) if found.mode == "observed" else ()
        over = found.state.turn is None and not hands_due(found.state)
        lines = deals.result(found, match.rules) if over else None
        body = AuditOut(
            number,
            found.mode,
            found.moves,
            DivergenceOut(divergence.what, divergence.version, divergence.move) if divergence else None,
            _faults(found, heard.faults, lang),
            claims,
            sum(claim.status == "open" for claim in claims),
            _let_stand(found, words, lang),
            noted_out(found, entries, words, lang, sight(who, found)),
            Reading(_sums(lines), lines),
            counted,
        )
        # neither version alone says that nothing has changed; both only rise
        return answer(request, body, match.version + found.version, who)


def _hear(
    opened: MatchOpened, entries: Sequence[Recorded], found: Deal, match: Match
) -> tuple[Divergence | None, Audit]:
    return audit(opened, entries), faults.audit(found.kernel, match.rules, record_of(found))


async def _heard(referee: Referee, who: Caller, number: int) -> Deal:
    """A deal that may be heard: one that is over, or for the arbiter a running one, which leaves its trace."""
    found = await referee.deal(who.match, number)
    if found.points is None and who.role != "arbiter":
        if hands_due(found.state):
            raise errors.Forbidden(
                "The deal is over once its hands are shown: POST …/hands. Until then this is for the arbiter."
            )
        raise errors.Forbidden("While a deal is played, or when it was voided, this is for the arbiter.")
    await referee.look(who, found)
    return found


def _rules(match: Match, given: dict[str, Any]) -> Any:
    try:
        return msgspec.convert({**match.house_rules, **given}, match.kernel.Rules)
    except msgspec.ValidationError as error:
        raise errors.BadValue(fault_of(error, match.kernel.Rules, "/house_rules")) from error


def _supposed(found: Deal, number: int, one: SupposedMove) -> Supposed:
    if not isinstance(one.move, found.kernel.Move):
        raise errors.BadValue(errors.Fault(f"#/moves/{number}/move/type", f"this is a deal of {found.kernel.NAME}"))
    if one.seat is not None and one.seat not in found.seats:
        at = ", ".join(map(str, found.seats))
        raise errors.BadValue(errors.Fault(f"#/moves/{number}/seat", f"at this deal sit the seats {at}"))
    place = None if one.seat is None else found.seats.index(one.seat)
    return Supposed(place, one.move, one.told, one.seen)


def _said(violations: tuple[Violation, ...], lang: str) -> tuple[s.ViolationOut, ...]:
    return tuple(
        s.ViolationOut(v.code, v.clause, rulebook.clause_text(v.clause, lang), rulebook.say(v, lang), v.params)
        for v in violations
    )


def _sums(lines: Lines | None) -> Points | None:
    return tuple(sum(line.values()) for line in lines) if lines is not None else None


def _faults(found: Deal, proven: Sequence[Fault], lang: str) -> tuple[FaultOut, ...]:
    return tuple(
        FaultOut(
            fault.kind,
            say_fault(fault.kind, lang),
            found.seats[fault.seat],
            fault.move,
            fault.card,
            fault.proof,
            fault.clause,
            rulebook.clause_text(fault.clause, lang),
            fault.cost,
        )
        for fault in proven
    )


def _claims(found: Deal, told: Sequence[Proof], lang: str) -> tuple[ClaimStatusOut, ...]:
    def shown(one: Proof) -> ClaimStatusOut:
        claim = one.claim
        return ClaimStatusOut(
            claim.code, say_claim(claim, lang), claim.clause, found.seats[claim.seat], one.move, claim.params,
            one.status, one.by,
        )  # fmt: skip

    return tuple(shown(one) for one in told)


def _let_stand(found: Deal, words: dict[UUID, str], lang: str) -> tuple[LetStandOut, ...]:
    return tuple(
        LetStandOut(
            number,
            found.seats[one.made.seat],
            _said(one.made.irregular, lang),
            one.made.consent.how if one.made.consent else None,
            words.get(one.made.why) if one.made.why else None,
        )
        for number, one in enumerate(found.played, 1)
        if one.made.irregular
    )
