"""A store of approvals in one SQLite file: several threads and processes share it, and a killed one loses nothing.

Every change is one transaction that begins as a writer, so that what was read in it still holds when it commits.
The file must lie on a local disk.
"""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import RLock
from typing import Any

from policy.ir.patterns import matches_any
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
from policy.plugins.approvals.sqlite_schema import connect
from policy.plugins.problems import ApprovalError, RequestClosedError, StoreChangedError, StoreError

_REQUEST = (
    "handle, call, request_digest, policy_hash, capability_id, action, context, document, decision, opened_at, "
    "expires_at, closed, closed_at"
)


class SqliteApprovalStore:
    """Keeps everything in one file. `ApprovalStore` says what each method does."""

    def __init__(self, path: str | os.PathLike[str], *, complete_history: bool = False) -> None:
        """Open or create the file.

        `complete_history` says that nothing was executed before the file was made: its history is complete from the
        beginning, else from the first start on. Raises ConfigurationError where the file cannot be opened or is not
        one of approvals.
        """
        self._path = Path(path)
        self._complete = complete_history
        self._lock = RLock()
        self._closed = False
        self._process = os.getpid()
        self._inherited: list[sqlite3.Connection] = []
        self._connection = connect(self._path)

    @property
    def path(self) -> Path:
        """The file."""
        return self._path

    def open(self, opening: Opening) -> StoredRequest:
        """Open a request, or give the one that was opened for this call and digest."""
        handle = secrets.token_urlsafe(24)
        with self._writing() as connection:
            connection.execute(
                "INSERT INTO requests (handle, call, request_digest, policy_hash, capability_id, action, context, "
                "document, decision, opened_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) "
                "ON CONFLICT (call, request_digest) DO NOTHING",
                (
                    handle,
                    opening.call,
                    opening.request_digest,
                    opening.policy_hash,
                    opening.capability_id,
                    _text(opening.action),
                    _text(opening.context),
                    None if opening.document is None else _text(opening.document),
                    _text(opening.decision),
                    opening.opened_at,
                    opening.expires_at,
                ),
            )
            found = _found(connection, "call = ? AND request_digest = ?", opening.call, opening.request_digest)
        if found is None:
            raise StoreError("a request that was opened is not in the file")
        return found

    def find(self, call: str, request_digest: str) -> StoredRequest | None:
        """The request of a call, or None."""
        with self._reading() as connection:
            return _found(connection, "call = ? AND request_digest = ?", call, request_digest)

    def read(self, handle: str) -> StoredRequest | None:
        """The request of a handle, or None."""
        with self._reading() as connection:
            return _found(connection, "handle = ?", handle)

    def open_requests(self, at: int) -> tuple[StoredRequest, ...]:
        """The requests that are neither closed nor expired, the oldest first."""
        with self._reading() as connection:
            rows = connection.execute(
                f"SELECT {_REQUEST} FROM requests WHERE closed IS NULL AND expires_at > ? "  # noqa: S608 - constant
                "ORDER BY opened_at, rowid",
                (at,),
            ).fetchall()
        return tuple(_request(row) for row in rows)

    def restate(self, handle: str, policy_hash: str, decision: Json) -> None:
        """Bind an open request to another policy."""
        with self._writing() as connection:
            connection.execute(
                "UPDATE requests SET policy_hash = ?, decision = ? WHERE handle = ? AND closed IS NULL",
                (policy_hash, _text(decision), handle),
            )

    def votes(self, handle: str | None, request_digest: str) -> StatedVotes:
        """The votes that speak for a request."""
        with self._reading() as connection:
            return _votes(connection, handle, request_digest)

    def ballots(self, handle: str) -> tuple[Json, ...]:
        """Every vote and withdrawal of one request."""
        with self._reading() as connection:
            rows = connection.execute("SELECT vote FROM votes WHERE handle = ? ORDER BY sequence", (handle,)).fetchall()
        return tuple(json.loads(vote) for (vote,) in rows)

    def add_vote(self, handle: str, vote: Json, at: int, check: Check) -> bool:
        """Keep a vote or withdrawal; False where the very same was kept before."""
        with self._writing() as connection:
            request = _known(connection, handle)
            earlier = connection.execute(
                "SELECT handle, vote FROM votes WHERE decision_id = ?", (vote["decision_id"],)
            ).fetchone()
            if earlier is not None:
                if earlier[0] == handle and same_vote(json.loads(earlier[1]), vote):
                    return False
                raise ApprovalError("approval.vote_refused", "the decision id was used for another vote")
            if vote["decision"] != "revoked":
                if request.closed is not None:
                    raise RequestClosedError(request.closed)
                if request.expired(at):
                    raise RequestClosedError("expired")
            digest = request.opening.request_digest
            kept = received(vote, _votes(connection, handle, digest).votes)
            connection.execute(
                "INSERT INTO votes (decision_id, handle, request_digest, decision, vote) VALUES (?, ?, ?, ?, ?)",
                (vote["decision_id"], handle, digest, vote["decision"], _text(kept)),
            )
            check()
        return True

    def close_request(self, handle: str, closed: Closed, by: Json | None, at: int, check: Check) -> None:
        """Close a request without an execution."""
        with self._writing() as connection:
            request = _known(connection, handle)
            if request.closed is None:
                connection.execute(
                    "UPDATE requests SET closed = ?, closed_at = ?, closed_by = ? WHERE handle = ?",
                    (closed, at, None if by is None else _text(by), handle),
                )
                check()
            elif request.closed != closed:
                raise RequestClosedError(request.closed)

    def consume(self, handle: str, used: Iterable[str], execution: Execution, seen: Seen, check: Check) -> None:
        """Spend a request."""
        with self._writing() as connection:
            request = _known(connection, handle)
            if request.closed is not None:
                raise RequestClosedError(request.closed)
            self._unchanged(connection, request.opening.request_digest, seen)
            try:
                _insert(connection, execution, handle)
                connection.executemany(
                    "INSERT INTO used_votes (decision_id, handle, used_at) VALUES (?, ?, ?)",
                    [(name, handle, execution.at) for name in used],
                )
            except sqlite3.IntegrityError as error:
                raise RequestClosedError("consumed") from error
            connection.execute(
                "UPDATE requests SET closed = 'consumed', closed_at = ? WHERE handle = ?", (execution.at, handle)
            )
            check()

    def record(self, execution: Execution, seen: Seen, check: Check) -> bool:
        """Record an execution that needed no approval; False where it was recorded before."""
        with self._writing() as connection:
            self._unchanged(connection, execution.request_digest, seen)
            known = connection.execute(
                "SELECT 1 FROM executions WHERE call = ? AND request_digest = ?",
                (execution.call, execution.request_digest),
            ).fetchone()
            if known is None:
                _insert(connection, execution, None)
            check()
        return known is None

    def history(self, query: HistoryQuery) -> StatedHistory:
        """The executions that a query concerns, the oldest first."""
        with self._reading() as connection:
            return _history(connection, query)

    def remember_steps(self, steps: Sequence[str], at: int) -> None:
        """Note from when on the executions of these steps are recorded; those of other steps are not, from now on."""
        with self._writing() as connection:
            first = connection.execute("INSERT INTO noted VALUES (1) ON CONFLICT DO NOTHING").rowcount == 1
            known = dict(connection.execute("SELECT step, since FROM steps").fetchall())
            since = None if first and self._complete else at
            connection.execute("DELETE FROM steps")
            connection.executemany(
                "INSERT INTO steps (step, since) VALUES (?, ?)", [(step, known.get(step, since)) for step in set(steps)]
            )

    def complete_since(self, steps: Sequence[str]) -> int | None:
        """From when on the executions of these steps are complete."""
        with self._reading() as connection:
            known = dict(connection.execute("SELECT step, since FROM steps").fetchall())
        if any(step not in known for step in steps):
            raise StoreError("the steps of this policy were not noted")
        return max((since for step in steps if (since := known[step]) is not None), default=None)

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            if not self._closed and self._process == os.getpid():
                self._connection.close()
            self._closed = True

    def _unchanged(self, connection: sqlite3.Connection, request_digest: str, seen: Seen) -> None:
        if seen.votes is not None and _votes_position(connection, request_digest) != seen.votes:
            raise StoreChangedError
        if seen.query is not None and _history(connection, seen.query).position != seen.history:
            raise StoreChangedError

    @contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        """A consistent view of the file."""
        with self._transaction("BEGIN") as connection:
            yield connection

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that no other writer can come into; committed to the disk where the block ends well."""
        with self._transaction("BEGIN IMMEDIATE") as connection:
            yield connection

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                connection = self._own_connection()
                connection.execute(begin)
                with ExitStack() as undo:
                    # Does nothing where SQLite itself has rolled back, as it does on a full disk.
                    undo.callback(connection.rollback)
                    yield connection
                    connection.execute("COMMIT")
                    undo.pop_all()
            except sqlite3.Error as error:
                raise StoreError(f"the approvals at `{self._path}` do not answer: {error}") from error

    def _own_connection(self) -> sqlite3.Connection:
        if self._closed:
            raise StoreError("the store is closed")
        if self._process != os.getpid():
            # A connection must neither be used nor closed on the other side of a fork: the parent's is kept unused.
            self._inherited.append(self._connection)
            self._connection = connect(self._path)
            self._process = os.getpid()
        return self._connection


def _history(connection: sqlite3.Connection, query: HistoryQuery) -> StatedHistory:
    patterns = [pattern for interest in query.interests for pattern in interest.patterns]
    scopes = [
        scope
        for (scope,) in connection.execute("SELECT DISTINCT scope FROM executions WHERE scope IS NOT NULL")
        if matches_any(patterns, scope, scope)
    ]
    bounds = [interest.since for interest in query.interests]
    since = None if None in bounds else min((each for each in bounds if each is not None), default=None)
    position = 0
    entries: list[Json] = []
    for scope in scopes:
        rows = connection.execute(
            "SELECT sequence, call, request_digest, at, entry FROM executions WHERE scope = ? "
            "AND (? IS NULL OR at >= ?) AND (? IS NULL OR tenant_id IS NULL OR tenant_id = ?)",
            (scope, since, since, query.tenant_id, query.tenant_id),
        )
        for sequence, call, request_digest, at, text in rows:
            entry = json.loads(text)
            if query.concerns(call, request_digest, entry, at):
                position = max(position, sequence)
                entries.append(entry)
    return StatedHistory(entries=tuple(entries), position=position)


def _votes(connection: sqlite3.Connection, handle: str | None, request_digest: str) -> StatedVotes:
    rows = connection.execute(
        "SELECT vote, used_votes.decision_id FROM votes LEFT JOIN used_votes USING (decision_id) "
        "WHERE request_digest = ? AND (votes.handle = ? OR decision <> 'approved') ORDER BY sequence",
        (request_digest, handle),
    ).fetchall()
    return StatedVotes(
        votes=tuple(json.loads(vote) for vote, _ in rows),
        used=tuple(used for _, used in rows if used is not None),
        position=_votes_position(connection, request_digest),
    )


def _votes_position(connection: sqlite3.Connection, request_digest: str) -> int:
    (last,) = connection.execute(
        "SELECT max(sequence) FROM votes WHERE request_digest = ?", (request_digest,)
    ).fetchone()
    return last or 0


def _insert(connection: sqlite3.Connection, execution: Execution, handle: str | None) -> None:
    entry = execution.entry
    connection.execute(
        "INSERT INTO executions (call, request_digest, handle, at, scope, tenant_id, entry) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            execution.call,
            execution.request_digest,
            handle,
            execution.at,
            None if entry is None else entry["scope"],
            None if entry is None else entry["tenant_id"],
            None if entry is None else _text(entry),
        ),
    )


def _known(connection: sqlite3.Connection, handle: str) -> StoredRequest:
    request = _found(connection, "handle = ?", handle)
    if request is None:
        raise KeyError(handle)
    return request


def _found(connection: sqlite3.Connection, condition: str, *values: str) -> StoredRequest | None:
    statement = f"SELECT {_REQUEST} FROM requests WHERE {condition}"  # noqa: S608 - constants of this module
    row = connection.execute(statement, values).fetchone()
    return None if row is None else _request(row)


def _request(row: tuple[Any, ...]) -> StoredRequest:
    handle, call, request_digest, policy_hash, capability_id, action, context, document, decision = row[:9]
    opened_at, expires_at, closed, closed_at = row[9:]
    opening = Opening(
        call=call,
        request_digest=request_digest,
        policy_hash=policy_hash,
        capability_id=capability_id,
        action=json.loads(action),
        context=json.loads(context),
        document=None if document is None else json.loads(document),
        decision=json.loads(decision),
        opened_at=opened_at,
        expires_at=expires_at,
    )
    return StoredRequest(handle=handle, opening=opening, closed=closed, closed_at=closed_at)


def _text(value: Json) -> str:
    return json.dumps(value, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
