"""Prohibitions, requirements and obligations: three values, unevaluable conditions, layers, defaults."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.decide_world import APPROVALS, OPEN, acc, aip, codes, context, contract, decide

Json = dict[str, Any]

NEEDS = "context { limit: number optional incident: string or null }\n"


def attributed(**attributes: Any) -> Json:
    return context(attributes={"incident": None, **attributes})


@pytest.mark.parametrize(
    ("rule", "attributes", "expected"),
    [
        ("when context.limit > 5", {"limit": 9}, ["rule.denied"]),
        ("when context.limit > 5", {"limit": 1}, []),
        ("when context.limit > 5", {}, ["rule.unevaluable"]),
        ("unless context.limit > 5", {"limit": 9}, []),
        ("unless context.limit > 5", {"limit": 1}, ["rule.denied"]),
        ("unless context.limit > 5", {}, ["rule.unevaluable"]),
        ("when context.limit > 5 unless context.incident missing", {}, []),
        ("when context.limit > 5 unless context.incident missing", {"incident": "x"}, ["rule.unevaluable"]),
        ("when context.incident exists unless context.limit > 5", {}, []),
        ("for order.** when context.limit > 5", {}, []),
        ('on route "desk" when context.limit > 5', {}, ["rule.unevaluable"]),
        ('when (context.limit > 5 or subject.id == "rosa")', {}, ["rule.denied"]),
        ('when (context.limit > 5 and subject.id == "omar")', {}, []),
    ],
)
def test_a_deny_applies_unless_it_is_surely_false(rule: str, attributes: Json, expected: list[str]) -> None:
    decision = decide(f'{OPEN}{NEEDS}deny "no" {{ {rule} }}', stated=attributed(**attributes))

    assert codes(decision) == expected
    assert decision.outcome.value == ("deny" if expected else "allow")


def test_an_unevaluable_deny_names_rule_attribute_and_place() -> None:
    text = OPEN + 'context { limit: number optional }\ndeny "no" {\n  when context.limit > 5\n  because "too much"\n}'
    (reason,) = [each for each in decide(text).reasons if each.effect == "deny"]

    assert (reason.code, reason.rule, reason.location) == ("rule.unevaluable", "no", "policy:4:8")
    assert reason.message == "`context.limit` is missing, so `no` denies this: too much"


def test_a_deny_speaks_in_its_authors_words_and_controls() -> None:
    text = OPEN + 'deny "no" { for refund.** because "not here" control "SOX-1" }'
    (reason,) = [each for each in decide(text).reasons if each.effect == "deny"]

    assert (reason.message, reason.controls, reason.layer) == ("not here", ["SOX-1"], "policy")


def test_a_require_asks_and_an_unevaluable_one_asks_too() -> None:
    text = f'{OPEN}{NEEDS}{APPROVALS}require "big" {{ when context.limit > 5 approval "boss" }}'

    assert decide(text, stated=attributed(limit=1)).outcome.value == "allow"
    asked = decide(text, stated=attributed(limit=9))
    assert (codes(asked, "require-approval"), codes(asked, "note")) == (["rule.requires_approval"], [])
    unknown = decide(text, stated=attributed())
    assert (codes(unknown, "require-approval"), codes(unknown, "note")) == (
        ["rule.requires_approval"],
        ["rule.unevaluable"],
    )
    assert [(each.id, each.state) for each in unknown.approvals] == [("boss", "pending")]


def test_one_approval_asked_for_twice_is_one_requirement_with_several_reasons() -> None:
    text = f"""{OPEN}{APPROVALS}
    require "one" {{ for refund.** approval "boss" because "first" }}
    require "two" {{ for refund.** approval "boss" because "second" }}
    require "three" {{ for refund.** approval "chief" }}
    """
    decision = decide(text)

    assert [each.id for each in decision.approvals] == ["boss", "chief"]
    assert [(each.rule, each.message) for each in decision.reasons if each.effect == "require-approval"] == [
        ("one", "first"),
        ("three", "`three` requires an approval"),
        ("two", "second"),
    ]


DEFAULTS = [
    ("", None),
    ('policy "p" { default approval "boss" }', ["boss"]),
    ('policy "p" { default approval "boss" default approval "chief" for refund.** }', ["chief"]),
    (
        'policy "p" { default approval "boss" for refund.* default approval "chief" for refund.** }',
        ["boss", "chief"],
    ),
    ('policy "p" { default approval "boss" for order.** }', None),
]


@pytest.mark.parametrize(("header", "expected"), DEFAULTS)
def test_what_names_nobody_goes_to_the_default_approvals(header: str, expected: list[str] | None) -> None:
    decision = decide(f"{header}{OPEN}{APPROVALS}", acc(approval={"required": True}))

    if expected is None:
        assert codes(decision) == ["approval.no_path"]
        assert decision.approvals == []
    else:
        assert decision.outcome.value == "require-approval"
        assert codes(decision, "require-approval") == ["contract.requires_approval"]
        assert [each.id for each in decision.approvals] == expected


def test_default_approvals_of_every_layer_are_asked() -> None:
    outer = f'policy "o" {{ default approval "boss" }}{OPEN}{APPROVALS}'
    inner = 'policy "i" { default approval "owner" } approval "owner" { need role "owner" }'
    decision = decide((outer, inner), acc(approval={"required": True}))

    assert [(each.id, each.layer) for each in decision.approvals] == [
        ("layer-1/boss", "layer-1"),
        ("layer-2/owner", "layer-2"),
    ]


ASKING = [
    (aip(requires_human_approval=True), {}),
    (
        aip(
            contract=contract(
                transaction={
                    "supported_modes": ["compensate"],
                    "requires_plan_before_commit": False,
                    "dry_run_fidelity": "schema_only",
                },
                compensation={"mode": "best_effort", "requires_approval": True},
            )
        ),
        {"transaction": {"mode": "compensate", "compensation_for": "a-0"}},
    ),
    (acc(approval={"when": [{"param": "amount", "op": ">", "value": 5, "label": "much"}]}), {}),
]


@pytest.mark.parametrize(("capability", "members"), ASKING)
def test_what_the_declaration_asks_for_is_asked(capability: Json, members: Json) -> None:
    text = f'policy "p" {{ default approval "boss" }}{OPEN}{APPROVALS}'
    decision = decide(text, capability, {"amount": 9}, **members)

    assert decision.outcome.value == "require-approval"
    assert [(each.id, each.state) for each in decision.approvals] == [("boss", "pending")]
    assert codes(decision, "require-approval") == ["contract.requires_approval"]


def test_a_contract_with_an_approval_policy_of_its_own() -> None:
    policy = {
        "required": True,
        "reason": "money leaves",
        "approver_selector": {"type": "role", "name": "boss"},
        "rule": {"operator": "role", "name": "boss"},
    }
    decision = decide(OPEN, aip(contract=contract(approval=policy)))

    assert [(each.id, each.state, each.layer) for each in decision.approvals] == [("contract", "pending", None)]
    assert [each.message for each in decision.reasons if each.effect == "require-approval"] == ["money leaves"]
    optional = decide(OPEN, aip(contract=contract(approval={**policy, "required": False})))
    assert (optional.outcome.value, optional.approvals) == ("allow", [])


def test_the_prompt_holds_the_parameters_as_data() -> None:
    prompt = "Refund {amount} for {order.id} to {who}?"
    capability = acc(
        approval={"required": True, "prompt": prompt},
        properties={"amount": {"type": "number"}, "order": {"type": "object"}},
    )
    text = f'policy "p" {{ default approval "boss" }}{OPEN}{APPROVALS}'
    (approval,) = decide(text, capability, {"amount": 12, "order": {"id": 'A"{amount}\u202e'}}).approvals

    assert approval.prompt == 'Refund 12 for "A\\"{amount}\\u202e" to (not given)?'


def test_obligations_are_attached_with_their_values() -> None:
    text = f"""{OPEN}context {{ until: timestamp wait: duration }}
    obligation "mask" {{ for refund.** redact input.card, input.iban
      set notify = "ops" set amount = input.amount + 0.5 }}
    obligation "times" {{ for refund.** set until = context.until set wait = context.wait set risk = risk }}
    obligation "never" {{ for order.** redact input.card }}
    """
    stated = context(attributes={"until": "2026-06-11T00:00:00+02:00", "wait": "1h30m"})
    decision = decide(text, given={"amount": 1}, stated=stated)

    assert [(each.rule, each.layer, each.redact, each.set) for each in decision.obligations] == [
        ("mask", "policy", ["input.card", "input.iban"], {"amount": 1.5, "notify": "ops"}),
        ("times", "policy", [], {"risk": "medium", "until": "2026-06-10T22:00:00Z", "wait": "1h30m"}),
    ]


def test_a_set_without_a_value_denies() -> None:
    text = OPEN + 'obligation "mask" { for refund.** set amount = input.amount because "the ledger wants it" }'
    decision = decide(text)

    (reason,) = [each for each in decision.reasons if each.effect == "deny"]
    assert (reason.code, reason.rule) == ("obligation.unevaluable", "mask")
    assert reason.message == "`input.amount` is missing, so `amount` cannot be set: the ledger wants it"
    assert decide(text, given={"amount": 1}).outcome.value == "allow"


def test_an_obligation_without_an_answer_is_attached() -> None:
    text = f'{OPEN}{NEEDS}obligation "mask" {{ when context.limit > 5 redact input.card }}'

    assert [each.rule for each in decide(text, stated=attributed()).obligations] == ["mask"]
    assert codes(decide(text, stated=attributed()), "note") == ["rule.unevaluable"]
    assert decide(text, stated=attributed(limit=1)).obligations == []


def test_denials_carry_only_what_is_also_on_deny() -> None:
    text = (
        OPEN
        + """
    deny "no" { for refund.** }
    obligation "mask" { for refund.** redact input.card }
    obligation "tell" { for refund.** set notify = "ops" also on deny }
    """
    )
    decision = decide(text, acc(audit={"sensitive": True}))

    assert [each.rule for each in decision.obligations] == ["tell"]
    assert decision.audit_sensitive is True


def test_what_the_declaration_asks_of_the_runtime_is_handed_on() -> None:
    capability = acc(
        audit={"sensitive": True}, execution={"timeout_ms": 500, "rate_limit": {"count": 3, "window": "1m"}}
    )
    decision = decide(capability=capability)

    assert [(each.rule, each.layer, each.set) for each in decision.obligations] == [
        ("audit.sensitive", None, {}),
        ("execution.rate_limit", None, {"count": 3, "window": "1m"}),
        ("execution.timeout", None, {"timeout_ms": 500}),
    ]
    assert decision.audit_sensitive is True


def test_a_separation_of_the_parties_denies() -> None:
    text = OPEN + 'separation "two" { for refund.** requester differs from subject }'

    assert codes(decide(text)) == ["separation.same_person"]
    other = {"id": "omar", "kind": "human", "person_id": "omar"}
    assert decide(text, stated=context(requester=other)).outcome.value == "allow"
    assert codes(decide(text, stated=context(requester=None))) == ["separation.unknown_party"]
