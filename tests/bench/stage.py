"""What the benches of the log share: a server, interleaved rounds, ratios within a round."""

import statistics
import sys
import time
from collections.abc import Callable, Mapping
from typing import TypeAlias

from tests.postgres import Server

Cell: TypeAlias = Callable[[], float]
Rates: TypeAlias = dict[str, list[float]]


class Bench(Server):
    """A server with room for many connections, otherwise as it comes: every commit is flushed."""


def rounds(cells: Mapping[str, Cell], times: int) -> Rates:
    """Each cell once a round, so that a slow spell of the disk hits all of them; what each gave, by round."""
    found: Rates = {name: [] for name in cells}
    for number in range(1, times + 1):
        for name, cell in cells.items():
            found[name].append(cell())
            say(f"round {number}/{times}  {name:<24} {found[name][-1]:>12,.1f}")
    return found


def ratio(rates: Rates, one: str, other: str) -> float:
    """The median of the ratios within the rounds."""
    return round(statistics.median(a / b for a, b in zip(rates[one], rates[other], strict=True)), 3)


def median(rates: Rates, name: str) -> float:
    """The median of a cell."""
    return round(statistics.median(rates[name]), 3)


def say(line: str) -> None:
    """Progress, beside the results."""
    print(line, file=sys.stderr, flush=True)


def quantile(times: list[float], part: float) -> float:
    """A quantile of a sample, in milliseconds."""
    return round(sorted(times)[min(len(times) - 1, int(len(times) * part))] * 1000, 3)


def timed(call: Callable[[], object]) -> float:
    """Seconds that a call takes."""
    start = time.perf_counter()
    call()
    return time.perf_counter() - start
