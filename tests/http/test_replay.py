"""Replay at every move, conditional reads, languages, and paging through legal moves."""

from typing import Any

import pytest

from referee.rules import tablanet
from referee.rules.game import GAMES, RULESETS
from tests.http.deals import plan, play_out, shuffled, told
from tests.http.table import Opened, Table

LAYOUT = shuffled(81)
MOVES = plan(LAYOUT)


def test_every_moment_of_a_deal_can_be_seen_again(shared: Table) -> None:
    match = shared.open()
    keeper = match.scorekeeper
    live = [keeper.post("/deals", {"layout": told(LAYOUT)}).json()["deal"]]
    made = []
    for seat, move in MOVES:
        answer = keeper.move(1, seat, move).json()
        live.append(answer["deal"])
        made.append({name: answer[name] for name in ("seat", "move", "effects")})
    for moves, then in enumerate(live):
        replay = keeper.get(f"/deals/1/replay?move={moves}").json()
        assert replay["deal"] == then
        assert (replay["move"], replay["moves"]) == (moves, 48)
        played = [{name: move[name] for name in ("seat", "move", "effects")} for move in replay["played"]]
        assert played == made[:moves]
        assert [move["number"] for move in replay["played"]] == list(range(1, moves + 1))
    assert keeper.get("/deals/1/replay").json() == replay
    beyond = keeper.get("/deals/1/replay?move=49")
    assert (beyond.status_code, beyond.json()["code"]) == (404, "NOT_FOUND")
    assert "0 to 48" in beyond.json()["detail"]


def test_a_running_deal_replays_as_far_as_it_came(shared: Table) -> None:
    match = shared.open()
    play_out(match, 1, LAYOUT, MOVES[:3])
    assert match.spectator.get("/deals/1/replay").json()["moves"] == 3
    assert match.spectator.get("/deals/1/replay?move=3").status_code == 200
    assert match.spectator.get("/deals/1/replay?move=4").status_code == 404


