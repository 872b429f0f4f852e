"""The answer to whatever was settled, rebuilt from the versions that it led to."""

from litestar import Response

from referee.access import Caller
from referee.api import schemas as s
from referee.api.present import answer, deal_out, done_headers, match_out, words_in
from referee.api.request import StrictRequest
from referee.desk import Done
from referee.match import access_id
from referee.service import Referee, sight


async def settled(
    request: StrictRequest, referee: Referee, who: Caller, done: Done, number: int | None = None
) -> Response[s.SettledOut]:  # fmt: skip
    """The match after it, the deal `number` after it, and tokens that were issued with it, for who settled it."""
    versions = done.command.versions
    match = await referee.match(who.match, versions.get(who.match))
    shown = None
    if number is not None and (line := match.line(number)) and line.mode != "tallied" and not line.waiting:
        deal = await referee.deal(who.match, number, versions.get(line.id))
        await referee.look(who, deal)
        shown = deal_out(deal, sight(who, deal))
    tokens: tuple[s.TokenOut, ...] = ()
    if access_id(who.match) in versions and who.role in ("arbiter", "scorekeeper"):
        issued = await referee.issued(who.match, versions[access_id(who.match)])
        tokens = tuple(s.TokenOut(role, seat, token) for role, seat, token in issued)
    body = s.SettledOut(match_out(match, await referee.names(words_in(match))), shown, tokens, done.command.position)
    reply = answer(request, body, match.version, who, 201, **done_headers(done.replayed))
    if tokens:
        reply.headers["Cache-Control"] = "no-store"
    return reply
