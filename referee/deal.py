"""Evolve of one deal, and the decisions of its course: the layout, the moves, the end.

What counts is the effective history: moves taken back or corrected later are in the stream, but no longer in `played`.
"""

from typing import Any, Final, NamedTuple
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
    Made,
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
from referee.rules.cards import Cards
from referee.rules.chance import Chance
from referee.rules.faults import consequence, false_claims, faults
from referee.rules.game import RULESETS, Game
from referee.rules.hands import check_hands, hands_due, show_hands
from referee.rules.layouts import layout_faults, no_play
from referee.rules.proof import Record
from referee.rules.verdict import Illegal, Undecided, Violation


class Played(msgspec.Struct, frozen=True):
    """A move that counts, and the version at which it was recorded."""

    version: int
    made: Moved


class Noted(NamedTuple):
    """A note that counts, and how many moves counted when it began to: of a card that was put, put right; else, seen."""

    moves: int
    note: IrregularityNoted


class Deal(msgspec.Struct, frozen=True):
    """A deal after `version` events; `state` is the game's own, `points` null until it is finished.

    `seats` sit at the table, one to a place, and everything here runs by place. `played` are the moves that count,
    `shuffles` the things asked of chance for them; `hands` those shown at the end of an observed deal;
    `seed` is null until it is revealed. `irregular`: why the layout is none of the game, where it was let stand, and
    who agreed.
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
    hands: tuple[Cards, ...] | None = None
    points: Points | None = None
    lines: Lines | None = None
    faults: tuple[IrregularityFound, ...] = ()
    notes: tuple[Noted, ...] = ()
    irregular: tuple[Violation, ...] = ()
    consent: Consent | None = None

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


def lay_out(
    match: Match, line: DealLine, layout: Any, told_by: DealtBy, mode: Mode = "dealt",
    consent: Consent | None = None, why: UUID | None = None,
) -> tuple[DealEvent, ...] | Illegal:  # fmt: skip
    """Take a layout told by the table, or one of what lies open where the hands are known to nobody else.

    Refused when it is not a deal of this game, and is not let stand by `consent` or play cannot go on from it (rules 4.2).
    """
    game, places = match.kernel, len(line.seats)
    faults = layout_faults(game, match.rules, places, layout, mode)
    if refused := no_play(game, places, layout, faults) if consent else faults:
        return Illegal(refused)
    dealt = _dealt(match, line, told_by, layout, mode)
    return (msgspec.structs.replace(dealt, irregular=faults, why=why, consent=consent) if faults else dealt,)


def play(
    deal: Deal, rules: Any, place: int, move: Any, chance: Chance, seed: str | None
) -> tuple[DealEvent, ...] | Illegal:
    """Make a move: what it causes, and the end of the deal with its points when it was the last."""
    verdict = deal.kernel.judge(rules, deal.state, place, move)
    if isinstance(verdict, Illegal):
        return verdict
    claims = verdict.claims if isinstance(verdict, Undecided) else ()
    effects = deal.kernel.play(rules, deal.state, place, move, chance)
    return _made(deal, rules, said(move)(place, move, effects, claims), seed)


def let_stand(
    deal: Deal, rules: Any, place: int, move: Any, chance: Chance, seed: str | None, consent: Consent, why: UUID | None
) -> tuple[DealEvent, ...] | Illegal:
    """Record an irregular move as it was made, where that is physically possible; a legal one is simply played."""
    game = deal.kernel
    verdict = game.judge(rules, deal.state, place, move)
    if not isinstance(verdict, Illegal):
        return play(deal, rules, place, move, chance, seed)
    if reasons := tuple(fault for fault in verdict.violations if fault.code not in game.CAN_STAND):
        return Illegal(reasons)
    effects = game.play(rules, deal.state, place, move, chance)
    return _made(deal, rules, said(move)(place, move, effects, verdict.claims, verdict.violations, why, consent), seed)


def show(deal: Deal, rules: Any, hands: tuple[Cards, ...], seed: str | None) -> tuple[DealEvent, ...] | Illegal:
    """Hands shown at the end of an observed deal, by place; with them it can be scored."""
    if reasons := check_hands(deal.kernel, rules, deal.state, hands):
        return Illegal(reasons)
    now = follow(deal, HandsShown(hands))
    if reasons := impossible(now, rules):
        return Illegal(reasons)
    return (HandsShown(hands), *found_in(now, rules, now.moves), *finish(now, rules, seed))


def note(deal: Deal, rules: Any, event: IrregularityNoted) -> tuple[DealEvent, ...] | Illegal:
    """A note with what the cards that it shows prove; refused where no deal could hold them."""
    if not event.puts and not event.shown:
        return (event,)
    now = follow(deal, event)
    if reasons := impossible(now, rules):
        return Illegal(reasons)
    return (event, *found_in(now, rules, now.moves - 1))


def said(move: Any) -> type[CardPlayed | CardDrawn | TurnPassed]:
    """The kind of event for a move."""
    return SAID.get(str(type(move).__struct_config__.tag).partition(".")[2], CardPlayed)


def finish(deal: Deal, rules: Any, seed: str | None) -> tuple[DealEvent, ...]:
    """The end of a deal whose moves are all made: the seed unless it is known, points and score lines."""
    lines = result(deal, rules)
    finished = DealFinished(tuple(sum(line.values()) for line in lines), lines)
    return (SeedRevealed(seed), finished) if seed and not deal.seed else (finished,)


def result(deal: Deal, rules: Any) -> Lines:
    """Score lines of a deal that is over, by place, with what proven faults cost under the match's rules (rules 4.2)."""
    lines = deal.kernel.score(rules, deal.state)
    known = deal.mode != "observed" and not any(one.made.irregular for one in deal.played)
    if known or not deal.kernel.fault_cost(rules):
        return lines
    return consequence(deal.kernel, rules, lines, faults(deal.kernel, rules, record_of(deal)))


