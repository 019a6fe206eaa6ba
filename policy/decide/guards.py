"""Stage 5: contract guards, always on (language.md section 8).

A contract declares; what it does not declare is not guarded here. What the runtime states and did not need to state
is judged all the same.
"""

from __future__ import annotations

from collections.abc import Iterator

from policy.decide import reasons
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.context import Context, DelegationHop
from policy.model.contract import Compensation, Contract, Credentials
from policy.model.decision import Reason
from policy.model.mistakes import quoted
from policy.types.instants import parse_timestamp
from policy.types.patterns import parse_scope_pattern, scope_matches
from policy.types.values import Timestamp

MAX_HOPS = 10
"""How often authority may be handed on."""

_NANOSECONDS_PER_MILLISECOND = 10**6
_COMPENSABLE = ("supported", "best_effort")


def judge_guards(
    action: Action, capability: AdmittedCapability, context: Context, now: Timestamp
) -> tuple[Reason, ...]:
    """Every denial of the guards, and the note that names the compensating capability."""
    contract = capability.contract
    return (
        *_idempotency(action, contract),
        *_execution(action, contract),
        *_transaction(action, contract),
        *_compensation(action, contract, context, now),
        *_tenant(context),
        *_credential(contract, context, now),
        *_residency(contract, context),
        *_delegation(capability, context),
    )


def transaction_mode(action: Action) -> str:
    """The action's transaction mode: `execute` where it states none."""
    return "execute" if action.transaction is None else action.transaction.mode


def _idempotency(action: Action, contract: Contract | None) -> Iterator[Reason]:
    if contract is not None and contract.idempotency.requirement == "required" and _blank(action.idempotency_key):
        message = "the contract asks for an idempotency key and the action has none"
        yield reasons.deny("idempotency.required", message)


def _execution(action: Action, contract: Contract | None) -> Iterator[Reason]:
    if contract is None:
        return
    supported = {
        "sync": contract.execution.supports_sync,
        "async": contract.execution.supports_async,
        "streaming": contract.execution.supports_streaming,
    }
    if not supported[action.mode]:
        yield reasons.deny("execution.mode_unsupported", f"the contract does not support the mode `{action.mode}`")


def _transaction(action: Action, contract: Contract | None) -> Iterator[Reason]:
    mode = transaction_mode(action)
    declared = None if contract is None else contract.transaction
    if declared is None:
        if mode != "execute":
            message = f"no contract declares transactions, so the mode `{mode}` is not supported"
            yield reasons.deny("transaction.unsupported", message)
        return
    if mode not in declared.supported_modes:
        yield reasons.deny("transaction.mode_unsupported", f"the contract does not list the mode `{mode}`")
    plan = None if action.transaction is None else action.transaction.plan_id
    if mode == "commit" and declared.requires_plan_before_commit and _blank(plan):
        message = "the contract asks for a plan before a commit and the action names none"
        yield reasons.deny("transaction.plan_required", message)


def _compensation(action: Action, contract: Contract | None, context: Context, now: Timestamp) -> Iterator[Reason]:
    if transaction_mode(action) != "compensate":
        return
    declared = None if contract is None else contract.compensation
    if declared is None or declared.mode not in _COMPENSABLE:
        yield reasons.deny("transaction.compensation_unsupported", "the contract supports no compensation")
        return
    yield from _window(declared, context, now)
    if declared.compensation_capability_id is not None:
        message = (
            f"{quoted(declared.compensation_capability_id)} compensates this action; it needs a decision of its own"
        )
        yield reasons.note("transaction.compensating_capability", message)


def _window(declared: Compensation, context: Context, now: Timestamp) -> Iterator[Reason]:
    if declared.compensation_window_ms is None:
        return
    stated = None if context.transaction is None else context.transaction.committed_at
    committed = None if stated is None else parse_timestamp(stated)
    if committed is None:
        message = "the contract limits compensation to a window and the runtime does not state `committed_at`"
        yield reasons.deny("transaction.compensation_window", message)
        return
    window = declared.compensation_window_ms * _NANOSECONDS_PER_MILLISECOND
    if now.nanoseconds - committed.nanoseconds >= window:
        message = f"the window of {declared.compensation_window_ms} ms for a compensation has passed"
        yield reasons.deny("transaction.compensation_window", message)


