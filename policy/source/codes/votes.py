"""Votes that do not count, in the order in which they are judged (language.md section 7)."""

from __future__ import annotations

from policy.source.codes.entry import Code, vote

_CHECKED = "votes: [{by: ines, at: -10m, reason: checked}]"
_TICKET = (
    'votes: [{by: ines, at: -10m, evidence: [{kind: external_ticket, id: T-1, uri: "https://tickets.example/T-1"}]}]'
)
_LIMITED = "votes: [{by: ines, at: -10m, constraints: [{field: /amount, operator: lte, value: 100}]}]"
_FINANCE = "authorities: {ines: {roles: [finance.approver]}}"

CODES: tuple[Code, ...] = (
    vote(
        "approval.unbound",
        "the vote names no request digest or no policy hash, so nobody can tell what it answered",
        "votes: [{by: ines, at: -10m, unbound: true}]",
        _CHECKED,
    ),
    vote(
        "approval.request_changed",
        "the vote was given for another request: a member of the request digest differs",
        "votes: [{by: ines, at: -10m, for_request: {input: {amount: 50}}}]",
        _CHECKED,
    ),
    vote(
        "approval.policy_changed",
        "the vote was given under another policy than the one that decides",
        'votes: [{by: ines, at: -10m, policy_hash: "sha256:0000"}]',
        _CHECKED,
    ),
    vote(
        "approval.other_requirement",
        "the vote names another requirement of this request by its `approval_id`",
        "votes: [{by: ines, at: -10m, for: two-managers}]",
        "votes: [{by: ines, at: -10m, for: two-finance}]",
    ),
    vote(
        "approval.authority_unknown",
        "the trusted resolver has no record of the voter, or no records are stated",
        f"authorities: {{}}\n{_CHECKED}",
        f"{_FINANCE}\n{_CHECKED}",
    ),
    vote(
        "approval.authority_unavailable",
        "the record of the voter could not be fetched, so the vote does not count for now",
        f"# the directory does not answer for ines\n{_CHECKED}",
        f"{_FINANCE}\n{_CHECKED}",
    ),
    vote(
        "approval.authority_tenant",
        "the record of the voter belongs to another tenant than the call",
        f"authorities: {{ines: {{roles: [finance.approver], tenant_id: other}}}}\n{_CHECKED}",
        f"authorities: {{ines: {{roles: [finance.approver], tenant_id: acme}}}}\n{_CHECKED}",
    ),
    vote(
        "approval.authority_revoked",
        "the voter's authority was taken back",
        f"authorities: {{ines: {{roles: [finance.approver], revoked: true}}}}\n{_CHECKED}",
        f"{_FINANCE}\n{_CHECKED}",
    ),
    vote(
        "approval.authority_expired",
        "the voter's record has expired; at its deadline it is expired",
        f"authorities: {{ines: {{roles: [finance.approver], expires_at: -1s}}}}\n{_CHECKED}",
        f"authorities: {{ines: {{roles: [finance.approver], expires_at: +1h}}}}\n{_CHECKED}",
    ),
    vote(
        "approval.kind",
        "the voter is of a kind that this approval does not accept, or of another kind than its record says",
        f"authorities: {{ines: {{roles: [finance.approver], kind: agent}}}}\n{_CHECKED}",
        f"authorities: {{ines: {{roles: [finance.approver], kind: human}}}}\n{_CHECKED}",
    ),
    vote(
        "approval.not_yet_valid",
        "the vote was received later than now",
        "votes: [{by: ines, at: +1s}]",
        _CHECKED,
    ),
    vote(
        "approval.expired",
        "the vote is older than the approval is valid for, or past its own deadline; at the deadline it is expired",
        "votes: [{by: ines, at: -4h}]",
        _CHECKED,
    ),
    vote(
        "approval.usage_unknown",
        "the runtime does not state `used_votes`, so the vote may have been spent",
        f"context: {{used_votes: null}}\n{_CHECKED}",
        f"context: {{used_votes: []}}\n{_CHECKED}",
    ),
    vote(
        "approval.used",
        "the vote was spent on an earlier execution",
        "context: {used_votes: [d-1]}\nvotes: [{by: ines, at: -10m, decision_id: d-1}]",
        "context: {used_votes: []}\nvotes: [{by: ines, at: -10m, decision_id: d-1}]",
    ),
    vote(
        "approval.withdrawn",
        "the vote was withdrawn by its author or by somebody who may revoke, or that cannot be ruled out",
        "votes: [{by: ines, at: -10m, decision_id: d-1}, {by: ines, at: -5m, withdraws: d-1}]",
        "votes: [{by: ines, at: -10m, decision_id: d-1}]",
    ),
    vote(
        "approval.superseded",
        "the same person voted again later; only the last vote is judged",
        "votes: [{by: ines, at: -10m, decision_id: d-1}, {by: ines, at: -5m, decision_id: d-2}]",
        "votes: [{by: ines, at: -5m, decision_id: d-2}]",
    ),
    vote(
        "approval.evidence_missing",
        "the vote lacks evidence that the approval asks for; an artifact needs a hash or an address",
        "votes: [{by: ines, at: -10m, evidence: [{kind: external_ticket, id: T-1}]}]",
        _TICKET,
    ),
    vote(
        "approval.constraint_failed",
        "the voter approved under a condition that the input does not meet or that cannot be judged",
        f"{_LIMITED}\ninput: {{amount: 101}}",
        f"{_LIMITED}\ninput: {{amount: 100}}",
    ),
    vote(
        "approval.parties_unknown",
        "a party of the action is not stated, so nobody can tell whether the voter is one of them",
        f"context: {{subject: null}}\n{_CHECKED}",
        f"context: {{subject: {{id: rosa, kind: human}}}}\n{_CHECKED}",
    ),
    vote(
        "approval.person_unknown",
        "the person behind the voter or behind a human party is not told",
        f"context: {{requester: {{id: rosa, kind: human, person_id: null}}}}\n{_CHECKED}",
        f"context: {{requester: {{id: rosa, kind: human, person_id: rosa}}}}\n{_CHECKED}",
    ),
    vote(
        "approval.self",
        "the voter is requester, operator, subject or delegator of the action",
        "context: {principal: {id: ines, kind: human}}\n" + _CHECKED,
        "context: {principal: {id: rosa, kind: human}}\n" + _CHECKED,
    ),
    vote(
        "approval.separation",
        "a separation of duties keeps the voter from approving this action",
        f"context: {{change: {{author: ines, contributors: []}}}}\n{_CHECKED}",
        f"context: {{change: {{author: rosa, contributors: []}}}}\n{_CHECKED}",
    ),
    vote(
        "approval.role_conflict",
        "the voter holds two roles that a separation keeps apart, or the voter's roles are not stated",
        f"authorities: {{ines: {{roles: [payment.maker, payment.checker]}}}}\n{_CHECKED}",
        f"authorities: {{ines: {{roles: [payment.checker]}}}}\n{_CHECKED}",
    ),
    vote(
        "approval.not_eligible",
        "the voter matches no leaf of the approval",
        f"authorities: {{ines: {{roles: [support]}}}}\n{_CHECKED}",
        f"{_FINANCE}\n{_CHECKED}",
    ),
    vote(
        "approval.distinct_unknown",
        "the voter's record lacks the attribute by which approvers must differ",
        f"authorities: {{ines: {{roles: [manager.sales]}}}}\n{_CHECKED}",
        f"authorities: {{ines: {{roles: [manager.sales], attributes: {{department: sales}}}}}}\n{_CHECKED}",
    ),
)
