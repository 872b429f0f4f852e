"""What can be asked for after the fact: one Struct each, the same at its own address, in a proposal and as a remedy."""

from typing import Annotated, TypeAlias
from uuid import UUID

import msgspec
from msgspec import Meta

from referee.rules.cards import Card
from referee.rules.game import Move, Tally

Number: TypeAlias = Annotated[int, Meta(ge=1, le=100_000)]
Seat: TypeAlias = Annotated[int, Meta(ge=0, le=99)]
Seen: TypeAlias = Annotated[tuple[Card, ...], Meta(max_length=108)]
Kind: TypeAlias = Annotated[str, Meta(max_length=40)]
Told: TypeAlias = Annotated[tuple[Seen, ...], Meta(max_length=20)]


class Ask(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """What every one of them is."""


class TakeBack(Ask, frozen=True, tag="take_back"):
    """Only the first `kept` moves of the deal shall count; for an `irregularity` in the next one, as rules 4.2 say."""

    deal: Number
    kept: Annotated[int, Meta(ge=0, le=100_000)]
    irregularity: Kind | None = None


class CorrectMove(Ask, frozen=True, tag="correct_move"):
    """Move `number` of the deal was another one. Later moves are judged again; with `let_stand`, which is the arbiter's,
    those that become irregular are kept as they were made. `seen`: cards that the table saw turned up in it, where they
    are others than were recorded. `irregularity`: what was wrong at the table with the move, where it was not merely
    recorded wrongly."""

    deal: Number
    number: Number
    move: Move
    let_stand: bool = False
    seen: Seen = ()
    irregularity: Kind | None = None


class LetStand(Ask, frozen=True, tag="let_stand"):
    """A move that the rules refuse was made at the table and shall stand as it was made; `told` and `seen` as in a move."""

    deal: Number
    seat: Seat
    move: Move
    told: Told = ()
    seen: Seen = ()


class CorrectScore(Ask, frozen=True, tag="correct_score"):
    """The deal's result was another one, in the parts in which a counted deal is entered."""

    deal: Number
    tally: Tally


class AdjustPoints(Ask, frozen=True, tag="adjust_points"):
    """Points added to (or taken from) the seats' score in the deal: a ruling's remedy."""

    deal: Number
    points: Annotated[dict[Seat, Annotated[int, Meta(ge=-10_000, le=10_000)]], Meta(min_length=1, max_length=20)]


class VoidDeal(Ask, frozen=True, tag="void_deal", omit_defaults=True):
    """The deal shall count for nobody; if it is the last one, the same dealer deals again. With an `offender`, whose
    revoke or the like is on record, the others alone have to agree, until the deal is scored (rules 4.2)."""

    deal: Number
    offender: Seat | None = None


class Join(Ask, frozen=True, tag="join"):
    """A player takes a new seat from the next deal on, with the total given: a name, or the id of a known player."""

    name: Annotated[str, Meta(max_length=10_000)] | None = None
    player: UUID | None = None
    total: Annotated[int, Meta(ge=-1_000_000, le=1_000_000)] = 0


class Leave(Ask, frozen=True, tag="leave"):
    """A player gives up the seat; a deal that is being played is void, with two players the other wins by forfeit."""

    seat: Seat


class Substitute(Ask, frozen=True, tag="substitute"):
    """Another player takes over a seat with its hand, its duties and its total."""

    seat: Seat
    name: Annotated[str, Meta(max_length=10_000)] | None = None
    player: UUID | None = None


class Abandon(Ask, frozen=True, tag="abandon"):
    """All stop here: the standing is final, the match unfinished."""


class Note(Ask, frozen=True, tag="note"):
    """Something irregular at the table that is in no move (rules 4.2), after `move` moves, the last one unless given.

    Where cards are put right for it: `count`, how many the seat was dealt or drew too many; `cards` that it puts back;
    `seen`, those that the table saw turned up; `told`, the order of a discard that was shuffled. Of Sabo's face-down
    cards: the `place` that `seat` looked at, with the card `told` where nobody knows it, or `told`, how all of them lie
    once they are mixed again.
    """

    deal: Number
    what: Kind
    seat: Seat | None = None
    move: Annotated[int, Meta(ge=0, le=100_000)] | None = None
    place: Annotated[int, Meta(ge=0, le=99)] | None = None
    told: Seen = ()
    cards: Seen = ()
    seen: Seen = ()
    count: Annotated[int, Meta(ge=0, le=108)] | None = None


AnyAsk: TypeAlias = (
    Note
    | TakeBack
    | CorrectMove
    | LetStand
    | CorrectScore
    | AdjustPoints
    | VoidDeal
    | Join
    | Leave
    | Substitute
    | Abandon
)
