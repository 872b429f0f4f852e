"""Evolve of one deal, and the decisions of its course: the layout, the moves, the end.

What counts is the effective history: moves taken back or corrected later are in the stream, but no longer in `played`.
"""

from typing import Any, Final
from uuid import UUID

import msgspec

from referee import dealer
from referee.events import (
    CardDrawn,
    CardPlayed,
    CardsDealt,
    Consent,
    DealEvent,
    DealFinished,
    DealtBy,
    HandsShown,
    IrregularityFound,
    IrregularityNoted,
    Lines,
    Mode,
    MoveCorrected,
    Moved,
    MovesTakenBack,
    Points,
    Recorded,
    SeedRevealed,
    TurnPassed,
)
from referee.match import DealLine, Match
from referee.rules.chance import Chance
from referee.rules.game import RULESETS, Game
from referee.rules.verdict import Illegal, Undecided


class Played(msgspec.Struct, frozen=True):
    """A move that counts, and the version at which it was recorded."""

    version: int
    made: Moved


class Deal(msgspec.Struct, frozen=True):
    """A deal after `version` events; `state` is the game's own, `points` null until it is finished.

    `seats` sit at the table, one to a place, and everything here runs by place. `played` are the moves that count,
    `shuffles` the things asked of chance for them; `seed` is null until it is revealed.
    """

    id: UUID
    version: int
    match: UUID
    number: int
    ruleset: str
    dealer: int
    mode: Mode
    dealt_by: DealtBy
    layout: Any
    seats: tuple[int, ...]
    state: Any
    commitment: str | None = None
    words: tuple[str, ...] = ()
    seed: str | None = None
    laid_out_with: int = 0
    shuffles: int = 0
    played: tuple[Played, ...] = ()
    points: Points | None = None
    lines: Lines | None = None
    faults: tuple[IrregularityFound, ...] = ()
    notes: tuple[IrregularityNoted, ...] = ()

    @property
    def kernel(self) -> Game:
        """The rules this deal is played under."""
        return RULESETS[self.ruleset]

    @property
    def moves(self) -> int:
        """How many moves count."""
        return len(self.played)

    @property
    def to_act(self) -> int | None:
        """The seat to act, null when the deal is over."""
        return None if self.state.turn is None else self.seats[self.state.turn]


# ---- decide

SAID: Final[dict[str, type[CardDrawn | TurnPassed]]] = {"draw": CardDrawn, "keep": TurnPassed, "pass": TurnPassed}
"""The event for a move, by the second word of its tag; any other is a card played."""


def deal_cards(match: Match, line: DealLine, seed: str) -> tuple[DealEvent, ...]:
    """Shuffle and deal: everything follows from the seed and the seats' words; of the seed only the commitment is kept."""
    game, places = match.kernel, len(line.seats)
    chance = dealer.SeededChance(seed, line.words)
    cards = chance.pack(game.pack(match.rules, places))
    layout = game.lay_out(match.rules, places, line.seats.index(line.dealer), cards, chance)
    dealt = _dealt(match, line, "referee", layout)
    return (
        msgspec.structs.replace(dealt, commitment=line.commitment, shuffles=chance.made, words=line.words),
    )  # fmt: skip


def lay_out(match: Match, line: DealLine, layout: Any, told_by: DealtBy) -> tuple[DealEvent, ...] | Illegal:
    """Take a layout told by the table; refused when it is not a deal of this game."""
    if reasons := match.kernel.check_layout(match.rules, len(line.seats), layout):
        return Illegal(reasons)
    return (_dealt(match, line, told_by, layout),)


def play(
    deal: Deal, rules: Any, place: int, move: Any, chance: Chance, seed: str | None
) -> tuple[DealEvent, ...] | Illegal:
    """Make a move: what it causes, and the end of the deal with its points when it was the last."""
    game = deal.kernel
    verdict = game.judge(rules, deal.state, place, move)
    if isinstance(verdict, Illegal):
        return verdict
    effects = game.play(rules, deal.state, place, move, chance)
    claims = verdict.claims if isinstance(verdict, Undecided) else ()
    made = said(move)(place, move, effects, claims)
    return (made, *_end(deal, rules, made, seed))


def let_stand(
    deal: Deal, rules: Any, place: int, move: Any, chance: Chance, seed: str | None, consent: Consent, why: UUID | None
) -> tuple[DealEvent, ...] | Illegal:
    """Record an irregular move as it was made, where that is physically possible; a legal one is simply played."""
    game = deal.kernel
    verdict = game.judge(rules, deal.state, place, move)
    if not isinstance(verdict, Illegal):
        return play(deal, rules, place, move, chance, seed)
    if any(violation.code not in game.CAN_STAND for violation in verdict.violations):
        return Illegal(tuple(v for v in verdict.violations if v.code not in game.CAN_STAND))
    effects = game.play(rules, deal.state, place, move, chance)
    made = said(move)(place, move, effects, (), verdict.violations, why, consent)
    return (made, *_end(deal, rules, made, seed))


