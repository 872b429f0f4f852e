"""Whatever is settled, in whatever order: a match stands as if what counts in the end had been played straight.

The oracle is written without `referee.match` and `referee.standing`: deals are folded from the moves that count, judged
again one by one, and added up here; rulings and counted results are what this file remembers of them.
"""

import asyncio
import functools
import random
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import uuid4

import msgspec
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from referee import deal, errors, match, record, starting
from referee.access import Caller
from referee.audit import audit
from referee.audit_match import audit_match
from referee.deal import Deal
from referee.events import CardsDealt, HandsShown, IrregularityFound
from referee.irregularities import ROW
from referee.match import DealLine, Match
from referee.rules import sabo, tablanet, tabu
from referee.rules.cards import PACK, Cards
from referee.rules.chance import Told
from referee.rules.game import Game
from referee.rules.hands import hands_due
from referee.rules.verdict import Illegal
from referee.service import FirstDealer, Referee
from referee.settling import asks, carry, disputes
from referee.store import migrate, open_log
from referee.store.scan import Scan
from referee.verify import verify
from tests.dealing import SeededChance, new_deal
from tests.rules.observing import any_rules, anything, can_stand, opened, with_cards
from tests.true_cards import Truth, moves_of

TARGET = {"tablanet": 30, "tabu": 40, "sabo": 9}
SEEDS = st.integers(0, 2**32)
PART = st.floats(0, 1)


