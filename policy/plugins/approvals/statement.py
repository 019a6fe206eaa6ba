"""What a store and a source of history state into the context of a decision."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from policy.model.bounds import copy_json
from policy.model.context import History
from policy.plugins.approvals.asking import asked
from policy.plugins.approvals.history import HistoryQuery
from policy.plugins.approvals.protocol import ApprovalStore, Json, Seen, StatedVotes, instant
from policy.plugins.call import Call
from policy.plugins.problems import HistoryError
from policy.types.instants import parse_timestamp


class HistorySource(Protocol):
    """A trusted record of executed actions, such as an audit database."""

    def history(self, tenant_id: str | None) -> History | Mapping[str, Any]:
        """The executed actions of a tenant (None: the call has no tenant) and from when on they are complete.

        May raise anything; a failure denies what a separation asks about, with `history.unavailable`.
        """


def votes_stated(context: Json | None, votes: StatedVotes) -> Json | None:
    """The context with the store's votes. Of the host's own, approvals and withdrawals of denials do not count."""
    if context is None:
        return None
    approvals = {vote["decision_id"] for vote in votes.votes if vote["decision"] == "approved"}
    given, used = context.get("approvals"), context.get("used_votes")
    # What is malformed stays, so that the engine refuses it.
    kept = [each for each in given if _restrains(each, approvals)] if isinstance(given, list) else []
    stated = [*kept, *votes.votes] if given is None or isinstance(given, list) else given
    spent = [*used, *votes.used] if isinstance(used, list) else (list(votes.used) if used is None else used)
    return {**context, "approvals": stated, "used_votes": spent}


def _restrains(vote: Any, approvals: set[str]) -> bool:
    if not isinstance(vote, dict):
        return True
    decision = vote.get("decision")
    if decision == "revoked":
        return vote.get("target_decision_id") in approvals
    return decision != "approved"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryStatement:
    """Where the history of executed actions comes from."""

    store: ApprovalStore | None
    source: HistorySource | None

    def stated(self, call: Call) -> tuple[Json | None, Seen]:
        """The context with what a separation may ask about, and what it was made of.

        Whoever states a history (the source, else the host's context) vouches for its completeness, and the store's
        entries are added to it; else the store's own history is stated.
        """
        capability, context = call.admitted, call.context
        if capability is None or context is None or (self.store is None and self.source is None):
            return context, Seen()
        steps = call.loaded.steps.asked(capability)
        if not steps:
            return context, Seen()
        given = context.get("history") if self.source is None else self._asked(_tenant(context))
        if self.store is None:
            return {**context, "history": given}, Seen()
        query = self._query(call)
        if query is None:
            return context, Seen()
        found = asked(self.store.history, query)
        seen = Seen(history=found.position, query=query)
        if given is None:
            since = asked(self.store.complete_since, steps)
            complete = None if since is None else instant(since)
            return {**context, "history": {"complete_since": complete, "entries": list(found.entries)}}, seen
        entries = given.get("entries") if isinstance(given, dict) else None
        if isinstance(entries, list):
            given = {**given, "entries": [*entries, *found.entries]}
        return {**context, "history": given}, seen

    def _asked(self, tenant_id: str | None) -> Json:
        if self.source is None:
            raise ValueError("there is no source of history")
        try:
            given = self.source.history(tenant_id)
            read = given if isinstance(given, History) else History.model_validate(dict(given))
            stated: Json = copy_json(read.model_dump(mode="json"))
        except Exception as error:  # noqa: BLE001 - a source is the host's; whatever it raises is told as its failure
            failure = error
        else:
            return stated
        raise HistoryError("the source of history failed") from failure

    def _query(self, call: Call) -> HistoryQuery | None:
        """None where the request cannot be read, which no decision allows."""
        action, context, capability = call.action, call.context, call.admitted
        if action is None or context is None or capability is None or call.digest is None:
            return None
        read = parse_timestamp(context["now"])
        if read is None:
            return None
        return HistoryQuery(
            call=call.id,
            request_digest=call.digest,
            tenant_id=_tenant(context),
            interests=call.loaded.steps.interests(capability, action["input"], read.nanoseconds),
        )


def _tenant(context: Json) -> str | None:
    tenant = context.get("tenant")
    name = tenant.get("id") if isinstance(tenant, dict) else None
    return name if isinstance(name, str) else None
