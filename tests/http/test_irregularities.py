"""Every row of the table of irregularities (rules 4.2) through the API: situation, remedy, window open, window closed."""

import re
from typing import Any, NamedTuple

import msgspec
import pytest

from referee import record as records
from referee.audit import audit
from referee.events import MatchOpened, Recorded
from referee.irregularities import KINDS, ROWS, WINDOWS
from referee.rules import sabo, tabu
from referee.rules.cards import PACK, SUIT
from referee.rules.words import LANGUAGES, texts_of
from referee.settling import notes
from tests.http.real import begun, observe, play, tag
from tests.http.table import Opened, Table

NOTE, VOID = ["note"], ["void", "note"]
AGAIN = ["correct", "take_back", "note"]
MADE_ANEW, BACK, REWIND = ["correct", "take_back"], ["take_back"], ["note", "correct", "take_back"]
BOTH, NOT_YET = ["let_stand", "note"], ["note", "let_stand"]
FAULT = ["note", "void"]
SCORE, RULE = ["correct_score"], ["dispute", "note"]
LEAVE = ["substitute", "leave", "abandon", "note"]


class Case(NamedTuple):
    """A row: where things stand while its window is open and once it is closed, the remedy and its requests then; with
    `consent` the late remedy needs all seats or the arbiter."""

    kind: str
    game: str
    window: str
    opened: str
    remedy: str
    ways: list[str]
    closed: str
    late: str
    late_ways: list[str]
    consent: bool = False


CASES = [
    Case(
        "pack_wrong", "tablanet", "before_scored", "playing", "void_redeal", VOID,
        "scored", "void_redeal", VOID, True,
    ),
    Case("pack_wrong", "sabo", "before_scored", "playing", "void_redeal", VOID, "scored", "void_redeal", VOID, True),
    Case(
        "wrong_card_count", "tablanet", "before_first_move", "fresh", "void_redeal", VOID,
        "began", "short_hand_plays_on", NOTE,
    ),
    Case(
        "wrong_card_count", "tabu", "before_first_move", "fresh", "void_redeal", VOID,
        "began", "hand_made_right", NOTE,
    ),
    Case("wrong_card_count", "sabo", "before_first_move", "fresh", "void_redeal", VOID, "began", "void_redeal", VOID),
    Case("exposed_in_deal", "tabu", "before_first_move", "fresh", "redeal_if_asked", VOID, "began", "plays_on", NOTE),
    Case("sabo_exposed", "sabo", "before_first_move", "fresh", "mixed_again", NOTE, "began", "plays_on", NOTE),
    Case("exposed_in_play", "tabu", "always", "fresh", "no_penalty", NOTE, "scored", "no_penalty", NOTE),
    Case(
        "wrong_dealer", "sabo", "before_first_move", "fresh", "rotation_goes_on", FAULT,
        "began", "rotation_goes_on", NOTE,
    ),
    Case("clean_up_forgotten", "tablanet", "next_move", "fresh", "clean_up_now", NOTE, "began", "stays_in_place", NOTE),
    Case("clean_up_forgotten", "tabu", "next_move", "just", "clean_up_now", NOTE, "next", "stays_in_place", NOTE),
    Case("out_of_turn", "tabu", "next_acts", "just", "taken_up", NOT_YET, "next", "both_stand", BOTH),
    Case("out_of_turn", "tablanet", "next_acts", "just", "taken_up", NOT_YET, "next", "both_stand", BOTH),
    Case("out_of_turn", "sabo", "next_acts", "just", "taken_up", NOT_YET, "next", "both_stand", BOTH),
    Case("two_cards", "sabo", "next_acts", "just", "names_one", AGAIN, "next", "names_one", AGAIN, True),
    Case(
        "illegal_capture", "tablanet", "next_acts", "captured", "same_card_again", MADE_ANEW,
        "captured_next", "stands", REWIND,
    ),
    Case(
        "capture_not_made", "tablanet", "next_acts", "laid", "must_capture", MADE_ANEW,
        "laid_next", "stands", REWIND,
    ),
    Case("cards_left_behind", "tablanet", "next_acts", "just", "take_them", AGAIN, "next", "they_stay", NOTE),
    Case("cards_left_behind", "tabu", "next_acts", "just", "take_them", NOTE, "next", "they_stay", NOTE),
    Case("tablanet_call", "tablanet", "always", "just", "counted_by_fact", NOTE, "scored", "counted_by_fact", NOTE),
    Case("wrong_row", "tabu", "next_move", "just", "row_made_right", NOTE, "next", "row_made_right", NOTE, True),
    Case("draw_forgotten", "tabu", "next_acts", "just", "draw_now", NOTE, "next", "draw_lapses", NOTE),
    Case("drew_while_able", "tabu", "next_acts", "drew", "card_back", BACK, "drew_next", "stands_unfined", NOTE),
    Case(
        "drew_too_many", "tabu", "offender_acts", "next", "surplus_to_reserve", NOTE,
        "own", "surplus_to_reserve", NOTE, True,
    ),
    Case("revoke", "sabo", "next_lead", "revoked", "withdrawn", MADE_ANEW, "revoked_led", "stands_as_fault", FAULT),
    Case(
        "revoke_found_later", "sabo", "before_scored", "led", "stands_as_fault", FAULT,
        "scored", "stands_as_fault", FAULT, True,
    ),
    Case("not_lowest", "sabo", "next_lead", "revoked", "withdrawn", MADE_ANEW, "revoked_led", "stands_as_fault", FAULT),
    Case("sabo_while_holding", "sabo", "next_lead", "used", "withdrawn", MADE_ANEW, "used_led", "stands_as_fault", FAULT),
    Case("sabo_looked_at", "sabo", "always", "fresh", "face_up_and_next", NOTE, "led", "face_up_and_next", NOTE),
    Case("wrong_winner", "sabo", "next_lead", "trick", "winner_by_record", NOTE, "led", "trick_stands", BOTH),
    Case(
        "wrong_trick_size", "sabo", "before_scored", "trick", "trick_by_record", [*AGAIN, "void"],
        "scored", "void_redeal", VOID, True,
    ),
    Case("wrong_points", "sabo", "match_open", "scored", "amended", SCORE, "closed", "amended", SCORE, True),
    Case("target_passed", "sabo", "always", "scored", "ended_earlier", NOTE, "closed", "ended_earlier", NOTE),
    Case(
        "player_left", "tablanet", "always", "fresh", "substitute_or_void", LEAVE,
        "just", "substitute_or_void", LEAVE,
    ),
    Case("no_proof", "sabo", "always", "just", "arbiter_rules", RULE, "scored", "arbiter_rules", RULE),
]  # fmt: skip


