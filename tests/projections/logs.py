"""Logs for the projections' tests: matches of all games with all that can happen to them, written straight to the log.

The cards of a deal are real ones, played once for each game and used again; what happens around them is drawn at random.
The writer keeps its own sums, so that what a projection says can be held against them.
"""

import asyncio
import random
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any
from uuid import UUID

from referee.access import digest
from referee.events import (
    FREE,
    CapabilityGranted,
    CardPlayed,
    CardsDealt,
    Consent,
    DealerChosen,
    DealFinished,
    DealReopened,
    DealScored,
    DealStarted,
    DealTallied,
    DealVoided,
    DisputeRaised,
    DisputeRuled,
    Entry,
    Event,
    IrregularityFound,
    IrregularityNoted,
    Made,
    MatchAbandoned,
    MatchImported,
    MatchOpened,
    MatchReopened,
    MatchWon,
    MoveCorrected,
    MovesTakenBack,
    PlayerJoined,
    PlayerLeft,
    PlayerSubstituted,
    ProposalMade,
    RulingConfirmed,
    ScoreCorrected,
)
from referee.match import access_id, deal_id
from referee.rules.game import GAMES
from referee.rules.verdict import Violation
from referee.store.log import Batch, Log
from tests.dealing import SMALLEST, SeededChance, new_deal, random_line, rules_of

START = datetime(2026, 5, 1, 18, tzinfo=UTC)
SPOKEN = Consent("spoken", (0, 1))
Change = list[tuple[UUID, Event]]
"""What one command writes: events with their streams, in order."""


@lru_cache
def played(game: str) -> tuple[Any, list[tuple[int, Any, Any]]]:
    """A deal for two or three of the game: its layout, and every seat, move and effects."""
    kernel = GAMES[game]
    chance, seats = SeededChance(7), max(2, kernel.SEATS[0])
    rules = rules_of(kernel)
    layout, first = new_deal(kernel, rules, seats, chance)
    return layout, [step[1:] for step in random_line(kernel, rules, first, chance)][:40]


