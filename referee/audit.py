"""Audit is replay: fold a recorded deal, judge every move again, and find the first record that does not follow."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

import msgspec

from referee import dealer, fingerprint
from referee.deal import Deal, evolve
from referee.events import (
    CardsDealt,
    DealerChosen,
    DealFinished,
    DealScored,
    DealStarted,
    MatchOpened,
    MatchWon,
    Moved,
    Recorded,
    SeedRevealed,
)
from referee.match import Match, cut, deal_id, score_deal
from referee.match import evolve as evolve_match
from referee.rules.chance import Told, WrongOutcome
from referee.rules.game import RULESETS
from referee.rules.verdict import Illegal, Violation

What: TypeAlias = Literal[
    "layout", "illegal", "effects", "points", "order", "seed", "shuffle", "dealer", "totals", "winner", "fingerprint"
]


class Divergence(msgspec.Struct, frozen=True):
    """The first record that does not follow from those before it under the deal's own rules.

    `what`: a layout that cannot be, an illegal move, effects or points other than the rules give, an event out of order,
    a seed that does not fit its commitment, an order that does not follow from the seed; in a match's own stream a
    dealer, totals, winners or a fingerprint other than follow from its deals. `move` counts from 1.
    """

    what: What
    version: int
    move: int | None = None
    seat: int | None = None
    violations: tuple[Violation, ...] = ()
    expected: Any = None


def audit(rules: Any, entries: Sequence[Recorded]) -> Divergence | None:
    """The first divergence of a deal's stream, or None when all of it follows. `rules` are the match's house rules."""
    deal: Deal | None = None
    seed: tuple[int, str] | None = None
    for recorded in entries:
        match recorded.event:
            case CardsDealt() as dealt:
                found = _dealt(rules, recorded, dealt) if deal is None else Divergence("order", recorded.version)
            case Moved() as moved:
                found = _moved(rules, recorded, moved, deal)
            case SeedRevealed(value):
                seed, found = (recorded.version, value), None
            case DealFinished(points, lines):
                found = _finished(rules, recorded.version, points, lines, deal)
            case _:
                found = None
        if found:
            return found
        deal = evolve(deal, recorded)
    return _fair(rules, entries, *seed) if seed else None


def audit_match(entries: Sequence[Recorded], deals: Mapping[int, Sequence[Recorded]]) -> Divergence | None:
    """The first divergence of a match's own stream, given the streams of its deals by number; None if all follows."""
    match: Match | None = None
    due: tuple[Any, ...] = ()
    for recorded in entries:
        event = recorded.event
        if due[:1] != (event,) and (due or isinstance(event, MatchWon)):
            return Divergence("winner", recorded.version, expected=due[0] if due else None)
        due = due[1:]
        if (match is None) != isinstance(event, MatchOpened):
            return Divergence("order", recorded.version)
        if match is not None:
            found, due = _in_match(match, recorded, deals)
            if found:
                return found
        elif reasons := _agreed(event):
            return Divergence("order", recorded.version, violations=reasons)
        match = evolve_match(match, recorded)
    return Divergence("winner", len(entries) + 1, expected=due[0]) if due else None


def _agreed(opened: Any) -> tuple[Violation, ...]:
    game = RULESETS[opened.ruleset]
    return game.agree(msgspec.convert(opened.house_rules, game.Rules), len(opened.players))


def _in_match(
    match: Match, recorded: Recorded, deals: Mapping[int, Sequence[Recorded]]
) -> tuple[Divergence | None, tuple[Any, ...]]:
    """What does not follow in an event of a match under way, and the events that must come next."""
    version = recorded.version
    match recorded.event:
        case DealerChosen(seat, "cut", cuts) as chosen if cut(match.kernel, len(match.players), cuts) != chosen:
            return Divergence("dealer", version, seat=seat), ()
        case DealStarted(number, deal, seat):
            if match.winners or match.running or (number, deal) != (len(match.deals) + 1, deal_id(match.id, number)):
                return Divergence("order", version), ()
            if seat != match.next_dealer:
                return Divergence("dealer", version, expected=match.next_dealer), ()
        case DealScored() as scored:
            return _scored(match, version, scored, deals.get(scored.number, ()))
    return None, ()


def _scored(
    match: Match, version: int, scored: DealScored, entries: Sequence[Recorded]
) -> tuple[Divergence | None, tuple[Any, ...]]:
    line = match.running
    end = next((entry.event for entry in entries if isinstance(entry.event, DealFinished)), None)
    if line is None or line.number != scored.number or end is None:
        return Divergence("order", version), ()
    expected, *following = score_deal(match, scored.number, end.points, end.lines, scored.fingerprint or "")
    assert isinstance(expected, DealScored)
    if (scored.points, scored.lines, scored.totals) != (expected.points, expected.lines, expected.totals):
        return Divergence("totals", version, expected=expected.totals), ()
    if scored.fingerprint is not None and scored.fingerprint != fingerprint.after_deal(match.fingerprint, entries):
        return Divergence("fingerprint", version), ()
    return None, tuple(following)


def _dealt(rules: Any, recorded: Recorded, dealt: CardsDealt) -> Divergence | None:
    reasons = RULESETS[dealt.ruleset].check_layout(rules, len(dealt.layout.hands), dealt.layout)
    return Divergence("layout", recorded.version, violations=reasons) if reasons else None


def _moved(rules: Any, recorded: Recorded, moved: Moved, deal: Deal | None) -> Divergence | None:
    if deal is None:
        return Divergence("order", recorded.version)
    game, number = deal.kernel, deal.moves + 1
    verdict = game.judge(rules, deal.state, moved.seat, moved.move)
    if isinstance(verdict, Illegal):
        return Divergence("illegal", recorded.version, number, moved.seat, verdict.violations)
    told = Told(game.outcomes(moved.effects))
    try:
        expected = game.play(rules, deal.state, moved.seat, moved.move, told)
    except WrongOutcome:
        return Divergence("effects", recorded.version, number, moved.seat)
    if expected != moved.effects or told.rest:
        return Divergence("effects", recorded.version, number, moved.seat, expected=expected)
    return None


def _finished(rules: Any, version: int, points: Any, lines: Any, deal: Deal | None) -> Divergence | None:
    if deal is None or deal.state.turn is not None:
        return Divergence("order", version)
    expected = deal.kernel.score(rules, deal.state)
    if lines != expected or points != tuple(sum(line.values()) for line in expected):
        return Divergence("points", version, expected=expected)
    return None


def _fair(rules: Any, entries: Sequence[Recorded], version: int, seed: str) -> Divergence | None:
    """Whether everything asked of chance follows from the revealed seed (see referee.dealer)."""
    first = entries[0].event
    assert isinstance(first, CardsDealt)
    if dealer.commitment(seed) != first.commitment:
        return Divergence("seed", version)
    deal = evolve(None, entries[0])
    game, seats = deal.kernel, len(first.layout.hands)
    chance = dealer.SeededChance(seed, first.words)
    if game.lay_out(rules, seats, first.dealer, chance.pack(game.pack(rules, seats)), chance) != first.layout:
        return Divergence("shuffle", entries[0].version)
    for recorded in entries[1:]:
        if isinstance(moved := recorded.event, Moved):
            again = game.play(
                rules, deal.state, moved.seat, moved.move, dealer.SeededChance(seed, first.words, deal.shuffles)
            )
            if again != moved.effects:
                return Divergence("shuffle", recorded.version, deal.moves + 1, moved.seat)
        deal = evolve(deal, recorded)
    return None
