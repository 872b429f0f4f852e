"""Shuffling: the only source of randomness, and one that anybody can recompute afterwards.

A deal has a seed of 32 random bytes; its SHA-256 is published when the cards are dealt, the seed once the deal is over.
The pack and every later order follow from the seed and the words of the seats:

    root   = SHA-256("referee/1" || seed || for each seat: length of its word in UTF-8 as 4 bytes, then the word)
    block i of sub-stream n = SHA-256(root || n as 4 bytes || i as 4 bytes), i = 0, 1, …
    numbers = the blocks' bytes in groups of four

All integers are big-endian. A number below c is the first group under the greatest multiple of c up to 2**32, modulo c
(rejection sampling, so none is favoured). A shuffle is Fisher-Yates from the last card down: card i changes places with
card j, j a number below i + 1. Sub-stream 0 shuffles the whole pack (in pack order); the n-th thing that the game
asks of chance in the deal, an order or a place, uses sub-stream n alone. A move taken back and made again meets the
same sub-stream, so nobody can buy another shuffle.

What goes into a shuffle, so that the order that comes out can be compared with the record:

- Pack order is the suits S H D C, in each the ranks 2 to 10, J, Q, K, A; after every pack of Tabu its two jokers.
  Smaller packs leave their cards out of it.
- The shuffled pack is dealt from the top, one card at a time, clockwise from the dealer's left; then cards are turned.
- Tablanet: the first jack turned goes under the stock; for each further one a place is drawn, a number below the size
  of the stock less one, and the jack goes in that many cards below the top one.
- Tabu: cards set aside go behind what is left of the reserve, in the order in which they were turned, and all of these
  are shuffled. A renewal shuffles the discard in the order in which the moves put cards there, each move's as recorded.
"""

import hashlib
import secrets
from collections.abc import Iterator, Sequence

from referee.rules.cards import Card, Cards
from referee.rules.chance import Told

SEED_BYTES = 32


def new_seed() -> str:
    """A fresh seed of 256 bits, as hex."""
    return secrets.token_hex(SEED_BYTES)


def commitment(seed: str) -> str:
    """SHA-256 of the seed's bytes, as hex: published before anybody adds a word."""
    return hashlib.sha256(bytes.fromhex(seed)).hexdigest()


def lot(seats: int) -> int:
    """A seat drawn by lot."""
    return secrets.randbelow(seats)


class SeededChance:
    """Chance that follows from a seed (hex) and the seats' words; `made` things have been asked for before."""

    def __init__(self, seed: str, words: Sequence[str] = (), made: int = 0) -> None:
        told = b"".join(len(word := text.encode()).to_bytes(4, "big") + word for text in words)
        self._root = hashlib.sha256(b"referee/1" + bytes.fromhex(seed) + told).digest()
        self.made = made

    def pack(self, cards: Cards) -> Cards:
        """The whole pack shuffled, top card first: sub-stream 0."""
        return _shuffle(cards, self._numbers(0))

    def shuffle(self, cards: Sequence[Card]) -> Cards:
        self.made += 1
        return _shuffle(cards, self._numbers(self.made))

    def below(self, count: int) -> int:
        self.made += 1
        return _below(count, self._numbers(self.made))

    def _numbers(self, stream: int) -> Iterator[int]:
        block = 0
        while True:
            digest = hashlib.sha256(self._root + stream.to_bytes(4, "big") + block.to_bytes(4, "big")).digest()
            yield from (int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4))
            block += 1


class TableChance(Told):
    """Chance at a table with real cards: the orders it told, and where it told none a shuffle made here."""

    def shuffle(self, cards: Sequence[Card]) -> Cards:
        """The next told order, else a random one. Raises WrongOutcome for a told order of other cards."""
        if self.rest:
            return super().shuffle(cards)
        order = list(cards)
        secrets.SystemRandom().shuffle(order)
        return tuple(order)

    def below(self, count: int) -> int:
        return secrets.randbelow(count)


def _below(count: int, numbers: Iterator[int]) -> int:
    limit = 2**32 - 2**32 % count
    return next(number for number in numbers if number < limit) % count


def _shuffle(cards: Sequence[Card], numbers: Iterator[int]) -> Cards:
    order = list(cards)
    for last in range(len(order) - 1, 0, -1):
        other = _below(last + 1, numbers)
        order[last], order[other] = order[other], order[last]
    return tuple(order)
