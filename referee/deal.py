"""Decide and evolve of one deal: the layout, the moves, the end."""

from collections.abc import Iterable
from typing import Any, Final
from uuid import UUID

import msgspec

from referee import dealer
from referee.events import (
    CardDrawn,
    CardPlayed,
    CardsDealt,
    DealEvent,
    DealFinished,
    DealtBy,
    Lines,
    Mode,
    Moved,
    Points,
    Recorded,
    SeedRevealed,
    TurnPassed,
)
from referee.match import DealLine, Match
from referee.rules.chance import Chance
from referee.rules.game import RULESETS, Game
from referee.rules.verdict import Illegal


class Deal(msgspec.Struct, frozen=True):
    """A deal after `version` events; `state` is the game's own, `points` null until it is finished.

    `moves` counts the moves made, `shuffles` the things asked of chance; `seed` is null until it is revealed.
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
    state: Any
    commitment: str | None = None
    words: tuple[str, ...] = ()
    seed: str | None = None
    moves: int = 0
    shuffles: int = 0
    points: Points | None = None
    lines: Lines | None = None

    @property
    def kernel(self) -> Game:
        """The rules this deal is played under."""
        return RULESETS[self.ruleset]


# ---- decide

SAID: Final[dict[str, type[CardDrawn | TurnPassed]]] = {"draw": CardDrawn, "keep": TurnPassed, "pass": TurnPassed}
"""The event for a move, by the second word of its tag; any other is a card played."""


def said(move: Any) -> type[CardPlayed | CardDrawn | TurnPassed]:
    """The event that a move is written down as."""
    return SAID.get(str(move.__struct_config__.tag).partition(".")[2], CardPlayed)


def deal_cards(match: Match, line: DealLine, seed: str) -> tuple[DealEvent, ...]:
    """Shuffle and deal: everything follows from the seed and the seats' words; of the seed only the commitment is kept."""
    game, seats = match.kernel, len(match.players)
    chance = dealer.SeededChance(seed, line.words)
    layout = game.lay_out(match.rules, seats, line.dealer, chance.pack(game.pack(match.rules, seats)), chance)
    return (
        CardsDealt(
            match=match.id,
            number=line.number,
            ruleset=match.ruleset,
            dealer=line.dealer,
            mode="dealt",
            dealt_by="referee",
            layout=layout,
            commitment=line.commitment,
            shuffles=chance.made,
            words=line.words,
        ),
    )


def lay_out(match: Match, line: DealLine, layout: Any, told_by: DealtBy) -> tuple[DealEvent, ...] | Illegal:
    """Take a layout told by the table; refused when it is not a deal of this game."""
    if reasons := match.kernel.check_layout(match.rules, len(match.players), layout):
        return Illegal(reasons)
    return (CardsDealt(match.id, line.number, match.ruleset, line.dealer, "dealt", told_by, layout),)


def play(
    deal: Deal, rules: Any, seat: int, move: Any, chance: Chance, seed: str | None
) -> tuple[DealEvent, ...] | Illegal:
    """Make a move: what it causes, and the end of the deal with its points when it was the last."""
    game = deal.kernel
    verdict = game.judge(rules, deal.state, seat, move)
    if isinstance(verdict, Illegal):
        return verdict
    effects = game.play(rules, deal.state, seat, move, chance)
    made: tuple[DealEvent, ...] = (said(move)(seat, move, effects),)
    if effects.next is not None:
        return made
    lines = game.score(rules, game.evolve(deal.state, seat, move, effects))
    finished = DealFinished(tuple(sum(line.values()) for line in lines), lines)
    return (*made, SeedRevealed(seed), finished) if seed else (*made, finished)


# ---- evolve


def evolve(deal: Deal | None, recorded: Recorded) -> Deal:
    """The deal after one more event of its stream."""
    event = recorded.event
    if isinstance(event, CardsDealt):
        game = RULESETS[event.ruleset]
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
            state=game.start(event.dealer, event.layout),
            commitment=event.commitment,
            shuffles=event.shuffles,
            words=event.words,
        )
    assert deal is not None, "a deal stream begins with CardsDealt"
    replace = msgspec.structs.replace
    match event:
        case Moved(seat, move, effects):
            state = deal.kernel.evolve(deal.state, seat, move, effects)
            made = deal.shuffles + len(deal.kernel.outcomes(effects))
            return replace(deal, version=recorded.version, state=state, moves=deal.moves + 1, shuffles=made)
        case SeedRevealed(seed):
            return replace(deal, version=recorded.version, seed=seed)
        case DealFinished(points, lines):
            return replace(deal, version=recorded.version, points=points, lines=lines)
        case _:
            return replace(deal, version=recorded.version)


def fold(entries: Iterable[Recorded], moves: int | None = None) -> Deal:
    """The deal after its first `moves` moves, with all that each caused; after all of them when None.

    Raises ValueError when it has fewer moves, or no entries.
    """
    deal: Deal | None = None
    for recorded in entries:
        if deal and moves is not None and deal.moves == moves and isinstance(recorded.event, Moved):
            return deal
        deal = evolve(deal, recorded)
    if deal is None or (moves is not None and deal.moves < moves):
        raise ValueError("the deal has fewer moves")
    return deal
