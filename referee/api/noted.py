"""Irregularities over REST: noting one, listing them, and the remedy that rules 4.2 prescribe as things stand."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from litestar import Controller, Response, get, post
from litestar.di import NamedDependency
from litestar.params import FromPath, JSONBody, QueryParameter
from msgspec import Meta

from referee import errors, irregularities
from referee.access import Caller
from referee.api import schemas as s
from referee.api.present import answer, done_headers
from referee.api.request import StrictRequest, cards_in, if_match, key_of
from referee.api.settled import shown_if_stale
from referee.api.settling import Said
from referee.deal import Deal
from referee.events import IrregularityNoted, Recorded
from referee.irregularities import Situation
from referee.match import deal_id
from referee.reading import sight
from referee.rules import rulebook
from referee.rules.cards import Sight
from referee.rules.puts import Put, Shown, hide_puts
from referee.rules.words import say_fault, say_irregularity
from referee.service import Referee
from referee.settling import carry
from referee.settling.asks import Kind, Note, Seat, Seen
from referee.settling.rows import place_of, row_of
from referee.ways import ways


class NoteIn(Said, frozen=True, kw_only=True):
    """An irregularity by its kind, whose it is, and the number of the move at fault, or how many had been made (as in
    `listRemedies` unless said).

    What its remedy puts right is put right with it; where more must be known for that: `count`, how many cards the seat was
    dealt or drew too many; `cards` that it puts back; `seen`, those that the table saw turned up; `told`, the order of a
    discard that was shuffled. `place`: of a sabo card that the seat looked at, with the card `told` where nobody knows it.
    `told`: how a seat's sabo lie now that they were mixed again, for scorekeeper or arbiter where the cards were told.
    """

    kind: Kind
    seat: Seat | None = None
    move: Annotated[int, Meta(ge=0, le=100_000)] | None = None
    place: Annotated[int, Meta(ge=0, le=99)] | None = None
    told: Seen = ()
    cards: Seen = ()
    seen: Seen = ()
    count: Annotated[int, Meta(ge=0, le=108)] | None = None


class NotedOut(s.Out, frozen=True):
    """An irregularity that was noted after `move` moves, the remedy that was applied, on whose word, and why.

    `puts`: the cards that were put elsewhere, as the reader may see them; `shown`: sabo cards that lie face up since;
    `dealer`: the seat that dealt, where that was not the dealer. Seats in `puts` and `shown` count by place at the deal's
    table.
    """

    kind: str
    text: str
    seat: int | None
    move: int
    place: int | None
    remedy: str
    remedy_text: str
    puts: tuple[Put, ...]
    shown: tuple[Shown, ...]
    dealer: int | None
    at: s.Moment
    by: str
    consent: str
    why: str | None


class FoundOut(s.Out, frozen=True):
    """A fault that the record proved of itself: whose, in which move, by which."""

    kind: str
    text: str
    seat: int
    move: int
    proof: int
    clause: str


class IrregularitiesOut(s.Out, frozen=True):
    """What was noted in a deal, and what its record proved, each in the order in which it came."""

    noted: tuple[NotedOut, ...]
    found: tuple[FoundOut, ...]


class NoteDoneOut(s.Out, frozen=True):
    """What was noted; `version` is the deal's now."""

    noted: NotedOut
    version: int
    position: int


class RequestOut(s.Out, frozen=True):
    """A request that carries a remedy out: the path below `/v1/matches/{match_id}`; whose ETag goes into If-Match, that of
    the `deal` or of the `match` (null: none is needed); the body as far as it is known; `missing`, paths into the body
    that must be filled in (`move/captures`); `consent`, the seats that must agree, unless the arbiter sends it."""

    name: str
    method: Literal["POST"]
    path: str
    if_match: str | None
    body: dict[str, Any]
    missing: tuple[str, ...]
    consent: tuple[int, ...]


class RemedyOut(s.Out, frozen=True):
    """An irregularity as things stand: whether its window is open, the remedy, whether that needs the consent of all
    seats or the arbiter, and the requests that carry it out, the usual one first."""

    kind: str
    text: str
    window: str
    window_text: str
    open: bool
    remedy: str
    remedy_text: str
    consent: bool
    facts: dict[str, int]
    requests: tuple[RequestOut, ...]


class RemediesOut(s.Out, frozen=True):
    """Remedies for one kind of irregularity, or for every kind there is in this game."""

    remedies: tuple[RemedyOut, ...]


