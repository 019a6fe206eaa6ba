"""Deciding with a store of approvals: requests are opened, votes and history stated, approved actions released once.

With a store the votes of a request come from the store alone. Of those in the host's context only what restrains is
kept: denials, withdrawals of approvals, and ids of used votes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from policy.decide.authority import AuthorityResolver
from policy.model.context import Context
from policy.model.decision import Decision, Outcome
from policy.plugins.approvals.asking import asked
from policy.plugins.approvals.history import people, performed
from policy.plugins.approvals.protocol import (
    ApprovalRequest,
    ApprovalStore,
    Execution,
    Json,
    Opening,
    RequestState,
    Seen,
    StatedVotes,
    StoredRequest,
    instant,
    nothing,
)
from policy.plugins.approvals.statement import HistorySource, HistoryStatement, votes_stated
from policy.plugins.call import Call
from policy.plugins.denials import deny
from policy.plugins.loaded import WatchedResolver
from policy.plugins.problems import RequestClosedError, StoreChangedError, StoreError
from policy.types.instants import parse_timestamp

_ATTEMPTS = 8
"""How often a decision is made again because votes or executions came in meanwhile."""
_CLOSED = {
    "consumed": ("approval.consumed", "the approval was used for an execution; ask for a new one with a new call"),
    "withdrawn": ("approval.request_withdrawn", "the approval request was withdrawn; ask again with a new call"),
    "superseded": ("approval.request_withdrawn", "the policy came to allow the call, which ended its approval request"),
    "expired": ("approval.request_expired", "the approval request has expired; ask again with a new call"),
}
_STATES: dict[Outcome, RequestState] = {
    Outcome.ALLOW: "approved",
    Outcome.REQUIRE_APPROVAL: "pending",
    Outcome.DENY: "denied",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A decision and the approval request that it waits for."""

    decision: Decision
    handle: str | None = None


