"""Tablanet at random: deals under any house rules, and captures against a reference written from TN-10 to TN-12."""

import random
from itertools import combinations
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.rules import tablanet
from referee.rules.cards import HIDDEN, PACK, PUBLIC, Cards, Sight, surplus
from referee.rules.tablanet import Play, Rules, State
from referee.rules.verdict import LEGAL
from tests.dealing import SeededChance, new_deal

FIELDS: dict[str, tuple[Any, ...]] = {
    "ace_value": (1, 11, "either"),
    "tablanet_bonus": ("none", "card_values", "one_point"),
    "capture_duty": ("any", "optional", "maximal"),
    "max_sum_cards": (3, "unlimited"),
    "single_match": ("value", "rank"),
    "deal_bonus": ("most_points", "most_cards"),
    "deal_bonus_tie": ("nobody", "all"),
    "jack_points": (0, 1),
    "twos": ("all", "clubs_only"),
    "units_per_capture": ("any", "one_of_each"),
    "values": ("text", "balkan"),
}
RULES = st.builds(Rules, **{name: st.sampled_from(values) for name, values in FIELDS.items()})
CAPTURING = ("ace_value", "capture_duty", "max_sum_cards", "single_match", "units_per_capture", "values")


def test_every_house_rule_is_drawn() -> None:
    assert set(FIELDS) | {"target", "tie"} == set(Rules.__struct_fields__)


# ---- the reference: subsets of the table and their partitions, nothing of the kernel's


def play_values(rules: Rules, card: str) -> set[int]:
    """TN-9 and N15."""
    faces = {"J": 10, "Q": 13, "K": 15} if rules.values == "text" else {"J": 12, "Q": 13, "K": 14}
    if card.startswith("A"):
        return {1, 11} if rules.ace_value == "either" else {int(rules.ace_value)}
    return {faces[card[0]] if card[0] in faces else int(card[:-1])}


def partitions(cards: Cards) -> list[list[Cards]]:
    """Every way to divide cards into groups."""
    if not cards:
        return [[]]
    first, rest = cards[0], cards[1:]
    found = []
    for size in range(len(rest) + 1):
        for chosen in combinations(rest, size):
            others = tuple(card for card in rest if card not in chosen)
            found += [[(first, *chosen), *division] for division in partitions(others)]
    return found


def is_unit(rules: Rules, played: str, value: int, group: Cards) -> bool:
    """TN-10, N5, N7."""
    if len(group) == 1:
        same = rules.single_match == "value" or played[:-1] == group[0][:-1]
        return same and value in play_values(rules, group[0])
    if len(group) > 3 and rules.max_sum_cards == 3:
        return False
    totals = {0}
    for card in group:
        totals = {total + v for total in totals for v in play_values(rules, card)}
    return value in totals


def reference(rules: Rules, played: str, table: Cards) -> set[frozenset[str]]:
    """Every legal capture set, the empty one for a lay (TN-11, TN-12, N6, N8; 0.7 on maximal)."""
    subsets = [frozenset(s) for size in range(1, len(table) + 1) for s in combinations(table, size)]
    legal: set[frozenset[str]] = set()
    any_unit = False
    for value in play_values(rules, played):
        units = {s for s in subsets if is_unit(rules, played, value, tuple(s))}
        any_unit = any_unit or bool(units)
        for taken in divisible(units, frozenset(), set()):
            for division in partitions(tuple(taken)):
                groups = [frozenset(group) for group in division]
                if not all(group in units for group in groups):
                    continue
                singles = sum(len(group) == 1 for group in groups)
                several = len(groups) - singles
                one_of_each = rules.units_per_capture == "one_of_each"
                if one_of_each and (singles > 1 or several > 1):
                    continue
                left = [unit for unit in units if not unit & taken]
                if one_of_each:
                    left = [unit for unit in left if not (singles if len(unit) == 1 else several)]
                if rules.capture_duty != "maximal" or not left:
                    legal.add(taken)
    if not any_unit or rules.capture_duty == "optional":
        legal.add(frozenset())
    return legal


def divisible(units: set[frozenset[str]], taken: frozenset[str], seen: set[frozenset[str]]) -> set[frozenset[str]]:
    """Unions of units with no card in common."""
    for unit in units:
        if not unit & taken and (union := taken | unit) not in seen:
            seen.add(union)
            divisible(units, union, seen)
    return seen


def position(card: str, table: Cards) -> State:
    none: Any = ((), ())
    return State(1, 0, ((card,), ("?",)), table, (), none, (0, 0), (0, 0))


def agrees(rules: Rules, card: str, table: Cards) -> None:
    """Listing and judging both say what the reference says, of every set of table cards."""
    expected = reference(rules, card, table)
    listed = [move.captures for move in tablanet.legal_moves(rules, position(card, table))]
    assert len({frozenset(captures) for captures in listed}) == len(listed)
    assert {frozenset(captures) for captures in listed} == expected, (rules, card, table)
    for size in range(len(table) + 1):
        for claim in combinations(table, size):
            verdict = tablanet.judge(rules, position(card, table), 0, Play(card, claim))
            assert (verdict == LEGAL) == (frozenset(claim) in expected), (rules, card, table, claim)


