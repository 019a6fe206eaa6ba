"""Stage 8, first half: everything that asks for an approval, and of whom it is asked (language.md section 7).

Requirements are united: nothing that one source says takes away what another asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from policy.decide import acc, reasons
from policy.decide.approvals.requirement import Requirement
from policy.decide.compiled import CompiledPolicy
from policy.decide.conditions import Conditions
from policy.decide.demands import Demand
from policy.decide.guards import transaction_mode
from policy.decide.plan import Plan
from policy.decide.selectors import judge
from policy.ir import nodes as ir
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.decision import Reason
from policy.source.records import dataclass

CONTRACT = "contract"
"""The id of the requirement that the contract's own policy makes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Required:
    """What is asked of approvers, and the denials and notes that came up while asking."""

    requirements: tuple[Requirement, ...]
    reasons: tuple[Reason, ...]


@dataclass(slots=True, kw_only=True)
class _Gathering:
    """One requirement while its reasons are collected."""

    approval: ir.Approval
    layer: int | None
    reasons: list[Reason] = field(default_factory=list)
    humans_only: bool = False
    prompts: set[str] = field(default_factory=set)


def demands_of_rules(
    compiled: CompiledPolicy, plan: Plan, conditions: Conditions
) -> tuple[tuple[Demand, ...], tuple[Reason, ...]]:
    """What the `require` statements of every layer ask for; one that is unevaluable asks, and a note says why."""
    demands: list[Demand] = []
    notes: list[Reason] = []
    for index, rule in plan.requires.possible(conditions.facts):
        judged = judge(rule.selector.when, rule.selector.unless, conditions)
        if judged.holds is False or judged.unjudged:
            continue
        layer = compiled.layers[index].layer
        if judged.problem is not None:
            notes.append(reasons.unevaluable("note", rule, layer, judged.problem, "the approval is required"))
        demands.append(demand_of_rule(rule, index, layer))
    return tuple(demands), tuple(notes)


def demand_of_rule(rule: ir.Require, index: int, layer: str) -> Demand:
    """What a `require` that applies asks for; `layer` is the name of the layer `index`."""
    message = f"`{rule.id}` requires an approval"
    return Demand(
        kind="default" if rule.approval is None else "named",
        layer=index,
        approval=rule.approval,
        reason=reasons.of_rule("rule.requires_approval", "require-approval", rule, layer, message),
    )


def demands_of_declaration(action: Action, capability: AdmittedCapability, *, input_valid: bool) -> tuple[Demand, ...]:
    """What the contract and the declaration ask for. A condition on an input that breaks its schema is not judged."""
    return (
        *_of_contract(action, capability),
        *_of_acc(action, capability, input_valid=input_valid),
    )


def resolve(
    compiled: CompiledPolicy, capability: AdmittedCapability, plan: Plan, demands: Iterable[Demand]
) -> Required:
    """Find whom each demand asks; an approval that is asked for twice is one requirement with several reasons."""
    gathered: dict[tuple[int, str], _Gathering] = {}
    denied: list[Reason] = []
    for demand in demands:
        asked = asked_of(demand, plan.defaults, capability)
        if not asked:
            denied.append(_no_path(demand))
        for layer, approval in asked:
            key = (-1 if layer is None else layer, approval)
            if key not in gathered:
                gathered[key] = _Gathering(approval=_approval(compiled, capability, layer, approval), layer=layer)
            gathering = gathered[key]
            gathering.reasons.append(demand.reason)
            gathering.humans_only = gathering.humans_only or demand.humans_only
            gathering.prompts.update(() if demand.prompt is None else (demand.prompt,))
    requirements = [_requirement(compiled, gathering) for gathering in gathered.values()]
    ordered = sorted(requirements, key=lambda each: (each.id, each.layer is not None))
    return Required(requirements=tuple(ordered), reasons=tuple(denied))


def _of_contract(action: Action, capability: AdmittedCapability) -> Iterator[Demand]:
    contract = capability.contract
    if contract is not None and contract.approval is not None and contract.approval.required:
        message = contract.approval.reason or "the contract asks for an approval"
        yield Demand(kind="contract", reason=_contract_reason(message))
    if capability.document.requires_human_approval:
        message = "the capability asks for the approval of a human"
        yield Demand(kind="default", reason=_contract_reason(message), humans_only=True)
    compensation = None if contract is None else contract.compensation
    if compensation is not None and compensation.requires_approval and transaction_mode(action) == "compensate":
        yield Demand(kind="default", reason=_contract_reason("the contract asks for an approval of compensations"))


def _of_acc(action: Action, capability: AdmittedCapability, *, input_valid: bool) -> Iterator[Demand]:
    if capability.acc is None:
        return
    approval = capability.acc.approval
    prompt = None if approval.prompt is None else acc.filled_prompt(approval.prompt, action.input)
    if approval.required:
        reason = _contract_reason("the declaration asks for an approval of every call")
        yield Demand(kind="default", reason=reason, prompt=prompt)
    elif input_valid:
        for condition in capability.acc_conditions:
            if acc.holds(condition, action.input):
                reason = _contract_reason(acc.describe(condition))
                yield Demand(kind="default", reason=reason, prompt=prompt)


def _contract_reason(message: str) -> Reason:
    return Reason(code="contract.requires_approval", effect="require-approval", message=message)


def asked_of(
    demand: Demand, defaults: Sequence[tuple[int, str]], capability: AdmittedCapability
) -> Sequence[tuple[int | None, str]]:
    """Whose approval a demand asks for, as layer and approval; nobody's where there is nobody to ask."""
    own = () if capability.contract_approval is None else ((None, CONTRACT),)
    match demand.kind:
        case "named":
            if demand.approval is None:
                raise ValueError("a demand that names an approval has its id")
            return ((demand.layer, demand.approval),)
        case "default":
            return defaults
        case "contract":
            return own
        case "default_or_contract":
            return defaults or own


def _no_path(demand: Demand) -> Reason:
    if demand.kind == "default" or demand.reason.code == "contract.requires_approval":
        code, what = "approval.no_path", "no default approval of the policy says whose"
    else:
        code, what = "risk.no_approval_path", "the contract has no approval policy"
        if demand.kind == "default_or_contract":
            what = "neither a default approval nor the contract says whose"
    return demand.reason.model_copy(
        update={"code": code, "effect": "deny", "message": f"{demand.reason.message}, and {what}"}
    )


def _approval(
    compiled: CompiledPolicy, capability: AdmittedCapability, layer: int | None, approval: str
) -> ir.Approval:
    if layer is not None:
        return compiled.approvals[layer][approval]
    if capability.contract_approval is None:
        raise ValueError("the contract has no approval policy")
    return capability.contract_approval


def _requirement(compiled: CompiledPolicy, gathering: _Gathering) -> Requirement:
    layer = gathering.layer
    approval = gathering.approval
    return Requirement(
        id=approval.id if layer is None else compiled.approval_id(layer, approval.id),
        approval=approval,
        layer=None if layer is None else compiled.layers[layer].layer,
        reasons=tuple(reasons.in_order(gathering.reasons, compiled.layer_names)),
        humans_only=gathering.humans_only,
        prompt=min(gathering.prompts, default=None),
    )
