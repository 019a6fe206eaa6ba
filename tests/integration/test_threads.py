"""One engine, eight threads: every decision equals the one a single thread gets, whatever is made at the same time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from policy import Decision, Engine

THREADS = 8
ROUNDS = 60
POLICY = """policy "p" {
  version "1"
  default approval "lead"
}
context { env: one of "prod", "test" }
define large = input.amount > 100
route "desk" { allow ** }
route "office" { allow pay.** when large }
deny "prod" { for pay.** when contract.data.sensitivity >= restricted and context.env == "prod" }
require "large" { when large approval "lead" }
obligation "name" { for pay.** redact input.name }
approval "lead" { need role "lead" }
"""


def document(number: int) -> dict[str, Any]:
    """A capability that no other number has, so that its admission and its plan are made anew."""
    return {
        "id": f"cap-{number}",
        "acc": {"version": 1, "enabled": number % 7 != 0, "scope": f"pay.n{number}", "risk": {"level": "low"}},
        "input_schema": {"type": "object"},
    }


def request(number: int) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """A request whose outcome depends on its number."""
    rosa = {"id": f"rosa-{number % 5}", "kind": "human", "person_id": "rosa"}
    context = {
        "route": ("desk", "office", f"unknown-{number}")[number % 3],
        "now": "2026-11-30T10:00:00Z",
        "delegation": [],
        "used_votes": [],
        "requester": rosa,
        "subject": rosa,
        "operator": {"id": "agent", "kind": "agent"},
        "attributes": {"env": ("prod", "test")[number % 2]},
    }
    action = {"id": f"a-{number}", "capability_id": f"cap-{number}", "input": {"amount": (50, 500)[number % 4 // 2]}}
    return action, document(number), context


def together(work: Callable[[int], None]) -> None:
    """Run something in every thread at once; the first failure fails the test."""
    start, failures = threading.Barrier(THREADS), []

    def run(number: int) -> None:
        try:
            start.wait()
            work(number)
        except Exception as error:  # noqa: BLE001 - raised again by the thread of the test
            failures.append(error)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(THREADS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def test_decisions_on_fresh_capabilities_and_routes_are_those_of_one_thread() -> None:
    alone = Engine.from_source(POLICY)
    expected = [alone.decide(*request(number)).model_dump_json() for number in range(ROUNDS)]
    assert {alone.decide(*request(number)).outcome.value for number in range(ROUNDS)} == {
        "allow",
        "require-approval",
        "deny",
    }
    engine = Engine.from_source(POLICY)
    found: list[list[str]] = [[] for _ in range(THREADS)]

    def decide(thread: int) -> None:
        for step in range(ROUNDS):
            # Half of the threads meet at the same fresh capability, the others come from the other end.
            number = step if thread % 2 else ROUNDS - 1 - step
            decided = engine.decide(*request(number)).model_dump_json()
            again = engine.specialise(document(number))(request(number)[0], request(number)[2]).model_dump_json()
            assert decided == again
            found[thread].append(decided)

    together(decide)
    for thread in range(THREADS):
        assert found[thread] == (expected if thread % 2 else expected[::-1])


def test_a_decision_that_many_threads_read_is_told_alike() -> None:
    engine = Engine.from_source(POLICY)
    for number in range(ROUNDS):
        expected = engine.decide(*request(number))
        whole = expected.model_dump()
        decision = engine.decide(*request(number))
        told: list[Any] = [None] * THREADS

        def read(thread: int, decision: Decision = decision, told: list[Any] = told) -> None:
            names = list(Decision.model_fields)
            for name in names[thread:] + names[:thread]:
                getattr(decision, name)
            told[thread] = decision.model_dump() if thread % 2 else decision.model_copy(deep=True).model_dump()

        together(read)
        assert told == [whole] * THREADS
        assert decision == expected
