"""Sabo's tables, what a match agrees on, what is laid out, moved and caused."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from referee.rules.cards import PACK, RANK, SUIT, Card, Cards
from referee.rules.target import Tie

NAME: Final = "sabo"
RULESET: Final = "sabo@1"
DEALER_CLAUSE: Final = "SB-4"
END_CLAUSE: Final = "SB-13"
SEATS: Final = (2, 5)
HAND_SIZE: Final = 8
SABO_SIZE: Final = {2: 5, 3: 5, 4: 5, 5: 2}
LINES: Final = ("tricks", "penalty")
TALLY_LINES: Final = ()
"""Score lines that only a tallied deal has."""
PENALTY: Final = {"none": 0, "one": 1, "three": 3}
CAN_STAND: Final = frozenset(
    {"NOT_YOUR_TURN", "MUST_FOLLOW_SUIT", "NOT_LOWEST_OF_SUIT", "SABO_NOT_ALLOWED", "SABO_LOOKED_AT"}
)
"""Refusals that an arbiter may let stand: the cards can lie as they were played."""
CAN_LIE: Final[frozenset[str]] = frozenset()
"""What may be wrong with a layout from which play can go on: nothing, for the counts cannot come right (rules 4.2)."""

LOW_TO_HIGH: Final = ("K", "Q", "J", "10", "9", "8", "7", "6", "5", "4", "3", "2", "A")
SENIORITY: Final = {"S": 0, "H": 1, "D": 2, "C": 3}
HEIGHT: Final = {card: LOW_TO_HIGH.index(RANK[card]) for card in PACK}


def _less(ranks: tuple[str, ...], cards: Cards) -> Cards:
    return tuple(card for card in PACK if RANK[card] not in ranks and card not in cards)


PACKS: Final[dict[int, Cards]] = {
    2: tuple(card for card in PACK if SUIT[card] in "DC"),
    3: _less(("K", "Q", "J"), ("10S",)),
    4: PACK,
    5: _less((), ("KS", "KH")),
}
SHORT_RANKS: Final = _less(("K", "Q", "J", "10", "9", "8"), ("7H", "7S"))


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """House rules of a Sabo match (rules 6)."""

    target: Annotated[int, Meta(ge=1, le=1_000_000)] = 50
    trick_order: Literal["suit_first", "equal_rank_overtakes", "led_suit_only", "rank_first"] = "suit_first"
    discard_low: Literal["per_suit", "overall", "any"] = "per_suit"
    lead_from_sabo: Literal["any_time", "empty_hand_only"] = "any_time"
    senior_suit: Literal["above_led", "clubs_only"] = "above_led"
    two_player_pack: Literal["two_suits", "short_ranks"] = "two_suits"
    revoke_penalty: Literal["none", "one", "three"] = "none"
    tie: Tie = "another_deal"


PRESETS: Final[dict[str, dict[str, object]]] = {
    "classic": {},
    "clogs": {"trick_order": "equal_rank_overtakes", "discard_low": "any", "two_player_pack": "short_ranks"},
}


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="sabo"):
    """A deal before the first move: hands by seat, and by seat the face-down sabo by place (SB-2, SB-5)."""

    hands: tuple[Cards, ...]
    sabo: tuple[Cards, ...]


class Hand(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="sabo.hand"):
    """A card from hand (SB-6 to SB-8)."""

    card: Card


class Place(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="sabo.place"):
    """The sabo card that lies at a place, counted from 0; whoever plays it has not seen it (SB-5)."""

    place: Annotated[int, Meta(ge=0)]


Move: TypeAlias = Hand | Place


class Effects(msgspec.Struct, frozen=True, tag="sabo", omit_defaults=True):
    """What a move caused: the card that appeared, the trick's number from 1 and its led suit; the seat that took the
    trick once it is complete; `next` is null when the deal is over."""

    card: Card
    trick: int
    led: str
    next: int | None
    winner: int | None = None


class Played(msgspec.Struct, frozen=True):
    """A card of the current trick and the seat that played it; `place` is where it lay among the sabo, null when it came
    from hand."""

    card: Card
    seat: int
    place: int | None = None


class State(msgspec.Struct, frozen=True, tag="sabo"):
    """A deal between two moves. Tuples by seat; `turn` is null once the deal is over; a used sabo place is null.

    `trick` counts from 1; `played` are its cards in the order made; `leader` leads it, or has led it, in turn or not;
    `led` is null before the lead; `tricks` are those taken by each seat; `taken` all cards of the tricks that are
    complete; `looked_at` the place of a sabo card that its owner saw: it lies face up and comes next of that seat's
    (rules 4.2), empty where nobody looked. `face_up`: seat and place of sabo cards that everybody has seen.
    """

    dealer: int
    turn: int | None
    hands: tuple[Cards, ...]
    sabo: tuple[tuple[Card | None, ...], ...]
    leader: int
    tricks: tuple[int, ...]
    trick: int = 1
    led: str | None = None
    played: tuple[Played, ...] = ()
    taken: Cards = ()
    looked_at: tuple[int | None, ...] = ()
    face_up: tuple[tuple[int, int], ...] = ()
