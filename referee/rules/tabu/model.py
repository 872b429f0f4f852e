"""Tabu's tables, what a match agrees on, what is laid out, moved and caused."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from referee.rules.cards import JOKER, PACK, RANK, Card, Cards
from referee.rules.target import Tie

NAME: Final = "tabu"
RULESET: Final = "tabu@1"
SEATS: Final = (2, 20)
DEALER_CLAUSE: Final = "TB-2"
END_CLAUSE: Final = "TB-18"
ONE_PACK: Final[Cards] = (*PACK, JOKER, JOKER)
TWO_PACKS_FROM: Final = 5
HAND_SIZE: Final = 5
ROW_SIZE: Final = 4
SPECIAL: Final = ("J", JOKER)
POINTS: Final = {card: {"K": 12, "Q": 11, "A": 1}.get(RANK[card], 0) for card in ONE_PACK}
LINES: Final = ("captured", "in_hand")
TALLY_LINES: Final = ()
"""Score lines that only a tallied deal has."""
CAN_STAND: Final = frozenset(
    {"NOT_YOUR_TURN", "MUST_PLAY", "MUST_DRAW", "DRAW_NOT_ALLOWED", "FORCED_DRAW_PENDING"}
    | {"CARDS_LEFT_BEHIND", "WRONG_REFILL", "DRAWS_FORGOTTEN"}
)
"""Refusals that an arbiter may let stand: the cards can lie as they were played."""
CAN_LIE: Final = frozenset({"DEAL_SIZES", "SPECIAL_IN_ROW"})
"""What may be wrong with a layout from which play can go on (rules 4.2); a wrong pack never."""
FAULTS: Final = {
    ("NOTHING_PLAYABLE", "tabu.draw"): "drew_while_able",
    ("NOTHING_PLAYABLE", "tabu.pass"): "passed_while_able",
    ("DRAWN_NOT_PLAYABLE", "tabu.keep"): "kept_playable",
    ("DRAWN_PLAYED", "tabu.play"): "played_another",
}
"""What a false claim is called, by its code and the tag of the move that made it."""
PRESETS: Final[dict[str, dict[str, object]]] = {f"classic-{t}": {"target": t} for t in (100, 150, 200, 300, 400)}


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """House rules of a Tabu match (rules 6); the target has no default (TB-18)."""

    target: Annotated[int, Meta(ge=1, le=1_000_000)]
    must_play: Literal["strict", "matches_only", "free"] = "strict"
    joker_draws: Literal["all", "others"] = "all"
    last_joker: Literal["ends", "redraws"] = "ends"
    blocked_after: Literal[1, 2, 3] = 1
    packs: Literal["by_players", 1, 2] = "by_players"
    deal_limit: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    tie: Tie = "another_deal"


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the row came about: cards turned in order, and the jacks and jokers put back among them (TB-4)."""

    turned: Cards
    set_aside: Cards = ()


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu"):
    """A deal before the first move: hands by seat, the open row, the reserve from the top (TB-3)."""

    hands: tuple[Cards, ...]
    row: Cards
    reserve: Cards
    opening: Opening | None = None


class Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu.play", omit_defaults=True):
    """A card from hand: a match, a jack or a joker (TB-9 to TB-11).

    How it was carried out, where that was not by the rules: row cards of its rank that were `left` lying, the cards
    `turned` for the row in order, all of which were left there, the places that `drew` after a joker, in order.
    """

    card: Card
    left: Cards = ()
    turned: Cards | None = None
    drew: tuple[Annotated[int, Meta(ge=0, le=99)], ...] | None = None


class Draw(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu.draw"):
    """The top card of the reserve: the draw that a jack imposed, or one in place of a play (TB-8, TB-10)."""


class Keep(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu.keep"):
    """The card just drawn stays in hand although it could be played, where the house rules allow it (B3).

    In an observed deal it ends the turn after every card drawn that is not played: nobody else has seen it.
    """


class Pass(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tabu.pass"):
    """Nothing to play and nothing to draw: the turn passes (TB-13, TB-15b)."""


End: TypeAlias = Literal["went_out", "blocked"]


class Effects(msgspec.Struct, frozen=True, tag="tabu", omit_defaults=True):
    """What a move caused; `next` is null when the deal is over.

    `forced`: this was the draw that a jack imposed; `drawn`: the card that a Draw brought, null when it blocked the
    deal. `captured` and `discarded` include the played card, sorted. A refill: cards `turned` in order, those of
    them `set_aside`, and the whole `reserve_after` they were shuffled into. `renewed`: each new reserve, complete, at
    its renewal. `draws`: seat and card in order, after a joker. `forced_draw`: what a jack imposes on the next seat.
    """

    next: int | None
    forced: bool = False
    drawn: Card | None = None
    captured: Cards = ()
    discarded: Cards = ()
    turned: Cards = ()
    set_aside: Cards = ()
    reserve_after: Cards = ()
    renewed: tuple[Cards, ...] = ()
    draws: tuple[tuple[int, Card], ...] = ()
    forced_draw: Literal["pending", "lapsed"] | None = None
    end: End | None = None
    out: int | None = None


class State(msgspec.Struct, frozen=True, tag="tabu"):
    """A deal between two moves. Tuples by seat; `turn` is null once the deal is over; reserve from the top.

    `barren` counts renewals since the last capture, `passes` the passes in a row; `forced`: the seat to act owes the
    draw that a jack imposed; `drawn`: the playable card it has just drawn in place of a play, any card where nobody
    else has seen it; `out` went out.
    """

    dealer: int
    turn: int | None
    hands: tuple[Cards, ...]
    row: Cards
    reserve: Cards
    discard: Cards
    captured: tuple[Cards, ...]
    barren: int = 0
    passes: int = 0
    forced: bool = False
    drawn: Card | None = None
    out: int | None = None


Move: TypeAlias = Play | Draw | Keep | Pass
DRAW: Final = Draw()
KEEP: Final = Keep()
PASS: Final = Pass()
