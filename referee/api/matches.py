"""Matches: open, read, rematch, tokens, events."""

from typing import Annotated, Any
from uuid import UUID, uuid4

import msgspec
from litestar import Controller, Request, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter

from referee import errors
from referee.access import Caller
from referee.api import schemas as s
from referee.api.present import answer, done_headers, event_out, match_out, tokens_out
from referee.api.request import StrictRequest, cards_in, fault_of, key_of
from referee.match import access_id
from referee.names import check_name
from referee.rules.cards import EVERYTHING
from referee.rules.game import GAMES, Game
from referee.service import Done, FirstDealer, Referee

PAGE = 500


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
        players = await _players(referee, data.seats)
        key = await key_of(request, f"open:{request.client.host if request.client else ''}")
        done = await referee.open_match(game, rules, players, _first(data.first_dealer, data.alphabet), key)
        return await _opened(request, referee, done)

    @get("/{match_id:uuid}", operation_id="getMatch")
    async def read(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID],
    ) -> Response[s.MatchOut]:  # fmt: skip
        """The match: house rules, seats, totals, deals, who deals next."""
        match = await referee.match(match_id)
        return answer(request, match_out(match, await referee.names(match.players)), match.version, who)

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
        events = tuple(event_out(entry, None, EVERYTHING) for entry in entries)
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


async def _players(referee: Referee, seats: tuple[s.NewSeat, ...]) -> list[tuple[UUID, str]]:
    known = await referee.names([seat.player for seat in seats if seat.player])
    players: list[tuple[UUID, str]] = []
    faults = []
    for place, seat in enumerate(seats):
        pointer = f"#/seats/{place}"
        if (seat.name is None) == (seat.player is None):
            faults.append(errors.Fault(pointer, "give either a name or the id of a known player"))
        elif seat.player is not None:
            if seat.player not in known:
                faults.append(errors.Fault(f"{pointer}/player", "no such player"))
            if any(seat.player == other for other, _ in players):
                faults.append(errors.Fault(f"{pointer}/player", "this player has a seat already"))
            players.append((seat.player, known.get(seat.player, "")))
        else:
            name, reason = check_name(seat.name or "")
            if reason:
                faults.append(errors.Fault(f"{pointer}/name", reason))
            players.append((uuid4(), name))
    if faults:
        raise errors.BadValue(*faults)
    return players


def _first(given: s.First, alphabet: str) -> FirstDealer:
    if given.seat is not None and given.cut is not None:
        raise errors.BadValue(errors.Fault("#/first_dealer", "give a seat or the cards cut, not both"))
    return FirstDealer(given.seat, cards_in(given.cut, alphabet, "#/first_dealer/cut"))


async def _opened(request: Request[Any, Any, Any], referee: Referee, done: Done) -> Response[s.Opened]:
    match_id, version = next(iter(done.command.versions.items()))
    match = await referee.match(match_id, version)
    tokens = tokens_out(await referee.tokens(match_id, done.command.versions[access_id(match_id)]))
    body = s.Opened(match_out(match, await referee.names(match.players)), tokens, done.command.position)
    headers = done_headers(done.replayed, f"/v1/matches/{match_id}")
    reply = answer(request, body, version, None, 201, **headers)
    reply.headers["Cache-Control"] = "no-store"
    return reply
