"""The action: what is about to be executed (model.md section 3; AIP 1.0 invocation)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from policy.model.base import Identifier, Json, Model

TransactionMode = Literal["execute", "dry_run", "plan", "commit", "compensate", "reconcile", "rollback_not_supported"]


class ActionTransaction(Model):
    """How the action takes part in a transaction (AIP 1.0)."""

    mode: TransactionMode = "execute"
    """What is done: default `execute`."""
    transaction_id: Identifier | None = None
    """The caller's id of the transaction."""
    plan_id: Identifier | None = None
    """The plan that a commit carries out."""
    compensation_for: Identifier | None = None
    """The action that a compensation undoes."""


class Action(Model):
    """One call of a capability, as it will be executed."""

    id: Identifier
    """The caller's id of this call; a hint, not part of the request digest."""
    capability_id: Identifier
    """The capability that is called."""
    input: Json
    """The arguments, a JSON value that the capability's input schema judges."""
    mode: Literal["sync", "async", "streaming"] = "sync"
    """How the result is awaited."""
    idempotency_key: str | None = None
    """The key under which a repetition is recognised."""
    timeout_ms: int | None = Field(default=None, gt=0)
    """Milliseconds the caller waits."""
    transaction: ActionTransaction | None = None
    """The transaction part; absent means mode `execute`."""
    identity: Json = None
    """Unverified claim, any JSON: who the caller says it is."""
    approval: Json = None
    """Unverified claim, any JSON: approvals the caller says it has."""
    compliance: Json = None
    """Unverified claim, any JSON: obligations the caller says it meets."""
    delegation_chain: Json = None
    """Unverified claim, any JSON: who the caller says delegated to it."""
    federation: Json = None
    """Unverified claim, any JSON: where the caller says the call comes from."""
    conversation: Json = None
    """Unverified claim, any JSON: the conversation the caller says it belongs to."""
    memory_context: Json = None
    """Unverified claim, any JSON: what the caller says it remembers."""
    callback: Json = None
    """Unverified claim, any JSON: where the caller wants the result."""
    observability: Json = None
    """Unverified claim, any JSON: trace identifiers of the caller."""
