"""The authorization plug-in of agent runtimes: one object that answers, keeps approvals and writes the decision log.

Names are imported when they are first used.
"""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from policy.plugins.approvals.memory import MemoryApprovalStore
    from policy.plugins.approvals.protocol import ApprovalRequest, ApprovalStore
    from policy.plugins.approvals.sqlite import SqliteApprovalStore
    from policy.plugins.authorization import Authorization
    from policy.plugins.authorizer import Authorizer
    from policy.plugins.problems import ApprovalError, ConfigurationError

__all__ = [
    "ApprovalError",
    "ApprovalRequest",
    "ApprovalStore",
    "Authorization",
    "Authorizer",
    "ConfigurationError",
    "MemoryApprovalStore",
    "SqliteApprovalStore",
]

_HOMES = MappingProxyType(
    {
        "policy.plugins.approvals.memory": ("MemoryApprovalStore",),
        "policy.plugins.approvals.protocol": ("ApprovalRequest", "ApprovalStore"),
        "policy.plugins.approvals.sqlite": ("SqliteApprovalStore",),
        "policy.plugins.authorization": ("Authorization",),
        "policy.plugins.authorizer": ("Authorizer",),
        "policy.plugins.problems": ("ApprovalError", "ConfigurationError"),
    }
)


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
