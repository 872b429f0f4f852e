"""Moves after the fact: taken back, corrected, or let stand although irregular."""

from collections.abc import Sequence
from typing import Any, NamedTuple
from uuid import UUID

from referee import deal, errors, fingerprint, scoring
from referee.access import Caller
from referee.deal import Deal
from referee.dealer import SeededChance, TableChance
from referee.desk import Plan, allowed
from referee.events import Consent, DealFinished, Made, MoveCorrected, Moved, MovesTakenBack
from referee.match import DealLine, Match
from referee.rules.cards import HIDDEN, PUBLIC, Card, Cards, surplus
from referee.rules.chance import WrongOutcome
from referee.rules.game import Game
from referee.rules.hands import hands_due
from referee.rules.verdict import Illegal, Violation, claims_in
from referee.service import Referee
from referee.settling.asks import CorrectMove, LetStand, TakeBack
from referee.settling.at_fault import at_fault
from referee.settling.consent import consented


async def take_back(
    referee: Referee, who: Caller, now: Match, ask: TakeBack, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Take back the moves after the first `kept`: free for the last turn until another seat acts (rules 4.2).

    What hidden cards it showed stays known, so then only the arbiter may; unless the remedy of the irregularity named
    lets them be seen.
    """
    line, found = await deal_of(referee, now, ask.deal)
    if not found.moves:
        raise errors.Clash("NOTHING_PLAYED", f"No move of deal {ask.deal} counts: there is nothing to take back.")
    if ask.kept >= found.moves:
        raise errors.BadValue(errors.Fault("#/kept", f"the deal has {found.moves} moves: keep 0 to {found.moves - 1}"))
    if line.points is not None and line.number != len(now.deals):
        raise errors.Clash("LATER_DEAL", "A later deal has been started: correct the move or the score instead.")
    if line.points is not None and now.abandoned:
        raise errors.Clash("MATCH_OVER", "The match was abandoned: no deal of it is played on.")
    gone = [one.made for one in found.played[ask.kept :]]
    shown = _exposed(found) or any(found.kernel.reveals(one.move, one.effects) for one in gone)
    wrong = at_fault(now, line, found, ask.kept + 1, ask.irregularity)
    covered = wrong is not None and wrong.remedy.uncovers and not _exposed(found)
    mine = who.role == "scorekeeper" or who.seat == found.seats[gone[0].seat]
    last_turn = len({one.seat for one in gone}) == 1 and not shown
    free = not now.over and mine and (last_turn or (wrong is not None and wrong.open and (covered or not shown)))
    if shown and not covered and (given.how if given else who.role) != "arbiter":
        raise errors.Clash(
            "INFORMATION_EXPOSED", "These moves showed hidden cards: only the arbiter may take them back. What was merely"
            " entered wrongly is put right at …/corrections.",
        )  # fmt: skip
    consent = given or consented(who, now, free, agreed, why)
    back: list[Any] = [MovesTakenBack(consent, reason, ask.kept)]
    if wrong is not None:
        back.append(wrong.note(found, consent, reason, ask.kept + 1, gone))
    batches = [referee.batch(found.id, found.version, who.name, *back)]
    if line.points is not None:
        reopened = scoring.reopen_deal(now, line.number, consent, reason)
        batches.append(referee.batch(now.id, now.version, who.name, *reopened))
    return Plan(batches)


def _exposed(found: Deal) -> bool:
    """Whether the end of the deal has shown cards that would be hidden while it is played: hands, a reserve, the seed."""
    if found.seed is not None or found.points is None:
        return found.seed is not None
    left = found.kernel.held(found.kernel.hide_state(found.state, PUBLIC))
    return found.hands is not None or (found.mode == "dealt" and HIDDEN in left)


async def let_stand(
    referee: Referee, who: Caller, now: Match, ask: LetStand, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Record a move that the rules refuse as it was made at the table, with its violations and the reason."""
    _, found = await deal_of(referee, now, ask.deal)
    consent = given or consented(who, now, False, agreed, why)
    if ask.seat not in found.seats:
        raise errors.BadValue(errors.Fault("#/seat", f"at this deal sit the seats {', '.join(map(str, found.seats))}"))
    _judgeable(referee, who, now, found, ask.seat, ask.move, given)
    place = found.seats.index(ask.seat)
    made = await referee.with_chance(
        found,
        ask.told if not found.commitment else (),
        ask.seen,
        lambda chance, seed: deal.let_stand(found, now.rules, place, ask.move, chance, seed, consent, reason),
    )
    return Plan(await referee.with_end(who, now, found, allowed(made, found.version)))


async def correct_move(
    referee: Referee, who: Caller, now: Match, ask: CorrectMove, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Put another move in the place of an earlier one; the moves after it are judged again, one by one.

    Raises Consequences, naming the moves that would be irregular, unless the arbiter lets them stand.
    """
    line, found = await deal_of(referee, now, ask.deal)
    if not 0 < ask.number <= found.moves:
        raise errors.BadValue(errors.Fault("#/number", f"the deal has {found.moves} moves"))
    last = found.played[ask.number - 1].made
    wrong = at_fault(now, line, found, ask.number, ask.irregularity)
    card = getattr(last.move, "card", None)
    if wrong is not None and wrong.remedy.same_card and getattr(ask.move, "card", None) != card:
        raise errors.BadValue(errors.Fault("#/move/card", f"it is made again with the same card: {card}"))
    in_time = ask.number == found.moves or (wrong is not None and wrong.open)
    slip = who.role == "scorekeeper" and in_time and not now.over and not _exposed(found)
    consent = given or consented(who, now, slip, agreed, why)
    _judgeable(referee, who, now, found, found.seats[last.seat], ask.move, given)
    if line.points is not None and now.abandoned and line.number == len(now.deals):
        raise errors.Clash(
            "MATCH_OVER", "The match was abandoned: its scores can be corrected, its deals are not played."
        )
    if ask.let_stand and consent.how != "arbiter":
        raise errors.Forbidden("Only the arbiter may let later moves stand that become irregular.")
    seed = found.seed or (await referee.seed(found.id) if found.commitment else None)
    try:
        after = corrected(found, now.rules, ask, seed)
    except WrongOutcome as error:
        if error.violation:
            raise errors.Refused([error.violation], version=found.version) from error
        raise errors.BadValue(errors.Fault("#/seen", str(error))) from error
    if after.irregular:
        raise errors.Consequences(after.irregular, final=ask.let_stand)
    events: list[Any] = [MoveCorrected(consent, reason, ask.number, after.moves)]
    stands = after.deal
    if wrong is not None:
        events.append(wrong.note(found, consent, reason, ask.number, [last] if ask.move != last.move else []))
        stands = deal.follow(stands, events[-1])
    if reasons := deal.impossible(stands, now.rules):
        raise errors.Refused(reasons, version=found.version)
    events += deal.found_in(stands, now.rules, ask.number - 1)
    if stands.state.turn is None and not hands_due(stands.state):
        events += deal.finish(stands, now.rules, seed)
    if line.points is None:
        return Plan(await referee.with_end(who, now, found, events))
    batch = referee.batch(found.id, found.version, who.name, *events)
    if isinstance(end := events[-1], DealFinished):
        stream: list[Any] = [*await referee.read(found.id), *batch.entries]
        mark = fingerprint.after_deal(now.mark_before(line.number), stream)
        follows = scoring.correct_score(now, line.number, end.points, end.lines, mark, consent, reason)
    elif line.number == len(now.deals):
        follows = scoring.reopen_deal(now, line.number, consent, reason)
    else:
        raise errors.Clash(
            "LATER_DEAL", "After this correction the deal would not be over, but a later one was started."
        )
    return Plan([batch, referee.batch(now.id, now.version, who.name, *follows)])


class Corrected(NamedTuple):
    """The moves from the corrected one on, the deal they lead to, and those that would be irregular, by number."""

    moves: tuple[Made, ...]
    deal: Deal
    irregular: list[tuple[int, tuple[Violation, ...]]]


def _judgeable(
    referee: Referee, who: Caller, now: Match, found: Deal, seat: int, move: Any, given: Consent | None
) -> None:
    """Raises BadValue for another game's move, Forbidden where the verdict on it would tell of a hand that is hidden."""
    if not isinstance(move, found.kernel.Move):
        raise errors.BadValue(errors.Fault("#/move/type", f"this is a deal of {now.game}"))
    if given is None and not referee.sees(who, found, seat):
        raise errors.Forbidden("The referee dealt this deal: only who may see that hand, or the arbiter, may ask this.")


def corrected(found: Deal, rules: Any, ask: CorrectMove, seed: str | None) -> Corrected:
    """What a correction comes to: every later move judged on the table as it is then. Shuffles keep their outcome
    where they still shuffle the same cards. Raises WrongOutcome where cards were turned up that nobody told of."""
    number, let_stand = ask.number, ask.let_stand
    game, now, moves = found.kernel, deal.at_move(found, number - 1), list[Made]()
    irregular: list[tuple[int, tuple[Violation, ...]]] = []
    old = [one.made for one in found.played[number - 1 :]]
    for place, (seat, told) in enumerate([(old[0].seat, ask.move), *((one.seat, one.move) for one in old[1:])]):
        verdict = game.judge(rules, now.state, seat, told)
        faults = verdict.violations if isinstance(verdict, Illegal) else ()
        possible = all(fault.code in game.CAN_STAND for fault in faults)
        stood = bool(old[place].irregular) and told == old[place].move
        if faults and not (possible and (let_stand or stood)):
            irregular.append((number + place, faults))
            if not possible:
                break
        seen = _seen(game, ask, place, told, old[place])
        chance = (
            SeededChance(seed, found.words, now.shuffles) if seed else Again(game.outcomes(old[place].effects), seen)
        )
        effects = game.play(rules, now.state, seat, told, chance)
        if isinstance(chance, Again) and found.mode == "observed" and chance.unseen:
            raise WrongOutcome(
                f"move {number + place} turns up {len(seen) - len(chance.unseen)} cards, not {len(seen)}"
            )
        moves.append(Made(seat, told, effects, faults, claims_in(verdict)))
        try:
            now = deal.follow_on(found, now, deal.as_moved(moves[-1]))
        except ValueError as error:
            raise errors.Clash(
                "PUT_ELSEWHERE",
                f"After this correction cards that were put right after move {number + place} would not lie there.",
            ) from error
    return Corrected(tuple(moves), deal.corrected(found, number, tuple(moves)), irregular)


def _seen(game: Game, ask: CorrectMove, place: int, told: Any, old: Made | Moved) -> Cards:
    """The cards that the table saw turned up in a move made over: as told now, or then where it turns up any."""
    if place == 0 and ask.seen:
        return ask.seen
    return game.seen(old.move, old.effects) if type(told) is type(old.move) else ()


class Again(TableChance):
    """Chance for a move that is made over: its shuffles come out as they did where they are of the same cards, else anew."""

    def shuffle(self, cards: Sequence[Card]) -> Cards:
        if self.rest and any(surplus(self.rest[0], cards)):
            self.rest.clear()
        return super().shuffle(cards)


async def deal_of(referee: Referee, now: Match, number: int) -> tuple[DealLine, Deal]:
    """A deal that has moves, and its line. Raises NotFound, or Clash for a voided one."""
    line = now.line(number)
    if line is None:
        raise errors.NotFound(f"There is no deal {number}.")
    if line.voided:
        raise errors.Clash("DEAL_VOIDED", f"Deal {number} was voided.")
    return line, await referee.deal(now.id, number)
