"""Deals: start, read, list legal moves, move, replay, events."""

import re
from itertools import islice
from typing import Annotated
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import ClientException
from litestar.params import FromPath, JSONBody, QueryParameter

from referee import errors, starting
from referee.access import Caller
from referee.api import schemas as s
from referee.api.matches import PAGE, At, Version, events_page, moment
from referee.api.present import answer, deal_out, done_headers, events_out, line_out, moves_out
from referee.api.request import StrictRequest, cards_in, if_match, key_of
from referee.api.settled import settled, shown_if_stale
from referee.deal import Deal
from referee.desk import Done
from referee.match import deal_id
from referee.reading import sight as sight_of
from referee.rules.cards import Sight
from referee.service import Referee

_CURSOR = re.compile(r"([0-9]{1,15})-([0-9]{1,15})")


class Deals(Controller):
    """`/v1/matches/{match_id}/deals`."""

    path = "/matches/{match_id:uuid}/deals"
    tags = ["deals"]

    @post(operation_id="startDeal", status_code=201)
    async def start(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], data: JSONBody[s.StartDeal],
    ) -> Response[s.DealStartedOut]:  # fmt: skip
        """Start the next deal: laid out as told, observed, only counted, or shuffled and dealt by the referee.

        Only the scorekeeper or the arbiter tells a layout, what lies open, or a result. A layout that is not one of the
        game is refused (422); where play has gone on from it, `let_stand` records it with what is irregular, by consent of
        all seats (`agreed`) or by the arbiter, and says `why`. A wrong pack never stands, nor any irregular layout of Sabo:
        void the deal.
        """
        told = [name for name in ("layout", "open", "tally", "words") if getattr(data, name) not in (None, False)]
        if len(told) > 1:
            raise errors.BadValue(errors.Fault(f"#/{told[-1]}", f"give only one of {', '.join(told)}"))
        _irregular(data)
        layout = cards_in(data.layout, data.alphabet, "#/layout")
        cards = cards_in(data.open, data.alphabet, "#/open")
        tally = cards_in(data.tally, data.alphabet, "#/tally")
        how = starting.Start(
            layout, cards, tally, data.words, data.number, data.sizes, data.let_stand, data.agreed, data.why
        )
        version = if_match(request)
        if tally is not None and version is None and data.number is None:
            raise errors.NeedsIfMatch(
                "Say which deal this result is for: its `number`, or If-Match with the match's ETag."
            )
        async with shown_if_stale(request, referee, who, None, version):
            done = await starting.start(referee, who, how, version, await key_of(request, str(match_id)))
        return await _started(request, referee, who, done)

    @post("/{number:int}/words", operation_id="addWord", status_code=201)
    async def add_word(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[s.AddWord],
    ) -> Response[s.DealStartedOut]:  # fmt: skip
        """Add a seat's word to the shuffle of a deal that waits for words; the seed is committed to already."""
        done = await starting.add_word(referee, who, number, data.word, await key_of(request, str(match_id)))
        return await _started(request, referee, who, done)

    @post("/{number:int}/cards", operation_id="dealCards", status_code=201)
    async def deal_cards(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[s.Nothing],
    ) -> Response[s.DealStartedOut]:  # fmt: skip
        """Shuffle and deal a deal that waited for words. For the seat that deals, the scorekeeper or the arbiter."""
        done = await starting.deal_now(referee, who, number, await key_of(request, str(match_id)))
        return await _started(request, referee, who, done)

    @get("/{number:int}", operation_id="getDeal")
    async def read(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], version: Version = None, at: At = None,
    ) -> Response[s.DealOut]:  # fmt: skip
        """The deal as this reader may see it, now or as it stood at `version` or `at` a time; a hidden card is `?`."""
        now = await referee.deal(match_id, number)
        deal = await referee.deal(match_id, number, version, moment(at)) if version or at else now
        return answer(request, deal_out(deal, await _sight(referee, who, now)), deal.version, who)

    @get("/{number:int}/legal-moves", operation_id="listLegalMoves")
    async def legal_moves(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int],
        limit: Annotated[int, QueryParameter(ge=1, le=PAGE)] = 100,
        cursor: Annotated[str | None, QueryParameter(max_length=40)] = None,
    ) -> Response[s.LegalMovesOut]:  # fmt: skip
        """Every legal move of the seat to act, in pages. For who may see that seat's hand.

        Of a hand that nobody sees (an observed deal) only moves that need no card of it.
        """
        deal, moves = await referee.legal_moves(who, number)
        skip = _cursor(cursor, deal.version)
        page = list(islice(moves, skip, skip + limit + 1))
        following = f"{deal.version}-{skip + limit}" if len(page) > limit else None
        body = s.LegalMovesOut(deal.to_act, deal.version, tuple(page[:limit]), following)
        link = {"link": f'<{request.url.path}?limit={limit}&cursor={following}>; rel="next"'} if following else {}
        return answer(request, body, deal.version, who, 200, **link)

    @post("/{number:int}/moves", operation_id="makeMove", status_code=201)
    async def move(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[s.MakeMove],
        dry_run: Annotated[bool, QueryParameter()] = False,
    ) -> Response[s.PlayedOut | s.VerdictOut]:  # fmt: skip
        """Make a move, or with `dry_run=true` hear the verdict on it without storing anything (200).

        A refused move is 422 with every violation, its clause, and moves that would be legal; nothing is stored.
        """
        move = cards_in(data.move, data.alphabet, "#/move")
        version = if_match(request)
        if dry_run:
            judged, claims = await referee.try_move(who, number, data.seat, move, version)
            taken = tuple(s.ClaimOut(claim.code, claim.clause, claim.params) for claim in claims)
            verdict = s.VerdictOut("undecided" if claims else "legal", data.seat, move, judged.version, taken)
            return answer(request, verdict, judged.version, who)
        told, seen = cards_in(data.told, data.alphabet, "#/told"), cards_in(data.seen, data.alphabet, "#/seen")
        key = await key_of(request, str(match_id))
        done = await referee.play(who, number, data.seat, move, told, seen, version, key)
        return await _played(request, referee, who, number, done)

    @post("/{number:int}/hands", operation_id="showHands", status_code=201)
    async def hands(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[s.ShowHands],
    ) -> Response[s.SettledOut]:  # fmt: skip
        """Hands shown at the end of an observed deal, so that it can be scored. For scorekeeper or arbiter."""
        hands = cards_in(data.hands, data.alphabet, "#/hands")
        key = await key_of(request, str(match_id))
        done = await referee.show_hands(who, number, hands, if_match(request), key)
        return await settled(request, referee, who, done, number)

    @get("/{number:int}/replay", operation_id="replayDeal")
    async def replay(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int],
        move: Annotated[int | None, QueryParameter(ge=0, le=10_000)] = None,
    ) -> Response[s.ReplayOut]:  # fmt: skip
        """The deal after its first `move` moves (all of them when left out), and these moves."""
        then, now, entries = await referee.replay(match_id, number, move)
        sight = await _sight(referee, who, now)
        played = moves_out(entries, then, sight)
        body = s.ReplayOut(then.moves, now.moves, deal_out(then, sight), played)
        return answer(request, body, now.version, who)

    @get("/{number:int}/events", operation_id="listDealEvents")
    async def events(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int],
        after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=PAGE)] = 100,
    ) -> Response[s.EventsOut]:  # fmt: skip
        """The deal's events, in order, past version `after`, as this reader may see them."""
        deal = await referee.deal(match_id, number)
        sight = await _sight(referee, who, deal)
        entries = await referee.entries(deal_id(match_id, number), after, limit)
        events = await events_out(referee, entries, deal, sight)
        return answer(request, events_page(events, deal.version), deal.version, who)


