"""How decisions, approvals and traces look to people."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from policy.backend.trace import TraceNode
from policy.decide.explanation import ConditionTrace, Explanation, RuleTrace
from policy.model.decision import Approval, Decision
from policy.render.approval import render_approval
from policy.render.decision import decision_json, render_decision
from policy.render.explanation import explanation_json, render_explanation
from policy.render.style import Style
from policy.render.trace import render_trace
from policy.types.values import MISSING, Timestamp, Unevaluable

Golden = Callable[[str, str], None]

_PENDING: dict[str, Any] = {
    "id": "two-finance",
    "state": "pending",
    "needs": '2 approvals from { role "finance.approver" group "treasury" }',
    "missing": 1,
    "counted": [{"decision_id": "d-1", "approver": "ines"}],
    "not_counted": [
        {"decision_id": "d-2", "approver": "omar", "code": "approval.expired", "message": "the vote is too old"}
    ],
    "could_approve": ["role finance.approver", "group treasury"],
    "next": ["role finance.approver"],
    "candidates": ["lea"],
    "excluded": ["rosa", "agent-7"],
    "evidence": ["reason", "external_ticket"],
    "valid_for": "4h",
    "expires_at": "2026-11-30T13:50:00Z",
    "prompt": "Refund 20000 for A-1?",
    "layer": "payments",
    "because": "two people look at every large refund",
}
_WAITS: dict[str, Any] = {
    "outcome": "require-approval",
    "action_id": "a-1",
    "capability_id": "refund",
    "scope": "refund.request.create",
    "route": "support-chat",
    "session": "case-9",
    "reasons": [
        {
            "code": "rule.requires_approval",
            "effect": "require-approval",
            "rule": "large-refund",
            "message": "refunds above 10 000 need two finance approvers",
            "location": "payments.policy:41:1",
            "controls": ["SOX-404", "PCI-7.2"],
            "layer": "payments",
        },
        {"code": "context.undeclared", "effect": "note", "message": "`context.colour` is declared by no policy"},
    ],
    "approvals": [_PENDING],
    "obligations": [{"rule": "mask", "redact": ["input.card"], "set": {"notify": "secops", "level": 2}}],
    "risk": {"declared": "medium", "effective": "high", "raised_by": ["big-money"], "uncertain": True},
    "request_digest": "sha256:11",
    "policy_hash": "sha256:22",
    "policy_version": "2026.11.1",
    "evaluated_at": "2026-11-30T10:00:00Z",
    "audit_sensitive": True,
}
_REFUSED: dict[str, Any] = {
    "outcome": "deny",
    "reasons": [
        {
            "code": "input.schema_violation",
            "effect": "deny",
            "message": "must be a number\x1b[0m",
            "pointer": "/lines/0/\u202eamount",
        }
    ],
    "reasons_omitted": 12,
    "risk": {"declared": None, "effective": None},
    "policy_hash": "sha256:22",
}
_ALLOWED: dict[str, Any] = {
    "outcome": "allow",
    "action_id": "a-1",
    "capability_id": "order.read",
    "scope": "order.read",
    "reasons": [{"code": "scope.allowed", "effect": "allow", "rule": "desk", "message": "the route allows it"}],
    "risk": {"declared": "low", "effective": "low"},
    "policy_hash": "sha256:22",
}


def _decision(data: dict[str, Any]) -> Decision:
    return Decision.model_validate_json(json.dumps(data))


def _approval(**changes: Any) -> str:
    return render_approval(Approval.model_validate_json(json.dumps({**_PENDING, **changes})))


def test_decisions_as_text(golden: Golden) -> None:
    texts = [render_decision(_decision(data)) for data in (_WAITS, _REFUSED, _ALLOWED)]
    golden("decisions/all.txt", "\n---\n".join(texts))


def test_decisions_in_colour(golden: Golden) -> None:
    golden("decisions/colour.txt", render_decision(_decision(_WAITS), Style(colour=True)))


def test_the_json_form_is_the_wire_form() -> None:
    decision = _decision(_WAITS)
    assert decision_json(decision) == decision.model_dump_json()
    assert "\n" not in decision_json(decision)


def test_each_state_of_an_approval(golden: Golden) -> None:
    texts = [
        _approval(),
        _approval(state="satisfied", missing=0),
        _approval(state="denied", denials=[{"decision_id": "d-9", "approver": "lea"}]),
        _approval(state="no_path", could_approve=[], next=[], counted=[], expires_at=None),
        _approval(
            missing=2,
            counted=[],
            not_counted=[],
            expires_at=None,
            prompt=None,
            because=None,
            candidates=[],
            next=_PENDING["could_approve"],
            excluded=[f"p-{number}" for number in range(14)],
            evidence=[],
        ),
    ]
    golden("decisions/approvals.txt", "\n".join(texts))


def _node(text: str, value: object, *children: TraceNode, **more: Any) -> TraceNode:
    return TraceNode(text=text, location="payments.policy:3:4", value=value, children=children, **more)


_TREE = _node(
    "large and every line in input.lines satisfies (line.ok)",
    Unevaluable("input.lines", "is missing"),
    _node("large", True, _node("input.amount", 20000), _node("10_000", 10000)),
    _node("line[0]", False, _node("line.ok", MISSING), item={"ok": "\x1b"}, omitted=3),
    _node("now", Timestamp(0), repeated=True),
)


def test_a_trace_shows_every_part_with_its_value() -> None:
    assert render_trace([_TREE]) == [
        "unevaluable (`input.lines` is missing)  large and every line in input.lines satisfies (line.ok)",
        "  true  large",
        "    20000  input.amount",
        "    10000  10_000",
        '  false  line[0]  (item {"ok": "\\u001b"}, 3 more items)',
        "    missing  line.ok",
        "  1970-01-01T00:00:00Z  now  (shown above)",
    ]


def test_a_trace_is_bounded() -> None:
    tree = _node("all", True, *[_node(f"n{number}", number) for number in range(1000)])
    lines = render_trace([tree])
    assert (len(lines), lines[-1]) == (401, "... the rest of the trace is left out")


def _rule(**members: Any) -> RuleTrace:
    common: dict[str, Any] = {
        "kind": "deny rule",
        "id": "incident",
        "layer": "payments",
        "location": "payments.policy:9:1",
        "text": "",
        "matched": False,
        "considered": True,
        "why": "does not hold",
        "conditions": (),
    }
    return RuleTrace(**{**common, **members})


def _condition(value: object, *trees: TraceNode, role: str = "when", given: str | None = None) -> ConditionTrace:
    return ConditionTrace(
        role=role, text="large and more", location="payments.policy:3:4", value=value, given=given, trees=trees
    )


_EXPLANATION = Explanation(
    decision=_decision(_WAITS),
    rules=(
        _rule(
            kind="allow",
            id="support-chat",
            text="refund.**",
            matched=True,
            conditions=(_condition(True, _node("x", True)),),
        ),
        _rule(kind="allow", id="support-chat", text="order.**", considered=False, why="covers other capabilities"),
        _rule(kind="allow", id="every route", text="a.*", matched=None, why="`input.lines` is missing"),
        _rule(),
        _rule(
            id="hours",
            text="at night",
            matched=None,
            why="`input.lines` is missing",
            conditions=(_condition(_TREE.value, _TREE),),
        ),
        _rule(
            kind="require",
            id="large-refund",
            matched=True,
            conditions=(_condition(True, _TREE.children[0], role="unless"),),
        ),
        _rule(
            kind="approval",
            id="two-finance",
            matched=True,
            why="pending",
            conditions=(_condition(False, role="where", given="ines"),),
        ),
        _rule(layer="team", considered=False),
    ),
)


def test_explanations_as_text(golden: Golden) -> None:
    golden("decisions/explanation.txt", render_explanation(_EXPLANATION))


def test_explanations_as_json(golden: Golden) -> None:
    golden(
        "decisions/explanation.json", json.dumps(explanation_json(_EXPLANATION), indent=1, ensure_ascii=False) + "\n"
    )
