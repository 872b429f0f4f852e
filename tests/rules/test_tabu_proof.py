"""Proof in Tabu against a reference that follows every distribution of the hidden cards of a small pack."""

import random
from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from referee.rules import tabu
from referee.rules.cards import RANK, Card, Cards, surplus, without
from referee.rules.proof import Made as Claimed
from referee.rules.proof import Record, judged
from referee.rules.tabu import Layout, Rules
from referee.rules.tabu.proof import PAIRINGS, _pairings, prove_with
from referee.rules.verdict import Claim, Undecided
from tests.rules.observing import Sides, both_sides

DISTINCT: Cards = ("2S", "2H", "3S", "3H", "3D", "4S", "4H", "5S", "5H", "JS", "JH", "X")
COPIES: Cards = ("2S", "2S", "3S", "3S", "3H", "4S", "4S", "5S", "JS", "JS", "X", "X")


class World(NamedTuple):
    """One distribution of the hidden cards: hands and reserve sorted, the last card each seat drew, claims it breaks."""

    hands: tuple[Cards, ...]
    reserve: Cards
    drawn: tuple[Card, ...]
    broken: frozenset[int]


def sorted_with(cards: Sequence[Card], *more: Card) -> Cards:
    return tuple(sorted((*cards, *more)))


def at_first(record: Record, whole: Cards) -> set[World]:
    """Every way to deal the cards that do not lie in the row."""
    ways: set[tuple[Cards, Cards]] = {((), sorted_with(surplus(whole, record.layout.row)[0]))}
    for hand in record.layout.hands:
        for _ in hand:
            ways = {((*dealt, card), without(rest, [card])) for dealt, rest in ways for card in set(rest)}
        ways = {
            ((*dealt[: len(dealt) - len(hand)], *sorted_with(dealt[len(dealt) - len(hand) :])), rest)
            for dealt, rest in ways
        }
    size, seats = len(record.layout.hands[0]), len(record.layout.hands)
    return {
        World(tuple(dealt[size * s : size * s + size] for s in range(seats)), rest, ("",) * seats, frozenset())
        for dealt, rest in ways
    }


def breaks(claim: Claim, hand: Cards, drawn: Card) -> bool:
    if claim.code == "DRAWN_PLAYED":
        return bool(drawn != claim.params["card"])
    cards = (drawn,) if claim.code == "DRAWN_NOT_PLAYABLE" else hand
    return any(RANK[card] in claim.params["ranks"] for card in cards)


def after(worlds: set[World], step: Any, discard: list[Card], claims: Sequence[tuple[int, Claim]]) -> set[World]:
    """The distributions that a move leaves, told what the table saw; `discard` is what may be renewed."""
    seat, move, effects = step.seat, step.move, step.effects
    now = set()
    for world in worlds:
        broken = {at for at, claim in claims if breaks(claim, world.hands[seat], world.drawn[seat])}
        hands = list(world.hands)
        if isinstance(move, tabu.Play):
            if move.card not in hands[seat]:
                continue
            hands[seat] = without(hands[seat], [move.card])
        now.add(World(tuple(hands), world.reserve, world.drawn, world.broken | broken))
    discard += effects.discarded
    takers: list[int | None] = [to for to, _ in effects.draws] + ([seat] if effects.drawn else [])
    left = len(next(iter(now)).reserve) if now else 0
    for at, to in enumerate([*takers, *[None] * len(effects.turned)]):
        if not left:
            now = {world._replace(reserve=sorted_with(discard)) for world in now}
            left = len(discard)
            discard.clear()
        left -= 1
        if to is None:
            card = effects.turned[at - len(takers)]
            now = {w._replace(reserve=without(w.reserve, [card])) for w in now if card in w.reserve}
        else:
            now = {_draw(world, to, card) for world in now for card in set(world.reserve)}
    return {world._replace(reserve=sorted_with(world.reserve, *effects.set_aside)) for world in now}


def _draw(world: World, to: int, card: Card) -> World:
    hands = list(world.hands)
    hands[to] = sorted_with(hands[to], card)
    drawn = (*world.drawn[:to], card, *world.drawn[to + 1 :])
    return World(tuple(hands), without(world.reserve, [card]), drawn, world.broken)


