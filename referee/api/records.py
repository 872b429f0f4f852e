"""Records and rulebooks: what a match looks like outside, and what it is played under."""

import asyncio
from typing import Annotated
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, QueryParameter

from referee import errors, record
from referee.access import Caller
from referee.api import schemas as s
from referee.api.present import answer, done_headers, match_out, tokens_out, words_in
from referee.api.request import StrictRequest, WrongMediaType, key_of
from referee.match import access_id
from referee.rules import rulebook
from referee.rules.game import GAMES
from referee.rules.rulebook import Rulebook
from referee.service import Referee

LARGEST = 8 * 1024 * 1024


class Records(Controller):
    """`/v1/matches/{match_id}/record` and `/v1/records`."""

    tags = ["records"]

    @get("/matches/{match_id:uuid}/record", operation_id="exportRecord", media_type=record.MEDIA_TYPE)
    async def export(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID],
    ) -> Response[bytes]:  # fmt: skip
        """The match's record: every scored deal with what was dealt, each move and what it caused."""
        match = await referee.match(match_id)
        body = record.write(await referee.record(match_id))
        reply = answer(request, body, match.version, who)
        reply.media_type = record.MEDIA_TYPE
        return reply


class RecordBox(Controller):
    """`/v1/records`: for nobody's match in particular, so without a token."""

    path = "/records"
    tags = ["records"]

    @post(operation_id="importRecord", status_code=201, security=[{}], request_max_body_size=LARGEST)
    async def take_in(self, request: StrictRequest, referee: NamedDependency[Referee]) -> Response[s.Imported]:
        """Import a match record, judged again on the way in; ids and times are kept.

        200 and no tokens where this very match is here already, 409 where another one has its id.
        """
        data = await _document(request)
        key = await key_of(request, f"open:{request.client.host if request.client else ''}")
        done = await referee.take_in(data, key)
        match_id, version = next(iter(done.command.versions.items()))
        match = await referee.match(match_id, version)
        granted = done.command.versions[access_id(match_id)]
        tokens = tokens_out(await referee.tokens(match_id, granted)) if granted else None
        body = s.Imported(match_out(match, await referee.names(words_in(match))), tokens, done.command.position)
        status = 201 if granted else 200
        reply = answer(
            request,
            body,
            version,
            None,
            status,
            **done_headers(done.replayed and bool(granted), f"/v1/matches/{match_id}"),
        )
        reply.headers["Cache-Control"] = "no-store"
        return reply

    @post("/check", operation_id="checkRecord", status_code=200, security=[{}], request_max_body_size=LARGEST)
    async def check(self, request: StrictRequest) -> Response[record.Report]:
        """Judge a record from itself alone, as far as it can be read. Nothing is stored."""
        return Response(await asyncio.to_thread(record.check, await _document(request)))


@get("/rulebooks", operation_id="listRulebooks", tags=["rulebooks"], security=[{}])
async def list_rulebooks() -> list[str]:
    """The games there are rulebooks of."""
    return sorted(GAMES)


@get("/rulebooks/{game:str}", operation_id="getRulebook", tags=["rulebooks"], security=[{}])
async def read_rulebook(
    request: StrictRequest,
    game: FromPath[str],
    lang: Annotated[str | None, QueryParameter(max_length=10)] = None,
) -> Response[Rulebook]:
    """Clauses, house rules with their values and defaults, presets, packs and card values, in the reader's language.

    Everything that a form for a new match needs. `lang` (en, ru, uk) goes before Accept-Language.
    """
    found = GAMES.get(game)
    if found is None:
        raise errors.NotFound(f"There is no such game; there are {', '.join(sorted(GAMES))}.")
    chosen = rulebook.pick(lang or request.headers.get("accept-language"))
    body = rulebook.rulebook(found, chosen)
    headers = {"Content-Language": chosen, "Cache-Control": "public, max-age=3600", "Vary": "Accept-Language"}
    return Response(body, headers=headers)


async def _document(request: StrictRequest) -> bytes:
    given = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if given not in (record.MEDIA_TYPE, "application/json"):
        raise WrongMediaType(f"The body must be a match record, declared as {record.MEDIA_TYPE} or application/json.")
    return await request.body()
