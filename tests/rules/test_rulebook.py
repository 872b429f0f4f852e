"""Rulebooks: nothing is left unsaid in any language, and what is said agrees with the code."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

import referee
from referee.rules.cards import PACK, RANK, SUIT
from referee.rules.game import GAMES, Game
from referee.rules.rulebook import LANGUAGES, clause_text, pick, print_lines, rulebook, say
from referee.rules.verdict import Claim, Violation
from referee.rules.words import GAME_OF_CLAUSE, say_claim, say_fault, texts_of

CLAUSES = {"tablanet": ("TN", 20), "tabu": ("TB", 18), "sabo": ("SB", 13)}
CODES = {
    "NOT_YOUR_TURN",
    "CARD_NOT_IN_HAND",
    "CARD_ALREADY_PLAYED",
    "DUPLICATE_CAPTURE",
    "CARD_NOT_ON_TABLE",
    "CAPTURE_REQUIRED",
    "CAPTURE_NOT_VALID",
    "CAPTURE_NOT_MAXIMAL",
    "TOO_MANY_GROUPS",
    "DEAL_OVER",
    "MATCH_OVER",
    "DEAL_SIZES",
    "PACK_MISMATCH",
    "JACK_ON_TABLE",
    "PLAYER_COUNT",
    "NO_MATCH",
    "MUST_PLAY",
    "DRAW_NOT_ALLOWED",
    "FORCED_DRAW_PENDING",
    "NOTHING_TO_DRAW",
    "SPECIAL_IN_ROW",
    "MUST_FOLLOW_SUIT",
    "NOT_LOWEST_OF_SUIT",
    "SABO_NOT_ALLOWED",
    "SABO_POSITION_EMPTY",
    "MUST_LEAD_SABO",
    "PLAYED_TO_TRICK",
}
CYRILLIC = re.compile("[А-Яа-яЁёІіЇїЄєҐґ]")
ONLY_RU, ONLY_UK = re.compile("[ЁёЪъЫыЭэ]"), re.compile("[ІіЇїЄєҐґ]")


def placeholders(text: str) -> set[str]:
    return set(re.findall(r"\{(\w+)\}", text))


def messages(tree: Any, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Every table that holds a text: its path and the languages in it."""
    if any(lang in tree for lang in LANGUAGES):
        yield path, tree
    for key, below in tree.items():
        if isinstance(below, dict) and key not in ("cards", "targets"):
            yield from messages(below, f"{path}.{key}")


ALL = [found for name in ("common", *CLAUSES) for found in messages(texts_of(name), name)]


def named_params(call: ast.Call, function: ast.AST, at: int) -> set[str]:
    """The names of a violation's parameters, written as a dict in place or in a variable of the same function."""
    if len(call.args) <= at and not call.keywords:
        return set()
    params: Any = call.args[at] if len(call.args) > at else call.keywords[0].value
    if isinstance(params, ast.Name):
        values = [
            node.value
            for node in ast.walk(function)
            if isinstance(node, ast.Assign) and ast.dump(node.targets[0]) == f"Name(id='{params.id}', ctx=Store())"
        ]
        assert len(values) == 1, f"{params.id}: parameters cannot be read off the code in line {call.lineno}"
        params = values[0]
    assert isinstance(params, ast.Dict), f"parameters cannot be read off the code in line {call.lineno}"
    return {key.value for key in params.keys if isinstance(key, ast.Constant) and isinstance(key.value, str)}


def raised(struct: str = "Violation") -> dict[str, set[str]]:
    """Codes that the code gives, each with the names of all its parameters."""
    found: dict[str, set[str]] = {}
    for path in Path(referee.__file__).parent.rglob("*.py"):
        for function in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
                continue
            for call in ast.walk(function):
                if not (isinstance(call, ast.Call) and call.args and isinstance(call.args[0], ast.Constant)):
                    continue
                name = call.func.id if isinstance(call.func, ast.Name) else getattr(call.func, "attr", "")
                if name == struct:
                    found.setdefault(str(call.args[0].value), set()).update(
                        named_params(call, function, 2 if struct == "Violation" else 3)
                    )
    return found


RAISED = raised()


