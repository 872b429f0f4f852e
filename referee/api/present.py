"""Domain objects as answers, each as its reader may see it; and the headers that go with them."""

from collections.abc import Sequence
from typing import Any, TypeVar
from uuid import UUID

import msgspec
from litestar import Request, Response

from referee.access import Caller
from referee.api import schemas as s
from referee.deal import Deal
from referee.events import CardsDealt, Event, Moved, Recorded, Role
from referee.fingerprint import short
from referee.match import DealLine, Match
from referee.rules import rulebook
from referee.rules.cards import Sight

T = TypeVar("T")


def match_out(match: Match, names: dict[UUID, str]) -> s.MatchOut:
    """A match."""
    running = match.running
    return s.MatchOut(
        id=match.id,
        version=match.version,
        game=match.game,
        ruleset=match.ruleset,
        house_rules=match.house_rules,
        target=match.rules.target,
        state="won" if match.winners else "open",
        seats=tuple(s.SeatOut(seat, player, names.get(player)) for seat, player in enumerate(match.players)),
        totals=match.totals,
        deals=tuple(map(line_out, match.deals)),
        running=running.number if running else None,
        next_dealer=match.next_dealer,
        winners=match.winners,
        opened_at=match.opened_at,
        rematch_of=match.rematch_of,
        rematches=match.rematches,
    )


def line_out(line: DealLine) -> s.DealLineOut:
    """A deal in the match's list."""
    mark = short(line.fingerprint) if line.fingerprint else None
    return s.DealLineOut(line.number, line.dealer, line.points, line.commitment, line.words, line.waiting, mark)


def deal_out(deal: Deal, sight: Sight) -> s.DealOut:
    """A deal as `sight` allows."""
    return s.DealOut(
        match=deal.match,
        number=deal.number,
        version=deal.version,
        ruleset=deal.ruleset,
        dealer=deal.dealer,
        mode=deal.mode,
        dealt_by=deal.dealt_by,
        turn=deal.state.turn,
        moves=deal.moves,
        state=deal.kernel.hide_state(deal.state, sight),
        points=deal.points,
        lines=deal.lines,
        commitment=deal.commitment,
        words=deal.words,
        seed=deal.seed,
    )


def event_out(recorded: Recorded, deal: Deal | None, sight: Sight) -> s.EventOut:
    """An event as `sight` allows; `deal` is the deal whose stream it stands in."""
    return s.EventOut(recorded.version, recorded.at, recorded.by, _hidden(recorded.event, deal, sight))


def moves_out(entries: Sequence[Recorded], deal: Deal, sight: Sight, upto: int) -> tuple[s.MoveOut, ...]:
    """The first `upto` moves of a deal."""
    made = [(entry, entry.event) for entry in entries if isinstance(entry.event, Moved)][:upto]
    return tuple(
        s.MoveOut(number, entry.at, entry.by, m.seat, m.move, deal.kernel.hide_effects(m.effects, m.seat, sight))
        for number, (entry, m) in enumerate(made, 1)
    )


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
        case Moved(seat, _, effects):
            return replace(event, effects=deal.kernel.hide_effects(effects, seat, sight))  # type: ignore[no-any-return]
        case _:
            return event


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
