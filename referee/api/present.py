"""Domain objects as answers, each as its reader may see it; and the headers that go with them."""

from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from litestar import Request, Response

from referee.access import Caller
from referee.api import schemas as s
from referee.deal import Deal
from referee.events import CardsDealt, Event, IrregularityNoted, Made, MoveCorrected, Moved, Recorded, Role
from referee.fingerprint import short
from referee.match import DealLine, Dispute, Match, Proposal
from referee.rules import rulebook
from referee.rules.cards import Sight, hide
from referee.rules.puts import hide_puts
from referee.rules.verdict import Violation
from referee.service import Referee

T = TypeVar("T")
M = TypeVar("M", Moved, Made)


def match_out(match: Match, names: dict[UUID, str]) -> s.MatchOut:
    """A match."""
    running = match.running
    number = match.won_after
    return s.MatchOut(
        id=match.id,
        version=match.version,
        game=match.game,
        ruleset=match.ruleset,
        house_rules=match.house_rules,
        target=match.rules.target,
        state="abandoned" if match.abandoned else "won" if match.winners else "open",
        seats=tuple(
            s.SeatOut(seat, player, names.get(player), seat in match.left) for seat, player in enumerate(match.players)
        ),
        totals=match.totals,
        deals=tuple(line_out(line, bool(number) and line.number > number) for line in match.deals),
        running=running.number if running else None,
        next_dealer=match.next_dealer,
        winners=match.winners,
        abandoned=match.abandoned,
        amended=match.amended,
        disputed=tuple(dispute.number for dispute in match.disputes if not dispute.rulings),
        proposals=tuple(proposal_out(proposal, names) for proposal in match.proposals),
        disputes=tuple(dispute_out(dispute, names) for dispute in match.disputes),
        consent=match.consent,
        opened_at=match.opened_at,
        rematch_of=match.rematch_of,
        rematches=match.rematches,
    )


def line_out(line: DealLine, outside: bool = False) -> s.DealLineOut:
    """A deal in the match's list."""
    return s.DealLineOut(
        number=line.number,
        dealer=line.dealer,
        points=line.points,
        commitment=line.commitment,
        words=line.words,
        waiting=line.waiting,
        fingerprint=short(line.fingerprint) if line.fingerprint else None,
        mode=line.mode,
        seats=line.seats,
        voided=line.voided,
        outside=outside,
        revision=line.revision,
    )


def proposal_out(proposal: Proposal, words: dict[UUID, str]) -> s.ProposalOut:
    """A proposal, with its reason unless that was erased."""
    why = words.get(proposal.why) if proposal.why else None
    return s.ProposalOut(proposal.number, proposal.body, why, proposal.agreed, proposal.refused, proposal.done)


def dispute_out(dispute: Dispute, words: dict[UUID, str]) -> s.DisputeOut:
    """A dispute, with the reasons that were not erased."""
    rulings = tuple(
        s.RulingOut(r.ruling, r.upheld, r.remedy, words.get(r.why) if r.why else None, r.ruling in dispute.confirmed)
        for r in dispute.rulings
    )
    why = words.get(dispute.why) if dispute.why else None
    return s.DisputeOut(dispute.number, dispute.deal, dispute.move, dispute.seat, why, rulings)


def words_in(match: Match) -> list[UUID]:
    """The ids of all words that an answer about the match shows: names, and reasons of proposals, disputes, rulings."""
    reasons = [proposal.why for proposal in match.proposals] + [dispute.why for dispute in match.disputes]
    reasons += [ruling.why for dispute in match.disputes for ruling in dispute.rulings]
    return [*match.players, *(why for why in reasons if why)]


def deal_out(deal: Deal, sight: Sight) -> s.DealOut:
    """A deal as `sight` allows."""
    return s.DealOut(
        match=deal.match,
        number=deal.number,
        version=deal.version,
        ruleset=deal.ruleset,
        dealer=deal.seats[deal.dealer],
        seats=deal.seats,
        mode=deal.mode,
        dealt_by=deal.dealt_by,
        turn=deal.to_act,
        moves=deal.moves,
        state=deal.kernel.hide_state(deal.state, sight),
        points=deal.points,
        lines=deal.lines,
        commitment=deal.commitment,
        words=deal.words,
        seed=deal.seed,
        irregular=tuple(fault.code for fault in deal.irregular),
        consent=deal.consent,
    )


