"""Matches: open, read, rematch, tokens, events."""

from datetime import datetime
from typing import Annotated, Any
from uuid import UUID

import msgspec
from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.exceptions import ClientException
from litestar.params import FromPath, JSONBody, QueryParameter

from referee import errors
from referee.access import Caller
from referee.api import schemas as s
from referee.api.present import answer, done_headers, events_out, match_out, tokens_out, words_in
from referee.api.request import StrictRequest, cards_in, fault_of, key_of
from referee.desk import Done
from referee.match import access_id
from referee.rules.cards import EVERYTHING
from referee.rules.game import GAMES, Game
from referee.service import FirstDealer, Referee

PAGE = 500
Version = Annotated[int | None, QueryParameter(ge=1, le=2**53)]
"""The version as of which something is read."""
At = Annotated[datetime | None, QueryParameter()]
"""The time as of which something is read, with its offset from UTC."""


def moment(at: datetime | None) -> datetime | None:
    """A time that was asked for. Raises ClientException for one that does not say where."""
    if at is not None and at.tzinfo is None:
        raise ClientException("at must be a time with its offset, such as 2026-11-30T20:15:00Z.")
    return at


class Matches(Controller):
    """`/v1/matches`."""

    path = "/matches"
    tags = ["matches"]

    @post(operation_id="openMatch", status_code=201, security=[{}])
    async def open(
        self, request: StrictRequest, referee: NamedDependency[Referee], data: JSONBody[s.OpenMatch]
    ) -> Response[s.Opened]:
        """Open a match under the house rules agreed on; answers its bearer tokens, which nobody can ask for again."""
        game = GAMES.get(data.game)
        if game is None:
            raise errors.BadValue(errors.Fault("#/game", f"no such game; there are {', '.join(sorted(GAMES))}"))
        rules = _agreed(game, data)
        asked = [(seat.player, seat.name) for seat in data.seats]
        players = await referee.players(asked, [f"#/seats/{place}" for place in range(len(asked))])
        key = await key_of(request, f"open:{request.client.host if request.client else ''}")
        done = await referee.open_match(
            game, rules, players, _first(data.first_dealer, data.alphabet), data.consent, key
        )
        return await _opened(request, referee, done)

    @get("/{match_id:uuid}", operation_id="getMatch")
    async def read(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], version: Version = None, at: At = None,
    ) -> Response[s.MatchOut]:  # fmt: skip
        """The match, now or as it stood at `version` or `at` a time: house rules, seats, totals, deals, next dealer."""
        match = await referee.match(match_id, version, moment(at))
        return answer(request, match_out(match, await referee.names(words_in(match))), match.version, who)

    @post("/{match_id:uuid}/rematch", operation_id="openRematch", status_code=201)
    async def rematch(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], data: JSONBody[s.Rematch],
    ) -> Response[s.Opened]:  # fmt: skip
        """Open another match with the same players and rules; both are linked. For the scorekeeper or the arbiter."""
        first = _first(data.first_dealer, data.alphabet) if data.first_dealer else None
        done = await referee.rematch(who, first, await key_of(request, str(match_id)))
        return await _opened(request, referee, done)

    @post("/{match_id:uuid}/tokens", operation_id="renewToken", status_code=201)
    async def renew_token(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], data: JSONBody[s.NewToken],
    ) -> Response[s.TokenOut]:  # fmt: skip
        """Issue a role's token again and revoke the one before. For the arbiter."""
        done = await referee.new_token(who, data.role, data.seat, await key_of(request, str(match_id)))
        held = await referee.tokens(match_id, done.command.versions[access_id(match_id)])
        token = next(token for role, seat, token in held if (role, seat) == (data.role, data.seat))
        headers = {name.replace("_", "-"): value for name, value in done_headers(done.replayed).items()}
        body = s.TokenOut(data.role, data.seat, token)
        return Response(body, status_code=201, headers={"Cache-Control": "no-store", **headers})

    @get("/{match_id:uuid}/events", operation_id="listMatchEvents")
    async def events(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID],
        after: Annotated[int, QueryParameter(ge=0, le=2**53)] = 0,
        limit: Annotated[int, QueryParameter(ge=1, le=PAGE)] = 100,
    ) -> Response[s.EventsOut]:  # fmt: skip
        """The match's own events, in order, past version `after`; each deal has a stream of its own."""
        match = await referee.match(match_id)
        entries = await referee.entries(match_id, after, limit)
        events = await events_out(referee, entries, None, EVERYTHING)
        return answer(request, events_page(events, match.version), match.version, who)


def events_page(events: tuple[s.EventOut, ...], last: int) -> s.EventsOut:
    """A page, with where the next one begins."""
    return s.EventsOut(events, events[-1].version if events and events[-1].version < last else None)


def _agreed(game: Game, data: s.OpenMatch) -> msgspec.Struct:
    preset: Any = {}
    if data.preset is not None:
        preset = game.PRESETS.get(data.preset)
        if preset is None:
            there = ", ".join(sorted(game.PRESETS)) or "none"
            raise errors.BadValue(errors.Fault("#/preset", f"no such preset of {game.NAME}; there are: {there}"))
    try:
        return msgspec.convert({**preset, **data.house_rules}, game.Rules)
    except msgspec.ValidationError as error:
        raise errors.BadValue(fault_of(error, game.Rules, "/house_rules")) from error


def _first(given: s.First, alphabet: str) -> FirstDealer:
    if given.seat is not None and given.cut is not None:
        raise errors.BadValue(errors.Fault("#/first_dealer", "give a seat or the cards cut, not both"))
    return FirstDealer(given.seat, cards_in(given.cut, alphabet, "#/first_dealer/cut"))


async def _opened(request: Request[Any, Any, Any], referee: Referee, done: Done) -> Response[s.Opened]:
    match_id, version = next(iter(done.command.versions.items()))
    match = await referee.match(match_id, version)
    tokens = tokens_out(await referee.tokens(match_id, done.command.versions[access_id(match_id)]))
    body = s.Opened(match_out(match, await referee.names(words_in(match))), tokens, done.command.position)
    headers = done_headers(done.replayed, f"/v1/matches/{match_id}")
    reply = answer(request, body, version, None, 201, **headers)
    reply.headers["Cache-Control"] = "no-store"
    return reply
