"""`referee project` and `referee verify --projections`: what an operator sees and does."""

import pytest
from click.testing import CliRunner, Result

from projections import base, totals
from projections.tables import Tables
from referee.cli import main
from referee.events import Recorded
from referee.store import open_log, open_reader
from tests.projections.follow import catch_up
from tests.projections.logs import random_changes, write


def said(database: str, *words: str) -> Result:
    where = ["--database", database]
    return CliRunner().invoke(
        main,
        [*words[:1], *where, *words[1:]],
        env={"COLUMNS": "200", "REFEREE_OPERATOR_TOKEN": ""},
    )


def test_status_rebuild_and_verify(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pens, changes = random_changes(31, matches=3, steps=40)
    write(open_log(database), *changes)
    before = said(database, "project", "status")
    assert before.exit_code == 0, before.output
    assert "irregularities" in before.output
    catch_up(database)
    reader = open_reader(database)
    events = len(reader.follow(0, 10_000))
    reader.close()
    assert str(events) in said(database, "project", "status").output
    one = said(database, "project", "rebuild", "totals")
    assert one.exit_code == 0, one.output
    assert f"totals: {events} events, generation 2, as before" in one.output
    every = said(database, "project", "rebuild")
    assert every.exit_code == 0, every.output
    assert "totals: " in every.output
    assert "players: " in every.output
    assert said(database, "verify", "--projections").output == "Every read table is what the log says.\n"
    tables = Tables(database)
    with tables.transaction() as execute:
        base.live(execute, totals)("DELETE FROM {doc} WHERE key = %s", str(pens[1].match))
    tables.close()
    wrong = said(database, "verify", "--projections")
    assert wrong.exit_code == 1
    assert wrong.output == f"totals: table doc is not what the log says of match {pens[1].match}\n1 differences.\n"
    mended = said(database, "project", "rebuild", "totals")
    assert "1 rows of doc differ" in mended.output
    assert said(database, "verify", "--projections").exit_code == 0
    assert said(database, "project", "rebuild", "nothing").exit_code == 1


def test_status_names_the_event_that_stopped_it(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    _, changes = random_changes(32, matches=1, steps=5)
    write(open_log(database), *changes)

    def refusing(doc: object, recorded: Recorded) -> object:
        raise ValueError("out of order [yet]")

    monkeypatch.setattr(totals, "evolve", refusing)
    with pytest.raises(AssertionError, match="totals stopped"):
        catch_up(database, totals)
    shown = said(database, "project", "status")
    assert shown.exit_code == 1
    assert "totals stopped at MatchOpened (position" in shown.output
    assert "ValueError: out of order [yet]" in shown.output


def test_a_short_operator_token_is_refused(tmp_path: object) -> None:
    done = CliRunner().invoke(main, ["serve"], env={"REFEREE_OPERATOR_TOKEN": "short"})
    assert done.exit_code == 1
    assert "REFEREE_OPERATOR_TOKEN needs at least 16 characters" in done.output
