"""Conditions at the edges of what is emitted: they are decided as the reference interpreter decides."""

from __future__ import annotations

from typing import Any

import pytest

from policy import Engine
from tests.unit.test_short_way import ACTION, CONTEXT, DOCUMENT, POLICY


def codes(text: str, given: dict[str, Any]) -> tuple[list[str], list[str]]:
    """The reasons of the compiled engine and of the reference interpreter."""
    engine = Engine.from_source(text)
    action = {**ACTION, "input": given}
    oracle = Engine(engine.compiled, backend="interpreter")
    return tuple(  # type: ignore[return-value]
        [reason.code for reason in each.decide(action, DOCUMENT, CONTEXT).reasons] for each in (engine, oracle)
    )


_UNSUITABLE = (
    "x.a in [x.b, input.c]",
    "total y.n over y in x.parts > 3",
    "any y in x.parts satisfies (y.a in [y.b, input.c])",
)


@pytest.mark.parametrize("body", _UNSUITABLE)
@pytest.mark.parametrize("word", ["any", "no"])
def test_a_quantifier_that_is_not_emitted_leaves_no_trace_in_the_next(word: str, body: str) -> None:
    text = POLICY + (
        f'deny "first" {{ when {word} x in input.list satisfies ({body}) }}\n'
        'deny "second" { when any x in input.list satisfies (x.q == "w") }\n'
    )
    item = {"a": 1, "b": 2, "n": 1, "q": "w", "parts": [{"n": 1, "a": 1, "b": 2}]}
    given = {"list": [item], "c": 4}
    found, expected = codes(text, given)
    assert found == expected
    assert found.count("rule.denied") == (1 if word == "any" else 2)


@pytest.mark.parametrize("levels", [1, 15, 16, 17, 20, 21, 22, 24, 30])
def test_quantifiers_within_each_other(levels: int) -> None:
    text = 'v0.z == "1"'
    for level in range(levels):
        container = "input.list" if level == levels - 1 else f"v{level + 1}.list"
        text = f"any v{level} in {container} satisfies ({text})"
    item: dict[str, Any] = {"z": "1"}
    for _ in range(levels - 1):
        item = {"list": [item]}
    found, expected = codes(f'{POLICY}deny "d" {{ when {text} }}\n', {"list": [item]})
    assert found == expected == ["rule.denied", "scope.allowed"]
