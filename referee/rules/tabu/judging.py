"""Whether a Tabu move may be made, and which may (TB-5 to TB-8, TB-10, TB-13)."""

from collections.abc import Iterator

from referee.rules.cards import HIDDEN, JOKER, RANK, Card, Cards, surplus
from referee.rules.tabu.layout import pack
from referee.rules.tabu.model import DRAW, KEEP, PASS, SPECIAL, Draw, Keep, Move, Pass, Play, Rules, State
from referee.rules.tabu.scoring import held
from referee.rules.unseen import not_in_hand
from referee.rules.verdict import LEGAL, Claim, Illegal, Undecided, Verdict, Violation


def judge(rules: Rules, state: State, seat: int, move: Move) -> Verdict:
    """Whether `seat` may make this move now (TB-5 to TB-8, TB-10, TB-13). Every violation is named, the leading first.

    What the turn demands is asked only of the seat whose turn it is; what depends on a hand that nobody has seen are
    claims. A card drawn there is not shown: the turn goes on until the seat plays it or keeps it.
    """
    if state.turn is None:
        return Illegal((Violation("DEAL_OVER", "TB-14" if state.out is not None else "TB-15"),))
    found = [] if seat == state.turn else [Violation("NOT_YOUR_TURN", "TB-5", {"turn": state.turn})]
    if isinstance(move, Play):
        _play_faults(rules, state, seat, move.card, found)
        if move.left or move.turned is not None or move.drew is not None:
            found += _carried_out_wrongly(rules, state, seat, move)
    elif not found:
        if isinstance(move, Draw):
            _draw_faults(rules, state, state.hands[seat], found)
        else:
            _end_faults(rules, state, state.hands[seat], isinstance(move, Keep), found)
    if found:
        return Illegal(tuple(found))
    claims = _claims(rules, state, seat, move) if HIDDEN in state.hands[seat] else ()
    return Undecided(claims) if claims else LEGAL


def _claims(rules: Rules, state: State, seat: int, move: Move) -> tuple[Claim, ...]:
    """What a move from a hand that nobody has seen takes for granted (TB-7, TB-8, TB-13)."""
    if isinstance(move, Play):
        return (Claim("DRAWN_PLAYED", "TB-8", seat, {"card": move.card}),) if state.drawn == HIDDEN else ()
    if isinstance(move, Draw) and _owes_draw(state):
        return ()
    ranks = _matched_by(state.row)
    if isinstance(move, Pass) or rules.must_play == "strict":
        ranks.update(SPECIAL)
    if not ranks or (rules.must_play == "free" and not isinstance(move, Pass)):
        return ()
    params = {"ranks": tuple(sorted(ranks))}
    if isinstance(move, Keep):
        return (Claim("DRAWN_NOT_PLAYABLE", "TB-8", seat, params),)
    return (Claim("NOTHING_PLAYABLE", "TB-7", seat, params),)


def breaks(rules: Rules, state: State, claim: Claim) -> bool:
    """Whether the known hand in `state`, in which the claim was made, makes it false."""
    if claim.code == "DRAWN_PLAYED":
        return bool(state.drawn != claim.params["card"])
    cards = (state.drawn,) if claim.code == "DRAWN_NOT_PLAYABLE" else state.hands[claim.seat]
    return any(card is not None and RANK[card] in claim.params["ranks"] for card in cards)


def legal_moves(rules: Rules, state: State, card: Card | None = None) -> Iterator[Move]:
    """Every legal move of the seat to act: plays first, a card held twice once; with `card` only those that play it.

    From a hand that nobody has seen no play is listed but, with `card`, that card's if it can be there.
    """
    if state.turn is None:
        return
    hand, can_play = state.hands[state.turn], False
    if HIDDEN in hand:
        moves: tuple[Move, ...] = (DRAW, KEEP, PASS) if card is None else (Play(card),)
        yield from (move for move in moves if not isinstance(judge(rules, state, state.turn, move), Illegal))
        return
    if not _owes_draw(state):
        for held_card in dict.fromkeys(hand) if state.drawn is None else (state.drawn,):
            if playable(held_card, state.row):
                can_play = True
                if card is None or card == held_card:
                    yield Play(held_card)
    if card is not None:
        return
    if state.drawn is not None:
        if _may_keep(rules, state.drawn):
            yield KEEP
    elif not _can_draw(state):
        if not can_play:
            yield PASS
    elif state.forced or not _must_play(rules, hand, state.row):
        yield DRAW


def playable(card: Card, row: Cards) -> bool:
    """Whether the card may be put down: a jack, a joker, or the rank of a row card (TB-6)."""
    rank = RANK.get(card, HIDDEN)
    return rank in SPECIAL or rank in map(RANK.__getitem__, row)


def _matched_by(row: Cards) -> set[str]:
    """The ranks that match a card of the row; a jack or joker that was left in it is matched by none (rules 4.2)."""
    return {RANK[card] for card in row}.difference(SPECIAL)


