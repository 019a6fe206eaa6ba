"""Reach: routes, layers, clauses, conditions; and the stages before it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.decide_world import acc, action, aip, codes, context, decide, engine

Json = dict[str, Any]
LIMIT = "context { limit: number optional }"


def test_a_covered_call_is_allowed_and_says_by_what() -> None:
    decision = decide('route "desk" { allow refund.create because "small change" }')

    (reason,) = decision.reasons
    assert decision.outcome.value == "allow"
    assert (reason.code, reason.effect, reason.rule, reason.layer) == ("scope.allowed", "allow", "desk", "policy")
    assert reason.message == "`allow refund.create`: allowed: small change"
    assert reason.location == "policy:1:16"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('route "desk" { allow order.read }', ["scope.not_allowed"]),
        ('route "desk" { allow refund.* when input.amount < 5 }', ["scope.condition_false"]),
        ('route "desk" { allow refund.* when context.limit > 5 }\n' + LIMIT, None),
        ('route "desk" { allow refund.* unless input.amount > 5 }', ["scope.condition_false"]),
        ('route "desk" { allow refund.* unless context.limit > 5 }\n' + LIMIT, None),
        ('route "desk" { allow refund.** deny refund.create }', ["scope.denied"]),
        ('route "desk" { allow refund.* } every route { deny refund.create }', ["scope.denied"]),
        ('route "desk" { allow refund.** deny refund.create when input.amount > 5 }', ["scope.denied"]),
        ('route "desk" { allow refund.** deny refund.create unless input.amount < 5 }', ["scope.denied"]),
        ('route "other" { allow refund.** }', ["route.unknown"]),
        ('route "other" { allow refund.** } every route { allow refund.** }', ["route.unknown"]),
    ],
)
def test_each_way_not_to_be_reached(text: str, expected: list[str] | None) -> None:
    decision = decide(text, given={"amount": 10})

    assert decision.outcome.value == "deny"
    assert codes(decision) == (expected or ["scope.condition_unevaluable"])


@pytest.mark.parametrize(
    "text",
    [
        'route "desk" { allow order.read } every route { allow refund.** }',
        'route "desk" { allow refund.* when input.amount < 5 allow refund.create when input.amount > 5 }',
        'route "desk" { allow refund.* when context.limit > 5 allow refund.create }\n' + LIMIT,
        'route "desk" { allow refund.** deny refund.create when input.amount > 50 }',
        'route "desk" { allow refund.** deny refund.create unless input.amount < 50 }',
        'route "desk" { allow refund.** } route "other" { allow order.read deny refund.** }',
        'route "desk" { allow capability "refund.*" }',
        'scopes "money" { refund.** } route "desk" { allow scopes "money" }',
    ],
)
def test_each_way_to_be_reached(text: str) -> None:
    assert decide(text, given={"amount": 10}).outcome.value == "allow"


def test_a_deny_clause_that_cannot_be_told_denies_and_names_what_is_missing() -> None:
    text = 'route "desk" { allow refund.** deny refund.create when context.limit > 5 }\n' + LIMIT
    (reason,) = [each for each in decide(text).reasons if each.effect == "deny"]

    assert reason.code == "scope.denied"
    assert reason.message == "`deny refund.create`: `context.limit` is missing, so the denial applies"


def test_a_condition_without_an_answer_is_told_of_its_clause() -> None:
    text = 'route "desk" { allow refund.** when input.amount > 5 }'
    (reason,) = decide(text).reasons

    assert (reason.code, reason.message) == (
        "scope.condition_unevaluable",
        "`allow refund.**`: allowed only under a condition that has no answer: `input.amount` is missing",
    )


def test_a_route_that_is_not_stated_is_unknown() -> None:
    assert codes(decide(stated=context(route=None))) == ["route.unknown"]


def test_a_capability_without_a_scope_is_reached_by_its_id_alone() -> None:
    capability = aip()
    del capability["scope"]

    assert codes(decide('route "desk" { allow ** }', capability)) == ["scope.not_allowed"]
    assert decide('route "desk" { allow capability "refund.create" }', capability).outcome.value == "allow"


def test_a_malformed_scope_matches_nothing() -> None:
    decision = decide('route "desk" { allow ** allow capability "*" }', aip(scope="refund..create"))

    assert codes(decision) == ["scope.malformed"]


def test_a_malformed_id_matches_nothing() -> None:
    decision = decide('route "desk" { allow capability "*" }', aip(id="refund create"))

    assert codes(decision) == ["scope.malformed", "scope.not_allowed"]


def test_a_required_subject_must_be_stated() -> None:
    capability = acc(subject={"required": True})

    assert codes(decide(capability=capability, stated=context(subject=None))) == ["subject.required"]
    assert decide(capability=capability).outcome.value == "allow"


LAYERS = [
    # outermost, inner, outcome, deny codes
    ('route "desk" { allow refund.** }', 'route "desk" { allow refund.* }', "allow", []),
    ('route "desk" { allow refund.** }', 'route "desk" { allow order.read }', "deny", ["scope.not_allowed"]),
    ('route "desk" { allow order.read }', 'route "desk" { allow refund.* }', "deny", ["scope.not_allowed"]),
    (
        'route "desk" { allow refund.** } route "shop" { allow order.read }',
        'route "shop" { allow order.read }',
        "allow",
        [],
    ),
    (
        'route "desk" { allow refund.** } route "shop" { allow order.read }',
        'route "shop" { allow order.read deny order.search } every route { deny refund.** }',
        "deny",
        ["scope.denied"],
    ),
    (
        'route "desk" { allow refund.** } route "shop" { allow order.read }',
        'route "shop" { allow order.read } every route { allow refund.** }',
        "allow",
        [],
    ),
    ('route "desk" { allow refund.** }', 'deny "never" { for refund.** }', "deny", ["rule.denied"]),
]


@pytest.mark.parametrize(("outer", "inner", "outcome", "expected"), LAYERS)
def test_reach_is_the_intersection_of_the_layers(outer: str, inner: str, outcome: str, expected: list[str]) -> None:
    decision = decide((outer, inner))

    assert (decision.outcome.value, codes(decision)) == (outcome, expected)


def test_reasons_name_the_layer() -> None:
    decision = decide(('route "desk" { allow refund.** }', 'route "desk" { allow order.read }'))

    assert [(each.code, each.layer) for each in decision.reasons] == [
        ("scope.not_allowed", "layer-2"),
        ("scope.allowed", "layer-1"),
    ]


@pytest.mark.parametrize(
    ("capability", "expected"),
    [
        (acc() | {"acc": {"version": 1, "enabled": False, "scope": "refund.create"}}, "capability.disabled"),
        (acc() | {"acc": {"version": 2, "enabled": True, "scope": "refund.create"}}, "capability.unsupported_version"),
        (aip(kind="resource"), "capability.not_callable"),
    ],
)
def test_the_gate_denies(capability: Json, expected: str) -> None:
    assert expected in codes(decide(capability=capability))
    assert decide(capability=acc()).outcome.value == "allow"


def test_another_capability_than_the_action_calls_is_refused() -> None:
    called = action(acc("order.read"), {})
    decision = engine('route "desk" { allow refund.** }').decide(called, acc(), context())

    assert codes(decision) == ["capability.mismatch"]


def test_disabled_and_not_listed_are_both_told() -> None:
    capability = acc("ledger.purge") | {"acc": {"version": 1, "enabled": False, "scope": "ledger.purge"}}

    assert codes(decide('route "desk" { allow ledger.read }', capability)) == [
        "capability.disabled",
        "scope.not_allowed",
    ]


def test_the_input_is_judged_by_its_schema_with_a_pointer() -> None:
    (reason,) = [each for each in decide(given={"amount": True}).reasons if each.effect == "deny"]

    assert (reason.code, reason.pointer) == ("input.schema_violation", "/amount")


def test_conditions_on_an_input_that_breaks_its_schema_are_not_judged() -> None:
    text = """
    route "desk" { allow refund.** when input.amount > 5 deny refund.create when input.amount > 7 }
    deny "large" { when input.amount > 5 }
    deny "other" { when subject.id == "rosa" }
    require "many" { when input.amount > 5 approval "boss" }
    approval "boss" { need role "boss" }
    obligation "mask" { when input.amount > 5 set seen = input.amount also on deny }
    """
    decision = decide(text, given={"amount": "much"})

    assert codes(decision, None) == ["input.schema_violation", "rule.denied"]
    assert [(each.rule, each.set) for each in decision.obligations] == [("mask", {})]


def test_every_stage_speaks_at_once() -> None:
    text = (
        'route "desk" { allow order.read } deny "never" { for refund.** } deny "nobody" { when subject.id == "rosa" }'
    )
    decision = decide(text, acc(subject={"required": True}), stated=context(subject=None))

    assert codes(decision) == ["scope.not_allowed", "subject.required", "rule.denied", "rule.unevaluable"]
