"""Records over HTTP and on the command line: checked without a trace, taken in whole or not at all."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from referee.cli import main
from referee.settings import Settings
from referee.store import open_reader
from tests.http.play import play_out
from tests.http.table import Opened, Table
from tests.records.doctor import doctored, event_of, golden

TABU, TWO = "tabu-2-one-deal", "sabo-2-classic"
CHECK = "/v1/records/check"


def first_card_unknown(document: Any) -> None:
    event_of(document, "CardPlayed", 0)["move"]["card"] = "?"


def a_deal_less(document: Any) -> None:
    last = max(n for n, entry in enumerate(document["match"]) if entry["event"]["type"] == "DealStarted")
    del document["match"][last:]
    document["deals"].pop()


def pointers(reply: Any) -> list[str]:
    return [fault["pointer"] for fault in reply.json()["errors"]]


def head(settings: Settings) -> int:
    reader = open_reader(settings.database)
    try:
        return reader.head()
    finally:
        reader.close()


def test_check_says_where_and_what_and_stores_nothing(table: Table, settings: Settings) -> None:
    before = head(settings)
    good = table.take_in(golden(TABU), CHECK)
    assert good.status_code == 200
    assert (good.json()["legal"], good.json()["defects"], good.json()["match"]) == (True, [], None)
    assert [deal["divergence"] for deal in good.json()["deals"]] == [None]
    bom = table.take_in(b"\xef\xbb\xbf" + golden(TABU), CHECK).json()
    assert (bom["legal"], bom["defects"]) == (False, [{"where": "line 1", "what": "begins with a byte order mark"}])
    found = table.take_in(doctored(golden(TABU), first_card_unknown), CHECK).json()["deals"][0]["divergence"]
    assert (found["what"], found["move"], found["violations"][0]["code"]) == ("illegal", 2, "CARD_NOT_IN_HAND")
    for data in (b"", b"{}", b"\xff", b"[" * 100_000):
        reply = table.take_in(data, CHECK)
        assert (reply.status_code, reply.json()["legal"]) == (200, False)
        assert reply.json()["defects"]
    assert head(settings) == before


def test_what_does_not_follow_is_refused_with_each_place(table: Table, settings: Settings) -> None:
    before = head(settings)

    def twice(document: Any) -> None:
        first_card_unknown(document)
        event_of(document, "DealScored")["totals"][0] += 1

    reply = table.take_in(doctored(golden(TABU), twice))
    assert (reply.status_code, reply.json()["code"]) == (422, "RECORD_DIVERGES")
    assert pointers(reply) == ["#/deals/0/2", "#/match/5"]
    assert "CARD_NOT_IN_HAND" in reply.json()["errors"][0]["message"]
    damaged = golden(TABU).replace(b'"by":"', b'"by":"!', 1).replace(b'"seat":1', b'"seat":"1"')
    reply = table.take_in(damaged)
    assert (reply.status_code, reply.json()["code"]) == (422, "BAD_VALUE")
    assert pointers(reply)[0] == "#/match/0/by"
    assert len(pointers(reply)) > 1
    for data, where in ((b"", "#/document"), (golden(TABU)[:-9], "#/document"), (golden(TABU)[:-1], "#/line ")):
        assert pointers(table.take_in(data))[0].startswith(where)
    assert head(settings) == before


def test_the_same_again_another_under_its_id_and_keys(table: Table, settings: Settings) -> None:
    first = table.take_in(golden(TWO), idempotency_key="one")
    assert first.status_code == 201
    assert first.json()["tokens"]
    after = head(settings)
    retry = table.take_in(golden(TWO), idempotency_key="one")
    assert (retry.status_code, retry.json()) == (201, first.json())
    assert retry.headers["Idempotent-Replayed"] == "true"
    again = table.take_in(golden(TWO), idempotency_key="two")
    assert (again.status_code, again.json()["tokens"]) == (200, None)
    assert again.json()["match"] == first.json()["match"]
    other = table.take_in(golden(TABU), idempotency_key="one")
    assert (other.status_code, other.json()["code"]) == (422, "KEY_REUSED")
    less = table.take_in(doctored(golden(TWO), a_deal_less))
    assert (less.status_code, less.json()["code"]) == (409, "RECORD_DIFFERS")
    assert head(settings) == after


def test_a_name_told_otherwise_makes_no_other_match(table: Table) -> None:
    match = Opened(table.client, table.take_in(golden(TWO)).json())
    renamed = doctored(golden(TWO), lambda document: document["names"].update({next(iter(document["names"])): "Eva"}))
    assert table.take_in(renamed).status_code == 200
    assert match.spectator.get("/record").content == golden(TWO)


def test_a_match_that_is_still_played(table: Table) -> None:
    """The running deal is left out; here the record is known, elsewhere play goes on from it."""
    match = table.open("sabo", target=20)
    assert match.seats[0].post("/deals", {}).status_code == 201
    nothing = match.spectator.get("/record").json()
    assert (nothing["deals"], nothing["fingerprint"]) == ([], None)
    assert len(nothing["match"]) == 2
    play_out(match, 1, 1)
    one = match.spectator.get("/record").content
    assert match.seats[1].post("/deals", {"words": True}).status_code == 201
    assert match.seats[0].post("/deals/2/words", {"word": "w"}).status_code == 201
    assert match.spectator.get("/record").content == one
    known = table.take_in(one)
    assert (known.status_code, known.json()["match"]["running"]) == (200, 2)
    assert match.spectator.get("/record").headers["content-type"] == "application/vnd.referee.match+json"


def test_play_goes_on_from_a_record(table: Table) -> None:
    reply = table.take_in(doctored(golden(TWO), a_deal_less))
    match = Opened(table.client, reply.json())
    number, by = len(reply.json()["match"]["deals"]) + 1, reply.json()["match"]["next_dealer"]
    assert match.seats[by].post("/deals", {}).status_code == 201
    play_out(match, number, (by + 1) % 2)
    assert table.take_in(match.spectator.get("/record").content, CHECK).json()["legal"] is True


def test_media_type_and_size(table: Table) -> None:
    assert table.take_in(golden(TABU), Content_Type="text/plain").status_code == 415
    assert table.take_in(golden(TABU), Content_Type="application/json").status_code == 201
    assert table.take_in(b" " * (8 * 1024 * 1024 + 1)).status_code == 413


# ---- the command line


@pytest.fixture
def check(tmp_path: Path) -> Any:
    def run(data: bytes) -> tuple[int, list[str]]:
        (tmp_path / "record.json").write_bytes(data)
        done = CliRunner().invoke(main, ["check", str(tmp_path / "record.json")])
        return done.exit_code, done.output.splitlines()

    return run


def test_check_on_the_command_line(check: Any) -> None:
    status, lines = check(golden(TWO))
    assert status == 0
    assert lines[0] == "deal 1 (26 moves): legal throughout"
    assert lines[-1] == "legal"
    assert lines[-2].split()[0] == "fingerprint"
    assert lines[-2].split()[1:] == [json.loads(golden(TWO))["fingerprint"][at : at + 4] for at in (0, 4, 8, 12)]
    status, lines = check(doctored(golden(TABU), first_card_unknown))
    assert status == 1
    assert lines[0].startswith("deal 1 (")
    assert "move 2 by seat 1" in lines[0]
    assert "CARD_NOT_IN_HAND, TB-7" in lines[0]
    assert lines[-1] == "not in order"
    status, lines = check(golden(TWO)[:-3000])
    assert status == 1
    assert lines[0].startswith("document: not readable as a whole")
    assert any("legal as far as it can be read" in line for line in lines)
    assert check(b"")[0] == 1
