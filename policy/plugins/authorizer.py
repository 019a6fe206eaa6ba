"""The one object that an agent runtime asks: may this call run, must people approve it first, or is it refused."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import ValidationError

from policy.contracts.catalog import LoadedCatalog
from policy.contracts.remembered import RememberedAdmissions
from policy.decide.authority import AuthorityResolver
from policy.decide.shape import Clock
from policy.engine import Engine, GivenAction, GivenContext, GivenDocument, PolicyPath
from policy.model.capability import Capability
from policy.model.context import Principal, Vote
from policy.model.decision import Decision
from policy.plugins.approvals.asking import asked
from policy.plugins.approvals.desk import Answer, Desk
from policy.plugins.approvals.protocol import ApprovalRequest, ApprovalStore, Json, StoredRequest, instant
from policy.plugins.approvals.statement import HistorySource
from policy.plugins.authorization import Authorization
from policy.plugins.call import UNREADABLE, Call, Reader
from policy.plugins.denials import failed
from policy.plugins.loaded import Loaded, WatchedResolver, load, loaded
from policy.plugins.problems import (
    ApprovalError,
    ConfigurationError,
    HistoryError,
    LogError,
    RequestClosedError,
    StoreError,
)

__all__ = ["Authorization", "Authorizer"]

GivenCapability = str | GivenDocument
"""The id of a capability of the catalog, or a document that the host vouches for."""
GivenPrincipal = Principal | Mapping[str, Any]
"""Somebody, as authenticated by the host."""


def _system_clock() -> datetime:
    return datetime.now(UTC)


class Authorizer:
    """Answers calls, holds approvals, and reloads its policy. Safe to share between threads."""

    def __init__(
        self,
        *,
        policies: PolicyPath | Sequence[PolicyPath] | Engine,
        catalog: LoadedCatalog | PolicyPath | None = None,
        resolver: AuthorityResolver | None = None,
        history: HistorySource | None = None,
        approvals: ApprovalStore | None = None,
        log: Any = None,
        reload: Any = None,
        clock: Clock = _system_clock,
        fixtures: Sequence[PolicyPath] = (),
    ) -> None:
        """Raises PolicyError for policies that do not load, ConfigurationError for anything else that is amiss."""
        self._watched = None if resolver is None else WatchedResolver(resolver)
        self._reader = Reader(clock=clock, admissions=RememberedAdmissions())
        self._loaded = self._load(policies, catalog, clock)
        self._store = approvals
        self._desk = Desk(store=approvals, source=history, resolver=resolver, watched=self._watched)
        if approvals is not None:
            approvals.remember_steps(self._loaded.steps.names, self._reader.nanoseconds())

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Self:
        """An authorizer as a TOML file configures it. Raises PolicyError and ConfigurationError."""
        raise ConfigurationError(f"`{path}` cannot be read")

    @property
    def engine(self) -> Engine:
        """The engine that decides now."""
        return self._loaded.engine

    @property
    def capabilities(self) -> Mapping[str, Any]:
        """The catalog that holds now: id to admitted capability."""
        return self._loaded.capabilities

    def status(self) -> dict[str, Any]:
        """What decides now, and what became of the last reload, as JSON."""
        return {"policy_hash": self.engine.policy_hash}

    def authorize(self, action: GivenAction, capability: GivenCapability, context: GivenContext) -> Authorization:
        """May this call run. Never raises for data or failures: each is a denial with a code.

        Where people must approve and there is a store, an approval request is opened, once for a call.
        """
        return self._answered("authorize", action, capability, context, self._desk.authorize)

    def release(
        self, action: GivenAction, capability: GivenCapability, context: GivenContext, *, handle: str
    ) -> Authorization:
        """May this approved call run now: decided again on the stored votes, and where it may, the approval is spent.

        To be asked right before the execution; of several that ask, one is allowed. Never raises for data or failures.
        """

        def released(call: Call, check: Callable[[Decision], None]) -> Answer:
            return self._desk.release(call, handle, check)

        return self._answered("release", action, capability, context, released)

    def visible(self, capabilities: Iterable[Any], context: GivenContext) -> list[Any]:
        """Those of the capabilities, ids or documents, that may be shown, in the same order; none on a failure."""
        current = self._loaded
        shown = []
        for each in capabilities:
            document = current.capabilities.get(each) if isinstance(each, str) else each
            if document is not None and current.engine.exposes(document, context).allowed:
                shown.append(each)
        return shown

    def vote(
        self,
        handle: str,
        *,
        by: GivenPrincipal,
        decision: Literal["approved", "denied"] = "approved",
        reason: str | None = None,
        evidence: Sequence[Any] = (),
        constraints: Sequence[Any] | None = None,
        decision_id: str | None = None,
        approval_id: str | None = None,
    ) -> ApprovalRequest:
        """Keep somebody's answer to an approval request, bound to its digest and to the policy it was stated under.

        `by` is who the host authenticated. With a `decision_id` a repetition is recognised. Raises ApprovalError.
        """
        stored = self._stored(handle)
        vote = self._vote(
            stored,
            by,
            {
                "decision": decision,
                "decision_id": secrets.token_urlsafe(16) if decision_id is None else decision_id,
                "approval_id": approval_id,
                "reason": reason,
                "evidence": [_plain(each) for each in evidence] or None,
                "constraints": None if constraints is None else [_plain(each) for each in constraints],
            },
        )
        self._keep(handle, vote)
        return self._looked(self._stored(handle))

    def withdraw(self, handle: str, *, by: GivenPrincipal, decision_id: str) -> ApprovalRequest:
        """Withdraw a vote. Whether that takes effect is the engine's to say. Raises ApprovalError."""
        stored = self._stored(handle)
        principal = by if isinstance(by, Principal) else Principal.model_validate(dict(by))
        name = f"{decision_id}/withdrawn/{principal.id}"
        vote = self._vote(stored, by, {"decision": "revoked", "decision_id": name, "target_decision_id": decision_id})
        self._keep(handle, vote)
        return self._looked(self._stored(handle))

    def cancel(self, handle: str, *, by: GivenPrincipal) -> ApprovalRequest:
        """Withdraw a whole approval request, which then releases nothing. Raises ApprovalError."""
        self._stored(handle)
        try:
            asked(self._storing().close_request, handle, "withdrawn", _plain(by), self._reader.nanoseconds())
        except RequestClosedError as error:
            raise _closed(error.closed) from error
        return self._looked(self._stored(handle))

    def request(self, handle: str) -> ApprovalRequest | None:
        """An approval request with its state, told by a fresh decision; None for an unknown handle.

        Raises ApprovalError where the store does not answer.
        """
        stored = asked(self._storing().read, handle)
        return None if stored is None else self._looked(stored)

    def pending(self) -> list[ApprovalRequest]:
        """The approval requests that wait for votes, the oldest first. Raises ApprovalError as `request` does."""
        at = self._reader.nanoseconds()
        looked = (self._looked(each) for each in asked(self._storing().open_requests, at))
        return [each for each in looked if each.state == "pending"]

    def close(self) -> None:
        """End the watching of files, and give back what store and log hold."""
        if self._store is not None:
            self._store.close()

    def _load(self, policies: PolicyPath | Sequence[PolicyPath] | Engine, catalog: Any, clock: Clock) -> Loaded:
        if isinstance(policies, Engine):
            from policy.contracts.catalog import load_catalog

            read = catalog if catalog is None or isinstance(catalog, LoadedCatalog) else load_catalog(Path(catalog))
            return loaded(policies, read)
        paths = [policies] if isinstance(policies, str | PathLike) else list(policies)
        if not paths:
            raise ConfigurationError("`policies` is empty; name at least one policy")
        return load(paths, catalog, resolver=self._watched, clock=clock)

    def _answered(
        self,
        operation: str,
        action: GivenAction,
        capability: GivenCapability,
        context: GivenContext,
        answer: Callable[[Call, Callable[[Decision], None]], Answer],
    ) -> Authorization:
        current = self._loaded
        name = UNREADABLE
        try:
            call = self._reader.read(current, action, capability, context)
            name = call.id
            answered = answer(call, lambda decision: None)
        except Exception as error:  # noqa: BLE001 - whatever fails around a decision is a denial, told and logged
            return Authorization(decision=_failure(current.engine, error), handle=None, call=name)
        return Authorization(decision=answered.decision, handle=answered.handle, call=name)

    def _storing(self) -> ApprovalStore:
        if self._store is None:
            raise ApprovalError("approval.store_unavailable", "there is no store of approvals")
        return self._store

    def _stored(self, handle: str) -> StoredRequest:
        stored = asked(self._storing().read, handle)
        if stored is None:
            raise ApprovalError("approval.request_unknown", "no approval request has this handle")
        return stored

    def _vote(self, stored: StoredRequest, by: GivenPrincipal, members: Json) -> Json:
        plain = {
            **members,
            "approver": _plain(by),
            "decided_at": instant(self._reader.nanoseconds()),
            "request_digest": stored.opening.request_digest,
            "policy_hash": stored.opening.policy_hash,
        }
        try:
            return Vote.model_validate(plain).model_dump(mode="json", exclude_none=True)
        except ValidationError as error:
            raise ApprovalError("approval.vote_refused", "the vote is malformed") from error

    def _keep(self, handle: str, vote: Json) -> None:
        try:
            asked(self._storing().add_vote, handle, vote, self._reader.nanoseconds())
        except RequestClosedError as error:
            raise _closed(error.closed) from error

    def _looked(self, stored: StoredRequest) -> ApprovalRequest:
        current, opening = self._loaded, stored.opening
        document: GivenCapability = opening.capability_id
        if opening.document is not None:
            document = Capability.model_validate(opening.document)
        context = {**opening.context, "now": None}
        call = self._reader.read(current, opening.action, document, context)
        return self._desk.look(call, stored, self._reader.nanoseconds())


def _closed(closed: str) -> ApprovalError:
    codes = {"consumed": "approval.consumed", "expired": "approval.request_expired"}
    return ApprovalError(codes.get(closed, "approval.request_withdrawn"), f"the approval request is {closed}")


def _plain(given: Any) -> Any:
    return given.model_dump(mode="json", exclude_none=True) if hasattr(given, "model_dump") else dict(given)


def _failure(engine: Engine, error: Exception) -> Decision:
    match error:
        case StoreError():
            return failed(engine, "approval.store_unavailable", "the store of approvals failed", error)
        case HistoryError():
            return failed(engine, "history.unavailable", "the history could not be read", error)
        case LogError():
            return failed(engine, "log.unavailable", "the decision could not be logged", error)
        case _:
            return failed(engine, "authorizer.failed", "something that the authorizer needs failed", error)
