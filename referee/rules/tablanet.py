"""Tablanet, clauses TN-1 to TN-20: captures by value and by sum, four batches to a deal, 24 points.

Tables first, then what a match agrees on, what is laid out, moved and caused, then the rules as plain functions.
"""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias

import msgspec
from msgspec import Meta

from referee.rules import sums
from referee.rules.cards import JOKER, PACK, RANK, Card, Cards, Sight, surplus, without
from referee.rules.chance import Chance
from referee.rules.target import Tie
from referee.rules.verdict import LEGAL, Illegal, Verdict, Violation

NAME: Final = "tablanet"
RULESET: Final = "tablanet@1"
SEATS: Final = (2, 3)
DEALER_CLAUSE: Final = "TN-2"
END_CLAUSE: Final = "TN-20"
HAND_SIZE: Final = {2: 6, 3: 4}
TABLE_SIZE: Final = 4

_NUMBERS: Final = {str(n): n for n in range(2, 11)}
VALUES: Final = {
    "text": _NUMBERS | {"J": 10, "Q": 13, "K": 15},
    "balkan": _NUMBERS | {"J": 12, "Q": 13, "K": 14},
}
ACES: Final[dict[int | str, tuple[int, ...]]] = {1: (1,), 11: (11,), "either": (1, 11)}
PLAY_VALUES: Final = {
    (ace, scale): {card: ACES[ace] if RANK[card] == "A" else (VALUES[scale][RANK[card]],) for card in PACK}
    for ace in ACES
    for scale in VALUES
}
LONGEST: Final = {3: 3, "unlimited": len(PACK)}
LINES: Final = ("aces", "kings", "queens", "jacks", "tens", "ten_of_diamonds", "twos", "bonus", "tablanets")
_LINE_OF_RANK: Final = {"A": "aces", "K": "kings", "Q": "queens", "J": "jacks", "10": "tens", "2": "twos"}
DEAL_BONUS: Final = 3