def _must_play(rules: Rules, hand: Cards, row: Cards) -> bool:
    """Whether the hand holds a card that forbids drawing instead (TB-7, B3)."""
    if rules.must_play == "free":
        return False
    ranks = _matched_by(row)
    if rules.must_play == "strict":
        ranks.update(SPECIAL)
    return not ranks.isdisjoint(map(RANK.get, hand))


def _may_keep(rules: Rules, drawn: Card) -> bool:
    """Whether a playable card just drawn may stay in hand (TB-8, B3); one that nobody has seen may be unplayable."""
    if rules.must_play == "free" or drawn == HIDDEN:
        return True
    return rules.must_play == "matches_only" and RANK[drawn] in SPECIAL


def _can_draw(state: State) -> bool:
    """Whether a draw can be asked for; one that needs a barren renewal can, and blocks the deal (TB-13, TB-15a)."""
    return bool(state.reserve or state.discard)


def _owes_draw(state: State) -> bool:
    """Whether a jack's forced draw comes first; it lapses when nothing can be drawn (TB-10, B17)."""
    return state.forced and _can_draw(state)


def _play_faults(rules: Rules, state: State, seat: int, card: Card, found: list[Violation]) -> None:
    if card not in state.hands[seat]:
        whole = pack(rules, len(state.hands))
        found += not_in_hand(card, state.hands, seat, whole, held(state), ("TB-7", "TB-1"))
    if seat == state.turn and _owes_draw(state):
        found.append(Violation("FORCED_DRAW_PENDING", "TB-10"))
    if not playable(card, state.row):
        found.append(Violation("NO_MATCH", "TB-6", {"card": card, "row": state.row}))
    if seat == state.turn and state.drawn is not None and card != state.drawn != HIDDEN:
        found.append(Violation("MUST_PLAY", "TB-8"))


def _carried_out_wrongly(rules: Rules, state: State, seat: int, move: Play) -> Iterator[Violation]:
    """What was not done as the card demands (TB-9, TB-11, TB-12), and what does not go with this card at all."""
    rank, last = RANK.get(move.card), len(state.hands[seat]) == 1
    if move.left:
        strange, taken = surplus(move.left, (card for card in state.row if RANK[card] == rank and rank not in SPECIAL))
        if strange or not taken:
            yield Violation("NOT_OF_THIS_CARD", "TB-9", {"part": "left"})
        else:
            yield Violation("CARDS_LEFT_BEHIND", "TB-9", {"cards": move.left})
    if move.turned is not None:
        if rank == JOKER or last:
            yield Violation("NOT_OF_THIS_CARD", "TB-12", {"part": "turned"})
        else:
            yield Violation("WRONG_REFILL", "TB-12", {"cards": move.turned})
    if move.drew is not None:
        due = takers(rules, len(state.hands), seat, last) if rank == JOKER else ()
        missing = tuple(place for place in due if place not in move.drew)
        if not missing or len(due) - len(missing) != len(move.drew):
            yield Violation("NOT_OF_THIS_CARD", "TB-11", {"part": "drew"})
        else:
            yield Violation("DRAWS_FORGOTTEN", "TB-11", {"places": missing})


def takers(rules: Rules, seats: int, seat: int, last: bool) -> tuple[int, ...]:
    """Who draws after a joker of `seat`, in order (TB-11, B4); nobody where it was the `last` card and ends the deal
    (TB-14, B7)."""
    if last and not (rules.last_joker == "redraws" and rules.joker_draws == "all"):
        return ()
    return tuple((seat + step) % seats for step in range(1, seats + (rules.joker_draws == "all")))


def _draw_faults(rules: Rules, state: State, hand: Cards, found: list[Violation]) -> None:
    """Why the seat to act may not draw."""
    if _owes_draw(state):
        return
    if state.drawn is not None:
        found.append(Violation("DRAW_NOT_ALLOWED", "TB-8"))
        if not _may_keep(rules, state.drawn):
            found.append(Violation("MUST_PLAY", "TB-8"))
    elif _must_play(rules, hand, state.row):
        found += (Violation("DRAW_NOT_ALLOWED", "TB-7"), Violation("MUST_PLAY", "TB-7"))
    if not _can_draw(state):
        found.append(Violation("NOTHING_TO_DRAW", "TB-13"))


def _end_faults(rules: Rules, state: State, hand: Cards, keeps: bool, found: list[Violation]) -> None:
    """Why the seat to act may not end its turn without a play: by keeping the drawn card, or by passing."""
    if _owes_draw(state):
        found.append(Violation("FORCED_DRAW_PENDING", "TB-10"))
    elif state.drawn is not None:
        if keeps and _may_keep(rules, state.drawn):
            return
        found.append(Violation("MUST_PLAY", "TB-8"))
        if keeps:
            found.append(Violation("DRAW_NOT_ALLOWED", "TB-8"))
    elif any(playable(card, state.row) for card in hand):
        found.append(Violation("MUST_PLAY", "TB-7"))
    elif _can_draw(state):
        found.append(Violation("MUST_DRAW", "TB-8"))
    elif keeps:
        found.append(Violation("NOTHING_TO_DRAW", "TB-13"))
