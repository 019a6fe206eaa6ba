"""What a catalog needs of the policy as a whole; looked at once, with the outermost layer."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.catalog import CapabilityFacts, CatalogPlace
from policy.check.lint.capabilities import CatalogIndex
from policy.check.lint.material import Material
from policy.ir import nodes as ir
from policy.ir.patterns import matches_any
from policy.source.codes import CODES
from policy.source.diagnostic import Diagnostic, Severity
from policy.types.values import RiskLevel


def lint_deployment(material: Material) -> Iterator[Diagnostic]:
    """Every finding about a capability of the catalog."""
    capabilities = material.capabilities
    if capabilities is None or not material.outermost:
        return
    yield from _same_but_case(capabilities)
    for capability in capabilities.capabilities:
        if capability.scope is None:
            yield _about(
                capability,
                "lint.no_scope",
                f"capability `{capability.id}` has no scope, so only `capability` patterns match it",
                'write its `scope` at the top of the document, or allow it by `capability "…"`',
            )
    yield from _no_default(material, capabilities)


def _same_but_case(capabilities: CatalogIndex) -> Iterator[Diagnostic]:
    first: dict[str, CapabilityFacts] = {}
    for capability in capabilities.capabilities:
        if capability.scope is None:
            continue
        other = first.setdefault(capability.scope.casefold(), capability)
        if other.scope != capability.scope:
            yield _about(
                capability,
                "lint.case_differs",
                f"the scopes `{capability.scope}` and `{other.scope}` of the catalog differ only in case",
                "scopes are compared character by character; write both the same way",
            )


def _no_default(material: Material, capabilities: CatalogIndex) -> Iterator[Diagnostic]:
    """Capabilities that ask for an approval and name nobody, where no default approval answers."""
    thresholds = bool(material.layers[0].risks)
    for capability in capabilities.capabilities:
        risky = capability.declared_risk > RiskLevel.MEDIUM and not capability.has_contract_approval and not thresholds
        if not capability.needs_default_approval and not risky:
            continue
        if _answered(material, capability) or not _allowed(material, capability):
            continue
        why = (
            "it asks for an approval and names nobody"
            if capability.needs_default_approval
            else f"its risk is {capability.declared_risk.value} and no `risk` statement says who approves"
        )
        yield _about(
            capability,
            "lint.no_default_approval",
            f"capability `{capability.id}` can never run: {why}, and no `default approval` covers it",
            'write `default approval "…"` in the `policy` header',
        )


def _answered(material: Material, capability: CapabilityFacts) -> bool:
    return any(
        default.patterns is None or matches_any(default.patterns, capability.scope, capability.id)
        for layer in material.layers
        for default in layer.defaults
    )


def _allowed(material: Material, capability: CapabilityFacts) -> bool:
    """Whether an allow reaches it at all; what nobody may call needs no approval."""
    span = material.layers[0].clauses[0].span if material.layers[0].clauses else None
    if span is None or capability.kind == "resource":
        return False
    names: list[ir.ActionPattern] = [ir.CapabilityGlob(span=span, glob=capability.id)]
    if capability.scope is not None:
        names.append(ir.ScopePattern(span=span, segments=tuple(capability.scope.split("."))))
    return any(
        matches_any(allow.patterns or (), capability.scope, capability.id)
        for name in names
        for allow in material.allows.overlapping(name, None)
    )


def _about(capability: CapabilityFacts, code: str, message: str, help: str) -> Diagnostic:
    place = capability.place or CatalogPlace(file="")
    return Diagnostic(
        code=code,
        severity=CODES[code].severity or Severity.ERROR,
        message=message,
        help=help,
        file=place.file or None,
        pointer=place.pointer if capability.place is not None else None,
        line=place.line,
        column=place.column,
        capability=capability.id,
    )