class Asked(NamedTuple):
    """A match, and how the irregularity is named: of which seat, after how many moves."""

    match: Opened
    seat: int
    move: int


def stands(lite: Table, game: str, situation: str) -> Asked:
    """Bring a match to where things stand so."""
    if situation in ("fresh", "began"):
        return Asked(begun(lite, game, situation == "began"), 1, 0)
    if situation in ("scored", "closed"):
        match = begun(lite, game, 10_000, **({"target": 1} if situation == "closed" else {}))
        return Asked(match, 1, match.spectator.get("/deals/1").json()["moves"])
    if situation in IRREGULAR:
        return irregular(lite, *IRREGULAR[situation])
    match = begun(lite, game)
    mover = play(match, 1)[0]
    if situation in ("just", "playing"):
        return Asked(match, mover, 1)
    if situation in ("trick", "led"):
        play(match, 1 if situation == "trick" else 2)
        return Asked(match, mover, 2)
    while play(match, 1) == [mover]:
        pass
    while situation == "own" and play(match, 1) != [mover]:
        pass
    return Asked(match, mover, 1)


IRREGULAR = {
    "drew": ("drew", 0), "drew_next": ("drew", 2), "captured": ("captured", 0), "captured_next": ("captured", 1),
    "laid": ("laid", 0), "laid_next": ("laid", 1), "revoked": ("revoked", 0), "revoked_led": ("revoked", 2),
    "used": ("used", 0), "used_led": ("used", 2),
}  # fmt: skip
"""Situations in which a move was really irregular: how, and how many moves later."""


