"""Audit is replay: fold a recorded deal, judge every move again, and find the first record that does not follow."""

import re
from collections.abc import Sequence
from typing import Any, Final, Literal, TypeAlias

import msgspec

from referee import dealer
from referee.deal import Deal, as_moved, at_move, evolve, follow_on, found_in, impossible, result, said
from referee.events import (
    CardsDealt,
    Consent,
    DealFinished,
    HandsShown,
    IrregularityFound,
    IrregularityNoted,
    MatchOpened,
    MoveCorrected,
    Moved,
    MovesTakenBack,
    Recorded,
    SeedRevealed,
)
from referee.fingerprint import canonical
from referee.irregularities import ROW, Row, put_right_before
from referee.rules.amends import AsPut
from referee.rules.amends import Told as Amended
from referee.rules.cards import HIDDEN, surplus
from referee.rules.chance import Told, WrongOutcome
from referee.rules.game import RULESETS, Game
from referee.rules.hands import check_hands, hands_due
from referee.rules.layouts import layout_faults, no_play
from referee.rules.puts import Shown
from referee.rules.sabo.amends import lies_open
from referee.rules.verdict import Illegal, Violation, claims_in

What: TypeAlias = Literal[
    "agreement", "layout", "illegal", "effects", "points", "order", "seed", "shuffle", "words",
    "dealer", "totals", "winner", "fingerprint", "claims", "hands", "fault",
]  # fmt: skip
MOST_SEATS: Final = 100
_SEED: Final = re.compile(rf"[0-9a-f]{{{2 * dealer.SEED_BYTES}}}")


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


def audit(opened: MatchOpened, entries: Sequence[Recorded]) -> Divergence | None:
    """The first divergence of a deal's stream, or None when all of it follows; `opened` as `agreement` has found good."""
    rules = msgspec.convert(opened.house_rules, RULESETS[opened.ruleset].Rules)
    deal: Deal | None = None
    for recorded in entries:
        if found := _in_deal(opened, rules, recorded, deal):
            return found
        deal = evolve(deal, recorded)
    if deal and (reasons := impossible(deal, rules)):
        return Divergence("illegal", deal.version, deal.moves, violations=reasons)
    return _fair(rules, entries, deal.seed) if deal and deal.seed else None


def _in_deal(opened: MatchOpened, rules: Any, recorded: Recorded, deal: Deal | None) -> Divergence | None:
    version, event = recorded.version, recorded.event
    consent = getattr(event, "consent", None)
    if isinstance(consent, Consent) and not all(0 <= seat < MOST_SEATS for seat in consent.seats):
        return Divergence("order", version)
    if deal is None:
        return _dealt(opened, rules, version, event) if isinstance(event, CardsDealt) else Divergence("order", version)
    match event:
        case Moved() as moved:
            return _moved(rules, version, moved, deal)
        case MovesTakenBack(kept=kept) if 0 <= kept < deal.moves:
            return None
        case MoveCorrected(number=number, moves=moves) as correction if (
            0 < number <= deal.moves and number - 1 + len(moves) == deal.moves
        ):
            return _corrected(rules, version, correction, deal)
        case HandsShown(hands) if hands_due(deal.state):
            reasons = check_hands(deal.kernel, rules, deal.state, hands)
            return Divergence("hands", version, violations=reasons) if reasons else None
        case IrregularityFound() as fault:
            return None if fault in found_in(deal, rules) else Divergence("fault", version, fault.move, fault.seat)
        case IrregularityNoted() as note:
            return _noted(rules, version, note, deal)
        case SeedRevealed(seed) if _played_out(deal) and deal.commitment and deal.seed is None:
            fits = _SEED.fullmatch(seed) and dealer.commitment(seed) == deal.commitment
            return None if fits else Divergence("seed", version)
        case DealFinished(points, lines) if _played_out(deal):
            if deal.commitment and deal.seed is None:
                return Divergence("seed", version)
            expected = result(deal, rules)
            follows = lines == expected and points == tuple(sum(line.values()) for line in expected)
            return None if follows else Divergence("points", version, expected=expected)
        case _:
            return Divergence("order", version)


def _played_out(deal: Deal) -> bool:
    return deal.state.turn is None and deal.points is None and not hands_due(deal.state)


