"""The rules between the members of an AIP approval policy (model.md section 1), on the document as written."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeGuard

from policy.contracts.place import Place
from policy.model.mistakes import quoted
from policy.source.diagnostic import Diagnostic

_LEAF_MEMBER = {
    "principal": "id",
    "role": "name",
    "group": "name",
    "tenant_policy": "policy_id",
    "external_system": "system",
    "delegated_authority": "scope",
}
_COMPOSITES = ("all", "any", "quorum")

Rule = Mapping[str, object]


def approval_findings(policy: Mapping[str, object], place: Place) -> tuple[Diagnostic, ...]:
    """Every violation and warning of an approval policy, its ttl apart."""
    return (
        *_selector(policy, place.at("approver_selector")),
        *_rule(policy, place),
        *_people(policy, place),
        *_unheard(policy, place),
    )


def _selector(policy: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    selector = policy.get("approver_selector")
    if isinstance(selector, Mapping) and selector.get("type") != "tenant_policy":
        yield from _leaf(selector, str(selector.get("type")), place)


def _rule(policy: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    rule = policy.get("rule")
    if isinstance(rule, Mapping):
        yield from _walk(rule, place.at("rule"), root=True)


def _walk(rule: Rule, place: Place, *, root: bool) -> Iterator[Diagnostic]:
    operator = rule.get("operator")
    if operator not in _COMPOSITES:
        yield from _leaf(rule, str(operator), place)
        return
    children = _children(rule)
    if rule.get("rules") == []:
        yield place.at("rules").error("aip.rule_empty", f"`{operator}` has no rules; list who approves")
    elif operator == "quorum":
        yield from _quorum(rule, children, place)
    elif operator == "all":
        yield from _all(rule, children, place, root=root)
    for position, child in enumerate(_list(rule.get("rules"))):
        if isinstance(child, Mapping):
            yield from _walk(child, place.at("rules", position), root=False)


def _leaf(leaf: Rule, kind: str, place: Place) -> Iterator[Diagnostic]:
    member = _LEAF_MEMBER.get(kind, "")
    value = leaf.get(member)
    if not isinstance(value, str):
        return
    if not value.strip():
        yield place.at(member).error("aip.leaf_blank", f"`{member}` is blank; name who approves")
    if kind == "group" and value.endswith("*"):
        message = f"{quoted(value)} would be read as a pattern of groups; name one group"
        yield place.at(member).error("aip.group_pattern", message)
    if kind == "delegated_authority" and leaf.get("max_value") is not None:
        message = (
            "no contract says which value `max_value` limits, so nobody satisfies this; write the limit as a policy"
        )
        yield place.at("max_value").warning("aip.value_unknown", message)


def _quorum(rule: Rule, children: list[Rule], place: Place) -> Iterator[Diagnostic]:
    required = rule.get("required")
    if not _is_count(required):
        return
    if required < 1:
        yield place.at("required").error(
            "aip.quorum_zero", f"a quorum of {required} asks for nobody; require at least 1"
        )
    elif required > _reachable(children):
        message = f"{required} approvals are required and {_reachable(children)} can be given; lower the quorum"
        yield place.at("required").error("aip.quorum_unreachable", message)
    if rule.get("distinct_principals") is False:
        message = "one person never votes twice; `distinct_principals` counts as true"
        yield place.at("distinct_principals").warning("aip.distinct_principals_ignored", message)


def _reachable(children: list[Rule]) -> float:
    """How many approvals a quorum over these rules can collect."""
    if any(child.get("operator") in _COMPOSITES for child in children):
        return len(children)
    return _people_named(children)


def _all(rule: Rule, children: list[Rule], place: Place, *, root: bool) -> Iterator[Diagnostic]:
    reuse = rule.get("allow_decision_reuse") is True
    if reuse and not root:
        message = "one approval serves several rules at the root only; `allow_decision_reuse` counts as false"
        yield place.at("allow_decision_reuse").warning("aip.decision_reuse_ignored", message)
    named = [child.get("id") for child in children if child.get("operator") == "principal"]
    repeated = [name for position, name in enumerate(named) if name in named[:position]]
    if repeated and not (reuse and root):
        message = f"{quoted(repeated[0])} would have to approve twice; name different people"
        yield place.at("rules").error("aip.quorum_unreachable", message)


def _people(policy: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    minimum = policy.get("minimum_distinct_principals", 1)
    here = place.at("minimum_distinct_principals")
    if not _is_count(minimum):
        return
    if minimum < 1:
        yield here.error("aip.people_zero", f"a minimum of {minimum} asks for nobody; ask for at least 1")
        return
    possible = _people_named(_leaves(policy))
    if minimum > possible:
        message = f"{minimum} people must approve and only {possible} can; lower the minimum or name more"
        yield here.error("aip.people_unreachable", message)


def _leaves(policy: Mapping[str, object]) -> list[Rule]:
    """The leaves of the rule, else the selector as a leaf."""
    rule = policy.get("rule")
    if not isinstance(rule, Mapping):
        selector = policy.get("approver_selector")
        return [{**selector, "operator": selector.get("type")}] if isinstance(selector, Mapping) else []
    leaves: list[Rule] = []
    waiting: list[Rule] = [rule]
    while waiting:
        at = waiting.pop()
        if at.get("operator") in _COMPOSITES:
            waiting.extend(_children(at))
        else:
            leaves.append(at)
    return leaves


def _people_named(leaves: list[Rule]) -> float:
    """How many people these leaves can be: those named, or any number where one names no person."""
    if any(leaf.get("operator") != "principal" for leaf in leaves):
        return float("inf")
    return len({str(leaf.get("id")) for leaf in leaves})


def _unheard(policy: Mapping[str, object], place: Place) -> Iterator[Diagnostic]:
    separation = policy.get("separation_of_duties")
    if isinstance(separation, Mapping) and separation.get("allow_self_approval") is True:
        message = "a contract never lets anybody approve what they asked for; `allow_self_approval` is not heard"
        yield place.at("separation_of_duties", "allow_self_approval").warning("aip.self_approval_ignored", message)
    if policy.get("delegated_authority") is not None:
        message = "a contract grants no authority; the directory's records do, so `delegated_authority` is not heard"
        yield place.at("delegated_authority").warning("aip.delegated_authority_ignored", message)


def _children(rule: Rule) -> list[Rule]:
    return [child for child in _list(rule.get("rules")) if isinstance(child, Mapping)]


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _is_count(value: object) -> TypeGuard[int]:
    return isinstance(value, int) and not isinstance(value, bool)
