"""Sabo cards played out of turn and let stand (rules 4.2): order, who follows, who takes the trick, what they claim."""

import msgspec
import pytest

from referee.rules import sabo
from referee.rules.cards import PUBLIC, Card, Sight
from referee.rules.chance import Told
from referee.rules.proof import Record, proofs
from referee.rules.sabo import Effects, Hand, Place, Played, Rules, State
from referee.rules.sabo.proof import Show, audit
from referee.rules.verdict import Claim, Illegal, claims_in
from tests.rules.observing import Made, both_sides
from tests.rules.sabo_table import CLASSIC, at, codes, move_of, refused, run


def stand(state: State, seat: int, word: Card | int) -> tuple[Effects, State]:
    """A move that is refused and may be let stand, made all the same."""
    assert {fault.code for fault in refused(state, seat, word)} <= sabo.CAN_STAND
    effects = sabo.play(CLASSIC, state, seat, move_of(word), Told(()))
    return effects, sabo.evolve(state, seat, move_of(word), effects)


def table() -> State:
    """Seat 0 leads; each holds a card of every suit."""
    return at("5S 5H 5D 5C", "6S 6H 6D 6C", "7S 7H 7D 7C", "8S 8H 8D 8C")


def test_both_stand_in_the_order_made_and_the_skipped_seat_acts_next() -> None:
    _, led = run(table(), "5H")
    effects, state = stand(led, 3, "8H")
    assert (effects.next, effects.winner, state.turn, state.leader) == (1, None, 1, 0)
    assert state.played == (Played("5H", 0), Played("8H", 3))
    _, state = run(state, "6H")
    assert state.turn == 2
    effects, state = run(state, "7H")
    # ranks run down: the 5H is the highest heart
    assert (effects.winner, effects.next, state.tricks, state.leader) == (0, 0, (1, 0, 0, 0), 0)
    assert state.taken == ("5H", "8H", "6H", "7H")


def test_the_trick_goes_to_the_seat_that_played_the_card_wherever_it_lies() -> None:
    _, state = run(at("9S 2D", "6S 6D", "7S 7D", "AS 8D"), "9S")
    _, state = stand(state, 3, "AS")
    _, state = run(state, "6S")
    effects, state = run(state, "7S")
    assert (effects.winner, state.turn, state.tricks) == (3, 3, (0, 0, 0, 1))


def test_several_are_skipped_and_then_it_goes_on_clockwise() -> None:
    _, state = run(table(), "5H")
    for early, word in ((3, "8H"), (2, "7H")):
        effects, state = stand(state, early, word)
        assert effects.next == 1
    effects, state = run(state, "6H")
    assert effects.winner == 0
    _, state = run(state, "5D")
    effects, state = stand(state, 2, "7D")
    assert effects.next == 1
    effects, _ = run(state, "6D")
    assert effects.next == 3


def test_a_wrong_lead_stands_and_the_rest_follows_clockwise_from_it() -> None:
    effects, state = stand(table(), 2, "7H")
    assert (effects.led, effects.next, state.leader, state.turn) == ("H", 3, 2, 3)
    _, state = run(state, "8H")
    assert state.turn == 0
    _, state = run(state, "5H")
    assert state.turn == 1
    effects, state = run(state, "6H")
    assert (effects.winner, state.turn, state.leader) == (0, 0, 0)
    assert state.tricks == (1, 0, 0, 0)


def test_the_last_trick_ends_the_deal_whoever_was_skipped() -> None:
    _, state = run(at("5H", "6H", "7H"), "5H")
    _, state = stand(state, 2, "7H")
    effects, state = run(state, "6H")
    assert (effects.winner, effects.next, state.turn) == (0, None, None)
    assert codes(refused(state, 1, "6H")) == [("DEAL_OVER", "SB-12")]


def test_nobody_plays_a_second_card_to_a_trick() -> None:
    second = ("PLAYED_TO_TRICK", "SB-11")
    assert second[0] not in sabo.CAN_STAND
    _, state = run(table(), "5H")
    assert codes(refused(state, 0, "5D")) == [("NOT_YOUR_TURN", "SB-4"), second]
    _, state = stand(state, 2, "7H")
    assert codes(refused(state, 2, "7D")) == [("NOT_YOUR_TURN", "SB-4"), second]
    _, state = run(state, "6H", "8H")
    # the next trick is another one
    assert codes(refused(state, 2, "7D")) == [("NOT_YOUR_TURN", "SB-4")]
    unseen = sabo.hide_state(run(table(), "5H")[1], PUBLIC)
    assert sabo.judge(CLASSIC, unseen, 0, Hand("2S")) == Illegal(tuple(refused(unseen, 0, "2S")))
    assert codes(refused(unseen, 0, "2S")) == [("NOT_YOUR_TURN", "SB-4"), second]


