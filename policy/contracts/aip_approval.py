"""An AIP approval policy as one of the engine's approvals (model.md section 1)."""

from __future__ import annotations

import json
from typing import assert_never

from policy.ir import nodes as ir
from policy.model import approval_policy as aip
from policy.source.text import Source, Span
from policy.types.kinds import Basic
from policy.types.values import RiskLevel

CONTRACT_APPROVAL = "contract"
"""The id of the approval that a contract's own policy becomes."""

DEFAULT_VALID_FOR = 24 * 3600 * 10**9
"""Nanoseconds an approval counts where the contract gives no ttl: 24 hours."""

_MILLISECOND = 10**6

Leaf = (
    aip.PrincipalRule
    | aip.RoleRule
    | aip.GroupRule
    | aip.TenantPolicyRule
    | aip.ExternalSystemRule
    | aip.DelegatedAuthorityRule
    | aip.PrincipalSelector
    | aip.RoleSelector
    | aip.GroupSelector
    | aip.TenantPolicySelector
    | aip.ExternalSystemSelector
)
Composite = aip.AllRule | aip.AnyRule | aip.QuorumRule


def contract_approval(policy: aip.ApprovalPolicy, document: str, pointer: str) -> ir.Approval:
    """The approval that the contract's policy asks for; `document` and `pointer` say where it stands.

    Nobody approves what they asked for, whatever the policy says, and one person never counts twice. The policy
    has passed the rules of `policy.contracts.aip_rules`.
    """
    expression = policy.approver_selector if policy.rule is None else policy.rule
    text = _text(expression, root=True)
    span = Span(Source(f"{document}#{pointer}", text), 0, len(text))
    return ir.Approval(
        span=span,
        id=CONTRACT_APPROVAL,
        need=_need(expression, span, root=True),
        distinct_by=None,
        at_least=policy.minimum_distinct_principals,
        valid_for=DEFAULT_VALID_FOR if policy.ttl_ms is None else policy.ttl_ms * _MILLISECOND,
        evidence=tuple(dict.fromkeys(policy.evidence_requirements)),
        denied_by=1,
        kinds=("human",),
        self_approval=False,
        describe=None,
        because=policy.reason,
        needs=text,
    )


def _need(expression: Leaf | Composite, span: Span, *, root: bool) -> ir.Need:
    match expression:
        case aip.QuorumRule(required=required, rules=rules):
            children = tuple(_need(rule, span, root=False) for rule in rules)
            leaves = tuple(child for child in children if isinstance(child, ir.Leaf))
            if len(leaves) == len(children):
                return ir.Pool(span=span, count=required, leaves=leaves)
            return ir.Slots(span=span, count=required, children=children, same_person=False)
        case aip.AllRule(rules=rules, allow_decision_reuse=reuse):
            children = tuple(_need(rule, span, root=False) for rule in rules)
            return ir.Slots(span=span, count=len(children), children=children, same_person=reuse and root)
        case aip.AnyRule(rules=rules):
            children = tuple(_need(rule, span, root=False) for rule in rules)
            return ir.Slots(span=span, count=1, children=children, same_person=False)
        case _:
            return _leaf(expression, span)


def _leaf(leaf: Leaf, span: Span) -> ir.Leaf:
    kind, name = _kind_and_name(leaf)
    delegated = leaf if isinstance(leaf, aip.DelegatedAuthorityRule) else None
    risk = None if delegated is None or delegated.max_risk is None else RiskLevel(delegated.max_risk)
    return ir.Leaf(
        span=span,
        kind=kind,
        value=None if name is None else ir.Constant(span=span, type=Basic.STRING, value=name),
        max_risk=risk,
        max_value=None if delegated is None else delegated.max_value,
        value_of=None,
        covering=None,
        where=None,
        text=_text(leaf, root=False),
    )


def _kind_and_name(leaf: Leaf) -> tuple[str, str | None]:
    match leaf:
        case aip.PrincipalRule(id=name) | aip.PrincipalSelector(id=name):
            return "principal", name
        case aip.RoleRule(name=name) | aip.RoleSelector(name=name):
            return "role", name
        case aip.GroupRule(name=name) | aip.GroupSelector(name=name):
            return "group", name
        case aip.TenantPolicyRule(policy_id=name):
            return "tenant_policy", name
        case aip.TenantPolicySelector():
            return "tenant_policy", None
        case aip.ExternalSystemRule(system=name) | aip.ExternalSystemSelector(system=name):
            return "external_system", name
        case aip.DelegatedAuthorityRule(scope=name):
            return "delegated", name
        case _:
            assert_never(leaf)


def _text(expression: Leaf | Composite, *, root: bool) -> str:
    """The need as a policy would say it."""
    match expression:
        case aip.QuorumRule(required=required, rules=rules):
            of_leaves = not any(isinstance(rule, aip.AllRule | aip.AnyRule | aip.QuorumRule) for rule in rules)
            noun = "approval" if required == 1 else "approvals"
            return _braced(f"{required} {noun} from" if of_leaves else f"any {required} of", rules)
        case aip.AllRule(rules=rules, allow_decision_reuse=reuse):
            return _braced("all of", rules) + (" allowing same person" if reuse and root else "")
        case aip.AnyRule(rules=rules):
            return _braced("any of", rules)
        case _:
            return _leaf_text(expression)


def _braced(head: str, rules: list[aip.ApprovalRule]) -> str:
    return f"{head} {{ {' '.join(_text(rule, root=False) for rule in rules)} }}"


def _leaf_text(leaf: Leaf) -> str:
    kind, name = _kind_and_name(leaf)
    text = kind if name is None else f"{kind} {json.dumps(name, ensure_ascii=False)}"
    if isinstance(leaf, aip.DelegatedAuthorityRule):
        text += "" if leaf.max_risk is None else f" max risk {leaf.max_risk}"
        text += "" if leaf.max_value is None else f" max value {leaf.max_value}"
    return text
