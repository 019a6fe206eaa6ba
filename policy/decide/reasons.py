"""Reasons: how they are made, put in order and counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Literal

from policy.ir import nodes as ir
from policy.model.decision import Reason
from policy.source.codes import CODES
from policy.types.values import Unevaluable

Effect = Literal["allow", "require-approval", "deny", "note"]

_EFFECTS = {"deny": 0, "require-approval": 1, "allow": 2, "note": 3}
_STAGES = (
    ("engine.failure", "authorizer.", "authority.", "history.", "log."),
    ("input.malformed", "capability.invalid", "context."),
    ("capability.",),
    ("subject.", "route.", "scope."),
    ("input.",),
    ("idempotency.", "execution.", "transaction.", "tenant.", "credential.", "residency.", "delegation."),
    ("risk.above_ceiling", "risk.no_approval_path"),
    ("rule.denied", "rule.unevaluable", "separation.", "obligation."),
    ("approval.", "rule.", "risk.", "contract."),
)
"""Codes by the stage that gives them; the first entry that fits a code is its stage."""


def stage_of(code: str) -> int:
    """The stage of language.md section 7 that gives a code, 1 to 8; 0 for a failure of the engine or around it."""
    stage = _STAGE_OF.get(code)
    if stage is None:
        raise ValueError(f"no stage gives the code {code}")
    return stage


def _stages() -> Iterator[tuple[str, int]]:
    for code in CODES:
        for stage, prefixes in enumerate(_STAGES):
            if code.startswith(prefixes):
                yield code, stage
                break


_STAGE_OF: Mapping[str, int] = MappingProxyType(dict(_stages()))


def in_order(reasons: Iterable[Reason], layers: Iterable[str]) -> list[Reason]:
    """The reasons, each once, most restrictive first, then by stage, layer (outermost first), rule and place."""
    distinct = {_identity(reason): reason for reason in reasons}
    if len(distinct) < 2:
        return list(distinct.values())
    ranks = {name: rank for rank, name in enumerate(layers)}
    return sorted(
        distinct.values(),
        key=lambda reason: (
            _EFFECTS[reason.effect],
            stage_of(reason.code),
            reason.code,
            -1 if reason.layer is None else ranks.get(reason.layer, len(ranks)),
            reason.rule or "",
            reason.pointer or "",
            reason.location or "",
            reason.message,
        ),
    )


def _identity(reason: Reason) -> tuple[object, ...]:
    return (
        reason.code,
        reason.effect,
        reason.rule,
        reason.message,
        reason.location,
        reason.layer,
        reason.pointer,
        tuple(reason.controls),
    )


def deny(code: str, message: str, pointer: str | None = None) -> Reason:
    """A denial that comes from no rule."""
    return Reason(code=code, effect="deny", message=message, pointer=pointer)


def note(code: str, message: str) -> Reason:
    """Something to know that changes nothing."""
    return Reason(code=code, effect="note", message=message)


def of_rule(code: str, effect: Effect, rule: ir.Rule, layer: str, message: str) -> Reason:
    """A reason that a rule gives; its own words for people come first."""
    return Reason(
        code=code,
        effect=effect,
        rule=rule.id,
        message=rule.because or message,
        location=rule.span.location,
        controls=list(rule.controls),
        layer=layer,
    )


def unevaluable(
    effect: Effect,
    rule: ir.Rule,
    layer: str,
    problem: Unevaluable,
    consequence: str,
    *,
    code: str = "rule.unevaluable",
) -> Reason:
    """Names the rule and the attribute, before the rule's own words; the place is where the attribute is read."""
    message = f"{told(problem)}, so {consequence}"
    return Reason(
        code=code,
        effect=effect,
        rule=rule.id,
        message=f"{message}: {rule.because}" if rule.because else message,
        location=problem.location or rule.span.location,
        controls=list(rule.controls),
        layer=layer,
    )


def told(problem: Unevaluable) -> str:
    """A problem of evaluation as a clause: the attribute, and what is wrong with it."""
    return f"`{problem.path}` {problem.problem}"
