"""Standings of players over any set of matches: wins, points, average a deal, tablanets, revokes."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final
from uuid import UUID

import msgspec

from projections import moves, sheet, totals
from projections.base import View
from projections.sheet import Sheet
from projections.tables import Rows
from projections.when import micros
from referee.events import Event, Recorded

NAME: Final = "standings"
VERSION: Final = 1
TABLES: Final = {
    "player": "key TEXT, player TEXT, game TEXT NOT NULL, opened BIGINT NOT NULL, imported INTEGER NOT NULL,"
    " finished INTEGER NOT NULL, won INTEGER NOT NULL, shared INTEGER NOT NULL, forfeit INTEGER NOT NULL,"
    " points INTEGER NOT NULL, deals INTEGER NOT NULL, tablanets INTEGER NOT NULL, revokes INTEGER NOT NULL,"
    " PRIMARY KEY (key, player)",
}
INDEXES: Final = ("player (player, opened)", "player (game, opened)", "player (opened)")
Doc: Final = Sheet
REVOKE: Final = "revoke"


class Line(msgspec.Struct, frozen=True):
    """What one match was for one player.

    `finished`: it gave the player a result. Points, deals and tablanets are those of the deals that count and that the
    player held a seat in; revokes are those of all deals, since a deal is often voided because of one.
    """

    player: UUID
    finished: bool
    won: bool
    shared: bool
    forfeit: bool
    points: int
    deals: int
    tablanets: int
    revokes: int


class Standing(msgspec.Struct, frozen=True):
    """A player over a set of matches. `matches` = `finished` + `unfinished`; `win_rate` is over the finished ones only
    (null without any), and `average` is points a deal. `shared` and `forfeits` are among the `wins`."""

    rank: int
    player: UUID
    matches: int
    finished: int
    unfinished: int
    wins: int
    shared: int
    forfeits: int
    win_rate: float | None
    points: int
    deals: int
    average: float | None
    tablanets: int
    revokes: int


class Wanted(msgspec.Struct, frozen=True):
    """Which matches: all conditions given must hold; `players` all took part; imported ones only where `imported`."""

    game: str | None = None
    players: tuple[UUID, ...] = ()
    matches: tuple[UUID, ...] = ()
    since: datetime | None = None
    until: datetime | None = None
    imported: bool = False


def hears(event: Event) -> bool:
    """What the match itself says, and what its deals say beside plain moves."""
    return totals.hears(event) or moves.speaks(event)


def evolve(doc: Sheet | None, recorded: Recorded) -> Sheet:
    """The sheet after one more event."""
    return sheet.evolve(doc, recorded)


def rows(key: str, doc: Sheet) -> Mapping[str, Rows]:
    """A row for every player of the match."""
    opened = micros(doc.opened_at)
    return {
        "player": [
            (
                key,
                str(line.player),
                doc.game,
                opened,
                int(doc.imported),
                *(int(flag) for flag in (line.finished, line.won, line.shared, line.forfeit)),
                line.points,
                line.deals,
                line.tablanets,
                line.revokes,
            )
            for line in lines(doc)
        ]
    }


def lines(doc: Sheet) -> Iterator[Line]:
    """What the match was for each of its players.

    A result goes to who holds a seat at the end. A seat that was left has none, unless the match was forfeited.
    """
    forfeit = doc.state == "abandoned"
    held = {seat.player: place for place, seat in enumerate(doc.seats)}
    for player in dict.fromkeys(one for seat in doc.seats for one in (*seat.before, seat.player)):
        place = held.get(player)
        over = bool(doc.winners) and place is not None and (forfeit or not doc.seats[place].left)
        won = over and place in doc.winners
        mine = [
            (deal, seat) for deal in doc.scored for seat in deal.seats if deal.players[seat : seat + 1] == (player,)
        ]
        yield Line(
            player,
            over,
            won,
            won and len(doc.winners) > 1,
            won and forfeit,
            sum((deal.points or ())[seat] for deal, seat in mine),
            len({deal.number for deal, _ in mine}),
            sum(by == seat for deal, seat in mine for _, by in deal.course.tablanets),
            sum(fault.kind == REVOKE and _holder(doc, deal, fault.seat) == player
                for deal in doc.deals for fault in deal.course.faults),
        )  # fmt: skip


def conditions(wanted: Wanted) -> tuple[str, list[object]]:
    """The WHERE clause and its values."""
    texts: list[str] = []
    values: list[object] = []
    for text, value in (
        ("game = %s", wanted.game),
        ("opened >= %s", wanted.since and micros(wanted.since)),
        ("opened < %s", wanted.until and micros(wanted.until)),
        ("imported = %s", None if wanted.imported else 0),
    ):
        if value is not None:
            texts.append(text)
            values.append(value)
    if wanted.matches:
        texts.append(f"key IN ({', '.join(['%s'] * len(wanted.matches))})")
        values += map(str, wanted.matches)
    for player in wanted.players:
        texts.append("key IN (SELECT key FROM {player} WHERE player = %s)")
        values.append(str(player))
    return " AND ".join(texts) or "1 = 1", values


def read(view: View, wanted: Wanted, limit: int, only: UUID | None = None) -> tuple[list[Standing], int]:
    """Standings by wins, then points, and how many players there are in all; at most `limit` of them are given.

    With `only`, the one player's line alone, at rank 1.
    """
    where, values = conditions(wanted)
    if only:
        where, values = f"{where} AND player = %s", [*values, str(only)]
    found = view(
        "SELECT player, count(*), sum(finished), sum(won), sum(shared), sum(forfeit), sum(points), sum(deals),"
        " sum(tablanets), sum(revokes), rank() OVER (ORDER BY sum(won) DESC, sum(points) DESC), count(*) OVER ()"
        " FROM {player} WHERE " + where + " GROUP BY player ORDER BY 11, player LIMIT %s",
        *values,
        limit,
    )
    return [_standing(row) for row in found], found[0][11] if found else 0


def _standing(row: Sequence[Any]) -> Standing:
    player, *numbers = row
    matches, finished, wins, shared, forfeits, points, deals, tablanets, revokes, rank, _ = map(int, numbers)
    return Standing(
        rank,
        UUID(player),
        matches,
        finished,
        matches - finished,
        wins,
        shared,
        forfeits,
        round(wins / finished, 4) if finished else None,
        points,
        deals,
        round(points / deals, 4) if deals else None,
        tablanets,
        revokes,
    )


def _holder(doc: Sheet, deal: sheet.Deal, seat: int) -> UUID:
    return deal.players[seat] if seat < len(deal.players) else doc.seats[seat].player
