"""What if: a deal replayed under other house rules, or with other moves from some move on. Nothing of it is recorded."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from referee.deal import Deal, at_move, follow, follow_on, result, said
from referee.dealer import SeededChance
from referee.events import HandsShown, Lines
from referee.fingerprint import canonical
from referee.rules.cards import Cards
from referee.rules.chance import Chance, Told, WrongOutcome
from referee.rules.hands import check_hands, hands_due
from referee.rules.layouts import layout_faults, no_play
from referee.rules.verdict import Illegal, Violation, claims_in


class Supposed(NamedTuple):
    """A move as it is supposed to have been: by place, null for whoever is to act; shuffles and cards turned up as told."""

    place: int | None
    move: Any
    told: tuple[Cards, ...] = ()
    seen: Cards = ()


class Departure(msgspec.Struct, frozen=True):
    """A move that would have gone otherwise than it was recorded: its number, whose it is by place, why it would have
    been refused, what it would have caused (null where it cannot be made). `recorded` is false for a supposed move."""

    number: int
    place: int
    move: Any
    recorded: bool
    violations: tuple[Violation, ...]
    effects: Any


class WhatIf(msgspec.Struct, frozen=True):
    """The deal as far as it could be followed, and where it departs from the record.

    `stopped` is the first move that cannot be made at all, or before which cards were put that would not lie there;
    `assumed` are moves that shuffle other cards than the record does, so that some order was taken for granted; `lines`
    are the score by place, null while the deal is not over.
    """

    deal: Deal
    departures: tuple[Departure, ...]
    stopped: int | None
    assumed: tuple[int, ...]
    lines: Lines | None


def what_if(deal: Deal, rules: Any, since: int, moves: Sequence[Supposed], seed: str | None) -> WhatIf | Illegal:
    """Replay a deal under `rules`, `moves` in the place of as many recorded ones from move `since` on (from 1).

    Moves that would be irregular are followed where the cards can lie as they were played. The same question has the
    same answer. Illegal where the rules cannot be played by so many, or the cards not be dealt under them.
    """
    game, seats = deal.kernel, len(deal.seats)
    faults = layout_faults(game, rules, seats, deal.layout, deal.mode)
    if reasons := game.agree(rules, seats) or no_play(game, seats, deal.layout, faults):
        return Illegal(reasons)
    now, departures, assumed = at_move(deal, 0), list[Departure](), list[int]()
    now = msgspec.structs.replace(now, notes=deal.notes)
    stopped = None
    for number, one in enumerate(_line(deal, since, moves), 1):
        place = one.place if one.place is not None else now.state.turn if now.state.turn is not None else 0
        verdict = game.judge(rules, now.state, place, one.move)
        faults = verdict.violations if isinstance(verdict, Illegal) else ()
        effects = None
        if all(fault.code in game.CAN_STAND for fault in faults):
            for sure, chance in enumerate(_chances(now, number, one, seed)):
                try:
                    effects = game.play(rules, now.state, place, one.move, chance)
                except WrongOutcome:
                    continue
                assumed += [number] if sure else []
                break
        if departure := _departure(deal, number, place, one, faults, effects):
            departures.append(departure)
        if effects is None:
            stopped = number
            break
        try:
            now = follow_on(deal, now, said(one.move)(place, one.move, effects, claims_in(verdict), faults))
        except ValueError:
            stopped = number + 1
            break
    now = _with_hands(deal, rules, now)
    over = now.state.turn is None and not hands_due(now.state)
    return WhatIf(now, tuple(departures), stopped, tuple(assumed), result(now, rules) if over else None)


def _line(deal: Deal, since: int, moves: Sequence[Supposed]) -> Iterator[Supposed]:
    """The recorded moves with the supposed ones in their places."""
    for number, one in enumerate(deal.played, 1):
        if not since <= number < since + len(moves):
            made = one.made
            told = deal.kernel.outcomes(made.effects), deal.kernel.seen(made.move, made.effects)
            yield Supposed(made.seat, made.move, *told)
        if number == since:
            yield from moves
    if since == deal.moves + 1:
        yield from moves


def _chances(now: Deal, number: int, one: Supposed, seed: str | None) -> Iterator[Chance]:
    """What happened; and where other cards are shuffled than then, some order, the same for the same question."""
    yield SeededChance(seed, now.words, now.shuffles) if seed else Told(one.told, one.seen)
    yield SeededChance(hashlib.sha256(f"what if {now.id} {number}".encode()).hexdigest())


def _departure(
    deal: Deal, number: int, place: int, one: Supposed, faults: tuple[Violation, ...], effects: Any
) -> Departure | None:
    """How a move departs from the record, if it does."""
    then = deal.played[number - 1].made if number <= deal.moves else None
    same_faults = then is not None and canonical(then.irregular) == canonical(faults)
    if then and same_faults and (then.seat, then.move, then.effects) == (place, one.move, effects):
        return None
    recorded = bool(then and (then.seat, then.move) == (place, one.move))
    return Departure(number, place, one.move, recorded, faults, effects)


def _with_hands(deal: Deal, rules: Any, now: Deal) -> Deal:
    """The hands shown at the end of an observed deal, where they can be those of the supposed one."""
    fits = (
        deal.hands is not None and hands_due(now.state) and not check_hands(deal.kernel, rules, now.state, deal.hands)
    )
    return follow(now, HandsShown(deal.hands)) if fits and deal.hands is not None else now