Check = Callable[[Answer], None]
"""Called with an answer right before it takes effect; what it raises keeps it from doing so."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Decided:
    """A decision and what it was made of."""

    decision: Decision
    seen: Seen


@dataclass(frozen=True, slots=True, kw_only=True)
class Desk:
    """Decides on calls. Keeps nothing itself."""

    store: ApprovalStore | None
    source: HistorySource | None
    resolver: AuthorityResolver | None
    """The directory, for the people of what is executed."""
    watched: WatchedResolver | None
    """The same directory as the engine asks it."""
    valid_for: int = field(default=24 * 3_600 * 10**9)
    """How long a request is open, in nanoseconds."""

    def authorize(self, call: Call, check: Check) -> Answer:
        """Decide on a call; where it waits for approval, its request is opened once.

        An approval in the store allows nothing here: what was approved runs through `release` alone.
        """
        store = self.store
        if store is None or call.digest is None:
            return _answered(self._decided(call, self._with_history(call)[0]), check)
        for _ in range(_ATTEMPTS):
            try:
                return self._authorize(store, call, call.digest, check)
            except StoreChangedError:
                continue
        raise StoreError("votes and executions come in faster than they can be decided on")

    def release(self, call: Call, handle: str, check: Check) -> Answer:
        """Decide again on an approved call, right before it runs, and spend its approval where it is allowed."""
        store = self.store
        if store is None:
            raise StoreError("there is no store of approvals")
        stored = asked(store.read, handle)
        if stored is None or call.digest is None:
            decision = self._decided(call, self._with_history(call)[0])
            if stored is None:
                message = "no approval request has this handle; ask for an approval first"
                decision = deny(call.loaded.engine, "approval.request_unknown", message, decision)
            return _answered(decision, check)
        for _ in range(_ATTEMPTS):
            try:
                return self._release(store, call, handle, check)
            except StoreChangedError:
                continue
        raise StoreError("votes and executions come in faster than they can be decided on")

    def look(self, call: Call, stored: StoredRequest, at: int) -> ApprovalRequest:
        """An approval request with its state, by a fresh decision on the frozen call where it is open."""
        store = self.store
        if store is None:
            raise StoreError("there is no store of approvals")
        state: RequestState
        if stored.closed is not None:
            state = "consumed" if stored.closed == "consumed" else "withdrawn"
        elif stored.expired(at):
            state = "expired"
        else:
            votes = asked(store.votes, stored.handle, stored.opening.request_digest)
            context, _ = self._with_history(replace(call, context=votes_stated(call.context, votes)))
            decision = self._decided(call, context)
            state = _STATES[decision.outcome]
            stored = self._restated(store, stored, decision)
        opening = stored.opening
        return ApprovalRequest(
            handle=stored.handle,
            state=state,
            call=opening.call,
            action=opening.action,
            capability_id=opening.capability_id,
            context=opening.context,
            request_digest=opening.request_digest,
            policy_hash=opening.policy_hash,
            opened_at=instant(opening.opened_at),
            expires_at=instant(opening.expires_at),
            votes=asked(store.ballots, stored.handle),
            decision=opening.decision,
        )

    def _authorize(self, store: ApprovalStore, call: Call, digest: str, check: Check) -> Answer:
        stored = asked(store.find, call.id, digest)
        handle = None if stored is None else stored.handle
        votes = asked(store.votes, handle, digest)
        context, seen = self._with_history(replace(call, context=votes_stated(call.context, votes)))
        decision = self._decided(call, context)
        if decision.allowed and any(approval.counted for approval in decision.approvals):
            context, seen = self._with_history(replace(call, context=votes_stated(call.context, _restraining(votes))))
            decision = self._decided(call, context)
        stored = stored if stored is None else asked(store.read, stored.handle)
        if stored is not None and stored.closed in ("consumed", "withdrawn"):
            return self._closed(call, stored.closed, decision, check)
        if decision.outcome is Outcome.DENY:
            return _answered(decision, check)
        if decision.allowed:
            return self._allowed(store, stored, call=call, decided=_Decided(decision=decision, seen=seen), check=check)
        if stored is None:
            stored = asked(store.open, self._opening(call, digest, decision))
        closed = stored.closed or ("expired" if stored.expired(_at(decision)) else None)
        if closed is not None:
            return self._closed(call, closed, decision, check)
        self._restated(store, stored, decision)
        return _answered(decision, check, stored.handle)

    def _allowed(
        self, store: ApprovalStore, stored: StoredRequest | None, *, call: Call, decided: _Decided, check: Check
    ) -> Answer:
        """What runs without an approval: an approval request of the call ends, and what is executed is recorded."""
        decision = decided.decision
        if stored is not None:
            try:
                asked(store.close_request, stored.handle, "superseded", None, _at(decision), nothing)
            except RequestClosedError as error:
                return self._closed(call, error.closed, decision, check)
        execution = self._execution(call, decision)
        if execution.entry is None:
            return _answered(decision, check)
        answer = Answer(decision=decision)
        asked(store.record, execution, decided.seen, lambda: check(answer))
        return answer

    def _release(self, store: ApprovalStore, call: Call, handle: str, check: Check) -> Answer:
        stored = asked(store.read, handle)
        if stored is None:
            raise StoreError("a request is gone from the store")
        opening = stored.opening
        votes = asked(store.votes, handle, opening.request_digest)
        context, seen = self._with_history(replace(call, context=votes_stated(call.context, votes)))
        decision = self._decided(call, context)
        if decision.request_digest != opening.request_digest:
            message = "the action, its capability or its context is not the one that was to be approved; ask again"
            return _answered(deny(call.loaded.engine, "approval.action_changed", message, decision), check)
        # Read again: an approval that was spent since leaves votes behind that look as if there were too few.
        stored = asked(store.read, handle) or stored
        closed = stored.closed or ("expired" if stored.expired(_at(decision)) else None)
        if closed is not None:
            return self._closed(call, closed, decision, check)
        if not decision.allowed:
            self._restated(store, stored, decision)
            return _answered(decision, check, handle if decision.outcome is Outcome.REQUIRE_APPROVAL else None)
        used = {counted.decision_id for approval in decision.approvals for counted in approval.counted}
        execution = replace(self._execution(call, decision), call=opening.call)
        seen = replace(seen, votes=votes.position)
        answer = Answer(decision=decision, handle=handle)
        try:
            asked(store.consume, handle, sorted(used), execution, seen, lambda: check(answer))
        except RequestClosedError as error:
            return self._closed(call, error.closed, decision, check)
        return answer

    def _closed(self, call: Call, closed: str, decision: Decision, check: Check) -> Answer:
        code, message = _CLOSED[closed]
        return _answered(deny(call.loaded.engine, code, message, decision), check)

    def _restated(self, store: ApprovalStore, stored: StoredRequest, decision: Decision) -> StoredRequest:
        """The request as the current policy asks for it; a decision that asks for nothing restates nothing."""
        known = stored.opening
        if decision.outcome is not Outcome.REQUIRE_APPROVAL:
            return replace(stored, opening=replace(known, decision=dumped(decision)))
        if known.policy_hash != decision.policy_hash:
            asked(store.restate, stored.handle, decision.policy_hash, dumped(decision))
        opening = replace(known, policy_hash=decision.policy_hash, decision=dumped(decision))
        return replace(stored, opening=opening)

    def _decided(self, call: Call, context: Json | None) -> Decision:
        engine = call.loaded.engine
        if call.unknown:
            message = "the catalog has no capability of this id; name one that it has"
            return deny(engine, "capability.unknown", message, facts=call.facts)
        if self.watched is None:
            return call.decide(context)
        with self.watched.watching() as failures:
            decision = call.decide(context)
        if failures and decision.outcome is not Outcome.DENY:
            message = "the directory of authority records failed; nothing is allowed on a failure"
            return deny(engine, "authority.unavailable", message, decision)
        return decision

    def _with_history(self, call: Call) -> tuple[Json | None, Seen]:
        return HistoryStatement(store=self.store, source=self.source).stated(call)

    def _opening(self, call: Call, digest: str, decision: Decision) -> Opening:
        capability = call.admitted
        if capability is None or call.action is None or call.context is None:
            raise ValueError("what could not be read waits for no approval")
        opened = _at(decision)
        known = call.loaded.capabilities.get(capability.id) is capability
        return Opening(
            call=call.id,
            request_digest=digest,
            policy_hash=decision.policy_hash,
            capability_id=capability.id,
            action=call.action,
            context=call.context,
            document=None if known else capability.document.model_dump(by_alias=True, mode="json"),
            decision=dumped(decision),
            opened_at=opened,
            expires_at=opened + self.valid_for,
        )

    def _execution(self, call: Call, decision: Decision) -> Execution:
        capability, steps = call.admitted, call.loaded.steps
        if capability is None or call.action is None or call.context is None or call.digest is None:
            raise ValueError("what could not be read is not executed")
        at = _at(decision)
        entry: Json | None = None
        transaction = call.action.get("transaction") or {}
        if steps.performed(capability) and performed(transaction.get("mode") or "execute"):
            context = Context.model_validate(call.context)
            entry = {
                "scope": capability.scope or capability.id,
                "tenant_id": None if context.tenant is None else context.tenant.id,
                "people": people(context, self.resolver),
                "keys": steps.keys(capability, call.action["input"]),
                "at": instant(at),
            }
        return Execution(call=call.id, request_digest=call.digest, entry=entry, at=at)


def dumped(decision: Decision) -> Json:
    """A decision as JSON."""
    return decision.model_dump(mode="json")


def _restraining(votes: StatedVotes) -> StatedVotes:
    """The votes without the approvals."""
    return replace(votes, votes=tuple(each for each in votes.votes if each["decision"] != "approved"))


def _answered(decision: Decision, check: Check, handle: str | None = None) -> Answer:
    answer = Answer(decision=decision, handle=handle)
    check(answer)
    return answer


def _at(decision: Decision) -> int:
    """The instant of a decision in nanoseconds since 1970-01-01T00:00:00Z."""
    read = None if decision.evaluated_at is None else parse_timestamp(decision.evaluated_at)
    if read is None:
        raise ValueError("the decision has no instant")
    return read.nanoseconds
