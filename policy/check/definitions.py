"""`define`: the order in which definitions rest on each other, cycles, and how deep they lie."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from policy.check.environment import DefinitionFacts, Environment
from policy.check.expressions import expression
from policy.check.patterns import dependency_order
from policy.check.report import broken, first_here, is_broken
from policy.check.surface import heads
from policy.check.words import check_new_name
from policy.ir import nodes as ir
from policy.ir.reads import children
from policy.syntax import tree

LEVELS = 3
"""How many times the nesting limit an expression may be deep when its definitions are counted in."""


def unique_definitions(defines: Sequence[tree.Define], env: Environment) -> dict[str, tree.Define]:
    """The definitions by name; names that are words and second declarations are reported."""
    found: dict[str, tree.Define] = {}
    for define in defines:
        name = define.name.name
        if not check_new_name(define.name, "define", env.report):
            continue
        first = found.setdefault(name, define)
        if first is not define:
            related = first_here(first.name.span)
            env.report.add("name.duplicate", f"`{name}` is defined twice", define.name.span, related=related)
    return found


def elaborate_definitions(declared: Mapping[str, tree.Define], env: Environment) -> Environment:
    """The names with every definition elaborated, each behind those it uses."""
    uses = {
        name: list(dict.fromkeys(word.name for word in heads(define.value) if word.name in declared))
        for name, define in declared.items()
    }
    order, loops = dependency_order(uses)
    for loop in loops:
        shown = " → ".join(f"`{name}`" for name in (*loop, loop[0]))
        env.report.add("name.cycle", f"the definition rests on itself: {shown}", declared[loop[0]].name.span)
    values: dict[str, ir.Expression] = {}
    facts: dict[int, DefinitionFacts] = {}
    env = replace(env, definitions=values, facts=facts, declared=frozenset(declared))
    # What rests on a definition in a loop or too deep has its mistake from there: one finding for all of them.
    refused = {name for loop in loops for name in loop}
    for name in order:
        define = declared[name]
        value = broken(define.span) if name in refused else expression(define.value, env)
        if refused.isdisjoint(uses[name]):
            values[name] = bounded(value, facts_of(value, env), env)
        else:
            values[name] = broken(define.span)
        if is_broken(values[name]) and not is_broken(value):
            refused.add(name)
        facts[id(values[name])] = facts_of(values[name], env)
    return env


def bounded(value: ir.Expression, known: DefinitionFacts, env: Environment) -> ir.Expression:
    """The expression, or a broken one with a finding where it lies too deep through the definitions it uses."""
    limit = env.limits.nesting * LEVELS
    if known.depth <= limit:
        return value
    message = f"the expression is more than {limit} levels deep, its definitions counted in; join fewer of them"
    env.report.add("load.too_deep", message, value.span)
    return broken(value.span)


def facts_of(value: ir.Expression, env: Environment) -> DefinitionFacts:
    """What an expression reads and how deep it lies, its definitions counted in and not looked into again."""
    deepest, quiet = 0, True
    roots: set[str] = set()
    stack = [(value, 1)]
    while stack:
        node, level = stack.pop()
        if isinstance(node, ir.Shared):
            known = env.facts.get(id(node.value))
            if known is not None:
                level += known.depth
                quiet = quiet and known.quiet
                roots |= known.roots
        else:
            stack.extend((child, level + 1) for child in children(node))
            if isinstance(node, ir.Read) and not node.variable:
                roots.add(node.root)
            quiet = quiet and not isinstance(node, ir.Exists)
        deepest = max(deepest, level)
    return DefinitionFacts(depth=deepest, roots=frozenset(roots), quiet=quiet and "claims" not in roots)
