"""The request digest: what an approval is bound to (language.md section 7)."""

from __future__ import annotations

from typing import Any

from policy.decide.guards import transaction_mode
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.canonical import digest
from policy.model.context import Context, Principal


def request_digest(action: Action, capability: AdmittedCapability, context: Context) -> str:
    """`sha256:` and 64 hexadecimal digits over the RFC 8785 form of everything an approver approves.

    What is absent is null, after defaults. The action's id, its idempotency key and its claims are no part of it.
    """
    return digest(digested(action, capability, context))


def digested(action: Action, capability: AdmittedCapability, context: Context) -> dict[str, Any]:
    """The object that the digest is taken of."""
    transaction, tenant, hops = action.transaction, context.tenant, context.delegation
    return {
        "capability": capability.digest,
        "scope": capability.scope,
        "route": context.route,
        "session": context.session,
        "tenant": None if tenant is None else {"id": tenant.id, "system": tenant.system},
        "input": action.input,
        "mode": action.mode,
        "transaction": {
            "mode": transaction_mode(action),
            "plan_id": None if transaction is None else transaction.plan_id,
            "compensation_for": None if transaction is None else transaction.compensation_for,
        },
        "requester": _id(context.requester),
        "operator": _id(context.operator),
        "subject": _id(context.subject),
        "delegators": None if hops is None else [hop.from_.id for hop in hops],
    }


def _id(principal: Principal | None) -> str | None:
    return None if principal is None else principal.id
