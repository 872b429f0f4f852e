"""The score sheet: totals, lines, distance, leaders, winners; when a match ends; what the projection promises."""

from typing import Any

import pytest
from litestar.testing import TestClient

from projections import totals
from projections.rebuild import rebuild
from projections.tables import Tables
from referee.api.app import create_app
from referee.rules import tablanet
from referee.settings import Settings
from referee.store import open_reader
from tests.http.deals import Choose, Moves, plan, play_out, shuffled
from tests.http.table import Opened, Table
from tests.projections.follow import catch_up

LINES = {"aces", "kings", "queens", "jacks", "tens", "ten_of_diamonds", "twos", "bonus", "tablanets"}


def sheet(match: Opened, played: Any) -> Any:
    """The score sheet once it includes the command answered with `played`."""
    reply = match.spectator.get(f"/totals?min_position={played['position']}")
    assert reply.status_code == 200, reply.text
    return reply.json()


def points_of(layout: tablanet.Layout, moves: list[tuple[int, dict[str, Any]]], dealer: int, **rules: Any) -> list[int]:
    """What a deal pays, worked out beforehand by the vectors' scale: TN-18 and TN-19 of the piles alone."""
    state = tablanet.start(dealer, layout)
    agreed = tablanet.Rules(**{"ace_value": 1, **rules})
    for seat, move in moves:
        played = tablanet.Play(move["card"], tuple(move["captures"]))
        effects = tablanet.play(agreed, state, seat, played, None)  # type: ignore[arg-type]
        state = tablanet.evolve(state, seat, played, effects)
    cards = [sum((card[:-1] in {"A", "K", "Q", "10", "2"}) + (card == "10D") for card in p) for p in state.piles]
    bonus = [3 * (n == max(cards) and cards.count(n) == 1) for n in cards]
    return [card + more + tablanets for card, more, tablanets in zip(cards, bonus, state.bonuses, strict=True)]


def test_the_sheet_after_two_deals(shared: Table) -> None:
    match = shared.open(players=3)
    assert sheet(match, match.answer)["seats"] == [
        {
            "seat": place,
            "player": seat["player"],
            "total": 0,
            "distance": 251,
            "rank": 1,
            "can_win": None,
            "left": False,
            "lines": {},
        }
        for place, seat in enumerate(match.answer["match"]["seats"])
    ]
    played, expected = None, []
    for number, dealer in ((1, 0), (2, 1)):
        layout = shuffled(30 + number, 3, dealer)
        moves = plan(layout, dealer)
        played = play_out(match, number, layout, moves)
        expected.append(points_of(layout, moves, dealer))
    found = sheet(match, played)
    sums = [sum(seat) for seat in zip(*expected, strict=True)]
    assert [deal["points"] for deal in found["deals"]] == expected
    assert [deal["totals"] for deal in found["deals"]] == [expected[0], sums]
    assert [seat["total"] for seat in found["seats"]] == sums == played["totals"]
    assert [seat["distance"] for seat in found["seats"]] == [251 - total for total in sums]
    assert found["leaders"] == [seat for seat, total in enumerate(sums) if total == max(sums)]
    assert (found["winners"], found["running"], found["target"]) == ([], None, 251)
    for seat in found["seats"]:
        assert set(seat["lines"]) == LINES
        assert sum(seat["lines"].values()) == seat["total"]
    for deal in found["deals"]:
        assert [sum(lines.values()) for lines in deal["lines"]] == deal["points"]
    assert sum(seat["lines"]["ten_of_diamonds"] for seat in found["seats"]) == 4
    assert sum(seat["lines"]["aces"] for seat in found["seats"]) == 8


def test_a_running_deal_is_named_and_pays_nothing_yet(shared: Table) -> None:
    match, layout = shared.open(), shuffled(41)
    played = play_out(match, 1, layout, plan(layout)[:5])
    found = sheet(match, played)
    assert (found["running"], found["deals"], found["leaders"]) == (1, [], [])
    assert played["totals"] is None
    assert match.spectator.get().json()["running"] == 1


