"""Entries of the decision log: CloudEvents 1.0 as JSON, with a stable schema (`decision-log.schema.json`)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

from policy.model.decision import Decision, Reason
from policy.plugins.approvals.protocol import Json, StoredRequest
from policy.plugins.authorization import Authorization
from policy.plugins.call import Call
from policy.plugins.log.redaction import logged_input, redacted_paths, sensitive

SCHEMA = "urn:agent-policy:decision-log:1"
"""The identifier of the schema; a change that breaks a reader gets another number."""
DECISION = "agent-policy.decision.v1"
"""Type of the entry of an answered call."""
VOTE = "agent-policy.vote.v1"
"""Type of the entry of a vote, a withdrawal or a cancellation."""
RELOAD = "agent-policy.reload.v1"
"""Type of the entry of a reload that was made or refused."""

_LONGEST = 512
"""Characters of a name from outside that are logged."""
_PARTIES = ("requester", "operator", "subject")


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """What a log may hold beyond codes and names."""

    inputs: tuple[str, ...] = ()
    """Paths of the input whose values are logged, as policies write them."""
    messages: bool = False
    """Whether reasons are logged with their sentences, which may tell of values; never for what is sensitive."""


def schema() -> Json:
    """The JSON Schema (Draft 2020-12) of an entry."""
    text = files("policy.plugins.log").joinpath("decision-log.schema.json").read_text(encoding="utf-8")
    read: Json = json.loads(text)
    return read


def envelope(kind: str, time: str, source: str, subject: str | None, data: Json) -> Json:
    """An entry around its data."""
    event = {
        "specversion": "1.0",
        "id": str(uuid.uuid4()),
        "source": source,
        "type": kind,
        "time": time,
        "datacontenttype": "application/json",
        "dataschema": SCHEMA,
        "data": data,
    }
    return event if subject is None else {**event, "subject": cut(subject)}


def line(event: Mapping[str, Any]) -> bytes:
    """An entry as one line of ASCII: whatever the data holds, it neither ends the line nor reaches a terminal."""
    text = json.dumps(event, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("\x7f", "\\u007f").encode("ascii") + b"\n"


def decision_data(operation: str, call: Call | None, authorization: Authorization, contents: Contents) -> Json:
    """The data of an answered call; `call` is None where it could not be read."""
    decision = authorization.decision
    capability = None if call is None else call.admitted
    hidden = sensitive(capability) or decision.audit_sensitive
    context = (None if call is None else call.context) or {}
    data: Json = {
        "operation": operation,
        "call": cut(authorization.call),
        "handle": authorization.handle,
        "outcome": decision.outcome.value,
        "action_id": cut(decision.action_id),
        "capability_id": cut(decision.capability_id),
        "scope": cut(decision.scope),
        "route": cut(decision.route),
        "session": cut(decision.session),
        "tenant_id": _id(context.get("tenant")),
        "parties": {name: _id(context.get(name)) for name in _PARTIES},
        "delegators": _delegators(context.get("delegation")),
        "reasons": [_reason(reason, contents, hidden=hidden) for reason in decision.reasons],
        "reasons_omitted": decision.reasons_omitted,
        "approvals": _approvals(decision),
        # What an obligation sets may come from the input: the names alone are logged.
        "obligations": [
            {"rule": each.rule, "layer": each.layer, "redact": list(each.redact), "set": sorted(each.set)}
            for each in decision.obligations
        ],
        "risk": decision.risk.model_dump(mode="json"),
        "request_digest": decision.request_digest,
        "policy_hash": decision.policy_hash,
        "policy_version": decision.policy_version,
        "evaluated_at": decision.evaluated_at,
        "sensitive": hidden,
    }
    if contents.inputs and not hidden and call is not None and capability is not None:
        redacted = redacted_paths(call.loaded.engine.policy, capability)
        data["input"] = logged_input((call.action or {}).get("input"), contents.inputs, redacted)
    return data


def vote_data(operation: str, request: StoredRequest, vote: Json) -> Json:
    """The data of a vote, a withdrawal of one, or the cancellation of a request; no words of the voter."""
    opening = request.opening
    return {
        "operation": operation,
        "call": cut(opening.call),
        "handle": request.handle,
        "capability_id": cut(opening.capability_id),
        "request_digest": opening.request_digest,
        "policy_hash": opening.policy_hash,
        "by": _id(vote.get("approver")),
        "decision": vote.get("decision"),
        "decision_id": cut(vote.get("decision_id")),
        "approval_id": cut(vote.get("approval_id")),
        "target_decision_id": cut(vote.get("target_decision_id")),
        "evidence": [cut(each["kind"]) for each in vote.get("evidence") or ()],
    }


def cut(text: str | None) -> str | None:
    """A name from outside, bounded."""
    return text if text is None or len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


def _id(party: Any) -> str | None:
    name = party.get("id") if isinstance(party, Mapping) else None
    return cut(name) if isinstance(name, str) else None


def _delegators(hops: Any) -> list[str | None]:
    found: Sequence[Any] = hops if isinstance(hops, list) else ()
    return [_id(hop.get("from")) for hop in found[:10] if isinstance(hop, Mapping)]


def _reason(reason: Reason, contents: Contents, *, hidden: bool) -> Json:
    told: Json = {
        "code": reason.code,
        "effect": reason.effect,
        "rule": reason.rule,
        "layer": reason.layer,
        "location": reason.location,
        "controls": list(reason.controls),
    }
    return {**told, "message": cut(reason.message)} if contents.messages and not hidden else told


def _approvals(decision: Decision) -> list[Json]:
    return [
        {
            "id": each.id,
            "state": each.state,
            "missing": each.missing,
            "counted": [{"decision_id": one.decision_id, "approver": one.approver} for one in each.counted],
            "not_counted": [
                {"decision_id": one.decision_id, "approver": one.approver, "code": one.code} for one in each.not_counted
            ],
            "denials": [{"decision_id": one.decision_id, "approver": one.approver} for one in each.denials],
        }
        for each in decision.approvals
    ]
