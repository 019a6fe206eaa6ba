"""Obligations: what the runtime must do with a decision (language.md section 6)."""

from __future__ import annotations

from decimal import Decimal
from ipaddress import IPv4Address, IPv6Address
from typing import Any

from policy.decide import reasons
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import UNJUDGED, Conditions
from policy.decide.plan import Plan
from policy.decide.selectors import judge
from policy.ir import nodes as ir
from policy.model.admitted import AdmittedCapability
from policy.model.decision import Obligation, Reason
from policy.source.records import dataclass
from policy.types.instants import format_clock, format_duration, format_timestamp
from policy.types.numbers import to_json_number
from policy.types.values import Duration, RiskLevel, Sensitivity, TimeOfDay, Timestamp, Unevaluable


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """The obligations of an allow or a require-approval, those of a denial, and what came up."""

    granted: tuple[Obligation, ...]
    denied: tuple[Obligation, ...]
    reasons: tuple[Reason, ...]


def judge_obligations(
    compiled: CompiledPolicy, capability: AdmittedCapability, plan: Plan, conditions: Conditions | None
) -> Attached:
    """Every obligation that applies, or of which that cannot be told; a `set` without a value denies.

    Without conditions, which a policy without such rules needs not, only what the declaration asks.
    """
    if conditions is None:
        return Attached(granted=_built_in(capability), denied=(), reasons=())
    granted: list[Obligation] = []
    denied: list[Obligation] = []
    found: list[Reason] = []
    for number, rule in sorted(plan.obligations.possible(conditions.facts), key=lambda each: (each[0], each[1].id)):
        judged = judge(rule.selector.when, rule.selector.unless, conditions)
        if judged.holds is False:
            continue
        layer = compiled.layers[number].layer
        if judged.problem is not None and not judged.unjudged:
            found.append(reasons.unevaluable("note", rule, layer, judged.problem, "the obligation applies"))
        obligation = Obligation(
            rule=rule.id,
            layer=layer,
            redact=list(rule.redact),
            set=_values(rule, layer, conditions, found),
        )
        granted.append(obligation)
        denied.extend((obligation,) if rule.also_on_deny else ())
    return Attached(
        granted=(*granted, *_built_in(capability)),
        denied=tuple(denied),
        reasons=tuple(found),
    )


def _built_in(capability: AdmittedCapability) -> tuple[Obligation, ...]:
    """What the declaration asks of the runtime: the engine hands it on, it neither counts nor stops."""
    if capability.acc is None:
        return ()
    execution = capability.acc.execution
    found = [Obligation(rule="audit.sensitive")] if capability.acc.audit.sensitive else []
    if execution.rate_limit is not None:
        limit: dict[str, Any] = {"count": execution.rate_limit.count, "window": execution.rate_limit.window}
        found.append(Obligation(rule="execution.rate_limit", set=limit))
    if execution.timeout_ms is not None:
        found.append(Obligation(rule="execution.timeout", set={"timeout_ms": execution.timeout_ms}))
    return tuple(found)


def _values(rule: ir.Obligation, layer: str, conditions: Conditions, found: list[Reason]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for assignment in sorted(rule.set, key=lambda each: each.name):
        value = conditions.evaluate(assignment.value)
        if not isinstance(value, Unevaluable):
            value = _json(value, assignment)
        if not isinstance(value, Unevaluable):
            values[assignment.name] = value
        elif value is not UNJUDGED:
            consequence = f"`{assignment.name}` cannot be set"
            found.append(reasons.unevaluable("deny", rule, layer, value, consequence, code="obligation.unevaluable"))
    return values


def _json(value: object, assignment: ir.Assignment) -> Any:
    """A runtime value as JSON, with nothing shared; an Unevaluable where JSON has no such number."""
    match value:
        case None | bool() | str():
            return value
        case int() | float() | Decimal():
            number = to_json_number(value)
            problem = "is a number that JSON does not carry"
            return Unevaluable(assignment.name, problem, assignment.span.location) if number is None else number
        case Timestamp():
            return format_timestamp(value)
        case Duration(nanoseconds):
            return format_duration(nanoseconds)
        case TimeOfDay(nanoseconds):
            return format_clock(nanoseconds)
        case RiskLevel() | Sensitivity():
            return value.value
        case IPv4Address() | IPv6Address():
            return str(value)
        case list():
            return _whole([_json(item, assignment) for item in value])
        case dict():
            parts = _whole([_json(item, assignment) for item in value.values()])
            return parts if isinstance(parts, Unevaluable) else dict(zip(value, parts, strict=True))
        case _:
            raise TypeError("not a runtime value of the language")


def _whole(parts: list[Any]) -> Any:
    return next((part for part in parts if isinstance(part, Unevaluable)), parts)
