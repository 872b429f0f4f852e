"""Reading cards in every alphabet, hiding them, and counting them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.rules.cards import ACCEPTED, ALPHABETS, EVERYTHING, PACK, PUBLIC, Sight, hide, parse, surplus, without


def test_the_pack_holds_52_cards() -> None:
    assert len(PACK) == len(set(PACK)) == 52
    assert set(ACCEPTED) == set(ALPHABETS)


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize("card", [*PACK, "X"])
def test_every_card_reads_as_itself(card: str, alphabet: str) -> None:
    assert parse(card, alphabet) == parse(card.lower(), alphabet) == parse(f" {card}\n", alphabet) == card


@pytest.mark.parametrize(
    ("text", "card"),
    [("10♦", "10D"), ("TD", "10D"), ("ts", "10S"), ("A♠", "AS"), ("k♥\ufe0f", "KH"), ("2♣", "2C"), ("x", "X")],
)
@pytest.mark.parametrize("alphabet", ALPHABETS)
def test_signs_and_ten(text: str, card: str, alphabet: str) -> None:
    assert parse(text, alphabet) == card


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("ТП", "AS"), ("ТТ", "AC"), ("КЧ", "KH"), ("ДБ", "QD"), ("ВТ", "JC"), ("10Б", "10D"), ("7ч", "7H"),
        ("т♠", "AS"), ("KБ", "KD"), ("КD", "KD"),
    ],
)  # fmt: skip
def test_cyrillic_letters(text: str, card: str) -> None:
    assert parse(text, "ru") == parse(text, "uk") == card
    assert parse(text) is None


@pytest.mark.parametrize("alphabet", ALPHABETS)
@pytest.mark.parametrize(
    "text", ["", " ", "?", "S", "10", "1S", "11S", "0D", "SK", "KSS", "10DD", "XX", "XS", "7 S", "A", "♠", "7S\x00"]
)
def test_junk_names_no_card(text: str, alphabet: str) -> None:
    assert parse(text, alphabet) is None


@given(st.text(max_size=5), st.sampled_from(ALPHABETS))
def test_anything_reads_as_a_card_or_nothing(text: str, alphabet: str) -> None:
    assert parse(text, alphabet) in {*PACK, "X", None}


def test_hide_tells_only_how_many() -> None:
    assert hide(()) == ()
    assert hide(("KS", "X")) == ("?", "?")


def test_without_takes_one_copy() -> None:
    assert without(("KS", "2D", "KS", "X"), ["KS"]) == ("2D", "KS", "X")
    assert without(("KS",), []) == ("KS",)
    with pytest.raises(ValueError, match="not in list"):
        without(("KS",), ["KS", "KS"])


def test_surplus_names_both_sides() -> None:
    assert surplus(("KS", "2D", "KS"), ("KS", "AC", "2D")) == (("KS",), ("AC",))
    assert surplus(reversed(PACK), PACK) == ((), ())
    assert surplus((), ("X", "X")) == ((), ("X", "X"))


def test_sight() -> None:
    hand = ("KS", "2D")
    assert Sight(seat=1).of(1, hand) == hand
    assert Sight(seat=1).of(0, hand) == Sight(seat=1).hidden(hand) == ("?", "?")
    assert PUBLIC.of(0, hand) == PUBLIC.hidden(hand) == ("?", "?")
    assert EVERYTHING.of(0, hand) == EVERYTHING.hidden(hand) == hand
