"""Names of people and free words: what is taken, and how long it may be in characters that a person sees."""

import unicodedata

import regex

LONGEST_NAME = 64
LONGEST_TEXT = 500
_SEEN = regex.compile(r"\X")
_REFUSED = {"Cc", "Cs", "Co", "Cn"}
_DIRECTIONS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f\u061c")


def check_name(text: str) -> tuple[str, str | None]:
    """The name as it is kept (NFC, trimmed), and why it is not accepted, if it is not."""
    return _check(text, "a name", LONGEST_NAME)


def check_text(text: str) -> tuple[str, str | None]:
    """The words as they are kept (NFC, trimmed), and why they are not accepted, if they are not."""
    return _check(text, "a reason", LONGEST_TEXT)


def _check(given: str, what: str, longest: int) -> tuple[str, str | None]:
    text = unicodedata.normalize("NFC", given).strip()
    if not text or not any(unicodedata.category(letter)[0] in "LNPS" for letter in text):
        return text, f"{what} needs a visible character"
    if any(unicodedata.category(letter) in _REFUSED or letter in _DIRECTIONS for letter in text):
        return text, f"{what} holds no control or direction-override characters"
    # code points are bounded too: one visible character may be made of any number of them
    if len(text) > 8 * longest or len(_SEEN.findall(text)) > longest:
        return text, f"{what} has at most {longest} visible characters"
    return text, None
