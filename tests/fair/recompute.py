"""Recomputes every shuffle of a match record from the published seeds and words: `python recompute.py FILE`.

Written from the docstring of referee/dealer.py and the rules of dealing alone; it needs nothing but Python. Which cards
make up a pack is no matter of chance and not checked here: the pack is what was laid out.
"""

import json
import struct
import sys
from collections.abc import Iterator
from hashlib import sha256
from itertools import count
from typing import Any

PACK = [rank + suit for suit in "SHDC" for rank in [*"23456789", "10", *"JQKA"]] + ["X", "X"]


def numbers(root: bytes, stream: int) -> Iterator[int]:
    for block in count():
        yield from struct.unpack(">8I", sha256(root + struct.pack(">II", stream, block)).digest())


def below(limit: int, stream: Iterator[int]) -> int:
    return next(number for number in stream if number < 2**32 // limit * limit) % limit


def shuffle(cards: list[str], stream: Iterator[int]) -> list[str]:
    cards = list(cards)
    for i in range(len(cards) - 1, 0, -1):
        j = below(i + 1, stream)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def orders(game: str, events: list[dict[str, Any]]) -> Iterator[tuple[Any, Any]]:
    """Every order in a deal that the referee dealt: as recorded, and as seed and words give it."""
    dealt, layout, hands = events[0], events[0]["layout"], events[0]["layout"]["hands"]
    seed = bytes.fromhex(next(event["seed"] for event in events if event["type"] == "SeedRevealed"))
    yield dealt["commitment"], sha256(seed).hexdigest()
    words = b"".join(len(word).to_bytes(4, "big") + word for word in map(str.encode, dealt["words"]))
    root = sha256(b"referee/1" + seed + words).digest()
    streams = (numbers(root, stream) for stream in count())
    heaps = {"tablanet": ("table", "stock"), "tabu": ("row", "reserve"), "sabo": ()}[game]
    laid = [card for heap in [*hands, *layout.get("sabo", []), *(layout[heap] for heap in heaps)] for card in heap]
    cards = shuffle([card for card in PACK if card in laid] * laid.count("2D"), next(streams))

    def deal(size: int) -> list[list[str]]:
        """One card at a time from the dealer's left, `size` to each seat, off the top."""
        given = [cards[i : size * len(hands) : len(hands)] for i in range(len(hands))]
        del cards[: size * len(hands)]
        return [given[(seat - dealt["dealer"] - 1) % len(hands)] for seat in range(len(hands))]

    yield hands, deal(len(hands[0]))
    if game == "sabo":
        yield layout["sabo"], deal(len(layout["sabo"][0]))
    row, aside = list[str](), list[str]()
    while len(row) < 4 and cards:
        (aside if cards[0][0] in ("J" if game == "tablanet" else "JX") else row).append(cards.pop(0))
    if game == "tablanet":
        cards += aside[:1]
        for jack in aside[1:]:
            cards.insert(1 + below(len(cards) - 1, next(streams)), jack)
    elif aside:
        cards = shuffle(cards + aside, next(streams))
    yield [layout[heap] for heap in heaps], [row, cards][: len(heaps)]
    discard = list[str]()
    for effects in (event["effects"] for event in events if game == "tabu" and "effects" in event):
        discard += effects.get("discarded", [])
        for renewed in effects.get("renewed", []):
            yield renewed, shuffle(discard, next(streams))
            cards, discard = cards + renewed, []
        del cards[: len(effects.get("turned", effects.get("draws", "?" if effects.get("drawn") else "")))]
        if "set_aside" in effects:
            cards = shuffle(cards + effects["set_aside"], next(streams))
            yield effects["reserve_after"], cards


def recompute(document: dict[str, Any]) -> list[bool | None]:
    """For each deal of the record whether its shuffles follow; None where the referee did not shuffle."""
    game = document["match"][0]["event"]["game"]
    deals = [[entry["event"] for entry in entries] for entries in document["deals"]]
    return [
        all(told == made for told, made in orders(game, events)) if events[0]["dealt_by"] == "referee" else None
        for events in deals
    ]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = recompute(json.load(file))
    for number, verdict in enumerate(found, 1):
        print(f"deal {number}:", {True: "follows", False: "DOES NOT FOLLOW", None: "not the referee's"}[verdict])
    sys.exit(False in found)
