"""A small world for tests of decisions: a policy text, a capability, a context that states everything."""

from __future__ import annotations

from functools import cache
from typing import Any

from policy import Decision, Engine

NOW = "2026-06-10T12:00:00Z"
Json = dict[str, Any]

ROSA: Json = {"id": "rosa", "kind": "human", "person_id": "rosa", "roles": [], "groups": []}
AGENT: Json = {"id": "agent-7", "kind": "agent", "person_id": "agent-7", "roles": [], "groups": []}
OPEN = 'route "desk" { allow order.read, refund.** }\n'
APPROVALS = """
approval "boss" { need role "boss" }
approval "chief" { need role "chief" }
"""

EXECUTION: Json = {
    "supports_sync": True,
    "supports_async": False,
    "supports_streaming": False,
    "supports_cancel": False,
    "supports_retry": False,
    "expected_completion": "sync",
    "retry_safety": "unsafe",
}


@cache
def engine(*layers: str) -> Engine:
    """The engine of some policy texts, the outermost first."""
    return Engine.from_source(*layers)


def acc(scope: str = "refund.create", *, properties: Json | None = None, **members: Any) -> Json:
    """A capability with an ACC declaration; members go into the declaration."""
    schema = {"type": "object", "properties": {"amount": {"type": "number"}} if properties is None else properties}
    return {"acc": {"version": 1, "enabled": True, "scope": scope, **members}, "input_schema": schema}


def contract(**members: Any) -> Json:
    """An AIP contract that restrains nothing."""
    return {
        "side_effects": ["write"],
        "idempotency": {
            "requirement": "optional",
            "collision_behavior": "reject_conflict",
            "key_scope": "tenant",
        },
        "execution": EXECUTION,
        "data": {"sensitivity": "internal", "contains_pii": False, "redaction_required": False},
        **members,
    }


def aip(**members: Any) -> Json:
    """An AIP capability of medium risk under the scope refund.create."""
    return {
        "id": "refund.create",
        "name": "Create refund",
        "kind": "tool",
        "scope": "refund.create",
        "input_schema": {"type": "object", "properties": {"amount": {"type": "number"}}},
        "risk": "medium",
        **members,
    }


def context(**members: Any) -> Json:
    """A context in which everything is stated; a member given as None is taken away."""
    stated: Json = {
        "route": "desk",
        "now": NOW,
        "tenant": {"id": "acme"},
        "requester": ROSA,
        "operator": AGENT,
        "subject": ROSA,
        "delegation": [],
        "used_votes": [],
        "authorities": [],
        "history": {"entries": []},
        **members,
    }
    return {name: value for name, value in stated.items() if value is not None}


def action(capability: Json, given: Any, **members: Any) -> Json:
    """An action of the capability."""
    called = capability.get("id") or capability["acc"]["scope"]
    return {"id": "a-1", "capability_id": called, "input": given, **members}


def decide(
    policy: str | tuple[str, ...] = OPEN,
    capability: Json | None = None,
    given: Any = None,
    *,
    stated: Json | None = None,
    **members: Any,
) -> Decision:
    """Decide on a call; `given` is the input, `stated` the context, `members` are the action's."""
    document = acc() if capability is None else capability
    layers = (policy,) if isinstance(policy, str) else policy
    called = action(document, {} if given is None else given, **members)
    return engine(*layers).decide(called, document, context() if stated is None else stated)


def codes(decision: Decision, effect: str | None = "deny") -> list[str]:
    """The codes of the reasons with an effect, in their order."""
    return [reason.code for reason in decision.reasons if effect is None or reason.effect == effect]
