"""Audit is replay: fold a recorded deal, judge every move again, and find the first record that does not follow."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from referee import dealer, fingerprint
from referee.deal import Deal, evolve, said
from referee.events import (
    WORD,
    CardsDealt,
    DealerChosen,
    DealFinished,
    DealScored,
    DealStarted,
    MatchOpened,
    MatchWon,
    Moved,
    Recorded,
    RematchOpened,
    SeedRevealed,
    ShuffleClosed,
    WordAdded,
)
from referee.match import DealLine, Match, cut, deal_id, score_deal
from referee.match import evolve as evolve_match
from referee.rules.chance import Told, WrongOutcome
from referee.rules.game import RULESETS, Game
from referee.rules.verdict import Illegal, Violation

What: TypeAlias = Literal[
    "agreement", "layout", "illegal", "effects", "points", "order", "seed", "shuffle", "words",
    "dealer", "totals", "winner", "fingerprint",
]  # fmt: skip
_SEED: Final = re.compile(rf"[0-9a-f]{{{2 * dealer.SEED_BYTES}}}")
_WORD: Final = re.compile(WORD)


class Divergence(msgspec.Struct, frozen=True):
    """The first record that does not follow from those before it under the deal's own rules.

    `what`: a layout that cannot be, an illegal move, effects or points other than the rules give, an event out of order,
    a seed that does not fit its commitment or was never revealed, an order that does not follow from the seed; in a
    match's own stream an agreement that cannot be played, a dealer, words, totals, winners or a fingerprint other than
    follow from its deals. `version` is the entry's place in its stream and `move` the move's in its deal, both from 1.
    """

    what: What
    version: int
    move: int | None = None
    seat: int | None = None
    violations: tuple[Violation, ...] = ()
    expected: Any = None


# ---- a deal


def audit(opened: MatchOpened, entries: Sequence[Recorded]) -> Divergence | None:
    """The first divergence of a deal's stream, or None when all of it follows; `opened` as `agreement` has found good."""
    rules = msgspec.convert(opened.house_rules, RULESETS[opened.ruleset].Rules)
    deal: Deal | None = None
    for recorded in entries:
        if found := _in_deal(opened, rules, recorded, deal):
            return found
        deal = evolve(deal, recorded)
    return _fair(rules, entries, deal.seed) if deal and deal.seed else None


def _in_deal(opened: MatchOpened, rules: Any, recorded: Recorded, deal: Deal | None) -> Divergence | None:
    version = recorded.version
    match recorded.event:
        case CardsDealt() as dealt if deal is None:
            return _dealt(opened, rules, version, dealt)
        case Moved() as moved if deal is not None:
            return _moved(rules, version, moved, deal)
        case SeedRevealed(seed) if deal is not None and _played_out(deal) and deal.commitment and deal.seed is None:
            fits = _SEED.fullmatch(seed) and dealer.commitment(seed) == deal.commitment
            return None if fits else Divergence("seed", version)
        case DealFinished(points, lines) if deal is not None and _played_out(deal):
            if deal.commitment and deal.seed is None:
                return Divergence("seed", version)
            expected = deal.kernel.score(rules, deal.state)
            follows = lines == expected and points == tuple(sum(line.values()) for line in expected)
            return None if follows else Divergence("points", version, expected=expected)
        case _:
            return Divergence("order", version)


def _played_out(deal: Deal) -> bool:
    return deal.state.turn is None and deal.points is None


def _dealt(opened: MatchOpened, rules: Any, version: int, dealt: CardsDealt) -> Divergence | None:
    game, seats = RULESETS[opened.ruleset], len(opened.players)
    if dealt.ruleset != opened.ruleset or not _of(game, dealt.layout) or not 0 <= dealt.dealer < seats:
        return Divergence("order", version)
    by_referee = dealt.dealt_by == "referee"
    if (dealt.commitment is None) == by_referee or len(dealt.words) not in ((0, seats) if by_referee else (0,)):
        return Divergence("seed", version)
    if not by_referee and dealt.shuffles:
        return Divergence("shuffle", version)
    reasons = game.check_layout(rules, seats, dealt.layout)
    return Divergence("layout", version, violations=reasons) if reasons else None


def _moved(rules: Any, version: int, moved: Moved, deal: Deal) -> Divergence | None:
    game, number = deal.kernel, deal.moves + 1
    seats, move = len(deal.state.hands), moved.move
    if not _of(game, move) or not _of(game, moved.effects) or type(moved) is not said(move):
        return Divergence("order", version, number)
    if not 0 <= moved.seat < seats:
        return Divergence("order", version, number, moved.seat)
    verdict = game.judge(rules, deal.state, moved.seat, move)
    if isinstance(verdict, Illegal):
        return Divergence("illegal", version, number, moved.seat, verdict.violations)
    told = Told(game.outcomes(moved.effects))
    try:
        expected = game.play(rules, deal.state, moved.seat, move, told)
    except WrongOutcome:
        return Divergence("effects", version, number, moved.seat)
    if expected != moved.effects or told.rest:
        return Divergence("effects", version, number, moved.seat, expected=expected)
    return None


def _of(game: Game, part: msgspec.Struct) -> bool:
    """Whether a layout, a move or effects are this game's."""
    return str(part.__struct_config__.tag).partition(".")[0] == game.NAME


