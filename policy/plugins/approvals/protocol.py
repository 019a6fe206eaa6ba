"""What a store of approvals keeps and how it is asked.

A store judges no vote: whether an approval is complete is told by a decision alone. It sees to it that nothing
acknowledged is lost, that a request is opened once, and that it is consumed once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from policy.plugins.approvals.history import HistoryQuery
from policy.types.instants import format_timestamp, parse_timestamp
from policy.types.values import Timestamp

Json = dict[str, Any]
"""A JSON object."""

RequestState = Literal["pending", "approved", "denied", "withdrawn", "consumed", "expired"]
"""Where an approval request stands."""
Closed = Literal["consumed", "withdrawn", "superseded"]
"""How a request was closed; superseded: the policy came to allow the call without an approval."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequest:
    """An approval request, as people and runtimes see it."""

    handle: str
    """Its unguessable name."""
    state: RequestState
    """Told by a fresh decision on the votes so far; a closed or expired request keeps its state."""
    call: str
    """The id of the call that waits for it."""
    action: Json
    """The action as frozen when the request was opened."""
    capability_id: str
    """The capability's id."""
    context: Json
    """The trusted context as frozen when the request was opened."""
    request_digest: str
    """What votes are bound to."""
    policy_hash: str
    """The policy that last asked for the approval; votes are bound to it too."""
    opened_at: str
    """When it was opened, RFC 3339 in UTC."""
    expires_at: str
    """When it ends, RFC 3339 in UTC; at that instant it is expired."""
    votes: tuple[Json, ...]
    """Every vote and withdrawal, in the order of receipt."""
    decision: Json
    """The last decision, as JSON."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """What an approval request is opened with."""

    call: str
    """The id of the call; with the digest it names the request, so that a second opening gives the first one."""
    request_digest: str
    """What votes are bound to."""
    policy_hash: str
    """The policy that asks for the approval."""
    capability_id: str
    """The capability's id."""
    action: Json = field(repr=False)
    """The frozen action."""
    context: Json = field(repr=False)
    """The frozen context."""
    document: Json | None = field(repr=False)
    """The capability document where the host vouched for one; None where it came by id from a catalog."""
    decision: Json = field(repr=False)
    """The decision that asks for the approval."""
    opened_at: int
    """Nanoseconds since 1970-01-01T00:00:00Z."""
    expires_at: int
    """Nanoseconds since 1970-01-01T00:00:00Z."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredRequest:
    """An approval request, as a store keeps it."""

    handle: str
    """Its unguessable name."""
    opening: Opening
    """What it was opened with; policy hash and decision are those of the last restatement."""
    closed: Closed | None = None
    """How it was closed; None while it is open."""
    closed_at: int | None = None
    """When, in nanoseconds since 1970-01-01T00:00:00Z."""

    def expired(self, at: int) -> bool:
        """Whether it has ended at an instant, in nanoseconds since 1970-01-01T00:00:00Z."""
        return at >= self.opening.expires_at


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedVotes:
    """The votes that speak for a request."""

    votes: tuple[Json, ...]
    """Those of the request, and what restrains of other requests with the same digest: denials and withdrawals."""
    used: tuple[str, ...]
    """Decision ids of those votes that are spent."""
    position: int
    """Changes with every vote of this digest; what was decided at another position is decided again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedHistory:
    """Executed actions that a separation may hold against a call."""

    entries: tuple[Json, ...]
    """Entries of `policy.model.context.History`."""
    position: int
    """Changes with every execution that the query concerns."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Execution:
    """An action that runs, as it is remembered."""

    call: str
    """The id of the call."""
    request_digest: str
    """With the call it names the execution, which is recorded once."""
    entry: Json | None
    """A `policy.model.context.HistoryEntry`; None where no separation asks for it."""
    at: int
    """Nanoseconds since 1970-01-01T00:00:00Z."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What a decision was made of; where a store has moved on since, nothing is recorded."""

    votes: int | None = None
    """The position of the votes; None where none were read."""
    history: int | None = None
    """The position of the history; None where none was read."""
    query: HistoryQuery | None = None
    """How the history was asked for."""


