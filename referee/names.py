"""Names of people: what is taken, and how long it may be in characters that a person sees."""

import unicodedata

import regex

LONGEST = 64
MOST_CODE_POINTS = 512
_SEEN = regex.compile(r"\X")
_REFUSED = {"Cc", "Cs", "Co", "Cn"}
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def check_name(text: str) -> tuple[str, str | None]:
    """The name as it is kept (NFC, trimmed), and why it is not accepted, if it is not."""
    name = unicodedata.normalize("NFC", text).strip()
    if not name or not any(unicodedata.category(letter)[0] in "LNPS" for letter in name):
        return name, "a name needs a visible character"
    if any(unicodedata.category(letter) in _REFUSED or letter in _DIRECTIONS for letter in name):
        return name, "a name holds no control or direction-override characters"
    if len(name) > MOST_CODE_POINTS or len(_SEEN.findall(name)) > LONGEST:
        return name, f"a name has at most {LONGEST} visible characters"
    return name, None
