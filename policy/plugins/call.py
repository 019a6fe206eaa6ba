"""One call, frozen: nothing that the host or its caller changes later changes what was decided on."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

from policy.contracts.remembered import RememberedAdmissions
from policy.decide.shape import Clock
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.bounds import check, copy_json
from policy.model.context import Context
from policy.model.decision import Decision
from policy.plugins.loaded import Loaded
from policy.source.limits import Limits
from policy.types.instants import format_timestamp, parse_timestamp

Json = dict[str, Any]
"""A JSON object."""
UNREADABLE = "unreadable"
"""The call id of an action that has neither an id nor a digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call and the policy that it is decided by."""

    loaded: Loaded
    id: str
    """The action's id, else the request digest."""
    action: Json | None = field(repr=False)
    """The action as JSON that nobody else holds; None where it is none."""
    context: Json | None = field(repr=False)
    """The context as JSON that nobody else holds, with `now`; None where it is none."""
    given: tuple[Any, Any] = field(repr=False)
    """Action and context as they were given, for the engine to refuse where they could not be read."""
    capability: Any = field(repr=False)
    """Admitted, or a document that was not."""
    unknown: bool
    """Whether the catalog does not have the capability that was named."""
    digest: str | None
    """The request digest; None where the request could not be read, which no decision allows."""

    def decide(self, context: Json | None) -> Decision:
        """The engine's decision in a context that was made of the call's; never raises for data."""
        action, around = self.given
        return self.loaded.engine.decide(
            action if self.action is None else self.action, self.capability, around if context is None else context
        )

    @property
    def admitted(self) -> AdmittedCapability | None:
        """The capability, where it was admitted."""
        return self.capability if isinstance(self.capability, AdmittedCapability) else None

    @property
    def facts(self) -> dict[str, Any]:
        """What a denial can say of the call where the engine did not decide on it."""
        stated, around = self.action or {}, self.context or {}
        capability = self.admitted
        now = around.get("now")
        return {
            "action_id": _text(stated.get("id")),
            "capability_id": _text(stated.get("capability_id")) if capability is None else capability.id,
            "scope": None if capability is None else capability.scope,
            "route": _text(around.get("route")),
            "session": _text(around.get("session")),
            "request_digest": self.digest,
            "now": parse_timestamp(now) if isinstance(now, str) else None,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader:
    """Freezes calls."""

    clock: Clock
    admissions: RememberedAdmissions

    def read(self, loaded: Loaded, action: object, capability: object, context: object) -> Call:
        """A call, frozen. Raises what a clock raises."""
        own_action = frozen(action, Action, loaded.engine.compiled.limits)
        own_context = self.context(loaded, context)
        document = self._capability(loaded, capability)
        unknown = document is None and isinstance(capability, str)
        digest = None
        if own_action is not None and own_context is not None and isinstance(document, AdmittedCapability):
            digest = loaded.engine.request_digest(own_action, document, own_context)
        stated = (own_action or {}).get("id")
        name = stated if isinstance(stated, str) and stated.strip() else digest or UNREADABLE
        return Call(
            loaded=loaded,
            id=name,
            action=own_action,
            context=own_context,
            given=(action, context),
            capability=document,
            unknown=unknown,
            digest=digest,
        )

    def context(self, loaded: Loaded, context: object) -> Json | None:
        """A context, frozen, with `now`; None where it is none."""
        own = frozen(context, Context, loaded.engine.compiled.limits)
        return own if own is None or own.get("now") is not None else {**own, "now": self.now()}

    def now(self) -> str:
        """The clock's instant, RFC 3339."""
        return clock_text(self.clock)

    def nanoseconds(self) -> int:
        """The clock's instant in nanoseconds since 1970-01-01T00:00:00Z. Raises ValueError for a clock that is none."""
        read = parse_timestamp(self.now())
        if read is None:
            raise ValueError("the clock gives no RFC 3339 timestamp with an offset")
        return read.nanoseconds

    def _capability(self, loaded: Loaded, capability: Any) -> Any:
        """An admitted capability, a document that was not admitted, or None for an id that is not known."""
        if isinstance(capability, str):
            return loaded.capabilities.get(capability)
        if isinstance(capability, AdmittedCapability):
            return capability
        return self.admissions.admit(capability).capability or capability


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def clock_text(clock: Callable[[], datetime | str]) -> str:
    """The instant of a clock as RFC 3339 text in UTC; as it is given where it is none, which the engine refuses."""
    instant = clock()
    text = instant.isoformat() if isinstance(instant, datetime) else instant
    read = parse_timestamp(text)
    return text if read is None else format_timestamp(read)


def frozen(value: object, model: type[BaseModel], limits: Limits) -> Json | None:
    """The value as JSON that nobody else holds; None where it is no JSON object."""
    try:
        plain: Any = value.model_dump(by_alias=True, warnings=False) if isinstance(value, model) else value
    except (PydanticSerializationError, ValueError, RecursionError):
        return None
    if isinstance(plain, Mapping):
        plain = dict(plain)
    if not isinstance(plain, dict) or check(plain, limits) is not None:
        return None
    own: Json = copy_json(plain)
    return own
