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
from policy.engine import GivenDocument
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.bounds import check, copy_json
from policy.model.context import Context
from policy.plugins.loaded import Loaded
from policy.source.limits import Limits
from policy.types.instants import parse_timestamp

UNREADABLE = "unreadable"
"""The call id of an action that has neither an id nor a digest."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call and the policy that it is decided by."""

    loaded: Loaded
    id: str
    """The action's id, else the request digest."""
    action: Any = field(repr=False)
    """JSON that nobody else holds; as it was given where it is none, which the engine refuses."""
    capability: GivenDocument | None = field(repr=False)
    """None where the catalog does not have it."""
    context: Any = field(repr=False)
    """JSON that nobody else holds, with `now`; as it was given where it is none, which the engine refuses."""
    digest: str | None
    """The request digest; None where the request could not be read, which no decision allows."""

    @property
    def admitted(self) -> AdmittedCapability | None:
        """The capability, where it was admitted."""
        return self.capability if isinstance(self.capability, AdmittedCapability) else None

    @property
    def facts(self) -> dict[str, Any]:
        """What a denial can say of the call where the engine did not decide on it."""
        action, context = self.action, self.context
        stated = action if isinstance(action, dict) else {}
        around = context if isinstance(context, dict) else {}
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
        limits = loaded.engine.compiled.limits
        own_action = frozen(action, Action, limits)
        own_context = self.context(loaded, context)
        document = self._capability(loaded, capability)
        digest = None if document is None else loaded.engine.request_digest(own_action, document, own_context)
        stated = own_action.get("id") if isinstance(own_action, dict) else None
        name = stated if isinstance(stated, str) and stated.strip() else digest or UNREADABLE
        return Call(loaded=loaded, id=name, action=own_action, capability=document, context=own_context, digest=digest)

    def context(self, loaded: Loaded, context: object) -> Any:
        """A context, frozen, with `now`."""
        own = frozen(context, Context, loaded.engine.compiled.limits)
        return {**own, "now": self.now()} if isinstance(own, dict) and own.get("now") is None else own

    def now(self) -> str:
        """The clock's instant, RFC 3339."""
        return clock_text(self.clock)

    def nanoseconds(self) -> int:
        """The clock's instant in nanoseconds since 1970-01-01T00:00:00Z. Raises ValueError for a clock that is none."""
        read = parse_timestamp(self.now())
        if read is None:
            raise ValueError("the clock gives no RFC 3339 timestamp with an offset")
        return read.nanoseconds

    def _capability(self, loaded: Loaded, capability: Any) -> GivenDocument | None:
        if isinstance(capability, str):
            return loaded.capabilities.get(capability)
        if isinstance(capability, AdmittedCapability):
            return capability
        admitted = self.admissions.admit(capability).capability
        return capability if admitted is None else admitted


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def clock_text(clock: Callable[[], datetime | str]) -> str:
    """The instant of a clock as RFC 3339 text."""
    instant = clock()
    return instant.isoformat() if isinstance(instant, datetime) else instant


def frozen(value: object, model: type[BaseModel], limits: Limits) -> Any:
    """The value as JSON that nobody else holds; as it is where it is none."""
    try:
        plain: Any = value.model_dump(by_alias=True, warnings=False) if isinstance(value, model) else value
    except (PydanticSerializationError, ValueError, RecursionError):
        return value
    if isinstance(plain, Mapping):
        plain = dict(plain)
    return copy_json(plain) if isinstance(plain, dict) and check(plain, limits) is None else value
