"""The policy engine for agent actions: may this run, must people approve it first, or is it refused, and why.

Names are imported when they are first used, so that importing the package costs nothing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from policy.decide.authority import AuthorityResolver, CachedAuthorityResolver
    from policy.engine import Engine, Explanation, PolicyError, check, compile, format
    from policy.model.action import Action
    from policy.model.capability import Capability
    from policy.model.context import AuthorityRecord, Context, Principal, Vote
    from policy.model.decision import Approval, Decision, Obligation, Outcome, Reason
    from policy.source.diagnostic import Diagnostic, Severity
    from policy.source.limits import Limits
    from policy.source.version import LANGUAGE_VERSION

__all__ = [
    "LANGUAGE_VERSION",
    "Action",
    "Approval",
    "AuthorityRecord",
    "AuthorityResolver",
    "CachedAuthorityResolver",
    "Capability",
    "Context",
    "Decision",
    "Diagnostic",
    "Engine",
    "Explanation",
    "Limits",
    "Obligation",
    "Outcome",
    "PolicyError",
    "Principal",
    "Reason",
    "Severity",
    "Vote",
    "check",
    "compile",
    "format",
]

_HOMES = MappingProxyType(
    {
        "policy.decide.authority": ("AuthorityResolver", "CachedAuthorityResolver"),
        "policy.engine": ("Engine", "Explanation", "PolicyError", "compile", "format"),
        "policy.model.action": ("Action",),
        "policy.model.capability": ("Capability",),
        "policy.model.context": ("AuthorityRecord", "Context", "Principal", "Vote"),
        "policy.model.decision": ("Approval", "Decision", "Obligation", "Outcome", "Reason"),
        "policy.source.diagnostic": ("Diagnostic", "Severity"),
        "policy.source.limits": ("Limits",),
        "policy.source.version": ("LANGUAGE_VERSION",),
    }
)


class _Check(ModuleType):
    """The subpackage `policy.check`, which is also the public function of that name."""

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        return import_module("policy.engine").check(*arguments, **options)


class _Package(ModuleType):
    """This package. Importing a subpackage binds its name here, where `check` is to stay callable."""

    def __setattr__(self, name: str, value: object) -> None:
        if name == "check" and isinstance(value, ModuleType):
            value.__class__ = _Check
        super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    if name == "check":
        return import_module("policy.check")
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
