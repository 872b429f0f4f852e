"""Deals seen from two sides: every card known, and only what everybody at the table sees."""

import random
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, TypeAlias

import msgspec

from referee.dealer import TableChance
from referee.rules import sabo, tablanet, tabu
from referee.rules.amends import Told as Amended
from referee.rules.cards import JOKER, PUBLIC, RANK, Cards
from referee.rules.chance import Told
from referee.rules.game import Game
from referee.rules.hands import check_hands, hands_due, show_hands
from referee.rules.proof import Record
from referee.rules.puts import Put, Shown
from referee.rules.verdict import Illegal
from tests.dealing import SeededChance, new_deal

HOUSE_RULES: dict[str, dict[str, list[Any]]] = {
    "tablanet": {
        "ace_value": [1, 11, "either"],
        "tablanet_bonus": ["none", "card_values", "one_point"],
        "capture_duty": ["any", "optional", "maximal"],
        "units_per_capture": ["any", "one_of_each"],
    },
    "tabu": {
        "must_play": ["strict", "matches_only", "free"],
        "joker_draws": ["all", "others"],
        "last_joker": ["ends", "redraws"],
        "blocked_after": [1, 2],
    },
    "sabo": {
        "discard_low": ["per_suit", "overall", "any"],
        "senior_suit": ["above_led", "clubs_only"],
        "lead_from_sabo": ["any_time", "empty_hand_only"],
        "revoke_penalty": ["none", "one", "three"],
    },
}
SEATS = {"tablanet": [2, 3], "tabu": [2, 3, 4, 5], "sabo": [2, 3, 4, 5]}


class Made(NamedTuple):
    """A move with what it caused."""

    seat: int
    move: Any
    effects: Any


class Sides(NamedTuple):
    """One deal from both sides: its records, the last state of each, and for each observed move the number of the known
    one that it belongs to."""

    rules: Any
    known: Record
    known_end: Any
    seen: Record
    seen_end: Any
    number_of: list[int]


def any_rules(game: Game, chance: random.Random) -> Any:
    """House rules drawn at random."""
    fixed = {"target": 100} if game.NAME == "tabu" else {}
    return game.Rules(**fixed, **{key: chance.choice(values) for key, values in HOUSE_RULES[game.NAME].items()})


def anything(game: Game, state: Any, chance: random.Random, seat: int) -> Any:
    """A move that the cards allow, whatever the rules say."""
    hand: Cards = state.hands[seat]
    if game.NAME == "tablanet":
        return tablanet.Play(
            chance.choice(hand), tuple(chance.sample(state.table, chance.randint(0, len(state.table))))
        )
    if game.NAME == "tabu":
        # keeping is said of a card just drawn
        kept = [tabu.KEEP] if state.drawn is not None else []
        wrongly = [carried_out_wrongly(state, card, chance) for card in hand] if chance.random() < 0.2 else []
        return chance.choice([*map(tabu.Play, hand), *wrongly, tabu.DRAW, *kept, tabu.PASS])
    places = [sabo.Place(at) for at, card in enumerate(state.sabo[seat]) if card is not None]
    return chance.choice([*map(sabo.Hand, hand), *places])


def carried_out_wrongly(state: Any, card: str, chance: random.Random) -> tabu.Play:
    """A Tabu card after which the table did not do what it should: took, turned up or drew too little or too much."""
    alike = tuple(one for one in state.row if RANK[one] == RANK[card])
    left = alike[:1] if len(alike) > 1 and chance.random() < 0.5 else ()
    if card == JOKER:
        return tabu.Play(card, drew=tuple(chance.sample(range(len(state.hands)), chance.randrange(len(state.hands)))))
    return tabu.Play(card, left, state.reserve[: chance.randrange(6)])


def with_cards(state: Any) -> list[int]:
    """The seats that have a card left to play."""
    sabo_left = getattr(state, "sabo", ((),) * len(state.hands))
    return [seat for seat, hand in enumerate(state.hands) if hand or any(sabo_left[seat])]


def can_stand(game: Game, rules: Any, state: Any, seat: int, move: Any) -> bool:
    """Whether the move is legal or may be let stand."""
    verdict = game.judge(rules, state, seat, move)
    return not isinstance(verdict, Illegal) or {one.code for one in verdict.violations} <= game.CAN_STAND


class Note(NamedTuple):
    """As much of a note as a kernel looks at."""

    puts: tuple[Put, ...] = ()
    shown: tuple[Shown, ...] = ()
    seat: int | None = None
    place: int | None = None


