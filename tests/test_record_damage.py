"""Damaged and doctored records: each is reported as far as it can be read, with where and what; none passes."""

import copy
import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee import record
from referee.record import Report
from tests.records.doctor import SMALL, Change, doctored, event_of, golden, laid_out

NAMES = [path.stem for path in SMALL]
TABU, SABO, TABLANET = "tabu-2-one-deal", "sabo-2-one-deal", "tablanet-2-one-deal"
TWO = "sabo-2-classic"
"""A record of several deals."""


def said(report: Report) -> str:
    return "\n".join(record.lines(report))


def reported(data: bytes) -> Report:
    """The report on a record that must not pass, and says so in words."""
    report = record.check(data)
    assert not report.legal
    assert report.defects or report.match or any(deal.divergence for deal in report.deals)
    assert said(report).endswith("not in order")
    return report


@pytest.mark.parametrize("name", NAMES)
def test_it_passes_undamaged(name: str) -> None:
    assert record.check(golden(name)).legal
    assert doctored(golden(name), lambda document: None) == golden(name)


# ---- bytes


@pytest.mark.parametrize("name", NAMES)
def test_cut_off_after_any_line(name: str) -> None:
    lines = golden(name).splitlines(keepends=True)
    for kept in range(len(lines)):
        begun = lines[:kept]
        report = reported(b"".join(begun))
        moves = sum(b'"effects"' in line for line in begun)
        assert sum(deal.moves for deal in report.deals) == (moves if kept > 2 else 0)
        assert not any(deal.divergence for deal in report.deals)
        assert any(defect.where == "document" for defect in report.defects)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(NAMES), st.integers(0))
def test_cut_off_anywhere(name: str, at: int) -> None:
    data = golden(name)
    report = reported(data[: at % len(data)])
    assert not any(deal.divergence for deal in report.deals)


@settings(max_examples=250, deadline=None)
@given(st.sampled_from(NAMES), st.integers(0), st.integers(1, 255))
def test_one_byte_changed(name: str, at: int, flip: int) -> None:
    data = bytearray(golden(name))
    data[at % len(data)] ^= flip
    reported(bytes(data))


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(NAMES), st.integers(0), st.integers(0), st.sampled_from(["drop", "double", "swap"]))
def test_lines_lost_doubled_or_swapped(name: str, at: int, other: int, how: str) -> None:
    lines = golden(name).splitlines(keepends=True)
    at, other = at % len(lines), other % len(lines)
    if how == "drop":
        del lines[at]
    elif how == "double":
        lines.insert(at, lines[at])
    else:
        lines[at], lines[other] = lines[other], lines[at]
    if b"".join(lines) != golden(name):
        reported(b"".join(lines))


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_anything_at_all(data: bytes) -> None:
    reported(data)


