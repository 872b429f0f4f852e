"""What a played card may take: units, their unions, and what is wrong with a claimed capture (TN-10 to TN-12)."""

from collections.abc import Iterable, Iterator

from referee.rules import sums
from referee.rules.cards import RANK, Card, Cards
from referee.rules.tablanet.model import LONGEST, PLAY_VALUES, Play, Rules
from referee.rules.verdict import Violation


def bonus_of(rules: Rules, move: Play) -> int:
    """What a tablanet pays (N9). An ace whose value the capture leaves open counts 1 (rules 0.7).

    A capture that was let stand although it is none for any value pays by its cards, each at its least value.
    """
    worth = PLAY_VALUES[rules.ace_value, rules.values]
    if rules.tablanet_bonus == "none":
        return 0
    if rules.tablanet_bonus == "one_point":
        return 1
    return min(
        (
            value * (1 + singles + several)
            for value in worth[move.card]
            for singles, several in divisions(rules, move.card, value, move.captures)
        ),
        default=sum(min(worth[card]) for card in (move.card, *move.captures)),
    )


def parts_of(rules: Rules, table: Cards) -> sums.Parts:
    """The table as `sums` takes it: every value with the bit of its place, lowest first."""
    worth = PLAY_VALUES[rules.ace_value, rules.values]
    return sorted([(v, 1 << place) for place, card in enumerate(table) for v in worth[card]])


def captures_of(rules: Rules, card: Card, table: Cards, known: sums.Parts | None = None) -> Iterator[Cards]:
    """Every set of table cards that `card` may take, `()` standing for a lay (TN-10 to TN-12).

    `known` are the table's parts where several cards are asked about.
    """
    parts = parts_of(rules, table) if known is None else known
    seen: set[int] = set()
    for value in PLAY_VALUES[rules.ace_value, rules.values][card]:
        singles = [bit for v, bit in parts if v == value]
        if rules.single_match == "rank":
            same = sum(1 << place for place, other in enumerate(table) if RANK[other] == RANK[card])
            singles = [bit for bit in singles if bit & same]
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


def reach_of(rules: Rules, table: Iterable[Card]) -> tuple[int, int]:
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


def can_take(rules: Rules, played: Card, table: Cards, reach: tuple[int, int] | None = None) -> bool:
    """Whether any unit is there (TN-12)."""
    one, several = reach or reach_of(rules, table)
    for value in PLAY_VALUES[rules.ace_value, rules.values][played]:
        if several >> value & 1:
            return True
        if one >> value & 1 and any(_is_single(rules, played, value, card) for card in table):
            return True
    return False


def capture_fault(rules: Rules, played: Card, captures: Cards, table: Cards) -> Violation | None:
    """What is wrong with taking `captures`, all of them on the table, each named once (TN-10 to TN-12)."""
    too_many = divisible = False
    for value in PLAY_VALUES[rules.ace_value, rules.values][played]:
        for ways in divisions(rules, played, value, captures):
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


def divisions(rules: Rules, played: Card, value: int, captures: Cards) -> Iterator[tuple[int, int]]:
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
    return single or bool((either or not ways[1]) and reach_of(rules, stays)[1] >> value & 1)
