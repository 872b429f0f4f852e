"""Irregularities that are in no move: noted with the remedy that rules 4.2 prescribe as things stand."""

from collections.abc import Sequence
from uuid import UUID

from referee import errors, irregularities
from referee.access import Caller
from referee.deal import Deal
from referee.desk import Plan
from referee.events import Consent, IrregularityNoted
from referee.irregularities import Row, Situation
from referee.match import Match
from referee.rules.cards import HIDDEN, Cards
from referee.service import Referee
from referee.settling.asks import Note
from referee.settling.consent import consented
from referee.settling.moves import deal_of


async def note(
    referee: Referee, who: Caller, now: Match, ask: Note, agreed: Sequence[int], given: Consent | None,
    why: str | None, reason: UUID | None,
) -> Plan:  # fmt: skip
    """Note an irregularity: free where a remedy applies of itself, else by consent or the arbiter.

    Of the cards it changes only what rules 4.2 say of Sabo's face-down ones.
    """
    line, found = await deal_of(referee, now, ask.deal)
    row = row_of(now, ask.what)
    place = place_of(found, ask.seat)
    at = _moment(found, ask.move)
    _, remedy = irregularities.remedy(row, Situation(now, line, found, at))
    consent = given or consented(who, now, not remedy.consent, agreed, why)
    looked_at = _looked_at(found, row, place, ask.place)
    mixed: Cards = ()
    if remedy.name == "mixed_again":
        mixed = await _mixed(referee, who, found, place, ask.told)
    elif ask.told:
        raise errors.BadValue(errors.Fault("#/told", "nothing is mixed again here"))
    event = IrregularityNoted(consent, reason, row.kind, place, remedy.name, at, looked_at, mixed)
    return Plan([referee.batch(found.id, found.version, who.name, event)])


def row_of(now: Match, kind: str) -> Row:
    """The row of an irregularity in this game. Raises BadValue, naming those there are."""
    row = irregularities.ROW.get((kind, now.game))
    if row is None:
        there = ", ".join(kind for kind, game in irregularities.ROW if game == now.game)
        raise errors.BadValue(errors.Fault("#/kind", f"no irregularity of {now.game}; there are: {there}"))
    return row


def place_of(found: Deal, seat: int | None) -> int | None:
    """Where a seat sits at the deal's table. Raises BadValue for one that does not."""
    if seat is not None and seat not in found.seats:
        raise errors.BadValue(errors.Fault("#/seat", f"at this deal sit the seats {', '.join(map(str, found.seats))}"))
    return None if seat is None else found.seats.index(seat)


def _moment(found: Deal, move: int | None) -> int:
    if move is not None and move > found.moves:
        raise errors.BadValue(errors.Fault("#/move", f"the deal has {found.moves} moves"))
    return found.moves if move is None else move


def _looked_at(found: Deal, row: Row, seat: int | None, place: int | None) -> int | None:
    """The place of the sabo card that was looked at. Raises BadValue where none lies there face down."""
    if row.kind != "sabo_looked_at":
        if place is not None:
            raise errors.BadValue(errors.Fault("#/place", "only a sabo card that was looked at has a place"))
        return None
    own = found.state.sabo[seat] if seat is not None else ()
    left = [at for at, card in enumerate(own) if card is not None]
    if place not in left:
        pointer = "#/seat" if seat is None else "#/place"
        raise errors.BadValue(errors.Fault(pointer, f"say whose card, and where it lies: {', '.join(map(str, left))}"))
    return place


async def _mixed(referee: Referee, who: Caller, found: Deal, seat: int | None, told: Cards) -> Cards:
    """How a seat's sabo lie once they are mixed again: as told, else shuffled here; nothing where nobody knows them."""
    if seat is None:
        raise errors.BadValue(errors.Fault("#/seat", "say whose sabo cards are mixed again"))
    own: Cards = found.state.sabo[seat]
    if told and (found.commitment or HIDDEN in own or who.role not in ("arbiter", "scorekeeper")):
        raise errors.Forbidden("Only the scorekeeper or the arbiter may tell a shuffle, where the cards were told.")
    if HIDDEN in own:
        return ()
    return await referee.with_chance(found, (told,) if told else (), (), lambda chance, _: chance.shuffle(own))
