"""What the folds count, held against plain counting of every move, and against what the writer of the log knows."""

from collections import Counter
from datetime import timedelta
from typing import Any
from uuid import UUID

from hypothesis import given, settings
from hypothesis import strategies as st

from projections import irregularities, standings
from projections.status import Fold
from referee.events import DealVoided, IrregularityFound, MoveCorrected, Moved, MovesTakenBack, Recorded
from referee.match import deal_id
from tests.projections.logs import START, Pen, random_changes


def recorded(seed: int, steps: int) -> tuple[list[Pen], list[Recorded]]:
    """A random log as it would be read."""
    pens, changes = random_changes(seed, matches=3, steps=steps)
    versions: Counter[UUID] = Counter()
    entries: list[Recorded] = []
    for change in changes:
        for stream, event in change:
            versions[stream] += 1
            at = START + timedelta(seconds=len(entries))
            entries.append(Recorded(stream, versions[stream], len(entries) + 1, at, "scorekeeper", event))
    return pens, entries


def folded(projection: Any, entries: list[Recorded]) -> dict[str, Any]:
    """Every match's document."""
    fold = Fold(projection)
    for entry in entries:
        fold.take(entry)
    return {key: doc for key, (doc, _) in fold._docs.items()}


def move_by_move(entries: list[Recorded], stream: UUID) -> tuple[set[Any], Counter[Any], list[Any]]:
    """Tablanets and illegal moves that stand, by move and seat, and revokes that stand: every move counted."""
    moves: list[Any] = []
    revokes: list[Any] = []
    for entry in entries:
        if entry.stream != stream:
            continue
        match entry.event:
            case Moved():
                moves.append(entry.event)
            case MovesTakenBack(kept=kept):
                del moves[kept:]
                revokes = [one for one in revokes if max(one.move, one.proof) <= kept]
            case MoveCorrected(number=number, moves=made):
                moves[number - 1 :] = made
                revokes = [one for one in revokes if max(one.move, one.proof) < number]
            case IrregularityFound():
                revokes.append(entry.event)
    numbered = list(enumerate(moves, 1))
    cleared = {(number, move.seat) for number, move in numbered if getattr(move.effects, "tablanet", False)}
    illegal = Counter((number, move.seat) for number, move in numbered for _ in move.irregular)
    return cleared, illegal, revokes


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_moves_are_counted_rightly_though_plain_ones_are_not_heard(seed: int) -> None:
    pens, entries = recorded(seed, 120)
    sheets, items = folded(standings, entries), folded(irregularities, entries)
    for pen in pens:
        sheet = sheets[str(pen.match)]
        for deal in sheet.deals:
            stream = deal_id(pen.match, deal.number)
            cleared, illegal, revokes = move_by_move(entries, stream)
            assert set(deal.course.tablanets) == cleared
            assert [f.move for f in deal.course.faults if f.kind == "revoke"] == [one.move for one in revokes]
            found = items[str(pen.match)].deals[stream]
            stand = Counter(
                (one.move, one.seat) for one in found.items if (one.sort, one.state) == ("illegal_move", "stands")
            )
            assert stand == illegal
            voided = [e.event.number for e in entries if e.stream == pen.match and isinstance(e.event, DealVoided)]
            assert found.voided == (deal.number in voided)


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_standings_of_a_match_are_what_was_written(seed: int) -> None:
    pens, entries = recorded(seed, 120)
    sheets = folded(standings, entries)
    for pen in pens:
        lines = list(standings.lines(sheets[str(pen.match)]))
        assert sum(line.points for line in lines) == sum(sum(points) for points in pen.points.values())
        assert sum(line.deals for line in lines) == sum(len(pen.took_part[number]) for number in pen.points)
        sheet = sheets[str(pen.match)]
        finished = {line.player for line in lines if line.finished}
        left = {pen.players[seat] for seat in pen.left}
        if not sheet.winners:
            assert not finished
        elif sheet.state == "won":
            assert finished == set(pen.players) - left
            assert {line.player for line in lines if line.won} == {pen.players[s] for s in sheet.winners} - left