class Pen:
    """Writes one match: each method gives what a command would write, and keeps what must come of it."""

    def __init__(self, rng: random.Random, people: Sequence[UUID], game: str | None = None) -> None:
        self.rng, self.people = rng, list(people)
        self.match = UUID(int=rng.getrandbits(128))
        self.game = game or rng.choice(sorted(GAMES))
        self.seats = max(2, GAMES[self.game].SEATS[0])
        self.players = self.people[: self.seats]
        self.opened_with = self.seats
        self.began = [0] * self.seats
        self.points: dict[int, tuple[int, ...]] = {}
        self.deals, self.running, self.over = 0, 0, False
        self.left: set[int] = set()
        self.took_part: dict[int, list[int]] = {}
        self.moves: dict[int, int] = {}
        self.disputes: list[int] = []
        self.target = 101

    def id(self) -> UUID:
        return UUID(int=self.rng.getrandbits(128))

    @property
    def totals(self) -> tuple[int, ...]:
        gains = [sum(points[seat] for points in self.points.values()) for seat in range(self.seats)]
        return tuple(a + b for a, b in zip(self.began, gains, strict=True))

    def open(self) -> Change:
        rules = {"target": self.target, **SMALLEST.get(self.game, {})} | {"target": self.target}
        opened = MatchOpened(self.game, f"{self.game}@1", rules, tuple(self.players))
        granted = CapabilityGranted("arbiter", None, 1, digest(str(self.match)))
        found: Change = [(self.match, opened), (self.match, DealerChosen(0, "seat"))]
        if self.rng.random() < 0.2:
            found.append((access_id(self.match), MatchImported(None)))
        return [*found, (access_id(self.match), granted)]

    def start(self) -> Change:
        self.deals += 1
        number = self.running = self.deals
        self.moves[number] = 0
        self.took_part[number] = [seat for seat in range(self.seats) if seat not in self.left]
        stream = deal_id(self.match, number)
        layout, _ = played(self.game)
        dealt = CardsDealt(self.match, number, f"{self.game}@1", 0, "dealt", "scorekeeper", layout)
        sit = tuple(self.took_part[number])
        sitting = () if sit == tuple(range(self.opened_with)) else sit
        most = self.rng.choice([20, 60, None])
        begun = DealStarted(number, stream, number % self.seats, "dealt", most, seats=sitting)
        return [(self.match, begun), (stream, dealt)]

    def move(self, number: int | None = None) -> Change:
        number = number or self.running
        _, line = played(self.game)
        found: Change = []
        for _ in range(self.rng.randint(1, 8)):
            seat, move, effects = line[self.moves[number] % len(line)]
            wrong = (Violation("NOT_IN_HAND", "TN-9", {"card": "2S"}),) if self.rng.random() < 0.05 else ()
            self.moves[number] += 1
            found.append((deal_id(self.match, number), CardPlayed(seat, move, effects, irregular=wrong)))
        return found

    def take_back(self, number: int | None = None) -> Change:
        number = number or self.running
        kept = self.rng.randint(0, self.moves[number])
        self.moves[number] = kept
        return [(deal_id(self.match, number), MovesTakenBack(SPOKEN, self.id(), kept))]

    def correct_move(self, number: int | None = None) -> Change:
        number = number or self.running
        if not self.moves[number]:
            return []
        first = self.rng.randint(1, self.moves[number])
        _, line = played(self.game)
        made = tuple(Made(*line[self.rng.randrange(len(line))]) for _ in range(self.rng.randint(1, 5)))
        self.moves[number] = first - 1 + len(made)
        return [(deal_id(self.match, number), MoveCorrected(SPOKEN, None, first, made))]

    def fault(self) -> Change:
        number = self.rng.randint(1, self.deals)
        stream, moves, seat = deal_id(self.match, number), self.moves[number], self.rng.randrange(2)
        if moves < 2 or self.rng.random() < 0.3:
            return [(stream, IrregularityNoted(FREE, self.id(), "exposed", seat, "none"))]
        at = self.rng.randint(1, moves - 1)
        return [(stream, IrregularityFound("revoke", seat, at, self.rng.randint(at + 1, moves), "SB-7"))]

    def dispute(self) -> Change:
        number = self.rng.randint(1, self.deals)
        stream, rulings = self.match, self.disputes
        if not rulings or self.rng.random() < 0.4:
            rulings.append(0)
            return [(stream, DisputeRaised(len(rulings), number, 1, 0, self.id()))]
        which = self.rng.randint(1, len(rulings))
        if rulings[which - 1] and self.rng.random() < 0.5:
            return [(stream, RulingConfirmed(which, rulings[which - 1]))]
        rulings[which - 1] += 1
        return [(stream, DisputeRuled(which, rulings[which - 1], self.rng.random() < 0.5, {"kind": "none"}))]

    def score(self, points: Sequence[int] | None = None) -> Change:
        number, self.running = self.running, 0
        scored, lines = self._points(number, points)
        self.points[number] = scored
        found: Change = [(deal_id(self.match, number), DealFinished(scored, lines))]
        if self.rng.random() < 0.1:
            found = [(self.match, DealTallied(number, {"points": list(scored)}))]
        return [*found, (self.match, DealScored(number, scored, lines, self.totals)), *self._end()]

    def correct(self, number: int | None = None, points: Sequence[int] | None = None) -> Change:
        number = number or self.rng.choice(sorted(self.points))
        scored, lines = self._points(number, points)
        self.points[number] = scored
        corrected = ScoreCorrected(SPOKEN, self.id(), number, scored, lines, self.totals)
        return [(self.match, corrected), *self._end()]

    def void(self) -> Change:
        number = self.rng.choice([*self.points, *([self.running] if self.running else ())])
        self.points.pop(number, None)
        self.running = 0 if number == self.running else self.running
        return [(self.match, DealVoided(SPOKEN, self.id(), number, self.totals)), *self._end()]

    def reopen(self) -> Change:
        number = max(self.points)
        del self.points[number]
        self.running = number
        return [(self.match, DealReopened(SPOKEN, None, number, self.totals)), *self._end()]

    def abandon(self) -> Change:
        self.over = True
        seats = (0,) if self.rng.random() < 0.5 else ()
        return [(self.match, MatchAbandoned(SPOKEN, None, seats))]

    def roster(self) -> Change:
        what = self.rng.choice(["join", "leave", "swap"])
        spare = [one for one in self.people if one not in self.players]
        if what == "leave":
            seat = self.rng.randrange(self.seats)
            if len(self.left) + 1 >= self.seats or seat in self.left:
                return []
            self.left.add(seat)
            return [(self.match, PlayerLeft(SPOKEN, None, seat))]
        if not spare:
            return []
        if what == "swap":
            seat = self.rng.randrange(self.seats)
            self.left.discard(seat)
            self.players[seat] = spare[0]
            return [(self.match, PlayerSubstituted(SPOKEN, None, seat, spare[0]))]
        if self.running:
            return []
        self.seats += 1
        self.players.append(spare[0])
        self.began.append(5)
        self.points = {number: (*points, 0) for number, points in self.points.items()}
        return [(self.match, PlayerJoined(SPOKEN, None, self.seats - 1, spare[0], 5))]

    def next(self) -> Change:
        """Something that may happen now."""
        rng = self.rng
        if not self.deals:
            return self.start()
        choices = [self.fault, self.dispute, self.propose, self.roster]
        if self.points:
            choices += [self.correct, self.correct, self.void]
        if self.running:
            choices += [self.move] * 6 + [self.score] * 4 + [self.take_back, self.correct_move, self.void]
        elif not self.over:
            choices += [self.start] * 6
            choices += [self.reopen] if self.points and max(self.points) == self.deals else []
        if not self.over and rng.random() < 0.03:
            choices = [self.abandon]
        return rng.choice(choices)()

    def propose(self) -> Change:
        return [(self.match, ProposalMade(1, "void", {}))]

    def _points(self, number: int, points: Sequence[int] | None) -> tuple[tuple[int, ...], tuple[dict[str, int], ...]]:
        drawn = points or [
            self.rng.randint(-15, 40) if seat in self.took_part[number] else 0 for seat in range(self.seats)
        ]
        return tuple(drawn), tuple({"tricks": one} for one in drawn)

    def _end(self) -> Change:
        best = max(self.totals)
        won = tuple(seat for seat, total in enumerate(self.totals) if total == best) if best >= self.target else ()
        if won:
            self.over = True
            return [(self.match, MatchWon(won, self.totals))]
        was, self.over = self.over, False
        return [(self.match, MatchReopened())] if was else []


