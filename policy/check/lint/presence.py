"""Prohibitions that are switched off by leaving something out, and roles that nothing declares."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.lint.finding import finding
from policy.check.lint.material import Material
from policy.check.lint.views import View
from policy.check.lint.walk import Path, atoms, paths, unshared
from policy.ir import nodes as ir
from policy.ir.reads import walk
from policy.source.diagnostic import Diagnostic
from policy.source.text import Span
from policy.types.kinds import Field, Record

_RUNTIME = frozenset(
    {"subject", "requester", "operator", "delegators", "tenant", "route", "session", "region", "credential"}
)
"""Built-in names that the runtime states or leaves out."""


def lint_presence(material: Material) -> Iterator[Diagnostic]:
    """Presence tests in prohibitions, and the first prohibition that names a role without a directory."""
    context = dict(material.program.context)
    for view in material.views:
        for condition in view.conditions:
            if condition.granting:
                continue
            found = paths(condition.expression)
            for atom in atoms(condition.expression):
                node = atom.expression
                if not isinstance(node, ir.Exists) or node.missing == atom.positive:
                    continue
                known = found.get(id(unshared(node.value)))
                if known is not None and _may_be_absent(known[1], context):
                    yield _switched_off(view, known[0], node)
    yield from _undeclared_role(material)


def _switched_off(view: View, read: ir.Read, node: ir.Exists) -> Diagnostic:
    declared = "declare it `or null`, or " if read.root == "context" else ""
    return finding(
        "law.presence",
        f"{view.title} is switched off where `{read.text}` is not stated",
        node.span,
        help=f"{declared}drop the test to fail closed",
    )


def _may_be_absent(path: Path, context: dict[str, Field]) -> bool:
    """Whether the runtime may leave the value out, as opposed to stating that it is null."""
    if path.root in _RUNTIME:
        return True
    if path.root != "context":
        return False
    fields: dict[str, Field] = context
    for step in path.steps:
        declared = fields.get(step) if isinstance(step, str) else None
        if declared is None:
            return True
        if declared.optional:
            return True
        fields = dict(declared.type.fields) if isinstance(declared.type, Record) else {}
    return False


def _undeclared_role(material: Material) -> Iterator[Diagnostic]:
    if any(layer.roles is not None for layer in material.layers):
        return
    places = [place for view in material.views for place in _named_roles(view)]
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
    return any(view.layer == layer.layer and any(True for _ in _named_roles(view)) for view in material.all_views)


def _named_roles(view: View) -> Iterator[tuple[str, Span]]:
    """The roles that a prohibition compares with, and where."""
    if isinstance(view.node, ir.Separation) and isinstance(view.node.form, ir.RolesConflict):
        yield view.node.form.roles[0], view.node.form.span
    for condition in view.conditions:
        for node in walk(condition.expression) if not condition.granting else ():
            if isinstance(node, ir.Has | ir.In):
                yield from _constants(node.container, node.item)


def _constants(container: ir.Expression, item: ir.Expression) -> Iterator[tuple[str, Span]]:
    container, item = unshared(container), unshared(item)
    if not isinstance(container, ir.Read) or not container.steps or container.steps[-1] != "roles":
        return
    for constant in item.items if isinstance(item, ir.ListValue) else (item,):
        if isinstance(constant, ir.Constant) and isinstance(constant.value, str):
            yield constant.value, constant.span