Check = Callable[[], None]
"""Called inside a transaction, right before it is committed; what it raises rolls everything back and passes."""


def nothing() -> None:
    """Checks nothing."""


class ApprovalStore(Protocol):
    """A store of approvals; safe to share between threads.

    Every method raises StoreError where the store does not answer. What a method acknowledged outlives the process,
    except in a store for tests.
    """

    def open(self, opening: Opening) -> StoredRequest:
        """Open a request, or give the one that was opened for this call and digest before, whatever its state."""

    def find(self, call: str, request_digest: str) -> StoredRequest | None:
        """The request of a call, or None."""

    def read(self, handle: str) -> StoredRequest | None:
        """The request of a handle, or None."""

    def open_requests(self, at: int) -> tuple[StoredRequest, ...]:
        """The requests that are neither closed nor expired at an instant, the oldest first."""

    def restate(self, handle: str, policy_hash: str, decision: Json) -> None:
        """Bind an open request to another policy; does nothing for a closed one."""

    def votes(self, handle: str | None, request_digest: str) -> StatedVotes:
        """The votes that speak for a request; without a handle only what restrains its digest."""

    def ballots(self, handle: str) -> tuple[Json, ...]:
        """Every vote and withdrawal of one request, in the order of receipt."""

    def add_vote(self, handle: str, vote: Json, at: int, check: Check) -> bool:
        """Keep a vote or withdrawal, as `received` gives it; False where the very same was kept before.

        Raises ApprovalError where its id was used for another one, KeyError for an unknown handle, RequestClosedError
        where the request takes none any more (a withdrawal of a vote is always taken).
        """

    def close_request(self, handle: str, closed: Closed, by: Json | None, at: int, check: Check) -> None:
        """Close a request without an execution; does nothing where it was closed in the same way before.

        Raises KeyError for an unknown handle, RequestClosedError where it was closed in another way.
        """

    def consume(self, handle: str, used: Iterable[str], execution: Execution, seen: Seen, check: Check) -> None:
        """Spend a request: its votes are used, the execution recorded and the request closed, in one transaction.

        Raises KeyError for an unknown handle, RequestClosedError where it is closed, a vote is used or the call was
        executed before, StoreChangedError where the store has moved on since `seen`.
        """

    def record(self, execution: Execution, seen: Seen, check: Check) -> bool:
        """Record an execution that needed no approval; False where it was recorded before.

        Raises StoreChangedError where the store has moved on since `seen`.
        """

    def history(self, query: HistoryQuery) -> StatedHistory:
        """The executions that a query concerns, the oldest first."""

    def remember_steps(self, steps: Sequence[str], at: int) -> None:
        """Note that from now on the executions of these steps are recorded, and of no others.

        A step that was noted before keeps its instant; those of the first note have the store's own beginning.
        """

    def complete_since(self, steps: Sequence[str]) -> int | None:
        """From when on the executions of these steps are complete; None: from the beginning.

        Raises StoreError for a step that is not noted.
        """

    def close(self) -> None:
        """Give back what the store holds; nothing may be asked afterwards."""


def same_vote(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two votes under one id are one vote that was sent twice: all but the time of receipt is equal."""
    return {**one, "decided_at": None} == {**other, "decided_at": None}


def received(vote: Json, earlier: Iterable[Json]) -> Json:
    """The vote with a time of receipt behind those of the voter's earlier votes, however the clock was set meanwhile.

    Of one person's votes the last is judged: a clock that is set back must not put a "no" behind the "yes" before it.
    """
    voter = vote["approver"]["id"]
    own = [_nanoseconds(each["decided_at"]) for each in earlier if each["approver"]["id"] == voter]
    at = max([_nanoseconds(vote["decided_at"]), *(each + 1 for each in own)])
    return {**vote, "decided_at": instant(at)}


def _nanoseconds(text: str) -> int:
    read = parse_timestamp(text)
    if read is None:
        raise ValueError("a vote has no time of receipt")
    return read.nanoseconds


def instant(nanoseconds: int) -> str:
    """RFC 3339 text in UTC of nanoseconds since 1970-01-01T00:00:00Z."""
    return format_timestamp(Timestamp(nanoseconds))
