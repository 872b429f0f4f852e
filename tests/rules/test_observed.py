"""Observed deals: what is judged at once, what is a claim, and that clean deals raise no alarm while faults surface."""

from typing import Any

import msgspec
import pytest

from referee.rules import game as games
from referee.rules import sabo, tablanet, tabu
from referee.rules.cards import HIDDEN
from referee.rules.faults import Fault, audit, consequence, false_claims, faults
from referee.rules.game import GAMES, Game
from referee.rules.proof import Record, proofs
from referee.rules.sabo import Hand, Place
from tests.rules.observing import Made, Sides, both_sides
from tests.vectors_of import cases

CLEAN_DEALS = 200


@pytest.fixture
def deals(request: pytest.FixtureRequest) -> int:
    """How many clean deals to play in all: `--deals N`, else 200."""
    return request.config.getoption("--deals") or CLEAN_DEALS


def test_each_fault_is_told_once_by_what_proves_it() -> None:
    told = 0
    for game in (sabo, tabu):
        for seed in range(8):
            sides = both_sides(game, seed, fault_rate=0.3)
            record, known = sides.seen, set(game.FAULTS.values())
            one_by_one: list[Fault] = []
            for moves in range(1, len(record.steps) + 1):
                then = record._replace(steps=record.steps[:moves], hands=None)
                one_by_one += proven_now(game, sides.rules, then, one_by_one)
            if record.hands is not None:
                one_by_one += proven_now(game, sides.rules, record, one_by_one)
            whole = [fault for fault in faults(game, sides.rules, record) if fault.kind in known]
            # which of two faults of one play is charged may change as they come to light
            assert sorted(map(without_cost, one_by_one)) == sorted(map(without_cost, whole))
            assert proven_now(game, sides.rules, sides.known, []) == []
            told += len(whole)
    assert told > 20


def proven_now(game: Game, rules: Any, record: Record, before: list[Fault]) -> list[Fault]:
    """What the last thing in a record proves, be it a move or the hands shown, and nothing had proven before."""
    last = len(record.steps) + (record.hands is not None)
    known = {(fault.kind, fault.move) for fault in before}
    found = false_claims(game, rules, record, last - 1)
    return [fault for fault in found if fault.proof == last and (fault.kind, fault.move) not in known]


def without_cost(fault: Fault) -> tuple[Any, ...]:
    return (fault.move, fault.kind, fault.seat, fault.proof, fault.clause)


def kinds(game: Game, sides: Sides, record: Record) -> list[tuple[Any, ...]]:
    return [(f.kind, f.seat, f.move, f.card, f.clause, f.cost) for f in faults(game, sides.rules, record)]


def test_clean_deals_raise_no_alarm_and_pay_the_same(deals: int) -> None:
    for seed in range(deals):
        game = list(GAMES.values())[seed % 3]
        sides = both_sides(game, seed)
        found = audit(game, sides.rules, sides.seen)
        assert found.faults == (), (game.NAME, seed)
        assert game.check_record(sides.rules, sides.seen) == ()
        assert faults(game, sides.rules, sides.known) == ()
        assert {proof.status for proof in proofs(game, sides.rules, sides.known)} <= {"confirmed"}
        assert game.score(sides.rules, sides.seen_end) == game.score(sides.rules, sides.known_end)
        if game.NAME != "tabu":
            assert found.undecided == ()
        for part, kind in ((sides.seen.layout, games.Layout), (sides.seen_end, games.State)):
            assert msgspec.json.decode(msgspec.json.encode(part), type=kind) == part


@pytest.mark.parametrize("name", ["tablanet", "sabo"])
def test_every_fault_is_found_and_no_other(name: str) -> None:
    """Once everything is known an observed deal shows the faults of the same deal dealt, at the same price."""
    game, found = GAMES[name], 0
    for seed in range(40):
        sides = both_sides(game, seed, fault_rate=0.15)
        assert kinds(game, sides, sides.seen) == kinds(game, sides, sides.known)
        assert audit(game, sides.rules, sides.seen).undecided == ()
        lines = game.score(sides.rules, sides.seen_end)
        assert lines == game.score(sides.rules, sides.known_end)
        charged = [
            consequence(game, sides.rules, lines, faults(game, sides.rules, record))
            for record in (sides.seen, sides.known)
        ]
        assert charged[0] == charged[1]
        found += len(faults(game, sides.rules, sides.seen))
    assert found > 40


def test_faults_out_of_turn_are_found_the_same_in_sabo() -> None:
    """Once everything is known an observed deal shows the faults of the same deal dealt, cards out of turn with them."""
    early, suits = 0, 0
    for seed in range(60):
        sides = both_sides(sabo, seed, fault_rate=0.15, out_of_turn=0.25)
        found = kinds(sabo, sides, sides.seen)
        assert found == kinds(sabo, sides, sides.known)
        assert audit(sabo, sides.rules, sides.seen).undecided == ()
        lines = sabo.score(sides.rules, sides.seen_end)
        assert lines == sabo.score(sides.rules, sides.known_end)
        assert sum(sum(line.values()) for line in lines) == sabo.most(sides.rules, len(lines))
        charged = [
            consequence(sabo, sides.rules, lines, faults(sabo, sides.rules, record))
            for record in (sides.seen, sides.known)
        ]
        assert charged[0] == charged[1]
        skipping = {move for kind, _, move, *_ in found if kind == "not_your_turn"}
        early += len(skipping)
        suits += len({move for kind, _, move, *_ in found if kind in sabo.FAULTS.values() and move in skipping})
    assert (early > 100, suits > 30) == (True, True)