def test_months_later_the_pinned_ruleset_counts(shared: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """A newer ruleset of the game changes nothing in a match that was opened under the old one."""
    match = shared.open(jack_points=1, target=99)
    played = play_out(match, 1, LAYOUT, MOVES[:20])

    class Newer:
        """Tablanet as it might become: other name, and nothing may be played."""

        RULESET = "tablanet@2"

        def __getattr__(self, name: str) -> Any:
            if name in ("judge", "legal_moves", "play", "score"):
                raise AssertionError(f"{name} of the newer rules was asked")
            return getattr(tablanet, name)

    newer = Newer()
    monkeypatch.setitem(GAMES, "tablanet", newer)
    monkeypatch.setitem(RULESETS, "tablanet@2", newer)
    assert match.scorekeeper.get("/deals/1/replay?move=20").json()["deal"] == played["deal"]
    seat, move = MOVES[20]
    going_on = match.scorekeeper.move(1, seat, move)
    assert going_on.status_code == 201
    assert going_on.json()["deal"]["ruleset"] == "tablanet@1"
    assert match.spectator.get().json()["house_rules"]["jack_points"] == 1
    old = match.spectator.get().json()
    assert (old["ruleset"], old["target"]) == ("tablanet@1", 99)
    assert shared.open().answer["match"]["ruleset"] == "tablanet@2"


# ---- conditional reads


@pytest.fixture
def running(shared: Table) -> Opened:
    match = shared.open()
    played = play_out(match, 1, LAYOUT, MOVES[:2])
    # the score sheet's version stands still once it has read everything
    assert match.spectator.get(f"/totals?min_position={played['position']}").status_code == 200
    return match


PATHS = ["", "/events", "/totals", "/deals/1", "/deals/1/events", "/deals/1/legal-moves", "/deals/1/replay"]


@pytest.mark.parametrize("path", PATHS)
def test_what_is_known_is_not_sent_again(running: Opened, path: str) -> None:
    keeper = running.scorekeeper
    first = keeper.get(path)
    etag = first.headers["etag"]
    assert first.headers["cache-control"] == "private, no-cache"
    assert first.headers["vary"] == "Authorization, Accept, Accept-Language"
    for known in (etag, f'"0.nobody.en", {etag}', "*"):
        again = keeper.get(path, If_None_Match=known)
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == etag
    assert keeper.get(path, If_None_Match='"0.nobody.en"').status_code == 200


def test_a_move_changes_the_etag(running: Opened) -> None:
    keeper = running.scorekeeper
    known = keeper.get("/deals/1").headers["etag"]
    seat, move = MOVES[2]
    made = keeper.move(1, seat, move, If_Match=known)
    assert made.status_code == 201
    now = keeper.get("/deals/1", If_None_Match=known)
    assert now.status_code == 200
    assert now.headers["etag"] == made.headers["etag"] != known


@pytest.mark.parametrize("path", PATHS)
def test_each_viewer_and_each_language_has_an_etag_of_its_own(running: Opened, path: str) -> None:
    phones = [running.scorekeeper, *running.seats] + ([] if "legal" in path else [running.spectator, running.arbiter])
    may = [phone for phone in phones if phone.get(path).status_code == 200]
    tags = {phone.get(path, Accept_Language=lang).headers["etag"] for phone in may for lang in ("en", "ru", "uk")}
    assert len(tags) == 3 * len(may) >= 6
    other = running.scorekeeper.get(path).headers["etag"]
    assert may[1].get(path, If_None_Match=other).status_code == 200


def test_if_match_takes_any_viewers_etag_or_the_bare_version(running: Opened) -> None:
    for number, condition in ((2, '"3"'), (3, '"4.spectator.ru"'), (4, 'W/"5"'), (5, "*")):
        seat, move = MOVES[number]
        assert running.scorekeeper.move(1, seat, move, If_Match=condition).status_code == 201


# ---- languages


@pytest.mark.parametrize(
    ("asked", "lang", "letters"),
    [
        ("ru", "ru", "Сейчас не ваш ход"),
        ("uk-UA, ru;q=0.5", "uk", "Зараз не ваш хід"),
        ("en-GB", "en", "not your turn"),
        ("de, ru;q=0.4", "ru", "Сейчас не ваш ход"),
        ("tlh", "en", "not your turn"),
        ("\"junk;;q=x", "en", "not your turn"),
    ],
)  # fmt: skip
def test_a_refusal_speaks_the_callers_language(running: Opened, asked: str, lang: str, letters: str) -> None:
    seat, move = MOVES[2]
    reply = running.scorekeeper.move(1, 1 - seat, move, Accept_Language=asked)
    problem = reply.json()
    assert (reply.status_code, problem["code"]) == (422, "NOT_YOUR_TURN")
    assert reply.headers["content-language"] == lang
    assert letters in problem["detail"]
    assert letters in problem["violations"][0]["detail"]
    english = running.scorekeeper.move(1, 1 - seat, move).json()
    assert (problem["clause_text"] != english["clause_text"]) == (lang != "en")


# ---- paging


def test_pages_of_legal_moves_add_up_to_all(running: Opened) -> None:
    keeper = running.scorekeeper
    whole = keeper.get("/deals/1/legal-moves?limit=500").json()
    assert whole["next"] is None
    assert len(whole["moves"]) > 4
    path, found, pages = "/deals/1/legal-moves?limit=2", [], 0
    while True:
        reply = keeper.get(path)
        page = reply.json()
        found += page["moves"]
        pages += 1
        if page["next"] is None:
            assert "link" not in reply.headers
            break
        assert len(page["moves"]) == 2
        path = f"/deals/1/legal-moves?limit=2&cursor={page['next']}"
        assert reply.headers["link"] == f'</v1/matches/{running.id}{path}>; rel="next"'
    assert found == whole["moves"]
    assert pages == (len(found) + 1) // 2


def test_a_cursor_of_an_earlier_moment_is_stale(running: Opened) -> None:
    keeper = running.scorekeeper
    cursor = keeper.get("/deals/1/legal-moves?limit=1").json()["next"]
    seat, move = MOVES[2]
    assert keeper.move(1, seat, move).status_code == 201
    reply = keeper.get(f"/deals/1/legal-moves?limit=1&cursor={cursor}")
    assert (reply.status_code, reply.json()["code"]) == (409, "DEAL_MOVED")


def test_pages_of_events_add_up_to_all(running: Opened) -> None:
    for path in ("/events", "/deals/1/events"):
        whole = running.scorekeeper.get(path).json()["events"]
        assert [entry["version"] for entry in whole] == list(range(1, len(whole) + 1))
        found, after = [], 0
        while after is not None:
            page = running.scorekeeper.get(f"{path}?limit=1&after={after}").json()
            found += page["events"]
            after = page["next"]
        assert found == whole
        assert running.scorekeeper.get(f"{path}?after={len(whole)}").json() == {"events": [], "next": None}
