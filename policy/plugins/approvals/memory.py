"""A store of approvals in memory, for tests and for hosts that need no approval to outlive the process."""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from threading import RLock

from policy.model.bounds import copy_json
from policy.plugins.approvals.history import HistoryQuery
from policy.plugins.approvals.protocol import (
    Check,
    Closed,
    Execution,
    Json,
    Opening,
    Seen,
    StatedHistory,
    StatedVotes,
    StoredRequest,
    received,
    same_vote,
)
from policy.plugins.problems import ApprovalError, RequestClosedError, StoreChangedError, StoreError


@dataclass(slots=True)
class _Ballot:
    handle: str
    request_digest: str
    vote: Json


@dataclass(slots=True)
class _Held:
    """Everything that a store holds."""

    requests: dict[str, StoredRequest] = field(default_factory=dict)
    handles: dict[tuple[str, str], str] = field(default_factory=dict)
    ballots: dict[str, _Ballot] = field(default_factory=dict)
    """Decision id to vote, in the order of receipt."""
    used: set[str] = field(default_factory=set)
    executions: dict[tuple[str, str], Execution] = field(default_factory=dict)
    steps: dict[str, int | None] | None = None
    """Step to the instant from when on its executions are recorded, None: ever; None before any was noted."""


class MemoryApprovalStore:
    """Keeps everything in memory, behind one lock. `ApprovalStore` says what each method does."""

    def __init__(self, *, complete_history: bool = True) -> None:
        """`complete_history` says that nothing was executed before: the history is complete from the beginning."""
        self._complete = complete_history
        self._held = _Held()
        self._lock = RLock()
        self._closed = False

    def open(self, opening: Opening) -> StoredRequest:
        """Open a request, or give the one that was opened for this call and digest."""
        with self._lock:
            known = self.find(opening.call, opening.request_digest)
            if known is not None:
                return known
            request = StoredRequest(handle=secrets.token_urlsafe(24), opening=opening)
            self._held.requests[request.handle] = request
            self._held.handles[opening.call, opening.request_digest] = request.handle
            return request

    def find(self, call: str, request_digest: str) -> StoredRequest | None:
        """The request of a call, or None."""
        with self._lock:
            self._usable()
            handle = self._held.handles.get((call, request_digest))
            return None if handle is None else self._held.requests[handle]

    def read(self, handle: str) -> StoredRequest | None:
        """The request of a handle, or None."""
        with self._lock:
            self._usable()
            return self._held.requests.get(handle)

    def open_requests(self, at: int) -> tuple[StoredRequest, ...]:
        """The requests that are neither closed nor expired, the oldest first."""
        with self._lock:
            self._usable()
            return tuple(each for each in self._held.requests.values() if each.closed is None and not each.expired(at))

    def restate(self, handle: str, policy_hash: str, decision: Json) -> None:
        """Bind an open request to another policy."""
        with self._lock:
            request = self.read(handle)
            if request is not None and request.closed is None:
                opening = replace(request.opening, policy_hash=policy_hash, decision=copy_json(decision))
                self._held.requests[handle] = replace(request, opening=opening)

    def votes(self, handle: str | None, request_digest: str) -> StatedVotes:
        """The votes that speak for a request."""
        with self._lock:
            self._usable()
            bound = [each for each in self._held.ballots.values() if each.request_digest == request_digest]
            speaking = [each.vote for each in bound if each.handle == handle or each.vote["decision"] != "approved"]
            used = [vote["decision_id"] for vote in speaking if vote["decision_id"] in self._held.used]
            return StatedVotes(votes=tuple(copy_json(speaking)), used=tuple(used), position=len(bound))

    def ballots(self, handle: str) -> tuple[Json, ...]:
        """Every vote and withdrawal of one request."""
        with self._lock:
            self._usable()
            return tuple(copy_json([each.vote for each in self._held.ballots.values() if each.handle == handle]))

    def add_vote(self, handle: str, vote: Json, at: int, check: Check) -> bool:
        """Keep a vote or withdrawal; False where the very same was kept before."""
        with self._lock:
            self._usable()
            request = self._held.requests[handle]
            known = self._held.ballots.get(vote["decision_id"])
            if known is not None:
                if known.handle == handle and same_vote(known.vote, vote):
                    return False
                raise ApprovalError("approval.vote_refused", "the decision id was used for another vote")
            if vote["decision"] != "revoked":
                if request.closed is not None:
                    raise RequestClosedError(request.closed)
                if request.expired(at):
                    raise RequestClosedError("expired")
            digest = request.opening.request_digest
            kept = received(vote, self.votes(handle, digest).votes)
            check()
            self._held.ballots[vote["decision_id"]] = _Ballot(handle, digest, copy_json(kept))
            return True

    def close_request(self, handle: str, closed: Closed, by: Json | None, at: int, check: Check) -> None:
        """Close a request without an execution."""
        with self._lock:
            self._usable()
            request = self._held.requests[handle]
            if request.closed is None:
                check()
                self._held.requests[handle] = replace(request, closed=closed, closed_at=at)
            elif request.closed != closed:
                raise RequestClosedError(request.closed)

    def consume(self, handle: str, used: Iterable[str], execution: Execution, seen: Seen, check: Check) -> None:
        """Spend a request."""
        with self._lock:
            self._usable()
            request = self._held.requests[handle]
            spent = tuple(used)
            if request.closed is not None:
                raise RequestClosedError(request.closed)
            if (execution.call, execution.request_digest) in self._held.executions or self._held.used & set(spent):
                raise RequestClosedError("consumed")
            self._unchanged(request.opening.request_digest, seen)
            check()
            self._held.used.update(spent)
            self._held.executions[execution.call, execution.request_digest] = execution
            self._held.requests[handle] = replace(request, closed="consumed", closed_at=execution.at)

    def record(self, execution: Execution, seen: Seen, check: Check) -> bool:
        """Record an execution that needed no approval; False where it was recorded before."""
        with self._lock:
            self._usable()
            self._unchanged(execution.request_digest, seen)
            check()
            key = (execution.call, execution.request_digest)
            if key in self._held.executions:
                return False
            self._held.executions[key] = execution
            return True

    def history(self, query: HistoryQuery) -> StatedHistory:
        """The executions that a query concerns, the oldest first."""
        with self._lock:
            self._usable()
            found = [
                (number, each.entry)
                for number, each in enumerate(self._held.executions.values(), start=1)
                if each.entry is not None and query.concerns(each.call, each.request_digest, each.entry, each.at)
            ]
            last = max((number for number, _ in found), default=0)
            return StatedHistory(entries=tuple(copy_json([entry for _, entry in found])), position=last)

    def remember_steps(self, steps: Sequence[str], at: int) -> None:
        """Note from when on the executions of these steps are recorded; those of other steps are not, from now on."""
        with self._lock:
            self._usable()
            known = self._held.steps
            since = None if known is None and self._complete else at
            self._held.steps = {step: since if known is None else known.get(step, at) for step in steps}

    def complete_since(self, steps: Sequence[str]) -> int | None:
        """From when on the executions of these steps are complete."""
        with self._lock:
            self._usable()
            known = self._held.steps or {}
            if any(step not in known for step in steps):
                raise StoreError("the steps of this policy were not noted")
            return max((since for step in steps if (since := known[step]) is not None), default=None)

    def close(self) -> None:
        """Forget that it may be asked."""
        with self._lock:
            self._closed = True

    def _unchanged(self, request_digest: str, seen: Seen) -> None:
        if seen.votes is not None and self.votes(None, request_digest).position != seen.votes:
            raise StoreChangedError
        if seen.query is not None and self.history(seen.query).position != seen.history:
            raise StoreChangedError

    def _usable(self) -> None:
        if self._closed:
            raise StoreError("the store is closed")
