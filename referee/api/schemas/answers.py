"""What comes out over HTTP."""

from typing import Any, Literal
from uuid import UUID

from referee.api.schemas.base import Moment, Out
from referee.events import Consent, DealtBy, Event, Lines, Mode, Points, Role
from referee.rules.cards import Card
from referee.rules.game import Effects, Move, State


class SeatOut(Out, frozen=True):
    """A seat, its player and the name, null once erased; `left` where it is empty now."""

    seat: int
    player: UUID
    name: str | None
    left: bool


class DealLineOut(Out, frozen=True):
    """A deal in the match's list; points null while it is played.

    Where the referee shuffles, `commitment` and the words by seat; `waiting` while words may be added.
    `fingerprint` of all deals up to this one: 16 digits to note on paper. A `voided` deal counts for nobody, one
    `outside` was played after the match was won; `revision` counts its results.
    """

    number: int
    dealer: int
    points: Points | None
    commitment: str | None
    words: tuple[str, ...]
    waiting: bool
    fingerprint: str | None
    mode: Mode
    seats: tuple[int, ...]
    voided: bool
    outside: bool
    revision: int


class ProposalOut(Out, frozen=True):
    """Something put to all seats: what was asked for, who has agreed or refused; `done` once it is carried out or ended."""

    number: int
    ask: dict[str, Any]
    why: str | None
    agreed: tuple[int, ...]
    refused: tuple[int, ...]
    done: bool


class RulingOut(Out, frozen=True):
    """A ruling; the last one of a dispute is in force, provisional until it is confirmed."""

    number: int
    upheld: bool
    remedy: dict[str, Any]
    why: str | None
    confirmed: bool


class DisputeOut(Out, frozen=True):
    """A disputed move of a deal, and the rulings on it."""

    number: int
    deal: int
    move: int
    seat: int
    why: str | None
    rulings: tuple[RulingOut, ...]


class MatchOut(Out, frozen=True):
    """A match. `state` is `won` once `winners` are known, `abandoned` where it was ended unfinished; `next_dealer` deals
    the next deal. `disputed` are the disputes without a ruling; `amended` says that a result changed after the end."""

    id: UUID
    version: int
    game: str
    ruleset: str
    house_rules: dict[str, Any]
    target: int
    state: Literal["open", "won", "abandoned"]
    seats: tuple[SeatOut, ...]
    totals: Points
    deals: tuple[DealLineOut, ...]
    running: int | None
    next_dealer: int
    winners: tuple[int, ...]
    abandoned: bool
    amended: bool
    disputed: tuple[int, ...]
    proposals: tuple[ProposalOut, ...]
    disputes: tuple[DisputeOut, ...]
    consent: Literal["spoken", "tokens"]
    opened_at: Moment
    rematch_of: UUID | None
    rematches: tuple[UUID, ...]


class Tokens(Out, frozen=True):
    """Bearer tokens of a match: give each to whom it belongs, and keep them secret. `seats` runs by seat."""

    arbiter: str
    scorekeeper: str
    spectator: str
    seats: tuple[str, ...]


class Opened(Out, frozen=True):
    """A match that was opened, and its tokens. `position` is where the log stands now."""

    match: MatchOut
    tokens: Tokens
    position: int


class Imported(Out, frozen=True):
    """A match that came in as a record. Where it was here already its tokens are null and `position` is 0."""

    match: MatchOut
    tokens: Tokens | None
    position: int


class TokenOut(Out, frozen=True):
    """A token that was issued again."""

    role: Role
    seat: int | None
    token: str


class DealOut(Out, frozen=True):
    """A deal as this reader may see it: a hidden card is `?`. `turn` acts next, null when the deal is over.

    `commitment` is the SHA-256 of the seed where the referee shuffled, `seed` follows when the deal is over. `seats`
    sit at the table; `state`, `words`, `points` and `lines` run by place at it, `turn` and `dealer` are seats.
    `irregular`: codes of what is irregular in the layout where it was let stand, and on whose `consent`.
    """

    match: UUID
    number: int
    version: int
    ruleset: str
    dealer: int
    seats: tuple[int, ...]
    mode: Mode
    dealt_by: DealtBy
    turn: int | None
    moves: int
    state: State
    points: Points | None
    lines: Lines | None
    commitment: str | None
    words: tuple[str, ...]
    seed: str | None
    irregular: tuple[str, ...]
    consent: Consent | None


