"""Asking a store of approvals, which is the host's: whatever it raises is told as its failure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from policy.plugins.problems import (
    ApprovalError,
    HistoryError,
    LogError,
    RequestClosedError,
    StoreChangedError,
    StoreError,
)

Given = TypeVar("Given")


def asked(method: Callable[..., Given], *arguments: Any) -> Given:
    """What a store answers. Raises StoreError for whatever it raises that the protocol does not know."""
    try:
        return method(*arguments)
    except (ApprovalError, HistoryError, LogError, RequestClosedError, StoreChangedError, StoreError):
        raise
    except Exception as error:  # noqa: BLE001 - a store is the host's; whatever it raises is told as its failure
        failure = error
    raise StoreError("the store of approvals failed") from failure
