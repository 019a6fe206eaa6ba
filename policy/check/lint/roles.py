"""Roles that no directory declares."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.lint.finding import finding
from policy.check.lint.material import Material
from policy.check.lint.views import View
from policy.check.lint.walk import unshared
from policy.ir import nodes as ir
from policy.source.diagnostic import Diagnostic
from policy.source.text import Span


def lint_roles(material: Material) -> Iterator[Diagnostic]:
    """The first prohibition that names a role where no layer has a directory."""
    if any(layer.roles is not None for layer in material.layers):
        return
    places = [place for view in material.views for place in _named_roles(material, view)]
    earlier = material.layers[: next(at for at, layer in enumerate(material.layers) if layer is material.program)]
    if not places or any(_names_roles(material, layer) for layer in earlier):
        return
    order = {file.source.name: number for number, file in enumerate(material.files)}
    role, span = min(places, key=lambda place: (order.get(place[1].source.name, len(order)), place[1].start))
    yield finding(
        "lint.roles_undeclared",
        f"nothing declares the role `{role}`: misspelt, this prohibition would never apply, and no check could tell",
        span,
        help='list the roles in `directory { roles "…" }`',
    )


def _names_roles(material: Material, layer: ir.Program) -> bool:
    return any(
        view.layer == layer.layer and any(True for _ in _named_roles(material, view)) for view in material.all_views
    )


def _named_roles(material: Material, view: View) -> Iterator[tuple[str, Span]]:
    """The roles that a prohibition compares with, and where."""
    if isinstance(view.node, ir.Separation) and isinstance(view.node.form, ir.RolesConflict):
        yield view.node.form.roles[0], view.node.form.span
    for condition in view.conditions:
        for node in material.nodes(condition.expression, ir.Has, ir.In) if not condition.granting else ():
            yield from _constants(node.container, node.item)


def _constants(container: ir.Expression, item: ir.Expression) -> Iterator[tuple[str, Span]]:
    container, item = unshared(container), unshared(item)
    if not isinstance(container, ir.Read) or not container.steps or container.steps[-1] != "roles":
        return
    for constant in item.items if isinstance(item, ir.ListValue) else (item,):
        if isinstance(constant, ir.Constant) and isinstance(constant.value, str):
            yield constant.value, constant.span
