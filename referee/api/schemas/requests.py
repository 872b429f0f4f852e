"""What goes in over HTTP; what is settled after the fact has its requests in `referee.api.settling`."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta

from referee.api.schemas.base import Agreed, Alphabet, In, SeatNumber, Why
from referee.events import WORD, Role
from referee.rules.cards import Card
from referee.rules.game import Layout, Move, Tally


class NewSeat(In, frozen=True):
    """Who sits down: a name (1 to 64 visible characters) for somebody new, or the id of a player known here."""

    name: Annotated[str, Meta(max_length=10_000)] | None = None
    player: UUID | None = None


class First(In, frozen=True):
    """Who deals first: a seat, or cards cut (rounds of a card by seat, null for who does not cut again); else by lot."""

    seat: SeatNumber | None = None
    cut: (
        Annotated[
            tuple[Annotated[tuple[Card | None, ...], Meta(max_length=20)], ...], Meta(min_length=1, max_length=20)
        ]
        | None
    ) = None


class OpenMatch(In, frozen=True):
    """A new match: the game, who plays, and the house rules agreed on; a preset is filled in first.

    `consent`: what needs the consent of all is recorded by the scorekeeper (`spoken`), or answered by each seat with
    its own token (`tokens`).
    """

    game: Annotated[str, Meta(max_length=40)]
    seats: Annotated[tuple[NewSeat, ...], Meta(min_length=1, max_length=20)]
    house_rules: dict[str, Any] = {}
    preset: Annotated[str, Meta(max_length=40)] | None = None
    first_dealer: First = First()
    consent: Literal["spoken", "tokens"] = "spoken"
    alphabet: Alphabet = "latin"


class Rematch(In, frozen=True):
    """The same players and rules again; without `first_dealer` the deal passes on clockwise."""

    first_dealer: First | None = None
    alphabet: Alphabet = "latin"


class StartDeal(In, frozen=True):
    """The next deal: laid out as told, or shuffled and dealt by the referee when no layout is given.

    With `words` the referee commits itself to its seed first and waits for the seats' words before it deals. `open`:
    what lies open of real cards whose hands only the players know, and `sizes` of these hands by place at the table where
    they are not the regular ones; `tally`: the result of a deal that is only counted. `number`, where given, must be that
    of the next deal. `let_stand`: play has gone on from an irregular layout and it shall stand; `why`, and the seats that
    `agreed` where the scorekeeper records it.
    """

    layout: Layout | None = None
    open: Annotated[tuple[Card, ...], Meta(max_length=20)] | None = None
    sizes: Annotated[tuple[Annotated[int, Meta(ge=0, le=108)], ...], Meta(min_length=1, max_length=20)] | None = None
    tally: Tally | None = None
    words: bool = False
    number: Annotated[int, Meta(ge=1, le=100_000)] | None = None
    let_stand: bool = False
    why: Why = None
    agreed: Agreed = ()
    alphabet: Alphabet = "latin"


class AddWord(In, frozen=True):
    """A seat's word for the shuffle: 1 to 64 letters and digits. It is published with the deal."""

    word: Annotated[str, Meta(pattern=WORD)]


class Nothing(In, frozen=True):
    """An empty object."""


class MakeMove(In, frozen=True):
    """A seat's move, in the form of its game.

    `told`: results of shuffles made with real cards during this move, each from the top, in the order in which they
    fell due; for the scorekeeper or the arbiter, where the cards were told. `seen`: in an observed deal the cards that
    the table saw turned up, in order.
    """

    seat: SeatNumber
    move: Move
    told: Annotated[tuple[Annotated[tuple[Card, ...], Meta(max_length=108)], ...], Meta(max_length=20)] = ()
    seen: Annotated[tuple[Card, ...], Meta(max_length=108)] = ()
    alphabet: Alphabet = "latin"


class ShowHands(In, frozen=True):
    """What was left in hand at the end of an observed deal, by place at its table."""

    hands: Annotated[tuple[Annotated[tuple[Card, ...], Meta(max_length=108)], ...], Meta(max_length=20)]
    alphabet: Alphabet = "latin"


class NewToken(In, frozen=True):
    """The role (and seat) whose token is issued again; the one before stops counting."""

    role: Role
    seat: SeatNumber | None = None
