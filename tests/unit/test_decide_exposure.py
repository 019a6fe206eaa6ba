"""Exposure: what may be shown before there is an action, and the law that binds it to decisions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.decide_world import APPROVALS, OPEN, acc, aip, codes, context, decide, engine

Json = dict[str, Any]
LIMIT = "context { limit: number optional }\n"


def shown(text: str, capability: Json | None = None, stated: Json | None = None) -> list[str] | None:
    """None where the capability is shown, else the codes of the denial."""
    decision = engine(text).exposes(acc() if capability is None else capability, stated or context())
    return None if decision.allowed else codes(decision)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (OPEN, None),
        ('route "desk" { allow order.read }', ["scope.not_allowed"]),
        ('route "other" { allow refund.** }', ["route.unknown"]),
        ('route "desk" { allow refund.** when input.amount > 5 }', None),
        ('route "desk" { allow refund.** unless input.amount > 5 }', None),
        ('route "desk" { allow refund.** when mode == sync }', None),
        (
            'route "desk" { allow refund.** when (input.amount > 5 and subject.id == "omar") }',
            ["scope.condition_false"],
        ),
        ('route "desk" { allow refund.** when subject.id == "omar" }', ["scope.condition_false"]),
        ('route "desk" { allow refund.** when context.limit > 5 }' + LIMIT, ["scope.condition_unevaluable"]),
        ('route "desk" { allow refund.** when risk <= medium }', None),
        ('route "desk" { allow refund.** when risk > medium }', ["scope.condition_false"]),
        ('route "desk" { allow refund.** deny refund.create when input.amount > 5 }', None),
        ('route "desk" { allow refund.** deny refund.create when subject.id == "rosa" }', ["scope.denied"]),
        ('route "desk" { allow refund.** deny refund.create when context.limit > 5 }' + LIMIT, ["scope.denied"]),
        (OPEN + 'deny "no" { for refund.** }', ["rule.denied"]),
        (OPEN + 'deny "no" { when input.amount > 5 }', None),
        (OPEN + 'deny "no" { unless input.amount > 5 }', None),
        (OPEN + 'deny "no" { when context.limit > 5 }' + LIMIT, ["rule.unevaluable"]),
        (OPEN + 'deny "no" { when (input.amount > 5 or subject.id == "rosa") }', ["rule.denied"]),
        (OPEN + 'deny "no" { for refund.** unless subject.id == "omar" }', ["rule.denied"]),
        (OPEN + APPROVALS + 'require "r" { for refund.** approval "boss" }', None),
        (OPEN + 'risk "none" { unattended up to low }', None),
    ],
)
def test_what_is_shown(text: str, expected: list[str] | None) -> None:
    assert shown(text) == expected


def test_a_risk_that_a_raise_may_lift_is_unknown() -> None:
    text = 'route "desk" { allow refund.** when risk > medium }\n' + APPROVALS
    lifted = text + 'raise "up" { when input.amount > 5 to high }'
    other = text + 'raise "up" { for order.** to high }'

    assert shown(text) == ["scope.condition_false"]
    assert shown(lifted) is None
    assert shown(other) == ["scope.condition_false"]


def test_the_gate_and_the_subject_hide() -> None:
    assert shown(OPEN, acc(subject={"required": True}), context(subject=None)) == ["subject.required"]
    assert shown(OPEN, aip(kind="resource")) == ["capability.not_callable"]
    assert shown(OPEN, acc() | {"acc": {"version": 1, "enabled": False, "scope": "refund.create"}}) == [
        "capability.disabled"
    ]
    assert shown(OPEN, {"id": "x"}) == ["capability.invalid", "capability.invalid", "capability.invalid"]
    assert shown(OPEN, acc(), {"route": "desk"}) == ["context.invalid"]


def test_a_denial_names_what_is_missing() -> None:
    decision = engine(OPEN + 'deny "no" { when context.limit > 5 }' + LIMIT).exposes(acc(), context())

    assert decision.reasons[0].message == "`context.limit` is missing, so `no` denies this"


def test_visible_keeps_the_order_and_the_objects() -> None:
    capabilities = [acc("refund.create"), acc("vault.open"), acc("order.read")]

    found = engine(OPEN).visible(capabilities, context())

    assert found == [capabilities[0], capabilities[2]]
    assert found[0] is capabilities[0]


LAW_POLICIES = [
    OPEN,
    'route "desk" { allow refund.** when input.amount > 5 deny refund.create when mode != sync }',
    OPEN + LIMIT + 'deny "no" { when (input.amount > 5 and context.limit > 3) }',
    OPEN + LIMIT + 'deny "no" { when context.limit > 3 unless input.amount < 7 }',
    OPEN + APPROVALS + 'raise "up" { when input.amount > 5 to high } deny "no" { when risk >= high }',
    OPEN + 'deny "no" { when claims.compliance exists }',
    OPEN + 'deny "no" { when transaction.mode != execute }',
]


MEMBERS: list[Json] = [{}, {"mode": "async"}, {"compliance": {}}]


@pytest.mark.parametrize("text", LAW_POLICIES)
@pytest.mark.parametrize("attributes", [{}, {"limit": 1}, {"limit": 9}])
def test_what_some_action_may_do_is_shown(text: str, attributes: Json) -> None:
    stated = context(attributes=attributes)
    possible = [
        decide(text, given=given, stated=stated, **members).outcome.value != "deny"
        for given in ({}, {"amount": 1}, {"amount": 6}, {"amount": 50})
        for members in MEMBERS
    ]

    assert any(possible) <= (shown(text, stated=stated) is None)
