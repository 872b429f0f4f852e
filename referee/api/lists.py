"""Lists over all matches, for the operator: matches, standings, players, irregularities.

Tokens belong to one match, so nobody who only plays may list what others played: these answer to the operator alone,
who may show them to whom he likes. What is about one match is read with a token of that match.
"""

from datetime import datetime
from typing import Annotated, Any, TypeAlias
from uuid import UUID

import msgspec
from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter

from projections import irregularities, matches, players, standings
from projections.sheet import State
from projections.tables import Tables
from referee import errors
from referee.api import spreadsheet
from referee.api.reading import ask, cursor_in, cursor_out, limited, only_operator, page, zoned
from referee.api.request import StrictRequest
from referee.service import Referee

MinPosition: TypeAlias = Annotated[int, QueryParameter(ge=0, le=2**63 - 1)]
Cursor: TypeAlias = Annotated[str | None, QueryParameter(max_length=500)]
Game: TypeAlias = Annotated[str | None, QueryParameter(max_length=40)]
MANY: Any = 100
STANDINGS: Any = 500


class MatchList(msgspec.Struct, frozen=True):
    """A page of matches, newest first, as far as the log was read (`position`). `names` leaves out erased ones."""

    matches: list[matches.MatchLine]
    names: dict[UUID, str]
    position: int
    next: str | None


class Standings(msgspec.Struct, frozen=True):
    """The first of `players` players. Unfinished matches are counted apart and left out of wins and win rates."""

    standings: list[standings.Standing]
    names: dict[UUID, str]
    players: int
    position: int


class PlayerPage(msgspec.Struct, frozen=True):
    """A player's page; `next` is the cursor of the next page of the history."""

    page: players.Page
    names: dict[UUID, str]
    position: int
    next: str | None


class IrregularityList(msgspec.Struct, frozen=True):
    """A page of irregularities and disputes, newest first. `words` are the reasons given, erased ones left out."""

    items: list[irregularities.Listed]
    words: dict[UUID, str]
    position: int
    next: str | None


