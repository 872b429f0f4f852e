"""Audit of a match's own stream: who deals, what adds up, when it ends - everything that follows from its deals."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

import msgspec

from referee import fingerprint
from referee.audit import Divergence, What
from referee.events import (
    WORD,
    CardsDealt,
    DealerChosen,
    DealFinished,
    DealReopened,
    DealScored,
    DealStarted,
    DealTallied,
    DealVoided,
    DisputeRaised,
    DisputeRuled,
    Lines,
    MatchAbandoned,
    MatchOpened,
    MatchReopened,
    MatchWon,
    PlayerJoined,
    PlayerLeft,
    PlayerSubstituted,
    Points,
    ProposalAnswered,
    ProposalMade,
    Recorded,
    RematchOpened,
    RulingConfirmed,
    ScoreCorrected,
    ShuffleClosed,
    WordAdded,
)
from referee.match import DealLine, Match, cut, deal_id, with_line
from referee.match import evolve as evolve_match
from referee.rules.game import RULESETS
from referee.rules.verdict import Illegal
from referee.scoring import by_seat, score_deal, settle, without

_WORD: Final = re.compile(WORD)


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
        if due:
            if event != due[0]:
                what: What = "totals" if isinstance(due[0], DealScored) else "winner"
                return Divergence(what, version, expected=due[0])
            due, match = due[1:], evolve_match(match, recorded)
            continue
        if (match is None) != isinstance(event, MatchOpened) or (version == 2) != isinstance(event, DealerChosen):
            return Divergence("order", version)
        found = None
        if match is not None:
            found, due = _in_match(match, recorded, deals)
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
    version, line, event = recorded.version, match.running, recorded.event
    waits = line is not None and line.waiting
    match event:
        case DealerChosen() as chosen:
            return None if _chosen(match, chosen) else Divergence("dealer", version, seat=chosen.seat), ()
        case DealStarted() as started:
            return _started(match, version, started), ()
        case WordAdded(number, seat, word) if line and waits and number == line.number:
            free = seat in line.seats and not line.words[line.seats.index(seat)]
            return None if free and _WORD.match(word) else Divergence("words", version, seat=seat), ()
        case ShuffleClosed(number) if line and waits and number == line.number:
            return None, ()
        case DealTallied() as told if line and line.mode == "tallied" and told.number == line.number:
            return _tallied(match, recorded, line, told)
        case DealScored() as scored if line and not waits and scored.number == line.number:
            return _scored(match, version, line, scored, deals.get(scored.number, ()))
        case ScoreCorrected() | DealVoided() | DealReopened():
            return _settled(match, version, event, deals)
        case PlayerLeft(seat=seat) if not match.over and seat in match.active:
            goes_on = not match.kernel.agree(match.rules, len(match.active) - 1)
            return None, without(match, seat) if goes_on else ()
        case _:
            what: What = "winner" if isinstance(event, MatchWon | MatchReopened) else "order"
            return None if _in_order(match, event) else Divergence(what, version), ()


def _settled(
    match: Match, version: int, event: Any, deals: Mapping[int, Sequence[Recorded]]
) -> tuple[Divergence | None, tuple[Any, ...]]:
    """Whether totals follow from a result that was corrected, voided or reopened, and what must come next."""
    line = match.line(event.number)
    if line is None or line.voided or (line.points is None and not isinstance(event, DealVoided)):
        return Divergence("order", version), ()
    changes: dict[str, Any] = {"points": None}
    if isinstance(event, ScoreCorrected):
        if event.points != tuple(sum(part.values()) for part in event.lines) or len(event.points) != len(
            line.points or ()
        ):
            return Divergence("points", version), ()
        if event.fingerprint is not None:
            end = _end(match, line, event.fingerprint, deals.get(line.number, ()))
            if end is None:
                return Divergence("fingerprint", version), ()
            counted = by_seat(match, line.number, end.points, end.lines)
            if counted != (event.points, event.lines):
                return Divergence("points", version, expected=counted[1]), ()
        changes = {"points": event.points}
    elif isinstance(event, DealVoided):
        changes = {"voided": True}
    now, following = settle(match, with_line(match, event.number, **changes))
    if event.totals != now.totals:
        return Divergence("totals", version, expected=now.totals), ()
    return None, following


def _in_order(match: Match, event: Any) -> bool:
    """Whether an event that changes no result may stand here."""
    match event:
        case PlayerJoined(seat=seat, player=player):
            return not match.over and seat == len(match.players) and player not in match.players
        case PlayerSubstituted(seat=seat, player=player):
            return not match.over and seat in match.active and player not in match.players
        case MatchAbandoned():
            return not match.over and match.running is None
        case ProposalMade(number):
            return number == len(match.proposals) + 1
        case ProposalAnswered(number, seat):
            return 0 < number <= len(match.proposals) and not match.proposals[number - 1].done and seat in match.active
        case DisputeRaised(number):
            return number == len(match.disputes) + 1
        case DisputeRuled(dispute, ruling):
            return 0 < dispute <= len(match.disputes) and ruling == len(match.disputes[dispute - 1].rulings) + 1
        case RulingConfirmed(dispute, ruling):
            return 0 < dispute <= len(match.disputes) and ruling == len(match.disputes[dispute - 1].rulings)
        case RematchOpened():
            return True
        case _:
            return False


def _chosen(match: Match, chosen: DealerChosen) -> bool:
    seats = len(match.players)
    if chosen.how == "cut":
        return cut(match.kernel, seats, chosen.cuts) == chosen
    return 0 <= chosen.seat < seats and not chosen.cuts


def _started(match: Match, version: int, started: DealStarted) -> Divergence | None:
    number = len(match.deals) + 1
    if match.over or match.running or (started.number, started.deal) != (number, deal_id(match.id, number)):
        return Divergence("order", version)
    if started.dealer != match.next_dealer:
        return Divergence("dealer", version, expected=match.next_dealer)
    if started.most != match.kernel.most(match.rules, len(match.active)):
        return Divergence("points", version)
    if (started.seats or match.opened_with) != match.active:
        return Divergence("order", version)
    return Divergence("seed", version) if started.waiting and started.commitment is None else None


def _scored(
    match: Match, version: int, line: DealLine, scored: DealScored, entries: Sequence[Recorded]
) -> tuple[Divergence | None, tuple[Any, ...]]:
    """Whether a scored deal is the one that was started, and adds up; and the end of the match if it is due."""
    dealt = entries[0].event if entries else None
    if not isinstance(dealt, CardsDealt) or (dealt.match, dealt.number) != (match.id, line.number):
        return Divergence("order", version), ()
    at_table = dealt.seats or match.opened_with
    if at_table != line.seats or at_table[dealt.dealer : dealt.dealer + 1] != (line.dealer,):
        return Divergence("dealer", version, expected=line.dealer), ()
    if dealt.commitment != line.commitment:
        return Divergence("seed", version), ()
    if dealt.words not in ((), line.words) or (any(line.words) and not dealt.words):
        return Divergence("words", version, expected=line.words), ()
    end = _end(match, line, scored.fingerprint, entries)
    if end is None:
        finished = any(isinstance(entry.event, DealFinished) for entry in entries)
        return Divergence("fingerprint" if finished else "order", version), ()
    if len(end.points) != len(line.seats):
        return Divergence("totals", version), ()
    return _adds_up(match, version, scored, end.points, end.lines)


def _end(match: Match, line: DealLine, mark: str | None, entries: Sequence[Recorded]) -> DealFinished | None:
    """The end of the deal that this fingerprint stands for; the last one where none was taken."""
    before, found = match.mark_before(line.number), None
    for at, entry in enumerate(entries, 1):
        if isinstance(entry.event, DealFinished) and mark in (None, fingerprint.after_deal(before, entries[:at])):
            found = entry.event
    return found


def _tallied(
    match: Match, recorded: Recorded, line: DealLine, told: DealTallied
) -> tuple[Divergence | None, tuple[Any, ...]]:
    """What must come next after a result that was only counted."""
    game = match.kernel
    try:
        lines = game.tally(match.rules, len(line.seats), msgspec.convert(told.tally, game.Tally))
    except msgspec.ValidationError:
        return Divergence("order", recorded.version), ()
    if isinstance(lines, Illegal):
        return Divergence("points", recorded.version, violations=lines.violations), ()
    mark = fingerprint.after_deal(match.mark_before(line.number), [recorded])
    points = tuple(sum(part.values()) for part in lines)
    return None, score_deal(match, line.number, points, lines, mark)


def _adds_up(
    match: Match, version: int, scored: DealScored, points: Points, lines: Lines
) -> tuple[Divergence | None, tuple[Any, ...]]:
    expected, *following = score_deal(match, scored.number, points, lines, scored.fingerprint or "")
    assert isinstance(expected, DealScored)
    if (scored.points, scored.lines, scored.totals) != (expected.points, expected.lines, expected.totals):
        return Divergence("totals", version, expected=expected.totals), ()
    return None, tuple(following)
