"""A server killed right after it answered: what it answered is there when it starts again."""

from pathlib import Path

from tests.http.deals import plan, play_out, shuffled, told
from tests.http.served import serving
from tests.http.stored import stored

LAYOUT = shuffled(21)
MOVES = plan(LAYOUT)


def test_c026_c044_killed_right_after_a_201(database: str, tmp_path: Path) -> None:
    with serving(database, tmp_path) as (server, table):
        match = table.open()
        started = match.scorekeeper.post("/deals", {"layout": told(LAYOUT)}, idempotency_key="start")
        for number, (seat, move) in enumerate(MOVES[:-1]):
            made = match.scorekeeper.move(1, seat, move, idempotency_key=f"move-{number}")
            assert made.status_code == 201, made.text
        seat, move = MOVES[-1]
        last = match.scorekeeper.move(1, seat, move, idempotency_key="last")
        server.kill()
        assert last.status_code == 201
        rows = stored(database)
        server.start()

        deal = match.scorekeeper.get("/deals/1").json()
        assert deal == last.json()["deal"]
        assert deal["moves"] == 48
        totals = match.scorekeeper.get(f"/totals?min_position={last.json()['position']}").json()
        assert [seat["total"] for seat in totals["seats"]] == last.json()["totals"] == deal["points"]
        assert [line["number"] for line in totals["deals"]] == [1]
        assert totals["running"] is None

        again = match.scorekeeper.move(1, seat, move, idempotency_key="last")
        assert (again.status_code, again.json()) == (201, last.json())
        assert again.headers["idempotent-replayed"] == "true"
        restarted = match.scorekeeper.post("/deals", {"layout": told(LAYOUT)}, idempotency_key="start")
        assert (restarted.status_code, restarted.json()) == (201, started.json())
        assert stored(database) == rows
        assert match.scorekeeper.get("/totals").json() == totals

        play_out(match, 2, LAYOUT, plan(LAYOUT, dealer=1)[:3])
        assert "rf_" not in server.log
        assert "Traceback" not in server.log
