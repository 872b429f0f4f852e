"""The answer to whatever was settled, rebuilt from the versions that it led to."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

import msgspec
from litestar import Response

from referee import errors
from referee.access import Caller
from referee.api import schemas as s
from referee.api.present import answer, deal_out, done_headers, events_out, match_out, words_in
from referee.api.request import StrictRequest
from referee.desk import Done
from referee.match import access_id, deal_id
from referee.reading import sight
from referee.rules.cards import EVERYTHING
from referee.service import Referee

RECENT: Final = 20
"""How many of the events that came meanwhile a stale request is shown."""


async def settled(
    request: StrictRequest, referee: Referee, who: Caller, done: Done, number: int | None = None, of_deal: bool = False
) -> Response[s.SettledOut]:  # fmt: skip
    """The match after it, the deal `number` after it, and tokens that were issued with it, for who settled it.

    The ETag is that of the match, or where what was settled goes by the deal's version (`of_deal`) that of the deal.
    """
    versions = done.command.versions
    match = await referee.match(who.match, versions.get(who.match))
    shown, irregular = None, tuple[str, ...]()
    if number is not None and (line := match.line(number)) and line.mode != "tallied" and not line.waiting:
        deal = await referee.deal(who.match, number, versions.get(line.id))
        await referee.look(who, deal)
        shown = deal_out(deal, sight(who, deal))
        irregular = tuple(fault.code for one in deal.played[-1:] for fault in one.made.irregular)
    tokens: tuple[s.TokenOut, ...] = ()
    if access_id(who.match) in versions and who.role in ("arbiter", "scorekeeper"):
        issued = await referee.issued(who.match, versions[access_id(who.match)])
        tokens = tuple(s.TokenOut(role, seat, token) for role, seat, token in issued)
    body = s.SettledOut(
        match_out(match, await referee.names(words_in(match))), shown, irregular, tokens, done.command.position
    )
    version = shown.version if of_deal and shown else match.version
    reply = answer(request, body, version, who, 201, **done_headers(done.replayed))
    if tokens:
        reply.headers["Cache-Control"] = "no-store"
    return reply


@asynccontextmanager
async def shown_if_stale(
    request: StrictRequest, referee: Referee, who: Caller, deal: int | None, version: int | None
) -> AsyncIterator[None]:
    """Tells a caller whose `version` (of the deal, or of the match) is stale what was recorded since, by whom and when,
    beside what was asked for; the caller may then ask again on what is there now."""
    try:
        yield
    except errors.MovedOn as stale:
        stream = who.match if deal is None else deal_id(who.match, deal)
        entries = await referee.read(stream, version or 0, (version or 0) + RECENT)
        found = await referee.deal(who.match, deal) if deal is not None else None
        seen = sight(who, found) if found else EVERYTHING
        recorded = await events_out(referee, entries, found, seen)
        asked = s.AskedOut(referee.clock(), who.name, msgspec.json.decode(await request.body() or b"null"))
        raise errors.MovedOn(stale.current, recorded, asked) from None