async def events_out(
    referee: Referee, entries: Sequence[Recorded], deal: Deal | None, sight: Sight
) -> tuple[s.EventOut, ...]:
    """Events as `sight` allows, with the reasons given; `deal` is the deal whose stream they stand in."""
    reasons = {entry.version: why for entry in entries if (why := getattr(entry.event, "why", None))}
    words = await referee.names(list(reasons.values())) if reasons else {}
    return tuple(
        s.EventOut(e.version, e.at, e.by, _hidden(e.event, deal, sight), words.get(reasons.get(e.version)))  # type: ignore[arg-type]
        for e in entries
    )


def moves_out(entries: Sequence[Recorded], deal: Deal, sight: Sight) -> tuple[s.MoveOut, ...]:
    """The moves of a deal that count; `entries` is its whole stream."""
    out = []
    for number, one in enumerate(deal.played, 1):
        entry, made = entries[one.version - 1], one.made
        effects = deal.kernel.hide_effects(made.effects, made.seat, sight)
        faults = tuple(fault.code for fault in made.irregular)
        out.append(s.MoveOut(number, entry.at, entry.by, deal.seats[made.seat], made.move, effects, faults))
    return tuple(out)


def tokens_out(tokens: Sequence[tuple[Role, int | None, str]]) -> s.Tokens:
    """All tokens of a match."""
    by_role = {(role, seat): token for role, seat, token in tokens}
    seats = sorted((seat, token) for role, seat, token in tokens if seat is not None)
    return s.Tokens(
        arbiter=by_role["arbiter", None],
        scorekeeper=by_role["scorekeeper", None],
        spectator=by_role["spectator", None],
        seats=tuple(token for _, token in seats),
    )


def _hidden(event: Event, deal: Deal | None, sight: Sight) -> Event:
    if deal is None or sight.everything:
        return event
    replace: Any = msgspec.structs.replace
    match event:
        case CardsDealt():
            return replace(event, layout=deal.kernel.hide_layout(event.layout, sight))  # type: ignore[no-any-return]
        case Moved():
            return _made_out(event, deal, sight)  # type: ignore[return-value]
        case MoveCorrected():
            return replace(event, moves=tuple(_made_out(made, deal, sight) for made in event.moves))  # type: ignore[no-any-return]
        case IrregularityNoted(mixed=mixed, puts=puts):
            return replace(event, mixed=hide(mixed), puts=hide_puts(puts, sight))  # type: ignore[no-any-return]
        case _:
            return event


def _made_out(made: M, deal: Deal, sight: Sight) -> M:
    """A recorded move; the particulars of a fault name cards of the hand, so they are for who may see that."""
    effects = deal.kernel.hide_effects(made.effects, made.seat, sight)
    seen = sight.everything or made.seat == sight.seat
    faults = made.irregular if seen else tuple(Violation(fault.code, fault.clause) for fault in made.irregular)
    return msgspec.structs.replace(made, effects=effects, irregular=faults)


def answer(
    request: Request[Any, Any, Any], body: T, version: int, who: Caller | None, status: int = 200, **headers: str
) -> Response[T]:
    """A body with its ETag (version, viewer, language); 304 without one where the caller has this version already."""
    lang = rulebook.pick(request.headers.get("accept-language"))
    etag = f'"{version}.{who.name if who else "public"}.{lang}"'
    common = {
        "ETag": etag,
        "Cache-Control": "private, no-cache",
        "Vary": "Authorization, Accept, Accept-Language",
        **{name.replace("_", "-").title(): value for name, value in headers.items()},
    }
    known = request.headers.get("if-none-match", "")
    if request.method == "GET" and (known.strip() == "*" or etag in [tag.strip() for tag in known.split(",")]):
        return Response(None, status_code=304, headers=common)  # type: ignore[arg-type]
    return Response(body, status_code=status, headers=common)


def done_headers(replayed: bool, location: str | None = None) -> dict[str, str]:
    """Headers of an answer to a command: where the new thing is, and whether this was done before."""
    headers = {"location": location} if location else {}
    return headers | ({"idempotent_replayed": "true"} if replayed else {})