def all_capturing_rules() -> list[Rules]:
    combined: list[dict[str, Any]] = [{}]
    for name in CAPTURING:
        combined = [chosen | {name: value} for chosen in combined for value in FIELDS[name]]
    return [Rules(**chosen) for chosen in combined]


@pytest.mark.parametrize("number", range(len(all_capturing_rules())))
def test_captures_are_those_of_the_reference(number: int) -> None:
    rules, chance = all_capturing_rules()[number], random.Random(number)
    small = [card for card in PACK if card[0] in "A23456"]
    for size in (2, 4, 5, 6, 7):
        pack = small if size % 2 else PACK
        table = tuple(chance.sample(pack, size))
        rest = [card for card in PACK if card not in table]
        agrees(rules, chance.choice(rest), table)
        agrees(rules, chance.choice([card for card in rest if card[0] in "AKQJ1"]), table)


@settings(max_examples=150, deadline=None)
@given(RULES, st.permutations(PACK), st.sampled_from("AKQJ1987"))
def test_crowded_tables(rules: Rules, order: list[str], rank: str) -> None:
    crowded = [card for card in order if card[0] in "A2345678"][:8]
    played = next((card for card in order if card[0] == rank and card not in crowded), None)
    if played:
        agrees(rules, played, tuple(crowded))


# ---- whole deals


@settings(max_examples=100, deadline=None)
@given(RULES, st.sampled_from([2, 3]), st.integers(0, 2), st.integers(0, 2**32))
def test_a_deal(rules: Rules, seats: int, dealer: int, seed: int) -> None:
    chance = SeededChance(seed)
    layout, state = new_deal(tablanet, rules, seats, chance, dealer % seats)
    assert tablanet.check_layout(rules, seats, layout) == ()
    hidden = tablanet.hide_layout(layout, PUBLIC)
    assert set(hidden.stock) == {card for hand in hidden.hands for card in hand} == {HIDDEN}
    first, recorded = state, []
    while state.turn is not None:
        seat = state.turn
        moves = list(tablanet.legal_moves(rules, state))
        judged(rules, state, seat, moves, chance)
        seen_by_all(state)
        move = chance.choice(moves)
        effects = tablanet.play(rules, state, seat, move, chance)
        for sight in (PUBLIC, *(Sight(seat=s) for s in range(seats))):
            shown = tablanet.hide_effects(effects, seat, sight).batch or ()
            for owner, hand in enumerate(shown):
                assert hand == effects.batch[owner] if owner == sight.seat else set(hand) == {HIDDEN}  # type: ignore[index]
        recorded.append((seat, move, effects))
        held = state.hands[seat]
        state = tablanet.evolve(state, seat, move, effects)
        assert surplus(tablanet.held(state), PACK) == ((), ())
        if effects.batch is None:
            assert state.hands[seat] == tuple(card for card in held if card != move.card)
    assert len(recorded) == 48
    assert not any(state.hands)
    assert not state.stock
    again = first
    for seat, move, effects in recorded:
        again = tablanet.evolve(again, seat, move, effects)
    assert again == state
    lines = tablanet.score(rules, state)
    most = tablanet.most(rules, seats)
    assert most is not None
    assert all(tuple(line) == tablanet.LINES and sum(line.values()) <= most for line in lines)
    in_pack = 12 + 5 + 4 * rules.jack_points
    in_pack += 4 if rules.twos == "all" else 1
    paid = [sum(line.values()) - line["bonus"] - line["tablanets"] for line in lines]
    assert sum(paid) == in_pack if state.last_capturer is not None else not any(paid)
    assert [line["tablanets"] for line in lines] == list(state.bonuses)
    assert sum(line["bonus"] for line in lines) in {0, 3} if rules.deal_bonus_tie == "nobody" else True


def judged(rules: Rules, state: State, seat: int, moves: list[Play], chance: SeededChance) -> None:
    """The judge accepts what is listed, and of every card of the pack and claims at random nothing else."""
    listed = {(move.card, frozenset(move.captures)) for move in moves}
    assert listed
    assert len(listed) == len(moves)
    for move in moves[:20]:
        assert tablanet.judge(rules, state, seat, move) == LEGAL
        assert tablanet.judge(rules, state, (seat + 1) % len(state.hands), move) != LEGAL
    for card in PACK:
        claim = tuple(chance.sample(state.table, chance.below(min(len(state.table), 5) + 1)))
        for captures in ((), claim):
            verdict = tablanet.judge(rules, state, seat, Play(card, captures))
            assert (verdict == LEGAL) == ((card, frozenset(captures)) in listed)


def seen_by_all(state: State) -> None:
    for sight in (PUBLIC, *(Sight(seat=seat) for seat in range(len(state.hands)))):
        shown = tablanet.hide_state(state, sight)
        assert set(shown.stock) <= {HIDDEN}
        for owner, hand in enumerate(shown.hands):
            assert len(hand) == len(state.hands[owner])
            assert hand == state.hands[owner] if owner == sight.seat else set(hand) <= {HIDDEN}
