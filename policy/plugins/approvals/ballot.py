"""Votes as the runtime receives them: checked, bounded, and bound to the request that the voter was asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from policy.model.bounds import check, copy_json
from policy.model.context import Principal, Vote
from policy.plugins.approvals.protocol import Json, StoredRequest, instant
from policy.plugins.problems import ApprovalError
from policy.source.limits import Limits

MOST_VOTES = 1_000
"""Votes and withdrawals that one request takes, so that no voter makes it undecidable for the others."""
MOST_BYTES = 16_384
"""Bytes of one vote as JSON."""


def make_vote(stored: StoredRequest, by: Json, members: Mapping[str, Any], at: int, limits: Limits) -> Json:
    """A vote or withdrawal, received at an instant. Raises ApprovalError where it is malformed or too large."""
    plain = {
        **members,
        "approver": by,
        "decided_at": instant(at),
        "request_digest": stored.opening.request_digest,
        "policy_hash": stored.opening.policy_hash,
    }
    problem = check(plain, replace(limits, data_bytes=MOST_BYTES))
    if problem is not None:
        raise ApprovalError("approval.vote_refused", f"the vote is not taken: {problem}")
    try:
        vote: Json = Vote.model_validate(copy_json(plain)).model_dump(mode="json", exclude_none=True)
    except ValidationError as error:
        raise ApprovalError("approval.vote_refused", f"the vote is malformed: {_first(error)}") from error
    return vote


def principal(by: Principal | Mapping[str, Any]) -> Json:
    """Somebody as JSON. Raises ApprovalError where it is no principal."""
    try:
        read = by if isinstance(by, Principal) else Principal.model_validate(dict(by))
        return read.model_dump(mode="json", exclude_none=True)
    except (TypeError, ValueError) as error:
        raise ApprovalError("approval.vote_refused", "`by` is no principal; give at least its id and kind") from error


def members(given: Any) -> Any:
    """An artifact or a constraint as JSON."""
    return given.model_dump(mode="json", exclude_none=True) if hasattr(given, "model_dump") else dict(given)


def _first(error: ValidationError) -> str:
    problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
    return f"`{'.'.join(str(step) for step in problem['loc'])}` {problem['type'].replace('_', ' ')}"
