"""How fast the kernel judges and lists moves, beside python-chess: `python -m tests.bench.kernel [rounds]`.

Moves per second of CPU time, one core. Rounds of every contender take turns, so a slow spell of the machine hits all
alike; a ratio is the median over the rounds of (game / python-chess in the same round). The last line is one JSON
object with every figure. Nothing here is asserted: a figure is compared by its reader.
"""

import importlib.util
import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import chess  # type: ignore[import-not-found, unused-ignore]

from referee.rules import tablanet
from referee.rules.cards import PACK
from referee.rules.game import GAMES, Game
from referee.rules.tablanet import Play, Rules, State
from referee.rules.verdict import LEGAL
from tests.dealing import SeededChance, new_deal, random_line, rules_of

DEALS = 12
CHESS_GAMES = 4
CHESS_PLIES = 120
GOALS = {
    "replay": {"tablanet": 2.0, "sabo": 2.5, "tabu": 2.5},
    "playouts": {"tablanet": 2.5, "sabo": 2.5, "tabu": 2.5},
}

Contender = Callable[[], int]
"""Does a fixed amount of work and says how many moves it made."""


def recorded(game: Game) -> list[tuple[Any, Any, list[tuple[int, Any, Any]]]]:
    """Deals played at random: rules, first state, and every seat, move and effects."""
    rules = rules_of(game)
    deals = []
    for number in range(DEALS):
        chance = SeededChance(number)
        seats = game.SEATS[0] + number % 2
        _, first = new_deal(game, rules, seats, chance)
        deals.append((rules, first, [step[1:] for step in random_line(game, rules, first, chance)]))
    return deals


def replay(game: Game) -> Contender:
    """Validated replay: judge each recorded move, then apply what is recorded of it."""
    deals = recorded(game)

    def run() -> int:
        moves = 0
        for rules, state, steps in deals:
            for seat, move, effects in steps:
                if game.judge(rules, state, seat, move) is not LEGAL:
                    raise AssertionError(move)
                state = game.evolve(state, seat, move, effects)
            moves += len(steps)
        return moves

    return run


def playouts(game: Game) -> Contender:
    """Random playouts: list every legal move, choose one, play it."""
    firsts = [(rules, first, SeededChance(number)) for number, (rules, first, _) in enumerate(recorded(game))]

    def run() -> int:
        moves = 0
        for rules, state, chance in firsts:
            while state.turn is not None:
                move = chance.choice(list(game.legal_moves(rules, state)))
                state = game.evolve(state, state.turn, move, game.play(rules, state, state.turn, move, chance))
                moves += 1
        return moves

    return run


def chess_replay() -> Contender:
    """`push_uci` of random games, which refuses what is illegal."""
    games = []
    for number in range(CHESS_GAMES):
        board, chance = chess.Board(), random.Random(number)
        while len(board.move_stack) < CHESS_PLIES and (legal := list(board.legal_moves)):
            board.push(chance.choice(legal))
        games.append([move.uci() for move in board.move_stack])

    def run() -> int:
        for moves in games:
            board = chess.Board()
            for uci in moves:
                board.push_uci(uci)
        return sum(map(len, games))

    return run


def chess_playouts() -> Contender:
    """The same loop as for a game: list, choose, push."""

    def run() -> int:
        moves = 0
        for number in range(CHESS_GAMES):
            board, chance = chess.Board(), random.Random(number)
            while len(board.move_stack) < CHESS_PLIES and (legal := list(board.legal_moves)):
                board.push(chance.choice(legal))
            moves += len(board.move_stack)
        return moves

    return run


def openspiel_playouts(name: str) -> Contender:
    import pyspiel  # type: ignore[import-not-found, unused-ignore]

    game = pyspiel.load_game(name)

    def run() -> int:
        moves, chance = 0, random.Random(0)
        for _ in range(4):
            state = game.new_initial_state()
            while not state.is_terminal():
                state.apply_action(chance.choice(state.legal_actions()))
                moves += 1
        return moves

    return run


def rlcard_playouts(name: str) -> Contender:
    import rlcard  # type: ignore[import-not-found, unused-ignore]

    env = rlcard.make(name, config={"seed": 0})

    def run() -> int:
        moves, chance = 0, random.Random(0)
        for _ in range(4):
            state, _ = env.reset()
            while not env.is_over():
                state, _ = env.step(chance.choice(list(state["legal_actions"])))
                moves += 1
        return moves

    return run


def contenders() -> Iterator[tuple[str, Contender]]:
    """Every contender by name; says which are left out because they are not installed."""
    yield "replay/python-chess", chess_replay()
    yield "playouts/python-chess", chess_playouts()
    for name, game in GAMES.items():
        yield f"replay/{name}", replay(game)
        yield f"playouts/{name}", playouts(game)
    for package, make, games in (
        ("pyspiel", openspiel_playouts, ("hearts", "crazy_eights")),
        ("rlcard", rlcard_playouts, ("gin-rummy", "uno")),
    ):
        if importlib.util.find_spec(package) is None:
            print(f"{package}: not installed, skipped")
            continue
        for other in games:
            yield f"playouts/{package}-{other}", make(other)