def _fair(rules: Any, entries: Sequence[Recorded], seed: str) -> Divergence | None:
    """Whether everything asked of chance follows from the revealed seed (see referee.dealer)."""
    deal = evolve(None, entries[0])
    game, seats, words = deal.kernel, len(deal.state.hands), deal.words
    chance = dealer.SeededChance(seed, words)
    layout = game.lay_out(rules, seats, deal.dealer, chance.pack(game.pack(rules, seats)), chance)
    if (layout, chance.made) != (deal.layout, deal.shuffles):
        return Divergence("shuffle", entries[0].version)
    for recorded in entries[1:]:
        if isinstance(moved := recorded.event, Moved):
            chance = dealer.SeededChance(seed, words, deal.shuffles)
            if game.play(rules, deal.state, moved.seat, moved.move, chance) != moved.effects:
                return Divergence("shuffle", recorded.version, deal.moves + 1, moved.seat)
        deal = evolve(deal, recorded)
    return None


# ---- a match


def agreement(opened: MatchOpened) -> Divergence | None:
    """What is wrong with what a match was opened under: an unknown ruleset, house rules not whole, the players."""
    game = RULESETS.get(opened.ruleset)
    try:
        rules = msgspec.convert(opened.house_rules, game.Rules) if game else None
    except msgspec.ValidationError:
        rules = None
    if game is None or rules is None:
        return Divergence("agreement", 1, expected=None if game else tuple(RULESETS))
    reasons = game.agree(rules, len(opened.players))
    whole = msgspec.json.encode(rules) == msgspec.json.encode(opened.house_rules) and opened.game == game.NAME
    if reasons or not whole or len(set(opened.players)) < len(opened.players):
        return Divergence("agreement", 1, violations=reasons)
    return None


def audit_match(entries: Sequence[Recorded], deals: Mapping[int, Sequence[Recorded]]) -> Divergence | None:
    """The first divergence of a match's own stream, given the streams of its deals by number; None if all follows."""
    match: Match | None = None
    due: tuple[Any, ...] = ()
    for recorded in entries:
        version, event = recorded.version, recorded.event
        if due[:1] != (event,) and (due or isinstance(event, MatchWon)):
            return Divergence("winner", version, expected=due[0] if due else None)
        due = due[1:]
        if (match is None) != isinstance(event, MatchOpened) or (version == 2) != isinstance(event, DealerChosen):
            return Divergence("order", version)
        if match is not None:
            found, due = (None, ()) if isinstance(event, MatchWon) else _in_match(match, recorded, deals)
        else:
            found = agreement(event)  # type: ignore[arg-type]
        if found:
            return found
        match = evolve_match(match, recorded)
    if due:
        return Divergence("winner", len(entries) + 1, expected=due[0])
    return Divergence("order", len(entries) + 1) if len(entries) < 2 else None


def _in_match(
    match: Match, recorded: Recorded, deals: Mapping[int, Sequence[Recorded]]
) -> tuple[Divergence | None, tuple[Any, ...]]:
    """What does not follow in an event of a match under way, and the events that must come next."""
    version, line = recorded.version, match.running
    waits = line is not None and line.waiting
    match recorded.event:
        case DealerChosen() as chosen:
            return None if _chosen(match, chosen) else Divergence("dealer", version, seat=chosen.seat), ()
        case DealStarted() as started:
            return _started(match, version, started), ()
        case WordAdded(number, seat, word) if line and waits and number == line.number:
            free = 0 <= seat < len(match.players) and not line.words[seat]
            return None if free and _WORD.match(word) else Divergence("words", version, seat=seat), ()
        case ShuffleClosed(number) if line and waits and number == line.number:
            return None, ()
        case DealScored() as scored if line and not waits and scored.number == line.number:
            return _scored(match, version, line, scored, deals.get(scored.number, ()))
        case RematchOpened():
            return None, ()
        case _:
            return Divergence("order", version), ()


def _chosen(match: Match, chosen: DealerChosen) -> bool:
    seats = len(match.players)
    if chosen.how == "cut":
        return cut(match.kernel, seats, chosen.cuts) == chosen
    return 0 <= chosen.seat < seats and not chosen.cuts


def _started(match: Match, version: int, started: DealStarted) -> Divergence | None:
    number = len(match.deals) + 1
    if match.winners or match.running or (started.number, started.deal) != (number, deal_id(match.id, number)):
        return Divergence("order", version)
    if started.dealer != match.next_dealer:
        return Divergence("dealer", version, expected=match.next_dealer)
    if started.most != match.kernel.most(match.rules, len(match.players)):
        return Divergence("points", version)
    return Divergence("seed", version) if started.waiting and started.commitment is None else None


def _scored(
    match: Match, version: int, line: DealLine, scored: DealScored, entries: Sequence[Recorded]
) -> tuple[Divergence | None, tuple[Any, ...]]:
    """Whether a scored deal is the one that was started, and adds up; and the end of the match if it is due."""
    dealt = entries[0].event if entries else None
    end = next((entry.event for entry in entries if isinstance(entry.event, DealFinished)), None)
    if not isinstance(dealt, CardsDealt) or end is None or (dealt.match, dealt.number) != (match.id, line.number):
        return Divergence("order", version), ()
    if dealt.dealer != line.dealer:
        return Divergence("dealer", version, expected=line.dealer), ()
    if dealt.commitment != line.commitment:
        return Divergence("seed", version), ()
    if dealt.words != line.words:
        return Divergence("words", version, expected=line.words), ()
    if len(end.points) != len(match.players):
        return Divergence("totals", version), ()
    expected, *following = score_deal(match, scored.number, end.points, end.lines, scored.fingerprint or "")
    assert isinstance(expected, DealScored)
    if (scored.points, scored.lines, scored.totals) != (expected.points, expected.lines, expected.totals):
        return Divergence("totals", version, expected=expected.totals), ()
    if scored.fingerprint is not None and scored.fingerprint != fingerprint.after_deal(match.fingerprint, entries):
        return Divergence("fingerprint", version), ()
    return None, tuple(following)
