"""One deal entered twice over HTTP, as the table saw it and with every card told: the same points, the same faults."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest

from referee.rules.game import GAMES
from referee.rules.proof import proofs
from tests.http.real import dealt, observed
from tests.http.table import Opened, Table
from tests.rules.observing import Sides, both_sides

SEEDS: dict[str, Sequence[int]] = {
    "tablanet": range(5),
    "tabu": (2, 3, 5, 8, 32, 61, 146, 182, 187, 212),
    "sabo": range(4),
}
"""Of Tabu such as have every kind of fault between them, proven and unproven; one with two packs."""
NAMED = {
    "tablanet": {"capture_required", "capture_not_valid"},
    "tabu": {"drew_while_able", "passed_while_able", "kept_playable", "played_another"},
    "sabo": {"revoke", "not_lowest", "sabo_while_holding"},
}
"""Faults that the deals of a game must have had between them, or nothing would be compared."""


def heard(match: Opened) -> dict[str, Any]:
    answer = match.spectator.get("/deals/1/audit")
    assert answer.status_code == 200, answer.text
    assert answer.json()["divergence"] is None
    return dict(answer.json())


def told(parts: list[dict[str, Any]], numbers: list[int], *names: str) -> list[tuple[Any, ...]]:
    """Some things of each part, its move as the deal counts it whose cards are known."""
    return sorted((numbers[one["move"] - 1], *(str(one[name]) for name in names)) for one in parts)


@pytest.mark.parametrize("name", GAMES)
def test_the_same_points_and_once_everything_is_known_the_same_faults(lite: Table, name: str) -> None:
    """What the record decides comes out as the known cards have it; only in Tabu, where draws stay hidden, is some left
    open, and exactly what is left open may be missing."""
    game, made_in_all, found = GAMES[name], Counter[str](), Counter[str]()
    for seed in SEEDS[name]:
        sides = both_sides(game, seed, fault_rate=0.25)
        real, known = observed(lite, game, sides), dealt(lite, game, sides)
        seen, true = heard(real), heard(known)
        assert seen["counted"] == true["counted"] == seen["reading"] == true["reading"], (name, seed)
        assert real.spectator.get().json()["totals"] == known.spectator.get().json()["totals"]
        undecided = [one for one in seen["claims"] if one["status"] == "open"]
        assert not undecided or name == "tabu"
        proven = counted(seen["faults"], sides.number_of)
        made = counted(true["faults"], range(1, true["moves"] + 1))
        assert not proven - made, (name, seed)
        missing = made - proven
        left_open = {(sides.number_of[one["move"] - 1], one["seat"]) for one in undecided}
        assert all((move, seat) in left_open for move, seat, *_ in missing), (name, seed, missing)
        true_claims = {(proof.move, proof.claim.code): proof.status for proof in proofs(game, sides.rules, sides.known)}
        for one in seen["claims"]:
            truth = true_claims.get((sides.number_of[one["move"] - 1], one["code"]))
            # where every card is known an unplayable one ends the turn of itself, and nothing is claimed
            assert one["status"] in ("open", truth or "confirmed"), (name, seed, one)
        each_was_found_with_its_proof(real, seen, sides, set(game.FAULTS.values()))
        made_in_all.update(one["kind"] for one in true["faults"])
        found.update(one["kind"] for one in seen["faults"])
    assert set(made_in_all) >= NAMED[name], made_in_all
    assert set(found) >= NAMED[name], found


def counted(faults: list[dict[str, Any]], numbers: Sequence[int]) -> Counter[tuple[Any, ...]]:
    """Faults, each at its move as the deal counts it whose cards are known."""
    what = ("seat", "kind", "card", "clause", "cost")
    return Counter((numbers[one["move"] - 1], *(one[name] for name in what)) for one in faults)


def each_was_found_with_its_proof(match: Opened, seen: dict[str, Any], sides: Sides, hidden: set[str]) -> None:
    """Each fault is proven by a move from its own on, or by the hands shown, and was recorded right after that."""
    last = len(sides.seen.steps) + (sides.seen.hands is not None)
    assert all(one["move"] <= one["proof"] <= last for one in seen["faults"])
    told, at = [], 0
    for entry in match.spectator.get("/deals/1/events?limit=500").json()["events"]:
        event = entry["event"]
        if event["type"] == "IrregularityFound":
            assert event["proof"] == at
            told.append(event)
        at += event["type"] in ("CardPlayed", "CardDrawn", "TurnPassed", "HandsShown")
    assert at == last
    expected = pointed([one for one in seen["faults"] if one["kind"] in hidden])
    assert pointed(told) == expected
    assert pointed(match.spectator.get("/deals/1/irregularities").json()["found"]) == expected


def pointed(faults: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    return sorted((one["move"], one["seat"], one["kind"], one["proof"]) for one in faults)
