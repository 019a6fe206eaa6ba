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
    from policy.plugins.loaded import CatalogFile
    from policy.plugins.log.decision_log import DecisionLog
    from policy.plugins.log.telemetry import Telemetry
    from policy.plugins.problems import ApprovalError, ConfigurationError
    from policy.plugins.reload import Reload

__all__ = [
    "ApprovalError",
    "ApprovalRequest",
    "ApprovalStore",
    "Authorization",
    "Authorizer",
    "CatalogFile",
    "ConfigurationError",
    "DecisionLog",
    "MemoryApprovalStore",
    "Reload",
    "SqliteApprovalStore",
    "Telemetry",
]

_HOMES = MappingProxyType(
    {
        "policy.plugins.approvals.memory": ("MemoryApprovalStore",),
        "policy.plugins.approvals.protocol": ("ApprovalRequest", "ApprovalStore"),
        "policy.plugins.approvals.sqlite": ("SqliteApprovalStore",),
        "policy.plugins.authorization": ("Authorization",),
        "policy.plugins.authorizer": ("Authorizer",),
        "policy.plugins.loaded": ("CatalogFile",),
        "policy.plugins.log.decision_log": ("DecisionLog",),
        "policy.plugins.log.telemetry": ("Telemetry",),
        "policy.plugins.problems": ("ApprovalError", "ConfigurationError"),
        "policy.plugins.reload": ("Reload",),
    }
)


def __getattr__(name: str) -> object:
    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
