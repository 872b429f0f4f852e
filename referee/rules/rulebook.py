"""What the rules say to people: clauses, house rules and reasons for a refusal, in English, Russian and Ukrainian.

The words are data (`texts/*.toml`); keys, defaults and allowed values come from the games themselves.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from referee.rules.game import Game
from referee.rules.options import Option, options_of
from referee.rules.words import LANGUAGES, clause_text, may_lie, pick, say, texts_of

__all__ = ["LANGUAGES", "Rulebook", "clause_text", "may_lie", "pick", "print_lines", "rulebook", "say"]


class Clause(msgspec.Struct, frozen=True):
    """A rule by its number (`TN-12`)."""

    id: str
    text: str


class Preset(msgspec.Struct, frozen=True):
    """A named set of house rules; what it leaves out keeps its default or must still be agreed."""

    name: str
    label: str
    house_rules: dict[str, Any]


class Scale(msgspec.Struct, frozen=True):
    """What ranks, suits or single cards are worth under the default rules; two numbers where players agree on one."""

    key: str
    label: str
    cards: dict[str, tuple[int, ...]]


class Rulebook(msgspec.Struct, frozen=True):
    """A game as people read it in one language, and all that a form for a new match needs.

    Seats from `least` to `most`; `packs` is cards by number of players, `targets` usual targets by number of packs,
    `lines` the score lines by key.
    """

    name: str
    title: str
    ruleset: str
    language: str
    least: int
    most: int
    packs: dict[int, int]
    targets: dict[int, tuple[int, ...]]
    clauses: tuple[Clause, ...]
    options: tuple[Option, ...]
    presets: tuple[Preset, ...]
    lines: dict[str, str]
    values: tuple[Scale, ...]


def rulebook(game: Game, lang: str) -> Rulebook:
    """The rulebook of a game's newest ruleset in one of `LANGUAGES`."""
    texts = texts_of(game.NAME)
    options = tuple(options_of(game, lang))
    agreed = {o.key: o.values[0].value if o.values else o.least for o in options if o.required}
    rules = msgspec.convert(agreed, game.Rules)
    usual = texts.get("targets") or {"1": [o.default for o in options if o.key == "target"]}
    return Rulebook(
        name=game.NAME,
        title=texts["title"][lang],
        ruleset=game.RULESET,
        language=lang,
        least=game.SEATS[0],
        most=game.SEATS[1],
        packs={seats: len(game.pack(rules, seats)) for seats in range(game.SEATS[0], game.SEATS[1] + 1)},
        targets={int(packs): tuple(targets) for packs, targets in usual.items()},
        clauses=tuple(Clause(key, text[lang]) for key, text in texts["clause"].items()),
        options=options,
        presets=tuple(Preset(name, texts["preset"][name][lang], dict(p)) for name, p in game.PRESETS.items()),
        lines={line: texts["line"][line][lang] for line in (*game.LINES, *game.TALLY_LINES)},
        values=tuple(
            Scale(key, s[lang], {c: tuple(w) for c, w in s["cards"].items()}) for key, s in texts["scale"].items()
        ),
    )


def print_lines(book: Rulebook) -> Iterator[str]:
    """The rulebook as lines of plain text."""
    heading = {key: text[book.language] for key, text in texts_of("common")["heading"].items()}
    yield from (book.title, "=" * len(book.title), "")
    yield f"{heading['players']}: {book.least}-{book.most}"
    yield f"{heading['packs']}: {', '.join(f'{players} - {cards}' for players, cards in book.packs.items())}"
    for scale in book.values:
        worth = (f"{card} - {'/'.join(map(str, numbers))}" for card, numbers in scale.cards.items())
        yield f"{scale.label}: {', '.join(worth)}"
    yield from ("", heading["clauses"], "", *(f"{clause.id:<6} {clause.text}" for clause in book.clauses))
    yield from ("", heading["options"], "")
    for option in book.options:
        yield f"{option.label} ({option.key}): {heading['required'] if option.required else _shown(option.default)}"
        yield from (f"    {_shown(value.value)}: {value.label}" for value in option.values)
    yield from ("", heading["presets"], "", *(f"{preset.name}: {preset.label}" for preset in book.presets))


def _shown(value: int | str | None) -> int | str:
    return "-" if value is None else value
