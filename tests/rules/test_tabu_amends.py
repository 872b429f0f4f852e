"""Tabu carried out wrongly, and put right (rules 4.2): what is put where, nothing where the record has it right already."""

import random
from typing import Any

import pytest

from referee.events import CardPlayed
from referee.rules import tabu
from referee.rules.amends import Told as Amended
from referee.rules.cards import HIDDEN, PUBLIC, Sight
from referee.rules.chance import Told, WrongOutcome
from referee.rules.proof import Record, proofs
from referee.rules.puts import Put, Spot, hide_puts, put
from referee.rules.tabu import Effects, Play, Rules, State
from referee.rules.verdict import Illegal
from tests.rules.observing import Made, Note, both_sides
from tests.rules.tabu_table import RULES, at, cards, refusal


class Places(Told):
    """Chance that puts every card at the place told, and shuffles as told."""

    def __init__(self, *places: int, orders: Any = (), seen: Any = ()) -> None:
        super().__init__(orders, seen)
        self.places = list(places)

    def below(self, count: int) -> int:
        place = self.places.pop(0)
        assert 0 <= place < count
        return place


def amended(state: State, remedy: str, chance: Told | None = None, rules: Rules = RULES, **told: Any) -> State:
    """The state after a remedy; no card is lost, and every chance told is asked for."""
    chance = chance or Places()
    puts = tabu.put_right(rules, state, remedy, Amended(**told), chance)
    assert not isinstance(puts, Illegal), puts
    assert chance.rest == []
    assert chance.unseen == []
    assert getattr(chance, "places", []) == []
    zones = {(one.source.zone, one.target.zone) for one in puts}
    assert zones <= tabu.PUTS[remedy]
    after = tabu.amend(state, Note(puts))
    if HIDDEN not in state.hands[0]:
        assert sorted(tabu.held(after)) == sorted(tabu.held(state))
    return after


def refused(state: State, remedy: str, **told: Any) -> list[tuple[str, str]]:
    puts = tabu.put_right(RULES, state, remedy, Amended(**told), Places())
    assert isinstance(puts, Illegal)
    return [(fault.code, fault.clause) for fault in puts.violations]


def carried_out(state: State, move: Play, seat: int = 0, seen: Any = ()) -> tuple[Effects, State]:
    """A move that can stand although it was carried out wrongly."""
    verdict = tabu.judge(RULES, state, seat, move)
    assert isinstance(verdict, Illegal)
    assert {fault.code for fault in verdict.violations} <= tabu.CAN_STAND
    effects = tabu.play(RULES, state, seat, move, Told((), seen))
    return effects, tabu.evolve(state, seat, move, effects)


# ---- carried out wrongly


def test_row_cards_of_the_rank_are_left_lying() -> None:
    state = at("7S 2C|3S", "7H 7D 7C KS", "8S 9S 10S")
    effects, after = carried_out(state, Play("7S", left=cards("7D")))
    assert refusal(state, Play("7S", left=cards("7D"))) == ["CARDS_LEFT_BEHIND TB-9"]
    assert effects.captured == cards("7C 7H 7S")
    assert after.row == cards("7D KS 8S 9S")
    for left in ("KS", "7H 7D 7C", "7S"):
        assert refusal(state, Play("7S", left=cards(left))) == ["NOT_OF_THIS_CARD TB-9"]
    assert refusal(at("JS 2C|3S", "JH 7D", "8S"), Play("JS", left=cards("JH"))) == ["NOT_OF_THIS_CARD TB-9"]


def test_of_two_alike_one_is_left_and_one_is_taken() -> None:
    state = at("7S 2C|3S", "7H 7H KC KS", "8S 9S")
    effects, after = carried_out(state, Play("7S", left=cards("7H")))
    assert (effects.captured, after.row) == (cards("7H 7S"), cards("7H KC KS 8S"))