def test_codes_are_found_in_the_code() -> None:
    assert {"PLAYER_COUNT", "DEAL_SIZES", "CAPTURE_REQUIRED", "DEAL_OVER"} <= set(RAISED)
    assert RAISED["DEAL_SIZES"] >= {"hands", "hand_size", "seats"}
    assert RAISED["CAPTURE_NOT_VALID"] == {"card", "cards"}


@pytest.mark.parametrize(("path", "texts"), ALL, ids=[path for path, _ in ALL])
def test_every_text_in_every_language(path: str, texts: dict[str, Any]) -> None:
    for lang in LANGUAGES:
        assert texts[lang].strip() == texts[lang] != ""
        assert "[" not in re.sub(r"\[[^\[\]]*\{\w+\}[^\[\]]*\]", "", texts[lang]), "a part in brackets names nothing"
    assert placeholders(texts["en"]) == placeholders(texts["ru"]) == placeholders(texts["uk"])
    assert not CYRILLIC.search(texts["en"])
    assert not ONLY_UK.search(texts["ru"])
    assert not ONLY_RU.search(texts["uk"])
    if texts["en"].isdecimal():
        return
    assert CYRILLIC.search(texts["ru"])
    assert CYRILLIC.search(texts["uk"])
    if len(texts["en"]) > 30:
        assert texts["ru"] != texts["uk"]


@pytest.mark.parametrize("name", CLAUSES)
@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_clause(name: str, lang: str) -> None:
    prefix, last = CLAUSES[name]
    ids = [f"{prefix}-{number}" for number in range(1, last + 1)]
    assert GAME_OF_CLAUSE[prefix] == name
    assert list(texts_of(name)["clause"]) == ids
    assert len({clause_text(clause, lang) for clause in ids}) == last
    with pytest.raises(KeyError):
        clause_text(f"{prefix}-{last + 1}", lang)


def test_codes_have_texts() -> None:
    assert CODES | set(RAISED) <= set(texts_of("common")["code"])


CLAIMS = raised("Claim")
FAULTS = sorted({kind for game in GAMES.values() for kind in game.FAULTS.values()})


def test_claims_and_faults_have_texts() -> None:
    assert set(texts_of("common")["claim"]) == set(CLAIMS)
    assert set(texts_of("common")["fault"]) == set(FAULTS)
    assert {code for game in GAMES.values() for code, _ in game.FAULTS} == set(texts_of("common")["claim"])


@pytest.mark.parametrize("lang", LANGUAGES)
def test_claims_and_faults_are_said(lang: str) -> None:
    for code, texts in texts_of("common")["claim"].items():
        full = say_claim(Claim(code, "TN-1", 0, {name: f"<{name}>" for name in placeholders(texts[lang])}), lang)
        bare = say_claim(Claim(code, "TN-1", 0), lang)
        assert all(f"<{name}>" in full for name in placeholders(texts[lang]))
        for text in (full, bare):
            assert not re.search(r"[{}\[\]]|  | [.,;:]|[,;:]\.|\(\)|None", text), text
    for kind in [*FAULTS, "capture_required"]:
        assert say_fault(kind, lang).endswith(".")


def test_claims_use_exactly_their_parameters() -> None:
    for code, names in CLAIMS.items():
        assert placeholders(texts_of("common")["claim"][code]["en"]) == names


def test_parts_of_a_result_have_words() -> None:
    parts = {name for game in GAMES.values() for name in game.Tally.__struct_fields__}
    assert parts == set(texts_of("common")["part"])
    fault = Violation("PARTS_DISAGREE", "TN-20", {"part": "card_points", "given": [3], "due": [2], "difference": [1]})
    assert (
        say(fault, "en") == "Parts of the result disagree: card points, given 3, by the other parts 2 (difference 1)."
    )
    assert "Тузы" in say(Violation("LINE_SUM", "TN-18", {"line": "aces"}), "ru")


@pytest.mark.parametrize("code", sorted(RAISED))
def test_texts_use_exactly_the_parameters(code: str) -> None:
    assert placeholders(texts_of("common")["code"][code]["en"]) == RAISED[code]