class Lists(Controller):
    """Everything that looks across matches."""

    tags = ["lists"]
    guards = [only_operator]
    security = [{"operator": []}]

    @get("/matches", operation_id="listMatches")
    async def list_matches(
        self, request: StrictRequest, referee: NamedDependency[Referee], tables: NamedDependency[Tables],
        player: FromQuery[UUID | None] = None, game: Game = None,
        match_state: Annotated[State | None, QueryParameter(name="state")] = None,
        since: FromQuery[datetime | None] = None, until: FromQuery[datetime | None] = None,
        imported: FromQuery[bool | None] = None, cursor: Cursor = None,
        limit: FromQuery[int] = 20, min_position: MinPosition = 0,
    ) -> Response[MatchList]:  # fmt: skip
        """Matches by player, game, state and time of opening (from `since` on, before `until`), newest first."""
        wanted = matches.Wanted(player, game, match_state, zoned("since", since), zoned("until", until), imported)
        after, most = cursor_in(cursor, matches.Place), limited(limit)
        found, position = await ask(tables, matches, min_position, lambda v: matches.read(v, wanted, after, most))
        lines, following = found or ([], None)
        names = await referee.names(list({seat.player for line in lines for seat in line.seats}))
        place = cursor_out(following)
        return page(request, MatchList(lines, names, position, place), place)

    @get("/standings", operation_id="getStandings")
    async def read_standings(
        self, request: StrictRequest, referee: NamedDependency[Referee], tables: NamedDependency[Tables],
        game: Game = None, player: FromQuery[list[UUID] | None] = None, match: FromQuery[list[UUID] | None] = None,
        since: FromQuery[datetime | None] = None, until: FromQuery[datetime | None] = None,
        imported: FromQuery[bool] = False, limit: FromQuery[int] = 100, min_position: MinPosition = 0,
    ) -> Response[Standings]:  # fmt: skip
        """Standings by wins, then points, over the matches that fit.

        Those of a game, of a time, these matches (`match`), those in which all of `player` took part. Imported matches count
        only with `imported=true`; unfinished ones are counted apart and left out of win rates.
        """
        wanted = _standings_of(game, player, match, since, until, imported)
        most = limited(limit, STANDINGS)
        found, position = await ask(tables, standings, min_position, lambda v: standings.read(v, wanted, most))
        lines, count = found or ([], 0)
        names = await referee.names([line.player for line in lines])
        return page(request, Standings(lines, names, count, position), None)

    @get("/standings.csv", operation_id="getStandingsCsv", media_type=spreadsheet.MEDIA_TYPE)
    async def read_csv(
        self, referee: NamedDependency[Referee], tables: NamedDependency[Tables],
        game: Game = None, player: FromQuery[list[UUID] | None] = None, match: FromQuery[list[UUID] | None] = None,
        since: FromQuery[datetime | None] = None, until: FromQuery[datetime | None] = None,
        imported: FromQuery[bool] = False, limit: FromQuery[int] = 100, min_position: MinPosition = 0,
        separator: FromQuery[spreadsheet.Separator] = "comma", bom: FromQuery[bool] = False,
    ) -> Response[bytes]:  # fmt: skip
        """The same standings as a file for spreadsheets."""
        wanted = _standings_of(game, player, match, since, until, imported)
        most = limited(limit, STANDINGS)
        found, _ = await ask(tables, standings, min_position, lambda v: standings.read(v, wanted, most))
        lines = found[0] if found else []
        names = await referee.names([line.player for line in lines])
        return spreadsheet.download(spreadsheet.standings_rows(lines, names), separator, bom, "standings")

    @get("/players/{player_id:uuid}", operation_id="getPlayer")
    async def read_player(
        self, request: StrictRequest, referee: NamedDependency[Referee], tables: NamedDependency[Tables],
        player_id: FromPath[UUID], cursor: Cursor = None, limit: FromQuery[int] = 20, min_position: MinPosition = 0,
    ) -> Response[PlayerPage]:  # fmt: skip
        """A player: figures by game, form, matches played, opponents, best deals."""
        after, most = cursor_in(cursor, players.Place), limited(limit)
        found, position = await ask(tables, players, min_position, lambda v: players.read(v, player_id, after, most))
        if found is None:
            raise errors.NotFound("There is no such player.")
        about, following = found
        names = await referee.names([player_id, *(other.player for other in about.opponents)])
        place = cursor_out(following)
        return page(request, PlayerPage(about, names, position, place), place)

    @get("/irregularities", operation_id="listIrregularities")
    async def list_irregularities(
        self, request: StrictRequest, referee: NamedDependency[Referee], tables: NamedDependency[Tables],
        match: FromQuery[UUID | None] = None, sort: FromQuery[irregularities.Sort | None] = None,
        kind: Annotated[str | None, QueryParameter(max_length=80)] = None,
        item_state: Annotated[irregularities.ItemState | None, QueryParameter(name="state")] = None,
        cursor: Cursor = None, limit: FromQuery[int] = 20, min_position: MinPosition = 0,
    ) -> Response[IrregularityList]:  # fmt: skip
        """Irregularities and disputes of all matches, newest first."""
        wanted = irregularities.Wanted(match, sort, kind, item_state)
        return await irregularities_page(request, referee, tables, wanted, cursor, limit, min_position)


async def irregularities_page(
    request: StrictRequest, referee: Referee, tables: Tables, wanted: irregularities.Wanted, cursor: str | None,
    limit: int, min_position: int,
) -> Response[IrregularityList]:  # fmt: skip
    """A page of what is wanted. Raises BadValue for a limit or cursor that is none, Busy."""
    after, most = cursor_in(cursor, irregularities.Place), limited(limit)
    found, position = await ask(
        tables, irregularities, min_position, lambda v: irregularities.read(v, wanted, after, most)
    )
    items, following = found or ([], None)
    reasons = [entry.item.why for entry in items] + [ruling.why for entry in items for ruling in entry.item.rulings]
    place = cursor_out(following)
    return page(
        request, IrregularityList(items, await referee.names([why for why in reasons if why]), position, place), place
    )


def _standings_of(
    game: str | None,
    players: list[UUID] | None,
    matches: list[UUID] | None,
    since: datetime | None,
    until: datetime | None,
    imported: bool,
) -> standings.Wanted:
    for name, values in (("player", players), ("match", matches)):
        if values and len(values) > MANY:
            raise errors.BadValue(errors.Fault(name, f"at most {MANY} of them"))
    return standings.Wanted(
        game, tuple(players or ()), tuple(matches or ()), zoned("since", since), zoned("until", until), imported
    )