def irregular(lite: Table, how: str, later: int) -> Asked:
    """A deal in which a move was not as it should be, and some moves after it."""
    if how in ("captured", "laid"):
        match, seat, move = tablanet_fault(lite, captured=how == "captured")
        asked = {"seat": seat, "move": move, "why": "made before anybody looked"}
        stood = match.arbiter.post("/deals/1/irregular-moves", asked, if_match=tag(match.scorekeeper, "/deals/1"))
        assert stood.status_code == 201, stood.text
        assert stood.json()["irregular"]
        play(match, later)
        return Asked(match, seat, 1)
    if how == "drew":
        match = observe(lite, tabu, tabu.Rules(target=100), 2, 0, ["7H", "KD", "KC", "KS"])
        moves = [(1, {"type": "tabu.draw"}), (1, {"type": "tabu.keep"}), (0, {"type": "tabu.draw"})]
        assert all(match.scorekeeper.move(1, seat, move).status_code == 201 for seat, move in moves[: 1 + later])
        return Asked(match, 1, 1)
    match = observe(lite, sabo, sabo.Rules(), 3, 0)
    second = {"type": "sabo.hand", "card": "2S"} if how == "revoked" else {"type": "sabo.place", "place": 0}
    told: list[tuple[int, Any]] = [(1, "4H"), (2, second), (0, "5H"), (1, "6H")]
    for seat, move in told[: 2 + later]:
        made: dict[str, Any] = {"type": "sabo.hand", "card": move} if isinstance(move, str) else move
        said = {"seat": seat, "move": made, "seen": ["2S"] if made["type"] == "sabo.place" else []}
        assert match.scorekeeper.post("/deals/1/moves", said).status_code == 201
    return Asked(match, 2, 2)


def tablanet_fault(lite: Table, captured: bool) -> tuple[Opened, int, dict[str, Any]]:
    """A deal whose first seat could take too much, or lay a card that must take."""
    for seed in range(20):
        match = begun(lite, "tablanet", seed=seed)
        legal = match.scorekeeper.get("/deals/1/legal-moves?limit=99").json()
        table = match.scorekeeper.get("/deals/1").json()["state"]["table"]
        taking = next((move["card"] for move in legal["moves"] if move["captures"]), None)
        laid = next((move["card"] for move in legal["moves"] if not move["captures"]), None)
        if card := laid if captured else taking:
            captures = table if captured else []
            return match, legal["seat"], {"type": "tablanet.play", "card": card, "captures": captures}
    raise AssertionError("no such deal")


def remedy(asked: Asked, kind: str) -> dict[str, Any]:
    answer = asked.match.spectator.get(f"/deals/1/remedies?kind={kind}&seat={asked.seat}&move={asked.move}")
    assert answer.status_code == 200, answer.text
    (found,) = answer.json()["remedies"]
    return dict(found)


def note(asked: Asked, kind: str) -> dict[str, Any]:
    said = {"kind": kind, "seat": asked.seat, "move": asked.move, "why": "as the table saw it"}
    if kind == "drew_too_many":
        said["count"] = 0
    if kind == "wrong_card_count" and asked.match.scorekeeper.get("/deals/1").json()["moves"]:
        layout = asked.match.scorekeeper.get("/deals/1/replay?move=0").json()["deal"]["state"]
        if layout["type"] != "sabo":
            said["count"] = len(layout["hands"][asked.seat])
    if kind == "sabo_looked_at":
        lies = asked.match.scorekeeper.get("/deals/1").json()["state"]["sabo"][asked.seat]
        said["place"] = max(place for place, card in enumerate(lies) if card is not None)
    return said


def check_texts(found: dict[str, Any]) -> None:
    for part in ("text", "window_text", "remedy_text"):
        assert not re.search(r"[{}\[\]]", found[part])


NAMED = [f"{case.kind}-{case.game}" for case in CASES]


@pytest.mark.parametrize("case", CASES, ids=NAMED)
def test_while_the_window_is_open(lite: Table, case: Case) -> None:
    asked = stands(lite, case.game, case.opened)
    found = remedy(asked, case.kind)
    check_texts(found)
    assert (found["window"], found["open"], found["consent"]) == (case.window, True, False)
    assert (found["remedy"], [one["name"] for one in found["requests"]]) == (case.remedy, case.ways)
    noted = asked.match.scorekeeper.post("/deals/1/irregularities", note(asked, case.kind))
    if "note" not in case.ways and case.ways != SCORE:
        # the move is on record: it goes back, or is made again
        assert (noted.status_code, noted.json()["code"]) == (409, "MOVE_ON_RECORD")
        carried_out(asked, found, case.kind)
        shown = asked.match.spectator.get("/deals/1/irregularities").json()["noted"][-1]
        assert (shown["kind"], shown["seat"], shown["move"]) == (case.kind, asked.seat, asked.move)
        assert shown["remedy"] == case.remedy
        return
    assert noted.status_code == 201, noted.text
    shown = noted.json()["noted"]
    assert (shown["kind"], shown["seat"], shown["move"]) == (case.kind, asked.seat, asked.move)
    assert (shown["remedy"], shown["consent"], shown["why"]) == (case.remedy, "free", "as the table saw it")
    assert asked.match.spectator.get("/deals/1/irregularities").json()["noted"] == [shown]
    carried_out(asked, found, case.kind)


