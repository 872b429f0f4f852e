"""Cards as the table writes them: rank then suit (`10D`, `KS`), a joker is `X` (rules 0.2).

A card is a plain string, so what is judged, stored and shown is one and the same. `?` stands for a card that the
reader may not see, or that nobody has seen yet; it never names a card that can be played.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final, TypeAlias

import msgspec

Card: TypeAlias = str
Cards: TypeAlias = tuple[Card, ...]

SUITS: Final = ("S", "H", "D", "C")
RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
JOKER: Final = "X"
HIDDEN: Final = "?"
PACK: Final[Cards] = tuple(rank + suit for suit in SUITS for rank in RANKS)
RANK: Final = {card: card[:-1] for card in PACK} | {JOKER: JOKER}
SUIT: Final = {card: card[-1] for card in PACK} | {JOKER: ""}

_SUIT_SIGNS: Final = {"♠": "S", "♥": "H", "♦": "D", "♣": "C"}
_LATIN: Final = {"T": "10"}
_CYRILLIC_RANKS: Final = {"Т": "A", "К": "K", "Д": "Q", "В": "J"}
_CYRILLIC_SUITS: Final = {"П": "S", "Ч": "H", "Б": "D", "Т": "C"}
ALPHABETS: Final = ("latin", "ru", "uk")
ACCEPTED: Final = {
    "latin": "a rank 2-10 (or T for ten), J, Q, K, A, then a suit S, H, D, C or ♠ ♥ ♦ ♣; a joker is X",
    "ru": "a rank 2-10, В, Д, К, Т (ace), then a suit П, Ч, Б, Т or ♠ ♥ ♦ ♣, or the Latin form; a joker is X",
    "uk": "a rank 2-10, В, Д, К, Т (ace), then a suit П, Ч, Б, Т or ♠ ♥ ♦ ♣, or the Latin form; a joker is X",
}


def parse(text: str, alphabet: str = "latin") -> Card | None:
    """The card that `text` names, or None when it names none.

    Takes lower case, suit signs and `T` for ten; Cyrillic letters only where `alphabet` is `ru` or `uk`, and there
    `Т` in first place is the ace (in the source texts Т ace, К king, Д queen, В jack). `ACCEPTED[alphabet]` says
    what is read.
    """
    word = text.strip().upper().replace("\ufe0f", "")
    if word == JOKER:
        return JOKER
    rank, suit = word[:-1], _SUIT_SIGNS.get(word[-1:], word[-1:])
    if alphabet != "latin":
        rank, suit = _CYRILLIC_RANKS.get(rank, rank), _CYRILLIC_SUITS.get(suit, suit)
    card = _LATIN.get(rank, rank) + suit
    return card if card in RANK else None


def hide(cards: Sequence[Card]) -> Cards:
    """As many `?` as there are cards."""
    return (HIDDEN,) * len(cards)


def without(cards: Cards, taken: Iterable[Card]) -> Cards:
    """`cards` less one copy of each of `taken`, order kept. Raises ValueError if one is not there."""
    rest = list(cards)
    for card in taken:
        rest.remove(card)
    return tuple(rest)


def played_from(hand: Cards, card: Card) -> Cards:
    """`hand` less `card`, or less one unseen card where it is not named. Raises ValueError when neither is there."""
    place = hand.index(card if card in hand else HIDDEN)
    return hand[:place] + hand[place + 1 :]


def surplus(cards: Iterable[Card], pack: Iterable[Card]) -> tuple[Cards, Cards]:
    """Cards shown more often than `pack` holds them, and cards of `pack` that are missing: each sorted."""
    have, want = Counter(cards), Counter(pack)
    return tuple(sorted((have - want).elements())), tuple(sorted((want - have).elements()))


class Sight(msgspec.Struct, frozen=True):
    """What a reader may see of hidden cards: everything, the hand of one seat, or neither."""

    seat: int | None = None
    everything: bool = False

    def of(self, seat: int, cards: Cards) -> Cards:
        """The cards of `seat`'s hand as this reader sees them."""
        return cards if self.everything or seat == self.seat else hide(cards)

    def hidden(self, cards: Cards) -> Cards:
        """Cards that lie face down for every seat (stock, reserve, sabo) as this reader sees them."""
        return cards if self.everything else hide(cards)


EVERYTHING: Final = Sight(everything=True)
PUBLIC: Final = Sight()