def _dealt(opened: MatchOpened, rules: Any, version: int, dealt: CardsDealt) -> Divergence | None:
    game, places = RULESETS[opened.ruleset], len(dealt.seats) or len(opened.players)
    fits = 0 <= dealt.dealer < places and dealt.mode in ("dealt", "observed") and not game.agree(rules, places)
    if dealt.ruleset != opened.ruleset or not _of(game, dealt.layout) or not fits:
        return Divergence("order", version)
    by_referee = dealt.dealt_by == "referee"
    if (dealt.commitment is None) == by_referee or len(dealt.words) not in ((0, places) if by_referee else (0,)):
        return Divergence("seed", version)
    if not by_referee and dealt.shuffles:
        return Divergence("shuffle", version)
    faults = layout_faults(game, rules, places, dealt.layout, dealt.mode)
    agreed = dealt.consent is not None and dealt.consent.how != "free" and not by_referee
    stands = agreed and not no_play(game, places, dealt.layout, faults)
    if not _same(faults, dealt.irregular) or stands != bool(faults):
        return Divergence("layout", version, violations=faults)
    return None


def _moved(rules: Any, version: int, moved: Moved, deal: Deal) -> Divergence | None:
    game, number = deal.kernel, deal.moves + 1
    places, move = len(deal.state.hands), moved.move
    if not _of(game, move) or not _of(game, moved.effects) or type(moved) is not said(move):
        return Divergence("order", version, number)
    if not 0 <= moved.seat < places:
        return Divergence("order", version, number, moved.seat)
    verdict = game.judge(rules, deal.state, moved.seat, move)
    faults = verdict.violations if isinstance(verdict, Illegal) else ()
    if not _same(faults, moved.irregular) or any(fault.code not in game.CAN_STAND for fault in faults):
        return Divergence("illegal", version, number, moved.seat, faults)
    if not _same(moved.claims, claims_in(verdict)):
        return Divergence("claims", version, number, moved.seat)
    told = Told(game.outcomes(moved.effects), game.seen(move, moved.effects))
    try:
        expected = game.play(rules, deal.state, moved.seat, move, told)
    except WrongOutcome:
        return Divergence("effects", version, number, moved.seat)
    if expected != moved.effects or told.rest or (deal.mode == "observed" and told.unseen):
        return Divergence("effects", version, number, moved.seat, expected=expected)
    return None


def _same(found: Any, recorded: Any) -> bool:
    """Whether two things are written the same: of lists in parameters the log does not say that they were tuples."""
    return canonical(found) == canonical(recorded)  # type: ignore[no-any-return]


def _corrected(rules: Any, version: int, correction: MoveCorrected, deal: Deal) -> Divergence | None:
    """Every move of a correction judged where it stands now, as when it had been played straight."""
    now = at_move(deal, correction.number - 1)
    for made in correction.moves:
        moved = as_moved(made)
        if found := _moved(rules, version, moved, now):
            return found
        try:
            now = follow_on(deal, now, moved)
        except ValueError:
            return Divergence("order", version, now.moves + 1)
    return None


def _noted(rules: Any, version: int, note: IrregularityNoted, deal: Deal) -> Divergence | None:
    """Whether a note fits the deal, and what it says of the cards can be: what its remedy puts where, what lies there."""
    places = range(len(deal.state.hands))
    seated = note.seat is None or note.seat in places
    # what was wrong with a move that has just been taken back is noted with its number
    plain = not note.puts and not note.mixed and note.place is None and note.dealer is None
    gone = plain and note.move == deal.moves + 1 == note.after + 1
    if not seated or not (0 <= note.move <= deal.moves or gone) or not 0 <= note.after <= deal.moves:
        return Divergence("order", version, note.move, note.seat)
    row = ROW.get((note.kind, deal.kernel.NAME))
    if row is None or note.remedy not in [remedy.name for remedy in (row.open, row.late) if remedy]:
        return Divergence("order", version, note.move, note.seat)
    dealt = note.dealer is None or (
        note.kind == "wrong_dealer" and note.dealer == note.seat and not deal.moves and not deal.commitment
    )
    shuffled = not note.shuffles or bool(deal.commitment and note.puts)
    if not (dealt and shuffled and _sabo_fits(deal, row, note) and _puts_fit(rules, deal, row, note)):
        return Divergence("order", version, note.move, note.seat)
    return None


