"""An explanation as text and as JSON: the decision first, then every rule that was looked at, and why."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from policy.backend.trace import TraceNode
from policy.decide.explanation import ConditionTrace, Explanation, RuleTrace
from policy.render.decision import render_decision
from policy.render.escape import printable
from policy.render.style import PLAIN, Role, Style
from policy.render.trace import is_literal, render_trace, value_text
from policy.types.display import show_value
from policy.types.values import MISSING, Unevaluable

_INDENT = "  "
_VERDICTS: dict[bool | None, tuple[Role, str]] = {
    True: ("strong", "applies"),
    False: ("dim", "does not apply"),
    None: ("warning", "counts as applying, since it has no answer"),
}
_GRANTS: dict[bool | None, tuple[Role, str]] = {
    True: ("allow", "grants"),
    False: ("dim", "does not grant"),
    None: ("warning", "does not grant, since it has no answer"),
}


def render_explanation(explanation: Explanation, style: Style = PLAIN) -> str:
    """The decision and the rules behind it; rules for other capabilities or routes are only counted."""
    sections = [render_decision(explanation.decision, style)]
    for layer, rules in groupby(explanation.rules, key=lambda rule: rule.layer):
        sections.append(_layer(layer, list(rules), style))
    return "\n".join(sections)


def explanation_json(explanation: Explanation) -> dict[str, Any]:
    """`{decision, rules}`; values of conditions as the language would write them."""
    return {
        "decision": explanation.decision.model_dump(mode="json"),
        "rules": [_rule_json(rule) for rule in explanation.rules],
    }


def _layer(layer: str, rules: Iterable[RuleTrace], style: Style) -> str:
    lines = [style.paint("strong", f"rules of {printable(layer)}")]
    passed = 0
    for rule in rules:
        if rule.considered:
            lines += _rule(rule, style)
        else:
            passed += 1
    if passed:
        noun = "statement is" if passed == 1 else "statements are"
        lines.append(
            style.paint("dim", f"{_INDENT}{passed} more {noun} for other capabilities or routes, or not asked for")
        )
    return "\n".join(lines) + "\n"


def _rule(rule: RuleTrace, style: Style) -> Iterable[str]:
    if rule.kind == "approval":
        role, verdict = _asked(rule.why)
    else:
        role, verdict = (_GRANTS if rule.kind == "allow" else _VERDICTS)[rule.matched]
    name = "deny" if rule.kind == "deny rule" else rule.kind
    head = f'{_INDENT}{style.paint(role, verdict)}: {name} "{printable(rule.id)}"'
    text = _described(rule)
    yield f"{head}{text}  {style.paint('dim', printable(rule.location))}"
    if rule.matched is None:
        yield f"{_INDENT * 2}{printable(rule.why)}"
    for condition in rule.conditions:
        if len(condition.trees) != 1 or not is_literal(condition.trees[0]):
            yield from _condition(condition, style)


def _described(rule: RuleTrace) -> str:
    """What stands behind a rule's name: a clause's patterns, what an approval needs, else words for people."""
    if not rule.text:
        return ""
    text = printable(rule.text)
    return f" {text}" if rule.kind in {"allow", "deny", "approval"} else f" ({text})"


def _asked(state: str) -> tuple[Role, str]:
    return ("dim", state) if state == "satisfied" else ("require-approval", state.replace("_", " "))


def _condition(condition: ConditionTrace, style: Style) -> Iterable[str]:
    given = f" for {printable(condition.given)}" if condition.given is not None else ""
    head = f"{_INDENT * 2}{style.paint('strong', condition.role)}{given}: {value_text(condition.value, style)}"
    yield f"{head}  {printable(condition.text)}"
    if len(condition.trees) == 1:
        # Its first line would repeat what stands above it.
        parts = [part for part in condition.trees[0].children if not is_literal(part)]
        yield from render_trace(parts, style, _INDENT * 3)
    else:
        yield from render_trace(condition.trees, style, _INDENT * 3)


def _rule_json(rule: RuleTrace) -> dict[str, Any]:
    return {
        "kind": rule.kind,
        "id": rule.id,
        "layer": rule.layer,
        "location": rule.location,
        "text": rule.text,
        "matched": rule.matched,
        "considered": rule.considered,
        "why": rule.why,
        "conditions": [
            {
                "role": condition.role,
                "text": condition.text,
                "location": condition.location,
                "given": condition.given,
                **_value_json(condition.value),
                "trees": [_tree_json(tree) for tree in condition.trees],
            }
            for condition in rule.conditions
        ],
    }


def _tree_json(tree: TraceNode) -> list[dict[str, Any]]:
    """The nodes of a tree, parents first; flat with a depth, since a tree may be deeper than JSON readers go."""
    return [
        {
            "depth": depth,
            "text": node.text,
            "location": node.location,
            **_value_json(node.value),
            "item": None if node.item is None else show_value(node.item),
            "repeated": node.repeated,
            "omitted": node.omitted,
        }
        for depth, node in tree.walk()
    ]


def _value_json(value: object) -> dict[str, str | None]:
    if isinstance(value, Unevaluable):
        return {"value": None, "unevaluable": f"{value.path} {value.problem}"}
    if value is MISSING:
        return {"value": None, "unevaluable": "missing"}
    return {"value": show_value(value), "unevaluable": None}