@pytest.mark.parametrize("code", sorted(texts_of("common")["code"]))
@pytest.mark.parametrize("lang", LANGUAGES)
def test_say_fills_or_passes_over(code: str, lang: str) -> None:
    names = placeholders(texts_of("common")["code"][code][lang])
    full = say(Violation(code, "TN-1", {name: f"<{name}>" for name in names}), lang)
    assert all(f"<{name}>" in full for name in names)
    for params in ({}, dict.fromkeys(names), dict.fromkeys(names, ()), {"unheard_of": 1}):
        bare = say(Violation(code, "TN-1", params), lang)
        for text in (full, bare):
            assert not re.search(r"[{}\[\]]|  | [.,;:]|[,;:]\.|\(\)|None", text), text
            assert text.endswith(".")


@pytest.mark.parametrize(
    ("violation", "lang", "text"),
    [
        (Violation("NOT_YOUR_TURN", "TN-7", {"turn": 0}), "en", "It is not your turn; seat 0 is to play."),
        (
            Violation("MUST_FOLLOW_SUIT", "SB-7", {"led": "H", "cards": ("JH", "2H")}),
            "ru",
            "На руках есть масть захода (червы), нужно положить в масть: JH, 2H.",
        ),
        (
            Violation("PACK_MISMATCH", "TN-1", {"extra": ("KS", "KS"), "missing": ()}),
            "uk",
            "Карти не збігаються з колодою. Зайві: KS, KS.",
        ),
        (
            Violation("PLAYER_COUNT", "TN-1", {"players": 5, "least": 2, "most": 3}),
            "en",
            "This number of players does not suit the game: 5. It is for 2 to 3.",
        ),
        (Violation("CARD_NOT_ON_TABLE", "TN-10", {"cards": ["{x}", "[y]"]}), "en", "Not on the table: {x}, [y]."),
    ],
)
def test_say(violation: Violation, lang: str, text: str) -> None:
    assert say(violation, lang) == text


@pytest.mark.parametrize(
    ("header", "lang"),
    [
        (None, "en"),
        ("", "en"),
        ("uk", "uk"),
        ("RU", "ru"),
        ("uk-UA,uk;q=0.9,en;q=0.8", "uk"),
        ("en;q=0.3, ru;q=0.7", "ru"),
        ("uk, ru", "uk"),
        ("ru, uk", "ru"),
        ("de, fr;q=0.9", "en"),
        ("de, ru;q=0.1", "ru"),
        ("*", "en"),
        ("en;q=0, *", "ru"),
        ("en;q=0.1, *;q=0.5", "ru"),
        ("en-GB;q=0, *;q=0.5", "en"),
        ("uk;q=0, ru;q=0.001", "ru"),
        ("en;q=0, ru;q=0, uk;q=0", "en"),
        ("uk ; q=0.5 , ru;Q=0.4", "uk"),
        ("uk;q=2, ru;q=0.1", "ru"),
        ("uk;q=, ru;q=x, ;;;,=,\x00\udcff", "en"),
        ("ukr, ruthenian", "en"),
        ("," * 5000 + "uk", "uk"),
    ],
)
def test_pick(header: str | None, lang: str) -> None:
    assert pick(header) == lang


# ---- the rulebook of each game against its module


@pytest.fixture(params=list(GAMES))
def game(request: pytest.FixtureRequest) -> Game:
    return GAMES[request.param]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_rulebook_follows_the_module(game: Game, lang: str) -> None:
    book = rulebook(game, lang)
    assert (book.name, book.ruleset, (book.least, book.most)) == (game.NAME, game.RULESET, game.SEATS)
    assert [option.key for option in book.options] == list(game.Rules.__struct_fields__)
    assert list(book.lines) == [*game.LINES, *game.TALLY_LINES]
    assert {preset.name: preset.house_rules for preset in book.presets} == game.PRESETS
    assert set(book.packs) == set(range(game.SEATS[0], game.SEATS[1] + 1))
    assert book.title == texts_of(game.NAME)["title"][lang]
    printed = "\n".join(print_lines(book))
    labels = [*(option.label for option in book.options), *(preset.label for preset in book.presets)]
    for said in [*(clause.text for clause in book.clauses), *labels]:
        assert said in printed
    assert msgspec.json.decode(msgspec.json.encode(book))["clauses"][0]["text"] == book.clauses[0].text


