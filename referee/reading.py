"""What can be read: who calls, matches, deals, replays, events, legal moves."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, Final, TypeVar
from uuid import UUID, uuid4

from referee import access, deal, errors, match
from referee.access import Access, Caller
from referee.deal import Deal
from referee.desk import TRIES, Desk
from referee.events import (
    HiddenCardsRead,
    Recorded,
)
from referee.match import Match, access_id, deal_id
from referee.names import check_name
from referee.rules.cards import Sight
from referee.states import Evolve
from referee.store.log import Conflict

T = TypeVar("T")
V = TypeVar("V", Match, Deal)
LEGAL_SHOWN: Final = 20


class Reading(Desk):
    """The reading half of the service. All methods raise `errors.RefereeError`."""

    async def caller(self, match_id: UUID, token: str | None, command: bool = False) -> Caller:
        """Who holds this token. Raises BadToken, Forbidden (another match's), NotFound.

        For a command a token that was valid when last seen will do: carrying it out makes sure of it.
        """
        if token is None:
            raise errors.BadToken("This needs a token of the match: Authorization: Bearer rf_…")
        issued_for = access.match_of(self.secret, token)
        if issued_for is None:
            raise errors.BadToken("This token was not issued here.")
        if issued_for != match_id:
            raise errors.Forbidden("This token belongs to another match.")
        mark = access.digest(token)
        granted: Access | None = self.states.known(access_id(match_id), access.evolve) if command else None
        if granted is None or mark not in granted.valid:
            granted = await self.load(access_id(match_id), access.evolve)
        if granted is None:
            raise errors.NotFound("There is no such match.")
        held = granted.valid.get(mark)
        if not held:
            raise errors.BadToken("This token has been revoked.")
        return Caller(match_id, held.role, held.seat, mark)

    async def match(self, match_id: UUID, version: int | None = None, at: datetime | None = None) -> Match:
        """A match as it is now, or as it was at `version`, or at a time. Raises NotFound."""
        found: Match | None = await self._loaded(match_id, match.evolve, version, at)
        if found is None:
            raise errors.NotFound("There is no such match, or was not then.")
        return _as_of(found, version)

    async def deal(self, match_id: UUID, number: int, version: int | None = None, at: datetime | None = None) -> Deal:
        """A deal as it is now, or as it was at `version`, or at a time. Raises NotFound."""
        found: Deal | None = await self._loaded(deal_id(match_id, number), deal.evolve, version, at)
        if found is None:
            raise errors.NotFound(f"Deal {number} has not been dealt, or had not been then.")
        return _as_of(found, version)

    async def _loaded(self, stream: UUID, evolve: Evolve, version: int | None, at: datetime | None) -> Any:
        return await (self.load(stream, evolve, version) if at is None else self.as_of(stream, evolve, at))

    async def replay(self, match_id: UUID, number: int, moves: int | None) -> tuple[Deal, Deal, list[Recorded]]:
        """A deal after its first `moves` moves that count (all when None), as it is now, and its stream. Raises NotFound."""
        entries = await self.read(deal_id(match_id, number))
        now: Deal | None = None
        for recorded in entries:
            now = deal.evolve(now, recorded)
        if now is None:
            raise errors.NotFound(f"Deal {number} has not been dealt.")
        if moves is None:
            return now, now, entries
        try:
            return deal.at_move(now, moves), now, entries
        except ValueError:
            raise errors.NotFound(f"Deal {number} has {now.moves} moves; ask for 0 to {now.moves}.") from None

    async def players(
        self, asked: Sequence[tuple[UUID | None, str | None]], pointers: Sequence[str], taken: Sequence[UUID] = ()
    ) -> list[tuple[UUID, str]]:
        """Ids and names of who sits down: a known player by id, or somebody new by name, never one of `taken`.

        Raises BadValue with every fault, each at its pointer.
        """
        known = await self.names([player for player, _ in asked if player])
        found: list[tuple[UUID, str]] = []
        faults = []
        for (player, name), pointer in zip(asked, pointers, strict=True):
            if (name is None) == (player is None):
                faults.append(errors.Fault(pointer, "give either a name or the id of a known player"))
            elif player is not None:
                if player not in known:
                    faults.append(errors.Fault(f"{pointer}/player", "no such player"))
                if player in taken or any(player == other for other, _ in found):
                    faults.append(errors.Fault(f"{pointer}/player", "this player has a seat already"))
                found.append((player, known.get(player, "")))
            else:
                kept, reason = check_name(name or "")
                if reason:
                    faults.append(errors.Fault(f"{pointer}/name", reason))
                found.append((uuid4(), kept))
        if faults:
            raise errors.BadValue(*faults)
        return found

    async def ready(self) -> None:
        """Raises Busy while the log does not answer."""
        await self.available(self.log.words([UUID(int=0)]))

    async def entries(self, stream: UUID, after: int, limit: int) -> list[Recorded]:
        """A page of a stream. Raises NotFound when `after` is past its end, so that a reader never waits in vain."""
        found = await self.read(stream, after, after + limit)
        if not found and after and not await self.read(stream, after - 1, after):
            raise errors.NotFound(f"The stream ends before version {after}: load the whole state again.")
        return found

    async def look(self, who: Caller, found: Deal) -> None:
        """Leave a trace that the arbiter saw hidden cards of a running deal: one for each version seen."""
        if who.role != "arbiter" or found.points is not None:
            return
        stream = access_id(who.match)
        with self.states.looking() as look:
            for _ in range(TRIES):
                granted: Access = await self.load(stream, access.evolve) or Access()
                if granted.looked.get(found.id) == found.version:
                    return
                batches = [self.batch(stream, granted.version, who.name, HiddenCardsRead(found.id, found.version))]
                try:
                    position = await self.available(self.log.append(batches))
                except Conflict:
                    self.states.forget(look, stream)
                    continue
                self.states.appended(look, batches, position)
                return
        raise errors.Busy("The look at hidden cards could not be recorded.")

    def sees(self, who: Caller, found: Deal, seat: int) -> bool:
        """Whether the caller may see this seat's hand."""
        return found.mode == "observed" or sight(who, found).everything or who.seat == seat

    async def legal_moves(self, who: Caller, number: int) -> tuple[Deal, Iterator[Any]]:
        """The deal and, lazily, every legal move of the seat to act. Raises Forbidden if that hand is hidden."""
        found = await self.deal(who.match, number)
        rules = (await self.match(who.match)).rules
        turn = found.to_act
        if turn is not None and not self.sees(who, found, turn):
            raise errors.Forbidden(f"Seat {turn} is to act, and its legal moves would show its hand.")
        await self.look(who, found)
        return found, found.kernel.legal_moves(rules, found.state)


def _as_of(found: V, version: int | None) -> V:
    if version is not None and found.version < version:
        raise errors.NotFound(f"It has come to version {found.version} only.")
    return found


def sight(who: Caller, found: Deal) -> Sight:
    """What the caller sees of a deal's hidden cards."""
    return who.sight(found.dealt_by, found.points is not None, found.seats)