def reference(whole: Cards, record: Record, made: Sequence[Claimed]) -> list[tuple[str, int | None]]:
    """Status of each claim and the move that refutes it."""
    worlds, discard = at_first(record, whole), list[Card]()
    proven: dict[int, int] = {}
    for number, step in enumerate(record.steps, 1):
        claims = [(at, claim) for at, (move, claim) in enumerate(made) if move == number]
        worlds = after(worlds, step, discard, claims)
        assert worlds, "what happened cannot have been impossible"
        for at in range(len(made)):
            if at not in proven and all(at in world.broken for world in worlds):
                proven[at] = number
    if record.hands is not None:
        shown = tuple(sorted_with(hand) for hand in record.hands)
        worlds = {world for world in worlds if world.hands == shown}
        for at in range(len(made)):
            if at not in proven and all(at in world.broken for world in worlds):
                proven[at] = len(record.steps) + 1
    held = {at for at in range(len(made)) if not any(at in world.broken for world in worlds)}
    return [
        ("refuted", proven[at]) if at in proven else ("confirmed" if at in held else "open", None)
        for at in range(len(made))
    ]


def small_deal(seed: int, whole: Cards, packs: int) -> Sides:
    chance = random.Random(seed)
    seats, size = chance.choice([(2, 2), (2, 2), (2, 3)])
    rules = Rules(
        target=100,
        packs=packs,  # type: ignore[arg-type]
        must_play=chance.choice(["strict", "matches_only", "free"]),
        joker_draws=chance.choice(["all", "others"]),
        blocked_after=chance.choice([1, 2]),
    )
    cards = chance.sample(whole, len(whole))
    row = [card for card in cards if card[0] not in "JX"][:4]
    rest = without(tuple(cards), row)
    hands = tuple(rest[size * seat : size * (seat + 1)] for seat in range(seats))
    return both_sides(tabu, seed, 0.6, Layout(hands, tuple(row), rest[size * seats :]), rules)


def claims_of(sides: Sides) -> list[Claimed]:
    return [
        Claimed(move.number, claim)
        for move in judged(tabu, sides.rules, sides.seen)
        if isinstance(move.verdict, Undecided)
        for claim in move.verdict.claims
    ]


@pytest.mark.parametrize(("whole", "packs"), [(DISTINCT, 1), (COPIES, 2)], ids=["distinct", "copies"])
def test_found_whenever_provable_and_never_otherwise(whole: Cards, packs: int) -> None:
    """Every claim is refuted by exactly the move after which every distribution breaks it."""
    tally = dict.fromkeys(("open", "confirmed", "refuted"), 0)
    for seed in range(40 if packs == 1 else 80):
        sides = small_deal(seed, whole, packs)
        steps = sides.seen.steps[:40]
        hands = sides.seen.hands if len(steps) == len(sides.seen.steps) and seed % 2 else None
        record = Record(sides.seen.dealer, sides.seen.layout, steps, hands)
        made = [claim for claim in claims_of(sides) if claim.move <= len(steps)]
        proofs = prove_with(whole, record, made)
        expected = reference(whole, record, made)
        for proof, (status, by) in zip(proofs, expected, strict=True):
            tally[status] += 1
            if packs == 2 and status == "confirmed":
                # a copy of the same card in another place is as good a sight, so it may be left open
                assert proof.status in ("open", "confirmed"), (seed, proof)
            else:
                assert (proof.status, proof.by) == (status, by), (seed, proof, status, by)
    assert min(tally.values()) > 20, tally


def test_jokers_that_go_round_all_evening_are_not_paired_in_every_way() -> None:
    """Four jokers out of sight and played again and again: too many pairings even to list."""
    times = range(4, 200, 4)
    hidden, out = [0] * 4 + list(times), [(time + 1, time % 5) for time in times]
    (lives,), too_many = _pairings("X", hidden, out)
    assert too_many
    assert {life.since for life in lives} == {0}
    assert sorted((life.until, life.seat) for life in lives if life.until) == out
    assert sum(life.until is None for life in lives) == 4
    few, too_many = _pairings("X", hidden[:6], out[:2])
    assert (len(few) in range(2, PAIRINGS), too_many) == (True, False)
    assert _pairings("X", hidden[:60], [*out, *((300, 0),) * 5])[0] == []
