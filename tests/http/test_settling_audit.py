"""The audit of what was settled: a record says it, and no word of it can be changed unnoticed."""

from collections.abc import Callable
from typing import Any

import pytest

from referee import record
from tests.http.settle import CASE, STEPS, as_move, play, sabo_match, settle, tablanet_match, tally
from tests.http.table import Opened, Table
from tests.records.doctor import event_of, laid_out

LAST = len(STEPS)
Forge = Callable[[dict[str, Any]], object]


def report(match: Opened, forge: Forge) -> record.Report:
    """The verdict on the match's record with one thing changed in it."""
    document = match.spectator.get("/record").json()
    assert record.check(laid_out(document)).legal
    forge(document)
    return record.check(laid_out(document))


def corrected(table: Table) -> Opened:
    """A deal played to its end, its last move let stand as another and then put right again."""
    match = tablanet_match(table, LAST)
    right = {"number": LAST, "move": as_move(STEPS[-1]["move"]), "why": "as it was"}
    assert settle(match.arbiter, "/deals/1/corrections", right).status_code == 201
    return match


def swap(event: dict[str, Any]) -> None:
    """The points of the two seats exchanged, with everything that adds up from them."""
    for name in ("points", "lines", "totals"):
        event[name].reverse()


def drop_last(document: dict[str, Any]) -> None:
    event_of(document, "MoveCorrected", 0)["moves"] = []


def other_mark(document: dict[str, Any]) -> None:
    event_of(document, "ScoreCorrected")["fingerprint"] = document["fingerprint"] = "ab" * 32


@pytest.mark.parametrize(
    ("forge", "what"),
    [
        (lambda document: swap(event_of(document, "ScoreCorrected")), "points"),
        (other_mark, "fingerprint"),
        (lambda document: event_of(document, "ScoreCorrected").update(totals=[0, 0]), "totals"),
    ],
)
def test_a_correction_counts_what_the_deal_gives(table: Table, forge: Forge, what: str) -> None:
    found = report(corrected(table), forge).match
    assert found is not None
    assert found.what == what


def test_a_correction_covers_every_later_move(table: Table) -> None:
    found = report(corrected(table), drop_last).deals[0].divergence
    assert found is not None
    assert found.what == "order"


def test_an_irregular_move_cannot_pass_for_a_legal_one(table: Table) -> None:
    step = next(number for number, one in enumerate(STEPS) if one["move"]["captures"])
    match = tablanet_match(table, step)
    laid = {"type": "tablanet.play", "card": STEPS[step]["move"]["card"], "captures": []}
    body = {"seat": STEPS[step]["seat"], "move": laid, "why": "found too late"}
    assert settle(match.arbiter, "/deals/1/irregular-moves", body).status_code == 201
    while (legal := match.scorekeeper.get("/deals/1/legal-moves?limit=1").json())["moves"]:
        assert match.scorekeeper.move(1, legal["seat"], legal["moves"][0]).status_code == 201

    def pass_for_legal(document: dict[str, Any]) -> None:
        stood = next(entry["event"] for entry in document["deals"][0] if "irregular" in entry["event"])
        assert [fault["code"] for fault in stood.pop("irregular")] == ["CAPTURE_REQUIRED"]

    found = report(match, pass_for_legal).deals[0].divergence
    assert found is not None
    assert (found.what, found.move, [v.code for v in found.violations]) == ("illegal", step + 1, ["CAPTURE_REQUIRED"])


def test_a_counted_deal_scores_what_was_counted(table: Table) -> None:
    match = sabo_match(table, (4, 4, 3, 2), (5, 3, 3, 2))
    found = report(match, lambda document: swap(event_of(document, "DealScored"))).match
    assert found is not None
    assert found.what == "totals"


def test_the_end_of_the_match_follows_from_who_sits_there(table: Table) -> None:
    match = table.open("sabo", 3, target=10)
    for tricks in ((6, 6, 1), (5, 5, 3)):
        assert tally(match, *tricks).status_code == 201
    assert settle(match.seats[0], "/seats/0/departure", {}).status_code == 201

    def nobody_won(document: dict[str, Any]) -> None:
        assert document["match"].pop()["event"]["type"] == "MatchWon"

    def reopened(document: dict[str, Any]) -> None:
        document["match"].append({**document["match"][-1], "event": {"type": "MatchReopened"}})

    for forge in (nobody_won, reopened):
        found = report(match, forge).match
        assert found is not None
        assert found.what == "winner"


def test_a_deal_scored_once_and_played_on_is_in_the_record(table: Table) -> None:
    """Its cards are known to all; while it was never scored it is left out with everything about it."""
    match = tablanet_match(table, LAST - 1)
    assert len(match.spectator.get("/record").json()["deals"]) == 0
    play(match, 1, LAST - 1, LAST)
    assert settle(match.arbiter, "/deals/1/take-backs", {"kept": LAST - 2, "why": "so"}).status_code == 201
    document = match.spectator.get("/record").json()
    assert (len(document["deals"]), document["fingerprint"]) == (1, None)
    assert record.check(match.spectator.get("/record").content).legal
    play(match, 1, LAST - 2, LAST)
    assert match.spectator.get("/record").json()["match"][-1]["event"]["totals"] == CASE["points"]
    assert record.check(match.spectator.get("/record").content).legal
