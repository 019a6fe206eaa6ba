"""A literal in upper case opposite a function that gives lower case would switch a rule off; the checker says so."""

from __future__ import annotations

import pytest

from policy import Engine


@pytest.mark.parametrize("call", ["lower", "host", "mail_domain"])
@pytest.mark.parametrize(
    ("rest", "found"),
    [
        ('== "Evil.example"', "lint.always_false"),
        ('!= "Evil.example"', "lint.always_true"),
        ('== "evil.example"', None),
    ],
)
def test_upper_case_is_never_met(call: str, rest: str, found: str | None) -> None:
    engine = Engine.from_source(f'route "r" {{ allow a.b }}\ndeny "d" {{ for a.b when {call}(input.u) {rest} }}')
    codes = {each.code for each in engine.diagnostics}
    assert codes & {"lint.always_false", "lint.always_true"} == (set() if found is None else {found})
