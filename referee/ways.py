"""The requests that carry a remedy of rules 4.2 out as things stand: where they go, what they say, who must agree."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple

from referee.events import Moved
from referee.irregularities import SHOWN_BY, Remedy, Row, Situation, has_fault_of, may_be_in, may_be_misdealt, shows


class Way(NamedTuple):
    """A request below the match: its path, the thing whose ETag goes into If-Match if any, what must be filled in, and
    what it is called in a proposal."""

    path: str
    if_match: str | None = None
    missing: tuple[str, ...] = ()
    ask: str | None = None


class Request(NamedTuple):
    """A request with what is known of it; `missing` are paths into the body, `consent` the seats that must agree."""

    name: str
    path: str
    if_match: str | None
    body: dict[str, Any]
    missing: tuple[str, ...]
    consent: tuple[int, ...]


WAYS: Final[Mapping[str, Way]] = {
    "note": Way("/deals/{deal}/irregularities", None, (), "note"),
    "void": Way("/deals/{deal}/void", "match", (), "void_deal"),
    "take_back": Way("/deals/{deal}/take-backs", "deal", (), "take_back"),
    "correct": Way("/deals/{deal}/corrections", "deal", ("move",), "correct_move"),
    "let_stand": Way("/deals/{deal}/irregular-moves", "deal", ("seat", "move"), "let_stand"),
    "correct_score": Way("/deals/{deal}/score-corrections", "match", ("tally",), "correct_score"),
    "substitute": Way("/seats/{seat}/substitution", "match", ("name",), "substitute"),
    "leave": Way("/seats/{seat}/departure", "match", (), "leave"),
    "abandon": Way("/abandonment", "match", (), "abandon"),
    "dispute": Way("/deals/{deal}/disputes"),
}
COUNTED: Final = ("short_hand_plays_on", "hand_made_right")
"""Remedies for which it must be said how many cards a hand was dealt."""


def ways(row: Row, found: Remedy, now: Situation, seat: int | None) -> Iterator[Request]:
    """The requests that carry a remedy out where things stand, the usual one first.

    What happens to a move is offered where the record has one that may be meant, what happens to a result once there is
    one. Where the seats answer for themselves, what they must agree to is a proposal.
    """
    for name in found.ways:
        if not _fits(name, row, found, now, seat):
            continue
        way, body, consent = WAYS[name], _body(name, row, found, now, seat), _consent(name, row, found, now, seat)
        missing = tuple(part for part in way.missing if part not in body)
        if name == "correct" and found.same_card:
            missing = ("move/captures",)
        if name == "note" and found.name in COUNTED and now.deal and now.deal.to_act is not None:
            missing = ("seat", "count") if seat is None else ("count",)
        if consent and now.match.consent == "tokens":
            path, if_match, body, missing = _proposal(way, body, missing, now, seat)
        else:
            path, if_match = (
                way.path.format(deal=now.line.number, seat="{seat}" if seat is None else seat),
                way.if_match,
            )
            missing += ("agreed", "why") if consent else ()
        yield Request(name, path, if_match, body, missing, consent)


def goes_back(row: Row, found: Remedy, now: Situation, seat: int | None) -> bool:
    """Whether the remedy is that a move goes back which the record shows to be the one at fault: a note would change
    nothing."""
    instead = "take_back" in found.ways and found is row.open and row.kind in SHOWN_BY
    return instead and _fits("take_back", row, found, now, seat)


def _fits(name: str, row: Row, found: Remedy, now: Situation, seat: int | None) -> bool:
    made, place = _made(now), _place(now, seat)
    match name:
        case "note":
            return now.deal is not None and not goes_back(row, found, now, seat)
        case "take_back" | "correct":
            if row.kind == "wrong_winner" and not _led(now):
                return False
            # what one move shows is its seat's; of a trick, or of two cards, any of its moves may be meant
            own = row.kind not in SHOWN_BY or place in (None, made.seat if made else None)
            return made is not None and may_be_in(row, made) and own
        case "let_stand":
            return made is None or not made.irregular or not shows(row, made, place)
        case "void":
            return not now.line.voided
        case "correct_score":
            return now.line.points is not None
        case "dispute":
            return made is not None
    return True


def _body(name: str, row: Row, found: Remedy, now: Situation, seat: int | None) -> dict[str, Any]:
    match name:
        case "note":
            return {"kind": row.kind, "seat": seat, "move": now.move}
        case "take_back":
            return {"kept": now.move - 1, "irregularity": row.kind}
        case "correct":
            return {"number": now.move, "irregularity": row.kind} | _again(found, now)
        case "dispute":
            return {"move": now.move}
        case "let_stand":
            return {} if seat is None else {"seat": seat}
        case "void" if _by_others(row, found, now, seat):
            return {"offender": seat}
    return {}


def _consent(name: str, row: Row, found: Remedy, now: Situation, seat: int | None) -> tuple[int, ...]:
    """The seats that must agree; none where it is free."""
    everyone = now.match.active
    match name:
        case "note":
            return everyone if found.consent else ()
        case "take_back" | "correct":
            return () if found is row.open and not now.match.over else everyone
        case "void":
            if _by_others(row, found, now, seat):
                return now.match.without(seat)
            return () if may_be_misdealt(now.line, now.deal) else everyone
        case "correct_score":
            return everyone if now.match.over else ()
        case "let_stand" | "substitute" | "abandon":
            return everyone
    return ()


def _proposal(
    way: Way, body: dict[str, Any], missing: tuple[str, ...], now: Situation, seat: int | None
) -> tuple[str, None, dict[str, Any], tuple[str, ...]]:
    """What is asked for as a proposal of it."""
    of_deal = {"deal": now.line.number} if "{deal}" in way.path else {}
    of_seat = {"seat": seat} if "{seat}" in way.path and seat is not None else {}
    said = {"what" if name == "kind" else name: value for name, value in body.items()}
    ask = {"kind": way.ask, **of_deal, **of_seat, **said}
    return "/proposals", None, {"ask": ask}, tuple(f"ask/{part}" for part in missing)


def _by_others(row: Row, found: Remedy, now: Situation, seat: int | None) -> bool:
    """Whether the others alone may have the deal voided for a fault on record."""
    if found.name != "stands_as_fault" or now.deal is None or now.line.points is not None or seat is None:
        return False
    return has_fault_of(now.deal, seat)


def _again(found: Remedy, now: Situation) -> dict[str, Any]:
    """The move to be made again as far as it is known: with the same card."""
    made: Any = _made(now)
    if not found.same_card or made is None:
        return {}
    return {"move": {"type": made.move.__struct_config__.tag, "card": made.move.card}}


def _made(now: Situation) -> Moved | None:
    return now.deal.played[now.move - 1].made if now.deal and now.move else None


def _place(now: Situation, seat: int | None) -> int | None:
    return None if seat is None or now.deal is None or seat not in now.deal.seats else now.deal.seats.index(seat)


def _led(now: Situation) -> bool:
    """Whether the move is a lead."""
    effects: list[Any] = [one.made.effects for one in now.deal.played[: now.move]] if now.deal else []
    return bool(effects) and (len(effects) == 1 or effects[-2].trick != effects[-1].trick)