@pytest.mark.parametrize(("above", "won"), [(1, False), (0, True), (-1, True)], ids=["target-1", "target", "target+1"])
def test_c048_exactly_on_the_target(shared: Table, above: int, won: bool) -> None:
    """Short of the target by one point the match goes on; on it, and past it, it is over (TN-20)."""
    layout = shuffled(51)
    moves = plan(layout)
    points = points_of(layout, moves, 0)
    first = points.index(max(points))
    match = shared.open(target=max(points) + above)
    played = play_out(match, 1, layout, moves)
    found, now = sheet(match, played), match.spectator.get().json()
    winners = [first] if won else []
    assert played["winners"] == found["winners"] == now["winners"] == winners
    assert now["state"] == ("won" if won else "open")
    assert found["seats"][first]["distance"] == max(0, above)
    following = match.scorekeeper.post("/deals", {})
    if won:
        assert (following.status_code, following.json()["code"]) == (422, "MATCH_OVER")
        assert following.json()["clause"] == "TN-20"
    else:
        assert following.status_code == 201


def equal_deal(tie: str) -> tuple[tablanet.Layout, list[tuple[int, dict[str, Any]]], list[int]]:
    """A deal of three players whose two best get the same."""
    for number in range(200):
        layout = shuffled(number, 3)
        moves = plan(layout, tie=tie)
        points = points_of(layout, moves, 0)
        if points.count(max(points)) == 2:
            return layout, moves, points
    raise AssertionError("no such deal among the first 200")


@pytest.mark.parametrize("tie", ["another_deal", "shared"])
def test_c047_a_tie_past_the_target_has_no_single_winner(shared: Table, tie: str) -> None:
    layout, moves, points = equal_deal(tie)
    best = [seat for seat, gain in enumerate(points) if gain == max(points)]
    match = shared.open(players=3, target=max(points) - 1, tie=tie)
    played = play_out(match, 1, layout, moves)
    found, now = sheet(match, played), match.spectator.get().json()
    winners = best if tie == "shared" else []
    assert played["winners"] == found["winners"] == now["winners"] == winners
    assert found["leaders"] == best
    assert now["state"] == ("won" if winners else "open")
    assert match.scorekeeper.post("/deals", {}).status_code == (422 if winners else 201)


def test_c047_of_two_past_the_target_the_higher_wins(shared: Table) -> None:
    layout = shuffled(51)
    moves = plan(layout)
    points = points_of(layout, moves, 0)
    assert points[0] != points[1]
    match = shared.open(target=min(points))
    played = play_out(match, 1, layout, moves)
    assert sheet(match, played)["winners"] == [points.index(max(points))]


# ---- C050

SIXES: tuple[str, ...] = tuple(f"{rank}{suit}" for rank in ("3", "4", "5", "6", "7") for suit in "SHDC")
QUIET = (*SIXES, "9S", "9H", "8S", "8H")
LOUD = tuple(f"{rank}{suit}" for rank in ("A", "2", "10", "Q", "J", "K") for suit in "SHDC")


def quiet_and_loud(quiet: int) -> tablanet.Layout:
    """One seat holds, in each batch, only cards without points; the other all that have some, kings last."""
    hands: list[list[str]] = [[], []]
    hands[quiet], hands[1 - quiet] = list(QUIET), list(LOUD)
    dealer = 1 - quiet
    stock = [hands[seat][place] for place in range(6, 24) for seat in ((dealer + 1) % 2, dealer)]
    return tablanet.Layout((tuple(hands[0][:6]), tuple(hands[1][:6])), ("9D", "9C", "8D", "8C"), tuple(stock))


def takes_by_rank(*takers: int, last: int | None = None) -> Choose:
    """These seats take one card of their own rank where they can; the others lay. `last` takes with the last card."""

    def choose(state: tablanet.State, moves: Moves) -> tablanet.Play:
        assert state.turn is not None
        hand = state.hands[state.turn]
        end = sum(map(len, state.hands)) == 1 and not state.stock
        if state.turn in takers or (end and state.turn == last):
            for card in hand:
                for there in state.table:
                    if there[:-1] == card[:-1]:
                        return tablanet.Play(card, (there,))
        return tablanet.Play(hand[0])

    return choose


RULES: dict[str, Any] = {"capture_duty": "optional", "deal_bonus": "most_cards"}


