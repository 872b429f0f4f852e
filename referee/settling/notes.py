"""Notes of what was irregular at the table but is in no move, with the remedy that rules 4.2 prescribe as things stand."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from referee import deal, errors, irregularities
from referee.access import Caller
from referee.deal import Deal
from referee.dealer import SeededChance
from referee.desk import Plan, allowed
from referee.events import Consent, IrregularityNoted
from referee.irregularities import Row, Situation
from referee.match import Match
from referee.rules.amends import Told
from referee.rules.cards import HIDDEN, Cards
from referee.rules.chance import Chance
from referee.rules.puts import Put, Shown
from referee.rules.sabo.amends import lies_open
from referee.rules.unseen import unseen_fault
from referee.rules.verdict import Illegal
from referee.service import Referee
from referee.settling.asks import Note
from referee.settling.consent import consented
from referee.settling.moves import deal_of
from referee.settling.rows import place_of, row_of
from referee.ways import COUNTED, goes_back

TOLD: Final = ("place", "told", "cards", "seen", "count")
TAKES: Final = {
    "sabo_looked_at": ("place", "told"),
    "mixed_again": ("told",),
    "short_hand_plays_on": ("count", "cards"),
    "hand_made_right": ("count", "cards", "told"),
    "surplus_to_reserve": ("count",),
    "clean_up_now": ("seen", "told"),
    "row_made_right": ("seen", "told"),
    "take_them": ("seen", "told"),
    "draw_now": ("told",),
}
"""What can be told of cards, by the kind of irregularity or by its remedy."""


async def note(
    referee: Referee, who: Caller, now: Match, ask: Note, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Note an irregularity, and put right what its remedy puts right: free where it applies of itself, else by consent
    or the arbiter. A seat alone moves no cards, and of face-down ones turns or mixes only its own."""
    line, found = await deal_of(referee, now, ask.deal)
    row = row_of(now, ask.what, "#/kind")
    place = place_of(found, ask.seat)
    at = _moment(found, row, place, ask.move)
    situation = Situation(now, line, found, at)
    is_open, remedy = irregularities.remedy(row, situation)
    _only(row.kind, remedy.name, ask)
    if goes_back(row, remedy, situation, ask.seat):
        raise errors.Clash(
            "MOVE_ON_RECORD", f"Move {at} is on record: it is taken back, or made again, with `irregularity` {row.kind}."
            " The remedies of this deal have both requests filled in.",
        )  # fmt: skip
    alone = who.role == "seat" and given is None
    cards: dict[str, Any] = {}
    if row.kind == "sabo_looked_at":
        cards = _looked_at(found, now.rules, place, ask)
    elif remedy.name == "mixed_again":
        cards = {"mixed": await _mixed(referee, who, found, place, ask.told, given)}
    elif row.kind == "wrong_dealer" and is_open and place not in (None, found.dealer) and not found.commitment:
        cards = {"dealer": place}
    elif remedy.name in found.kernel.PUTS:
        made = await _put_right(referee, who, now, found, row, remedy.name, place, at, ask, given)
        if isinstance(made, Illegal) and not alone:
            raise errors.Refused(made.violations, version=found.version)
        # why not may tell of a hand: nothing of it before the others have agreed
        cards = {"puts": ()} if isinstance(made, Illegal) else made
    moves_cards = bool(cards.keys() & {"puts", "dealer"}) or (ask.seat != who.seat and bool(cards))
    consent = given or consented(who, now, not remedy.consent and not (alone and moves_cards), agreed, why)
    after = found.moves if cards else 0
    event = IrregularityNoted(consent, reason, row.kind, place, remedy.name, at, after=after, **cards)
    return Plan([referee.batch(found.id, found.version, who.name, *allowed(deal.note(found, now.rules, event)))])


def _only(kind: str, remedy: str, ask: Note) -> None:
    """Raises BadValue for what is told of cards where nothing is done with them."""
    takes = TAKES.get(kind) or TAKES.get(remedy) or ()
    for name in TOLD:
        if getattr(ask, name) not in (None, ()) and name not in takes:
            fits = f"only {', '.join(takes)} can be told" if takes else "nothing is told of cards"
            raise errors.BadValue(errors.Fault(f"#/{name}", f"{kind}, {remedy}: {fits} here"))