def said(move: Any) -> type[CardPlayed | CardDrawn | TurnPassed]:
    """The kind of event for a move."""
    return SAID.get(str(type(move).__struct_config__.tag).partition(".")[2], CardPlayed)


def finish(deal: Deal, rules: Any, state: Any, seed: str | None) -> tuple[DealEvent, ...]:
    """The end of a deal whose last move led to `state`: the seed unless it is known, points and score lines."""
    lines = deal.kernel.score(rules, state)
    finished = DealFinished(tuple(sum(line.values()) for line in lines), lines)
    return (SeedRevealed(seed), finished) if seed and not deal.seed else (finished,)


def _end(deal: Deal, rules: Any, made: Moved, seed: str | None) -> tuple[DealEvent, ...]:
    if made.effects.next is not None:
        return ()
    return finish(deal, rules, deal.kernel.evolve(deal.state, made.seat, made.move, made.effects), seed)


def _dealt(match: Match, line: DealLine, by: DealtBy, layout: Any) -> CardsDealt:
    seats = () if line.seats == tuple(range(len(match.players))) else line.seats
    place = line.seats.index(line.dealer)
    return CardsDealt(match.id, line.number, match.ruleset, place, "dealt", by, layout, seats=seats)


# ---- evolve


def evolve(deal: Deal | None, recorded: Recorded) -> Deal:
    """The deal after one more event of its stream."""
    event = recorded.event
    if isinstance(event, CardsDealt):
        return Deal(
            id=recorded.stream,
            version=recorded.version,
            match=event.match,
            number=event.number,
            ruleset=event.ruleset,
            dealer=event.dealer,
            mode=event.mode,
            dealt_by=event.dealt_by,
            layout=event.layout,
            seats=event.seats or tuple(range(len(event.layout.hands))),
            state=RULESETS[event.ruleset].start(event.dealer, event.layout),
            commitment=event.commitment,
            laid_out_with=event.shuffles,
            shuffles=event.shuffles,
            words=event.words,
        )
    assert deal is not None, "a deal stream begins with CardsDealt"
    return msgspec.structs.replace(_after(deal, recorded), version=recorded.version)


def at_move(deal: Deal, moves: int) -> Deal:
    """The deal as it stood after its first `moves` moves that count. Raises ValueError when it has fewer."""
    if not 0 <= moves <= deal.moves:
        raise ValueError("the deal has fewer moves")
    return _with_moves(deal, deal.played[:moves])


def _after(deal: Deal, recorded: Recorded) -> Deal:
    replace = msgspec.structs.replace
    match recorded.event:
        case Moved(place, move, effects) as made:
            state = deal.kernel.evolve(deal.state, place, move, effects)
            shuffles = deal.shuffles + len(deal.kernel.outcomes(effects))
            played = (*deal.played, Played(recorded.version, made))
            return replace(deal, state=state, shuffles=shuffles, played=played)
        case MovesTakenBack(kept=kept):
            return _with_moves(deal, deal.played[:kept])
        case MoveCorrected(number=number, moves=moves):
            now = tuple(
                Played(recorded.version, said(m.move)(m.seat, m.move, m.effects, irregular=m.irregular)) for m in moves
            )
            return _with_moves(deal, (*deal.played[: number - 1], *now))
        case HandsShown(hands):
            return replace(deal, state=deal.kernel.show_hands(deal.state, hands))
        case IrregularityFound() as fault:
            return replace(deal, faults=(*deal.faults, fault))
        case IrregularityNoted() as note:
            return replace(deal, notes=(*deal.notes, note))
        case SeedRevealed(seed):
            return replace(deal, seed=seed)
        case DealFinished(points, lines):
            return replace(deal, points=points, lines=lines)
        case _:
            return deal


def _with_moves(deal: Deal, played: tuple[Played, ...]) -> Deal:
    """The deal folded again from its layout with just these moves, not finished."""
    game, state, shuffles = deal.kernel, deal.kernel.start(deal.dealer, deal.layout), deal.laid_out_with
    for one in played:
        state = game.evolve(state, one.made.seat, one.made.move, one.made.effects)
        shuffles += len(game.outcomes(one.made.effects))
    return msgspec.structs.replace(deal, state=state, shuffles=shuffles, played=played, points=None, lines=None)
