"""Cards that nobody has seen: what can come out of hiding in an observed deal, and what can lie open (rules 5)."""

from collections.abc import Sequence

from referee.rules.cards import HIDDEN, Card, Cards
from referee.rules.chance import Chance, Told, WrongOutcome
from referee.rules.verdict import Violation


def turned_up(chance: Chance, pack: Cards, named: Sequence[Card], clause: str) -> Card:
    """The face-down card that turns up next in an observed deal, as the table tells it.

    `named` are the cards that lie open or have been seen. Raises WrongOutcome when nothing is told, or a card that the
    pack has not or that has been seen as often as the pack holds it.
    """
    if not isinstance(chance, Told):
        raise WrongOutcome("a card was turned up here and nobody can tell which")
    card = chance.seen()
    if fault := unseen_fault(card, pack, named, clause):
        raise WrongOutcome(f"{card} cannot turn up here", fault)
    return card


def not_in_hand(
    card: Card, hands: Sequence[Cards], seat: int, pack: Cards, named: Cards, clauses: tuple[str, str]
) -> list[Violation]:
    """Why a card that is not named in `seat`'s hand cannot be played from it; nothing where it may be an unseen one.

    `named` are all cards of the deal, `clauses` those of the hand and of the pack.
    """
    if HIDDEN not in hands[seat] or card not in pack or any(card in hand for hand in hands):
        return [Violation("CARD_NOT_IN_HAND", clauses[0], {"card": card})]
    fault = unseen_fault(card, pack, named, clauses[1])
    return [fault] if fault else []


def unseen_fault(card: Card, pack: Cards, named: Sequence[Card], clause: str) -> Violation | None:
    """Why a card that comes out of hiding cannot be this one: not of the pack, or all of its kind already seen."""
    if card not in pack:
        return Violation("PACK_MISMATCH", clause, {"extra": (card,), "missing": ()})
    if named.count(card) >= pack.count(card):
        return Violation("CARD_SEEN_TWICE", clause, {"cards": (card,)})
    return None


def open_faults(opened: Cards, unseen: Cards, pack: Cards, clause: str) -> list[Violation]:
    """Why a layout cannot be observed: open cards that the pack has not or has fewer of, unseen ones that are named,
    and how many there are in all."""
    found = seen_faults(opened, pack, clause)
    if known := [card for card in unseen if card != HIDDEN]:
        found.append(Violation("NOT_OPEN", clause, {"cards": known}))
    if len(opened) + len(unseen) != len(pack):
        found.append(Violation("PACK_SIZE", clause, {"given": len(opened) + len(unseen), "due": len(pack)}))
    return found


def seen_faults(cards: Cards, pack: Cards, clause: str) -> list[Violation]:
    """Why the table cannot have seen these cards, all of them different ones: the pack has not, or has fewer of, them."""
    found = []
    if foreign := sorted({card for card in cards if card not in pack}):
        found.append(Violation("PACK_MISMATCH", clause, {"extra": foreign, "missing": ()}))
    if twice := sorted({card for card in cards if card in pack and cards.count(card) > pack.count(card)}):
        found.append(Violation("CARD_SEEN_TWICE", clause, {"cards": twice}))
    return found