def _irregular(data: s.StartDeal) -> None:
    """Raises BadValue for what is said of an irregular layout where no layout is told."""
    if data.sizes is not None and data.open is None:
        raise errors.BadValue(errors.Fault("#/sizes", "only beside `open`"))
    if data.let_stand and data.layout is None and data.open is None:
        raise errors.BadValue(errors.Fault("#/let_stand", "only beside `layout` or `open`"))
    for name in ("why", "agreed"):
        if getattr(data, name) and not data.let_stand:
            raise errors.BadValue(errors.Fault(f"#/{name}", "only beside `let_stand`"))


async def _played(
    request: StrictRequest, referee: Referee, who: Caller, number: int, done: Done
) -> Response[s.PlayedOut | s.VerdictOut]:  # fmt: skip
    """The answer to a move, rebuilt from the versions that it led to."""
    after = done.command.versions[deal_id(who.match, number)]
    deal = await referee.deal(who.match, number, after)
    made = deal.played[-1].made
    sight = await _sight(referee, who, deal)
    match = await referee.match(who.match, done.command.versions.get(who.match)) if deal.points else None
    body = s.PlayedOut(
        seat=deal.seats[made.seat],
        move=made.move,
        effects=deal.kernel.hide_effects(made.effects, made.seat, sight),
        deal=deal_out(deal, sight),
        totals=match.totals if match else None,
        winners=match.winners if match else (),
        fingerprint=line_out(match.deals[number - 1]).fingerprint if match else None,
        position=done.command.position,
    )
    return answer(request, body, after, who, 201, **done_headers(done.replayed))


async def _started(
    request: StrictRequest, referee: Referee, who: Caller, done: Done
) -> Response[s.DealStartedOut]:  # fmt: skip
    """The answer to whatever brought a deal on its way."""
    match = await referee.match(who.match, done.command.versions[who.match])
    line = match.deals[-1]
    deal, version = None, match.version
    if line.id in done.command.versions:
        deal = await referee.deal(who.match, line.number, done.command.versions[line.id])
        version = deal.version
    shown = deal_out(deal, await _sight(referee, who, deal)) if deal else None
    headers = done_headers(done.replayed, f"/v1/matches/{who.match}/deals/{line.number}")
    body = s.DealStartedOut(line.number, line_out(line), shown, done.command.position)
    return answer(request, body, version, who, 201, **headers)


async def _sight(referee: Referee, who: Caller, deal: Deal) -> Sight:
    """What the caller sees of this deal; the arbiter's look at hidden cards leaves its trace first."""
    await referee.look(who, deal)
    return sight_of(who, deal)


def _cursor(given: str | None, version: int) -> int:
    if given is None:
        return 0
    found = _CURSOR.fullmatch(given)
    if found is None:
        raise ClientException("cursor must be one answered as `next`.")
    if int(found[1]) != version:
        raise errors.Clash("DEAL_MOVED", "A move was made since this list began; begin again without a cursor.")
    return int(found[2])