class Rules(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """House rules of a Tablanet match (rules 6); the value of the ace has no default (TN-9)."""

    ace_value: Literal[1, 11, "either"]
    tablanet_bonus: Literal["none", "card_values", "one_point"] = "none"
    capture_duty: Literal["any", "optional", "maximal"] = "any"
    max_sum_cards: Literal[3, "unlimited"] = 3
    single_match: Literal["value", "rank"] = "value"
    deal_bonus: Literal["most_points", "most_cards"] = "most_points"
    deal_bonus_tie: Literal["nobody", "all"] = "nobody"
    jack_points: Literal[0, 1] = 0
    twos: Literal["all", "clubs_only"] = "all"
    units_per_capture: Literal["any", "one_of_each"] = "any"
    values: Literal["text", "balkan"] = "text"
    target: Annotated[int, Meta(ge=1, le=1_000_000)] = 251
    tie: Tie = "another_deal"


PRESETS: Final[dict[str, dict[str, object]]] = {
    "classic": {},
    "english-251": {
        "ace_value": "either",
        "tablanet_bonus": "card_values",
        "max_sum_cards": "unlimited",
        "deal_bonus": "most_cards",
        "jack_points": 1,
        "twos": "clubs_only",
    },
    "balkan-101": {
        "ace_value": "either",
        "tablanet_bonus": "one_point",
        "capture_duty": "optional",
        "max_sum_cards": "unlimited",
        "deal_bonus": "most_cards",
        "jack_points": 1,
        "twos": "clubs_only",
        "values": "balkan",
        "target": 101,
    },
}


class Opening(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How the four open cards came about: cards turned in order, and the jacks put back among them (TN-5)."""

    turned: Cards
    set_aside: Cards = ()


class Layout(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tablanet"):
    """A deal before the first move: hands by seat, four open cards, the stock from the top (TN-4, TN-6)."""

    hands: tuple[Cards, ...]
    table: Cards
    stock: Cards
    opening: Opening | None = None


class Play(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="tablanet.play"):
    """A card from hand and the table cards it takes; no captures is a lay (TN-8)."""

    card: Card
    captures: Cards = ()


class Leftovers(msgspec.Struct, frozen=True):
    """Table cards that go to the last capturer when the deal ends (TN-17)."""

    to: int
    cards: Cards


class Effects(msgspec.Struct, frozen=True, tag="tablanet", omit_defaults=True):
    """What a move caused. `captured` includes the played card, sorted; `bonus` is what a tablanet pays at once;
    `batch` are the new hands by seat when the dealer gave cards again; `next` is null when the deal is over."""

    next: int | None
    captured: Cards = ()
    tablanet: bool = False
    bonus: int = 0
    batch: tuple[Cards, ...] | None = None
    leftovers: Leftovers | None = None


class State(msgspec.Struct, frozen=True, tag="tablanet"):
    """A deal between two moves. Tuples by seat; `turn` is null once the deal is over; stock from the top."""

    dealer: int
    turn: int | None
    hands: tuple[Cards, ...]
    table: Cards
    stock: Cards
    piles: tuple[Cards, ...]
    tablanets: tuple[int, ...]
    bonuses: tuple[int, ...]
    last_capturer: int | None = None


Move: TypeAlias = Play


# ---- before the first move


def agree(rules: Rules, seats: int) -> tuple[Violation, ...]:
    """Why these rules cannot be played by so many players; empty when they can (TN-1)."""
    if SEATS[0] <= seats <= SEATS[1]:
        return ()
    return (Violation("PLAYER_COUNT", "TN-1", {"players": seats, "least": SEATS[0], "most": SEATS[1]}),)


def pack(rules: Rules, seats: int) -> Cards:
    """The cards a deal is played with (TN-1)."""
    return PACK


def most(rules: Rules, seats: int) -> int | None:
    """The most that one seat can score in a deal, in points (TN-18 to TN-20, N9)."""
    points = sum(_card_points(rules, card) for card in PACK) + DEAL_BONUS
    if rules.tablanet_bonus == "one_point":
        points += 48 // seats
    elif rules.tablanet_bonus == "card_values":
        points += sum(map(max, PLAY_VALUES[rules.ace_value, rules.values].values()))
    return points


def last_deal(rules: Rules, number: int) -> bool:
    """Whether no deal may follow deal `number`, whatever the totals: never in Tablanet."""
    return False


def lay_out(rules: Rules, seats: int, dealer: int, cards: Cards, chance: Chance) -> Layout:
    """Hands, open table and stock from a shuffled pack, top card first, jacks cleaned up (TN-4, TN-5)."""
    hands, rest = _batch(cards, seats, dealer)
    stock = list(rest)
    turned: list[Card] = []
    table: list[Card] = []
    jacks: list[Card] = []
    while len(table) < TABLE_SIZE:
        card = stock.pop(0)
        turned.append(card)
        (jacks if RANK[card] == "J" else table).append(card)
    if jacks:
        stock.append(jacks[0])
    for jack in jacks[1:]:
        stock.insert(1 + chance.below(len(stock) - 1), jack)
    return Layout(hands, tuple(table), tuple(stock), Opening(tuple(turned), tuple(jacks)))


def check_layout(rules: Rules, seats: int, layout: Layout) -> tuple[Violation, ...]:
    """Why a layout cannot be dealt: counts, cards of the pack, jacks on the table (TN-4 to TN-6)."""
    found = []
    size = HAND_SIZE[seats]
    counts = [len(hand) for hand in layout.hands]
    if counts != [size] * seats or len(layout.table) != TABLE_SIZE:
        params = {"hands": counts, "table": len(layout.table), "hand_size": size, "seats": seats}
        found.append(Violation("DEAL_SIZES", "TN-4", params))
    extra, missing = surplus([card for part in (*layout.hands, layout.table, layout.stock) for card in part], PACK)
    if extra or missing:
        found.append(Violation("PACK_MISMATCH", "TN-1", {"extra": extra, "missing": missing}))
    if jacks := [card for card in layout.table if card[:1] == "J"]:
        found.append(Violation("JACK_ON_TABLE", "TN-5", {"cards": jacks}))
    return tuple(found)


def start(dealer: int, layout: Layout) -> State:
    """The state before the first move; the seat after the dealer acts first (TN-7)."""
    seats = len(layout.hands)
    none = (0,) * seats
    return State(dealer, (dealer + 1) % seats, layout.hands, layout.table, layout.stock, ((),) * seats, none, none)


# ---- judging


def judge(rules: Rules, state: State, seat: int, move: Play) -> Verdict:
    """Whether `seat` may make this move now (TN-7 to TN-12). Every violation is named, in the order of the clauses."""
    if state.turn is None:
        return Illegal((Violation("DEAL_OVER", "TN-17"),))
    card, captures, table = move.card, move.captures, state.table
    found = []
    if seat != state.turn:
        found.append(Violation("NOT_YOUR_TURN", "TN-7", {"turn": state.turn}))
    known = card in RANK and card != JOKER
    if not known or card not in state.hands[seat]:
        found.append(Violation("CARD_NOT_IN_HAND", "TN-8", {"card": card}))
    if not captures:
        if known and rules.capture_duty != "optional" and _can_take(rules, card, table):
            found.append(Violation("CAPTURE_REQUIRED", "TN-12", {"card": card}))
    elif (twice := _twice(captures)) or not set(captures) <= set(table):
        if twice:
            found.append(Violation("DUPLICATE_CAPTURE", "TN-11", {"cards": twice}))
        if absent := sorted({taken for taken in captures if taken not in table}):
            found.append(Violation("CARD_NOT_ON_TABLE", "TN-10", {"cards": absent}))
    elif known and (fault := _capture_fault(rules, card, captures, table)):
        found.append(fault)
    return Illegal(tuple(found)) if found else LEGAL


def legal_moves(rules: Rules, state: State, card: Card | None = None) -> Iterator[Play]:
    """Every legal move of the seat to act, each capture set once, found lazily; with `card` only those that play it.

    Captures of one unit come before unions of several, so the first few show what a card can take.
    """
    if state.turn is None:
        return
    reach = _reach(rules, state.table)
    for held in state.hands[state.turn]:
        if card is None or held == card:
            able = _can_take(rules, held, state.table, reach)
            for captures in captures_of(rules, held, state.table) if able else ((),):
                yield Play(held, captures)


def captures_of(rules: Rules, card: Card, table: Cards) -> Iterator[Cards]:
    """Every set of table cards that `card` may take, `()` standing for a lay (TN-10 to TN-12)."""
    worth = PLAY_VALUES[rules.ace_value, rules.values]
    parts = sorted([(v, 1 << place) for place, other in enumerate(table) for v in worth[other]])
    seen: set[int] = set()
    for value in worth[card]:
        singles = [1 << place for place, other in enumerate(table) if _is_single(rules, card, value, other)]
        for taken in _unions(rules, singles, parts, value):
            if taken not in seen:
                seen.add(taken)
                yield tuple([c for place, c in enumerate(table) if taken >> place & 1])
    if not seen or rules.capture_duty == "optional":
        yield ()


def _unions(rules: Rules, singles: list[int], parts: sums.Parts, value: int) -> Iterator[int]:
    """What may be taken at once, as sets of places (TN-11, N6, N8)."""
    longest, maximal = LONGEST[rules.max_sum_cards], rules.capture_duty == "maximal"
    if rules.units_per_capture == "one_of_each":
        return sums.one_of_each(singles, parts, value, longest, maximal)
    return (sums.maximal_unions if maximal else sums.unions)(singles, parts, value, longest)


def _is_single(rules: Rules, played: Card, value: int, card: Card) -> bool:
    """Whether `card` alone is a unit for `played` used at `value` (TN-10a, N5)."""
    return value in PLAY_VALUES[rules.ace_value, rules.values][card] and (
        rules.single_match == "value" or RANK[played] == RANK[card]
    )


def _reach(rules: Rules, table: Iterable[Card]) -> tuple[int, int]:
    """Values that one card of the table has, and values that sums of two or more come to: as bits of two numbers."""
    worth = PLAY_VALUES[rules.ace_value, rules.values]
    unlimited = rules.max_sum_cards == "unlimited"
    one = two = more = 0
    for card in table:
        had_one, had_two, had_more = one, two, more if unlimited else 0
        for v in worth[card]:
            one |= 1 << v
            two |= had_one << v
            more |= (had_two | had_more) << v
    return one, two | more


def _can_take(rules: Rules, played: Card, table: Cards, reach: tuple[int, int] | None = None) -> bool:
    """Whether any unit is there (TN-12)."""
    one, several = reach or _reach(rules, table)
    for value in PLAY_VALUES[rules.ace_value, rules.values][played]:
        if several >> value & 1:
            return True
        if one >> value & 1 and any(_is_single(rules, played, value, card) for card in table):
            return True
    return False


def _twice(cards: Cards) -> list[Card]:
    return sorted({card for card in cards if cards.count(card) > 1}) if len(set(cards)) < len(cards) else []


def _capture_fault(rules: Rules, played: Card, captures: Cards, table: Cards) -> Violation | None:
    """What is wrong with taking `captures`, all of them on the table, each named once (TN-10 to TN-12)."""
    too_many = divisible = False
    for value in PLAY_VALUES[rules.ace_value, rules.values][played]:
        for ways in _divisions(rules, played, value, captures):
            if max(ways) > 1 and rules.units_per_capture == "one_of_each":
                too_many = True
                continue
            divisible = True
            if rules.capture_duty != "maximal" or not _left_over(rules, played, value, captures, table, ways):
                return None
    if divisible:
        return Violation("CAPTURE_NOT_MAXIMAL", "TN-12", {"card": played, "cards": captures})
    if too_many:
        return Violation("TOO_MANY_GROUPS", "TN-11", {"card": played, "cards": captures})
    return Violation("CAPTURE_NOT_VALID", "TN-10", {"card": played, "cards": captures})


def _divisions(rules: Rules, played: Card, value: int, captures: Cards) -> Iterator[tuple[int, int]]:
    """Ways in which `captures` divides into units for `value`: how many single cards, how many sums (TN-11).

    Exact cover over the claimed values alone: a card of the value itself can only be a single, so what remains must
    fall into sums. Aces that may count 1 or 11 are tried by how many of them count 11.
    """
    worth = PLAY_VALUES[rules.ace_value, rules.values]
    fixed, aces, singles = [], 0, 0
    for card in captures:
        values = worth[card]
        if len(values) == 2:
            aces += 1
        elif _is_single(rules, played, value, card):
            singles += 1
        elif values[0] >= value:
            return
        else:
            fixed.append(values[0])
    ace_alone = aces and (rules.single_match == "value" or RANK[played] == "A")
    for elevens in range(aces + 1):
        ones = aces - elevens
        alone = elevens if value == 11 else ones if value == 1 else 0
        if alone and not ace_alone:
            continue
        rest = fixed + [11] * (0 if value == 11 else elevens) + [1] * (0 if value == 1 else ones)
        rest.sort(reverse=True)
        if sums.falls_into_sums(rest, value, LONGEST[rules.max_sum_cards]):
            yield singles + alone, sum(rest) // value


def _left_over(rules: Rules, played: Card, value: int, captures: Cards, table: Cards, ways: tuple[int, int]) -> bool:
    """Whether a unit for `value` stays behind; with one_of_each only of a kind not yet used (rules 0.7)."""
    stays = [card for card in table if card not in captures]
    either = rules.units_per_capture == "any"
    single = (either or not ways[0]) and any(_is_single(rules, played, value, card) for card in stays)
    return single or bool((either or not ways[1]) and _reach(rules, stays)[1] >> value & 1)


# ---- playing


def play(rules: Rules, state: State, seat: int, move: Play, chance: Chance) -> Effects:
    """What a legal move causes: capture, tablanet, the next batch, the end of the deal (TN-13 to TN-17)."""
    seats = len(state.hands)
    captured = tuple(sorted((*move.captures, move.card))) if move.captures else ()
    tablanet = bool(captured) and len(captured) == len(state.table) + 1
    bonus = _bonus(rules, move) if tablanet and rules.tablanet_bonus != "none" else 0
    following = (seat + 1) % seats
    if len(state.hands[seat]) > 1 or any(hand for other, hand in enumerate(state.hands) if other != seat):
        return Effects(following, captured, tablanet, bonus)
    if state.stock:
        hands, _ = _batch(state.stock, seats, state.dealer)
        return Effects(following, captured, tablanet, bonus, batch=hands)
    to = seat if captured else state.last_capturer
    left = () if tablanet else without(state.table, move.captures) if captured else (*state.table, move.card)
    leftovers = Leftovers(to, tuple(sorted(left))) if left and to is not None else None
    return Effects(None, captured, tablanet, bonus, leftovers=leftovers)


def outcomes(effects: Effects) -> tuple[Cards, ...]:
    """Results of the shuffles a move caused, in order: none in Tablanet once the deal is laid out."""
    return ()


def evolve(state: State, seat: int, move: Play, effects: Effects) -> State:
    """The state after a recorded move: applies its facts and asks no rule."""
    hands, stock = effects.batch, state.stock
    if hands is None:
        hand = state.hands[seat]
        place = hand.index(move.card)
        hands = (*state.hands[:seat], hand[:place] + hand[place + 1 :], *state.hands[seat + 1 :])
    else:
        stock = stock[sum(map(len, hands)) :]
    piles, tablanets, bonuses, last = state.piles, state.tablanets, state.bonuses, state.last_capturer
    if effects.captured:
        taken = move.captures
        table = tuple([card for card in state.table if card not in taken])
        piles = _add(piles, seat, effects.captured)
        last = seat
        if effects.tablanet:
            tablanets = _add(tablanets, seat, 1)
            bonuses = _add(bonuses, seat, effects.bonus)
    else:
        table = (*state.table, move.card)
    if effects.leftovers:
        piles = _add(piles, effects.leftovers.to, effects.leftovers.cards)
        table = ()
    return State(state.dealer, effects.next, hands, table, stock, piles, tablanets, bonuses, last)


def score(rules: Rules, state: State) -> tuple[dict[str, int], ...]:
    """Points of a finished deal by seat, a line each of `LINES` (TN-18, TN-19, N9, N12, N14)."""
    lines = []
    for seat, pile in enumerate(state.piles):
        line = dict.fromkeys(LINES, 0)
        for card in pile:
            if points := _card_points(rules, card):
                line["ten_of_diamonds" if card == "10D" else _LINE_OF_RANK[RANK[card]]] += points
        line["tablanets"] = state.bonuses[seat]
        lines.append(line)
    by_cards = rules.deal_bonus == "most_cards"
    counts = [len(pile) if by_cards else sum(line.values()) for pile, line in zip(state.piles, lines, strict=True)]
    first = [seat for seat, count in enumerate(counts) if count == max(counts)]
    if any(state.piles) and (len(first) == 1 or rules.deal_bonus_tie == "all"):
        for seat in first:
            lines[seat]["bonus"] = DEAL_BONUS
    return tuple(lines)


def held(state: State) -> Cards:
    """Every card of the deal wherever it lies: what must always be the pack (rules 5)."""
    return tuple(card for part in (*state.hands, state.table, state.stock, *state.piles) for card in part)


# ---- what a reader may see


def hide_layout(layout: Layout, sight: Sight) -> Layout:
    """The layout with other hands and the stock as `?`; the table and the jacks set aside were open."""
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(layout.hands))
    return Layout(hands, layout.table, sight.hidden(layout.stock), layout.opening)


def hide_effects(effects: Effects, seat: int, sight: Sight) -> Effects:
    """The effects of `seat`'s move with other players' new hands as `?`."""
    if effects.batch is None:
        return effects
    return msgspec.structs.replace(effects, batch=tuple(sight.of(s, hand) for s, hand in enumerate(effects.batch)))


def hide_state(state: State, sight: Sight) -> State:
    """The state with other hands and the stock as `?`; piles were captured in the open."""
    hands = tuple(sight.of(seat, hand) for seat, hand in enumerate(state.hands))
    return msgspec.structs.replace(state, hands=hands, stock=sight.hidden(state.stock))


# ---- counting


def _card_points(rules: Rules, card: Card) -> int:
    """Card points by the second scale (TN-18, N14)."""
    rank = RANK[card]
    if rank == "J":
        return rules.jack_points
    if rank == "2":
        return int(rules.twos == "all" or card == "2C")
    return 2 if card == "10D" else int(rank in _LINE_OF_RANK)


def _bonus(rules: Rules, move: Play) -> int:
    """What a tablanet pays (N9). An ace whose value the capture leaves open counts 1 (rules 0.7)."""
    if rules.tablanet_bonus == "one_point":
        return 1
    return min(
        value * (1 + singles + sums)
        for value in PLAY_VALUES[rules.ace_value, rules.values][move.card]
        for singles, sums in _divisions(rules, move.card, value, move.captures)
    )


def _batch(cards: Cards, seats: int, dealer: int) -> tuple[tuple[Cards, ...], Cards]:
    """Hands dealt one card at a time from the dealer's left, and the cards that remain (TN-4, TN-16)."""
    dealt = HAND_SIZE[seats] * seats
    hands = tuple(cards[(seat - dealer - 1) % seats : dealt : seats] for seat in range(seats))
    return hands, cards[dealt:]


def _add(by_seat: tuple[Any, ...], seat: int, gain: Any) -> tuple[Any, ...]:
    return (*by_seat[:seat], by_seat[seat] + gain, *by_seat[seat + 1 :])