class Match_(RuleBasedStateMachine):  # noqa: N801
    """A table where nothing stays as it was."""

    game: Game

    @initialize(players=st.integers(2, 4), seed=SEEDS, deals=st.integers(0, 2))
    def open(self, players: int, seed: int, deals: int) -> None:
        """A match of few points, in which some deals have been played out."""
        self.folder = Path(tempfile.mkdtemp())
        self.database = f"sqlite:{self.folder / 'referee.db'}"
        migrate(self.database)
        self.loop = asyncio.new_event_loop()
        self.log = open_log(self.database)
        self.referee = Referee(self.log, b"secret")
        self.rng = SeededChance(seed)
        rules = msgspec.structs.replace(any_rules(self.game, self.rng), target=TARGET[self.game.NAME])
        seats = min(players, self.game.SEATS[1])
        names = [(uuid4(), "Ana") for _ in range(seats)]
        done = self.run(self.referee.open_match(self.game, rules, names, FirstDealer(seed % seats), "spoken", None))
        self.id = next(iter(done.command.versions))
        self.arbiter = Caller(self.id, "arbiter")
        self.first = self.now.dealer
        # what only this file remembers: counted results, points by dispute, the cards behind observed deals
        self.counted: dict[int, tuple[int, ...]] = {}
        self.in_force: dict[int, tuple[int, dict[int, int]]] = {}
        self.truth: dict[int, Truth] = {}
        for number in range(deals):
            self.begin(self.rng.choice(["told", "referee", "observed", "observed"]), seed + number)
            faulty = self.rng.random() < 0.5
            for _ in range(2):
                self.go_on(self.rng.randrange(25), faulty)
                self.correct(0.0, self.rng.random() / 2, False)
            self.go_on(400, faulty)

    def run(self, task: Any) -> Any:
        return self.loop.run_until_complete(task)

    @property
    def now(self) -> Match:
        return self.run(self.referee.match(self.id))  # type: ignore[no-any-return]

    def tried(self, task: Any) -> bool:
        """Whether it was carried out; refused is fine, anything else than a RefereeError is not."""
        try:
            self.run(task)
        except errors.RefereeError:
            return False
        return True

    def settle(self, ask: Any, who: Caller | None = None, agreed: tuple[int, ...] = ()) -> bool:
        now = self.now
        version = now.version
        if isinstance(ask, carry.OF_A_DEAL):
            try:
                version = self.run(self.referee.deal(self.id, ask.deal)).version
            except errors.NotFound:
                return False
        return self.tried(carry.settle(self.referee, who or self.arbiter, ask, agreed, "so it was", version, None))

    # ---- play

    @rule(how=st.sampled_from(["told", "referee", "observed", "observed", "tallied"]), seed=SEEDS)
    def start(self, how: str, seed: int) -> None:
        """The next deal, if one is due."""
        self.begin(how, seed)

    def begin(self, how: str, seed: int) -> None:
        now, chance = self.now, SeededChance(seed)
        if now.over or now.running:
            return
        seats, number = len(now.active), len(now.deals) + 1
        place = now.active.index(now.next_dealer)
        layout, _ = new_deal(self.game, now.rules, seats, chance, place)
        begin = starting.Start()
        if how == "tallied":
            begin = starting.Start(tally=self.a_tally(now.rules, seats, chance))
        elif how == "told":
            begin = starting.Start(layout)
        elif how == "observed":
            begin, self.truth[number] = starting.Start(open=opened(layout)), Truth(layout, seed)
        with patch("referee.dealer.new_seed", lambda: f"{seed:064x}"):
            assert self.tried(starting.start(self.referee, self.arbiter, begin, now.version, None))
        if how == "tallied":
            lines = self.game.tally(now.rules, seats, begin.tally)
            self.counted[number] = tuple(sum(line.values()) for line in lines)  # type: ignore[union-attr]

    def a_tally(self, rules: Any, seats: int, chance: random.Random) -> Any:
        """A result that can be."""
        if self.game is sabo:
            tricks = [0] * seats
            for _ in range(sabo.HAND_SIZE + sabo.SABO_SIZE[seats]):
                tricks[chance.randrange(seats)] += 1
            return sabo.Tally(tuple(tricks))
        piles: list[list[str]] = [[] for _ in range(seats)]
        if self.game is tablanet:
            for card in PACK:
                piles[chance.randrange(seats)].append(card)
            return tablanet.Tally(tuple(map(tuple, piles)))
        for card in PACK:
            piles[chance.randrange(seats)].append(card)
        hands = tuple(("X",) if seat == 1 else () if seat == 0 else (piles[seat].pop(),) for seat in range(seats))
        return tabu.Tally(captured=tuple(map(tuple, piles)), hands=hands, out=0)

    def true_state(self, found: Deal) -> Any:
        """The state with every card known, which of an observed deal only this file has; None where that is lost."""
        truth = self.truth.get(found.number)
        return truth.state(found, self.now.rules) if truth else found.state

    @rule(moves=st.sampled_from([1, 7, 40, 200]), faulty=st.booleans())
    def play(self, moves: int, faulty: bool) -> None:
        """Some moves, a few of them irregular and let stand."""
        self.go_on(moves, faulty)

    def go_on(self, moves: int, faulty: bool) -> None:
        now = self.now
        if now.running is None:
            return
        for _ in range(moves):
            found = self.run(self.referee.deal(self.id, now.running.number))
            truth = self.true_state(found)
            if truth is None:
                return
            if found.state.turn is None:
                self.show(found, truth)
                return
            move = self.rng.choice(moves_of(found, now.rules, truth))
            seat = found.seats[found.state.turn]
            if faulty and self.rng.random() < 0.3:
                # in turn or not
                place = self.rng.choice([truth.turn, *with_cards(truth)])
                wild = anything(self.game, truth, self.rng, place)
                if can_stand(self.game, now.rules, found.state, place, wild):
                    seen = self.seen(found, truth, place, wild)
                    self.settle(asks.LetStand(found.number, found.seats[place], wild, seen=seen))
                    continue
            seen = self.seen(found, truth, truth.turn, move)
            made = self.referee.play(self.arbiter, found.number, seat, move, (), seen, found.version, None)
            assert self.tried(made)

    def seen(self, found: Deal, state: Any, place: int, move: Any) -> Cards:
        """The cards that the table sees turned up in an observed deal."""
        truth = self.truth.get(found.number)
        return truth.turned_up(found, self.now.rules, state, place, move) if truth else ()

    def show(self, found: Deal, truth: Any) -> None:
        """The hands at the end of an observed deal, mostly."""
        if hands_due(found.state) and self.rng.random() < 0.8:
            assert self.tried(self.referee.show_hands(self.arbiter, found.number, truth.hands, found.version, None))

    # ---- settled after the fact

    def a_deal(self, part: float) -> DealLine | None:
        deals = self.now.deals
        # mostly the last one
        return deals[-1 - min(int(part * part * len(deals)), len(deals) - 1)] if deals else None

    def moves_of(self, line: DealLine | None) -> Deal | None:
        if line is None or line.mode == "tallied":
            return None
        return self.run(self.referee.deal(self.id, line.number))  # type: ignore[no-any-return]

    @rule(which=PART, part=PART, by_seat=st.booleans())
    def take_back(self, which: float, part: float, by_seat: bool) -> None:
        """The last moves, by whoever may; also the last moves of a deal that was finished."""
        found = self.moves_of(self.a_deal(which))
        if found is None or not found.moves:
            return
        kept = found.moves - 1 if by_seat else int(part * found.moves)
        last = found.seats[found.played[-1].made.seat]
        who = Caller(self.id, "seat", last) if by_seat else self.arbiter
        if self.settle(asks.TakeBack(found.number, kept), who):
            self.counted.pop(found.number, None)

    @rule(which=PART, part=PART, let_stand=st.booleans())
    def correct_move(self, which: float, part: float, let_stand: bool) -> None:
        """Another move that was legal then, mostly near the end."""
        self.correct(which, part, let_stand)

    def correct(self, which: float, part: float, let_stand: bool) -> None:
        found = self.moves_of(self.a_deal(which))
        if found is None or not found.moves:
            return
        number = found.moves - int(part * part * part * found.moves * 0.99)
        then = deal.at_move(found, number - 1)
        truth = self.true_state(then)
        made = found.played[number - 1].made
        if truth is None or truth.turn != made.seat:
            return
        rules = self.now.rules
        move = self.rng.choice(moves_of(then, rules, truth))
        wild = anything(self.game, truth, self.rng, made.seat)
        if found.mode == "observed" and not isinstance(self.game.judge(rules, then.state, made.seat, wild), Illegal):
            # as far as the table can tell it may be right
            move = wild
        seen = self.seen(then, truth, made.seat, move)
        if self.settle(asks.CorrectMove(found.number, number, move, let_stand, seen)):
            self.counted.pop(found.number, None)
            now = self.run(self.referee.deal(self.id, found.number))
            assert number < found.moves or self.true_state(now) is not None

    @rule(which=PART, seed=SEEDS)
    def correct_score(self, which: float, seed: int) -> None:
        """Another result."""
        line, now = self.a_deal(which), self.now
        if line is None:
            return
        tally = self.a_tally(now.rules, len(line.seats), SeededChance(seed))
        if self.settle(asks.CorrectScore(line.number, tally)):
            lines = self.game.tally(now.rules, len(line.seats), tally)
            self.counted[line.number] = tuple(sum(part.values()) for part in lines)  # type: ignore[union-attr]

    @rule(which=PART)
    def void(self, which: float) -> None:
        """A deal that counts for nobody, seldom."""
        line = self.a_deal(which)
        if line and self.rng.random() < 0.15:
            self.settle(asks.VoidDeal(line.number))

    @rule(which=PART, kind=st.sampled_from(["dismiss", "points", "take_back", "void", "tally", "move"]), seed=SEEDS)
    def dispute(self, which: float, kind: str, seed: int) -> None:
        """A dispute and a ruling, or another ruling on one that was raised before."""
        now, chance = self.now, SeededChance(seed)
        found = self.moves_of(self.a_deal(which))
        if found is None or not found.moves:
            return
        number = chance.randint(1, found.moves)
        who = Caller(self.id, "seat", now.active[0])
        self.tried(disputes.raise_dispute(self.referee, who, found.number, number, "no", None))
        now = self.now
        if not now.disputes:
            return
        dispute = chance.choice(now.disputes)
        line = now.deals[dispute.deal - 1]
        about = self.moves_of(line)
        assert about
        points = {seat: chance.randint(-4, 4) for seat in line.seats}
        remedy: Any = {
            "points": asks.AdjustPoints(dispute.deal, points),
            "take_back": asks.TakeBack(dispute.deal, max(0, about.moves - 2)),
            "tally": asks.CorrectScore(dispute.deal, self.a_tally(now.rules, len(line.seats), chance)),
            "move": asks.CorrectMove(dispute.deal, about.moves, about.played[-1].made.move) if about.moves else None,
            "void": asks.VoidDeal(dispute.deal) if chance.random() < 0.3 else None,
        }.get(kind)
        upheld = remedy is not None
        ruled = disputes.rule(self.referee, self.arbiter, dispute.number, upheld, remedy, "I saw it", now.version, None)
        if not self.tried(ruled):
            return
        self.in_force.pop(dispute.number, None)
        if kind == "points":
            self.in_force[dispute.number] = dispute.deal, points
        elif kind == "tally":
            lines = self.game.tally(now.rules, len(line.seats), remedy.tally)
            self.counted[dispute.deal] = tuple(sum(part.values()) for part in lines)  # type: ignore[union-attr]
        elif kind in ("take_back", "move"):
            self.counted.pop(dispute.deal, None)

    @rule(
        what=st.sampled_from(["join", "leave", "substitute", "none"]), seat=st.integers(0, 5), total=st.integers(-5, 6)
    )
    def seats(self, what: str, seat: int, total: int) -> None:
        """Who sits where."""
        if what == "join":
            self.settle(asks.Join("Dora", None, total))
        elif what == "substitute":
            self.settle(asks.Substitute(seat, "Eva"))
        elif what == "leave" and len(self.now.active) > 2:
            self.settle(asks.Leave(seat), Caller(self.id, "seat", seat) if seat in self.now.active else None)

    @rule(which=st.integers(0, 99), seat=st.integers(0, 3), count=st.integers(1, 7))
    def note(self, which: int, seat: int, count: int) -> None:
        """Something irregular at the table in the deal that is played, and what its remedy puts right."""
        found = self.moves_of(self.now.running)
        if found is None or (found.mode == "observed" and self.game is tabu):
            return
        kinds = [kind for kind, game in ROW if game == self.game.NAME]
        what = kinds[which % len(kinds)]
        seat = found.seats[seat % len(found.seats)]
        counted = count if what == "drew_too_many" else None
        if what == "wrong_card_count":
            counted = len(found.layout.hands[found.seats.index(seat)])
        at = count if what == "sabo_looked_at" and found.mode == "dealt" else None
        self.settle(asks.Note(found.number, what, seat, place=at, count=counted))

    # ---- what must hold

    def straight(self, line: DealLine) -> Deal:
        """The deal with just the moves that count in the end, each judged and played anew."""
        entries = self.run(self.log.read(line.id))
        live = self.run(self.referee.deal(self.id, line.number))
        rules = self.now.rules
        dealt = entries[0]
        assert isinstance(dealt.event, CardsDealt)
        then = deal.evolve(None, dealt)
        notes = [*live.notes]
        for one in live.played:
            then = self.noted(then, notes)
            made = one.made
            verdict = self.game.judge(rules, then.state, made.seat, made.move)
            assert made.irregular == (verdict.violations if isinstance(verdict, Illegal) else ())
            told = Told(self.game.outcomes(made.effects), self.game.seen(made.move, made.effects))
            assert self.game.play(rules, then.state, made.seat, made.move, told) == made.effects
            then = deal.follow(then, made, one.version)
            then = with_faults(then, rules)
        then = self.noted(then, notes)
        assert not notes
        if live.hands is not None:
            then = with_faults(deal.follow(then, HandsShown(live.hands)), rules)
        return then

    def noted(self, then: Deal, notes: list[deal.Noted]) -> Deal:
        """The deal with the notes that begin to count where it stands, which are done with."""
        for one in [note for note in notes if note.moves == then.moves]:
            then = deal.follow(then, one.note)
            notes.remove(one)
        return then

    @invariant()
    def totals_follow(self) -> None:
        """Totals, winners, dealer and who acts, from what counts alone."""
        if not hasattr(self, "id"):
            return
        now = self.now
        joined = [e.event for e in self.run(self.log.read(self.id)) if type(e.event).__name__ == "PlayerJoined"]
        totals = [0] * (len(now.players) - len(joined)) + [event.total for event in joined]
        winners: tuple[int, ...] = ()
        counted, after, dealer = 0, 0, self.first
        for line in now.deals:
            points = self.points_of(line)
            assert (points is None) == (line.points is None) or line.voided
            if points is None or line.voided:
                continue
            counted += 1
            for place, seat in enumerate(line.seats):
                added = sum(by.get(seat, 0) for number, by in self.in_force.values() if number == line.number)
                totals[seat] += points[place] + added
            best = max(totals[seat] for seat in now.active)
            first = tuple(seat for seat in now.active if totals[seat] == best)
            due = best >= now.rules.target or self.game.last_deal(now.rules, counted)
            if due and (len(first) == 1 or now.rules.tie == "shared"):
                winners, after = first, line.number
                break
        assert now.totals == tuple(totals)
        if not now.abandoned:
            assert (now.winners, now.won_after) == (winners, after)
        for line in now.deals:
            assert line.dealer == self.next_from(line, dealer)
            dealer = line.dealer + (not line_voided_then(self, line))

    def next_from(self, line: DealLine, dealer: int) -> int:
        seats = len(self.now.players)
        return next(s % seats for s in range(dealer, dealer + seats) if s % seats in line.seats)

    def points_of(self, line: DealLine) -> tuple[int, ...] | None:
        if line.mode == "tallied" or line.number in self.counted:
            return self.counted[line.number]
        found = self.run(self.referee.deal(self.id, line.number))
        if found.state.turn is not None or (found.hands is None and any("?" in hand for hand in found.state.hands)):
            return None
        lines = deal.result(found, self.now.rules)
        return tuple(sum(part.values()) for part in lines)

    def teardown(self) -> None:
        """The whole log and the record, once at the end."""
        if not hasattr(self, "id"):
            return
        try:
            self.end()
        finally:
            self.run(self.log.close())
            self.loop.close()
            shutil.rmtree(self.folder)

    def end(self) -> None:
        """Live equals folded, folded equals straight, and everything passes every audit."""
        entries = self.run(self.log.read(self.id))
        now = self.now
        assert functools.reduce(match.evolve, entries, None) == now
        streams: dict[int, Any] = {}
        for line in now.deals:
            if line.mode == "tallied":
                continue
            streams[line.number] = self.run(self.log.read(line.id))
            live = self.run(self.referee.deal(self.id, line.number))
            folded = functools.reduce(deal.evolve, streams[line.number], None)
            assert folded == live, differing(folded, live)
            wrong = audit(entries[0].event, streams[line.number])
            assert wrong is None, wrong
            then = self.straight(line)
            assert (then.state, then.shuffles, then.to_act) == (live.state, live.shuffles, live.to_act)
            assert list(self.game.legal_moves(now.rules, then.state)) == list(
                self.game.legal_moves(now.rules, live.state)
            )
            assert by_move(then.faults) == by_move(live.faults)
            if live.mode == "dealt":
                pack = self.game.pack(now.rules, len(line.seats))
                assert Counter(self.game.held(live.state)) == Counter(pack)
        found = audit_match(entries, streams)
        assert found is None, (found, [(entry.version, entry.event) for entry in entries])
        scan = Scan(self.database)
        assert [found for checked in verify(scan) for found in checked.damage] == []
        scan.close()
        exported = record.write(self.run(self.referee.record(self.id)))
        report = record.check(exported)
        assert report.legal, report


