"""Limits on numbers that leave a side or a unit open."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from policy.check.lint.capabilities import CatalogIndex
from policy.check.lint.finding import finding, listed
from policy.check.lint.inputs import concerned
from policy.check.lint.material import Material
from policy.check.lint.views import Condition, View
from policy.check.lint.walk import Path, atoms, unshared
from policy.ir import nodes as ir
from policy.ir.patterns import covers
from policy.source.diagnostic import Diagnostic
from policy.source.records import dataclass
from policy.types.patterns import ANY_SEGMENTS

_MONEY = frozenset(
    {"amount", "amounts", "price", "prices", "cost", "costs", "fee", "fees"}
    | {"total", "subtotal", "sum", "value", "balance", "limit", "budget", "payment"}
    | {"payments", "refund", "charge", "charges", "salary", "wage", "rate", "credit"}
    | {"debit", "discount", "deposit", "withdrawal", "spend", "quantity", "weight", "volume"}
)
_UNITS = (
    "currency",
    "currency_code",
    "currencyCode",
    "iso_currency",
    "unit",
    "units",
    "unit_of_measure",
    "uom",
    "asset",
    "denomination",
)
_WORDS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}


@dataclass(frozen=True, slots=True)
class _Limit:
    """A number of the input compared by order; `upper` where the rule lets small numbers pass."""

    read: ir.Read
    path: Path
    other: ir.Expression
    upper: bool


def lint_numbers(material: Material) -> Iterator[Diagnostic]:
    """Every finding about a limit on a number of the input; needs the catalog's schemas."""
    capabilities = material.capabilities
    if capabilities is None:
        return
    floors = _floors(material)
    for view in material.views:
        patterns = concerned(material, view)
        limits = [limit for condition in view.conditions for limit in _limits(material, view, condition)]
        reads = {path for _, path in material.paths(view).values()}
        for limit in dict.fromkeys(limits):
            if limit.path.root != "input":
                continue
            negative = capabilities.find(patterns, limit.path).negative
            yield from _one_sided(view, limit, limits, negative, floors)
            yield from _unitless(material, capabilities, (view, patterns), limit, reads)


def _limits(material: Material, view: View, condition: Condition) -> Iterator[_Limit]:
    found = material.places(condition.expression)
    if not any(path.root == "input" for _, path in found.values()):
        return
    for atom in atoms(condition.expression, positive=condition.label != "unless"):
        node = atom.expression
        if not isinstance(node, ir.Compare) or node.operator not in _MIRRORED:
            continue
        for own, other, mirrored in ((node.left, node.right, False), (node.right, node.left, True)):
            known = found.get(id(unshared(own)))
            if known is None:
                continue
            operator = _MIRRORED[node.operator] if mirrored else node.operator
            operator = operator if atom.positive else _OPPOSITE[operator]
            passes_when_true = view.kind in {"allow", "approval"}
            yield _Limit(known[0], known[1], unshared(other), (operator[0] == "<") == passes_when_true)


def _floors(material: Material) -> dict[Path, list[View]]:
    """The denies that refuse small values of a path whatever else holds."""
    floors: dict[Path, list[View]] = {}
    for view in material.all_views:
        if view.kind not in {"deny", "clause deny"} or len(view.conditions) != 1:
            continue
        expression = unshared(view.conditions[0].expression)
        alternatives = expression.operands if isinstance(expression, ir.Or) else (expression,)
        for alternative in alternatives if view.conditions[0].label == "when" else ():
            for limit in _limits(material, view, replace(view.conditions[0], expression=alternative)):
                if not limit.upper and isinstance(unshared(alternative), ir.Compare):
                    floors.setdefault(limit.path, []).append(view)
    return floors


def _one_sided(
    view: View,
    limit: _Limit,
    limits: list[_Limit],
    negative: tuple[str, ...],
    floors: dict[Path, list[View]],
) -> Iterator[Diagnostic]:
    value = limit.other.value if isinstance(limit.other, ir.Constant) else 0
    if not limit.upper or isinstance(value, bool) or not isinstance(value, int | float) or value < 0:
        return
    if any(other.path == limit.path and not other.upper for other in limits):
        return
    if not negative or any(_guards(floor, view) for floor in floors.get(limit.path, ())):
        return
    yield finding(
        "lint.upper_limit_only",
        f"`{limit.read.text}` is limited from above only; the schema of {listed(negative)} admits numbers below zero",
        limit.read.span,
        help=f"add `deny … when {limit.read.text} < 0`, or a `minimum` to the schema",
    )


def _guards(floor: View, view: View) -> bool:
    """Whether the deny holds wherever the view does."""
    if floor.routes is not None and (view.routes is None or not set(view.routes) <= set(floor.routes)):
        return False
    if floor.patterns is None:
        return True
    return view.patterns is not None and all(
        any(covers(wider, own) for wider in floor.patterns) for own in view.patterns
    )


def _unitless(
    material: Material,
    capabilities: CatalogIndex,
    where: tuple[View, tuple[ir.ActionPattern, ...] | None],
    limit: _Limit,
    reads: set[Path],
) -> Iterator[Diagnostic]:
    view, patterns = where
    name = limit.path.steps[-1] if limit.path.steps else None
    if not isinstance(name, str) or not {word.lower() for word in _WORDS.findall(name)} & _MONEY:
        return
    for unit in _UNITS:
        beside = replace(limit.path, steps=(*limit.path.steps[:-1], unit))
        several = capabilities.find(patterns, beside).several
        if unit == name or not several or beside in reads or _asked_by_allows(material, view, beside):
            continue
        text = f"{limit.read.text.rpartition('.')[0]}.{unit}"
        yield finding(
            "lint.limit_without_unit",
            f"`{limit.read.text}` is compared whatever its unit: {listed(several)} has `{text}` beside it",
            limit.read.span,
            help=f'add `{text} == "…"`, or a limit for each unit: `{{ "EUR": 10_000 }}[{text}]`',
        )
        return


def _asked_by_allows(material: Material, view: View, unit: Path) -> bool:
    """Whether every allow that lets such an action through asks about its unit."""
    if view.kind == "allow":
        return False
    everything: ir.ActionPattern = ir.ScopePattern(span=view.span, segments=(ANY_SEGMENTS,))
    asked = False
    for pattern in view.patterns or (everything,):
        for allow in material.allows.overlapping(pattern, view.routes):
            if all(path != unit for _, path in material.paths(allow).values()):
                return False
            asked = True
    return asked
