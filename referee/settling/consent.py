"""Who must agree to what is settled after the fact (rules 4.1, 4.2)."""

from collections.abc import Sequence
from uuid import UUID, uuid4

from referee import errors
from referee.access import Caller
from referee.events import FREE, Consent
from referee.match import Match
from referee.names import check_text

ARBITER = Consent("arbiter")


def consented(
    who: Caller, now: Match, free: bool, agreed: Sequence[int], why: str | None, seats: Sequence[int] | None = None
) -> Consent:  # fmt: skip
    """On whose word something is done: nobody's while it is free, the arbiter's, or that of `seats`, all unless said.

    Raises Clash CONSENT_MISSING, naming who may do it and who has yet to agree; BadValue where a reason is due.
    """
    if who.role == "spectator":
        raise errors.Forbidden("A spectator settles nothing.")
    if who.role == "arbiter":
        _reason(why)
        return ARBITER
    if free:
        return FREE
    needed = now.active if seats is None else tuple(seats)
    missing = [seat for seat in needed if seat not in agreed]
    whose = "all seats" if needed == now.active else f"seats {', '.join(map(str, needed))}"
    if now.consent == "tokens":
        raise errors.Clash(
            "CONSENT_MISSING", f"This needs the consent of {whose}, each with its own token: POST …/proposals. "
            "The arbiter may do it with a reason.",
        )  # fmt: skip
    if who.role != "scorekeeper" or missing:
        raise errors.Clash(
            "CONSENT_MISSING", f"This needs the consent of {whose}, recorded by the scorekeeper in `agreed`"
            f" (missing: {', '.join(map(str, missing)) or 'none'}), or the arbiter with a reason.",
        )  # fmt: skip
    _reason(why)
    return Consent("spoken", needed)


def words_of(why: str | None) -> tuple[UUID | None, dict[UUID, str]]:
    """A reason as it is kept beside the log, and its id for the event. Raises BadValue for a text that is not taken."""
    if why is None:
        return None, {}
    text, reason = check_text(why)
    if reason:
        raise errors.BadValue(errors.Fault("#/why", reason))
    number = uuid4()
    return number, {number: text}


def _reason(why: str | None) -> None:
    if not why:
        raise errors.BadValue(errors.Fault("#/why", "say why: 1 to 500 visible characters"))
