"""Position rules hold however a claim or an absence is wrapped: in keys, literals, definitions, quantifiers."""

from __future__ import annotations

import pytest

from policy import Engine, PolicyError

_DECLARED = """
context {
  ticket: string optional
  owners: map of string
  change: { author: string optional reviewer: string }
}
define claimed = claims.identity
define changed = context.change
"""


def _errors(text: str) -> list[str]:
    try:
        Engine.from_source(_DECLARED + text)
    except PolicyError as error:
        return sorted({each.code for each in error.diagnostics if each.is_error})
    return []


@pytest.mark.parametrize(
    "condition",
    [
        '{ "a": 1 }[claims.identity] exists',
        '{ "a": 1 }[claimed] exists',
        '{ "a": claims.identity }["a"] exists',
        "context.owners[claims.identity] exists",
        '[claims.identity][0]["role"] exists',
    ],
)
def test_a_claim_in_a_tested_path_never_grants(condition: str) -> None:
    assert _errors(f'route "r" {{ allow a.b when {condition} }}') == ["trust.claims"]


@pytest.mark.parametrize(
    "condition",
    [
        '{ "a": 1 }[context.ticket] missing',
        "input.x[context.ticket] missing",
        "context.owners[context.ticket] missing",
        "not (context.owners[lower(context.ticket)] exists)",
        "[context.ticket][0] missing",
        '[subject][0]["tenant_id"] missing',
        'changed["author"] missing',
        "any each in [subject, requester] satisfies (each.tenant_id missing)",
        "any each in [context.change] satisfies (each.author missing)",
        "any each in [changed] satisfies (not (each.author exists))",
        "any outer in [delegators] satisfies (any each in outer satisfies (each.tenant_id missing))",
        'any each in { "k": delegators }["k"] satisfies (each.tenant_id missing)',
        "any outer in delegators satisfies (any each in [outer] satisfies (each.tenant_id missing))",
    ],
)
def test_an_absence_in_a_tested_path_never_grants(condition: str) -> None:
    assert _errors(f'route "r" {{ allow a.b when {condition} }}') == ["law.absence"]


@pytest.mark.parametrize(
    "condition",
    [
        "input.x[scope] missing",
        'any each in ["a", "b"] satisfies (input.x[each] missing)',
        "any outer in input.l satisfies (any each in [outer] satisfies (each.q missing))",
        'changed["reviewer"] exists',
    ],
)
def test_what_cannot_be_left_out_may_be_asked(condition: str) -> None:
    assert _errors(f'route "r" {{ allow a.b when {condition} }}') == []


def test_the_presence_of_one_member_of_a_claim_guards_no_other() -> None:
    route = 'route "r" { allow a.b }\n'
    assert _errors(route + 'deny "d" { when claimed["a"] exists and claimed["b"] == 1 }') == ["trust.claims_unguarded"]
    assert _errors(route + 'deny "d" { when claimed["a"] exists and claimed["a"] == 1 }') == []
    negated = "any each in [claims.identity] satisfies (not (each.role == 1))"
    assert _errors(f'{route}deny "d" {{ when claims.identity exists and {negated} }}') == ["trust.claims_negated"]


def test_a_shadowed_variable_is_an_error_and_no_failure() -> None:
    condition = "any x in input.l satisfies (any x in x.items satisfies (x.y missing))"
    assert _errors(f'route "r" {{ allow a.b when {condition} }}') == ["name.shadowed"]
