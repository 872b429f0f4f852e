"""Words for people in English, Russian and Ukrainian: which language, reasons for a refusal, clauses by their number."""

import re
import tomllib
from functools import cache, lru_cache
from pathlib import Path
from typing import Any, Final

from referee.rules.verdict import Claim, Violation

LANGUAGES: Final = ("en", "ru", "uk")
GAME_OF_CLAUSE: Final = {"TN": "tablanet", "TB": "tabu", "SB": "sabo"}
_HERE: Final = Path(__file__).parent / "texts"
_RANGE: Final = re.compile(r"(\*|[a-z]{1,8})((?:-[a-z0-9]{1,8})*)(?:\s*;\s*q=(0(?:\.[0-9]{0,3})?|1(?:\.0{0,3})?))?")
_OPTIONAL: Final = re.compile(r"\[([^\]]*)\]")
_NAME: Final = re.compile(r"\{(\w+)\}")


@cache
def texts_of(name: str) -> dict[str, Any]:
    """The texts of a game, or those common to all (`texts/<name>.toml`)."""
    return tomllib.loads((_HERE / f"{name}.toml").read_text("utf-8"))


@lru_cache(256)
def pick(accept_language: str | None) -> str:
    """The language that an Accept-Language header prefers (RFC 9110, 12.5.4): `uk-UA` is `uk`, junk is passed over."""
    wanted: dict[str, float] = {}
    for part in (accept_language or "").lower().split(","):
        if match := _RANGE.fullmatch(part.strip()):
            tag, narrower, quality = match[1], match[2], float(match[3] or 1)
            if quality or not narrower:  # `en-GB;q=0` says nothing of other English
                wanted[tag] = max(quality, wanted.get(tag, 0))
    order = [*wanted, *LANGUAGES]
    quality_of = {lang: wanted.get(lang, wanted.get("*", 0)) for lang in LANGUAGES}
    best = max(LANGUAGES, key=lambda lang: (quality_of[lang], -order.index(lang)))
    return best if quality_of[best] else LANGUAGES[0]


def say(violation: Violation, lang: str) -> str:
    """The reason for a refusal in words. A parameter that is absent is passed over; an unknown code is a KeyError."""
    return _fill(texts_of("common")["code"][violation.code][lang], violation.params, lang)


def may_lie(lang: str) -> str:
    """What can still be done about a layout that is refused, once play has gone on (rules 4.2)."""
    text: str = texts_of("common")["hint"]["may_lie"][lang]
    return text


def say_claim(claim: Claim, lang: str) -> str:
    """What a move takes for granted, in words; an unknown code is a KeyError."""
    return _fill(texts_of("common")["claim"][claim.code][lang], claim.params, lang)


def say_fault(kind: str, lang: str) -> str:
    """A proven fault in words: what it is called, or why the move that was let stand was refused."""
    common = texts_of("common")
    text: dict[str, str] = common["fault"].get(kind) or common["code"][kind.upper()]
    return _fill(text[lang], {}, lang)


def say_irregularity(part: str, name: str, lang: str, params: dict[str, Any] | None = None) -> str:
    """A `kind`, `window` or `remedy` of rules 4.2 in words; an unknown name is a KeyError."""
    return _fill(texts_of("irregularities")[part][name][lang], params or {}, lang)


def _fill(text: str, params: dict[str, Any], lang: str) -> str:
    told = {name: _spell(name, value, lang) for name, value in params.items()}

    def optional(part: re.Match[str]) -> str:
        return part[1] if all(told.get(name) for name in _NAME.findall(part[1])) else ""

    return _NAME.sub(lambda name: told.get(name[1], ""), _OPTIONAL.sub(optional, text))


def clause_text(clause_id: str, lang: str) -> str:
    """The words of a clause; an unknown clause is a KeyError."""
    text: str = texts_of(GAME_OF_CLAUSE[clause_id.partition("-")[0]])["clause"][clause_id][lang]
    return text


def _spell(name: str, value: Any, lang: str) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_spell(name, one, lang) for one in value)
    names = _named(name).get(value, {})
    return str(names.get(lang, "" if value is None else value))


def _named(name: str) -> dict[Any, Any]:
    """The words for the values of a parameter that has words: suits, parts of a result."""
    common = texts_of("common")
    if name in ("led", "suit"):
        return dict(common["suit"])
    return common["part"] | texts_of("tablanet")["line"] if name in ("part", "parts", "line", "lines") else {}
