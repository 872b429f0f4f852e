"""A match and a deal as they stood at a version, or at a time."""

from urllib.parse import quote

from tests.http.settle import tablanet_match
from tests.http.table import Table


def test_as_of_a_time(table: Table) -> None:
    match = tablanet_match(table, 4)
    keeper = match.scorekeeper
    for event in keeper.get("/deals/1/events").json()["events"]:
        then = keeper.get(f"/deals/1?at={quote(event['at'])}").json()
        assert then == keeper.get(f"/deals/1?version={event['version']}").json()
    for event in keeper.get("/events").json()["events"]:
        then = keeper.get(f"?at={quote(event['at'])}").json()
        assert then["version"] >= event["version"]
    assert keeper.get("?at=2001-01-01T00:00:00Z").status_code == 404
    naive = keeper.get("?at=2026-01-01T00:00:00")
    assert naive.status_code == 400
    assert "offset" in naive.json()["detail"]
    assert keeper.get("?at=yesterday").status_code == 400