def _moment(found: Deal, row: Row, place: int | None, move: int | None) -> int:
    if move is not None and move > found.moves:
        raise errors.BadValue(errors.Fault("#/move", f"the deal has {found.moves} moves"))
    return irregularities.moment(row, found, place) if move is None else move


def _looked_at(found: Deal, rules: Any, seat: int | None, ask: Note) -> dict[str, Any]:
    """The place of the sabo card that was looked at, and which it is where nobody knew; BadValue where none lies there."""
    own = found.state.sabo[seat] if seat is not None else ()
    left = [at for at, card in enumerate(own) if card is not None]
    if seat is None or ask.place not in left:
        pointer = "#/seat" if seat is None else "#/place"
        raise errors.BadValue(errors.Fault(pointer, f"say whose card, and where it lies: {', '.join(map(str, left))}"))
    if own[ask.place] != HIDDEN:
        if ask.told:
            raise errors.BadValue(errors.Fault("#/told", "which card lies there is on record"))
        return {"place": ask.place}
    if len(ask.told) != 1:
        raise errors.BadValue(errors.Fault("#/told", "say which card lies face up there now: one card"))
    (card,) = ask.told
    if fault := unseen_fault(card, found.kernel.pack(rules, len(found.seats)), found.kernel.held(found.state), "SB-2"):
        raise errors.Refused([fault], version=found.version)
    return {"place": ask.place, "shown": (Shown(seat, ask.place, card),)}


async def _mixed(
    referee: Referee, who: Caller, found: Deal, seat: int | None, told: Cards, given: Consent | None
) -> Cards:  # fmt: skip
    """How a seat's sabo lie once they are mixed again: as told, else shuffled here; nothing where nobody knows them."""
    if seat is None:
        raise errors.BadValue(errors.Fault("#/seat", "say whose sabo cards are mixed again"))
    own: Cards = found.state.sabo[seat]
    if lies_open(found.state, seat):
        raise errors.Clash("SABO_FACE_UP", "One of these sabo cards lies face up: they are not mixed any more.")
    told_by_seat = given is None and who.role not in ("arbiter", "scorekeeper")
    if told and (found.commitment or HIDDEN in own or told_by_seat):
        raise errors.Forbidden("Only the scorekeeper or the arbiter may tell a shuffle, where the cards were told.")
    if HIDDEN in own:
        return ()
    return await referee.with_chance(found, (told,) if told else (), (), lambda chance, _: chance.shuffle(own))


async def _put_right(
    referee: Referee, who: Caller, now: Match, found: Deal, row: Row, remedy: str, place: int | None, at: int, ask: Note,
    given: Consent | None,
) -> dict[str, Any] | Illegal:  # fmt: skip
    """The cards that a remedy puts elsewhere, if any. Raises Clash where that has been done, or the deal is over."""
    if found.state.turn is None:
        if any(getattr(ask, name) not in (None, ()) for name in TOLD):
            raise errors.Clash("DEAL_OVER", f"Deal {found.number} is over: no card of it is put anywhere.")
        return {}
    if ask.cards and given is None and not (ask.seat is not None and referee.sees(who, found, ask.seat)):
        raise errors.Forbidden("Only who may see that hand can name cards of it.")
    if remedy in COUNTED and (place is None or ask.count is None):
        name = "seat" if place is None else "count"
        raise errors.BadValue(errors.Fault(f"#/{name}", "say how many cards the hand was dealt, and whose it is"))
    count = 1 if remedy == "surplus_to_reserve" and ask.count is None else ask.count
    told = Told(place, ask.cards, count, found.layout, found.played[at - 1].made if at else None)

    def decide(chance: Chance, seed: str | None) -> tuple[tuple[Put, ...], int] | Illegal:
        puts = found.kernel.put_right(now.rules, found.state, remedy, told, chance)
        if isinstance(puts, Illegal):
            return puts
        return puts, chance.made - found.shuffles if isinstance(chance, SeededChance) else 0

    orders = (ask.told,) if ask.told else ()
    made = await referee.with_chance(found, orders, ask.seen, decide)
    if isinstance(made, Illegal):
        return made
    puts, shuffles = made
    if puts and irregularities.put_right_before(found, row, place, at):
        raise errors.Clash("PUT_RIGHT", f"{row.kind} was put right here already.")
    return {"puts": puts, "shuffles": shuffles} if puts else {}
