"""`referee verify`: a log that is whole is clean, and every damage done on purpose is found and named."""

import re
from collections.abc import Callable
from uuid import UUID

import pytest
from click.testing import CliRunner

from referee.cli import main
from referee.match import access_id, deal_id
from referee.store.scan import Scan
from referee.verify import Damage, verify
from tests.store.damage import Vandal
from tests.store.two import MOVES, play_all, served, started

Do = Callable[[Vandal, UUID, UUID], None]


@pytest.fixture
def played(database: str) -> tuple[str, UUID, UUID]:
    """A database with a match: one deal played to its end, a second under way. Its address, the match, the first deal."""
    with served(database) as client:
        opened = started(client)
        play_all(opened.scorekeeper)
        assert opened.scorekeeper.post("/deals", {}).status_code == 201
        legal = opened.arbiter.get("/deals/2/legal-moves?limit=1").json()
        assert opened.arbiter.move(2, legal["seat"], legal["moves"][0]).status_code == 201
        started(client)
    return database, UUID(opened.id), deal_id(UUID(opened.id), 1)


def damage(database: str, only: UUID | None = None) -> list[Damage]:
    scan = Scan(database)
    try:
        return [found for checked in verify(scan, only) for found in checked.damage]
    finally:
        scan.close()


def test_a_whole_log_is_clean(played: tuple[str, UUID, UUID]) -> None:
    database, match, _ = played
    assert damage(database) == []
    assert damage(database, match) == []
    for more in ([], ["--match", str(match)]):
        done = CliRunner().invoke(main, ["verify", "--database", database, *more])
        assert done.exit_code == 0, done.output
        assert "all in order" in done.output


def bit_flip(vandal: Vandal, match: UUID, deal: UUID) -> None:
    state = vandal.state(deal, 5)
    at = state.index(b'"seat":') + 7
    vandal.write(deal, 5, state[:at] + bytes([state[at] ^ 1]) + state[at + 1 :])


def broken_json(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.write(deal, 5, vandal.state(deal, 5)[:-1])


def missing_row(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.delete(deal, 5)


def swapped_rows(vandal: Vandal, match: UUID, deal: UUID) -> None:
    one, two = vandal.state(deal, 5), vandal.state(deal, 6)
    vandal.write(deal, 5, two)
    vandal.write(deal, 6, one)


def swapped_positions(vandal: Vandal, match: UUID, deal: UUID) -> None:
    name = "rowid" if vandal.database.startswith("sqlite") else "notification_id"
    at = f"UPDATE stored_events SET {name} = %s WHERE originator_id = %s AND originator_version = %s"
    find = f"SELECT {name} FROM stored_events WHERE originator_id = %s AND originator_version = %s"
    one, two = vandal.do(find, deal, 5)[0][0], vandal.do(find, deal, 6)[0][0]
    for position, version in ((1 << 60, 5), (one, 6), (two, 5)):
        vandal.do(at, position, deal, version)


def changed_card(vandal: Vandal, match: UUID, deal: UUID) -> None:
    state = vandal.state(deal, 5)
    card = MOVES[3][1]["card"].encode()
    vandal.write(deal, 5, state.replace(b'"card":"%b"' % card, b'"card":"%b"' % (b"KS" if card != b"KS" else b"QS"), 1))


def forged_card(vandal: Vandal, match: UUID, deal: UUID) -> None:
    changed_card(vandal, match, deal)
    vandal.forge(deal)
    vandal.forge(match)


def forged_deal_alone(vandal: Vandal, match: UUID, deal: UUID) -> None:
    state = vandal.state(deal, 5)
    vandal.write(deal, 5, re.sub(rb'"at":"2', b'"at":"3', state, count=1))
    vandal.forge(deal)


def forged_points(vandal: Vandal, match: UUID, deal: UUID) -> None:
    (version,) = vandal.do("SELECT originator_version FROM stored_events WHERE topic = 'DealScored'")[0]
    state = vandal.state(match, version)
    vandal.write(match, version, re.sub(rb'"totals":\[\d+', b'"totals":[250', state))
    vandal.forge(match)
    vandal.forge(deal_id(match, 2))


def lost_end_of_deal(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.delete(deal, len(MOVES) + 2)


def cut_short(vandal: Vandal, match: UUID, deal: UUID) -> None:
    """The last entries of the match, of which only the commands' keys tell."""
    (last,) = vandal.do("SELECT max(originator_version) FROM stored_events WHERE originator_id = %s", match)[0]
    for version in range(3, last + 1):
        vandal.delete(match, version)


def lost_deal(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.do("DELETE FROM stored_events WHERE originator_id = %s", deal)


def lost_opening(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.delete(match, 1)


def lost_access(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.do("DELETE FROM stored_events WHERE originator_id = %s", access_id(match))


def renamed(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.do("UPDATE stored_events SET topic = 'TurnPassed' WHERE originator_id = %s AND originator_version = 5", deal)


def unsealed(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.do("UPDATE stored_events SET seals = NULL WHERE originator_id = %s", match)


def another_digest(vandal: Vandal, match: UUID, deal: UUID) -> None:
    where = "WHERE originator_id = %s AND originator_version = 5"
    vandal.do(f"UPDATE stored_events SET digest = %s {where}", bytes(32), deal)


def a_command_told_wrong(vandal: Vandal, match: UUID, deal: UUID) -> None:
    vandal.do("UPDATE command SET position = position + 1 WHERE key = 'move-4'")


FOUND: list[tuple[Do, str, int | None]] = [
    (bit_flip, "digest", 5),
    (broken_json, "unreadable", 5),
    (missing_row, "missing", 5),
    (swapped_rows, "digest", 5),
    (swapped_positions, "position", 6),
    (changed_card, "digest", 5),
    (forged_card, "illegal", 5),
    (forged_deal_alone, "digest", None),
    (forged_points, "totals", None),
    (lost_end_of_deal, "seal", None),
    (cut_short, "missing", None),
    (lost_deal, "missing", 1),
    (lost_opening, "missing", 1),
    (lost_access, "missing", 1),
    (renamed, "unreadable", 5),
    (unsealed, "digest", None),
    (another_digest, "digest", 5),
    (a_command_told_wrong, "position", 6),
]


@pytest.mark.parametrize(("do", "what", "version"), FOUND, ids=lambda value: getattr(value, "__name__", ""))
def test_damage_is_found(played: tuple[str, UUID, UUID], do: Do, what: str, version: int | None) -> None:
    database, match, deal = played
    vandal = Vandal(database)
    do(vandal, match, deal)
    vandal.close()
    found = damage(database)
    assert any(one.what == what and version in (None, one.version) for one in found), found
    if do is not lost_opening:
        assert damage(database, match)
    done = CliRunner().invoke(main, ["verify", "--database", database])
    assert done.exit_code == 1
    assert str(found[0]) in done.output
