"""Irregularities and disputes: what was not as it should be, in which deal and move, and what was ruled about it."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias
from uuid import UUID

import msgspec

from projections.base import View, decode_text
from projections.moves import counted, seat_at, speaks
from projections.tables import Rows
from projections.when import micros
from referee.events import (
    CardsDealt,
    DealVoided,
    DisputeRaised,
    DisputeRuled,
    Event,
    IrregularityFound,
    IrregularityNoted,
    MoveCorrected,
    Moved,
    MovesTakenBack,
    Recorded,
    RulingConfirmed,
)

NAME: Final = "irregularities"
VERSION: Final = 1
TABLES: Final = {
    "item": "key TEXT, deal INTEGER, number INTEGER, sort TEXT NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL,"
    " at BIGINT NOT NULL, item TEXT NOT NULL, PRIMARY KEY (key, deal, number)",
}
INDEXES: Final = ("item (at, key, deal, number)", "item (sort, state, at)", "item (kind, at)")

Sort: TypeAlias = Literal["illegal_move", "proven", "noted", "dispute", "layout"]
ItemState: TypeAlias = Literal["stands", "withdrawn", "open", "provisional", "confirmed"]


class Ruling(msgspec.Struct, frozen=True):
    """What the arbiter ruled; `why` is the id of the words. Later rulings supersede earlier ones."""

    ruling: int
    upheld: bool
    remedy: dict[str, Any]
    why: UUID | None
    at: datetime
    by: str
    confirmed_at: datetime | None = None


class Item(msgspec.Struct, frozen=True):
    """One irregularity or dispute of a deal. `kind` is a violation's code, a fault's or a remark's kind, or `dispute`.

    An irregularity `stands`, or was `withdrawn` when its move was taken back or corrected; a dispute is `open`, ruled
    on `provisional`ly, or `confirmed`. Reasons name no cards, so that nothing hidden shows. `why`: id of the words.
    """

    sort: Sort
    kind: str
    state: ItemState
    seat: int | None
    move: int | None
    at: datetime
    by: str
    clause: str | None = None
    proof: int | None = None
    remedy: str | None = None
    why: UUID | None = None
    dispute: int | None = None
    rulings: tuple[Ruling, ...] = ()


class DealItems(msgspec.Struct, frozen=True):
    """A deal's items, and its moves counted up to `version` of its stream; `seats` as in `moves.Course`."""

    number: int
    version: int
    seats: tuple[int, ...] = ()
    moves: int = 0
    voided: bool = False
    items: tuple[Item, ...] = ()


class Doc(msgspec.Struct, frozen=True):
    """All deals of a match, by their streams."""

    deals: dict[UUID, DealItems] = {}


class Listed(msgspec.Struct, frozen=True):
    """An item in the list: the match, the deal, whether that deal was voided."""

    match: UUID
    deal: int
    voided: bool
    item: Item


class Wanted(msgspec.Struct, frozen=True):
    """Which items: every condition given must hold."""

    match: UUID | None = None
    sort: Sort | None = None
    kind: str | None = None
    state: ItemState | None = None


Place = tuple[int, str, int, int]
"""Where a page ends: the moment in microseconds, match, deal and number of its last item."""


def hears(event: Event) -> bool:
    """What deals say beside plain moves, voids, and disputes."""
    return speaks(event) or isinstance(event, DealVoided | DisputeRaised | DisputeRuled | RulingConfirmed)


def evolve(doc: Doc | None, recorded: Recorded) -> Doc:
    """The match's items after one more event."""
    deals = (doc or Doc()).deals
    event = recorded.event
    match event:
        case DealVoided(number=number):
            changed = {k: _but(d, voided=True) if d.number == number else d for k, d in deals.items()}
            return Doc(changed)
        case CardsDealt(number=number, seats=seats) as dealt:
            items = _laid_out(dealt, recorded)
            return Doc(deals | {recorded.stream: DealItems(number, recorded.version, seats, items=items)})
        case DisputeRaised() | DisputeRuled() | RulingConfirmed():
            return Doc({k: _but(d, items=_disputed(d, recorded)) for k, d in deals.items()})
    deal = deals[recorded.stream]
    moves = counted(deal.moves, deal.version, recorded)
    items = _items(deal, moves, recorded)
    return Doc(deals | {recorded.stream: _but(deal, version=recorded.version, moves=moves, items=items)})


def rows(key: str, doc: Doc) -> Mapping[str, Rows]:
    """Every item, to search by."""
    return {
        "item": [
            (key, deal.number, number, item.sort, item.kind, item.state, micros(item.at), _text(deal, item))
            for deal in doc.deals.values()
            for number, item in enumerate(deal.items, 1)
        ]
    }


