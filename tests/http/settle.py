"""What the tests of settling share: asking by the version just read, counted deals, deals worked out beforehand."""

from typing import Any

from httpx import Response

from referee.fingerprint import canonical
from referee.rules.game import GAMES
from tests.dealing import SeededChance, new_deal, rules_of
from tests.http.table import Opened, Phone, Table
from tests.vectors_of import cases

OF_DEAL = ("moves", "take-backs", "corrections", "irregular-moves")
CASE: dict[str, Any] = next(case for case in cases("transcripts/tablanet") if case["players"] == 2 and "points" in case)
STEPS: list[dict[str, Any]] = CASE["steps"]


def settle(phone: Phone, path: str, body: dict[str, Any], **headers: str) -> Response:
    """POST with the ETag that the phone reads first: the deal's where moves are settled, else the match's."""
    of = path.rpartition("/")[0] if path.rpartition("/")[2] in OF_DEAL else ""
    tag = phone.get(of).headers["etag"]
    return phone.post(path, body, if_match=tag, **headers)


def tally(match: Opened, *tricks: int, **more: Any) -> Response:
    """Enter the result of a deal of Sabo that was only counted."""
    number = len(match.scorekeeper.get().json()["deals"]) + 1
    body = {"tally": {"type": "sabo", "tricks": tricks}, "number": number, **more}
    return match.scorekeeper.post("/deals", body)


def sabo_match(table: Table, *results: tuple[int, ...], dealer: int = 0, **house_rules: Any) -> Opened:
    """A match of Sabo with four players and these results."""
    match = table.open("sabo", 4, dealer, **house_rules)
    for result in results:
        assert tally(match, *result).status_code == 201
    return match


def recount(number: int, *tricks: int, **more: Any) -> tuple[str, dict[str, Any]]:
    """Where and how a result is corrected."""
    return f"/deals/{number}/score-corrections", {"tally": {"type": "sabo", "tricks": list(tricks)}, **more}


def tablanet_match(table: Table, steps: int = 0) -> Opened:
    """A match of Tablanet with the vectors' deal laid out and so many moves made."""
    match = table.open("tablanet", 2, CASE["dealer"], **CASE["house_rules"])
    assert lay(match).status_code == 201
    play(match, 1, 0, steps)
    return match


def lay(match: Opened) -> Response:
    """Lay the vectors' deal out."""
    return match.scorekeeper.post("/deals", {"layout": {"type": "tablanet", **CASE["layout"]}})


def play(match: Opened, number: int, first: int, after: int) -> None:
    """Make the vectors' moves from `first` (from 0) up to `after`."""
    for step in STEPS[first:after]:
        made = match.scorekeeper.move(number, step["seat"], as_move(step["move"]))
        assert made.status_code == 201, made.text


def as_move(move: dict[str, Any]) -> dict[str, Any]:
    """A move of the vectors as the API takes it."""
    return {"type": "tablanet.play", **move}


def layout_of(game: str, players: int, dealer: int, seed: int) -> tuple[Any, dict[str, Any]]:
    """A deal for the same seed: its first state, and the layout as a request's part."""
    rules, chance = rules_of(GAMES[game]), SeededChance(seed)
    layout, state = new_deal(GAMES[game], rules, players, chance, dealer)
    return state, canonical(layout)


def bare(match: dict[str, Any]) -> dict[str, Any]:
    """A match as answered, without the numbers that count what was written."""
    deals = [{name: part for name, part in line.items() if name != "revision"} for line in match["deals"]]
    return {**{name: part for name, part in match.items() if name != "version"}, "deals": deals}