def test_the_row_is_refilled_wrongly() -> None:
    state = at("7S 2C|3S", "7H 2D KC KS", "JS 9S 10S")
    few, after_few = carried_out(state, Play("7S", turned=()))
    assert (few.turned, after_few.row) == ((), cards("2D KC KS"))
    left, after_left = carried_out(state, Play("7S", turned=cards("JS")))
    assert (left.set_aside, after_left.row, after_left.reserve) == ((), cards("2D KC KS JS"), cards("9S 10S"))
    _, after_many = carried_out(state, Play("7S", turned=cards("JS 9S")))
    assert after_many.row == cards("2D KC KS JS 9S")
    assert refusal(state, Play("7S", turned=())) == ["WRONG_REFILL TB-12"]
    assert tabu.seen(Play("7S", turned=cards("JS")), left) == ()
    with pytest.raises(WrongOutcome, match="not the next"):
        tabu.play(RULES, state, 0, Play("7S", turned=cards("9S")), Told())
    with pytest.raises(WrongOutcome, match="not the next"):
        tabu.play(RULES, state, 0, Play("7S", turned=cards("JS 9S 10S 2S")), Told())
    assert refusal(at("X 2C|3S", "7H", "8S"), Play("X", turned=())) == ["NOT_OF_THIS_CARD TB-12"]
    assert refusal(at("7S|3S", "7H", "8S"), Play("7S", turned=())) == ["NOT_OF_THIS_CARD TB-12"]


def test_in_an_observed_deal_the_move_itself_tells_what_was_turned() -> None:
    state = tabu.start(1, tabu.lay_open(RULES, 2, cards("7H 2D KC KS")))
    effects, after = carried_out(state, Play("7S", turned=cards("JS")))
    assert (effects.turned, after.row) == (cards("JS"), cards("2D KC KS JS"))
    assert set(after.reserve) == {HIDDEN}
    with pytest.raises(WrongOutcome):
        tabu.play(RULES, state, 0, Play("7S", turned=cards("KC")), Told())


def test_draws_after_a_joker_are_forgotten() -> None:
    state = at("X 2C|3S|4S", "7H", "8S 9S 10S")
    effects, after = carried_out(state, Play("X", drew=(1, 0)))
    assert effects.draws == ((1, "8S"), (0, "9S"))
    assert after.hands == (cards("2C 9S"), cards("3S 8S"), cards("4S"))
    assert refusal(state, Play("X", drew=())) == ["DRAWS_FORGOTTEN TB-11"]
    for drew in ((0, 1, 2), (3,), (1, 1)):
        assert refusal(state, Play("X", drew=drew)) == ["NOT_OF_THIS_CARD TB-11"]
    others = Rules(target=100, joker_draws="others")
    assert refusal(state, Play("X", drew=(0,)), rules=others) == ["NOT_OF_THIS_CARD TB-11"]
    assert refusal(at("7S 2C|3S", "7H", "8S"), Play("7S", drew=())) == ["NOT_OF_THIS_CARD TB-11"]
    assert refusal(at("X|3S", "7H", "8S"), Play("X", drew=())) == ["NOT_OF_THIS_CARD TB-11"]


def test_nothing_carried_out_wrongly_is_ever_listed() -> None:
    state = at("7S X 2C|3S", "7H 7D 7C KS", "8S 9S 10S")
    assert set(tabu.legal_moves(RULES, state)) == {Play("7S"), Play("X")}


# ---- put right


def layout(*sizes: int) -> tabu.Layout:
    return tabu.Layout(tuple((HIDDEN,) * size for size in sizes), (), ())


def test_a_short_hand_draws_and_a_surplus_goes_into_the_reserve() -> None:
    state = at("2S 3S 4S 5S|6S 7S 8S 9S 10S QS", "KS", "2H 3H 4H")
    drew = amended(state, "hand_made_right", seat=0, count=4, layout=layout(4, 6))
    assert (drew.hands[0], drew.reserve) == (cards("2S 3S 4S 5S 2H"), cards("3H 4H"))
    back = amended(state, "hand_made_right", Places(1), seat=1, count=6, cards=cards("8S"), layout=layout(4, 6))
    assert (back.hands[1], back.reserve) == (cards("6S 7S 9S 10S QS"), cards("2H 8S 3H 4H"))
    known = {"seat": 1, "layout": layout(4, 6)}
    assert refused(state, "hand_made_right", count=6, **known) == [("SURPLUS_CARDS", "TB-3")]
    assert refused(state, "hand_made_right", count=6, cards=cards("2S"), **known) == [("CARD_NOT_IN_HAND", "TB-3")]
    assert refused(state, "hand_made_right", count=7, cards=cards("8S"), **known) == [("HAND_ON_RECORD", "TB-3")]
    assert amended(state, "hand_made_right", seat=1, layout=layout(4, 6)) == state