def rate(run: Contender) -> float:
    """Moves per second of CPU time."""
    begin = time.process_time()
    moves = run()
    return moves / (time.process_time() - begin)


# ---- the worst table

WORST = tuple(f"{rank}{suit}" for rank in ("A", "2", "3", "4") for suit in "SHDC")
"""Sixteen small cards: thousands of sums make any king, and aces count either way."""

BITTER = ("7S", "7H", "7D", "7C", "6S", "6H", "6D", "6C", "4S", "4H", "4D", "4C", "AS", "AH", "AD", "AC")
"""Adds up for a king in most ways of counting the aces, yet comes out rarely."""
BITTER_FOR_KING = ("AS", "10S", "10H", "10D", "9S", "8S", "3S", "3H", "2S", "2H", "2D", "2C", "AH", "AD", "AC", "4S")
BITTER_FOR_TEN = ("7S", "6S", "5S", "5H", "4S", "4H", "3S", "3H", "3D", "2S", "2H", "2D", "2C", "AS", "AH", "AD")


def worst_judge() -> tuple[float, str]:
    """The slowest judgement found, in milliseconds of CPU time, over hard tables, claims and house rules."""
    worst, what = 0.0, ""
    blank: dict[str, Any] = {"stock": (), "piles": ((), ()), "tablanets": (0, 0), "bonuses": (0, 0)}
    chance = SeededChance(1)
    tables = [WORST, BITTER] + [chance.shuffle(PACK)[:16] for _ in range(20)]
    tables += [BITTER_FOR_KING, BITTER_FOR_TEN]
    smallest = sorted(PACK, key=lambda card: tablanet.VALUES["text"].get(card[:-1], 1))
    tables += [chance.shuffle(smallest[:28])[:16] for _ in range(40)]
    for table in tables:
        claims = [(), table, table[1:], table[2:], table[3:], table[:-1]] + [
            chance.shuffle(table)[: 8 + n] for n in range(8)
        ]
        for duty, units, longest, values in (
            ("any", "any", "unlimited", "text"),
            ("maximal", "any", "unlimited", "text"),
            ("maximal", "one_of_each", "unlimited", "balkan"),
            ("maximal", "one_of_each", 3, "text"),
        ):
            rules = Rules("either", "none", duty, longest, units_per_capture=units, values=values)  # type: ignore[arg-type]
            for card in [rank + "S" for rank in ("K", "Q", "10", "A")]:
                state = State(dealer=1, turn=0, hands=((card,), ("2S",)), table=table, **blank)
                for claim in claims:
                    move = Play(card, claim)
                    took = min(_timed(rules, state, move) for _ in range(3))
                    if took > worst:
                        worst, what = took, f"{card} takes {' '.join(claim)} of {' '.join(table)} ({duty}, {units})"
    return worst * 1e3, what


def _timed(rules: Rules, state: State, move: Play) -> float:
    """Seconds of CPU time for one judgement; the mean of a few, since the clock itself is coarse."""
    begin = time.process_time()
    for _ in range(5):
        tablanet.judge(rules, state, 0, move)
    return (time.process_time() - begin) / 5


def first_move() -> float:
    """How long the first legal move of a king takes on the worst table, in milliseconds of CPU time."""
    blank: dict[str, Any] = {"stock": (), "piles": ((), ()), "tablanets": (0, 0), "bonuses": (0, 0)}
    rules = Rules("either", max_sum_cards="unlimited")
    state = State(dealer=1, turn=0, hands=(("KS",), ("2S",)), table=WORST, **blank)
    begin = time.process_time()
    for _ in range(20):
        next(tablanet.legal_moves(rules, state))
    return (time.process_time() - begin) / 20 * 1e3


def main(rounds: int) -> None:
    runs = dict(contenders())
    for run in runs.values():
        run()
    measured: dict[str, list[float]] = {name: [] for name in runs}
    for _ in range(rounds):
        for name, run in runs.items():
            measured[name].append(rate(run))
    figures: dict[str, Any] = {}
    for name, rates in measured.items():
        kind, who = name.split("/")
        ratio = statistics.median(a / b for a, b in zip(rates, measured[f"{kind}/python-chess"], strict=True))
        figures[name] = {"moves_per_cpu_second": round(statistics.median(rates)), "ratio": round(ratio, 2)}
        goal = GOALS[kind].get(who)
        aim = f"   goal {goal}x" if goal else ""
        print(f"{name:28} {statistics.median(rates):10.0f} moves/s   {ratio:5.2f}x python-chess{aim}")
    worst, what = worst_judge()
    figures["worst_judge_ms"], figures["first_move_ms"] = round(worst, 3), round(first_move(), 3)
    print(f"worst judge {worst:.3f} ms: {what}")
    print(f"first legal move on the worst table {figures['first_move_ms']} ms")
    print(json.dumps(figures))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 15)
