"""Running totals of every match: per seat after each deal, with score lines, distance to the target, leader, winner."""

from typing import Final
from uuid import UUID

import msgspec

from projections.runner import position
from projections.tables import Execute
from referee.events import DealScored, DealStarted, MatchOpened, MatchWon, Recorded

NAME: Final = "totals"
TABLES: Final = (
    "CREATE TABLE IF NOT EXISTS totals_match (match TEXT PRIMARY KEY, game TEXT NOT NULL, target INTEGER NOT NULL,"
    " seats INTEGER NOT NULL, winners TEXT NOT NULL, running INTEGER)",
    "CREATE TABLE IF NOT EXISTS totals_deal (match TEXT, number INTEGER, seat INTEGER, points INTEGER NOT NULL,"
    " total INTEGER NOT NULL, lines TEXT NOT NULL, PRIMARY KEY (match, number, seat))",
)


class SeatTotal(msgspec.Struct, frozen=True):
    """A seat's total, how many points it lacks to the target (0 once there), and its score lines over all deals."""

    seat: int
    total: int
    distance: int
    lines: dict[str, int]


class DealTotal(msgspec.Struct, frozen=True):
    """A scored deal: points, score lines and the totals after it, by seat."""

    number: int
    points: tuple[int, ...]
    totals: tuple[int, ...]
    lines: tuple[dict[str, int], ...]


class Totals(msgspec.Struct, frozen=True):
    """The score sheet of a match. `leaders` are the seats with the highest total, none before a deal is scored;
    `winners` is empty until the match is over; `running` is the number of the deal being played."""

    match: UUID
    game: str
    target: int
    position: int
    seats: tuple[SeatTotal, ...]
    deals: tuple[DealTotal, ...]
    leaders: tuple[int, ...]
    winners: tuple[int, ...]
    running: int | None


def apply(execute: Execute, recorded: Recorded) -> None:
    """What an event changes in the tables."""
    event, match = recorded.event, str(recorded.stream)
    match event:
        case MatchOpened(game, _, house_rules, players):
            values: tuple[object, ...] = (match, game, house_rules["target"], len(players))
            execute("INSERT INTO totals_match VALUES (%s, %s, %s, %s, '[]', NULL)", *values)
        case DealStarted(number):
            execute("UPDATE totals_match SET running = %s WHERE match = %s", number, match)
        case DealScored(number, points, lines, totals):
            for seat, total in enumerate(totals):
                values = (match, number, seat, points[seat], total, msgspec.json.encode(lines[seat]).decode())
                execute("INSERT INTO totals_deal VALUES (%s, %s, %s, %s, %s, %s)", *values)
            execute("UPDATE totals_match SET running = NULL WHERE match = %s", match)
        case MatchWon(seats):
            won = msgspec.json.encode(seats).decode()
            execute("UPDATE totals_match SET winners = %s WHERE match = %s", won, match)


def read(execute: Execute, match: UUID) -> Totals | None:
    """The score sheet of a match as far as the log has been read; None if that is not yet as far as its opening."""
    # first of all: what is read after it is at least as new as it says, whatever is committed in between
    read_to = position(execute, NAME)
    rows = execute("SELECT game, target, seats, winners, running FROM totals_match WHERE match = %s", str(match))
    if not rows:
        return None
    game, target, seats, winners, running = rows[0]
    deals: dict[int, list[tuple[int, int, dict[str, int]]]] = {}
    for number, points, total, lines in execute(
        "SELECT number, points, total, lines FROM totals_deal WHERE match = %s ORDER BY number, seat", str(match)
    ):
        deals.setdefault(number, []).append((points, total, msgspec.json.decode(lines)))
    sheet = tuple(
        DealTotal(number, *(tuple(part) for part in zip(*by_seat, strict=True))) for number, by_seat in deals.items()
    )
    totals = sheet[-1].totals if sheet else (0,) * seats
    return Totals(
        match=match,
        game=game,
        target=target,
        position=read_to,
        seats=tuple(
            SeatTotal(seat, total, max(0, target - total), _sum([deal.lines[seat] for deal in sheet]))
            for seat, total in enumerate(totals)
        ),
        deals=sheet,
        leaders=tuple(seat for seat, total in enumerate(totals) if sheet and total == max(totals)),
        winners=tuple(msgspec.json.decode(winners)),
        running=running,
    )


def _sum(lines: list[dict[str, int]]) -> dict[str, int]:
    return {name: sum(line[name] for line in lines) for name in (lines[0] if lines else ())}