@pytest.mark.parametrize(("told", "count", "puts"), [(5, 6, 0), (5, 4, 2), (5, 5, 0), (6, 6, 1), (4, 4, 1), (6, 5, 1)])
def test_of_a_hand_that_nobody_has_seen_the_number_is_put_right_first(told: int, count: int, puts: int) -> None:
    state = at("? ? ? ?|? ? ? ? ?", "KS", "? ? ?")
    made = tabu.put_right(RULES, state, "hand_made_right", Amended(1, (), count, layout(5, told)), Places())
    assert not isinstance(made, Illegal)
    assert len(made) == puts
    assert len(put(state, made).hands[1]) == 5 + (5 - told)
    assert refused(state, "hand_made_right", seat=1, count=count, cards=cards("2S"), layout=layout(5, told)) == [
        ("NOT_OPEN", "TB-3")
    ]


def test_the_discard_is_renewed_for_a_draw_and_counts_as_a_renewal() -> None:
    state = at("2S|3S 4S", "KS", "", "5S JS 6S")
    after = amended(state, "hand_made_right", Places(orders=[cards("6S 5S JS")]), seat=0, count=4, layout=layout(4, 5))
    assert (after.hands[0], after.reserve, after.discard, after.barren) == (cards("2S 6S"), cards("5S JS"), (), 1)
    barren = at("2S|3S 4S", "KS", "", "5S JS 6S", barren=1)
    assert amended(barren, "hand_made_right", seat=0, count=4, layout=layout(4, 5)) == barren


def test_a_row_is_made_right() -> None:
    long = at("2S|3S", "KS QS 10S 9S 8S 7S", "2H")
    after = amended(long, "row_made_right")
    assert (after.row, after.reserve) == (cards("KS QS 10S 9S"), cards("8S 7S 2H"))
    short = at("2S|3S", "KS QS", "JH 2H X 3H 4H")
    after = amended(short, "row_made_right", Places(1, 0))
    assert (after.row, after.reserve) == (cards("KS QS 2H 3H"), cards("X 4H JH"))
    right = at("2S|3S", "KS QS 10S 9S", "2H")
    assert amended(right, "row_made_right") == right
    unseen = at("?|?", "KS QS", "? ? ? ?")
    after = amended(unseen, "row_made_right", Places(seen=cards("JH 2H 3H")))
    assert (after.row, after.reserve) == (cards("KS QS 2H 3H"), ("?", "?"))


def test_a_special_is_cleaned_up() -> None:
    state = at("2S|3S", "KS JS QS X", "2H 3H 4H")
    after = amended(state, "clean_up_now", Places(1, 0))
    assert (after.row, after.reserve) == (cards("KS QS 2H 3H"), cards("X 4H JS"))


def test_cards_left_behind_are_taken_and_the_row_is_completed() -> None:
    effects, state = carried_out(at("7S 2C|3S", "7H 7D 7C KS", "8S 9S 10S QS"), Play("7S", left=cards("7D")))
    step = Made(0, Play("7S", left=cards("7D")), effects)
    after = amended(state, "take_them", step=step)
    assert (after.row, after.captured[0]) == (cards("KS 8S 9S 10S"), cards("7C 7H 7S 7D"))
    assert refused(after, "take_them", step=step) == [("CARD_NOT_ON_TABLE", "TB-9")]
    assert amended(state, "take_them", step=Made(0, Play("7S"), effects)) == state


def test_a_forgotten_draw_is_made_or_lapses() -> None:
    before = at("X 2C|3S|4S", "7H", "8S 9S 10S")
    effects, state = carried_out(before, Play("X", drew=(1, 0)))
    step = Made(0, Play("X", drew=(1, 0)), effects)
    assert amended(state, "draw_now", seat=2, step=step).hands[2] == cards("4S 10S")
    assert amended(state, "draw_now", seat=1, step=step) == state
    regular = tabu.play(RULES, before, 0, Play("X"), Told())
    after = tabu.evolve(before, 0, Play("X"), regular)
    lapsed = amended(after, "draw_lapses", seat=2, step=Made(0, Play("X"), regular))
    assert (lapsed.hands[2], lapsed.reserve) == (cards("4S"), cards("9S"))
    gone = tabu.evolve(after, 2, Play("9S"), Effects(0))
    assert refused(gone, "draw_lapses", seat=2, step=Made(0, Play("X"), regular)) == [("CARD_NOT_IN_HAND", "TB-11")]


