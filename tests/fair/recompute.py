"""Recomputes every shuffle of a match record from the published seeds and words: `python recompute.py FILE`.

Written from the docstring of referee/dealer.py and the rules of dealing alone; it needs nothing but Python.
"""

import hashlib
import json
import sys

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
PACK = [rank + suit for suit in "SHDC" for rank in RANKS]


class Chance:
    def __init__(self, seed, words):
        told = b"".join(len(word.encode()).to_bytes(4, "big") + word.encode() for word in words)
        self.root, self.made = hashlib.sha256(b"referee/1" + bytes.fromhex(seed) + told).digest(), -1

    def next_stream(self):
        self.made += 1
        return self.numbers(self.made.to_bytes(4, "big"))

    def numbers(self, stream):
        block = 0
        while True:
            digest = hashlib.sha256(self.root + stream + block.to_bytes(4, "big")).digest()
            yield from (int.from_bytes(digest[i : i + 4], "big") for i in range(0, 32, 4))
            block += 1

    def below(self, count, numbers=None):
        return next(n for n in numbers or self.next_stream() if n < 2**32 // count * count) % count

    def shuffle(self, cards):
        cards, numbers = list(cards), self.next_stream()
        for i in range(len(cards) - 1, 0, -1):
            j = self.below(i + 1, numbers)
            cards[i], cards[j] = cards[j], cards[i]
        return cards


def pack_of(game, rules, seats):
    if game == "tabu":
        packs = rules["packs"] if rules["packs"] != "by_players" else 2 if seats > 4 else 1
        return [*PACK, "X", "X"] * packs
    if game == "tablanet" or seats == 4:
        return PACK
    if seats == 2 and rules["two_player_pack"] == "short_ranks":
        return [card for card in PACK if card[:-1] in "A234567" and card not in ("7H", "7S")]
    two = [card for card in PACK if card[-1] in "DC"]
    three = [card for card in PACK if card[0] not in "KQJ" and card != "10S"]
    return {2: two, 3: three, 5: [card for card in PACK if card not in ("KS", "KH")]}[seats]


def follows(opened, entries):
    """Whether every order in a deal that the referee dealt is the one that seed and words give."""
    events = [entry["event"] for entry in entries]
    dealt, layout, game = events[0], events[0]["layout"], opened["game"]
    seed = next(event["seed"] for event in events if event["type"] == "SeedRevealed")
    if hashlib.sha256(bytes.fromhex(seed)).hexdigest() != dealt["commitment"]:
        return False
    chance, seats = Chance(seed, dealt["words"]), len(layout["hands"])
    cards = chance.shuffle(pack_of(game, opened["house_rules"], seats))

    def deal(size):
        """One card at a time from the dealer's left, `size` to each seat, off the top."""
        given = [cards[i : size * seats : seats] for i in range(seats)]
        del cards[: size * seats]
        return [given[(seat - dealt["dealer"] - 1) % seats] for seat in range(seats)]

    hands = deal({"tablanet": 12 // seats, "tabu": 5, "sabo": 8}[game])
    if game == "sabo":
        return [hands, deal(len(cards) // seats)] == [layout["hands"], layout["sabo"]]
    row, aside = [], []
    while len(row) < 4 and cards:
        (aside if cards[0][0] in ("J" if game == "tablanet" else "JX") else row).append(cards.pop(0))
    if game == "tablanet":
        cards += aside[:1]
        for jack in aside[1:]:
            cards.insert(1 + chance.below(len(cards) - 1), jack)
        return [hands, row, cards] == [layout["hands"], layout["table"], layout["stock"]]
    cards = chance.shuffle(cards + aside) if aside else cards
    if [hands, row, cards] != [layout["hands"], layout["row"], layout["reserve"]]:
        return False
    discard = []
    for effects in (event["effects"] for event in events if "effects" in event):
        discard += effects.get("discarded", [])
        for renewed in effects.get("renewed", []):
            if renewed != chance.shuffle(discard):
                return False
            cards, discard = cards + renewed, []
        del cards[: len(effects.get("turned", effects.get("draws", "?" if effects.get("drawn") else "")))]
        if "set_aside" in effects:
            cards = chance.shuffle(cards + effects["set_aside"])
            if cards != effects["reserve_after"]:
                return False
    return True


def recompute(document):
    """For each deal of the record whether its shuffles follow; None where the referee did not shuffle."""
    opened = document["match"][0]["event"]
    by_referee = [entries[0]["event"]["dealt_by"] == "referee" for entries in document["deals"]]
    pairs = zip(document["deals"], by_referee, strict=True)
    return [follows(opened, entries) if shuffled else None for entries, shuffled in pairs]


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as file:
        found = recompute(json.load(file))
    for number, verdict in enumerate(found, 1):
        print(f"deal {number}:", {True: "follows", False: "DOES NOT FOLLOW", None: "not the referee's"}[verdict])
    sys.exit(False in found)