def test_duties_of_a_lead_bind_who_leads_out_of_turn() -> None:
    rules = Rules(lead_from_sabo="empty_hand_only")
    state = at("5H", "6H", sabo=(("2D",), ("3D",)))
    skipped, sabo_led = ("NOT_YOUR_TURN", "SB-4"), ("SABO_NOT_ALLOWED", "SB-6")
    for known in (state, sabo.hide_state(state, PUBLIC)):
        assert codes(refused(known, 1, 0, rules)) == [skipped, sabo_led]
        assert codes(refused(known, 1, 0)) == [skipped]


def test_a_card_out_of_turn_makes_its_claims() -> None:
    _, state = run(msgspec.structs.replace(table(), sabo=(("2S",), ("3S",), ("4S",), ("AS",))), "5D")
    unseen = sabo.hide_state(state, PUBLIC)
    void = Claim("NO_LED_SUIT_HELD", "SB-7", 3, {"led": "D"})
    lowest = Claim("LOWEST_OF_SUIT", "SB-8", 3, {"card": "2H", "led": "D"})
    for word, claims in (("2D", ()), ("2C", (void,)), ("2H", (void, lowest)), (0, (void,))):
        verdict = sabo.judge(CLASSIC, unseen, 3, move_of(word))
        assert isinstance(verdict, Illegal)
        assert codes(verdict.violations) == [("NOT_YOUR_TURN", "SB-4")]
        assert claims_in(verdict) == claims
    # a lead takes nothing for granted
    assert claims_in(sabo.judge(CLASSIC, sabo.hide_state(table(), PUBLIC), 3, Hand("2H"))) == ()


def test_what_is_refused_out_of_turn_tells_of_no_other_hand() -> None:
    """The verdict is the same whatever the others hold."""
    _, state = run(table(), "5D")
    blind = sabo.hide_state(state, Sight(seat=2))
    for word in ("7D", "7S", "6C"):
        assert sabo.judge(CLASSIC, state, 2, move_of(word)) == sabo.judge(CLASSIC, blind, 2, move_of(word))


def test_a_revoke_out_of_turn_is_proven_when_the_suit_comes_out() -> None:
    layout = sabo.lay_open(CLASSIC, 4, ())
    state, steps = sabo.start(3, layout), list[Made]()
    for seat, card in [(0, "5D"), (3, "8C"), (1, "6D"), (2, "7D"), (3, "8D")]:
        made = Made(seat, Hand(card), sabo.play(CLASSIC, state, seat, Hand(card), Told()))
        state = sabo.evolve(state, seat, made.move, made.effects)
        steps.append(made)
    found = proofs(sabo, CLASSIC, Record(3, layout, steps))
    assert [(one.move, one.claim.code, one.status, one.by) for one in found] == [(2, "NO_LED_SUIT_HELD", "refuted", 5)]


@pytest.mark.parametrize("seed", range(20))
def test_the_audit_finds_exactly_the_faults_whatever_the_order(seed: int) -> None:
    """The public detector goes by who played which card, not by where he sits."""
    sides = both_sides(sabo, seed, fault_rate=0.2, out_of_turn=0.3)
    tricks: list[list[Show]] = []
    at_fault, state = set(), sabo.start(sides.known.dealer, sides.known.layout)
    for step in sides.known.steps:
        seat, move, effects = step.seat, step.move, step.effects
        if effects.trick > len(tricks):
            tricks.append([])
        tricks[-1].append(Show(seat, effects.card, isinstance(move, Place)))
        verdict = sabo.judge(sides.rules, state, seat, move)
        wrong = verdict.violations if isinstance(verdict, Illegal) else ()
        if {fault.clause for fault in wrong} & {"SB-7", "SB-8"}:
            at_fault.add((effects.trick, seat, effects.card))
        state = sabo.evolve(state, seat, move, effects)
    found = audit(sides.rules, len(state.hands), tricks)
    assert {(fault.trick, fault.seat, fault.card) for fault in found} == at_fault
    assert all({show.seat for show in trick} == set(range(len(state.hands))) for trick in tricks)
    assert [sum(step.effects.winner == seat for step in sides.known.steps) for seat in range(len(state.hands))] == [
        *state.tricks
    ]
