"""The one object that an agent runtime asks: may this call run, must people approve it first, or is it refused."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from os import PathLike
from pathlib import Path
from typing import Any, Literal, Self, TypeVar

from policy.contracts.catalog import LoadedCatalog
from policy.contracts.remembered import RememberedAdmissions
from policy.decide.authority import AuthorityResolver
from policy.decide.shape import Clock
from policy.engine import Engine, GivenAction, GivenContext, GivenDocument, PolicyPath
from policy.model.admitted import AdmittedCapability
from policy.model.capability import Capability
from policy.model.context import Principal
from policy.plugins import trial
from policy.plugins.answering import Answering
from policy.plugins.approvals import ballot
from policy.plugins.approvals.asking import asked
from policy.plugins.approvals.desk import Answer, Check, Desk
from policy.plugins.approvals.protocol import ApprovalRequest, ApprovalStore, Json, StoredRequest
from policy.plugins.approvals.protocol import Check as Unchecked
from policy.plugins.approvals.statement import HistorySource
from policy.plugins.authorization import Authorization
from policy.plugins.call import Call, Reader
from policy.plugins.effects import Effects
from policy.plugins.loaded import CatalogFile, Files, Loaded, WatchedResolver, catalog_file, with_catalog
from policy.plugins.log.decision_log import DecisionLog
from policy.plugins.log.event import RELOAD, VOTE, vote_data
from policy.plugins.log.telemetry import Telemetry
from policy.plugins.problems import (
    ApprovalError,
    ConfigurationError,
    HistoryError,
    LogError,
    RequestClosedError,
    StoreError,
)
from policy.plugins.reload import Attempt, Host, Reload, Reloader
from policy.plugins.watch import Fingerprint, Watch
from policy.types.instants import parse_duration

__all__ = ["Authorization", "Authorizer"]

GivenCapability = str | GivenDocument
"""The id of a capability of the catalog, or a document that the host vouches for."""
GivenPrincipal = Principal | Mapping[str, Any]
"""Somebody, as authenticated by the host."""
DEFAULT_REQUESTS_VALID_FOR = "24h"
"""How long an approval request is open."""

_GRACE = 60 * 10**9
"""Nanoseconds that calls which are decided by the policy before a reload may take."""
_LOG = logging.getLogger("policy")
_Taken = TypeVar("_Taken")


def _system_clock() -> datetime:
    return datetime.now(UTC)


class Authorizer:
    """Answers calls, holds approvals, and reloads its policy. Safe to share between threads."""

    def __init__(
        self,
        *,
        policies: PolicyPath | Sequence[PolicyPath] | Engine,
        catalog: LoadedCatalog | CatalogFile | PolicyPath | None = None,
        resolver: AuthorityResolver | None = None,
        history: HistorySource | None = None,
        approvals: ApprovalStore | None = None,
        log: DecisionLog | None = None,
        reload: Reload | None = None,
        clock: Clock = _system_clock,
        fixtures: Sequence[PolicyPath] = (),
        telemetry: Telemetry | None = None,
        requests_valid_for: str | None = None,
    ) -> None:
        """An authorizer that answers at once.

        `policies` are files or folders (layers, first the outermost), or an engine with a directory of its own.
        `resolver` is the directory of approvers, `history` a record of executed actions that is not the store's,
        `fixtures` what a policy must pass before it decides, `requests_valid_for` a duration such as `24h`.
        Raises PolicyError for policies that do not load, ConfigurationError for anything else that is amiss.
        """
        self._watched = None if resolver is None else WatchedResolver(resolver)
        self._reader = Reader(clock=clock, admissions=RememberedAdmissions())
        self._store = approvals
        self._effects = Effects(log, telemetry)
        self._answering = Answering(reader=self._reader, effects=self._effects)
        self._desk = Desk(
            store=approvals,
            source=history,
            resolver=resolver,
            watched=self._watched,
            valid_for=_duration(requests_valid_for or DEFAULT_REQUESTS_VALID_FOR),
        )
        self._fixtures = tuple(Path(path) for path in fixtures)
        self._reloader: Reloader | None = None
        if isinstance(policies, Engine):
            if reload is not None:
                raise ConfigurationError("an engine has no files to reload from; give paths as `policies`")
            given = catalog_file(catalog)
            self._loaded = with_catalog(policies, given.load() if isinstance(given, CatalogFile) else given)
            self._begin()
            return
        files = _files(policies, catalog)
        watch, seen = self._watch(files)
        self._loaded = files.load(self._watched, clock)
        self._begin()
        self._reloader = self._reloading(files, watch, seen, reload)
        if reload is not None:
            self._reloader.start()

    @classmethod
    def from_file(cls, path: str | PathLike[str]) -> Self:
        """An authorizer as a TOML file configures it. Raises PolicyError and ConfigurationError."""
        from policy.plugins.config import read_configuration

        arguments = read_configuration(path).arguments()
        with ExitStack() as undo:
            for opened in (arguments["approvals"], arguments["log"]):
                if opened is not None:
                    undo.callback(opened.close)
            made = cls(**arguments)
            undo.pop_all()
        return made

    @property
    def engine(self) -> Engine:
        """The engine that decides now."""
        return self._loaded.engine

    @property
    def capabilities(self) -> Mapping[str, AdmittedCapability]:
        """The catalog that holds now, by id; empty without one."""
        return self._loaded.capabilities

    def status(self) -> dict[str, Any]:
        """What decides now, what was last offered, and what became of it, as JSON."""
        digest = self.engine.policy_hash
        log = self._effects.log
        return {
            "policy_hash": digest,
            "policy_version": self.engine.policy.version,
            "candidate_hash": digest if self._reloader is None else self._reloader.status()["candidate_hash"],
            "capabilities": len(self._loaded.capabilities),
            "reload": None if self._reloader is None else self._reloader.status(),
            "log": None if log is None else log.status(),
        }

    def authorize(self, action: GivenAction, capability: GivenCapability, context: GivenContext) -> Authorization:
        """May this call run. Never raises for data or failures: each is a denial with a code.

        Where people must approve and there is a store, an approval request is opened, once for a call. What they
        approved is allowed by `release` alone.
        """
        return self._answering.answer("authorize", self._loaded, (action, capability, context), self._desk.authorize)

    def release(
        self, action: GivenAction, capability: GivenCapability, context: GivenContext, *, handle: str
    ) -> Authorization:
        """May this approved call run now: decided again on the stored votes, and where it may, the approval is spent.

        To be asked right before the execution; of several that ask, one is allowed. Never raises for data or failures.
        """

        def released(call: Call, check: Check) -> Answer:
            return self._desk.release(call, handle, check)

        return self._answering.answer("release", self._loaded, (action, capability, context), released)

    def visible(self, capabilities: Iterable[Any], context: GivenContext) -> list[Any]:
        """Those of the capabilities, ids or documents, that may be shown, in the same order; none on a failure."""
        current = self._loaded
        try:
            stated = self._reader.context(current, context) or context
            return [each for each in capabilities if _shown(current, each, stated)]
        except Exception as error:  # noqa: BLE001 - whatever fails shows nothing, and is logged
            _LOG.error("which capabilities may be shown could not be told; none are", exc_info=error)
            return []

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
        expires_at: str | None = None,
        policy_hash: str | None = None,
    ) -> ApprovalRequest:
        """Keep somebody's answer to an approval request, bound to its digest and to the policy it was stated under.

        `by` is who the host authenticated. With a `decision_id` a repetition is recognised; with the `policy_hash`
        that the voter saw, a vote on a request that was restated since is refused. Raises ApprovalError.
        """
        if decision not in ("approved", "denied"):
            raise ApprovalError("approval.vote_refused", "a vote is `approved` or `denied`")
        stored = self._stored(handle)
        if policy_hash is not None and policy_hash != stored.opening.policy_hash:
            raise ApprovalError("approval.vote_refused", "the policy has changed since; look at the request again")
        members = {
            "decision": decision,
            "decision_id": secrets.token_urlsafe(16) if decision_id is None else decision_id,
            "approval_id": approval_id,
            "expires_at": expires_at,
            "reason": reason,
            "evidence": [ballot.members(each) for each in evidence] or None,
            "constraints": None if constraints is None else [ballot.members(each) for each in constraints],
        }
        return self._vote("vote", stored, by, members)

    def withdraw(self, handle: str, *, by: GivenPrincipal, decision_id: str) -> ApprovalRequest:
        """Withdraw a vote; whether that takes effect is the engine's to say. Raises ApprovalError."""
        stored = self._stored(handle)
        known = {vote["decision_id"] for vote in self._taken(self._storing().ballots, handle)}
        if decision_id not in known:
            raise ApprovalError("approval.vote_refused", "the request has no vote of this decision id")
        name = f"{decision_id}/withdrawn/{ballot.principal(by)['id']}"
        members = {"decision": "revoked", "decision_id": name, "target_decision_id": decision_id}
        return self._vote("withdraw", stored, by, members)

    def cancel(self, handle: str, *, by: GivenPrincipal) -> ApprovalRequest:
        """Withdraw a whole approval request, which then releases nothing. Raises ApprovalError.

        Who may do so is the host's to say; it only takes away.
        """
        stored, who = self._stored(handle), ballot.principal(by)
        check = self._telling("cancel", stored, {"approver": who})
        at = self._reader.nanoseconds()
        self._taken(self._storing().close_request, handle, "withdrawn", who, at, check)
        return self._looked(self._stored(handle))

    def request(self, handle: str) -> ApprovalRequest | None:
        """An approval request with its state, told by a fresh decision; None for an unknown handle.

        Where the policy changed, the request is restated: votes from now on are bound to the new policy. Raises
        ApprovalError where the store does not answer.
        """
        stored = self._taken(self._storing().read, handle)
        return None if stored is None else self._looked(stored)

    def pending(self) -> list[ApprovalRequest]:
        """The approval requests that wait for votes, the oldest first. Raises ApprovalError as `request` does."""
        at = self._reader.nanoseconds()
        looked = (self._looked(each) for each in self._taken(self._storing().open_requests, at))
        return [each for each in looked if each.state == "pending"]

    def reload_now(self) -> bool:
        """Reload the files, whether or not they changed; whether what they hold decides now. `status` says why not.

        Raises ConfigurationError for an authorizer over an engine, which has no files.
        """
        if self._reloader is None:
            raise ConfigurationError("an engine has no files to reload from; give paths as `policies`")
        return self._reloader.reload_now()

    def close(self) -> None:
        """End the watching of files, and close log and store."""
        if self._reloader is not None:
            self._reloader.close()
        self._effects.close()
        if self._store is not None:
            self._store.close()

    def _begin(self) -> None:
        """Try the first policy and note what is recorded from now on."""
        found = trial.problems(self.engine, self._fixtures)
        if found:
            raise ConfigurationError(f"the fixtures fail: {trial.told(found)}")
        if self._store is not None:
            try:
                asked(self._store.remember_steps, self._loaded.steps.names, self._reader.nanoseconds())
            except StoreError as error:
                raise ConfigurationError(f"the store of approvals does not answer: {error}") from error

    def _watch(self, files: Files) -> tuple[Watch, Fingerprint]:
        catalog = [files.catalog.path] if isinstance(files.catalog, CatalogFile) else []
        watch = Watch(policies=files.policies, others=[*catalog, *self._fixtures])
        return watch, watch.learn()

    def _reloading(self, files: Files, watch: Watch, seen: Fingerprint, options: Reload | None) -> Reloader:
        host = Host(
            current=lambda: self._loaded,
            load=lambda: files.load(self._watched, self._reader.clock),
            swap=self._swap,
            tell=self._tell_reload,
            now=self._reader.now,
        )
        return Reloader(host=host, watch=watch, fixtures=self._fixtures, options=options or Reload(), seen=seen)

    def _swap(self, candidate: Loaded) -> None:
        """Make a policy the one that decides. Its own steps are recorded from after the calls that are in flight."""
        if self._store is not None:
            at = self._reader.nanoseconds() + _GRACE
            names = candidate.steps.names
            asked(self._store.remember_steps, tuple(dict.fromkeys((*self._loaded.steps.names, *names))), at)
            last, self._loaded = self._loaded, candidate
            try:
                asked(self._store.remember_steps, names, at)
            except StoreError:
                # What is not recorded any more must not be taken for recorded later on.
                self._loaded = last
                raise
        else:
            self._loaded = candidate

    def _tell_reload(self, attempt: Attempt) -> None:
        data = {
            "result": attempt.result,
            "policy_hash": attempt.policy_hash,
            "candidate_hash": attempt.candidate_hash,
            "error": attempt.error,
        }
        self._effects.count_reload(attempt.result)
        self._effects.event(RELOAD, attempt.at, None, data)

    def _storing(self) -> ApprovalStore:
        if self._store is None:
            raise ApprovalError("approval.store_unavailable", "there is no store of approvals")
        return self._store

    def _stored(self, handle: str) -> StoredRequest:
        stored = self._taken(self._storing().read, handle)
        if stored is None:
            raise ApprovalError("approval.request_unknown", "no approval request has this handle")
        return stored

    def _vote(self, operation: str, stored: StoredRequest, by: GivenPrincipal, members: Json) -> ApprovalRequest:
        at = self._reader.nanoseconds()
        vote = ballot.make_vote(stored, ballot.principal(by), members, at, self.engine.compiled.limits)
        if len(self._taken(self._storing().ballots, stored.handle)) >= ballot.MOST_VOTES:
            raise ApprovalError("approval.vote_refused", f"the request has {ballot.MOST_VOTES:,} votes already")
        self._taken(self._storing().add_vote, stored.handle, vote, at, self._telling(operation, stored, vote))
        return self._looked(self._stored(stored.handle))

    def _telling(self, operation: str, stored: StoredRequest, vote: Json) -> Unchecked:
        """Logs a vote, right before it is kept."""

        def tell() -> None:
            data = vote_data(operation, stored, vote)
            self._effects.event(VOTE, self._reader.now(), stored.opening.capability_id, data)

        return tell

    def _looked(self, stored: StoredRequest) -> ApprovalRequest:
        """A request as it stands under the policy and at the instant of now."""
        opening = stored.opening
        document = opening.document
        capability = opening.capability_id if document is None else Capability.model_validate(document)
        call = self._reader.read(self._loaded, opening.action, capability, {**opening.context, "now": None})
        return self._taken(self._desk.look, call, stored, self._reader.nanoseconds())

    def _taken(self, method: Callable[..., _Taken], *arguments: Any) -> _Taken:
        """What a store or the desk answers, every failure as ApprovalError."""
        try:
            return asked(method, *arguments)
        except RequestClosedError as error:
            code = {"consumed": "approval.consumed", "expired": "approval.request_expired"}.get(error.closed)
            told = f"the approval request is {error.closed}"
            raise ApprovalError(code or "approval.request_withdrawn", told) from error
        except HistoryError as error:
            raise ApprovalError("history.unavailable", "the history of executed actions could not be read") from error
        except LogError as error:
            raise ApprovalError("log.unavailable", "this could not be logged, and was not kept") from error
        except StoreError as error:
            raise ApprovalError("approval.store_unavailable", "the store of approvals does not answer") from error


def _files(
    policies: PolicyPath | Sequence[PolicyPath], catalog: LoadedCatalog | CatalogFile | PolicyPath | None
) -> Files:
    paths = [policies] if isinstance(policies, str | PathLike) else list(policies)
    if not paths:
        raise ConfigurationError("`policies` is empty; name at least one policy")
    return Files(policies=tuple(Path(path) for path in paths), catalog=catalog_file(catalog))


def _duration(text: str) -> int:
    read = parse_duration(text)
    if read is None or read.nanoseconds <= 0:
        raise ConfigurationError(f"`requests_valid_for` is a duration above zero such as `24h`, not `{text}`")
    return read.nanoseconds


def _shown(current: Loaded, capability: Any, context: GivenContext) -> bool:
    document = current.capabilities.get(capability) if isinstance(capability, str) else capability
    return document is not None and current.engine.exposes(document, context).allowed
