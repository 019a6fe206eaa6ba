"""A policy prepared for decisions: what depends on the policy alone is looked up once, when it is loaded."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType

from policy.ir import nodes as ir
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass
from policy.types.kinds import Field


@dataclass(frozen=True, slots=True, kw_only=True)
class CompiledPolicy:
    """The layers of a policy with their tables. Immutable; shared by threads without a lock."""

    policy: ir.PolicySet
    limits: Limits
    context: Mapping[str, tuple[Field, ...]] = field(repr=False)
    """The declared context attributes, as each layer that declares one has it."""
    attributes: Mapping[str, tuple[Field, ...]] = field(repr=False)
    """The declared attributes of principals, as each directory that declares one has it."""
    approvals: tuple[Mapping[str, ir.Approval], ...] = field(repr=False)
    """The approvals of each layer, by id."""
    risks: tuple[tuple[ir.Risk, ...], ...] = field(repr=False)
    """The risk statements of each layer, each behind those it overrides."""

    @property
    def layers(self) -> tuple[ir.Program, ...]:
        """The layers, outermost first."""
        return self.policy.layers

    @property
    def layer_names(self) -> tuple[str, ...]:
        """Their names, as decisions show them."""
        return tuple(layer.layer for layer in self.policy.layers)

    def approval_id(self, layer: int, approval: str) -> str:
        """An approval's id as decisions show it: `layer/id` where the program has several layers."""
        return approval if len(self.layers) == 1 else f"{self.layers[layer].layer}/{approval}"


def prepare(policy: ir.PolicySet, limits: Limits = DEFAULT_LIMITS) -> CompiledPolicy:
    """Build the tables of a policy.

    Raises ValueError where it has no layer, or where risk statements override each other in a circle; the checker
    lets neither through.
    """
    if not policy.layers:
        raise ValueError("a policy has at least one layer")
    return CompiledPolicy(
        policy=policy,
        limits=limits,
        context=_declared(layer.context for layer in policy.layers),
        attributes=_declared(layer.attributes or () for layer in policy.layers),
        approvals=tuple(
            MappingProxyType({approval.id: approval for approval in layer.approvals}) for layer in policy.layers
        ),
        risks=tuple(_overridden_first(layer.risks) for layer in policy.layers),
    )


def _declared(layers: Iterable[Iterable[tuple[str, Field]]]) -> Mapping[str, tuple[Field, ...]]:
    declared: dict[str, tuple[Field, ...]] = {}
    for members in layers:
        for name, member in members:
            declared[name] = (*declared.get(name, ()), member)
    return MappingProxyType(declared)


def _overridden_first(risks: Sequence[ir.Risk]) -> tuple[ir.Risk, ...]:
    by_id = {risk.id: risk for risk in risks}
    ordered: dict[str, ir.Risk] = {}
    open_ids: set[str] = set()
    stack = [(risk, False) for risk in reversed(risks)]
    while stack:
        risk, done = stack.pop()
        if done:
            open_ids.discard(risk.id)
            ordered[risk.id] = risk
        elif risk.id in open_ids:
            raise ValueError(f"the risk statement {risk.id} overrides itself")
        elif risk.id not in ordered:
            open_ids.add(risk.id)
            stack.append((risk, True))
            stack.extend((by_id[each], False) for each in risk.overrides)
    return tuple(ordered.values())