def test_tabu_faults_that_are_proven_were_made() -> None:
    found = 0
    for seed in range(30):
        sides = both_sides(tabu, seed, fault_rate=0.3)
        made = {(kind, seat, move) for kind, seat, move, *_ in kinds(tabu, sides, sides.known)}
        proven = {
            (kind, seat, sides.number_of[move - 1])
            for kind, seat, move, *_ in kinds(tabu, sides, sides.seen)
            if kind in tabu.FAULTS.values()
        }
        # after an unplayable card nobody can play on in a deal whose cards are known
        assert {one for one in proven if one[0] != "kept_playable"} <= made
        assert tabu.check_record(sides.rules, sides.seen) == ()
        found += len(proven)
    assert found > 15


# ---- Sabo against the vectors


def record_of(case: dict[str, Any]) -> tuple[Any, Record]:
    """The record of a case played as an observed deal, whatever the table alone says of its moves."""
    rules, seats = msgspec.convert(case["house_rules"], sabo.Rules), case["players"]
    layout = sabo.lay_open(rules, seats, ())
    dealer = (case["first"] - 1) % seats
    state, steps = sabo.start(dealer, layout), []
    for number, trick in enumerate(case["tricks"], 1):
        for at, (seat, card, source) in enumerate(trick):
            left = [place for place, lies in enumerate(state.sabo[seat]) if lies]
            move: sabo.Move = Hand(card) if source == "hand" else Place(left[0])
            winner = None
            if at == seats - 1:
                winner = trick[sabo.TRICK_ORDERS[rules.trick_order](tuple(card for _, card, _ in trick))][0]
            following = trick[at + 1][0] if at + 1 < len(trick) else winner
            effects = sabo.Effects(card, number, trick[0][1][-1], following, winner)
            steps.append(Made(seat, move, effects))
            state = sabo.evolve(state, seat, move, effects)
    return rules, Record(dealer, layout, steps)


@pytest.mark.parametrize("case", cases("sabo_audits"), ids=lambda case: f"{len(case['faults'])}-proven")
def test_sabo_audits_as_claims(case: dict[str, Any]) -> None:
    """Exactly the provable faults, each at the earliest play that proves it."""
    rules, record = record_of(case)
    order = [(trick, seat, card) for trick, plays in enumerate(case["tricks"], 1) for seat, card, _ in plays]
    expected = [
        (f["kind"], f["seat"], order.index((f["trick"], f["seat"], f["card"])) + 1, f["card"],
         order.index((f["proof"]["trick"], f["proof"]["seat"], f["proof"]["card"])) + 1)
        for f in case["faults"]
    ]  # fmt: skip
    assert [(f.kind, f.seat, f.move, f.card, f.proof) for f in faults(sabo, rules, record)] == expected
    priced = msgspec.structs.replace(rules, revoke_penalty="one")
    found = faults(sabo, priced, record)
    at_fault = {(fault.seat, fault.move) for fault in found}
    assert sum(fault.cost for fault in found) == len(at_fault)
    tricks: list[dict[str, int]] = [{"tricks": 2, "penalty": 0}] * case["players"]
    assert [sum(line.values()) for line in consequence(sabo, priced, tricks, found)] == [
        max(0, 2 - sum(seat == offender for offender, _ in at_fault)) for seat in range(case["players"])
    ]
    if case["complete"]:
        assert audit(sabo, rules, record).undecided == ()


@pytest.mark.parametrize("name", GAMES)
def test_nothing_of_an_unseen_hand_is_listed(name: str) -> None:
    game = GAMES[name]
    rules = game.Rules(**{"tablanet": {"ace_value": 1}, "tabu": {"target": 100}}.get(name, {}))
    row = {"tablanet": ("2S", "3H", "5D", "7C"), "tabu": ("2S", "3H", "5D", "7C")}.get(name, ())
    layout = game.lay_open(rules, 2, row)
    state = game.start(1, layout)
    assert all(card == HIDDEN for hand in layout.hands for card in hand)
    listed = list(game.legal_moves(rules, state))
    assert listed == {"tablanet": [], "tabu": [tabu.DRAW], "sabo": [Place(at) for at in range(5)]}[name]
    with_card = list(game.legal_moves(rules, state, "2D"))
    assert (
        with_card
        == {
            "tablanet": [tablanet.Play("2D", ("2S",))],
            "tabu": [tabu.Play("2D")],
            "sabo": [Hand("2D")],
        }[name]
    )
    assert list(game.legal_moves(rules, state, "X2")) == []
    if row:
        assert list(game.legal_moves(rules, state, "2S")) == []