BYTES: dict[str, tuple[Any, str, str]] = {
    "empty": (lambda data: b"", "document", "not readable as a whole"),
    "not JSON": (lambda data: b"Ana 12\nBob 9\n", "document", "not readable as a whole"),
    "a list": (lambda data: b"[]", "document", "Expected `object`, got `array`"),
    "byte order mark": (lambda data: b"\xef\xbb\xbf" + data, "line 1", "byte order mark"),
    "CRLF": (lambda data: data.replace(b"\n", b"\r\n"), "line 1", "carriage return"),
    "one CR": (lambda data: data.replace(b"],\n", b"],\r\n", 1), "line ", "carriage return"),
    "no last line end": (lambda data: data[:-1], "line", "not spaced"),
    "space after a colon": (lambda data: data.replace(b'"at":', b'"at": ', 1), "line 3", "not spaced"),
    "sorted": (lambda data: json.dumps(json.loads(data), sort_keys=True).encode(), "line 1", "not spaced"),
    "trailing words": (lambda data: data + b"and that was all\n", "document", "trailing"),
    "invalid UTF-8": (lambda data: data.replace("Ž".encode(), b"\xff\xfe", 1), "document", "utf-8"),
    "deep nesting": (lambda data: data.replace(b'"names":{', b'"names":' + b"[" * 100_000, 1), "document", "not readable"),
    "deep nesting, closed": (
        lambda data: data.replace(b'"deals":[\n', b'"deeper":' + b"[" * 9000 + b"]" * 9000 + b',"deals":[\n', 1), "", "",
    ),
    "a name changed": (lambda data: data.replace(b'"Ana"', b'"Eva"', 1), "digest", "not as they were written"),
    "names swapped": (
        lambda data: data.replace(b"Ana", b"?", 1).replace("Žarko".encode(), b"Ana", 1).replace(b"?", "Žarko".encode(), 1),
        "digest", "not as they were written",
    ),
    "another version": (lambda data: data.replace(b"match/1", b"match/2", 1), "format", "not 'referee-match/2'"),
    "no such format": (lambda data: b'{"format":["?"]}', "format", "this reads referee-match/1"),
    "surrogate": (lambda data: data.replace(b'"Ana"', b'"\\ud800"', 1), "document", "not readable"),
    "NUL in a name": (lambda data: data.replace(b'"Ana"', b'"A\\u0000"', 1), "names/", "no control"),
    "a field twice": (lambda data: data.replace(b'"by":"', b'"by":"nobody","by":"', 1), "line 3", "not spaced"),
    "endless number": (
        lambda data: data.replace(b'"points":[', b'"points":[' + b"9" * 5000 + b",", 1), "match/", "out of range",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", BYTES)
def test_bytes(kind: str) -> None:
    change, where, what = BYTES[kind]
    data = golden(TABU)
    report = reported(change(data))
    assert change(data) != data
    assert any(defect.where.startswith(where) and what in defect.what for defect in report.defects), report.defects


def test_defects_without_end_are_counted() -> None:
    report = reported(b"{%s}" % b",".join(b'"%d":0' % number for number in range(5000)))
    assert len(report.defects) == 101
    assert report.defects[-1].what == "4909 more defects"


def test_what_is_left_of_a_damaged_file_is_judged() -> None:
    """A line that cannot be read ends its own deal only; a lost head takes the house rules of no deal away."""
    lines = golden(TWO).splitlines(keepends=True)
    first = lines.index(b"[\n") + 6
    report = reported(b"".join([*lines[:first], b"%%\n", *lines[first + 1 :]]))
    assert [deal.moves for deal in report.deals[:3]] == [4, 26, 26]
    assert not any(deal.divergence for deal in report.deals[1:])
    headless = reported(b"".join([b"{{{\n", *lines[1:]]))
    assert len(headless.deals) == len(report.deals)
    assert not any(deal.divergence for deal in headless.deals)
    assert headless.match is None


@pytest.mark.parametrize("name", NAMES)
def test_unknown_fields_at_every_depth(name: str) -> None:
    shapes = {
        tuple(part for part in path if isinstance(part, str)): path for path in every_object(json.loads(golden(name)))
    }
    for path in shapes.values():
        if path in (("names",), ("match", 0, "event", "house_rules")) or path[-2:-1] == ("lines",):
            continue

        def add(document: Any, path: tuple[Any, ...] = path) -> None:
            at(document, path)["shoe_size"] = 44

        document = json.loads(golden(name))
        add(document)
        text = laid_out(document) if path else golden(name).replace(b'"digest":', b'"shoe_size":44,"digest":')
        report = record.check(text)
        where = "/".join(map(str, (*path, "shoe_size")))
        assert not report.legal
        assert any(defect.where == where or where.startswith(f"{defect.where}/") for defect in report.defects), where


def every_object(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, dict):
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from every_object(part, (*path, name))


def at(document: Any, path: tuple[Any, ...]) -> Any:
    for part in path:
        document = document[part]
    return document


# ---- facts, with fingerprints and digest made to fit


def put(kind: str, deal: int | None = None, **fields: Any) -> Change:
    return lambda document: event_of(document, kind, deal).update(fields)


def drop(kind: str, deal: int | None = None) -> Change:
    def change(document: Any) -> None:
        entries = document["match"] if deal is None else document["deals"][deal]
        entries.remove(next(entry for entry in entries if entry["event"]["type"] == kind))

    return change


def double(kind: str, deal: int | None = None) -> Change:
    def change(document: Any) -> None:
        entries = document["match"] if deal is None else document["deals"][deal]
        place = next(n for n, entry in enumerate(entries) if entry["event"]["type"] == kind)
        entries.insert(place, copy.deepcopy(entries[place]))

    return change


def both(*changes: Change) -> Change:
    return lambda document: [change(document) for change in changes]


def in_layout(swap: Any) -> Change:
    return lambda document: swap(event_of(document, "CardsDealt", 0)["layout"])


def first_move(**fields: Any) -> Change:
    return lambda document: event_of(document, "CardPlayed", 0).update(fields)


def same_card_twice(layout: Any) -> None:
    layout["hands"][0][0] = layout["hands"][0][1]


def last_two_of(part: str) -> Change:
    def change(document: Any) -> None:
        cards = event_of(document, "CardsDealt", 0)["layout"][part]
        cards[-2:] = cards[:-3:-1]

    return change


def no_card(part: str) -> Change:
    def change(document: Any) -> None:
        cards = event_of(document, "CardsDealt", 0)["layout"][part]
        (cards[0] if isinstance(cards[0], list) else cards)[0] = ""

    return change


def hand_over(document: Any) -> None:
    hands = event_of(document, "CardsDealt", 0)["layout"]["hands"]
    hands[0][0], hands[1][0] = hands[1][0], hands[0][0]


def effect(name: str, value: Any) -> Change:
    return lambda document: event_of(document, "CardPlayed", 0)["effects"].update({name: value})


def words_of_deal(word: str) -> Change:
    def change(document: Any) -> None:
        added = event_of(document, "WordAdded")
        added["word"] = event_of(document, "CardsDealt", 0)["words"][added["seat"]] = word

    return change


def swap_deals(document: Any) -> None:
    document["deals"][0], document["deals"][1] = document["deals"][1], document["deals"][0]


def points_off(document: Any) -> None:
    finished = event_of(document, "DealFinished", 0)
    finished["points"][0] += 1
    finished["lines"][0][next(iter(finished["lines"][0]))] += 1


def points_only(document: Any) -> None:
    event_of(document, "DealFinished", 0)["points"][0] += 1


def totals_off(document: Any) -> None:
    event_of(document, "DealScored")["totals"][0] += 1


def another_stream(document: Any) -> None:
    event_of(document, "DealStarted")["deal"] = document["id"]


def same_player(document: Any) -> None:
    opened = event_of(document, "MatchOpened")
    opened["players"] = [opened["players"][1]] * 2
    document["names"] = {}


LAID = ((TABLANET, ("hands", "table", "stock")), (TABU, ("hands", "row", "reserve")), (SABO, ("hands", "sabo")))
FOREIGN = {"type": "sabo.hand", "card": "AS"}
EMPTY = {"type": "sabo", "hands": [], "sabo": []}
ZEROS = "0" * 64
FACTS: list[tuple[str, str, Change, str, str]] = [
    (TABU, "same card twice", in_layout(same_card_twice), "deal 1", "layout"),
    (SABO, "same card twice", in_layout(same_card_twice), "deal 1", "layout"),
    (TABLANET, "same card twice", in_layout(same_card_twice), "deal 1", "layout"),
    (TABLANET, "a hand too many", in_layout(lambda layout: layout["hands"].append([])), "deal 1", "layout"),
    (TABU, "a hand missing", in_layout(lambda layout: layout["hands"].pop()), "deal 1", "layout"),
    (SABO, "sabo missing", in_layout(lambda layout: layout["sabo"].pop()), "deal 1", "layout"),
    (TABU, "cards of the reserve swapped", last_two_of("reserve"), "deal 1", "effects|illegal|shuffle"),
    (TABLANET, "cards of the stock swapped", last_two_of("stock"), "deal 1", "effects|illegal|shuffle"),
    *((name, f"an empty card in the {part}", no_card(part), "deal 1", "layout") for name, parts in LAID for part in parts),
    (SABO, "cards changed hands", hand_over, "deal 1", "illegal"),
    (TABU, "another game's layout", put("CardsDealt", 0, layout=EMPTY), "deal 1", "order"),
    (TABU, "another ruleset", put("CardsDealt", 0, ruleset="sabo@1"), "deal 1", "order"),
    (TABU, "another match", put("CardsDealt", 0, match="00000000-0000-4000-8000-000000000000"), "match", "order"),
    (TABU, "another number", put("CardsDealt", 0, number=2), "match", "order"),
    (TABU, "no such dealer", put("CardsDealt", 0, dealer=7), "deal 1", "order"),
    (TABU, "a dealer below 0", put("CardsDealt", 0, dealer=-1), "deal 1", "order"),
    (TABU, "told, with a commitment", put("CardsDealt", 0, dealt_by="scorekeeper"), "deal 1", "seed"),
    (TABU, "no commitment", put("CardsDealt", 0, commitment=None), "deal 1", "seed"),
    (TABU, "shuffles miscounted", put("CardsDealt", 0, shuffles=5), "deal 1", "effects|shuffle"),
    (TABLANET, "shuffles miscounted", put("CardsDealt", 0, shuffles=5), "deal 1", "shuffle"),
    (TABU, "another card played", first_move(move={"type": "tabu.play", "card": "?"}), "deal 1", "illegal"),
    (TABU, "another game's move", first_move(move=FOREIGN), "deal 1", "order"),
    (TABU, "another game's effects", first_move(effects={"type": "tablanet", "next": 1}), "deal 1", "order"),
    (TABU, "a play said to be a pass", lambda d: event_of(d, "CardPlayed", 0).update(type="TurnPassed"), "deal 1", "order"),
    (TABU, "seat below 0", first_move(seat=-1), "deal 1", "order"),
    (TABU, "no such seat", first_move(seat=2), "deal 1", "order"),
    (SABO, "another seat's turn", first_move(seat=1), "deal 1", "illegal"),
    (SABO, "no such place", first_move(move={"type": "sabo.place", "place": 10**18}), "deal 1", "illegal"),
    (TABLANET, "a move lost", drop("CardPlayed", 0), "deal 1", "illegal"),
    (TABLANET, "a move doubled", double("CardPlayed", 0), "deal 1", "illegal"),
    (TABU, "next to act", effect("next", 9), "deal 1", "effects"),
    (SABO, "next to act", effect("next", 0), "deal 1", "effects"),
    (SABO, "another trick", effect("trick", 2), "deal 1", "effects"),
    (SABO, "another card shown", effect("card", "?"), "deal 1", "effects"),
    (TABLANET, "captured more", effect("captured", ["AS"]), "deal 1", "effects"),
    (TABLANET, "a bonus", effect("bonus", 3), "deal 1", "effects"),
    (TABU, "a point more", points_off, "deal 1", "points"),
    (TABU, "points without lines", points_only, "deal 1", "points"),
    (TABLANET, "points of a third seat", lambda d: event_of(d, "DealFinished", 0)["points"].append(1), "deal 1", "points"),
    (TABU, "finished twice", double("DealFinished", 0), "deal 1", "order"),
    (TABU, "never finished", drop("DealFinished", 0), "match", "order"),
    (TABU, "dealt twice", double("CardsDealt", 0), "deal 1", "order"),
    (TABU, "never dealt", drop("CardsDealt", 0), "deal 1", "order"),
    (TABU, "nothing of the deal", lambda d: d["deals"][0].clear(), "match", "order"),
    (TABU, "an event of the match in the deal", lambda d: d["deals"][0].append(d["match"][0]), "deal 1", "order"),
    (TABU, "an event of the deal in the match", lambda d: d["match"].insert(2, d["deals"][0][0]), "match", "order"),
    (TABU, "another seed", put("SeedRevealed", 0, seed=ZEROS), "deal 1", "seed"),
    (TABU, "no seed", put("SeedRevealed", 0, seed="Z"), "deal 1", "seed"),
    (TABU, "seed never revealed", drop("SeedRevealed", 0), "deal 1", "seed"),
    (TABU, "seed revealed twice", double("SeedRevealed", 0), "deal 1", "order"),
    (TABU, "another commitment", put("CardsDealt", 0, commitment=ZEROS), "deal 1", "seed"),
    (TABU, "another commitment at first", put("DealStarted", commitment=ZEROS), "match", "seed"),
    (TABU, "another word", put("WordAdded", word="other"), "match", "words"),
    (TABU, "another word throughout", words_of_deal("other"), "deal 1", "shuffle"),
    (TABU, "no word", words_of_deal("white space"), "match", "words"),
    (TABU, "a word twice", double("WordAdded"), "match", "words"),
    (TABU, "a word of no seat", put("WordAdded", seat=-1), "match", "words"),
    (TABU, "a word for another deal", put("WordAdded", number=2), "match", "order"),
    (TABU, "words never closed", drop("ShuffleClosed"), "match", "order"),
    (TABU, "words closed twice", double("ShuffleClosed"), "match", "order"),
    (TABU, "words without a commitment", put("DealStarted", commitment=None), "match", "seed"),
    (TABU, "another dealer", put("DealStarted", dealer=0), "match", "dealer"),
    (TABU, "another first dealer", put("DealerChosen", seat=0), "match", "dealer"),
    (TABU, "a first dealer below 0", put("DealerChosen", seat=-1), "match", "dealer"),
    (TABU, "cards cut for nothing", put("DealerChosen", how="cut"), "match", "dealer"),
    (TABU, "no first dealer", drop("DealerChosen"), "match", "order"),
    (TABU, "first dealer twice", double("DealerChosen"), "match", "order"),
    (TABU, "started twice", double("DealStarted"), "match", "order"),
    (TABU, "another deal's stream", another_stream, "match", "order"),
    (TABU, "another most", put("DealStarted", most=7), "match", "points"),
    (TABU, "totals", totals_off, "match", "totals"),
    (TABU, "a wrong winner", put("MatchWon", seats=[0, 1]), "match", "winner"),
    (TABU, "no winner", drop("MatchWon"), "match", "winner"),
    (TABU, "won twice", double("MatchWon"), "match", "winner"),
    (TABU, "won too soon", lambda d: d["match"].insert(2, d["match"][-1]), "match", "winner"),
    (TABU, "opened twice", double("MatchOpened"), "match", "order"),
    (TABU, "another game's name", put("MatchOpened", game="sabo"), "match", "agreement"),
    (TABU, "no such ruleset", put("MatchOpened", ruleset="tabu@0"), "match", "agreement"),
    (TABU, "no house rules", put("MatchOpened", house_rules={}), "match", "agreement"),
    (TABU, "defaults left out", put("MatchOpened", house_rules={"target": 20}), "match", "agreement"),
    (TABU, "an unknown house rule", lambda d: event_of(d, "MatchOpened")["house_rules"].update(x=1), "match", "agreement"),
    (TABU, "one player twice", same_player, "match", "agreement"),
    (TABU, "one player alone", lambda d: event_of(d, "MatchOpened")["players"].pop(), "match", "agreement"),
    (TWO, "deals swapped", swap_deals, "match", "order"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "kind", "change", "where", "what"), FACTS, ids=[f"{f[0]}-{f[1]}" for f in FACTS])
def test_facts(name: str, kind: str, change: Change, where: str, what: str) -> None:
    data = doctored(golden(name), change)
    assert data != golden(name)
    report = reported(data)
    found = report.match if where == "match" else report.deals[0].divergence
    assert found is not None, report
    assert found.what in what.split("|")
    assert f"{where}, " in said(report) or f"{where} (" in said(report)


def test_deals_that_do_not_belong_to_the_match() -> None:
    def lost(document: Any) -> None:
        document["deals"].pop()

    def added(document: Any) -> None:
        document["deals"].append(document["deals"][0])

    def dangling(document: Any) -> None:
        del document["match"][-2:]
        document["deals"].pop()
        document["fingerprint"] = None

    for change in (lost, added, dangling):
        report = reported(doctored(golden(TABLANET), change))
        assert [defect.where for defect in report.defects] == ["deals"]


def test_fingerprints_that_do_not_fit() -> None:
    document = json.loads(golden(TABU))
    document["fingerprint"] = ZEROS
    assert [defect.where for defect in reported(laid_out(document)).defects] == ["fingerprint"]
    event_of(document, "DealScored")["fingerprint"] = ZEROS
    found = reported(laid_out(document)).match
    assert found
    assert found.what == "fingerprint"


def test_an_id_that_is_no_match_s() -> None:
    """Imported under it, the match would lie in the streams of another one."""
    document = json.loads(golden(TABU))
    document["id"] = event_of(document, "DealStarted")["deal"]
    assert "id" in [defect.where for defect in reported(laid_out(document)).defects]


SPOILED: tuple[Any, ...] = (
    None,
    True,
    -1,
    0,
    1,
    3,
    10**18,
    10**30,
    1.5,
    "",
    "AS",
    "?",
    "tabu@1",
    "\u202e",
    [],
    [[]],
    {},
    {"type": "tabu"},
    "x" * 300,
)
FREE = {"at", "by", "names", "how", "rematch_of", "opening", "house_rules", "fingerprint", "digest"}
"""What may be otherwise in a record that follows from itself, or is made to fit again."""


@settings(max_examples=120, deadline=None)
@given(st.sampled_from(NAMES), st.integers(0, 2**32), st.sampled_from(SPOILED))
def test_a_fact_replaced_by_something_else(name: str, seed: int, value: Any) -> None:
    """Whatever is put in the place of any part, with all digests made to fit: reported, and never a fault of ours."""
    document, chance = json.loads(golden(name)), random.Random(seed)
    path = chance.choice(list(every_part(document)))
    if FREE.intersection(map(str, path)) or at(document, path) == value:
        return

    def spoil(document: Any) -> None:
        at(document, path[:-1])[path[-1]] = value

    try:
        data = doctored(golden(name), spoil)
    except (KeyError, TypeError, AttributeError):
        return
    reported(data)


def every_part(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if path:
        yield path
    parts = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, part in parts:
        yield from every_part(part, (*path, name))
