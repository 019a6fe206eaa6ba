"""The tables of a file of approvals, and opening one."""

from __future__ import annotations

import os
import sqlite3
from contextlib import ExitStack
from pathlib import Path

from policy.plugins.problems import ConfigurationError

APPLICATION_ID = 0x41504F4C
"""Marks a SQLite file as one of approvals (`APOL`)."""
SCHEMA_VERSION = 1
"""The version of the tables; a file of another version is refused."""
BUSY_SECONDS = 10.0
"""How long another process's transaction is waited for."""

_TABLES = (
    """
    CREATE TABLE requests (
      handle TEXT PRIMARY KEY, call TEXT NOT NULL, request_digest TEXT NOT NULL, policy_hash TEXT NOT NULL,
      capability_id TEXT NOT NULL, action TEXT NOT NULL, context TEXT NOT NULL, document TEXT, decision TEXT NOT NULL,
      opened_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
      closed TEXT CHECK (closed IN ('consumed', 'withdrawn', 'superseded')), closed_at INTEGER, closed_by TEXT,
      UNIQUE (call, request_digest)
    ) STRICT
    """,
    "CREATE INDEX open_requests ON requests (opened_at) WHERE closed IS NULL",
    """
    CREATE TABLE votes (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, decision_id TEXT NOT NULL UNIQUE,
      handle TEXT NOT NULL REFERENCES requests (handle), request_digest TEXT NOT NULL,
      decision TEXT NOT NULL CHECK (decision IN ('approved', 'denied', 'revoked')), vote TEXT NOT NULL
    ) STRICT
    """,
    "CREATE INDEX votes_of_digest ON votes (request_digest, sequence)",
    "CREATE INDEX votes_of_request ON votes (handle, sequence)",
    """
    CREATE TABLE used_votes (
      decision_id TEXT PRIMARY KEY REFERENCES votes (decision_id),
      handle TEXT NOT NULL REFERENCES requests (handle), used_at INTEGER NOT NULL
    ) STRICT
    """,
    """
    CREATE TABLE executions (
      sequence INTEGER PRIMARY KEY AUTOINCREMENT, call TEXT NOT NULL, request_digest TEXT NOT NULL,
      handle TEXT UNIQUE REFERENCES requests (handle), at INTEGER NOT NULL, scope TEXT, tenant_id TEXT, entry TEXT,
      UNIQUE (call, request_digest)
    ) STRICT
    """,
    "CREATE INDEX executions_of_scope ON executions (scope, at)",
    "CREATE TABLE steps (step TEXT PRIMARY KEY, since INTEGER) STRICT",
    "CREATE TABLE noted (only INTEGER PRIMARY KEY CHECK (only = 1)) STRICT",
)


def connect(path: Path) -> sqlite3.Connection:
    """A connection with the tables in place. Raises ConfigurationError for a file that is no store of approvals."""
    try:
        # The file holds inputs of actions: nobody but its owner reads it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(path, timeout=BUSY_SECONDS, isolation_level=None, check_same_thread=False)
    except (OSError, sqlite3.Error) as error:
        raise ConfigurationError(f"the approvals at `{path}` cannot be opened: {_told(error)}") from error
    try:
        _prepare(connection, path)
    except sqlite3.Error as error:
        connection.close()
        raise ConfigurationError(f"the approvals at `{path}` cannot be opened: {_told(error)}") from error
    except ConfigurationError:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection, path: Path) -> None:
    connection.execute(f"PRAGMA busy_timeout = {int(BUSY_SECONDS * 1_000)}")
    (mode,) = connection.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise ConfigurationError(f"the approvals at `{path}` need a file system with write-ahead logging")
    # Every commit reaches the disk before it is acknowledged.
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("BEGIN IMMEDIATE")
    with ExitStack() as undo:
        undo.callback(connection.rollback)
        _create(connection, path)
        undo.pop_all()
    connection.execute("COMMIT")


def _create(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if application == APPLICATION_ID:
        if version != SCHEMA_VERSION:
            problem = f"has tables of version {version}; this release reads version {SCHEMA_VERSION}"
            raise ConfigurationError(f"the file of approvals `{path}` {problem}")
        return
    if application or version or tables:
        raise ConfigurationError(f"`{path}` is another program's database; name a file of its own for approvals")
    for statement in _TABLES:
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


def _told(error: Exception) -> str:
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return (reason or "unknown").lower()
