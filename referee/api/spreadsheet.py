"""CSV that spreadsheets of any locale open rightly, and that can be read back.

RFC 4180: CRLF, a field in quotes where it holds the separator, a quote or a line end. Numbers are plain with ASCII
minus; names that a spreadsheet would take for a formula get an apostrophe before them, which reading takes off again.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, Literal, TypeAlias
from uuid import UUID

from litestar import Response

from projections.standings import Standing
from projections.totals import Totals

MEDIA_TYPE: Final = "text/csv"
BOM: Final = "\ufeff"
Separator: TypeAlias = Literal["comma", "semicolon", "tab"]
SEPARATORS: Final[Mapping[str, str]] = {"comma": ",", "semicolon": ";", "tab": "\t"}
Cell: TypeAlias = str | int | float | None
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n", "'", "|", "%", "＝", "＋", "－", "＠")

TOTALS_HEAD: Final = ("deal", "seat", "player", "name", "points", "total")
STANDINGS_HEAD: Final = (
    "rank", "player", "name", "matches", "finished", "unfinished", "wins", "shared", "forfeits", "win_rate", "points",
    "deals", "average", "tablanets", "revokes",
)  # fmt: skip


def totals_rows(found: Totals, names: Mapping[UUID, str]) -> Iterator[Sequence[Cell]]:
    """A line for each seat in each deal that counts, the total after it included; empty before the seat joined."""
    yield TOTALS_HEAD
    for deal in found.deals:
        for one in found.seats:
            place = one.seat
            name = names.get(one.player, "")
            yield deal.number, place, str(one.player), name, deal.points[place], deal.totals[place]


def standings_rows(found: Sequence[Standing], names: Mapping[UUID, str]) -> Iterator[Sequence[Cell]]:
    """A line for each player; a rate or average of nothing is empty."""
    yield STANDINGS_HEAD
    for one in found:
        yield (
            one.rank, str(one.player), names.get(one.player, ""), one.matches, one.finished, one.unfinished, one.wins,
            one.shared, one.forfeits, one.win_rate, one.points, one.deals, one.average, one.tablanets, one.revokes,
        )  # fmt: skip


def write(rows: Iterable[Sequence[Cell]], separator: Separator = "comma", bom: bool = False) -> bytes:
    """Rows as a CSV file in UTF-8."""
    decimal = "," if separator == "semicolon" else "."  # where a semicolon separates, a comma is the decimal sign
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=SEPARATORS[separator], lineterminator="\r\n")
    for row in rows:
        writer.writerow([_cell(value, decimal) for value in row])
    return ((BOM if bom else "") + out.getvalue()).encode()


def read(data: bytes, separator: Separator = "comma") -> list[list[str]]:
    """The cells of such a file as they were before they were made safe; numbers stay as written."""
    text = data.decode("utf-8-sig")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=SEPARATORS[separator])
    return [[cell[1:] if cell[:1] == "'" else cell for cell in row] for row in rows]


def download(rows: Iterable[Sequence[Cell]], separator: Separator, bom: bool, name: str) -> Response[bytes]:
    """The file as an answer."""
    headers = {"Content-Disposition": f'attachment; filename="{name}.csv"', "Cache-Control": "no-store"}
    return Response(write(rows, separator, bom), media_type=f"{MEDIA_TYPE}; charset=utf-8", headers=headers)


def _cell(value: Cell, decimal: str) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return f"'{value}" if value.startswith(_FORMULA) else value
    return str(value).replace(".", decimal)
