"""How a service is set up, beside its authorizer: keyword arguments, or the table `server` of a TOML file."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlsplit

from pydantic import Field, ValidationError

from policy.model.base import Model
from policy.model.bounds import pointer_of
from policy.server.authentication import Callers, Tokens
from policy.server.authzen.settings import AuthzenSettings
from policy.server.directory import Directory, Principals
from policy.source.limits import DEFAULT_LIMITS


class ServiceLimits(Model):
    """What a request may cost."""

    body_bytes: int = Field(default=DEFAULT_LIMITS.data_bytes, gt=0)
    """Bytes of a body; more is 413."""
    header_bytes: int = Field(default=16_384, gt=0)
    """Bytes of all header names and values; more is 431."""
    depth: int = Field(default=DEFAULT_LIMITS.data_depth + 8, gt=0)
    """Levels of JSON in a body; action and context have their own bound of 64 inside it."""
    request_seconds: float = Field(default=10.0, gt=0)
    """Seconds from the first byte of a request to its answer; then it is 503, and nothing was allowed."""
    requests: int = Field(default=256, gt=0)
    """Requests at once; more are 503 with `Retry-After`."""
    threads: int = Field(default=8, gt=0)
    """Decisions at once; others wait."""
    batch: int = Field(default=256, gt=0)
    """Decisions in one `decide-many` or AuthZEN evaluations request."""


class ServerTable(Model):
    """The table `server` of a configuration file."""

    public_url: str | None = None
    """The address that callers use, `https://policy.example.org`; None: the one the service listens on."""
    page: bool = True
    """Whether the page for people is served at `/`."""
    tokens: str | None = None
    """The token file, relative to the configuration file."""
    subjects: str | None = None
    """The directory file, relative to the configuration file."""
    limits: ServiceLimits = Field(default_factory=ServiceLimits)
    """What a request may cost."""
    authzen: AuthzenSettings = Field(default_factory=AuthzenSettings)
    """How AuthZEN messages become actions and contexts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """How a service is set up."""

    tokens: Callers = field(default_factory=Tokens)
    """Who may call; without any, the service is for loopback alone and every caller may everything."""
    directory: Principals = field(default_factory=Directory)
    """Stored attributes of AuthZEN subjects."""
    public_url: str | None = None
    """The address that callers use, without a final slash; None: the one a request came to."""
    page: bool = True
    """Whether the page for people is served at `/`."""
    limits: ServiceLimits = field(default_factory=ServiceLimits)
    """What a request may cost."""
    authzen: AuthzenSettings = field(default_factory=AuthzenSettings)
    """How AuthZEN messages become actions and contexts."""

    def at(self, address: str) -> Settings:
        """These settings for a service that listens on an address and has no public one."""
        return self if self.public_url is not None else replace(self, public_url=address)


def read_settings(table: Any) -> Settings:
    """The settings of the table `server`. Raises ValueError with a sentence that names the place."""
    try:
        read = ServerTable.model_validate(table)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        message = problem["msg"][:1].lower() + problem["msg"][1:]
        raise ValueError(f"`server{pointer_of(list(problem['loc']))}`: {message}") from None
    return Settings(
        public_url=None if read.public_url is None else _address(read.public_url),
        page=read.page,
        limits=read.limits,
        authzen=read.authzen,
    )


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("`server/public_url` must be an address like `https://policy.example.org`")
    return text.rstrip("/")
