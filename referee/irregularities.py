"""What goes wrong at a real table and what is done about it: the table of rules 4.2, and which of its remedies applies.

A window says until when a remedy is free; after it another remedy applies, or the same one by consent of all seats or
the arbiter. The words are in `rules/texts/irregularities.toml`.
"""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from referee.deal import Deal
from referee.events import Moved
from referee.match import DealLine, Match

EVERY: Final = ("tablanet", "tabu", "sabo")


class Remedy(NamedTuple):
    """What is done, and the requests that carry it out, the usual one first; with `consent` only if all seats agree, or
    the arbiter says so; `uncovers` where the moves go back although hidden cards were seen in them. With `same_card` the
    move is made again with the card that was played."""

    name: str
    ways: tuple[str, ...] = ("note",)
    consent: bool = False
    uncovers: bool = False
    same_card: bool = False


class Row(NamedTuple):
    """An irregularity in some games: its window, the remedy while that is open, and the one afterwards (null: the same)."""

    kind: str
    games: tuple[str, ...]
    window: str
    open: Remedy
    late: Remedy | None = None


class Situation(NamedTuple):
    """Where a deal stands, and about which of its moves one speaks (0: what was before the first); `deal` is null where
    none was recorded move by move."""

    match: Match
    line: DealLine
    deal: Deal | None
    move: int


def _agreed(open_: Remedy) -> Remedy:
    return open_._replace(consent=True)


_AGAIN = ("correct", "take_back", "note")
_VOID = Remedy("void_redeal", ("void", "note"))
_STANDS = Remedy("stands", ("note", "let_stand", "correct", "take_back"))
_WITHDRAWN = Remedy("withdrawn", _AGAIN, uncovers=True)
_FAULT = Remedy("stands_as_fault", ("note", "void"))
_UP = Remedy("taken_up", ("take_back", "note", "let_stand"))
_ONE = Remedy("names_one", _AGAIN)
_BY_RECORD = Remedy("winner_by_record", ("take_back", "note"))
_LED = Remedy("trick_stands", ("let_stand", "note"))
_ROW = Remedy("row_made_right")
_BACK = Remedy("surplus_to_reserve")
_CARD_BACK = Remedy("card_back", ("take_back", "note"), uncovers=True)
_AMENDED = Remedy("amended", ("correct_score",))