class Noted(Controller):
    """Below a deal."""

    path = "/matches/{match_id:uuid}/deals/{number:int}"
    tags = ["irregularities"]

    @post("/irregularities", operation_id="noteIrregularity", status_code=201)
    async def note(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int], data: JSONBody[NoteIn],
    ) -> Response[NoteDoneOut]:  # fmt: skip
        """Note something irregular at the table, with the remedy that applies as things stand.

        409 where its window is closed and the remedy needs the consent of all seats or the arbiter.
        """
        key = await key_of(request, str(match_id))
        told, cards, seen = (cards_in(getattr(data, n), data.alphabet, f"#/{n}") for n in ("told", "cards", "seen"))
        ask = Note(number, data.kind, data.seat, data.move, data.place, told, cards, seen, data.count)
        stale = if_match(request)
        async with shown_if_stale(request, referee, who, number, stale):
            done = await carry.settle(referee, who, ask, data.agreed, data.why, stale, key)
        version = done.command.versions[deal_id(match_id, number)]
        found = await referee.deal(match_id, number, version)
        entries = await referee.read(found.id, 0, version)
        reasons = [why] if (why := found.notes[-1].note.why) else []
        lang = rulebook.pick(request.headers.get("accept-language"))
        *_, noted = noted_out(found, entries, await referee.names(reasons), lang, sight(who, found))
        body = NoteDoneOut(noted, version, done.command.position)
        return answer(request, body, version, who, 201, **done_headers(done.replayed))

    @get("/irregularities", operation_id="listDealIrregularities")
    async def irregularities(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int],
    ) -> Response[IrregularitiesOut]:  # fmt: skip
        """Irregularities of a deal: those that were noted, and faults that its record has proved so far.

        Moves that were let stand are in its audit, and in the irregularities of the match.
        """
        found = await referee.deal(match_id, number)
        entries = await referee.read(found.id, 0, found.version)
        words = await referee.names([one.note.why for one in found.notes if one.note.why])
        lang = rulebook.pick(request.headers.get("accept-language"))
        proved = tuple(
            FoundOut(f.kind, say_fault(f.kind, lang), found.seats[f.seat], f.move, f.proof, f.clause)
            for f in found.faults
        )
        noted = noted_out(found, entries, words, lang, sight(who, found))
        return answer(request, IrregularitiesOut(noted, proved), found.version, who)

    @get("/remedies", operation_id="listRemedies")
    async def remedies(
        self, request: StrictRequest, referee: NamedDependency[Referee], who: NamedDependency[Caller],
        match_id: FromPath[UUID], number: FromPath[int],
        kind: Annotated[str | None, QueryParameter(max_length=40)] = None,
        seat: Annotated[int | None, QueryParameter(ge=0, le=99)] = None,
        move: Annotated[int | None, QueryParameter(ge=0, le=100_000)] = None,
    ) -> Response[RemediesOut]:  # fmt: skip
        """What is done about an irregularity (about every kind, unless one is asked about) as things stand.

        `move` is the number of the move at fault, or where it is in no move how many had been made; unless said, the last
        move of `seat` that may be meant, else the last of all. Whether a window is still open follows from it.
        """
        match = await referee.match(match_id)
        line = match.line(number)
        if line is None:
            raise errors.NotFound(f"There is no deal {number}.")
        found = None if line.mode == "tallied" or line.waiting else await referee.deal(match_id, number)
        moves = found.moves if found else 0
        if move is not None and move > moves:
            raise errors.BadValue(errors.Fault("move", f"the deal has {moves} moves"))
        place = place_of(found, seat) if found else None
        rows = (
            [row_of(match, kind, "kind")] if kind else [row for row in irregularities.ROWS if match.game in row.games]
        )
        lang = rulebook.pick(request.headers.get("accept-language"))
        remedies = []
        for row in rows:
            meant = move if move is not None else irregularities.moment(row, found, place) if found else 0
            remedies.append(_remedy(row, Situation(match, line, found, meant), seat, who, lang))
        body = RemediesOut(tuple(remedies))
        # neither version alone says that nothing has changed; both only rise
        return answer(request, body, match.version + (found.version if found else 0), who)


def _remedy(row: irregularities.Row, now: Situation, seat: int | None, who: Caller, lang: str) -> RemedyOut:
    is_open, remedy = irregularities.remedy(row, now)
    facts = irregularities.facts(now)
    return RemedyOut(
        row.kind,
        say_irregularity("kind", row.kind, lang),
        row.window,
        say_irregularity("window", row.window, lang),
        is_open,
        remedy.name,
        say_irregularity("remedy", remedy.name, lang, facts),
        remedy.consent,
        facts,
        tuple(
            RequestOut(one.name, "POST", one.path, one.if_match, one.body, one.missing, one.consent)
            for one in ways(row, remedy, now, seat)
            # a dispute is a seat's own
            if one.name != "dispute" or who.role in ("seat", "spectator")
        ),
    )


def noted_out(
    found: Deal, entries: Sequence[Recorded], words: Mapping[UUID, str], lang: str, sight: Sight
) -> tuple[NotedOut, ...]:  # fmt: skip
    """The notes among a deal's entries, as `sight` allows."""
    return tuple(
        NotedOut(
            note.kind,
            say_irregularity("kind", note.kind, lang),
            None if note.seat is None else found.seats[note.seat],
            note.move,
            note.place,
            note.remedy,
            say_irregularity("remedy", note.remedy, lang),
            hide_puts(note.puts, sight),
            note.shown,
            None if note.dealer is None else found.seats[note.dealer],
            entry.at,
            entry.by,
            note.consent.how,
            words.get(note.why) if note.why else None,
        )
        for entry in entries
        if isinstance(note := entry.event, IrregularityNoted)
    )
