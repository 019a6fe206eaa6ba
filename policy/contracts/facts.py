"""What the engine's names stand for, from an admitted document (language.md sections 4 and 7)."""

from __future__ import annotations

from typing import Any

from policy.check.catalog import CapabilityFacts
from policy.model.admitted import AdmittedCapability
from policy.model.capability import Capability
from policy.types.values import RiskLevel, Sensitivity

_GRAVE = frozenset({"financial", "delete", "identity", "medical", "legal", "send_message", "code_execution"})


def effects_of(document: Capability) -> tuple[str, ...] | None:
    """The contract's effects where it lists any, else `read` where ACC says readonly, else None: unknown."""
    if document.contract is not None and document.contract.side_effects:
        return tuple(document.contract.side_effects)
    if document.acc is not None and document.acc.execution.readonly is True:
        return ("read",)
    return None


def is_readonly(document: Capability) -> bool:
    """Whether the effects are exactly `read` and ACC does not declare the contrary."""
    contradicted = document.acc is not None and document.acc.execution.readonly is False
    return effects_of(document) == ("read",) and not contradicted


def contradicts_readonly(document: Capability) -> bool:
    """Whether ACC's `readonly` says one thing and the contract's effects say another."""
    declared = None if document.acc is None else document.acc.execution.readonly
    return declared is not None and effects_of(document) is not None and declared != (effects_of(document) == ("read",))


def declared_risk_of(document: Capability, *, supported_version: bool = True) -> RiskLevel:
    """The most severe of what each format present declares, or else defaults to."""
    levels = []
    if document.acc is not None:
        levels.append(_acc_risk(document) if supported_version else RiskLevel.HIGH)
    stated = document.contract is not None or document.risk is not None or document.requires_human_approval
    if stated or document.acc is None:
        levels.append(_aip_risk(document))
    return max(levels)


def _acc_risk(document: Capability) -> RiskLevel:
    acc = document.acc
    if acc is None:
        raise ValueError("the document has no declaration")
    if acc.risk.level is not None:
        return RiskLevel(acc.risk.level)
    if acc.execution.readonly is True and is_readonly(document):
        return RiskLevel.LOW
    if acc.execution.readonly is None and document.method == "GET":
        return RiskLevel.LOW
    return RiskLevel.MEDIUM


def _aip_risk(document: Capability) -> RiskLevel:
    if document.risk is not None:
        return RiskLevel(document.risk)
    effects = () if document.contract is None else tuple(document.contract.side_effects)
    if not effects or not _GRAVE.isdisjoint(effects):
        return RiskLevel.HIGH
    return RiskLevel.LOW if effects == ("read",) else RiskLevel.MEDIUM


def facts_of(document: Capability, scope: str | None, risk: RiskLevel) -> dict[str, object]:
    """Runtime values of the names that a declaration vouches for; what has no value is left out."""
    effects = effects_of(document)
    facts: dict[str, object] = {
        "capability": {
            name: value
            for name in ("id", "name", "kind", "stability")
            if (value := getattr(document, name)) is not None
        },
        "readonly": is_readonly(document),
        "declared_risk": risk,
    }
    if scope is not None:
        facts["scope"] = scope
    if effects is not None:
        facts["effects"] = list(effects)
    if document.contract is not None:
        contract: dict[str, Any] = document.contract.model_dump(exclude_none=True)
        contract["data"]["sensitivity"] = Sensitivity(contract["data"]["sensitivity"])
        facts["contract"] = contract
    return facts


def capability_facts(admitted: AdmittedCapability) -> CapabilityFacts:
    """What lint needs to know of an admitted capability."""
    document, policy = admitted.document, admitted.contract_approval
    asks = document.requires_human_approval or (
        admitted.acc is not None and (admitted.acc.approval.required or bool(admitted.acc.approval.when))
    )
    compensation = None if admitted.contract is None else admitted.contract.compensation
    return CapabilityFacts(
        id=admitted.id,
        scope=admitted.scope,
        kind=document.kind,
        input_schema=document.input_schema,
        effects=admitted.effects,
        declared_risk=admitted.declared_risk,
        needs_default_approval=asks or (compensation is not None and compensation.requires_approval),
        has_contract_approval=policy is not None,
        place=admitted.place,
    )