Amend: TypeAlias = Callable[[Any, list[Made], random.Random], tuple[str, Amended] | None]
"""What is put right after a move, if anything: its remedy and what the table tells of it; of the known side's state and
moves."""


def both_sides(
    game: Game,
    seed: int,
    fault_rate: float = 0.0,
    layout: Any = None,
    rules: Any = None,
    out_of_turn: float = 0.0,
    amend: Amend | None = None,
    seen_layout: Any = None,
) -> Sides:
    """A deal played at random, with irregular moves let stand at these rates; observed as it goes along.

    `seen_layout` is what the table takes for granted, until `amend` has put it right.
    """
    chance = SeededChance(seed)
    rules = rules or any_rules(game, chance)
    seats = chance.choice(SEATS[game.NAME]) if layout is None else len(layout.hands)
    dealer = chance.randrange(seats)
    if layout is None:
        layout, state = new_deal(game, rules, seats, chance, dealer)
        seen_layout = game.lay_open(rules, seats, opened(layout))
        assert game.check_open(rules, seats, seen_layout) == ()
    else:
        state, seen_layout = game.start(dealer, layout), seen_layout or game.hide_layout(layout, PUBLIC)
    seen = game.start(dealer, seen_layout)
    known_notes: list[tuple[int, Note]] = []
    notes: list[tuple[int, Note]] = []
    known_steps: list[Made] = []
    seen_steps: list[Made] = []
    number_of = []
    while state.turn is not None:
        seat, move = state.turn, chance.choice(list(game.legal_moves(rules, state)))
        if chance.random() < fault_rate:
            some = _some(game, state, chance, seat)
            move = next((m for m in some if can_stand(game, rules, state, seat, m)), move)
        if out_of_turn and chance.random() < out_of_turn:
            early = chance.choice(with_cards(state))
            some = _some(game, state, chance, early)
            seat, move = next(((early, m) for m in some if can_stand(game, rules, state, early, m)), (seat, move))
        effects = game.play(rules, state, seat, move, chance)
        known_steps.append(Made(seat, move, effects))
        state = game.evolve(state, seat, move, effects)
        for shown in [move, *([tabu.KEEP] if _must_say_keep(move, effects, seat) else [])]:
            assert can_stand(game, rules, seen, seat, shown)
            assert shown in game.legal_moves(rules, seen, getattr(shown, "card", None)) or fault_rate or out_of_turn
            told = Told((), game.seen(shown, effects))
            made = Made(seat, shown, game.play(rules, seen, seat, shown, told))
            assert not told.unseen
            seen_steps.append(made)
            number_of.append(len(known_steps))
            seen = game.evolve(seen, seat, shown, made.effects)
        while amend and state.turn is not None and (told_of := amend(state, known_steps, chance)):
            remedy, told_all = told_of
            known_puts = game.put_right(rules, state, remedy, told_all, chance)
            assert not isinstance(known_puts, Illegal), known_puts
            faces = [one.card for one in known_puts if one.target.zone in ("row", "table")]
            told_seen = msgspec.structs.replace(told_all, cards=(), layout=seen_layout, step=seen_steps[-1])
            seen_puts = game.put_right(rules, seen, remedy, told_seen, TableChance((), faces))
            assert not isinstance(seen_puts, Illegal), seen_puts
            state, seen = game.amend(state, Note(known_puts)), game.amend(seen, Note(seen_puts))
            known_notes.append((len(known_steps), Note(known_puts)))
            notes.append((len(seen_steps), Note(seen_puts)))
        assert seen == game.hide_state(state, PUBLIC) or (amend and not notes)
    hands: tuple[Cards, ...] | None = None
    if hands_due(seen):
        assert check_hands(game, rules, seen, state.hands) == ()
        hands, seen = state.hands, show_hands(seen, state.hands)
    known = Record(dealer, layout, known_steps, None, known_notes)
    return Sides(rules, known, state, Record(dealer, seen_layout, seen_steps, hands, notes), seen, number_of)


def opened(layout: Any) -> Cards:
    """The cards of a layout that lie open."""
    found: Cards = getattr(layout, "table", ()) or getattr(layout, "row", ())
    return found


def _some(game: Game, state: Any, chance: random.Random, seat: int) -> Iterator[Any]:
    for _ in range(20):
        yield anything(game, state, chance, seat)


def _must_say_keep(move: Any, effects: Any, seat: int) -> bool:
    """In Tabu an unplayable card ends the turn; where nobody else saw it the player says so."""
    return isinstance(move, tabu.Draw) and not effects.forced and effects.next not in (seat, None)
