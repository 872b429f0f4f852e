"""Cards that are put somewhere else outside of a move: how a table puts right what went wrong (rules 4.2)."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal, Protocol, TypeAlias, TypeVar

import msgspec
from msgspec import Meta

from referee.rules.cards import HIDDEN, Card, Cards, Sight, played_from

S = TypeVar("S", bound=msgspec.Struct)
Zone: TypeAlias = Literal["hands", "table", "stock", "row", "reserve", "discard", "captured"]
"""Where cards lie, by the name that the game's own state has for it."""
FACE_DOWN: tuple[Zone, ...] = ("stock", "reserve")
OF_SEATS: tuple[Zone, ...] = ("hands", "captured")


class Spot(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place for a card: whose, where every seat has its own; `at` counts from the top, null is the end."""

    zone: Zone
    seat: Annotated[int, Meta(ge=0)] | None = None
    at: Annotated[int, Meta(ge=0)] | None = None


class Put(msgspec.Struct, frozen=True):
    """A card taken from one spot and put on another; `?` where nobody saw it."""

    card: Card
    source: Spot
    target: Spot


class Shown(msgspec.Struct, frozen=True):
    """A sabo card that everybody has seen and that lies face up at its place (rules 4.2)."""

    seat: int
    place: int
    card: Card


class Noted(Protocol):
    """What a note says of the cards: what was put, which sabo cards lie face up, the place of one that was looked at."""

    @property
    def seat(self) -> int | None: ...
    @property
    def place(self) -> int | None: ...
    @property
    def puts(self) -> tuple[Put, ...]: ...
    @property
    def shown(self) -> tuple[Shown, ...]: ...


def put(state: S, puts: Sequence[Put]) -> S:
    """The state once the cards are put. Raises ValueError where one does not lie where it was taken from, or there is no
    such spot.

    What is put face down in a deal whose hands nobody sees is an unseen card from then on.
    """
    for one in puts:
        state = _lay(_take(state, one), one)
    return state


def hide_puts(puts: Sequence[Put], sight: Sight) -> tuple[Put, ...]:
    """What was put as a reader may see it: cards that lay or lie open, or are in the reader's hand; else `?`.

    Where in a face-down pile a card went is hidden too, and in what order a discard was renewed.
    """
    return tuple(puts) if sight.everything else tuple(_hidden(one, sight) for one in puts)


def _hidden(one: Put, sight: Sight) -> Put:
    source, target = one.source, one.target
    seen = source.zone != "discard" and any(_open(spot, sight) for spot in (source, target))
    if target.zone in FACE_DOWN:
        target = msgspec.structs.replace(target, at=None)
    return Put(one.card if seen else HIDDEN, source, target)


def _open(spot: Spot, sight: Sight) -> bool:
    return spot.seat == sight.seat if spot.zone == "hands" else spot.zone not in FACE_DOWN


def _take(state: S, one: Put) -> S:
    cards, at = _cards(state, one.source), one.source.at
    if at is None:
        return _with(state, one.source, played_from(cards, one.card))
    if at >= len(cards) or cards[at] not in (one.card, HIDDEN):
        raise ValueError(f"{one.card} does not lie there")
    return _with(state, one.source, cards[:at] + cards[at + 1 :])


def _lay(state: S, one: Put) -> S:
    cards, at = _cards(state, one.target), one.target.at
    if at is not None and at > len(cards):
        raise ValueError("there are fewer cards above that place")
    unseen = one.target.zone in FACE_DOWN and any(HIDDEN in hand for hand in state.hands)  # type: ignore[attr-defined]
    laid = (HIDDEN if unseen else one.card,)
    return _with(state, one.target, cards + laid if at is None else cards[:at] + laid + cards[at:])


def _cards(state: Any, spot: Spot) -> Cards:
    lying = getattr(state, spot.zone, None)
    if lying is None or (spot.seat is None) == (spot.zone in OF_SEATS) or (spot.seat or 0) >= len(state.hands):
        raise ValueError("there is no such spot")
    cards: Cards = lying if spot.seat is None else lying[spot.seat]
    return cards


def _with(state: S, spot: Spot, cards: Cards) -> S:
    lying: Any = cards
    if spot.seat is not None:
        lying = getattr(state, spot.zone)
        lying = (*lying[: spot.seat], cards, *lying[spot.seat + 1 :])
    return msgspec.structs.replace(state, **{spot.zone: lying})