def test_c050_the_target_reached_by_the_deal_bonus_alone(shared: Table) -> None:
    """Two short of the target before the deal, no scoring card in it, three for most cards: over."""
    match = shared.open(target=26, **RULES)
    before = shuffled(60)
    first = play_out(match, 1, before, plan(before, 0, takes_by_rank(0), **RULES))
    assert first["totals"] == [24, 0]
    assert first["winners"] == []
    layout = quiet_and_loud(0)
    last = play_out(match, 2, layout, plan(layout, 1, takes_by_rank(0, last=1), **RULES))
    found = sheet(match, last)
    assert found["deals"][1]["points"] == [3, 21]
    assert found["deals"][1]["lines"][0] == dict.fromkeys(LINES, 0) | {"bonus": 3}
    assert [seat["total"] for seat in found["seats"]] == [27, 21]
    assert last["winners"] == found["winners"] == [0]


def test_c050_a_tablanet_in_mid_deal_that_reaches_the_target_ends_nothing(shared: Table) -> None:
    """Totals are looked at only after the deal: who reached the target first in it has won nothing yet (rules 0.5)."""
    rules = RULES | {"tablanet_bonus": "one_point"}
    match = shared.open(target=1, dealer=1, **rules)
    hands = (("9S", "3S", "3H", "3C", "5S", "5H"), ("AS", "AH", "AD", "AC", "KS", "KH"))
    table_cards = ("9D", "9C", "4S", "5D")
    rest = sorted(set(LOUD + QUIET + ("9D", "9C", "8D", "8C")) - {*hands[0], *hands[1], *table_cards})
    layout = tablanet.Layout(hands, table_cards, tuple(rest))
    take = tablanet.Play("9S", table_cards)

    def choose(state: tablanet.State, moves: Moves) -> tablanet.Play:
        return take if "9S" in state.hands[0] and state.turn == 0 else takes_by_rank(1)(state, moves)

    moves = plan(layout, 1, choose, **rules)
    made = play_out(match, 1, layout, moves[:1])
    assert (made["effects"]["tablanet"], made["effects"]["bonus"]) == (True, 1)
    assert (made["totals"], made["winners"]) == (None, [])
    assert sheet(match, made)["winners"] == []
    assert match.spectator.get().json()["state"] == "open"
    for seat, move in moves[1:]:
        made = match.scorekeeper.move(1, seat, move).json()
    found = sheet(match, made)
    assert found["seats"][0]["lines"]["tablanets"] >= 1
    assert found["seats"][1]["total"] > found["seats"][0]["total"] >= 1
    assert made["winners"] == found["winners"] == match.spectator.get().json()["winners"] == [1]
    replayed = match.spectator.get("/deals/1/replay").json()["deal"]
    assert replayed["points"] == [seat["total"] for seat in found["seats"]]


# ---- what the projection promises


def test_it_waits_for_a_position_and_says_when_it_has_not_come(shared: Table) -> None:
    match = shared.open()
    for _ in range(5):
        match = shared.open()
        assert sheet(match, match.answer)["position"] >= match.answer["position"]
    reply = match.spectator.get("/totals?min_position=4611686018427387904")
    assert (reply.status_code, reply.json()["code"]) == (503, "UNAVAILABLE")
    assert int(reply.headers["retry-after"]) >= 1


def test_503_while_nobody_follows_the_log_and_totals_once_somebody_does(database: str) -> None:
    settings = Settings(database, b"s", frozenset({"testserver.local"}), project=False)
    with TestClient(create_app(settings), base_url="http://testserver.local") as client:
        match, layout = Table(client).open(), shuffled(71)
        reply = match.spectator.get("/totals")
        assert (reply.status_code, reply.json()["code"]) == (503, "UNAVAILABLE")
        assert reply.headers["content-type"] == "application/problem+json"
        assert int(reply.headers["retry-after"]) >= 1
        played = play_out(match, 1, layout, plan(layout))
        follow(database)
        assert [seat["total"] for seat in sheet(match, played)["seats"]] == played["totals"]


def test_rebuilt_totals_equal_those_kept_live(shared: Table, shared_database: str) -> None:
    match, layout = shared.open(target=5), shuffled(71)
    played = play_out(match, 1, layout, plan(layout))
    live = sheet(match, played)
    reader, tables = open_reader(shared_database), Tables(shared_database)
    done = rebuild(tables, reader, totals)
    reader.close()
    tables.close()
    assert done is not None
    assert done.differences == {}
    assert sheet(match, played) == live
    assert live["winners"]


def follow(database: str) -> None:
    """Read the whole log into the tables, as `referee project` does."""
    catch_up(database, totals)
