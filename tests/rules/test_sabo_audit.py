"""Faults of Sabo that a public record proves: the vectors, the worked example, and clean deals."""

import random
from typing import Any

import msgspec
import pytest

from referee.rules import sabo
from referee.rules.chance import Told
from referee.rules.sabo import Hand, Rules
from referee.rules.sabo.proof import Fault, Show, Shown, audit
from tests.vectors_of import cases


def shows(tricks: list[list[list[Any]]]) -> list[list[Show]]:
    return [[Show(seat, card, source == "sabo") for seat, card, source in trick] for trick in tricks]


@pytest.mark.parametrize("case", cases("sabo_audits"), ids=lambda case: f"{len(case['faults'])}-proven")
def test_audits(case: dict[str, Any]) -> None:
    rules = msgspec.convert(case["house_rules"], Rules)
    found = audit(rules, case["players"], shows(case["tricks"]))
    assert msgspec.to_builtins(list(found)) == case["faults"]


def test_SB_E12_two_faults_from_the_record() -> None:  # noqa: N802
    tricks = [
        [Show(0, "4H"), Show(1, "9S"), Show(2, "6H"), Show(3, "5H")],
        [Show(2, "3D"), Show(3, "2D"), Show(0, "AD"), Show(1, "JH")],
        [Show(0, "8C"), Show(1, "3C"), Show(2, "6C"), Show(3, "QC")],
        [Show(2, "7S"), Show(3, "3S"), Show(0, "4S"), Show(1, "QS")],
    ]
    held_jh, held_qs = Shown(2, 1, "JH"), Shown(4, 1, "QS")
    assert audit(Rules(), 4, tricks) == (
        Fault("revoke", 1, 1, "9S", held_jh, held_jh),
        Fault("not_lowest", 1, 1, "9S", held_qs, held_qs),
    )
    assert audit(Rules(), 4, tricks[:1]) == ()
    assert audit(Rules(discard_low="any"), 4, tricks) == (Fault("revoke", 1, 1, "9S", held_jh, held_jh),)


def test_a_sabo_card_is_no_witness() -> None:
    tricks = [[Show(0, "4H"), Show(1, "9S")], [Show(0, "3D"), Show(1, "JH", from_sabo=True)]]
    assert audit(Rules(), 4, tricks) == ()


def test_overall_a_lower_card_of_another_suit_convicts() -> None:
    tricks = [[Show(0, "4C"), Show(1, "9S")], [Show(0, "3D"), Show(1, "JH")]]
    at_fault = Fault("not_lowest", 1, 1, "9S", Shown(2, 1, "JH"), Shown(2, 1, "JH"))
    assert audit(Rules(discard_low="overall"), 4, tricks) == (at_fault,)
    assert audit(Rules(), 4, tricks) == ()


def test_overall_looks_outside_the_led_suit() -> None:
    # the KC is lower than the 9S, but holding it is the revoke and nothing more
    tricks = [[Show(0, "4C"), Show(1, "9S")], [Show(0, "3D"), Show(1, "KC")]]
    assert [fault.kind for fault in audit(Rules(discard_low="overall"), 4, tricks)] == ["revoke"]


@pytest.mark.parametrize("seed", range(40))
def test_legal_deals_prove_nothing_and_every_fault_surfaces(seed: int) -> None:
    """One deal played at random, with a fault now and then: in the end exactly those faults are proven."""
    chance = random.Random(seed)
    rules = Rules(
        discard_low=chance.choice(["per_suit", "overall", "any"]),
        senior_suit=chance.choice(["above_led", "clubs_only"]),
    )
    seats, rate = chance.randint(2, 5), chance.choice([0, 0.2])
    cards = list(sabo.pack(rules, seats))
    chance.shuffle(cards)
    state = sabo.start(0, sabo.lay_out(rules, seats, 0, tuple(cards), Told(())))
    tricks: list[list[Show]] = []
    at_fault = []
    while state.turn is not None:
        seat = state.turn
        legal = list(sabo.legal_moves(rules, state))
        move = chance.choice(legal)
        if state.hands[seat] and chance.random() < rate:
            move = Hand(chance.choice(state.hands[seat]))
        effects = sabo.play(rules, state, seat, move, Told(()))
        if not state.played:
            tricks.append([])
        tricks[-1].append(Show(seat, effects.card, not isinstance(move, Hand)))
        if move not in legal:
            at_fault.append((effects.trick, seat, effects.card))
        state = sabo.evolve(state, seat, move, effects)
    faults = audit(rules, seats, tricks)
    assert {(fault.trick, fault.seat, fault.card) for fault in faults} == set(at_fault)
    assert all(fault.witness is not None for fault in faults)