class DealStartedOut(Out, frozen=True):
    """A deal that was started; `deal` is null while it waits for words."""

    number: int
    line: DealLineOut
    deal: DealOut | None
    position: int


class PlayedOut(Out, frozen=True):
    """A move that was made, what it caused, and the deal after it; totals and winners when it ended the deal."""

    seat: int
    move: Move
    effects: Effects
    deal: DealOut
    totals: Points | None
    winners: tuple[int, ...]
    fingerprint: str | None
    position: int


class ClaimOut(Out, frozen=True):
    """Something that a move takes for granted about cards that nobody has seen."""

    code: str
    clause: str
    params: dict[str, Any]


class VerdictOut(Out, frozen=True):
    """A dry run found the move legal, or undecided until hidden cards come out; nothing was stored. `version` is that
    of the deal it was judged on."""

    verdict: Literal["legal", "undecided"]
    seat: int
    move: Move
    version: int
    claims: tuple[ClaimOut, ...] = ()


class LegalMovesOut(Out, frozen=True):
    """Legal moves of the seat to act, at most `limit`; `next` is the cursor of the page after, null on the last."""

    seat: int | None
    version: int
    moves: tuple[Move, ...]
    next: str | None


class MoveOut(Out, frozen=True):
    """A move that counts: its number in the deal, when and by whom it was entered, and the codes of what is irregular
    in it where it was let stand."""

    number: int
    at: Moment
    by: str
    seat: int
    move: Move
    effects: Effects
    irregular: tuple[str, ...]


class ReplayOut(Out, frozen=True):
    """A deal after its first `move` moves out of `moves`; `played` are those moves."""

    move: int
    moves: int
    deal: DealOut
    played: tuple[MoveOut, ...]


class EventOut(Out, frozen=True):
    """An event as this reader may see it; `version` is its place in the stream, from 1; `why` the reason that was given,
    unless it was erased."""

    version: int
    at: Moment
    by: str
    event: Event
    why: str | None = None


class EventsOut(Out, frozen=True):
    """A page of a stream: `next` is the `after` of the page that follows, null on the last."""

    events: tuple[EventOut, ...]
    next: int | None


class Health(Out, frozen=True):
    """The service answers."""

    status: Literal["ok"]


class FieldFault(Out, frozen=True):
    """A value that is not accepted: a JSON pointer into the body or the parameter's name, and why."""

    pointer: str
    message: str


class ViolationOut(Out, frozen=True):
    """A rule that was broken: a stable code, its clause with its text, and the reason in the caller's language."""

    code: str
    clause: str
    clause_text: str
    detail: str
    params: dict[str, Any]


class AskedOut(Out, frozen=True):
    """What was asked for in vain: when (by the referee's clock), by whom, and the body of the request."""

    at: Moment
    by: str
    body: Any


class Problem(Out, frozen=True, omit_defaults=True):
    """Why a request was not carried out (RFC 9457). Nothing was stored.

    Where the version was stale, `recorded` is what came after it, and `asked` what was not done for that reason.
    """

    type: str
    title: str
    status: int
    detail: str
    code: str
    instance: str | None = None
    errors: tuple[FieldFault, ...] = ()
    clause: str | None = None
    clause_text: str | None = None
    seat: int | None = None
    cards: tuple[Card, ...] = ()
    violations: tuple[ViolationOut, ...] = ()
    legal: tuple[Move, ...] = ()
    version: int | None = None
    recorded: tuple[EventOut, ...] = ()
    asked: AskedOut | None = None


class SettledOut(Out, frozen=True):
    """Something that was settled: the match after it, and the deal it was about, if any; `irregular` are the codes of what
    was irregular in that deal's last move, where it was let stand."""

    match: MatchOut
    deal: DealOut | None
    irregular: tuple[str, ...]
    tokens: tuple[TokenOut, ...]
    position: int


class EvidenceOut(Out, frozen=True):
    """What a dispute is about: the deal before and after the move, what it caused, some moves that were legal then (for
    who may see that hand), the codes of what was irregular in it, and what it takes for granted."""

    dispute: DisputeOut
    before: DealOut
    after: DealOut
    seat: int
    move: Move
    effects: Effects
    legal: tuple[Move, ...]
    irregular: tuple[str, ...]
    claims: tuple[ClaimOut, ...]