def with_faults(then: Deal, rules: Any) -> Deal:
    """The deal with what its record proves now."""
    return functools.reduce(deal.follow, deal.found_in(then, rules), then)


def line_voided_then(machine: Match_, line: DealLine) -> bool:
    """Whether the deal had been voided when the next one began: then its dealer dealt again."""
    for entry in machine.run(machine.log.read(machine.id)):
        kind, number = type(entry.event).__name__, getattr(entry.event, "number", None)
        if kind == "DealVoided" and number == line.number:
            return True
        if kind == "DealStarted" and number == line.number + 1:
            return False
    return False


def differing(one: Any, other: Any) -> list[Any]:
    """The fields in which two Structs differ."""
    pairs = [(name, getattr(one, name), getattr(other, name)) for name in one.__struct_fields__]
    return [pair for pair in pairs if pair[1] != pair[2]]


def by_move(faults: tuple[IrregularityFound, ...]) -> list[IrregularityFound]:
    return sorted(faults, key=lambda fault: (fault.move, fault.kind))


class OfTablanet(Match_):
    game = tablanet


class OfTabu(Match_):
    game = tabu


class OfSabo(Match_):
    game = sabo


OfTablanet.TestCase.settings = OfTabu.TestCase.settings = OfSabo.TestCase.settings = settings(
    max_examples=12,
    stateful_step_count=20,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
TestTablanet, TestTabu, TestSabo = OfTablanet.TestCase, OfTabu.TestCase, OfSabo.TestCase
