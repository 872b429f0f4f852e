"""The list of matches, newest first, and the deals of a match with their results."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Final
from uuid import UUID

import msgspec

from projections import sheet, totals
from projections.base import View, decode_text
from projections.sheet import DealState, Sheet, State
from projections.tables import Rows
from projections.when import micros, moment
from referee.events import Event, Lines, Mode, Points, Recorded

NAME: Final = "matches"
VERSION: Final = 1
TABLES: Final = {
    "match": "key TEXT PRIMARY KEY, opened BIGINT NOT NULL, game TEXT NOT NULL, state TEXT NOT NULL,"
    " imported INTEGER NOT NULL, summary TEXT NOT NULL",
    "player": "key TEXT, player TEXT, opened BIGINT NOT NULL, PRIMARY KEY (key, player)",
}
INDEXES: Final = (
    "match (opened, key)",
    "match (game, opened, key)",
    "match (state, opened, key)",
    "match (game, state, opened, key)",
    "player (player, opened, key)",
)
Doc: Final = Sheet


class SeatLine(msgspec.Struct, frozen=True):
    """A seat in the list of matches: who has it now, and its total."""

    player: UUID
    total: int
    left: bool


class Summary(msgspec.Struct, frozen=True):
    """What the list says of a match beside what it is searched by. `deals` counts those that count."""

    seats: tuple[SeatLine, ...]
    winners: tuple[int, ...]
    deals: int
    running: int | None
    target: int
    last_at: datetime
    rematch_of: UUID | None


class MatchLine(msgspec.Struct, frozen=True):
    """A match in the list."""

    match: UUID
    game: str
    state: State
    imported: bool
    opened_at: datetime
    seats: tuple[SeatLine, ...]
    winners: tuple[int, ...]
    deals: int
    running: int | None
    target: int
    last_at: datetime
    rematch_of: UUID | None


class DealLine(msgspec.Struct, frozen=True):
    """A deal of a match: its result by seat, null while it is played or when it counts for nobody.

    `players` are who held the seats when it was scored; `revisions` counts how often its result was settled.
    """

    number: int
    dealer: int
    mode: Mode
    state: DealState
    seats: tuple[int, ...]
    players: tuple[UUID, ...]
    points: Points | None
    lines: Lines | None
    totals: tuple[int | None, ...] | None
    revisions: int
    started_at: datetime
    ended_at: datetime | None


class Wanted(msgspec.Struct, frozen=True):
    """Which matches: every condition that is given must hold; opened from `since` on, before `until`."""

    player: UUID | None = None
    game: str | None = None
    state: State | None = None
    since: datetime | None = None
    until: datetime | None = None
    imported: bool | None = None


Place = tuple[int, str]
"""Where a page ends: when its last match was opened, in microseconds, and its id."""


def hears(event: Event) -> bool:
    """What the match itself says, and that it came in as a record."""
    return totals.hears(event)


def evolve(doc: Sheet | None, recorded: Recorded) -> Sheet:
    """The sheet after one more event."""
    return sheet.evolve(doc, recorded)


def rows(key: str, doc: Sheet) -> Mapping[str, Rows]:
    """The match's line, and everybody who ever had a seat in it."""
    now, opened, running = sheet.totals(doc), micros(doc.opened_at), doc.running
    summary = Summary(
        tuple(SeatLine(seat.player, total, seat.left) for seat, total in zip(doc.seats, now, strict=True)),
        doc.winners,
        len(doc.scored),
        running.number if running else None,
        doc.target,
        doc.last_at,
        doc.rematch_of,
    )
    players = dict.fromkeys(player for seat in doc.seats for player in (*seat.before, seat.player))
    return {
        "match": [
            (key, opened, doc.game, doc.state, int(doc.imported), msgspec.json.encode(summary).decode()),
        ],
        "player": [(key, str(player), opened) for player in players],
    }


def read(view: View, wanted: Wanted, after: Place | None, limit: int) -> tuple[list[MatchLine], Place | None]:
    """A page of matches, newest first, and where the next one begins; one query, whatever the limit.

    A match that is opened while somebody pages comes before the first page: no page repeats or skips one.
    """
    by = "p" if wanted.player else "m"
    conditions = {
        "p.player = %s": wanted.player and str(wanted.player),
        "m.game = %s": wanted.game,
        "m.state = %s": wanted.state,
        f"{by}.opened >= %s": wanted.since and micros(wanted.since),
        f"{by}.opened < %s": wanted.until and micros(wanted.until),
        "m.imported = %s": None if wanted.imported is None else int(wanted.imported),
    }
    held = [(text, value) for text, value in conditions.items() if value is not None]
    texts, values = [text for text, _ in held], [value for _, value in held]
    if after:
        texts.append(f"({by}.opened, {by}.key) < (%s, %s)")
        values += after
    found = view(
        "SELECT m.key, m.opened, m.game, m.state, m.imported, m.summary FROM {match} m"
        + (" JOIN {player} p ON p.key = m.key" if wanted.player else "")
        + (f" WHERE {' AND '.join(texts)}" if texts else "")
        + f" ORDER BY {by}.opened DESC, {by}.key DESC LIMIT %s",
        *values,
        limit + 1,
    )
    lines = [_line(*row) for row in found[:limit]]
    return lines, (found[limit - 1][1], found[limit - 1][0]) if len(found) > limit else None


def deals(view: View, match: UUID) -> tuple[list[DealLine], int] | None:
    """The deals of a match in order, and the match's version; None if the log has not been read as far as its opening."""
    found = view.document(match)
    if found is None:
        return None
    doc: Sheet = found[0]
    after = {deal.number: line for deal, line in zip(doc.scored, sheet.running_totals(doc), strict=True)}
    return [_deal_line(deal, after.get(deal.number)) for deal in doc.deals], doc.version


def _line(key: str, opened: int, game: str, state: State, imported: int, text: str) -> MatchLine:
    summary = decode_text(text, Summary)
    parts: Sequence[object] = [getattr(summary, name) for name in summary.__struct_fields__]
    return MatchLine(UUID(key), game, state, bool(imported), moment(opened), *parts)  # type: ignore[arg-type]


def _deal_line(deal: sheet.Deal, after: tuple[int | None, ...] | None) -> DealLine:
    return DealLine(
        deal.number,
        deal.dealer,
        deal.mode,
        deal.state,
        deal.seats,
        deal.players,
        deal.points,
        deal.lines,
        after,
        len(deal.revisions),
        deal.started_at,
        deal.ended_at,
    )
