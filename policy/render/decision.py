"""A decision as text for people, and as JSON for programs."""

from __future__ import annotations

from collections.abc import Iterable

from policy.model.decision import Decision, Obligation, Outcome, Reason, RiskAssessment
from policy.render.approval import render_approval
from policy.render.escape import printable
from policy.render.style import PLAIN, Role, Style
from policy.types.display import show_value

_HEADLINES = {
    Outcome.ALLOW: "ALLOW",
    Outcome.REQUIRE_APPROVAL: "REQUIRE APPROVAL",
    Outcome.DENY: "DENY",
}
_MEANINGS = {
    Outcome.ALLOW: "the action may run now",
    Outcome.REQUIRE_APPROVAL: "the action waits for people",
    Outcome.DENY: "the action must not run",
}
_INDENT = "  "


def decision_json(decision: Decision) -> str:
    """The wire form, one line without a line end."""
    return decision.model_dump_json()


def render_decision(decision: Decision, style: Style = PLAIN) -> str:
    """The whole decision: outcome, reasons, approvals in sentences, obligations, risk, and what it is bound to."""
    sections = [
        _headline(decision, style),
        _reasons(decision, style),
        _approvals(decision, style),
        _obligations(decision.obligations, style),
        _footer(decision, style),
    ]
    return "\n".join(section for section in sections if section)


def _headline(decision: Decision, style: Style) -> str:
    role: Role = decision.outcome.value
    words = style.paint(role, _HEADLINES[decision.outcome])
    what = printable(decision.capability_id or "an action that could not be read")
    about = [
        f"{name} {printable(value)}"
        for name, value in (
            ("action", decision.action_id),
            ("scope", decision.scope if decision.scope != decision.capability_id else None),
            ("route", decision.route),
            ("session", decision.session),
        )
        if value is not None
    ]
    place = f" ({', '.join(about)})" if about else ""
    return f"{words}  {style.paint('strong', what)}{place}\n{_INDENT}{_MEANINGS[decision.outcome]}\n"


def _reasons(decision: Decision, style: Style) -> str:
    lines = [style.paint("strong", "why")]
    for reason in decision.reasons:
        lines += _reason(reason, style)
    if decision.reasons_omitted:
        lines.append(f"{_INDENT}and {decision.reasons_omitted} more reasons")
    return "\n".join(lines) + "\n" if len(lines) > 1 else ""


def _reason(reason: Reason, style: Style) -> Iterable[str]:
    role: Role = "note" if reason.effect == "note" else reason.effect
    place = f" at {printable(reason.pointer)}" if reason.pointer else ""
    yield f"{_INDENT}{style.paint(role, reason.effect)}: {printable(reason.message)}{place}"
    source = [
        printable(reason.code),
        *([f'"{printable(reason.rule)}"'] if reason.rule is not None else []),
        *([printable(reason.location)] if reason.location is not None else []),
        *([f"layer {printable(reason.layer)}"] if reason.layer is not None else []),
        *([f"controls {', '.join(map(printable, reason.controls))}"] if reason.controls else []),
    ]
    yield style.paint("dim", f"{_INDENT * 2}{' · '.join(source)}")


def _approvals(decision: Decision, style: Style) -> str:
    awaited = decision.outcome is not Outcome.DENY
    return "".join(render_approval(approval, style, awaited=awaited) for approval in decision.approvals)


def _obligations(obligations: Iterable[Obligation], style: Style) -> str:
    lines = []
    for obligation in obligations:
        lines.append(f'{_INDENT}"{printable(obligation.rule)}"')
        lines += [f"{_INDENT * 2}redact {printable(path)}" for path in obligation.redact]
        lines += [f"{_INDENT * 2}set {printable(name)} = {show_value(value)}" for name, value in obligation.set.items()]
    if not lines:
        return ""
    return "\n".join([style.paint("strong", "the runtime must"), *lines]) + "\n"


def _footer(decision: Decision, style: Style) -> str:
    version = "" if decision.policy_version is None else f" (version {printable(decision.policy_version)})"
    lines = [
        f"risk      {_risk(decision.risk)}",
        *([f"request   {printable(decision.request_digest)}"] if decision.request_digest is not None else []),
        f"policy    {printable(decision.policy_hash)}{version}",
        *([f"decided   {printable(decision.evaluated_at)}"] if decision.evaluated_at is not None else []),
        *(["record    with care: the capability is declared sensitive"] if decision.audit_sensitive else []),
    ]
    return "\n".join(style.paint("dim", line) for line in lines) + "\n"


def _risk(risk: RiskAssessment) -> str:
    if risk.effective is None:
        return "unknown"
    words = risk.effective
    if risk.declared != risk.effective:
        words += f", declared {risk.declared or 'nowhere'}"
    if risk.raised_by:
        words += f", raised by {', '.join(printable(rule) for rule in risk.raised_by)}"
    return f"{words}, uncertain: the highest that is possible" if risk.uncertain else words
