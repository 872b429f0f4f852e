"""A player's page: history, form, who was met and beaten, best deals."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

import msgspec

from projections import sheet, standings
from projections.base import View
from projections.sheet import Sheet
from projections.standings import Standing, Wanted
from projections.tables import Rows
from projections.when import micros, moment
from referee.events import Event, Recorded

NAME: Final = "players"
VERSION: Final = 1
TABLES: Final = {
    **standings.TABLES,
    "deal": "key TEXT, number INTEGER, seat INTEGER, player TEXT NOT NULL, game TEXT NOT NULL,"
    " points INTEGER NOT NULL, ended BIGINT NOT NULL, PRIMARY KEY (key, number, seat)",
}
INDEXES: Final = (*standings.INDEXES, "deal (player, game, points)")
Doc: Final = Sheet
FORM: Final = 10
BEST: Final = 5
OPPONENTS: Final = 50

Outcome = Literal["won", "shared", "lost", "unfinished"]
Place = tuple[int, str]


class PlayedMatch(msgspec.Struct, frozen=True):
    """A match in a player's history, with what it was for the player."""

    match: UUID
    game: str
    opened_at: datetime
    imported: bool
    outcome: Outcome
    forfeit: bool
    points: int
    deals: int


class Opponent(msgspec.Struct, frozen=True):
    """Somebody met in matches: how many were finished for both, and who of the two won; the rest was won by others."""

    player: UUID
    matches: int
    finished: int
    won: int
    lost: int


class BestDeal(msgspec.Struct, frozen=True):
    """One of a player's best deals in a game."""

    match: UUID
    number: int
    seat: int
    game: str
    points: int
    ended_at: datetime


class Page(msgspec.Struct, frozen=True):
    """A player's page. Figures, form and opponents leave imported matches out, the history marks them.

    `games` are the figures by game (their `rank` is 1); `form` the last finished matches, newest first.
    """

    player: UUID
    games: dict[str, Standing]
    form: tuple[Outcome, ...]
    history: tuple[PlayedMatch, ...]
    opponents: tuple[Opponent, ...]
    best: tuple[BestDeal, ...]


def hears(event: Event) -> bool:
    """What standings are made of."""
    return standings.hears(event)


def evolve(doc: Sheet | None, recorded: Recorded) -> Sheet:
    """The sheet after one more event."""
    return sheet.evolve(doc, recorded)


def rows(key: str, doc: Sheet) -> Mapping[str, Rows]:
    """The players' rows of the standings, and every deal that counts by seat."""
    return {
        **standings.rows(key, doc),
        "deal": [
            (key, d.number, seat, str(d.players[seat]), doc.game, (d.points or ())[seat], micros(d.ended_at or d.started_at))
            for d in doc.scored
            for seat in d.seats
        ],
    }  # fmt: skip


def read(view: View, player: UUID, after: Place | None, limit: int) -> tuple[Page, Place | None] | None:
    """A player's page with `limit` matches of the history, and where the next page of it begins; None if never seen.

    The number of queries does not depend on how much was played.
    """
    games = [game for (game,) in view("SELECT DISTINCT game FROM {player} WHERE player = %s", str(player))]
    if not games:
        return None
    figures = {}
    for game in sorted(games):
        found = _figures(view, player, game)
        if found:
            figures[game] = found
    history, following = _history(view, player, after, limit)
    form = view(
        "SELECT won, shared FROM {player} WHERE player = %s AND finished = 1 AND imported = 0"
        " ORDER BY opened DESC, key DESC LIMIT %s",
        str(player),
        FORM,
    )
    return (
        Page(
            player,
            figures,
            tuple(_outcome(1, won, shared) for won, shared in form),
            tuple(history),
            tuple(_opponents(view, player)),
            tuple(best for game in sorted(games) for best in _best(view, player, game)),
        ),
        following,
    )


def _figures(view: View, player: UUID, game: str) -> Standing | None:
    """Only this player's rows, not the table of everybody he met."""
    found, _ = standings.read(view, Wanted(game=game), 1, only=player)
    return found[0] if found else None


def _history(view: View, player: UUID, after: Place | None, limit: int) -> tuple[list[PlayedMatch], Place | None]:
    found = view(
        "SELECT key, game, opened, imported, finished, won, shared, forfeit, points, deals"
        " FROM {player} WHERE player = %s"
        + (" AND (opened, key) < (%s, %s)" if after else "")
        + " ORDER BY opened DESC, key DESC LIMIT %s",
        str(player),
        *(after or ()),
        limit + 1,
    )  # fmt: skip
    played = [
        PlayedMatch(
            UUID(key),
            game,
            moment(opened),
            bool(imported),
            _outcome(finished, won, shared),
            bool(forfeit),
            points,
            deals,
        )
        for key, game, opened, imported, finished, won, shared, forfeit, points, deals in found[:limit]
    ]
    return played, (found[limit - 1][2], found[limit - 1][0]) if len(found) > limit else None


def _opponents(view: View, player: UUID) -> list[Opponent]:
    found = view(
        "SELECT o.player, count(*), sum(m.finished * o.finished), sum(m.won * o.finished * (1 - o.won)),"
        " sum(o.won * m.finished * (1 - m.won)) FROM {player} m JOIN {player} o ON o.key = m.key AND o.player <> m.player"
        " WHERE m.player = %s AND m.imported = 0 GROUP BY o.player ORDER BY 2 DESC, 1 LIMIT %s",
        str(player),
        OPPONENTS,
    )
    return [Opponent(UUID(other), *map(int, numbers)) for other, *numbers in found]


def _best(view: View, player: UUID, game: str) -> list[BestDeal]:
    found = view(
        "SELECT key, number, seat, points, ended FROM {deal} WHERE player = %s AND game = %s"
        " ORDER BY points DESC, ended, key, number LIMIT %s",
        str(player),
        game,
        BEST,
    )
    return [BestDeal(UUID(key), number, seat, game, points, moment(at)) for key, number, seat, points, at in found]


def _outcome(finished: int, won: int, shared: int) -> Outcome:
    if not finished:
        return "unfinished"
    return "shared" if shared else "won" if won else "lost"