def test_a_draw_that_a_jack_imposed_is_made_up_by_whoever_owed_it() -> None:
    state = at("7S 2C|3S", "7H", "8S 9S 10S QS 5H", forced=True)
    verdict = tabu.judge(RULES, state, 0, Play("7S"))
    assert isinstance(verdict, Illegal)
    effects = tabu.play(RULES, state, 0, Play("7S"), Told())
    after = tabu.evolve(state, 0, Play("7S"), effects)
    moved = tabu_moved(0, Play("7S"), effects, verdict)
    assert amended(after, "draw_now", seat=0, step=moved).hands[0] == cards("2C 5H")
    assert amended(after, "draw_now", seat=1, step=moved) == after


def tabu_moved(seat: int, move: Play, effects: Effects, verdict: Illegal) -> Any:

    return CardPlayed(seat, move, effects, (), verdict.violations)


def test_cards_drawn_too_many_go_to_random_places() -> None:
    state = at("2S|3S", "KS", "2H 3H 4H 5H")
    assert amended(state, "surplus_to_reserve", Places(2), seat=0, count=1).reserve == cards("3H 4H 2H 5H")
    assert amended(state, "surplus_to_reserve", Places(2, 0), seat=0, count=2).reserve == cards("3H 4H 5H 2H")
    assert refused(state, "surplus_to_reserve", count=5) == [("SURPLUS_CARDS", "TB-8")]
    unseen = at("?|?", "KS", "? ?")
    assert amended(unseen, "surplus_to_reserve", seat=0, count=1) == unseen


def test_what_was_put_shows_no_hidden_card() -> None:
    hand, top, row = Spot("hands", 1), Spot("reserve", at=0), Spot("row")
    puts = (
        Put("2S", hand, Spot("reserve", at=3)), Put("3S", top, hand), Put("4S", row, Spot("reserve", at=2)),
        Put("5S", top, row), Put("6S", Spot("discard"), Spot("reserve")), Put("7S", top, Spot("reserve", at=1)),
    )  # fmt: skip
    assert [one.card for one in hide_puts(puts, PUBLIC)] == ["?", "?", "4S", "5S", "?", "?"]
    assert [one.card for one in hide_puts(puts, Sight(1))] == ["2S", "3S", "4S", "5S", "?", "?"]
    assert [one.card for one in hide_puts(puts, Sight(0))] == ["?", "?", "4S", "5S", "?", "?"]
    assert {one.target.at for one in hide_puts(puts, PUBLIC)} == {None}
    assert hide_puts((Put("8S", hand, top),), PUBLIC)[0].target.at is None
    assert hide_puts(puts, Sight(everything=True)) == puts


# ---- proofs


def test_a_card_that_was_put_right_may_be_any_card() -> None:
    """The hand that drew late may hold what went out of sight later; a card that went back convicts nobody."""
    rules = Rules(target=100)
    opened = tabu.lay_open(rules, 2, cards("7H 2D KC KS"))
    state = tabu.start(1, opened)
    short = tabu.put_right(rules, state, "hand_made_right", Amended(0, (), 4, opened), Places())
    assert not isinstance(short, Illegal)
    assert [(one.source.zone, one.target.zone) for one in short] == [("hands", "reserve"), ("reserve", "hands")]
    record = Record(1, opened, [], None, [(0, Note(short))])
    assert tabu.check_record(rules, record) == ()


def random_remedy(chance: random.Random, state: State) -> tuple[str, Amended]:
    seat = chance.randrange(len(state.hands))
    step = Made(seat, Play("X", drew=()), Effects(0))
    remedy = chance.choice(sorted(tabu.PUTS))
    return remedy, Amended(seat, (), chance.choice([None, 1, 4, 5, 6]), layout(5, 5, 5), step)


