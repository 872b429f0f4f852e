"""The race to the target: the vectors, and what they leave out (rules 0.5, 0.7)."""

from typing import Any

import pytest

from referee.rules.target import winners
from tests.vectors_of import cases


@pytest.mark.parametrize("case", cases("match_ends"), ids=lambda case: f"{case['game']}-{case['new_totals']}")
def test_vectors(case: dict[str, Any]) -> None:
    totals = [before + points for before, points in zip(case["totals"], case["points"], strict=True)]
    assert totals == case["new_totals"]
    assert winners(totals, case["target"]) == (() if case["winner"] is None else (case["winner"],))


@pytest.mark.parametrize("target", [50, 100, 251])
def test_C048_exactly_on_the_target(target: int) -> None:  # noqa: N802
    assert winners((target - 1, 0), target) == ()
    assert winners((target, 0), target) == (0,)
    assert winners((0, target + 1), target) == (1,)


def test_C047_a_tie_above_the_target() -> None:  # noqa: N802
    assert winners((52, 52), 50) == ()
    assert winners((52, 51), 50) == (0,)
    assert winners((52, 52), 50, tie="shared") == (0, 1)
    assert winners((52, 3, 52), 50, tie="shared") == (0, 2)


def test_a_shared_win_stands_at_the_target() -> None:
    assert winners((49, 49), 50, tie="shared") == ()
    assert winners((50, 50), 50, tie="shared") == (0, 1)
    assert winners((51, 50), 50, tie="shared") == (0,)


def test_totals_that_fell_below_the_target_again_play_on() -> None:
    assert winners((98, 97), 100) == ()


def test_the_last_deal_needs_no_target() -> None:
    assert winners((30, 20), 100, last=True) == (0,)
    assert winners((-5, -3), 100, last=True) == (1,)
    assert winners((30, 30), 100, last=True) == ()
    assert winners((30, 30), 100, tie="shared", last=True) == ()
    assert winners((100, 100), 100, tie="shared", last=True) == (0, 1)


def test_negative_totals() -> None:
    assert winners((-40, -7), 100) == ()
    assert winners((-40, 100), 100) == (1,)
