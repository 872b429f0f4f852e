"""A Tablanet deal of which only the result is entered (TN-17 to TN-20)."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, TypeAlias

import msgspec
from msgspec import Meta

from referee.rules.cards import PACK, Cards, surplus
from referee.rules.tablanet.model import DEAL_BONUS, LINE_OF_RANK, Rules
from referee.rules.tablanet.scoring import bonus_seats, card_lines
from referee.rules.tallies import disagree, seats_fault
from referee.rules.verdict import Illegal, Violation

CARD_LINES: Final = (*LINE_OF_RANK.values(), "ten_of_diamonds")
Figure: TypeAlias = Annotated[int, Meta(ge=0, le=1_000_000)]
Figures: TypeAlias = tuple[Figure, ...]


class Tally(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tablanet"):
    """What each seat took: its pile, its score lines or its card points (TN-18); what is given twice is compared.

    `counts`: cards by seat, asked for where the most cards win the deal; `bonus`: seats that get the three points;
    `tablanets`: how many by seat, `tablanet_points` what they paid; `points` of the deal as the table wrote them down.
    """

    piles: tuple[Cards, ...] | None = None
    lines: tuple[dict[str, Figure], ...] | None = None
    card_points: Figures | None = None
    counts: Figures | None = None
    bonus: tuple[Figure, ...] | None = None
    tablanets: Figures | None = None
    tablanet_points: Figures | None = None
    points: tuple[int, ...] | None = None


def tally(rules: Rules, seats: int, entered: Tally) -> tuple[dict[str, int], ...] | Illegal:
    """Score lines by seat, or everything that cannot be about the parts entered (TN-17 to TN-20)."""
    if found := [*_shape_faults(rules, seats, entered)]:
        return Illegal(tuple(found))
    if entered.piles is not None:
        found += _pile_faults(entered.piles)
    lines = _card_lines(rules, entered)
    by_cards = [sum(line.values()) for line in lines]
    counts = [len(pile) for pile in entered.piles] if entered.piles is not None else entered.counts
    nobody = counts is not None and not any(counts)
    if entered.piles is None:
        found += _line_faults(rules, lines, nobody)
        found += _sum_faults(sum(by_cards), 0 if nobody else _total(rules), sum(counts or ()))
    else:
        found += _compare_lines(lines, entered.lines)
        found += disagree("counts", entered.counts, counts or (), "TN-13")
    if entered.card_points is not None:
        found += disagree("card_points", entered.card_points, by_cards, "TN-18")
    paid = _tablanet_points(rules, entered, seats)
    found += disagree("tablanet_points", entered.tablanet_points, paid, "TN-14")
    won = [points + extra for points, extra in zip(by_cards, paid, strict=True)]
    due = _bonus_due(rules, entered, won, counts, nobody)
    if entered.bonus is not None and sorted(entered.bonus) != due:
        found.append(Violation("BONUS_SEAT", "TN-19", {"given": entered.bonus, "due": tuple(due)}))
    scored = tuple(
        line | {"bonus": DEAL_BONUS * (seat in due), "tablanets": paid[seat]} for seat, line in enumerate(lines)
    )
    found += disagree("points", entered.points, [sum(line.values()) for line in scored], "TN-20")
    return Illegal(tuple(found)) if found else scored


def _shape_faults(rules: Rules, seats: int, entered: Tally) -> Iterator[Violation]:
    """Parts that are not there, not for every seat, or for a seat that is not."""
    parts: dict[str, Any] = {
        name: getattr(entered, name) for name in entered.__struct_fields__ if name not in ("bonus", "tablanets")
    }
    yield from seats_fault(seats, "TN-1", **parts, tablanets=entered.tablanets)
    for seat in entered.bonus or ():
        if seat >= seats:
            yield Violation("TALLY_SEATS", "TN-19", {"part": "bonus", "given": seat, "seats": seats})
    if unknown := sorted({name for line in entered.lines or () for name in line if name not in CARD_LINES}):
        yield Violation("LINE_UNKNOWN", "TN-18", {"given": unknown, "lines": CARD_LINES})
    missing: list[tuple[str, ...]] = []
    if entered.piles is None and entered.lines is None and entered.card_points is None:
        missing.append(("piles", "lines", "card_points"))
    if rules.deal_bonus == "most_cards" and entered.piles is None and entered.counts is None and entered.bonus is None:
        missing.append(("counts", "bonus"))
    if rules.tablanet_bonus == "card_values" and any(entered.tablanets or ()) and entered.tablanet_points is None:
        missing.append(("tablanet_points",))
    for part in missing:
        yield Violation("PARTS_MISSING", "TN-20", {"parts": part})


def _pile_faults(piles: Sequence[Cards]) -> Iterator[Violation]:
    """The piles together are the pack, unless nobody took a card (TN-17, N11)."""
    if not any(piles):
        return
    extra, missing = surplus([card for pile in piles for card in pile], PACK)
    twice = tuple(card for card in extra if card in PACK)
    foreign = tuple(card for card in extra if card not in PACK)
    if twice:
        yield Violation("CARD_SEEN_TWICE", "TN-1", {"cards": twice})
    if foreign or missing:
        yield Violation("PACK_MISMATCH", "TN-1", {"extra": foreign, "missing": missing})


def _card_lines(rules: Rules, entered: Tally) -> list[dict[str, int]]:
    """Card points by seat, divided as finely as they were entered."""
    if entered.piles is not None:
        known = [tuple(card for card in pile if card in PACK) for pile in entered.piles]
        return [card_lines(rules, pile) for pile in known]
    if entered.lines is not None:
        return [dict.fromkeys(CARD_LINES, 0) | line for line in entered.lines]
    return [{"card_points": points} for points in entered.card_points or ()]


def _line_faults(rules: Rules, lines: Sequence[dict[str, int]], nobody: bool) -> Iterator[Violation]:
    """Each score line against what the pack pays in it."""
    for name, total in card_lines(rules, PACK).items():
        given = sum(line.get(name, 0) for line in lines)
        due = 0 if nobody else total
        if name in lines[0] and given != due:
            params = {"line": name, "given": given, "total": due, "difference": given - due}
            yield Violation("LINE_SUM", "TN-18", params)
        if name == "ten_of_diamonds" and any(line.get(name, 0) not in (0, total) for line in lines):
            yield Violation("POINTS_IMPOSSIBLE", "TN-18", {"given": tuple(line[name] for line in lines)})


def _compare_lines(due: Sequence[dict[str, int]], given: Sequence[dict[str, int]] | None) -> Iterator[Violation]:
    for name in CARD_LINES if given is not None else ():
        yield from disagree(name, [line.get(name, 0) for line in given or ()], [line[name] for line in due], "TN-18")


def _sum_faults(points: int, due: int, cards: int) -> Iterator[Violation]:
    """Card points and numbers of cards against the pack; no cards where they were not counted, or nobody took any."""
    if points != due:
        params = {"given": points, "total": due, "difference": points - due}
        yield Violation("POINTS_SUM", "TN-18", params)
    if cards not in (0, len(PACK)):
        counted = {"given": cards, "total": len(PACK), "difference": cards - len(PACK)}
        yield Violation("CARDS_SUM", "TN-17", counted)


def _total(rules: Rules) -> int:
    return sum(card_lines(rules, PACK).values())


def _tablanet_points(rules: Rules, entered: Tally, seats: int) -> list[int]:
    """What the tablanets paid by seat: nothing, one each, or by the cards as it was entered (N9)."""
    if rules.tablanet_bonus == "card_values" and entered.tablanet_points is not None:
        return list(entered.tablanet_points)
    if rules.tablanet_bonus == "one_point":
        return list(entered.tablanets or entered.tablanet_points or (0,) * seats)
    return [0] * seats


def _bonus_due(
    rules: Rules, entered: Tally, won: Sequence[int], counts: Sequence[int] | None, nobody: bool
) -> list[int]:
    """The seats that get the three points; as entered where the cards that decide it were not counted (TN-19, N12)."""
    if nobody:
        return []
    if rules.deal_bonus == "most_points":
        return bonus_seats(rules, won)
    if counts is not None:
        return bonus_seats(rules, counts)
    told = sorted(set(entered.bonus or ()))
    return told if len(told) <= 1 or rules.deal_bonus_tie == "all" else []