def test_no_text_is_left_over(game: Game) -> None:
    texts, fields = texts_of(game.NAME), set(game.Rules.__struct_fields__)
    assert set(texts["option"]) == fields - set(texts_of("common")["option"])
    assert set(texts["preset"]) == set(game.PRESETS)
    assert set(texts["line"]) == {*game.LINES, *game.TALLY_LINES}
    for option in rulebook(game, "en").options:
        labels = (texts_of("common")["option"] | texts["option"])[option.key].get("values", {})
        assert set(labels) == {"none" if value.value is None else str(value.value) for value in option.values}


def test_options_are_what_the_rules_accept(game: Game) -> None:
    """A form made of the options alone makes house rules that the game takes, and no others."""
    options = rulebook(game, "en").options
    first = {o.key: o.values[0].value if o.values else o.least for o in options if o.required}
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(first | {"unheard_of": 1}, game.Rules)
    for option in options:
        for value in option.values:
            agreed = msgspec.convert(first | {option.key: value.value}, game.Rules)
            assert getattr(agreed, option.key) == value.value
        if option.required:
            with pytest.raises(msgspec.ValidationError):
                msgspec.convert({k: v for k, v in first.items() if k != option.key}, game.Rules)
        else:
            assert getattr(msgspec.convert(first, game.Rules), option.key) == option.default
        wrong: list[Any] = ["unheard of"]
        if option.kind == "number":
            assert option.least is not None
            assert option.most is not None
            for limit in (option.least, option.most):
                assert getattr(msgspec.convert(first | {option.key: limit}, game.Rules), option.key) == limit
            wrong += [option.least - 1, option.most + 1]
        else:
            assert len(option.values) > 1
        for value in wrong:
            with pytest.raises(msgspec.ValidationError):
                msgspec.convert(first | {option.key: value}, game.Rules)


def test_presets_are_house_rules(game: Game) -> None:
    book = rulebook(game, "en")
    required = {o.key: o.values[0].value if o.values else o.least for o in book.options if o.required}
    for preset in book.presets:
        msgspec.convert(required | preset.house_rules, game.Rules)


def test_tablanet_values() -> None:
    game: Any = GAMES["tablanet"]
    book = rulebook(game, "en")
    scales = {scale.key: scale.cards for scale in book.values}
    assert {rank: worth for rank, worth in scales["play_values"].items() if rank != "A"} == {
        rank: (value,) for rank, value in game.VALUES["text"].items()
    }
    assert scales["play_values"]["A"] == game.ACES["either"]
    points = scales["card_points"]
    state = game.State(0, None, ((), ()), (), (), (PACK, ()), (0, 0), (0, 0), 0)
    lines = game.score(game.Rules(1), state)[0]
    assert sum(points.get(card, points.get(RANK[card], (0,)))[0] for card in PACK) == sum(lines.values()) - 3 == 21
    assert [option.key for option in book.options if option.offered_first] == ["tablanet_bonus"]
    assert book.targets == {1: (251,)}
    assert book.packs == {2: 52, 3: 52}
    ace = book.options[0]
    assert (ace.required, ace.default, [value.value for value in ace.values]) == (True, None, [1, 11, "either"])


def test_tabu_values() -> None:
    texts = texts_of("tabu")
    points = texts["scale"]["card_points"]["cards"]
    assert sum(points.get(RANK[card], [0])[0] for card in PACK) == 96
    assert texts["targets"] == {"1": [100, 150, 200], "2": [200, 300, 400]}


def test_sabo_values() -> None:
    scale = texts_of("sabo")["scale"]
    suits, ranks = scale["suit_order"]["cards"], scale["rank_order"]["cards"]
    assert sorted(suits, key=suits.get) == ["S", "H", "D", "C"]
    assert sorted(ranks, key=ranks.get) == ["K", "Q", "J", *map(str, range(10, 1, -1)), "A"]
    assert {SUIT[card] for card in PACK} == set(suits)
    assert {RANK[card] for card in PACK} == set(ranks)
