"""What an AuthZEN evaluation becomes: an action, a capability of the catalog, and a trusted context.

| AuthZEN | becomes |
| --- | --- |
| `subject` | `context.requester` and `context.subject`: `subject.type` through `subject_types` gives the kind, `subject.id` the principal id (`TYPE:ID` for another type than `plain_type`). Roles, groups, person and attributes are those of the directory; a subject it does not know has none stated. |
| the caller | `context.operator`: a service with the caller's name. |
| `subject.properties` | The claim `claims.identity`. A name in `subject_properties` becomes an attribute beside the stored ones. |
| `subject.properties.act` | There: the delegation is unknown. Else it is stated as empty. |
| `action.name`, `resource.type` | The capability id, by the first of `capabilities` that matches, else `action.name` itself. |
| `resource`, `action.properties` | The input. `whole`: `{"resource": resource, "properties": action.properties}`. `arguments`: `action.properties` alone, where the resource is `{"type": "tool", "id": CAPABILITY_ID}` without properties. |
| `context` | The claim `claims.federation`, without the words of the protocol. A name in `context_properties` becomes `context.NAME`. |
| settings | `context.route`, `context.tenant`, `context.region`. |
| the clock, the store | `now`, votes, `used_votes`, `history`. |

What a caller writes can only tighten. Claims cannot grant in the language, whatever they say. A trusted property adds
what nobody stored and never replaces what somebody did: where the two differ, the evaluation is refused. Roles and
groups are never taken from a request. Everything of action and resource stands in the input, or the evaluation is
refused, so that an approval is bound to all of it by the request digest.
"""  # noqa: E501

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from policy.model.canonical import canonical_bytes
from policy.model.context import Principal
from policy.server.authentication import Caller
from policy.server.authzen.messages import EvaluationRequest, Subject
from policy.server.authzen.settings import AuthzenSettings, CapabilityRule
from policy.server.directory import Principals

PROTOCOL = frozenset({"approval", "supported_mandatory_extensions", "supported_obligations"})
"""Members of a request's context that are words of the protocol."""
_ACTOR = "act"
_TOOL = "tool"


class MappingError(Exception):
    """An evaluation that is no action of this deployment; it is refused."""

    def __init__(self, code: str, message: str, status: int = 400) -> None:
        super().__init__(message)
        self.code = code
        """Why, as a code."""
        self.message = message
        """Why, in a sentence."""
        self.status = status
        """The HTTP status that says the same, for `context.error`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mapped:
    """An evaluation in the engine's words, but for the action's id."""

    capability_id: str
    """The capability."""
    action: dict[str, Any] = field(repr=False)
    """The action without its id."""
    context: dict[str, Any] = field(repr=False)
    """The trusted context."""


def map_request(request: EvaluationRequest, caller: Caller, directory: Principals, settings: AuthzenSettings) -> Mapped:
    """An evaluation in the engine's words. Raises MappingError where it is no action of this deployment."""
    rule = _rule(request, settings)
    capability = request.action.name if rule is None else rule.capability
    subject = _subject(request.subject, directory, settings).model_dump(mode="json", exclude_none=True)
    properties = request.subject.properties or {}
    stated = {name: part for name, part in (request.context or {}).items() if name not in PROTOCOL}
    action: dict[str, Any] = {"capability_id": capability, "input": _input(request, capability, rule, settings)}
    if properties:
        action["identity"] = properties
    if stated:
        action["federation"] = stated
    context: dict[str, Any] = {
        "route": (None if rule is None else rule.route) or caller.route or settings.route,
        "requester": subject,
        "operator": {"id": caller.name, "kind": "service"},
        "subject": subject,
        "attributes": {name: stated[name] for name in settings.context_properties if name in stated},
    }
    if _ACTOR not in properties:
        context["delegation"] = []
    if settings.tenant is not None:
        context["tenant"] = settings.tenant.model_dump(mode="json", exclude_none=True)
    if settings.region is not None:
        context["region"] = settings.region
    return Mapped(capability_id=capability, action=action, context=context)


def _rule(request: EvaluationRequest, settings: AuthzenSettings) -> CapabilityRule | None:
    for rule in settings.capabilities:
        if rule.action == request.action.name and rule.resource in {None, request.resource.type}:
            return rule
    return None


def _subject(subject: Subject, directory: Principals, settings: AuthzenSettings) -> Principal:
    kind = settings.subject_types.get(subject.type)
    if kind is None:
        raise MappingError("subject.type_unknown", "subjects of this type are not known here")
    if not subject.id.strip():
        raise MappingError("subject.id_empty", "the subject has no id")
    name = _principal_id(subject, settings)
    try:
        principal = directory.principal(name, kind)
    except LookupError:
        raise MappingError("subject.not_usable", "the stored subject was revoked or is of another kind", 403) from None
    trusted = {key: part for key, part in (subject.properties or {}).items() if key in settings.subject_properties}
    if not trusted:
        return principal
    stored = principal.attributes or {}
    for key, part in trusted.items():
        if key in stored and canonical_bytes(stored[key]) != canonical_bytes(part):
            raise MappingError(
                "subject.property_conflict", "a property differs from what is stored of the subject", 409
            )
    return principal.model_copy(update={"attributes": {**trusted, **stored}})


def _principal_id(subject: Subject, settings: AuthzenSettings) -> str:
    if subject.type != settings.plain_type:
        return f"{subject.type}:{subject.id}"
    # One id must not stand for two subjects, or an approval of one would be an approval of the other.
    if any(subject.id.startswith(f"{other}:") for other in settings.subject_types if other != settings.plain_type):
        raise MappingError("subject.id_ambiguous", "the subject's id begins like one of another type")
    return subject.id


def _input(
    request: EvaluationRequest, capability: str, rule: CapabilityRule | None, settings: AuthzenSettings
) -> dict[str, Any]:
    form = (None if rule is None else rule.input) or settings.input
    resource, properties = request.resource, request.action.properties
    if form == "arguments":
        if (resource.type, resource.id) != (_TOOL, capability) or resource.properties:
            raise MappingError(
                "resource.not_the_tool", 'the resource of a tool call is `{"type": "tool", "id": CAPABILITY_ID}`'
            )
        return {} if properties is None else properties
    whole: dict[str, Any] = {"resource": {"type": resource.type, "id": resource.id}}
    if resource.properties is not None:
        whole["resource"]["properties"] = resource.properties
    if properties is not None:
        whole["properties"] = properties
    return whole