@pytest.mark.parametrize("seed", range(60))
def test_no_remedy_loses_a_card(seed: int) -> None:
    chance = random.Random(seed)
    pack = list(tabu.pack(RULES, 3))
    chance.shuffle(pack)
    cut = sorted(chance.sample(range(len(pack)), 5))
    parts = [tuple(pack[a:b]) for a, b in zip([0, *cut], [*cut, len(pack)], strict=True)]
    state = State(0, 0, tuple(parts[:3]), parts[3][:6], parts[4] + parts[3][6:], parts[5], ((),) * 3)

    class Random(Places):
        def below(self, count: int) -> int:
            return chance.randrange(count)

        def shuffle(self, cards: Any) -> Any:
            return tuple(chance.sample(list(cards), len(cards)))

    for _ in range(6):
        remedy, told = random_remedy(chance, state)
        puts = tabu.put_right(RULES, state, remedy, told, Random())
        if not isinstance(puts, Illegal):
            state = tabu.amend(state, Note(puts))
            assert sorted(tabu.held(state)) == sorted(pack)


def remedies(sizes: tuple[int, ...]) -> Any:
    """Hands of other sizes than five are put right after the fourth move; later rows, jokers and draws now and then."""
    wrong = [seat for seat, size in enumerate(sizes) if size != 5]

    def amend(state: State, steps: list[Made], chance: random.Random) -> tuple[str, Amended] | None:
        if len(steps) < 4:
            return None
        if wrong:
            seat = wrong.pop()
            hands = tuple(("?",) * size for size in sizes)
            surplus = tuple(chance.sample(state.hands[seat], max(0, sizes[seat] - 5)))
            return "hand_made_right", Amended(seat, surplus, sizes[seat], tabu.Layout(hands, (), ()), steps[-1])
        remedy = chance.choice(["row_made_right", "clean_up_now", "take_them", "draw_now"])
        seat = chance.randrange(len(sizes))
        told = Amended(seat, (), None, None, steps[-1])
        puts = tabu.put_right(RULES, state, remedy, told, Random(chance))
        return (remedy, told) if puts and not isinstance(puts, Illegal) and chance.random() < 0.7 else None

    return amend


class Random(Places):
    """Chance of any kind."""

    def __init__(self, chance: random.Random) -> None:
        super().__init__()
        self.chance = chance

    def below(self, count: int) -> int:
        return self.chance.randrange(count)

    def shuffle(self, cards: Any) -> Any:
        return tuple(self.chance.sample(list(cards), len(cards)))


def test_what_was_put_right_never_convicts_who_is_not_at_fault() -> None:
    """Claims refuted on the observed side are false on the side that sees every card; the record stays possible."""
    refuted = put = 0
    for seed in range(150):
        chance = random.Random(seed)
        sizes = tuple(chance.choice([3, 4, 5, 5, 6, 7]) for _ in range(chance.choice([2, 3, 4])))
        cards = chance.sample(tabu.pack(RULES, len(sizes)), 54)
        row = tuple([card for card in cards if card[0] not in "JX"][:4])
        rest = [card for card in cards if card not in row]
        hands = tuple(tuple(rest.pop() for _ in range(size)) for size in sizes)
        known = tabu.Layout(hands, row, tuple(rest))
        seen = tabu.lay_open(RULES, len(sizes), row)
        sides = both_sides(tabu, seed, 0.2, known, RULES, amend=remedies(sizes), seen_layout=seen)
        put += sum(bool(note.puts) for _, note in sides.seen.notes)
        for moves in (5, len(sides.seen.steps)):
            notes = [(after, note) for after, note in sides.seen.notes if after <= moves]
            cut = sides.seen._replace(steps=sides.seen.steps[:moves], hands=None, notes=notes)
            assert tabu.check_record(RULES, cut) == (), (seed, moves)
        true = {(p.move, p.claim.code) for p in proofs(tabu, RULES, sides.known) if p.status == "refuted"}
        for proof in proofs(tabu, RULES, sides.seen):
            if proof.status == "refuted":
                refuted += 1
                assert (sides.number_of[proof.move - 1], proof.claim.code) in true, (seed, proof)
    assert (refuted > 30, put > 100) == (True, True), (refuted, put)


def test_a_card_that_a_remedy_turned_up_is_in_no_hand() -> None:
    opened = tabu.lay_open(RULES, 2, cards("7H 2D KC"))
    turned = Note((Put("9S", Spot("reserve", at=0), Spot("row")),))
    played = Made(0, Play("9S"), Effects(1, captured=cards("9H 9S")))
    assert tabu.check_record(RULES, Record(1, opened, [played], None)) == ()
    found = tabu.check_record(RULES, Record(1, opened, [played], None, [(0, turned)]))
    assert [(fault.code, fault.params["cards"]) for fault in found] == [("CARD_ELSEWHERE", ("9S",))]