def record_of(deal: Deal) -> Record:
    """What the deal's moves prove is a function of this."""
    return Record(deal.dealer, deal.layout, [one.made for one in deal.played], deal.hands, deal.notes)


def _made(deal: Deal, rules: Any, made: Moved, seed: str | None) -> tuple[DealEvent, ...] | Illegal:
    """A move with what it proves, and the end of the deal if it was the last; refused where no deal could hold it."""
    now = follow(deal, made)
    if reasons := impossible(now, rules):
        return Illegal(reasons)
    events: tuple[Any, ...] = (made, *found_in(now, rules, now.moves - 1))
    if made.effects.next is None and not hands_due(now.state):
        events += finish(now, rules, seed)
    return events


def found_in(deal: Deal, rules: Any, since: int = 0) -> list[IrregularityFound]:
    """False claims that the record proves now and that were not found before, which was asked of the first `since` moves:
    only real cards hide any."""
    known = {(fault.kind, fault.seat, fault.move) for fault in deal.faults}
    return [
        IrregularityFound(fault.kind, fault.seat, fault.move, fault.proof, fault.clause)
        for fault in false_claims(deal.kernel, rules, record_of(deal), since)
        if (fault.kind, fault.seat, fault.move) not in known
    ]


def impossible(deal: Deal, rules: Any) -> tuple[Violation, ...]:
    """Why nobody could have held the cards that an observed deal has shown."""
    return deal.kernel.check_record(rules, record_of(deal)) if deal.mode == "observed" else ()


def _dealt(match: Match, line: DealLine, by: DealtBy, layout: Any, mode: Mode = "dealt") -> CardsDealt:
    seats = () if line.seats == match.opened_with else line.seats
    place = line.seats.index(line.dealer)
    return CardsDealt(match.id, line.number, match.ruleset, place, mode, by, layout, seats=seats)


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
            irregular=event.irregular,
            consent=event.consent,
        )
    assert deal is not None, "a deal stream begins with CardsDealt"
    now = follow(deal, event, recorded.version)
    return now if now.version == recorded.version else msgspec.structs.replace(now, version=recorded.version)


def at_move(deal: Deal, moves: int) -> Deal:
    """The deal as it stood after its first `moves` moves that count. Raises ValueError when it has fewer."""
    if not 0 <= moves <= deal.moves:
        raise ValueError("the deal has fewer moves")
    if moves == deal.moves:
        return deal
    version = deal.played[moves - 1].version if moves else 1
    then = _with_moves(deal, deal.played[:moves], moves, tuple(one for one in deal.notes if one.moves <= moves))
    return msgspec.structs.replace(then, version=version, seed=None)


def corrected(deal: Deal, number: int, moves: tuple[Made, ...], version: int = 0) -> Deal:
    """The deal with these moves in the place of those from `number` on."""
    now = tuple(Played(version, as_moved(made)) for made in moves)
    return _with_moves(deal, (*deal.played[: number - 1], *now), number - 1, deal.notes)


def as_moved(made: Made) -> Moved:
    """A move of a correction as the event that it would have been."""
    return said(made.move)(made.seat, made.move, made.effects, made.claims, made.irregular)


