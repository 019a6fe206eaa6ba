"""What the page asks for beside the service's own endpoints: who it speaks for, and a decision with its policy."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from datetime import UTC, datetime
from typing import Any

from pydantic import Field
from starlette.datastructures import Headers

from policy.engine import Engine, PolicyError
from policy.ir import nodes as ir
from policy.model.base import Json, Model
from policy.render.explanation import explanation_json
from policy.server.errors import ServiceError
from policy.server.native import capability_id, check_vouched
from policy.server.operations import Answer, Call, Operation, Service
from policy.server.page.changes import changes
from policy.source.diagnostic import Diagnostic
from policy.source.limits import DEFAULT_LIMITS
from policy.source.text import Source, Span

_LIMITS = replace(DEFAULT_LIMITS, file_bytes=1 << 16, statements=2_000)
"""Bounds of a pasted policy."""
_FINDINGS = 50


class ExplainRequest(Model):
    """A call to explain, by the served policy or by a text."""

    policy: str | None = Field(default=None, max_length=_LIMITS.file_bytes)
    """A policy text, compiled for this answer and not kept; None: the served policy."""
    action: dict[str, Json]
    """What would be executed."""
    context: dict[str, Json]
    """Who, where and when."""


def session(service: Service, call: Call) -> Answer:
    """Who the caller is, what the page can offer, and the served policy for those who may read it."""
    headers = call.headers
    shown = headers.getlist("authorization") if isinstance(headers, Headers) else []
    caller = service.settings.tokens.caller(shown)
    may_explain = "explain" in caller.permissions
    return Answer(
        body={
            "name": caller.name,
            "permissions": sorted(caller.permissions),
            "principal": None if caller.principal is None else caller.principal.model_dump(mode="json"),
            "capabilities": sorted(service.authorizer.capabilities) if may_explain else [],
            "policies": _sources(service.authorizer.engine) if may_explain else [],
        }
    )


def explain(service: Service, call: Call) -> Answer:
    """A decision, its trace, the texts that the trace points into, and what would change it."""
    body: ExplainRequest = call.body
    check_vouched(call.caller, body.context)
    capability = service.authorizer.capabilities.get(capability_id(body.action))
    if capability is None:
        raise ServiceError("capability.unknown", "the catalog has no capability of this id")
    engine = service.authorizer.engine
    findings: tuple[Diagnostic, ...] = ()
    if body.policy is not None:
        try:
            engine = Engine.from_source(body.policy, limits=_LIMITS)
        except PolicyError as error:
            return Answer(body=_unloaded(body.policy, error.diagnostics))
        findings = engine.diagnostics
    # A question of a person: no votes are stated, so none were used.
    assumed = {"now": datetime.now(UTC).isoformat(), "used_votes": []}
    context = {**body.context, **{name: value for name, value in assumed.items() if body.context.get(name) is None}}
    explanation = engine.explain(body.action, capability, context)
    return Answer(
        body={
            **explanation_json(explanation),
            "changes": changes(explanation),
            "sources": _sources(engine),
            "diagnostics": _told(findings),
        }
    )


def _unloaded(text: str, findings: tuple[Diagnostic, ...]) -> dict[str, Any]:
    sources = [{"name": "policy", "text": text}]
    return {"decision": None, "rules": [], "changes": [], "sources": sources, "diagnostics": _told(findings)}


def _told(findings: tuple[Diagnostic, ...]) -> list[dict[str, Any]]:
    return [
        {
            "code": each.code,
            "severity": each.severity.value,
            "message": each.message,
            "help": each.help,
            "location": each.location,
        }
        for each in findings[:_FINDINGS]
    ]


def _sources(engine: Engine) -> list[dict[str, str]]:
    """The texts of a policy, in the order of its layers."""
    found: dict[str, Source] = {}
    for layer in engine.policy.layers:
        for source in _of_layer(layer):
            found.setdefault(source.name, source)
    return [{"name": name, "text": source.text} for name, source in found.items()]


def _of_layer(layer: ir.Program) -> list[Source]:
    """The texts that the statements of a layer stand in."""
    sources = []
    for member in fields(layer):
        value = getattr(layer, member.name)
        for node in value if isinstance(value, tuple) else ():
            span = getattr(node, "span", None) if is_dataclass(node) else None
            if isinstance(span, Span):
                sources.append(span.source)
    return sources


OPERATIONS = (
    Operation(
        name="pageSession",
        method="GET",
        path="/page/session",
        summary="Who a token belongs to, and what the page can offer.",
        handler=session,
    ),
    Operation(
        name="pageExplain",
        method="POST",
        path="/page/explain",
        summary="A decision, its trace on the policy's lines, and what would change it.",
        handler=explain,
        permission="explain",
        request=ExplainRequest,
        errors=("capability.unknown",),
    ),
)
"""The endpoints of the page."""
