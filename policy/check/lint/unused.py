"""Declarations that nothing uses."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from policy.check.lint.finding import finding, heading
from policy.check.lint.material import Material
from policy.ir import nodes as ir
from policy.ir.reads import children
from policy.source.diagnostic import Diagnostic
from policy.source.text import Span
from policy.syntax import tree


def lint_unused(material: Material) -> Iterator[Diagnostic]:
    """Every define, `scopes` set, approval and context attribute that has no use."""
    statements = [statement for file in material.files for statement in file.statements]
    yield from _defines(material, statements)
    yield from _scopes(statements)
    for approval in material.program.approvals:
        if approval.id not in material.uses and approval.id not in material.by_default:
            yield _unused("approval", approval.id, heading(approval.span), "no rule and no default asks for it")
    yield from _attributes(material, statements)


def _unused(kind: str, name: str, span: Span, why: str) -> Diagnostic:
    return finding(f"lint.unused_{kind}", f"{kind} `{name}` is unused: {why}", span, help="use it or drop it")


def _defines(material: Material, statements: list[tree.Statement]) -> Iterator[Diagnostic]:
    declared = [statement for statement in statements if isinstance(statement, tree.Define)]
    if not declared:
        return
    used: set[str] = set()
    stack = [
        expression
        for view in material.views
        for expression in (*(condition.expression for condition in view.conditions), *view.values)
    ]
    while stack:
        here = stack.pop()
        if isinstance(here, ir.Shared):
            if here.name in used:
                continue
            used.add(here.name)
        stack.extend(children(here))
    for statement in declared:
        if statement.name.name not in used:
            yield _unused("define", statement.name.name, statement.name.span, "no rule rests on it")


def _scopes(statements: list[tree.Statement]) -> Iterator[Diagnostic]:
    blocks = {block.name.value: block for block in statements if isinstance(block, tree.ScopesBlock)}
    if not blocks:
        return
    waiting = [
        reference
        for statement in statements
        if not isinstance(statement, tree.ScopesBlock)
        for reference in _references(statement)
    ]
    used: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name not in used:
            used.add(name)
            waiting.extend(_references(blocks[name]) if name in blocks else ())
    for name, block in blocks.items():
        if name not in used:
            yield _unused("scopes", name, block.name.span, "no rule names it")


def _references(node: object) -> Iterator[str]:
    """The `scopes` sets that are named in a part of the tree."""
    stack = [node]
    while stack:
        here = stack.pop()
        if isinstance(here, tree.ScopesReference):
            yield here.name.value
        elif isinstance(here, tuple):
            stack.extend(here)
        elif is_dataclass(here) and not isinstance(here, Span):
            stack.extend(getattr(here, field.name) for field in fields(here) if field.name != "span")


def _attributes(material: Material, statements: list[tree.Statement]) -> Iterator[Diagnostic]:
    declared = [attribute for block in statements if isinstance(block, tree.ContextBlock) for attribute in block.fields]
    if not declared:
        return
    used: set[object] = set()
    for view in material.all_views:
        for _, path in material.paths(view).values():
            if path.root == "context":
                used.add(path.steps[0] if path.steps and isinstance(path.steps[0], str) else None)
    if None in used:
        return
    for attribute in declared:
        if attribute.name.name not in used:
            name = f"context.{attribute.name.name}"
            help = "use it or drop it: " + (
                "a rule that should read it does not"
                if attribute.optional
                else "a request that lacks it is denied although nothing needs it"
            )
            yield finding(
                "lint.unused_attribute", f"`{name}` is unused: no rule reads it", attribute.name.span, help=help
            )