def _tenant(context: Context) -> Iterator[Reason]:
    tenant = None if context.tenant is None else context.tenant.id
    for name in ("subject", "operator", "requester"):
        principal = getattr(context, name)
        if principal is not None and principal.tenant_id not in (None, tenant):
            shown = "the call has none" if tenant is None else f"the call's is {quoted(tenant)}"
            message = f"{name} {quoted(principal.id)} is of the tenant {quoted(principal.tenant_id)}; {shown}"
            yield reasons.deny("tenant.mismatch", message)


def _credential(contract: Contract | None, context: Context, now: Timestamp) -> Iterator[Reason]:
    declared = None if contract is None else contract.credentials
    credential = context.credential
    if credential is None:
        if declared is not None and declared.required:
            message = "the contract asks for a credential and the runtime states none"
            yield reasons.deny("credential.required", message)
        return
    expires = None if credential.expires_at is None else parse_timestamp(credential.expires_at)
    if expires is not None and expires <= now:
        yield reasons.deny("credential.expired", f"the credential expired at {quoted(credential.expires_at)}")
    if declared is not None:
        yield from _accepted(declared, credential.issuer, credential.scopes)
    tenant = None if context.tenant is None else context.tenant.id
    if credential.tenant_id != tenant:
        held = "no tenant" if credential.tenant_id is None else f"the tenant {quoted(credential.tenant_id)}"
        wanted = "has none" if tenant is None else f"is of {quoted(tenant)}"
        yield reasons.deny("credential.tenant_mismatch", f"the credential is of {held}; the call {wanted}")


def _accepted(declared: Credentials, issuer: str | None, scopes: list[str] | None) -> Iterator[Reason]:
    if declared.accepted_issuers and issuer not in declared.accepted_issuers:
        shown = "states no issuer" if issuer is None else f"is of {quoted(issuer)}"
        message = f"the credential {shown}, which the contract does not accept"
        yield reasons.deny("credential.issuer_denied", message)
    missing = [scope for scope in declared.required_scopes if scopes is None or scope not in scopes]
    if missing:
        message = f"the credential lacks {', '.join(quoted(scope) for scope in sorted(set(missing)))}"
        yield reasons.deny("credential.scope_missing", message)


def _residency(contract: Contract | None, context: Context) -> Iterator[Reason]:
    residency = None if contract is None else contract.data.residency
    if residency is None:
        return
    region = context.region
    if region is None:
        message = "the contract declares residency and the runtime states no region"
        yield reasons.deny("residency.region_unknown", message)
    elif region in residency.prohibited_regions:
        yield reasons.deny("residency.region_denied", f"the contract prohibits the region {quoted(region)}")
    elif residency.allowed_regions and region not in residency.allowed_regions:
        yield reasons.deny("residency.region_denied", f"the contract does not allow the region {quoted(region)}")


def _delegation(capability: AdmittedCapability, context: Context) -> Iterator[Reason]:
    hops = context.delegation
    if not hops:
        return
    if len(hops) > MAX_HOPS:
        message = f"authority was handed on {len(hops)} times; at most {MAX_HOPS} are accepted"
        yield reasons.deny("delegation.too_deep", message)
    for index, hop in enumerate(hops, start=1):
        yield from _hop(index, hop, capability.scope)
        if index < len(hops) and hop.to.id != hops[index].from_.id:
            message = f"hop {index} ends at {quoted(hop.to.id)} and the next begins at {quoted(hops[index].from_.id)}"
            yield reasons.deny("delegation.broken", message)
    operator = None if context.operator is None else context.operator.id
    if hops[-1].to.id != operator:
        shown = "no operator is stated" if operator is None else f"the operator is {quoted(operator)}"
        message = f"the last hop ends at {quoted(hops[-1].to.id)} and {shown}"
        yield reasons.deny("delegation.wrong_delegate", message)


def _hop(index: int, hop: DelegationHop, scope: str | None) -> Iterator[Reason]:
    if _blank(hop.scope):
        yield reasons.deny("delegation.empty_scope", f"hop {index} delegates nothing: its scope is empty")
        return
    pattern = parse_scope_pattern(hop.scope)
    if pattern is None or scope is None or not scope_matches(pattern, scope):
        shown = "the action, which has no scope" if scope is None else quoted(scope)
        message = f"hop {index} delegates {quoted(hop.scope)}, which does not cover {shown}"
        yield reasons.deny("delegation.scope_not_covered", message)


def _blank(text: str | None) -> bool:
    """Whether a text says nothing: absent, empty, or only white space and characters that are not shown."""
    return text is None or not any(character.isprintable() and not character.isspace() for character in text)