class Book:
    """Writes changes to a log, versions and moments kept."""

    def __init__(self, log: Log) -> None:
        self.log = log
        self._versions: dict[UUID, int] = {}
        self._at = START
        self.written = 0

    async def write(self, change: Change, by: str = "scorekeeper") -> int:
        """Append a change in one transaction; the last position."""
        self._at += timedelta(seconds=1)
        by_stream: dict[UUID, list[Entry]] = {}
        for stream, event in change:
            by_stream.setdefault(stream, []).append(Entry(self._at, by, event))
        batches = [Batch(stream, self._versions.get(stream, 0), found) for stream, found in by_stream.items()]
        position = await self.log.append(batches)
        for stream, found in by_stream.items():
            self._versions[stream] = self._versions.get(stream, 0) + len(found)
        self.written += len(change)
        return position


def write(log: Log, *changes: Change) -> int:
    """Append changes, one transaction each; the last position."""
    return asyncio.run(_write(log, changes))


async def _write(log: Log, changes: Sequence[Change]) -> int:
    book = Book(log)
    return [await book.write(change) for change in changes if change][-1]


def random_changes(seed: int, matches: int, steps: int) -> tuple[list[Pen], Iterator[Change]]:
    """Matches that are written in turns at random, a change at a time."""
    rng = random.Random(seed)
    people = [UUID(int=number + 1) for number in range(8)]
    pens = [Pen(rng, rng.sample(people, 6)) for _ in range(matches)]

    def changes() -> Iterator[Change]:
        for pen in pens:
            yield pen.open()
        for _ in range(steps):
            if change := rng.choice(pens).next():
                yield change

    return pens, changes()