@pytest.mark.parametrize("case", CASES, ids=NAMED)
def test_once_the_window_is_closed(lite: Table, case: Case) -> None:
    asked = stands(lite, case.game, case.closed)
    keeper, said = asked.match.scorekeeper, note(asked, case.kind)
    found = remedy(asked, case.kind)
    check_texts(found)
    assert (found["open"], found["consent"]) == (case.window == "always", case.consent)
    assert (found["remedy"], [one["name"] for one in found["requests"]]) == (case.late, case.late_ways)
    if case.consent:
        version = tag(keeper, "/deals/1")
        refused = keeper.post("/deals/1/irregularities", said)
        assert (refused.status_code, refused.json()["code"]) == (409, "CONSENT_MISSING")
        assert keeper.post("/deals/1/irregularities", said | {"agreed": [0]}).status_code == 409
        assert tag(keeper, "/deals/1") == version
        by_arbiter = asked.match.arbiter.post("/deals/1/irregularities", said)
        assert by_arbiter.json()["noted"]["consent"] == "arbiter"
        said |= {"agreed": [0, 1]}
    noted = keeper.post("/deals/1/irregularities", said)
    assert noted.status_code == 201, noted.text
    shown = noted.json()["noted"]
    assert (shown["remedy"], shown["consent"]) == (case.late, "spoken" if case.consent else "free")
    assert asked.match.spectator.get("/deals/1/irregularities").json()["noted"][-1] == shown


MISSING: dict[str, Any] = {"name": "Dora", "tally": {"type": "sabo", "tricks": [7, 6]}}


def carried_out(asked: Asked, found: dict[str, Any], kind: str) -> None:
    """Send the first request that a remedy names, filled in; it is taken, and does what the remedy says."""
    request = found["requests"][0]
    if request["name"] == "note":
        return
    match, sent = asked.match, dict(request["body"])
    who = match.seats[asked.seat] if request["name"] == "dispute" else match.arbiter
    before = match.scorekeeper.get("/deals/1/replay").json()["played"]
    for part in request["missing"]:
        if part in ("agreed", "why"):
            continue
        sent[part.partition("/")[0]] = before[asked.move - 1]["move"] if part.startswith("move") else MISSING[part]
    at = {"deal": "/deals/1", "match": "", None: None}[request["if_match"]]
    headers = {} if at is None else {"if_match": tag(match.scorekeeper, at)}
    done = who.post(request["path"], {**sent, "why": "by rules 4.2"}, **headers)
    assert done.status_code == 201, done.text
    now = done.json()["match"]
    moves = len(match.scorekeeper.get("/deals/1/replay").json()["played"])
    match request["name"]:
        case "void":
            assert (now["deals"][0]["voided"], now["totals"], now["next_dealer"]) == (True, [0, 0], 0)
        case "take_back":
            assert moves == asked.move - 1
        case "correct":
            assert moves == len(before)
        case "correct_score":
            assert now["totals"] == [7, 6]
        case "substitute":
            assert now["seats"][asked.seat]["name"] == "Dora"
        case "dispute":
            assert now["disputed"] == [1]
        case other:
            pytest.fail(f"{kind}: {other}")


# ---- what is special


def test_every_row_is_tested_and_said() -> None:
    tested = {(case.kind, case.game) for case in CASES}
    assert {row.kind for row in ROWS} == {case.kind for case in CASES} == set(KINDS)
    assert all(any((row.kind, game) in tested for game in row.games) for row in ROWS)
    texts = texts_of("irregularities")
    remedies = {found.name for row in ROWS for found in (row.open, row.late) if found}
    assert set(texts) == {"kind", "window", "remedy"}
    assert (set(texts["kind"]), set(texts["remedy"])) == (set(KINDS), remedies)
    assert set(texts["window"]) == set(WINDOWS) == {row.window for row in ROWS}
    for part in texts.values():
        for said in part.values():
            assert set(said) == set(LANGUAGES)
            assert len({*said.values()}) == len(LANGUAGES)
            assert not re.search("[А-Яа-яЁёІіЇїЄєҐґ]", said["en"])
            assert not re.search("[ІіЇїЄєҐґ]", said["ru"])
            assert not re.search("[ЁёЪъЫыЭэ]", said["uk"])
            assert len({tuple(re.findall(r"\{\w+\}", text)) for text in said.values()}) == 1


def test_all_remedies_of_a_game_at_once_in_each_language(lite: Table) -> None:
    match = begun(lite, "tabu", 1)
    answers = {
        lang: match.spectator.get("/deals/1/remedies", accept_language=lang).json()["remedies"] for lang in LANGUAGES
    }
    expected = [row.kind for row in ROWS if "tabu" in row.games]
    for found in answers.values():
        assert [one["kind"] for one in found] == expected
    assert len({found[0]["remedy_text"] for found in answers.values()}) == 3


