"""Reasons of the contract guards, which are always on (language.md section 8)."""

from __future__ import annotations

from policy.source.codes.entry import Code, reason

CODES: tuple[Code, ...] = (
    reason(
        "idempotency.required",
        "the contract asks for an idempotency key and there is none, or a blank one",
        'action: {idempotency_key: " "}',
        "action: {idempotency_key: k-1}",
    ),
    reason(
        "execution.mode_unsupported",
        "the contract does not support this mode of execution",
        "action: {mode: streaming}",
        "action: {mode: sync}",
    ),
    reason(
        "transaction.unsupported",
        "another transaction mode than `execute` is asked for and no contract declares transactions",
        "action: {transaction: {mode: dry_run}}",
        "action: {transaction: {mode: execute}}",
    ),
    reason(
        "transaction.mode_unsupported",
        "the contract does not list this transaction mode",
        "action: {transaction: {mode: plan}}",
        "action: {transaction: {mode: dry_run}}",
    ),
    reason(
        "transaction.plan_required",
        "the contract asks for a plan before a commit and the action names none",
        "action: {transaction: {mode: commit}}",
        "action: {transaction: {mode: commit, plan_id: plan-1}}",
    ),
    reason(
        "transaction.compensation_unsupported",
        "the contract supports no compensation",
        "action: {transaction: {mode: compensate, compensation_for: a-1}}",
        "action: {transaction: {mode: execute}}",
    ),
    reason(
        "transaction.compensation_window",
        "the window for a compensation has passed, or the runtime does not state when the transaction was committed",
        "context: {transaction: null}",
        "context: {transaction: {committed_at: -1m}}",
    ),
    reason(
        "transaction.compensating_capability",
        "a note: the capability that compensates needs a decision of its own",
        "action: {transaction: {mode: compensate, compensation_for: a-1}}",
        "action: {transaction: {mode: execute}}",
    ),
    reason(
        "tenant.mismatch",
        "subject, operator or requester state another tenant than the call's",
        "context: {tenant: {id: acme}, subject: {id: rosa, kind: human, tenant_id: other}}",
        "context: {tenant: {id: acme}, subject: {id: rosa, kind: human, tenant_id: acme}}",
    ),
    reason(
        "credential.required",
        "the contract asks for a credential and the runtime states none",
        "context: {credential: null}",
        "context: {credential: {issuer: idp, scopes: [calendar.write]}}",
    ),
    reason(
        "credential.expired",
        "the credential has expired; at its deadline it is expired",
        "context: {credential: {expires_at: -1s}}",
        "context: {credential: {expires_at: +1h}}",
    ),
    reason(
        "credential.issuer_denied",
        "the credential is of an issuer that the contract does not accept, or of none",
        "context: {credential: {issuer: elsewhere}}",
        "context: {credential: {issuer: idp}}",
    ),
    reason(
        "credential.scope_missing",
        "the credential lacks a scope that the contract asks for, or does not state its scopes",
        "context: {credential: {scopes: []}}",
        "context: {credential: {scopes: [calendar.write]}}",
    ),
    reason(
        "credential.tenant_mismatch",
        "the credential is of another tenant than the call, or of none where the call has one",
        "context: {tenant: {id: acme}, credential: {tenant_id: other}}",
        "context: {tenant: {id: acme}, credential: {tenant_id: acme}}",
    ),
    reason(
        "residency.region_denied",
        "the contract prohibits this region, or does not allow it",
        "context: {region: us-east}",
        "context: {region: eu-central}",
    ),
    reason(
        "residency.region_unknown",
        "the contract declares residency and the runtime states no region",
        "context: {region: null}",
        "context: {region: eu-central}",
    ),
    reason(
        "delegation.too_deep",
        "authority was handed on more than ten times",
        "# eleven hops\ncontext: {delegation: […]}",
        "# at most ten hops\ncontext: {delegation: […]}",
    ),
    reason(
        "delegation.empty_scope",
        "a hop delegates nothing: its scope is empty or blank",
        'context: {delegation: [{from: rosa, to: agent-7, scope: ""}]}',
        "context: {delegation: [{from: rosa, to: agent-7, scope: order.**}]}",
    ),
    reason(
        "delegation.broken",
        "a hop does not start where the one before it ended",
        "context: {delegation: [{from: rosa, to: agent-1, scope: a.**}, {from: agent-2, to: agent-7, scope: a.**}]}",
        "context: {delegation: [{from: rosa, to: agent-1, scope: a.**}, {from: agent-1, to: agent-7, scope: a.**}]}",
    ),
    reason(
        "delegation.wrong_delegate",
        "the last hop does not end at the operator",
        "context: {delegation: [{from: rosa, to: agent-1, scope: order.**}], operator: {id: agent-7, kind: agent}}",
        "context: {delegation: [{from: rosa, to: agent-7, scope: order.**}], operator: {id: agent-7, kind: agent}}",
    ),
    reason(
        "delegation.scope_not_covered",
        "a hop's scope does not cover the scope of this action",
        "context: {delegation: [{from: rosa, to: agent-7, scope: order.read}]}",
        "context: {delegation: [{from: rosa, to: agent-7, scope: order.**}]}",
    ),
)
