"""Which evaluations wait for an approval, so that asking again gives the request that is open and no second one."""

from __future__ import annotations

import secrets
from threading import Lock

from cachetools import LRUCache

_CALLS = 10_000


class OpenCalls:
    """Evaluation to call id, while its approval request is open. AuthZEN names no calls, so the service does.

    Bounded and of this process alone: what is forgotten only means that the same question opens a request of its own.
    """

    __slots__ = ("_calls", "_lock")

    def __init__(self, calls: int = _CALLS) -> None:
        self._calls: LRUCache[str, tuple[str, str]] = LRUCache(calls)
        self._lock = Lock()

    def find(self, evaluation: str) -> tuple[str, str] | None:
        """The call id and handle that an evaluation got last."""
        with self._lock:
            found: tuple[str, str] | None = self._calls.get(evaluation)
            return found

    def keep(self, evaluation: str, call: str, handle: str) -> None:
        """Remember the call id and handle of an evaluation."""
        with self._lock:
            self._calls[evaluation] = (call, handle)

    @staticmethod
    def new() -> str:
        """A call id that no call had."""
        return f"authzen-{secrets.token_urlsafe(18)}"


class Submissions:
    """`Idempotency-Key` of access requests to what was sent with it: the same key for another body is refused."""

    __slots__ = ("_lock", "_sent")

    def __init__(self, keys: int = _CALLS) -> None:
        self._sent: LRUCache[tuple[str, str], str] = LRUCache(keys)
        self._lock = Lock()

    def same(self, caller: str, key: str, digest: str) -> bool:
        """Whether a caller's key is new, or was sent with this very body."""
        with self._lock:
            known: str = self._sent.setdefault((caller, key), digest)
            return known == digest