ROWS: Final = (
    Row("pack_wrong", EVERY, "before_scored", _VOID, _agreed(_VOID)),
    Row("wrong_card_count", ("tablanet",), "before_first_move", _VOID, Remedy("short_hand_plays_on")),
    Row("wrong_card_count", ("tabu",), "before_first_move", _VOID, Remedy("hand_made_right")),
    Row("wrong_card_count", ("sabo",), "before_first_move", _VOID),
    Row("exposed_in_deal", EVERY, "before_first_move", Remedy("redeal_if_asked", ("void", "note")), Remedy("plays_on")),
    Row("sabo_exposed", ("sabo",), "before_first_move", Remedy("mixed_again"), Remedy("plays_on")),
    Row("exposed_in_play", EVERY, "always", Remedy("no_penalty")),
    Row("wrong_dealer", EVERY, "before_first_move", Remedy("rotation_goes_on", ("note", "void")), Remedy("rotation_goes_on")),
    Row("clean_up_forgotten", ("tablanet", "tabu"), "next_move", Remedy("clean_up_now"), Remedy("stays_in_place")),
    Row("out_of_turn", EVERY, "next_acts", _UP, Remedy("both_stand", ("let_stand", "note"))),
    Row("two_cards", EVERY, "next_acts", _ONE, _agreed(_ONE)),
    Row("illegal_capture", ("tablanet",), "next_acts", Remedy("same_card_again", _AGAIN, same_card=True), _STANDS),
    Row("capture_not_made", ("tablanet",), "next_acts", Remedy("must_capture", _AGAIN, same_card=True), _STANDS),
    Row("cards_left_behind", ("tablanet",), "next_acts", Remedy("take_them", _AGAIN, same_card=True), Remedy("they_stay")),
    Row("cards_left_behind", ("tabu",), "next_acts", Remedy("take_them"), Remedy("they_stay")),
    Row("tablanet_call", ("tablanet",), "always", Remedy("counted_by_fact")),
    Row("wrong_row", ("tabu",), "next_move", _ROW, _agreed(_ROW)),
    Row("draw_forgotten", ("tabu",), "next_acts", Remedy("draw_now"), Remedy("draw_lapses")),
    Row("drew_while_able", ("tabu",), "next_acts", _CARD_BACK, Remedy("stands_unfined")),
    Row("drew_too_many", ("tabu",), "offender_acts", _BACK, _agreed(_BACK)),
    Row("revoke", ("sabo",), "next_lead", _WITHDRAWN, _FAULT),
    Row("revoke_found_later", ("sabo",), "before_scored", _FAULT, _agreed(_FAULT)),
    Row("not_lowest", ("sabo",), "next_lead", _WITHDRAWN, _FAULT),
    Row("sabo_while_holding", ("sabo",), "next_lead", _WITHDRAWN, _FAULT),
    Row("sabo_looked_at", ("sabo",), "always", Remedy("face_up_and_next")),
    Row("wrong_winner", ("sabo",), "next_lead", _BY_RECORD, _LED),
    Row("wrong_trick_size", ("sabo",), "before_scored", Remedy("trick_by_record", (*_AGAIN, "void")), _agreed(_VOID)),
    Row("wrong_points", EVERY, "match_open", _AMENDED, _agreed(_AMENDED)),
    Row("target_passed", EVERY, "always", Remedy("ended_earlier")),
    Row("player_left", EVERY, "always", Remedy("substitute_or_void", ("substitute", "leave", "abandon", "note"))),
    Row("no_proof", EVERY, "always", Remedy("arbiter_rules", ("dispute", "note"))),
)  # fmt: skip
VOIDABLE: Final = frozenset(
    {"revoke", "not_lowest", "sabo_while_holding", "MUST_FOLLOW_SUIT", "NOT_LOWEST_OF_SUIT", "SABO_NOT_ALLOWED"}
)
"""Faults for which the others may have a deal voided: as the record proves them, and as they were let stand."""
KINDS: Final = tuple(dict.fromkeys(row.kind for row in ROWS))
ROW: Final = {(row.kind, game): row for row in ROWS for game in row.games}

SHOWN_BY: Final[Mapping[str, frozenset[str]]] = {
    "out_of_turn": frozenset({"NOT_YOUR_TURN"}),
    "illegal_capture": frozenset({"CAPTURE_NOT_VALID", "CAPTURE_NOT_MAXIMAL", "TOO_MANY_GROUPS"}),
    "capture_not_made": frozenset({"CAPTURE_REQUIRED"}),
    "drew_while_able": frozenset({"NOTHING_PLAYABLE", "DRAW_NOT_ALLOWED", "MUST_PLAY"}),
    "revoke": frozenset({"NO_LED_SUIT_HELD", "MUST_FOLLOW_SUIT"}),
    "not_lowest": frozenset({"LOWEST_OF_SUIT", "NOT_LOWEST_OF_SUIT"}),
    "sabo_while_holding": frozenset({"NO_LED_SUIT_HELD", "SABO_NOT_ALLOWED"}),
    "wrong_winner": frozenset({"NOT_YOUR_TURN"}),
}
"""By what the record shows that a move may have had an irregularity: claims it made, refusals it was let stand against.
Of the other kinds the record shows nothing."""


def remedy(row: Row, now: Situation) -> tuple[bool, Remedy]:
    """Whether the window is open, and the remedy that applies in this situation."""
    is_open = WINDOWS[row.window](now)
    return is_open, row.open if is_open or row.late is None else row.late


def may_be_in(row: Row, made: Moved) -> bool:
    """Whether a move can have had this irregularity by the record."""
    codes = SHOWN_BY.get(row.kind)
    return codes is None or not codes.isdisjoint(shown_by(made))


