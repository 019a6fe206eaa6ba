"""A store of approvals in one SQLite file."""

from __future__ import annotations

from os import PathLike

from policy.plugins.approvals.memory import MemoryApprovalStore


class SqliteApprovalStore(MemoryApprovalStore):
    """Keeps everything in one file."""

    def __init__(self, path: str | PathLike[str]) -> None:
        super().__init__()
        self.path = path