def follow(deal: Deal, event: Any, version: int = 0) -> Deal:
    """The deal after an event of its stream; a move is noted with `version`, which otherwise stays as it is."""
    replace, game = msgspec.structs.replace, RULESETS[deal.ruleset]
    match event:
        case Moved() as made:
            # no fields in the pattern: taking them out there costs several times as much
            state = game.evolve(deal.state, made.seat, made.move, made.effects)
            shuffles = deal.shuffles + len(game.outcomes(made.effects))
            played = (*deal.played, Played(version, made))
            # one copy, the version with it
            return replace(deal, version=version or deal.version, state=state, shuffles=shuffles, played=played)
        case MovesTakenBack(kept=kept):
            return _with_moves(deal, deal.played[:kept], kept, _kept_notes(deal, kept))
        case MoveCorrected(number=number, moves=moves):
            return corrected(deal, number, moves, version)
        case HandsShown(hands):
            return replace(deal, state=show_hands(deal.state, hands), hands=hands)
        case IrregularityFound() as fault:
            return replace(deal, faults=(*deal.faults, fault))
        case IrregularityNoted() as note:
            return _noted(deal, note)
        case SeedRevealed(seed):
            return replace(deal, seed=seed)
        case DealFinished(points, lines):
            return replace(deal, points=points, lines=lines)
        case _:
            return deal


def as_noted(deal: Deal, state: Any, moves: int) -> tuple[Any, int]:
    """A state in which `moves` moves count with what was noted then, and how much that asked of chance.

    Raises ValueError where a card that was put does not lie where it was taken from.
    """
    notes = [one.note for one in deal.notes if one.moves == moves]
    for note in notes:
        state = deal.kernel.amend(state, note)
    return state, sum(note.shuffles for note in notes)


def follow_on(deal: Deal, now: Deal, move: Moved) -> Deal:
    """`now`, an earlier standing of `deal` or one supposed, after a move and what `deal` notes there (see `as_noted`)."""
    now = follow(now, move)
    state, asked = as_noted(deal, now.state, now.moves)
    return msgspec.structs.replace(now, state=state, shuffles=now.shuffles + asked)


def _with_moves(deal: Deal, played: tuple[Played, ...], kept: int, notes: tuple[Noted, ...]) -> Deal:
    """The deal folded again from its layout with just these moves and notes, not finished; what the first `kept`, which
    are as they were, had proven stays."""
    game, state, shuffles = deal.kernel, deal.kernel.start(deal.dealer, deal.layout), deal.laid_out_with
    deal = msgspec.structs.replace(deal, notes=notes)
    state, asked = as_noted(deal, state, 0)
    for number, one in enumerate(played, 1):
        shuffles += asked + len(game.outcomes(one.made.effects))
        state, asked = as_noted(deal, game.evolve(state, one.made.seat, one.made.move, one.made.effects), number)
    shuffles += asked
    proven = tuple(fault for fault in deal.faults if fault.proof <= kept)
    begun = msgspec.structs.replace(deal, points=None, lines=None, hands=None, faults=proven)
    return msgspec.structs.replace(begun, state=state, shuffles=shuffles, played=played)


def _kept_notes(deal: Deal, kept: int) -> tuple[Noted, ...]:
    """The notes once only `kept` moves count: cards put later than that lie as before, a card once seen stays seen."""
    return tuple(Noted(min(one.moves, kept), one.note) for one in deal.notes if one.moves <= kept or not one.note.puts)


def _noted(deal: Deal, note: IrregularityNoted) -> Deal:
    """The deal after a note."""
    replace = msgspec.structs.replace
    noted = Noted(note.after if note.puts or note.shown else max(note.move, note.after), note)
    deal = replace(deal, notes=(*deal.notes, noted), shuffles=deal.shuffles + note.shuffles)
    if note.dealer is not None:
        start = deal.kernel.start(note.dealer, deal.layout)
        return replace(deal, dealer=note.dealer, state=as_noted(deal, start, 0)[0])
    if note.mixed and note.seat is not None:
        sabo = (*deal.layout.sabo[: note.seat], note.mixed, *deal.layout.sabo[note.seat + 1 :])
        mixed = replace(deal, layout=replace(deal.layout, sabo=sabo), state=replace(deal.state, sabo=sabo))
        return replace(mixed, laid_out_with=deal.laid_out_with + 1, shuffles=deal.shuffles + 1)
    return replace(deal, state=deal.kernel.amend(deal.state, note))
