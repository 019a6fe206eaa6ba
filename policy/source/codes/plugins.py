"""Reasons that an authorizer adds to those of the engine: failures around a decision, and approvals that are spent."""

from __future__ import annotations

from policy.source.codes.entry import Code, reason

CODES: tuple[Code, ...] = (
    reason(
        "authorizer.failed",
        "something that the authorizer needs failed; nothing is allowed on a failure",
        "# a context callable or a naming of tools that raises\nexpect: deny",
        "# the same call without the failure\nexpect: allow",
    ),
    reason(
        "capability.unknown",
        "the catalog has no capability of this id",
        "capability: order.raed",
        "capability: order.read",
    ),
    reason(
        "authority.unavailable",
        "the directory of authority records failed; nothing is allowed on a failure",
        "# a resolver that raises\nexpect: deny",
        "# a resolver that answers\nexpect: require-approval",
    ),
    reason(
        "history.unavailable",
        "the history of executed actions could not be read; nothing is allowed on a failure",
        "# a history source that raises\nexpect: deny",
        "# a history source that answers\nexpect: allow",
    ),
    reason(
        "log.unavailable",
        "the decision could not be logged and the log is configured to deny then",
        '[log]\npath = "a-full-disk/decisions.jsonl"\non_failure = "deny"',
        '[log]\npath = "logs/decisions.jsonl"\non_failure = "deny"',
    ),
    reason(
        "approval.store_unavailable",
        "the store of approvals failed, or there is none; nothing is allowed on a failure",
        "# a store whose file cannot be written\nexpect: deny",
        "# a store that answers\nexpect: require-approval",
    ),
    reason(
        "approval.request_unknown",
        "no approval request has this handle",
        'authorizer.release(action, "order.cancel", context, handle="a guess")',
        'authorizer.release(action, "order.cancel", context, handle=authorization.handle)',
    ),
    reason(
        "approval.action_changed",
        "the action, its capability or its context is not the one that the approval request was opened for",
        "# approved with an amount of 50\naction: {input: {amount: 5000}}",
        "# approved with an amount of 50\naction: {input: {amount: 50}}",
    ),
    reason(
        "approval.consumed",
        "the approval was used for an execution; it lets nothing run again",
        "authorizer.release(…, handle=handle)\nauthorizer.release(…, handle=handle)",
        "authorizer.release(…, handle=handle)",
    ),
    reason(
        "approval.request_withdrawn",
        "the approval request was withdrawn",
        "authorizer.cancel(handle, by=operator)\nauthorizer.release(…, handle=handle)",
        "authorizer.release(…, handle=handle)",
    ),
    reason(
        "approval.request_expired",
        "the approval request has expired; at its deadline it is expired",
        '[approvals]\nrequests_valid_for = "1m"\n# released an hour later',
        '[approvals]\nrequests_valid_for = "24h"\n# released an hour later',
    ),
    reason(
        "approval.vote_refused",
        "the vote is malformed, its id was used for another vote, or the request takes no votes any more",
        'authorizer.vote(handle, by={"id": "ines"})',
        'authorizer.vote(handle, by={"id": "ines", "kind": "human"})',
    ),
)