def test_who_asks_for_what_is_not_there(lite: Table) -> None:
    match = begun(lite, "tablanet", 1)
    for said, pointer in [
        ({"kind": "revoke"}, "#/kind"),
        ({"kind": "sneezed"}, "#/kind"),
        ({"kind": "two_cards", "seat": 7}, "#/seat"),
        ({"kind": "two_cards", "move": 2}, "#/move"),
        ({"kind": "two_cards", "place": 0}, "#/place"),
        ({"kind": "two_cards", "told": ["2C"]}, "#/told"),
    ]:
        refused = match.scorekeeper.post("/deals/1/irregularities", said)
        assert (refused.status_code, refused.json()["errors"][0]["pointer"]) == (422, pointer), said
    assert match.spectator.post("/deals/1/irregularities", {"kind": "two_cards"}).status_code == 403
    assert match.spectator.get("/deals/2/remedies").status_code == 404
    assert match.spectator.get("/deals/1/remedies?move=9").status_code == 422
    assert match.seats[0].post("/deals/1/irregularities", {"kind": "exposed_in_play", "seat": 0}).status_code == 201
    stale = match.scorekeeper.post("/deals/1/irregularities", {"kind": "two_cards"}, if_match='"1"')
    assert stale.status_code == 412
    assert [entry["event"]["type"] for entry in stale.json()["recorded"]]
    key = {"idempotency_key": "once"}
    twice = [match.scorekeeper.post("/deals/1/irregularities", {"kind": "two_cards"}, **key) for _ in range(2)]
    assert twice[0].json() == twice[1].json()
    assert len(match.spectator.get("/deals/1/irregularities").json()["noted"]) == 2


def test_a_counted_deal_has_remedies_for_its_result(lite: Table) -> None:
    match = lite.open("sabo", 2)
    assert (
        match.scorekeeper.post("/deals", {"tally": {"type": "sabo", "tricks": [7, 6]}, "number": 1}).status_code == 201
    )
    (found,) = match.spectator.get("/deals/1/remedies?kind=wrong_points").json()["remedies"]
    assert (found["open"], [one["name"] for one in found["requests"]]) == (True, ["correct_score"])
    (pack,) = match.spectator.get("/deals/1/remedies?kind=pack_wrong").json()["remedies"]
    assert (pack["open"], [one["name"] for one in pack["requests"]]) == (False, ["void"])


def test_seats_agree_to_a_late_remedy_with_their_tokens(lite: Table) -> None:
    asked = {"game": "sabo", "seats": [{"name": "A"}, {"name": "B"}], "consent": "tokens", "first_dealer": {"seat": 0}}
    match = Opened(lite.client, lite.ask(asked).json())
    assert match.scorekeeper.post("/deals", {"open": []}).status_code == 201
    leads = ["2D", "2C"]
    for seat, card in zip((1, 0), leads, strict=True):
        assert match.scorekeeper.move(1, seat, {"type": "sabo.hand", "card": card}).status_code == 201
    said = {"kind": "two_cards", "move": 1, "agreed": [0, 1], "why": "we all saw it"}
    assert match.scorekeeper.post("/deals/1/irregularities", said).json()["code"] == "CONSENT_MISSING"
    ask = {"kind": "note", "deal": 1, "what": "two_cards", "move": 1}
    assert match.seats[0].post("/proposals", {"ask": ask, "why": "we all saw it"}).status_code == 201
    assert match.spectator.get("/deals/1/irregularities").json()["noted"] == []
    assert match.seats[1].post("/proposals/1/answers", {"agreed": True}).status_code == 201
    (noted,) = match.spectator.get("/deals/1/irregularities").json()["noted"]
    assert (noted["consent"], noted["why"]) == ("tokens", "we all saw it")


