"""Tablanet's tables, what a match agrees on, what is laid out, moved and caused."""

from typing import Annotated, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from referee.rules.cards import PACK, RANK, Card, Cards
from referee.rules.target import Tie

NAME: Final = "tablanet"
RULESET: Final = "tablanet@1"
SEATS: Final = (2, 3)
DEALER_CLAUSE: Final = "TN-2"
END_CLAUSE: Final = "TN-20"
HAND_SIZE: Final = {2: 6, 3: 4}
TABLE_SIZE: Final = 4

_NUMBERS: Final = {str(n): n for n in range(2, 11)}
VALUES: Final = {
    "text": _NUMBERS | {"J": 10, "Q": 13, "K": 15},
    "balkan": _NUMBERS | {"J": 12, "Q": 13, "K": 14},
}
ACES: Final[dict[int | str, tuple[int, ...]]] = {1: (1,), 11: (11,), "either": (1, 11)}
PLAY_VALUES: Final = {
    (ace, scale): {card: ACES[ace] if RANK[card] == "A" else (VALUES[scale][RANK[card]],) for card in PACK}
    for ace in ACES
    for scale in VALUES
}
LONGEST: Final = {3: 3, "unlimited": len(PACK)}
LINES: Final = ("aces", "kings", "queens", "jacks", "tens", "ten_of_diamonds", "twos", "bonus", "tablanets")
TALLY_LINES: Final = ("card_points",)
"""Score lines that only a tallied deal has: card points that were not entered line by line."""
LINE_OF_RANK: Final = {"A": "aces", "K": "kings", "Q": "queens", "J": "jacks", "10": "tens", "2": "twos"}
DEAL_BONUS: Final = 3
CAN_STAND: Final = frozenset(
    {"NOT_YOUR_TURN", "CAPTURE_REQUIRED", "CAPTURE_NOT_VALID", "CAPTURE_NOT_MAXIMAL", "TOO_MANY_GROUPS"}
)
"""Refusals that an arbiter may let stand: the cards can lie as they were played."""
CAN_LIE: Final = frozenset({"DEAL_SIZES", "JACK_ON_TABLE"})
"""What may be wrong with a layout from which play can go on (rules 4.2); a wrong pack never."""
FAULTS: Final[dict[tuple[str, str], str]] = {}
"""False claims by name: none, for nothing that Tablanet demands depends on a hand (rules 5)."""


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """House rules of a Tablanet match (rules 6); the value of the ace has no default (TN-9)."""

    ace_value: Literal[1, 11, "either"]
    tablanet_bonus: Literal["none", "card_values", "one_point"] = "none"
    capture_duty: Literal["any", "optional", "maximal"] = "any"
    max_sum_cards: Literal[3, "unlimited"] = 3
    single_match: Literal["value", "rank"] = "value"
    deal_bonus: Literal["most_points", "most_cards"] = "most_points"
    deal_bonus_tie: Literal["nobody", "all"] = "nobody"
    jack_points: Literal[0, 1] = 0
    twos: Literal["all", "clubs_only"] = "all"
    units_per_capture: Literal["any", "one_of_each"] = "any"
    values: Literal["text", "balkan"] = "text"
    target: Annotated[int, Meta(ge=1, le=1_000_000)] = 251
    tie: Tie = "another_deal"


PRESETS: Final[dict[str, dict[str, object]]] = {
    "classic": {},
    "english-251": {
        "ace_value": "either",
        "tablanet_bonus": "card_values",
        "max_sum_cards": "unlimited",
        "deal_bonus": "most_cards",
        "jack_points": 1,
        "twos": "clubs_only",
    },
    "balkan-101": {
        "ace_value": "either",
        "tablanet_bonus": "one_point",
        "capture_duty": "optional",
        "max_sum_cards": "unlimited",
        "deal_bonus": "most_cards",
        "jack_points": 1,
        "twos": "clubs_only",
        "values": "balkan",
        "target": 101,
    },
}


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the four open cards came about: cards turned in order, and the jacks put back among them (TN-5)."""

    turned: Cards
    set_aside: Cards = ()


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tablanet"):
    """A deal before the first move: hands by seat, four open cards, the stock from the top (TN-4, TN-6)."""

    hands: tuple[Cards, ...]
    table: Cards
    stock: Cards
    opening: Opening | None = None


class Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tablanet.play"):
    """A card from hand and the table cards it takes; no captures is a lay (TN-8)."""

    card: Card
    captures: Cards = ()


class Leftovers(msgspec.Struct, frozen=True):
    """Table cards that go to the last capturer when the deal ends (TN-17)."""

    to: int
    cards: Cards


class Effects(msgspec.Struct, frozen=True, tag="tablanet", omit_defaults=True):
    """What a move caused. `captured` includes the played card, sorted; `bonus` is what a tablanet pays at once;
    `batch` are the new hands by seat when the dealer gave cards again; `next` is null when the deal is over."""

    next: int | None
    captured: Cards = ()
    tablanet: bool = False
    bonus: int = 0
    batch: tuple[Cards, ...] | None = None
    leftovers: Leftovers | None = None


class State(msgspec.Struct, frozen=True, tag="tablanet"):
    """A deal between two moves. Tuples by seat; `turn` is null once the deal is over; stock from the top."""

    dealer: int
    turn: int | None
    hands: tuple[Cards, ...]
    table: Cards
    stock: Cards
    piles: tuple[Cards, ...]
    tablanets: tuple[int, ...]
    bonuses: tuple[int, ...]
    last_capturer: int | None = None


Move: TypeAlias = Play
