"""What the read tables say of one match: score sheet, its file and chart, deals with results, irregularities."""

from typing import Annotated
from uuid import UUID

import msgspec
from litestar import Controller, Response, get
from litestar.di import NamedDependency
from litestar.params import FromPath, FromQuery, QueryParameter

from projections import irregularities, matches, totals
from projections.tables import Tables
from referee.access import Caller
from referee.api import spreadsheet
from referee.api.lists import Cursor, IrregularityList, MinPosition, irregularities_page
from referee.api.present import answer
from referee.api.reading import ask
from referee.api.request import StrictRequest
from referee.service import Referee


class DealList(msgspec.Struct, frozen=True):
    """The deals of a match in order; `version` is that of the match."""

    deals: list[matches.DealLine]
    version: int


class Sheets(Controller):
    """Below `/v1/matches/{match_id}`, for every token of the match."""

    path = "/matches/{match_id:uuid}"
    tags = ["matches"]

    @get("/totals", operation_id="getTotals")
    async def read_totals(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        tables: NamedDependency[Tables], match_id: FromPath[UUID], min_position: MinPosition = 0,
    ) -> Response[totals.Totals]:  # fmt: skip
        """The score sheet: totals after each deal with all revisions, score lines, distance to the target, ranking.

        With `min_position`, as answered to a command, it waits until the sheet includes that command.
        """
        sheet = await _sheet(referee, tables, match_id, min_position)
        return answer(request, sheet, sheet.position, who)

    @get("/totals.csv", operation_id="getTotalsCsv", media_type=spreadsheet.MEDIA_TYPE)
    async def read_csv(
        self, referee: NamedDependency[Referee], who: NamedDependency[Caller], tables: NamedDependency[Tables],
        match_id: FromPath[UUID], separator: FromQuery[spreadsheet.Separator] = "comma", bom: FromQuery[bool] = False,
        min_position: MinPosition = 0,
    ) -> Response[bytes]:  # fmt: skip
        """The score sheet as a file for spreadsheets: a line for each seat in each deal."""
        sheet = await _sheet(referee, tables, match_id, min_position)
        names = await referee.names([one.player for one in sheet.seats])
        return spreadsheet.download(spreadsheet.totals_rows(sheet, names), separator, bom, f"totals-{match_id}")

    @get("/totals/chart", operation_id="getTotalsChart")
    async def read_chart(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        tables: NamedDependency[Tables], match_id: FromPath[UUID], min_position: MinPosition = 0,
    ) -> Response[totals.Chart]:  # fmt: skip
        """The totals as lines to draw, one a seat."""
        sheet = await _sheet(referee, tables, match_id, min_position)
        return answer(request, totals.chart(sheet), sheet.version, who)

    @get("/deals", operation_id="listDeals")
    async def list_deals(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        tables: NamedDependency[Tables], match_id: FromPath[UUID], min_position: MinPosition = 0,
    ) -> Response[DealList]:  # fmt: skip
        """The deals with their results, voided ones included."""
        await referee.match(match_id)
        found, _ = await ask(tables, matches, min_position, lambda view: matches.deals(view, match_id), sure=True)
        assert found is not None, "a sure question has an answer"
        return answer(request, DealList(*found), found[1], who)

    @get("/irregularities", operation_id="listMatchIrregularities")
    async def list_irregularities(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        tables: NamedDependency[Tables], match_id: FromPath[UUID],
        sort: FromQuery[irregularities.Sort | None] = None,
        item_state: Annotated[irregularities.ItemState | None, QueryParameter(name="state")] = None,
        cursor: Cursor = None, limit: FromQuery[int] = 20, min_position: MinPosition = 0,
    ) -> Response[IrregularityList]:  # fmt: skip
        """Irregularities and disputes of the match, newest first."""
        wanted = irregularities.Wanted(match_id, sort, None, item_state)
        return await irregularities_page(request, referee, tables, wanted, cursor, limit, min_position)


async def _sheet(referee: Referee, tables: Tables, match_id: UUID, min_position: int) -> totals.Totals:
    await referee.match(match_id)
    found, _ = await ask(tables, totals, min_position, lambda view: totals.read(view, match_id), sure=True)
    assert found is not None, "a sure question has an answer"
    return found
