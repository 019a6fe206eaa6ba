"""Risk: defaults, raises, uncertain ranges, thresholds, overrides, layers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.decide_world import APPROVALS, OPEN, acc, aip, codes, context, contract, decide

Json = dict[str, Any]

UNKNOWN = "context { limit: number optional }\n"
DEFAULT = 'policy "p" { default approval "boss" }\n'


@pytest.mark.parametrize(
    ("capability", "level"),
    [
        (acc(), "medium"),
        (acc(execution={"readonly": True}), "low"),
        (acc(execution={"readonly": False}) | {"method": "GET"}, "medium"),
        (acc() | {"method": "GET"}, "low"),
        (acc(risk={"level": "high"}), "high"),
        (acc(risk={"level": "low"}) | {"risk": "critical"}, "critical"),
        (acc(risk={"level": "low"}) | {"requires_human_approval": True}, "high"),
        (aip(risk=None), "high"),
        (aip(risk=None, contract=contract()), "medium"),
        (aip(risk=None, contract=contract(side_effects=["read"])), "low"),
        (aip(risk=None, contract=contract(side_effects=["read", "delete"])), "high"),
        (aip(risk=None, contract=contract(side_effects=[])), "high"),
        (aip(risk="low", contract=contract(side_effects=["delete"])), "low"),
    ],
)
def test_the_declared_or_default_level(capability: Json, level: str) -> None:
    risk = decide(OPEN, capability).risk

    assert (risk.declared, risk.effective, risk.uncertain, risk.raised_by) == (level, level, False, [])


BUILT_IN = [
    (DEFAULT, aip(risk="medium"), "allow", [], []),
    (DEFAULT, aip(risk="high"), "require-approval", ["boss"], []),
    (DEFAULT, aip(risk="critical"), "require-approval", ["boss"], []),
    ("", aip(risk="high"), "deny", [], ["risk.no_approval_path"]),
    (
        "",
        aip(
            risk="high",
            contract=contract(approval={"required": False, "approver_selector": {"type": "role", "name": "boss"}}),
        ),
        "require-approval",
        ["contract"],
        [],
    ),
]


@pytest.mark.parametrize(("header", "capability", "outcome", "approvals", "denied"), BUILT_IN)
def test_the_built_in_thresholds(
    header: str, capability: Json, outcome: str, approvals: list[str], denied: list[str]
) -> None:
    decision = decide(f"{header}{OPEN}{APPROVALS}", capability)

    assert decision.outcome.value == outcome
    assert ([each.id for each in decision.approvals], codes(decision)) == (approvals, denied)


STATEMENTS = [
    # statement, level, approvals, denials
    ("unattended up to high", "high", [], []),
    ("unattended up to high", "critical", [], ["risk.above_ceiling"]),
    ('approve up to high by "boss"', "low", ["boss"], []),
    ('unattended up to low approve up to high by "boss"', "low", [], []),
    ('unattended up to low approve up to high by "boss"', "medium", ["boss"], []),
    ('unattended up to low approve up to medium by "boss" approve up to critical by "chief"', "medium", ["boss"], []),
    ('unattended up to low approve up to medium by "boss" approve up to critical by "chief"', "high", ["chief"], []),
    ('unattended up to low approve up to high by "boss"', "critical", [], ["risk.above_ceiling"]),
    ("approve up to high by contract", "high", [], ["risk.no_approval_path"]),
]


@pytest.mark.parametrize(("body", "level", "approvals", "denied"), STATEMENTS)
def test_thresholds_judge_the_level(body: str, level: str, approvals: list[str], denied: list[str]) -> None:
    decision = decide(f'{OPEN}{APPROVALS}risk "company" {{ {body} }}', aip(risk=level))

    assert ([each.id for each in decision.approvals], codes(decision)) == (approvals, denied)


def test_a_default_tier_asks_the_default_approvals() -> None:
    text = f'{DEFAULT}{OPEN}{APPROVALS}risk "company" {{ unattended up to low approve up to high by default }}'

    assert [each.id for each in decide(text, aip(risk="high")).approvals] == ["boss"]


MATCHING = [
    # selectors and bodies, attributes, approvals, denials at risk high
    ('risk "lenient" { when context.limit > 5 unattended up to high }', {"limit": 9}, [], []),
    ('risk "lenient" { when context.limit > 5 unattended up to high }', {"limit": 1}, ["boss"], []),
    ('risk "lenient" { when context.limit > 5 unattended up to high }', {}, ["boss"], []),
    ('risk "lenient" { unless context.limit > 5 unattended up to high }', {}, ["boss"], []),
    ('risk "strict" { when context.limit > 5 unattended up to low }', {}, ["boss"], ["risk.above_ceiling"]),
    (
        'risk "strict" { unattended up to low } '
        'risk "lenient" overrides "strict" { when context.limit > 5 unattended up to high }',
        {"limit": 9},
        [],
        [],
    ),
    (
        'risk "strict" { unattended up to low } '
        'risk "lenient" overrides "strict" { when context.limit > 5 unattended up to high }',
        {},
        [],
        ["risk.above_ceiling"],
    ),
    (
        'risk "strict" { for order.** unattended up to low } '
        'risk "lenient" overrides "strict" { unattended up to high }',
        {},
        ["boss"],
        [],
    ),
    (
        'risk "strict" { when context.limit > 5 unattended up to low } '
        'risk "lenient" overrides "strict" { unattended up to high }',
        {},
        ["boss"],
        ["risk.above_ceiling"],
    ),
    (
        'risk "a" { unattended up to low } risk "b" overrides "a" { unattended up to medium } '
        'risk "c" overrides "b" { unattended up to high }',
        {},
        [],
        [],
    ),
    (
        'risk "a" { unattended up to high } risk "b" { unattended up to low approve up to high by "chief" }',
        {},
        ["chief"],
        [],
    ),
]


@pytest.mark.parametrize(("statements", "attributes", "approvals", "denied"), MATCHING)
def test_certain_and_possible_matches(
    statements: str, attributes: Json, approvals: list[str], denied: list[str]
) -> None:
    text = f"{DEFAULT}{OPEN}{UNKNOWN}{APPROVALS}{statements}"
    decision = decide(text, aip(risk="high"), stated=context(attributes=attributes))

    assert ([each.id for each in decision.approvals], codes(decision)) == (approvals, denied)


def test_a_possible_match_says_why() -> None:
    text = f'{DEFAULT}{OPEN}{UNKNOWN}{APPROVALS}risk "lenient" {{ when context.limit > 5 unattended up to high }}'
    (note,) = [each for each in decide(text, aip(risk="high")).reasons if each.effect == "note"]

    assert (note.code, note.rule) == ("rule.unevaluable", "lenient")
    assert note.message == "`context.limit` is missing, so its thresholds count and override nothing"


RAISES = [
    # raise, attributes, input, effective, uncertain, raised by
    ("for refund.** to high", {}, {}, "high", False, ["up"]),
    ("for order.** to high", {}, {}, "medium", False, []),
    ("to low", {}, {}, "medium", False, []),
    ("to high when input.amount > 5 to critical when input.amount > 50", {}, {"amount": 9}, "high", False, ["up"]),
    ("to high when input.amount > 5 to critical when input.amount > 50", {}, {"amount": 99}, "critical", False, ["up"]),
    ("to high when input.amount > 5 to critical when input.amount > 50", {}, {"amount": 1}, "medium", False, []),
    ("to high when input.amount > 5 to critical when input.amount > 50", {}, {}, "critical", True, ["up"]),
    ("when context.limit > 5 to high", {}, {}, "high", True, ["up"]),
    ("unless context.limit > 5 to high", {}, {}, "high", True, ["up"]),
    ("unless context.limit > 5 to high", {"limit": 9}, {}, "medium", False, []),
    ("when context.limit > 5 to low", {}, {}, "medium", False, []),
]


@pytest.mark.parametrize(("body", "attributes", "given", "effective", "uncertain", "raised_by"), RAISES)
def test_raises(
    body: str, attributes: Json, given: Json, effective: str, uncertain: bool, raised_by: list[str]
) -> None:
    text = f'{DEFAULT}{OPEN}{UNKNOWN}{APPROVALS}raise "up" {{ {body} }}'
    risk = decide(text, given=given, stated=context(attributes=attributes)).risk

    assert (risk.declared, risk.effective, risk.uncertain, risk.raised_by) == (
        "medium",
        effective,
        uncertain,
        raised_by,
    )


def test_every_level_of_an_uncertain_range_is_judged() -> None:
    text = f"""{OPEN}{UNKNOWN}{APPROVALS}
    raise "up" {{ when context.limit > 5 to critical }}
    risk "company" {{ unattended up to low approve up to medium by "boss" approve up to critical by "chief" }}
    """
    decision = decide(text)
    assert [each.id for each in decision.approvals] == ["boss", "chief"]
    assert codes(decision, "note") == ["rule.unevaluable"]

    certain = decide(text, stated=context(attributes={"limit": 9}))
    assert [each.id for each in certain.approvals] == ["chief"]


def test_a_raise_that_reads_claims_never_lifts_the_risk_over_a_lower_demand() -> None:
    text = f"""{OPEN}{APPROVALS}
    raise "claimed" {{ when claims.compliance.pci exists and claims.compliance.pci == true to high }}
    risk "company" {{ unattended up to low approve up to medium by "boss" approve up to critical by "chief" }}
    """
    without = decide(text)
    assert ([each.id for each in without.approvals], without.risk.uncertain) == (["boss"], False)

    claimed = decide(text, compliance={"pci": True})
    assert [each.id for each in claimed.approvals] == ["boss", "chief"]
    assert (claimed.risk.effective, claimed.risk.uncertain, claimed.risk.raised_by) == ("high", True, ["claimed"])


CONDITIONS = [
    # a condition on risk under an uncertain range medium..high
    ("risk >= medium", ["rule.denied"]),
    ("risk > high", []),
    ("risk >= high", ["rule.unevaluable"]),
    ('(risk >= high and subject.id == "omar")', []),
]


@pytest.mark.parametrize(("condition", "expected"), CONDITIONS)
def test_a_condition_on_an_uncertain_risk_holds_where_it_holds_at_every_level(
    condition: str, expected: list[str]
) -> None:
    text = f"""{DEFAULT}{OPEN}{UNKNOWN}{APPROVALS}
    raise "up" {{ when context.limit > 5 to high }}
    deny "no" {{ when {condition} }}
    """
    assert codes(decide(text)) == expected


def test_an_allow_that_reads_an_uncertain_risk_does_not_grant() -> None:
    text = f"""{DEFAULT}{UNKNOWN}{APPROVALS}
    route "desk" {{ allow refund.** when risk <= medium }}
    raise "up" {{ when context.limit > 5 to high }}
    """
    decision = decide(text)

    assert codes(decision) == ["scope.condition_unevaluable"]
    assert "`risk` is uncertain: medium to high" in decision.reasons[0].message
    assert decide(text, stated=context(attributes={"limit": 1})).outcome.value == "allow"


def test_thresholds_of_an_inner_layer_count_beside_the_outermost_ones() -> None:
    outer = f'{OPEN}{APPROVALS}risk "outer" {{ unattended up to high }}'
    inner = (
        'risk "inner" { unattended up to low approve up to critical by "owner" } approval "owner" { need role "owner" }'
    )

    assert decide(outer, aip(risk="high")).outcome.value == "allow"
    assert [each.id for each in decide((outer, inner), aip(risk="high")).approvals] == ["layer-2/owner"]


def test_an_inner_layer_does_not_replace_the_built_in_thresholds() -> None:
    inner = 'risk "inner" { unattended up to critical }'
    decision = decide((f"{DEFAULT}{OPEN}{APPROVALS}", inner), aip(risk="high"))

    assert [each.id for each in decision.approvals] == ["layer-1/boss"]


def test_raises_of_every_layer_count() -> None:
    outer = f"{DEFAULT}{OPEN}{APPROVALS}"
    decision = decide((outer, 'raise "inner" { for refund.** to high }'))

    assert (decision.risk.effective, decision.risk.raised_by) == ("high", ["inner"])
