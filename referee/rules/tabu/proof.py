"""What the public record proves of Tabu (TB-7, TB-8, TB-13; rules 5).

Hands are replenished by draws that nobody else sees, so a card that comes out may have been in hand at a fault or drawn
since. A place in a hand is known by its seat and the time it was filled; a hidden card by the time it went out of sight -
when the cards were dealt, when the discard was renewed, when it was set aside - and how it came out again: turned up,
played by a seat, shown in the end, or not yet. A placing of the unseen cards is a perfect matching of places and cards:
every place holds a card that was out of sight when it was filled and that its seat played, if anybody did, while holding
it; the rest lies in the reserve. A claim forbids some pairs of place and card. It is refuted exactly when no
perfect matching is left, and confirmed when none of these pairs is in any.

Copies of a card are not told apart. Where two went out of sight at different times and it is open which of them came out,
every pairing is tried, up to `PAIRINGS` of a card and in all; beyond that each is taken to have been hidden as early as
possible, which may miss a proof but never finds a false one. One pack, whose only copies are the jokers, stays below that.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, product
from math import prod
from operator import itemgetter
from typing import Final, NamedTuple

from referee.rules.cards import HIDDEN, RANK, Card, Cards
from referee.rules.matching import perfect_matching, possible_columns
from referee.rules.proof import Made, Proof, Record, Step
from referee.rules.tabu.layout import pack
from referee.rules.tabu.model import Draw, Play, Rules
from referee.rules.verdict import Claim, Violation

PAIRINGS: Final = 64


class Place(NamedTuple):
    """A place in a hand: whose, and when it was filled."""

    seat: int
    since: int


class Life(NamedTuple):
    """A card out of sight since a time; the seat from whose hand it came out and when, or null and never."""

    card: Card
    since: int
    seat: int | None = None
    until: int | None = None


class Story(NamedTuple):
    """The record as far as it is looked at: the time before each move, the places filled, when cards went out of sight
    and came out again - by card, the seat null when it was turned up - the place of each draw by its move, and the time
    and seat of cards that went from a hand back into the reserve unseen."""

    before: list[int]
    places: list[Place]
    hidden: dict[Card, list[int]]
    out: dict[Card, list[tuple[int, int | None]]]
    drawn: dict[int, int]
    returned: list[tuple[int, int]]


class Graph(NamedTuple):
    """Places and hidden cards with a perfect matching; rows beyond the places stand for the reserve."""

    places: list[Place]
    lives: list[Life]
    rows: list[int]
    matching: list[int]


def prove(rules: Rules, record: Record, made: Sequence[Made], since: int = 0) -> tuple[Proof, ...]:
    """What became of each claim of an observed deal. A record that cannot be convicts nobody: all are open."""
    return prove_with(pack(rules, len(record.layout.hands)), record, made, since)


def check_record(rules: Rules, record: Record) -> tuple[Violation, ...]:
    """Why no placing of the unseen cards fits the record, said of what was seen last (TB-13)."""
    if _graphs(_story(pack(rules, len(record.layout.hands)), record, len(record.steps) + 1))[0]:
        return ()
    seen: Cards = tuple(chain(*record.hands or ()))
    if record.steps and record.hands is None:
        last = record.steps[-1]
        seen = (*((last.move.card,) if isinstance(last.move, Play) else ()), *last.effects.turned)
    return (Violation("CARD_ELSEWHERE", "TB-13", {"cards": seen}),)


def prove_with(whole: Cards, record: Record, made: Sequence[Made], since: int = 0) -> tuple[Proof, ...]:
    """As `prove`, for a deal played with the cards `whole`."""
    last = len(record.steps) + (record.hands is not None)
    known: dict[int, tuple[Story, list[Graph], bool]] = {}

    def after(moves: int) -> tuple[Story, list[Graph], bool]:
        if moves not in known:
            story = _story(whole, record, moves)
            known[moves] = story, *_graphs(story)
        return known[moves]

    def refuted_by(number: int, claim: Claim) -> int | None:
        first, end = max(number, since + 1), last
        if not exact:
            # where not every pairing is tried, what one move proves the next may leave open
            return next((moves for moves in range(first, end + 1) if _false(*after(moves)[:2], number, claim)), None)
        if first > end or not _false(story, graphs, number, claim):
            return None
        while first < end:
            middle = (first + end) // 2
            first, end = (first, middle) if _false(*after(middle)[:2], number, claim) else (middle + 1, end)
        return first

    story, graphs, exact = after(last)
    may_be = [possible_columns(graph.rows, graph.matching) for graph in graphs]
    proofs = []
    for number, claim in made:
        if not graphs:
            proofs.append(Proof(claim, number, "open"))
        elif (by := refuted_by(number, claim)) is not None:
            proofs.append(Proof(claim, number, "refuted", by))
        else:
            doubt = any(
                columns & forbidden
                for graph, possible_in in zip(graphs, may_be, strict=True)
                for columns, forbidden in zip(possible_in, _forbidden(story, graph, number, claim), strict=False)
            )
            proofs.append(Proof(claim, number, "open" if doubt else "confirmed"))
    return tuple(proofs)


def _false(story: Story, graphs: Sequence[Graph], number: int, claim: Claim) -> bool:
    """Whether there are placings, but none is left that keeps the claim of move `number` true."""
    for graph in graphs:
        forbidden = _forbidden(story, graph, number, claim)
        rows = [row & ~no for row, no in zip(graph.rows, forbidden, strict=False)] + graph.rows[len(forbidden) :]
        if perfect_matching(rows, graph.matching) is not None:
            return False
    return bool(graphs)


def _forbidden(story: Story, graph: Graph, number: int, claim: Claim) -> list[int]:
    """By place the cards that it may not hold if the claim of move `number` is true, as bits."""
    now, end = story.before[number - 1], story.before[number]
    if claim.code == "NOTHING_PLAYABLE":
        ranks = claim.params["ranks"]
        # what had come out by then was held no longer
        playable = _bits(
            graph.lives, lambda life: RANK.get(life.card) in ranks and (life.until is None or life.until > now)
        )
        return [playable if place.seat == claim.seat and place.since <= now else 0 for place in graph.places]
    forbidden = [0] * len(graph.places)
    drawn = max(
        place for move, place in story.drawn.items() if move < number and graph.places[place].seat == claim.seat
    )
    if claim.code == "DRAWN_NOT_PLAYABLE":
        ranks = claim.params["ranks"]
        forbidden[drawn] = _bits(graph.lives, lambda life: RANK.get(life.card) in ranks)
    else:
        forbidden[drawn] = ~_bits(graph.lives, lambda life: life.until is not None and now < life.until <= end)
    return forbidden


def _bits(lives: Sequence[Life], chosen: Callable[[Life], bool]) -> int:
    return sum(1 << at for at, life in enumerate(lives) if chosen(life))


def _story(whole: Cards, record: Record, moves: int) -> Story:
    """The record up to move `moves`, one further for the hands shown; every single card that moves takes its own time."""
    layout, clock, reserve = record.layout, 0, len(record.layout.reserve)
    story = Story([], [Place(seat, 0) for seat, hand in enumerate(layout.hands) for _ in hand], {}, {}, {}, [])
    discard: list[Card] = []
    for card in (Counter(whole) - Counter(layout.row)).elements():
        story.hidden.setdefault(card, []).append(0)
    for number, step in enumerate(record.steps[:moves], 1):
        clock, reserve = _put_right(story, record, number - 1, clock, reserve, discard)
        story.before.append(clock)
        if isinstance(step.move, Play):
            clock += 1
            story.out.setdefault(step.move.card, []).append((clock, step.seat))
            discard += step.effects.discarded
        for to, card in _taken(step):
            if not reserve:
                clock += 1
                for renewed in discard:
                    story.hidden.setdefault(renewed, []).append(clock)
                reserve, discard = len(discard), []
            clock, reserve = clock + 1, reserve - 1
            if to is None:
                story.out.setdefault(card, []).append((clock, None))
            else:
                story.places.append(Place(to, clock))
        if isinstance(step.move, Draw) and step.effects.drawn is not None:
            story.drawn[number] = len(story.places) - 1
        clock, reserve = clock + 1, reserve + len(step.effects.set_aside)
        for card in step.effects.set_aside:
            story.hidden.setdefault(card, []).append(clock)
    clock, reserve = _put_right(story, record, min(moves, len(record.steps)), clock, reserve, discard)
    story.before.append(clock)
    if moves > len(record.steps) and record.hands is not None:
        for seat, hand in enumerate(record.hands):
            for card in hand:
                story.out.setdefault(card, []).append((clock + 1, seat))
    return story


def _put_right(
    story: Story, record: Record, moves: int, clock: int, reserve: int, discard: list[Card]
) -> tuple[int, int]:
    """The time, and how many cards are in the reserve, after what was put right when so many moves counted (rules 4.2)."""
    for one in chain.from_iterable(note.puts for note in record.noted_at(moves)):
        clock += 1
        source, target = one.source, one.target
        if source.zone == "hands" and source.seat is not None:
            story.returned.append((clock, source.seat))
        elif source.zone == "reserve" and target.zone == "row":
            story.out.setdefault(one.card, []).append((clock, None))
        elif target.zone == "hands" and target.seat is not None:
            story.places.append(Place(target.seat, clock))
        elif target.zone == "reserve":
            story.hidden.setdefault(one.card, []).append(clock)
        if source.zone == "discard":
            discard.remove(one.card)
        reserve += (target.zone == "reserve") - (source.zone == "reserve")
    return clock, reserve


def _taken(step: Step) -> Iterator[tuple[int | None, Card]]:
    """Cards that left the reserve in a move, in order: to whom, or null for the row, and which as far as it is told."""
    if step.effects.drawn is not None:
        yield step.seat, step.effects.drawn
    yield from step.effects.draws
    for card in step.effects.turned:
        yield None, card


def _graphs(story: Story) -> tuple[list[Graph], bool]:
    """Every pairing of cards going out of sight and coming out again that some placing fits, each with a placing; and
    whether these are all, and not one stands for many that are not tried."""
    if not story.out.keys() <= story.hidden.keys():
        return [], True
    filled = sorted({place.since for place in story.places})
    found = [_pairings(card, since, story.out.get(card, ()), filled) for card, since in story.hidden.items()]
    exact = not any(too_many for _, too_many in found)
    by_card = [pairings for pairings, _ in found]
    if prod(map(len, by_card)) > PAIRINGS:
        exact = False
        by_card = [pairings if len(pairings) == 1 else [_earliest(pairings)] for pairings in by_card]
    # a card that went back stands in its place until then: it is not known which it was
    back = [Life(HIDDEN, 0, seat, time) for time, seat in story.returned]
    graphs = [graph for lives in product(*by_card) if (graph := _graph(story.places, [*chain(*lives), *back]))]
    return graphs, exact


def _pairings(
    card: Card, hidden: Sequence[int], out: Sequence[tuple[int, int | None]], filled: Sequence[int] = ()
) -> tuple[list[tuple[Life, ...]], bool]:
    """The lives of the copies of a card, in every way that differs; none when it came out oftener than it was hidden.

    `filled` are the times at which places in hands were filled: between two of them it is all one when a copy was hidden.

    Of copies hidden at different times the latest is turned up: for a place in a hand an earlier one always does as well.
    More than `PAIRINGS`, of which the second value tells, are stood for by one in which every copy was hidden as early as
    any.
    """
    too_many = False
    ways: set[tuple[tuple[int, ...], tuple[Life, ...]]] = {((), ())}
    events = sorted(
        [(since, 0, None) for since in hidden] + [(until, 1, seat) for until, seat in out], key=itemgetter(0, 1)
    )
    for time, came_out, seat in events:
        if not came_out:
            next_filled = bisect_left(filled, time)
            since = filled[next_filled] if next_filled < len(filled) else time
            ways = {((*lying, since), lives) for lying, lives in ways}
        elif seat is None:
            ways = {(lying[:-1], lives) for lying, lives in ways if lying}
        else:
            ways = {
                (_less(lying, since), tuple(sorted((*lives, Life(card, since, seat, time)), key=repr)))
                for lying, lives in ways
                for since in set(lying)
            }
        if len(ways) > PAIRINGS:
            # they differ in nothing but when each copy was hidden
            ways, too_many = {next(iter(ways))}, True
    pairings = [(*lives, *(Life(card, since) for since in lying)) for lying, lives in sorted(ways, key=repr)]
    return [_hidden_at(pairings[0], min(hidden))] if too_many and pairings else pairings, too_many


def _less(lying: tuple[int, ...], since: int) -> tuple[int, ...]:
    at = lying.index(since)
    return lying[:at] + lying[at + 1 :]


def _earliest(pairings: Sequence[tuple[Life, ...]]) -> tuple[Life, ...]:
    """One pairing that allows whatever any of them does, and more."""
    return _hidden_at(pairings[0], min(life.since for lives in pairings for life in lives))


def _hidden_at(lives: tuple[Life, ...], since: int) -> tuple[Life, ...]:
    return tuple(sorted((life._replace(since=since) for life in lives), key=repr))


def _graph(places: Sequence[Place], lives: list[Life]) -> Graph | None:
    if len(lives) < len(places):
        return None
    # written out, for this is where a proof spends its time: a place may have held a card that was out of sight when it was
    # filled, and that its seat played, if anybody did, while holding it
    cards = [(1 << at, *life[1:]) for at, life in enumerate(lives)]
    rows = [
        sum([bit for bit, since, by, until in cards
             if since <= filled and (until is None or (by == seat and filled < until))])
        for seat, filled in places
    ]  # fmt: skip
    unseen = _bits(lives, lambda life: life.until is None)
    rows += [unseen] * (len(lives) - len(places))
    matching = perfect_matching(rows)
    return None if matching is None else Graph(list(places), lives, rows, matching)