def read(view: View, wanted: Wanted, after: Place | None, limit: int) -> tuple[list[Listed], Place | None]:
    """A page of items, newest first, and where the next one begins."""
    held = [
        (text, value)
        for text, value in (
            ("key = %s", wanted.match and str(wanted.match)),
            ("sort = %s", wanted.sort),
            ("kind = %s", wanted.kind),
            ("state = %s", wanted.state),
        )
        if value is not None
    ]
    texts = [text for text, _ in held] + (["(at, key, deal, number) < (%s, %s, %s, %s)"] if after else [])
    found = view(
        "SELECT at, key, deal, number, item FROM {item}"
        + (f" WHERE {' AND '.join(texts)}" if texts else "")
        + " ORDER BY at DESC, key DESC, deal DESC, number DESC LIMIT %s",
        *(value for _, value in held),
        *(after or ()),
        limit + 1,
    )
    entries = [Listed(UUID(row[1]), row[2], *_read(row[4])) for row in found[:limit]]
    return entries, found[limit - 1][:4] if len(found) > limit else None


def _items(deal: DealItems, moves: int, recorded: Recorded) -> tuple[Item, ...]:
    event, at, by, items = recorded.event, recorded.at, recorded.by, deal.items
    match event:
        case Moved():
            seat = seat_at(deal.seats, event.seat)
            found = [
                Item("illegal_move", v.code, "stands", seat, moves, at, by, v.clause, why=event.why)
                for v in event.irregular
            ]
            return (*items, *found)
        case IrregularityFound(kind, place, move, proof, clause):
            return (*items, Item("proven", kind, "stands", seat_at(deal.seats, place), move, at, by, clause, proof))
        case IrregularityNoted(kind=kind, seat=place, remedy=remedy, why=why):
            who = None if place is None else seat_at(deal.seats, place)
            return (*items, Item("noted", kind, "stands", who, None, at, by, remedy=remedy, why=why))
        case MovesTakenBack(kept=kept):
            return _withdrawn(items, kept)
        case MoveCorrected(number=number, moves=made):
            again = [
                Item("illegal_move", v.code, "stands", seat_at(deal.seats, one.seat), place, at, by, v.clause)
                for place, one in enumerate(made, number)
                for v in one.irregular
            ]
            return (*_withdrawn(items, number - 1), *again)
        case _:
            return items


def _laid_out(dealt: CardsDealt, recorded: Recorded) -> tuple[Item, ...]:
    """What was irregular in a layout that was let stand: nobody's, and no taking back of moves withdraws it."""
    return tuple(
        Item("layout", v.code, "stands", None, None, recorded.at, recorded.by, v.clause, why=dealt.why)
        for v in dealt.irregular
    )


def _disputed(deal: DealItems, recorded: Recorded) -> tuple[Item, ...]:
    """A deal's items after what the match's stream says of a dispute, which may be about another deal."""
    event, at, by, items = recorded.event, recorded.at, recorded.by, deal.items
    match event:
        case DisputeRaised(dispute, number, move, seat, why) if number == deal.number:
            return (*items, Item("dispute", "dispute", "open", seat, move, at, by, why=why, dispute=dispute))
        case DisputeRuled(dispute, ruling, upheld, remedy, why):
            new = Ruling(ruling, upheld, remedy, why, at, by)
            return tuple(
                _but(i, state="provisional", rulings=(*i.rulings, new)) if i.dispute == dispute else i for i in items
            )
        case RulingConfirmed(dispute, ruling):
            return tuple(_confirmed(i, ruling, at) if i.dispute == dispute else i for i in items)
        case _:
            return items


def _withdrawn(items: tuple[Item, ...], kept: int) -> tuple[Item, ...]:
    """Irregularities of moves after the first `kept` stand no longer; disputes are for the arbiter to settle."""
    return tuple(
        _but(i, state="withdrawn") if i.state == "stands" and max(i.move or 0, i.proof or 0) > kept else i
        for i in items
    )


def _confirmed(item: Item, ruling: int, at: datetime) -> Item:
    rulings = tuple(_but(r, confirmed_at=at) if r.ruling == ruling else r for r in item.rulings)
    return _but(item, state="confirmed" if rulings and rulings[-1].confirmed_at else "provisional", rulings=rulings)


def _text(deal: DealItems, item: Item) -> str:
    return msgspec.json.encode([deal.voided, item]).decode()


def _read(text: str) -> tuple[bool, Item]:
    return decode_text(text, tuple[bool, Item])


_but = msgspec.structs.replace
