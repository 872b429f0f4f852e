"""What a Tablanet table puts right (rules 4.2; TN-4, TN-5)."""

from typing import Any

import msgspec

from referee.rules import tablanet
from referee.rules.amends import Told as Amended
from referee.rules.cards import HIDDEN, PACK
from referee.rules.puts import put
from referee.rules.tablanet import Layout, Rules, State
from referee.rules.verdict import Illegal
from tests.rules.observing import Note
from tests.rules.test_tabu_amends import Places

RULES = Rules(1)


def laid_out(*hands: int, table: str = "") -> State:
    """A deal with hands of these sizes; named cards on the table, the rest of the pack as it comes."""
    lying = tuple(table.split())
    rest = [card for card in PACK if card not in lying]
    dealt = [tuple(rest.pop(0) for _ in range(size)) for size in hands]
    return tablanet.start(0, Layout(tuple(dealt), lying or tuple(rest.pop() for _ in range(4)), tuple(rest)))


def layout_of(state: State) -> Layout:
    return Layout(state.hands, state.table, state.stock)


def put_right(state: State, remedy: str, *places: int, seen: Any = (), **told: Any) -> State | list[tuple[str, str]]:
    chance = Places(*places, seen=seen)
    puts = tablanet.put_right(RULES, state, remedy, Amended(**told), chance)
    if isinstance(puts, Illegal):
        return [(fault.code, fault.clause) for fault in puts.violations]
    assert (chance.places, chance.unseen) == ([], [])
    assert {(one.source.zone, one.target.zone) for one in puts} <= tablanet.PUTS[remedy]
    after = tablanet.amend(state, Note(puts))
    if HIDDEN not in state.hands[0]:
        assert sorted(tablanet.held(after)) == sorted(PACK)
    return after


def test_surplus_cards_go_under_the_stock_and_a_short_hand_plays_on() -> None:
    state = laid_out(7, 5)
    layout, surplus = layout_of(state), state.hands[0][2]
    told = {"seat": 0, "count": 7, "layout": layout}
    after = put_right(state, "short_hand_plays_on", cards=(surplus,), **told)
    assert isinstance(after, State)
    assert after.hands[0] == tuple(card for card in state.hands[0] if card != surplus)
    assert after.stock == (*state.stock, surplus)
    assert put_right(state, "short_hand_plays_on", seat=1, count=5, layout=layout) == state
    assert put_right(state, "short_hand_plays_on", **told) == [("SURPLUS_CARDS", "TN-4")]
    assert put_right(state, "short_hand_plays_on", **told | {"count": 6}) == [("HAND_ON_RECORD", "TN-4")]
    assert put_right(state, "short_hand_plays_on", **told | {"cards": (state.hands[1][0],)}) == [
        ("CARD_NOT_IN_HAND", "TN-4")
    ]
    assert put_right(state, "short_hand_plays_on", seat=0, layout=layout) == state


def test_of_a_hand_that_nobody_has_seen_a_short_number_is_put_right() -> None:
    unseen = tablanet.lay_open(RULES, 2, ("2S", "3S", "4S", "5S"))
    state = tablanet.start(0, unseen)
    after = put_right(state, "short_hand_plays_on", seat=1, count=5, layout=unseen)
    assert isinstance(after, State)
    assert (len(after.hands[1]), len(after.stock)) == (5, len(state.stock) + 1)
    assert put_right(state, "short_hand_plays_on", seat=1, count=7, layout=unseen) == state


def test_the_second_batch_is_counted_for_itself() -> None:
    """Whatever the first batch was, each later one has full hands by the record."""
    state = laid_out(7, 5)
    layout = layout_of(state)
    later = put(state, ())
    later = State(0, 1, (state.stock[:6], state.stock[6:12]), state.table, state.stock[12:], ((),) * 2, (0, 0), (0, 0))
    puts = tablanet.put_right(RULES, later, "short_hand_plays_on", Amended(0, (), 7, layout), Places())
    assert isinstance(puts, Illegal)


def test_jacks_left_on_the_table_are_exchanged_before_the_first_move_only() -> None:
    state = laid_out(6, 6, table="JS 2C JH 3C")
    after = put_right(state, "clean_up_now", 4)
    assert isinstance(after, State)
    top, following = state.stock[0], state.stock[1]
    assert after.table == ("2C", "3C", top, following)
    assert after.stock[-1] == "JS"
    assert "JH" in after.stock[1:-1]
    step: Any = object()
    assert put_right(state, "clean_up_now", step=step) == state


def test_a_jack_turned_in_its_place_is_a_further_one() -> None:
    state = laid_out(6, 6, table="JS 2C 4C 3C")
    stock = ("JD", *(card for card in state.stock if card != "JD"))
    after = put_right(msgspec.structs.replace(state, stock=stock), "clean_up_now", 3)
    assert isinstance(after, State)
    assert (after.table, after.stock[-1], after.stock.index("JD")) == (("2C", "4C", "3C", stock[1]), "JS", 3)


def test_in_an_observed_deal_the_table_tells_what_was_turned() -> None:
    state = tablanet.start(0, tablanet.lay_open(RULES, 2, ("2S", "3S", "4S", "JS")))
    after = put_right(state, "clean_up_now", 5, seen=("JH", "7H"))
    assert isinstance(after, State)
    assert after.table == ("2S", "3S", "4S", "7H")
    assert set(after.stock) == {HIDDEN}
    assert len(after.stock) == len(state.stock)
