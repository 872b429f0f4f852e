"""Whether a Tablanet move may be made, and which may (TN-7 to TN-12)."""

from collections.abc import Iterator

from referee.rules.cards import HIDDEN, JOKER, PACK, RANK, Card, Cards
from referee.rules.tablanet.captures import can_take, capture_fault, captures_of, parts_of, reach_of
from referee.rules.tablanet.model import Play, Rules, State
from referee.rules.tablanet.scoring import held
from referee.rules.unseen import not_in_hand
from referee.rules.verdict import LEGAL, Claim, Illegal, Verdict, Violation


def judge(rules: Rules, state: State, seat: int, move: Play) -> Verdict:
    """Whether `seat` may make this move now (TN-7 to TN-12). Every violation is named, in the order of the clauses."""
    if state.turn is None:
        return Illegal((Violation("DEAL_OVER", "TN-17"),))
    card, captures, table = move.card, move.captures, state.table
    found = []
    if seat != state.turn:
        found.append(Violation("NOT_YOUR_TURN", "TN-7", {"turn": state.turn}))
    known = card in RANK and card != JOKER
    if not known or card not in state.hands[seat]:
        found += _not_in_hand(state, seat, card)
    if not captures:
        if known and rules.capture_duty != "optional" and can_take(rules, card, table):
            found.append(Violation("CAPTURE_REQUIRED", "TN-12", {"card": card}))
    elif (twice := _twice(captures)) or not set(captures) <= set(table):
        if twice:
            found.append(Violation("DUPLICATE_CAPTURE", "TN-11", {"cards": twice}))
        if absent := sorted({taken for taken in captures if taken not in table}):
            found.append(Violation("CARD_NOT_ON_TABLE", "TN-10", {"cards": absent}))
    elif known and (fault := capture_fault(rules, card, captures, table)):
        found.append(fault)
    return Illegal(tuple(found)) if found else LEGAL


def _not_in_hand(state: State, seat: int, card: Card) -> list[Violation]:
    return not_in_hand(card, state.hands, seat, PACK, held(state), ("TN-8", "TN-1"))


def breaks(rules: Rules, state: State, claim: Claim) -> bool:
    """Whether the known hand makes a claim false: there are no claims in Tablanet."""
    return False


def legal_moves(rules: Rules, state: State, card: Card | None = None) -> Iterator[Play]:
    """Every legal move of the seat to act, each capture set once, found lazily; with `card` only those that play it.

    Captures of one unit come before unions of several, so the first few show what a card can take. From a hand that
    nobody has seen nothing is listed but, with `card`, what that card can do if it can be there.
    """
    if state.turn is None:
        return
    hand = state.hands[state.turn]
    if HIDDEN in hand:
        hand = () if card is None or _not_in_hand(state, state.turn, card) else (card,)
    table = state.table
    reach, parts = reach_of(rules, table), parts_of(rules, table)
    for playable in hand:
        if card is None or playable == card:
            able = can_take(rules, playable, table, reach)
            for captures in captures_of(rules, playable, table, parts) if able else ((),):
                yield Play(playable, captures)


def _twice(cards: Cards) -> list[Card]:
    return sorted({card for card in cards if cards.count(card) > 1}) if len(set(cards)) < len(cards) else []
