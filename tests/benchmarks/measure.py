"""Rounds of measuring, interleaved: what disturbs the machine disturbs every contestant alike."""

from __future__ import annotations

import gc
import random
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any

from tests.benchmarks.contestant import Contestant
from tests.benchmarks.workload import Workload


class DisagreementError(Exception):
    """A contestant that answers a request otherwise than the policy says: nothing of it is measured."""


def afford(contestant: Contestant, seconds: float) -> int:
    """How many of the requests a contestant answers in so much time, at least eight: a slow one gets fewer."""
    started = time.perf_counter()
    for count, request in enumerate(contestant.requests, start=1):
        contestant.decide(*request)
        if count >= 8 and time.perf_counter() - started > seconds:
            return count
    return len(contestant.requests)


def agree(work: Workload, contestant: Contestant, count: int) -> dict[str, int]:
    """Check the answers to the first `count` requests; how many there were of each. Raises DisagreementError."""
    answers: Counter[str] = Counter()
    for ask, request in zip(work.asks[:count], contestant.requests, strict=False):
        given, expected = contestant.answer(contestant.decide(*request)), work.expected(ask)
        if given is not expected:
            raise DisagreementError(f"{contestant.name} answers {given.value} for {expected.value}: {ask}")
        answers[given.value] += 1
    return dict(answers)


def timed(contestant: Contestant, count: int) -> list[int]:
    """The nanoseconds of each of the first `count` requests, the cost of reading the clock taken off."""
    decide, clock = contestant.decide, time.perf_counter_ns
    taken = []
    for request in contestant.requests[:count]:
        started = clock()
        decide(*request)
        taken.append(clock() - started)
    return taken


def clock_cost() -> int:
    """The median nanoseconds that reading the clock twice takes."""
    clock = time.perf_counter_ns
    taken = []
    for _ in range(2_000):
        started = clock()
        taken.append(clock() - started)
    return int(statistics.median(taken))


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """The first quartile, the median and the third quartile."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    first, middle, third = statistics.quantiles(values, n=4, method="inclusive")
    return first, middle, third


def measure(work: Workload, contestants: Sequence[Contestant], rounds: int, seconds: float) -> list[dict[str, Any]]:
    """Check that all answer alike, then time them in interleaved rounds, in another order each round.

    The first contestant is the floor that the others are compared with, round by round. One round of one contestant
    takes about `seconds` at most. Times are in microseconds.
    """
    counts = [afford(each, seconds) for each in contestants]
    answers = [agree(work, each, count) for each, count in zip(contestants, counts, strict=True)]
    medians: list[list[float]] = [[] for _ in contestants]
    tails: list[list[float]] = [[] for _ in contestants]
    cost, draw = clock_cost(), random.Random(7)
    for _ in range(rounds):
        order = list(range(len(contestants)))
        draw.shuffle(order)
        for place in order:
            gc.collect()
            taken = sorted(each - cost for each in timed(contestants[place], counts[place]))
            medians[place].append(taken[len(taken) // 2] / 1_000)
            tails[place].append(taken[min(len(taken) - 1, len(taken) * 99 // 100)] / 1_000)
    return [
        {
            "name": each.name,
            "library": each.library,
            "note": each.note,
            "requests": counts[place],
            "answers": answers[place],
            "rounds_us": [round(value, 3) for value in medians[place]],
            "p50_us": round(quartiles(medians[place])[1], 3),
            "p50_quartiles_us": [round(quartiles(medians[place])[q], 3) for q in (0, 2)],
            "p99_us": round(quartiles(tails[place])[1], 3),
            **_ratio([mine / base for mine, base in zip(medians[place], medians[0], strict=True)]),
        }
        for place, each in enumerate(contestants)
    ]


def _ratio(ratios: Sequence[float]) -> dict[str, Any]:
    first, middle, third = quartiles(ratios)
    return {"ratio": round(middle, 3), "ratio_quartiles": [round(first, 3), round(third, 3)]}
