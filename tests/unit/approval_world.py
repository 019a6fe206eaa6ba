"""A small world for tests of approvals: one payment, its parties, a directory and votes.

Everything is stated as a real runtime would state it, so that a test takes one thing away or changes one thing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from policy.contracts.admission import admit
from policy.decide.approvals.judge import Judged, judge
from policy.decide.approvals.requirement import LayeredSeparation, Requirement
from policy.decide.conditions import Conditions
from policy.decide.digest import request_digest
from policy.decide.facts import Facts, Sources
from policy.decide.request import Request
from policy.ir import nodes as ir
from policy.model.action import Action
from policy.model.context import Context
from policy.model.decision import Approval, Reason
from policy.source.text import Source, Span
from policy.types.instants import format_timestamp, parse_timestamp
from policy.types.values import RiskLevel, Timestamp
from tests.unit.expressions import constant, read

NOW = "2026-06-10T12:00:00Z"
POLICY_HASH = "sha256:" + "1" * 64
SECOND = 10**9
HOUR = 3600 * SECOND
Json = dict[str, Any]


def span(text: str = "approval") -> Span:
    return Span(Source("test.policy", text), 0, len(text))


def leaf(kind: str, value: str | ir.Expression | None, **members: Any) -> ir.Leaf:
    """`role "teller"`, or with a path as value `principal subject`."""
    expression = constant(value) if isinstance(value, str) else value
    shown = f'"{value}"' if isinstance(value, str) else getattr(value, "text", "")
    fields: dict[str, Any] = {
        "max_risk": None,
        "max_value": None,
        "value_of": None,
        "covering": None,
        "where": None,
        "text": f"{kind} {shown}".strip(),
        **members,
    }
    return ir.Leaf(span=span(), kind=kind, value=expression, **fields)


def role(name: str, **members: Any) -> ir.Leaf:
    return leaf("role", name, **members)


def pool(count: int, *leaves: ir.Leaf) -> ir.Pool:
    return ir.Pool(span=span(), count=count, leaves=leaves)


def slots(count: int, *children: ir.Need, same_person: bool = False) -> ir.Slots:
    return ir.Slots(span=span(), count=count, children=children, same_person=same_person)


def all_of(*children: ir.Need, same_person: bool = False) -> ir.Slots:
    return slots(len(children), *children, same_person=same_person)


def any_of(*children: ir.Need) -> ir.Slots:
    return slots(1, *children)


def requirement(need: ir.Need, name: str = "quorum", *, humans_only: bool = False, **members: Any) -> Requirement:
    fields: dict[str, Any] = {
        "distinct_by": None,
        "at_least": 1,
        "valid_for": 4 * HOUR,
        "evidence": (),
        "denied_by": 1,
        "kinds": ("human",),
        "self_approval": False,
        "describe": None,
        "because": None,
        "needs": "as written",
        **members,
    }
    return Requirement(
        id=name,
        approval=ir.Approval(span=span(), id=name, need=need, **fields),
        layer="payments",
        reasons=(Reason(code="rule.requires_approval", effect="require-approval", rule="large", message="large"),),
        humans_only=humans_only,
        prompt=None,
    )


def separation(form: ir.DiffersFrom | ir.RolesConflict | ir.DifferentPeople, name: str = "duties") -> LayeredSeparation:
    selector = ir.Selector(span=span(), patterns=None, routes=None, when=None, unless=None)
    rule = ir.Separation(span=span(), id=name, selector=selector, because=None, controls=("SOX-404",), form=form)
    return LayeredSeparation(rule=rule, layer="payments")


def differs(who: str, *parties: str) -> LayeredSeparation:
    return separation(ir.DiffersFrom(span=span(), who=who, parties=tuple(read(party) for party in parties)))


def conflict(*roles: str) -> LayeredSeparation:
    return separation(ir.RolesConflict(span=span(), roles=roles))


def step(pattern: str, key: str | None = None) -> ir.PerformStep:
    scope = ir.ScopePattern(span=span(), segments=tuple(pattern.split(".")))
    return ir.PerformStep(span=span(), patterns=(scope,), per=None if key is None else read(key), key=key)


def perform(*steps: ir.PerformStep, within: int | None = None) -> LayeredSeparation:
    return separation(ir.DifferentPeople(span=span(), steps=steps, within=within))


def person(name: str, **members: Any) -> Json:
    return {"id": name, "kind": "human", "person_id": name, **members}


def agent(name: str, **members: Any) -> Json:
    return {"id": name, "kind": "agent", **members}


def record(name: str, *roles: str, **members: Any) -> Json:
    stated = {
        "principal_id": name,
        "kind": "human",
        "person_id": name,
        "tenant_id": "acme",
        "roles": list(roles),
        **members,
    }
    return {member: value for member, value in stated.items() if value is not None}


def at(seconds: int) -> str:
    """An instant so many seconds from now."""
    now = parse_timestamp(NOW)
    assert now is not None
    return format_timestamp(Timestamp(now.nanoseconds + seconds * SECOND))


def vote(by: str | Json, seconds: int = -600, **members: Any) -> Json:
    """An approval of this request, ten minutes ago; None takes a member away."""
    principal = {"id": by, "kind": "human"} if isinstance(by, str) else by
    stated = {
        "decision": "approved",
        "decision_id": f"{principal['id']}{seconds}",
        "approver": principal,
        "decided_at": at(seconds),
        "request_digest": "THIS",
        "policy_hash": POLICY_HASH,
        **members,
    }
    return {member: value for member, value in stated.items() if value is not None}


def deny(by: str | Json, seconds: int = -600, **members: Any) -> Json:
    return vote(by, seconds, **{"decision": "denied", **members})


def withdraw(by: str, target: str, seconds: int = -60, **members: Any) -> Json:
    return vote(by, seconds, **{"decision": "revoked", "target_decision_id": target, **members})


def make_context(votes: Sequence[Json] = (), records: Sequence[Json] | None = (), **members: Any) -> Json:
    """Rosa asks, agent-7 calls for her; a member given as None is not stated."""
    stated: Json = {
        "route": "desk",
        "now": NOW,
        "tenant": {"id": "acme"},
        "requester": person("rosa", roles=[]),
        "operator": agent("agent-7", roles=[]),
        "subject": person("rosa", roles=[]),
        "delegation": [],
        "used_votes": [],
        "history": {"entries": []},
        "approvals": list(votes),
        "authorities": None if records is None else list(records),
        **members,
    }
    return {member: value for member, value in stated.items() if value is not None}


DEFAULT_INPUT = {"amount": 900, "payment_id": "p-1"}


def make_request(
    context: Json,
    payment: Json | None = None,
    *,
    scope: str = "payment.release",
    risk: Sequence[RiskLevel] = (RiskLevel.HIGH,),
    failures: Sequence[str] = (),
    policy_hash: str = POLICY_HASH,
) -> Request:
    """A request whose votes marked THIS carry its digest."""
    capability = admit(
        {"id": scope, "name": scope, "kind": "tool", "scope": scope, "input_schema": True, "risk": "high"}
    ).capability
    assert capability is not None
    action = Action.model_validate(
        {"id": "a-1", "capability_id": scope, "input": DEFAULT_INPUT if payment is None else payment}
    )
    digest = request_digest(action, capability, Context.model_validate({**context, "approvals": []}))
    votes = [bound(each, digest) for each in context.get("approvals", ())]
    stated = Context.model_validate({**context, "approvals": votes} if "approvals" in context else context)
    now = parse_timestamp(NOW if stated.now is None else stated.now)
    assert now is not None
    facts = Facts(
        Sources(
            action=action,
            capability=capability,
            context=stated,
            now=now,
            attributes=dict(stated.attributes or {}),
            declared={},
        )
    )
    return Request(
        policy=ir.PolicySet(layers=(), hash=policy_hash),
        action=action,
        capability=capability,
        context=stated,
        now=now,
        digest=digest,
        facts=facts,
        conditions=Conditions(facts, tuple(risk)),
        authority_failures=frozenset(failures),
    )


def bound(stated: Json, digest: str) -> Json:
    return {**stated, "request_digest": digest} if stated.get("request_digest") == "THIS" else stated


def judged(
    asked: Requirement | Sequence[Requirement], request: Request, *separations: LayeredSeparation
) -> tuple[Judged, ...]:
    return judge([asked] if isinstance(asked, Requirement) else asked, request, separations)


def decided(asked: Requirement, request: Request, *separations: LayeredSeparation) -> Approval:
    """The state of the one requirement that is asked for."""
    (only,) = judged(asked, request, *separations)
    return only.approval


def summary(approval: Approval) -> tuple[str, int, list[str], Mapping[str, str]]:
    """State, missing, who counts, and the code of each vote that does not, by decision id."""
    refused = {each.decision_id: each.code for each in approval.not_counted}
    return approval.state, approval.missing, [each.approver for each in approval.counted], refused