def shown_by(made: Moved) -> set[str]:
    """The codes of refusals that a move was let stand against, and of the claims that it made."""
    return {fault.code for fault in made.irregular} | {claim.code for claim in made.claims}


def shows(row: Row, made: Moved, place: int | None) -> bool:
    """Whether the record has a move of `place` (null: of anybody) that may have had this irregularity."""
    return row.kind in SHOWN_BY and place in (None, made.seat) and may_be_in(row, made)


def moment(row: Row, deal: Deal, place: int | None) -> int:
    """The move that is meant where none is named: the last that shows the irregularity, else the seat's last where it is
    one of a move, else the last of all."""
    numbered = [(number, one.made) for number, one in enumerate(deal.played, 1)]
    of_move = not {"take_back", "correct"}.isdisjoint(row.open.ways)
    shown = [number for number, made in numbered if shows(row, made, place)]
    own = [number for number, made in numbered if of_move and row.kind not in SHOWN_BY and made.seat == place]
    return (shown or own or [deal.moves])[-1]


def put_right_before(deal: Deal, row: Row, place: int | None, move: int) -> bool:
    """Whether cards were put for the same irregularity: of a deal's beginning, the same however many moves were made."""
    found = [one.note for one in deal.notes if one.note.puts and (one.note.kind, one.note.seat) == (row.kind, place)]
    return any(row.window == "before_first_move" or note.move == move for note in found)


def has_fault_of(deal: Deal, seat: int) -> bool:
    """Whether the record shows a fault of `seat` for which the others may have the deal voided (rules 4.2)."""
    place = deal.seats.index(seat)
    proven = [fault.kind for fault in deal.faults if fault.seat == place]
    stood = [reason.code for one in deal.played if one.made.seat == place for reason in one.made.irregular]
    return not VOIDABLE.isdisjoint([*proven, *stood])


def may_be_misdealt(line: DealLine, deal: Deal | None) -> bool:
    """Whether cards or their dealing can still be what is wrong with a deal (rules 4.2): not once it is scored, nor once
    cards that the referee dealt have been played."""
    return line.points is None and (line.commitment is None or deal is None or not deal.moves)


def facts(now: Situation) -> dict[str, int]:
    """What the record says that a remedy goes by: who took the last complete trick, by seat."""
    if now.deal is None:
        return {}
    for one in reversed(_upto(now)):
        winner = getattr(one.made.effects, "winner", None)
        if winner is not None:
            return {"winner": now.deal.seats[winner]}
    return {}


# ---- windows


def _first_move(now: Situation) -> bool:
    return now.deal is not None and not now.deal.moves


def _next_acts(now: Situation) -> bool:
    """Until a seat other than the one that made the move acts; before the first move, until anybody does."""
    return not _after(now) or {one.made.seat for one in _after(now)} == {_mover(now)}


def _after(now: Situation) -> tuple[Any, ...]:
    return now.deal.played[now.move :] if now.deal else ()


def _upto(now: Situation) -> tuple[Any, ...]:
    return now.deal.played[: now.move] if now.deal else ()


def _mover(now: Situation) -> int | None:
    return now.deal.played[now.move - 1].made.seat if now.deal and now.move else None


def _next_lead(now: Situation) -> bool:
    """Until a card is led to the trick after the move's."""
    tricks: list[int] = [one.made.effects.trick for one in _upto(now)] or [0]
    return all(one.made.effects.trick <= tricks[-1] for one in _after(now))


WINDOWS: Final[Mapping[str, Callable[[Situation], bool]]] = {
    "before_first_move": _first_move,
    "before_scored": lambda now: now.line.points is None,
    "next_move": lambda now: not _after(now),
    "next_acts": _next_acts,
    "offender_acts": lambda now: _mover(now) not in {one.made.seat if now.move else None for one in _after(now)},
    "next_lead": _next_lead,
    "match_open": lambda now: not now.match.over,
    "always": lambda now: True,
}
