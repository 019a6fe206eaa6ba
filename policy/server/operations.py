"""What the service does, as data: the routes and the OpenAPI document are both made of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

from pydantic import BaseModel

from policy.plugins.authorizer import Authorizer
from policy.server.authentication import Caller, Permission
from policy.server.authzen.memory import OpenCalls, Submissions
from policy.server.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What every operation works with."""

    authorizer: Authorizer
    """Decides."""
    settings: Settings
    """How the service is set up."""
    calls: OpenCalls
    """Which AuthZEN evaluations wait for an approval."""
    submissions: Submissions
    """Which access requests were sent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One request, read and checked."""

    caller: Caller
    """Who sent it."""
    base: str
    """The service's address as callers use it, without a final slash."""
    body: Any = None
    """The validated request model; None for an operation without one."""
    path: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The parameters of the path."""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """The headers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What an operation answers."""

    body: Any
    """JSON, or text for `text/plain`."""
    status: int = 200
    """The HTTP status."""
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    """More headers."""
    media_type: str = "application/json"
    """The content type."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path."""

    name: str
    """The operation's id in the OpenAPI document."""
    method: Literal["GET", "POST"]
    """The HTTP method."""
    path: str
    """The path, parameters in braces."""
    summary: str
    """One sentence."""
    handler: Callable[[Service, Call], Answer]
    """Does it, in a thread."""
    permission: Permission | None = None
    """What the caller must be allowed; None: everybody may, without a token."""
    request: type[BaseModel] | None = None
    """What is sent."""
    optional_body: bool = False
    """Whether nothing may be sent too."""
    response: type[BaseModel] | None = None
    """What comes back; None: described by `media_type` alone."""
    success: int = 200
    """The HTTP status of an answer."""
    media_type: str = "application/json"
    """The content type of an answer."""
    errors: tuple[str, ...] = ()
    """Error codes beside those that every operation may have."""
    media_status: int | None = None
    """The status for another content type than JSON, where a specification says so."""
    quick: bool = False
    """Whether it is answered on the event loop: it waits for nothing, and must answer when threads do not."""