def test_sabo_that_were_seen_are_mixed_by_the_seed(lite: Table) -> None:
    match = lite.open("sabo", 2)
    assert match.scorekeeper.post("/deals", {}).status_code == 201
    before = match.arbiter.get("/deals/1").json()["state"]["sabo"]
    said = {"kind": "sabo_exposed", "seat": 1}
    assert match.scorekeeper.post("/deals/1/irregularities", said | {"told": before[1]}).status_code == 403
    assert match.seats[1].post("/deals/1/irregularities", said).status_code == 201
    after = match.arbiter.get("/deals/1").json()["state"]["sabo"]
    assert after[0] == before[0]
    assert sorted(after[1]) == sorted(before[1])
    for phone in (match.seats[1], match.scorekeeper, match.spectator):
        event = phone.get("/deals/1/events").json()["events"][-1]["event"]
        assert (event["type"], event["mixed"]) == ("IrregularityNoted", ["?"] * 5)
        assert phone.get("/deals/1").json()["state"]["sabo"] == [["?"] * 5] * 2
    shown = played_out(match)
    assert shown == [dict(enumerate(cards)) for cards in after]
    heard = match.spectator.get("/deals/1/audit").json()
    assert heard["divergence"] is None
    assert [one["remedy"] for one in heard["noted"]] == ["mixed_again"]
    record = match.spectator.get("/record").content
    checked = lite.client.post(
        "/v1/records/check", content=record, headers={"Content-Type": "application/vnd.referee.match+json"}
    )
    assert checked.json()["legal"] is True, checked.text
    assert tampered(record, mixed=after[1][::-1]) == "effects"
    assert tampered(record, mixed=[*after[1][1:], "2S"]) == "order"
    assert tampered(record, mixed=after[1], move=1) == "order"
    assert tampered(record, mixed=(), place=5) == "order"
    assert tampered(record, seat=None) == "order"
    assert tampered(record) is None


def played_out(match: Opened) -> list[dict[int, str]]:
    """Play the first deal to its end, sabo cards first where they may be: what lay at each place, by seat."""
    shown: list[dict[int, str]] = [{}, {}]
    turn: int | None = 1
    while turn is not None:
        move = match.seats[turn].get("/deals/1/legal-moves?limit=99").json()["moves"][-1]
        made = match.seats[turn].move(1, turn, move).json()
        if move["type"] == "sabo.place":
            shown[turn][move["place"]] = made["effects"]["card"]
        turn = made["deal"]["turn"]
    return shown