def _puts_fit(rules: Any, deal: Deal, row: Row, note: IrregularityNoted) -> bool:
    """Whether the cards put are those that the remedy puts, once, and none of them is one too many in the deal.

    How many cards a hand was dealt, or drew too many, only the puts tell: any number from which they follow will do.
    """
    if note.puts and (note.after != deal.moves or put_right_before(deal, row, note.seat, note.move)):
        return False
    between = deal.kernel.PUTS.get(note.remedy, frozenset())
    if any((one.source.zone, one.target.zone) not in between for one in note.puts):
        return False
    try:
        after = deal.kernel.amend(deal.state, note)
    except ValueError:
        return False
    whole = deal.kernel.pack(rules, len(deal.seats))
    named = [card for card in deal.kernel.held(after) if card != HIDDEN]
    counts = (None, *range(len(whole) + 1))
    follows = not note.puts or any(_put_for(rules, deal, note, count) == note.puts for count in counts)
    return follows and not surplus(named, whole)[0]


def _put_for(rules: Any, deal: Deal, note: IrregularityNoted, count: int | None) -> Any:
    """What the remedy puts when chance comes out as recorded; None where it cannot."""
    told = msgspec.structs.replace(_told(deal, note), count=count)
    try:
        return deal.kernel.put_right(rules, deal.state, note.remedy, told, AsPut(note.puts))
    except WrongOutcome:
        return None


def _sabo_fits(deal: Deal, row: Row, note: IrregularityNoted) -> bool:
    """Whether Sabo's face-down cards can be as a note says: one looked at, all mixed before the first move, some shown."""
    sabo = getattr(deal.state, "sabo", ())
    if note.place is None and not note.mixed and not note.shown:
        return True
    if not sabo or note.seat is None or (note.mixed and (deal.moves or lies_open(deal.state, note.seat))):
        return False
    own = sabo[note.seat]
    looked_at = row.kind == "sabo_looked_at"
    lies = note.place is None or (looked_at and 0 <= note.place < len(own) and own[note.place] is not None)
    mixed = not note.mixed or (note.remedy == "mixed_again" and sorted(note.mixed) == sorted(own))
    shown = not note.shown or looked_at or not {"take_back", "correct"}.isdisjoint(row.open.ways)
    return lies and mixed and shown and all(_can_show(sabo, card) for card in note.shown)


def _can_show(sabo: Any, shown: Shown) -> bool:
    if not (0 <= shown.seat < len(sabo) and 0 <= shown.place < len(sabo[shown.seat])):
        return False
    return sabo[shown.seat][shown.place] in (shown.card, HIDDEN)


def _told(deal: Deal, note: IrregularityNoted) -> Amended:
    """What the table had told for what was put, as far as the record has it; of a seeded deal all."""
    step = deal.played[note.move - 1].made if note.move else None
    named = tuple(one.card for one in note.puts if one.source.zone == "hands" and one.card != HIDDEN)
    drawn = sum((one.source.zone, one.target.zone) == ("reserve", "reserve") for one in note.puts)
    count = drawn or (None if note.seat is None else len(deal.layout.hands[note.seat]))
    return Amended(note.seat, named, count, deal.layout, step)


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
        event = recorded.event
        now: Deal = deal
        if isinstance(event, IrregularityNoted) and event.mixed:
            mixed = dealer.SeededChance(seed, words, now.shuffles).shuffle(now.state.sabo[event.seat])
            if mixed != event.mixed:
                return Divergence("shuffle", recorded.version, seat=event.seat)
        if isinstance(event, IrregularityNoted) and event.puts:
            chance = dealer.SeededChance(seed, words, now.shuffles)
            puts = game.put_right(rules, now.state, event.remedy, _told(now, event), chance)
            if puts != event.puts or chance.made - now.shuffles != event.shuffles:
                return Divergence("shuffle", recorded.version, seat=event.seat)
        made: list[Moved] = [event] if isinstance(event, Moved) else []
        if isinstance(event, MoveCorrected):
            now, made = at_move(deal, event.number - 1), [as_moved(one) for one in event.moves]
        for one in made:
            chance = dealer.SeededChance(seed, words, now.shuffles)
            if game.play(rules, now.state, one.seat, one.move, chance) != one.effects:
                return Divergence("shuffle", recorded.version, now.moves + 1, one.seat)
            now = follow_on(deal, now, one)
        deal = evolve(deal, recorded)
    return None