def test_an_order_that_the_seed_does_not_give_is_found(lite: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever deals does not choose how the sabo lie once they are mixed."""
    match = lite.open("sabo", 2)
    assert match.scorekeeper.post("/deals", {}).status_code == 201

    mix = notes._mixed

    async def chosen(*asked: Any) -> tuple[str, ...]:
        mixed = await mix(*asked)
        return (*mixed[1:], mixed[0])

    monkeypatch.setattr("referee.settling.notes._mixed", chosen)
    assert match.scorekeeper.post("/deals/1/irregularities", {"kind": "sabo_exposed", "seat": 1}).status_code == 201
    played_out(match)
    assert match.spectator.get("/deals/1/audit").json()["divergence"] == {"what": "shuffle", "version": 2, "move": None}


def tampered(data: bytes, **changes: Any) -> str | None:
    """What an audit says of a record whose first deal begins with another note."""
    read, _ = records.read(data)
    assert read is not None
    opening, deal = read.match[0].event, list(read.deals[0])
    changes = {name: tuple(value) if isinstance(value, list) else value for name, value in changes.items()}
    event = msgspec.structs.replace(deal[1].event, **changes)
    deal[1] = msgspec.structs.replace(deal[1], event=event)
    entries = [Recorded(read.id, at, at, entry.at, entry.by, entry.event) for at, entry in enumerate(deal, 1)]
    assert isinstance(opening, MatchOpened)
    found = audit(opening, entries)
    return found.what if found else None


def test_sabo_that_were_seen_are_mixed_as_the_table_tells(lite: Table) -> None:
    match = begun(lite, "sabo")
    own = match.scorekeeper.get("/deals/1").json()["state"]["sabo"][0]
    said = {"kind": "sabo_exposed", "seat": 0, "told": own[::-1]}
    assert match.seats[0].post("/deals/1/irregularities", said).status_code == 403
    wrong = match.scorekeeper.post("/deals/1/irregularities", said | {"told": ["2S", *own[1:]]})
    assert (wrong.status_code, wrong.json()["errors"][0]["pointer"]) == (422, "#/told")
    assert match.scorekeeper.post("/deals/1/irregularities", {"kind": "sabo_exposed"}).status_code == 422
    assert match.scorekeeper.post("/deals/1/irregularities", said).status_code == 201
    assert match.scorekeeper.get("/deals/1").json()["state"]["sabo"][0] == own[::-1]
    play(match)
    assert match.spectator.get("/deals/1/audit").json()["divergence"] is None


def test_in_an_observed_deal_nobody_knows_the_sabo_that_are_mixed(lite: Table) -> None:
    match = lite.open("sabo", 2)
    assert match.scorekeeper.post("/deals", {"open": []}).status_code == 201
    assert match.seats[0].post("/deals/1/irregularities", {"kind": "sabo_exposed", "seat": 0}).status_code == 201
    assert match.scorekeeper.get("/deals/1").json()["state"]["sabo"][0] == ["?"] * 5


def void_of_diamonds(lite: Table) -> Opened:
    """Seat 1 leads diamonds, of which seat 0 has none; the sabo of seat 0 are clubs and diamonds in turn."""
    diamonds = [card for card in PACK if SUIT[card] == "D"]
    clubs = [card for card in PACK if SUIT[card] == "C"]
    hands = [clubs[:8], diamonds[:8]]
    layout = {"type": "sabo", "hands": hands, "sabo": [[*clubs[8:11], *diamonds[8:10]], [*clubs[11:], *diamonds[10:]]]}
    match = lite.open("sabo", 2)
    assert match.scorekeeper.post("/deals", {"layout": layout}).status_code == 201
    return match


def place(at: int) -> dict[str, Any]:
    return {"type": "sabo.place", "place": at}


def test_a_sabo_card_that_was_looked_at_comes_next(lite: Table) -> None:
    match = void_of_diamonds(lite)
    keeper = match.scorekeeper
    sabo = keeper.get("/deals/1").json()["state"]["sabo"][0]
    for said in ({}, {"seat": 0}, {"seat": 0, "place": 5}):
        wrong = keeper.post("/deals/1/irregularities", {"kind": "sabo_looked_at", **said})
        assert wrong.status_code == 422, said
    looked = keeper.post("/deals/1/irregularities", {"kind": "sabo_looked_at", "seat": 0, "place": 3})
    assert looked.status_code == 201, looked.text
    assert match.spectator.get("/deals/1").json()["state"]["sabo"][0] == ["?", "?", "?", sabo[3], "?"]
    assert keeper.move(1, 1, {"type": "sabo.hand", "card": "2D"}).status_code == 201
    refused = keeper.move(1, 0, place(0))
    assert (refused.status_code, refused.json()["code"], refused.json()["clause"]) == (422, "SABO_LOOKED_AT", "SB-8")
    assert "3" in refused.json()["detail"]
    listed = [move for move in keeper.get("/deals/1/legal-moves").json()["moves"] if move["type"] == "sabo.place"]
    assert listed == [place(3)]
    assert keeper.move(1, 0, place(3)).json()["effects"]["card"] == sabo[3]
    lead = keeper.get("/deals/1").json()["turn"]
    assert lead == 1
    assert keeper.move(1, 1, {"type": "sabo.hand", "card": "3D"}).status_code == 201
    assert keeper.move(1, 0, place(0)).status_code == 201
    back = match.arbiter.post("/deals/1/take-backs", {"kept": 1, "why": "x"}, if_match=tag(keeper, "/deals/1"))
    assert back.status_code == 201
    assert keeper.move(1, 0, place(0)).json()["code"] == "SABO_LOOKED_AT"
    assert keeper.get("/deals/1/replay?move=0").json()["deal"]["state"]["looked_at"] == [3, None]
    stood = match.arbiter.post(
        "/deals/1/irregular-moves", {"seat": 0, "move": place(0), "why": "he took the wrong one"},
        if_match=tag(keeper, "/deals/1"),
    )  # fmt: skip
    assert stood.status_code == 201, stood.text
    heard = match.arbiter.get("/deals/1/audit").json()
    assert heard["divergence"] is None
    assert [[v["code"] for v in one["violations"]] for one in heard["let_stand"]] == [["SABO_LOOKED_AT"]]


def test_who_leads_may_lead_another_sabo_card_than_the_one_looked_at(lite: Table) -> None:
    match = void_of_diamonds(lite)
    keeper = match.scorekeeper
    assert keeper.post("/deals/1/irregularities", {"kind": "sabo_looked_at", "seat": 1, "place": 0}).status_code == 201
    assert keeper.move(1, 1, place(4)).status_code == 201


def test_what_was_looked_at_later_binds_no_earlier_move(lite: Table) -> None:
    match = void_of_diamonds(lite)
    keeper = match.scorekeeper
    assert keeper.move(1, 1, {"type": "sabo.hand", "card": "2D"}).status_code == 201
    assert keeper.move(1, 0, place(0)).status_code == 201
    assert keeper.post("/deals/1/irregularities", {"kind": "sabo_looked_at", "seat": 0, "place": 3}).status_code == 201
    assert keeper.get("/deals/1/replay?move=1").json()["deal"]["state"]["looked_at"] == []
    corrected = match.arbiter.post(
        "/deals/1/corrections", {"number": 1, "move": {"type": "sabo.hand", "card": "3D"}, "why": "x"},
        if_match=tag(keeper, "/deals/1"),
    )  # fmt: skip
    assert corrected.status_code == 201, corrected.text
    assert keeper.get("/deals/1").json()["state"]["looked_at"] == [3, None]
    assert match.arbiter.get("/deals/1/audit").json()["divergence"] is None


def test_the_record_says_who_took_the_trick(lite: Table) -> None:
    match = begun(lite, "sabo", 2)
    winner = match.spectator.get("/deals/1/events").json()["events"][-1]["event"]["effects"]["winner"]
    found = remedy(Asked(match, 0, 2), "wrong_winner")
    assert found["facts"] == {"winner": winner}
    assert f"seat {winner}" in found["remedy_text"]


def test_a_move_out_of_turn_that_was_played_to_stands(lite: Table) -> None:
    """Both stand in the order made, and the skipped player acts next (Tablanet)."""
    match = begun(lite, "tablanet")
    keeper = match.scorekeeper
    turn = keeper.get("/deals/1").json()["turn"]
    other, state = 1 - turn, keeper.get("/deals/1").json()["state"]
    played = next(
        move
        for card in state["hands"][other]
        for move in [{"type": "tablanet.play", "card": card, "captures": []}]
        if [one["code"] for one in keeper.move(1, other, move).json()["violations"]] == ["NOT_YOUR_TURN"]
    )
    asked = {"seat": other, "move": played, "why": "nobody noticed", "agreed": [0, 1]}
    stood = keeper.post("/deals/1/irregular-moves", asked, if_match=tag(keeper, "/deals/1"))
    assert stood.status_code == 201, stood.text
    assert stood.json()["deal"]["turn"] in (turn, 1 - other)
    assert play(match, 1) == [turn]


def test_an_illegal_capture_is_done_again_with_the_same_card(lite: Table) -> None:
    match = begun(lite, "tablanet")
    keeper = match.scorekeeper
    state = keeper.get("/deals/1").json()
    seat = state["turn"]
    wrong, card = next(
        (move, card)
        for card in state["state"]["hands"][seat]
        for move in [{"type": "tablanet.play", "card": card, "captures": state["state"]["table"]}]
        if keeper.post("/deals/1/moves?dry_run=true", {"seat": seat, "move": move}).status_code == 422
    )
    stood = match.arbiter.post(
        "/deals/1/irregular-moves", {"seat": seat, "move": wrong, "why": "made before anybody looked"},
        if_match=tag(keeper, "/deals/1"),
    )  # fmt: skip
    assert stood.status_code == 201, stood.text
    found = remedy(Asked(match, seat, 1), "illegal_capture")
    back = next(one for one in found["requests"] if one["name"] == "take_back")
    done = keeper.post(back["path"], back["body"], if_match=tag(keeper, "/deals/1"))
    assert done.status_code == 201, done.text
    legal = [
        move for move in keeper.get("/deals/1/legal-moves?limit=99").json()["moves"] if move["card"] == card
    ]  # fmt: skip
    assert keeper.move(1, seat, legal[0]).status_code == 201
    assert match.arbiter.get("/deals/1/audit").json()["faults"] == []


def test_a_revoke_found_later_stands_at_the_agreed_price(lite: Table) -> None:
    match = begun(lite, "sabo", revoke_penalty="three")
    keeper = match.scorekeeper
    fault = None
    while fault is None:
        play(match, 1)
        state = keeper.get("/deals/1").json()
        seat, led = state["turn"], state["state"]["led"]
        hand = state["state"]["hands"][seat]
        held = [card for card in hand if led and card.endswith(led)]
        other = [card for card in hand if led and not card.endswith(led)]
        if held and other:
            fault = {"type": "sabo.hand", "card": other[0]}
    asked = {"seat": seat, "move": fault, "why": "found at the end", "agreed": [0, 1]}
    assert keeper.post("/deals/1/irregular-moves", asked, if_match=tag(keeper, "/deals/1")).status_code == 201
    play(match)
    heard = match.spectator.get("/deals/1/audit").json()
    assert [(one["kind"], one["seat"], one["cost"]) for one in heard["faults"] if one["cost"]] == [("revoke", seat, 3)]
    lines = heard["reading"]["lines"]
    assert lines[seat]["penalty"] == -min(3, lines[seat]["tricks"])
    assert heard["reading"] == heard["counted"]
    assert heard["let_stand"][0]["why"] == "found at the end"
