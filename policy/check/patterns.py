"""Patterns and `scopes` sets: every reference to a set becomes its patterns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from policy.check.environment import PatternSet
from policy.check.report import Report, first_here, quoted
from policy.ir import nodes as ir
from policy.syntax import tree
from policy.types.patterns import parse_scope_pattern

_LARGEST = 4_096
"""Patterns of one list after sets are expanded."""

Sets = Mapping[str, PatternSet]


def pattern_tuple(
    written: Sequence[tree.AnyPattern], sets: Sets, report: Report
) -> tuple[ir.ActionPattern, ...] | None:
    """The patterns of a list, each once, sets expanded; None where one has a mistake."""
    found: dict[str, ir.ActionPattern] = {}
    here: dict[str, ir.ActionPattern] = {}
    whole = True
    for pattern in written:
        if isinstance(pattern, tree.ScopesReference):
            members = _members(pattern, sets, report)
        else:
            single = _single(pattern, report)
            members = None if single is None else (single,)
            if single is not None and here.setdefault(single.text, single) is not single:
                related = first_here(here[single.text].span, "first written here")
                report.add("name.repeated", f"the pattern `{single.text}` stands twice", single.span, related=related)
        if members is None:
            whole = False
            continue
        for member in members:
            found.setdefault(member.text, member)
    if len(found) > _LARGEST:
        message = f"the list means more than {_LARGEST:,} patterns; use `*` and `**`"
        report.add("load.too_many_patterns", message, written[0].span)
        return None
    return tuple(found.values()) if whole else None


def _members(reference: tree.ScopesReference, sets: Sets, report: Report) -> tuple[ir.ActionPattern, ...] | None:
    name = reference.name.value
    if name in sets:
        return sets[name].patterns
    help = report.suggest(name, sets)
    report.add("name.unknown_scopes", f"there is no `scopes` set {quoted(name)}", reference.name.span, help=help)
    return None


def _single(pattern: tree.Pattern | tree.CapabilityPattern, report: Report) -> ir.ActionPattern | None:
    if isinstance(pattern, tree.Pattern):
        segments = parse_scope_pattern(pattern.text)
        # The parser has said what is wrong with a malformed pattern.
        return None if segments is None else ir.ScopePattern(span=pattern.span, segments=segments)
    glob = pattern.glob.value
    if _glob_is_possible(glob):
        return ir.CapabilityGlob(span=pattern.span, glob=glob)
    message = f"no capability id is like {quoted(pattern.glob.span.text)}"
    help = "an id is visible ASCII without spaces, and no segment between two dots is empty"
    report.add("name.capability_glob", message, pattern.glob.span, help=help)
    return None


def _glob_is_possible(glob: str) -> bool:
    rest = glob.partition(" ")[2] if " " in glob else glob
    visible = all("!" <= character <= "~" for character in rest)
    return bool(rest) and visible and ".." not in glob and not glob.startswith(".") and not glob.endswith(".")


def pattern_sets(blocks: Iterable[tree.ScopesBlock], report: Report) -> dict[str, PatternSet]:
    """Every `scopes` set by name; cycles are errors, and a set with a mistake has no patterns."""
    declared: dict[str, tree.ScopesBlock] = {}
    for block in blocks:
        first = declared.setdefault(block.name.value, block)
        if first is not block:
            related = first_here(first.name.span)
            message = f"the `scopes` set {quoted(block.name.value)} is declared twice"
            report.add("name.duplicate", message, block.name.span, related=related)
    order, cyclic = dependency_order(
        {name: [reference.name.value for reference in _references(block)] for name, block in declared.items()}
    )
    for cycle in cyclic:
        block = declared[cycle[0]]
        loop = " → ".join(f"`{name}`" for name in (*cycle, cycle[0]))
        report.add("name.cycle", f"the set holds itself: {loop}", block.name.span)
    broken_names = {name for cycle in cyclic for name in cycle}
    sets = {name: PatternSet(patterns=None, span=declared[name].name.span) for name in declared}
    for name in order:
        block = declared[name]
        if name in broken_names:
            continue
        sets[name] = PatternSet(patterns=pattern_tuple(block.members, sets, report), span=block.name.span)
    return sets


def _references(block: tree.ScopesBlock) -> list[tree.ScopesReference]:
    return [member for member in block.members if isinstance(member, tree.ScopesReference)]


def dependency_order(uses: Mapping[str, Sequence[str]]) -> tuple[list[str], list[list[str]]]:
    """The names, each behind those it uses, and loops among them, no name in two of the loops.

    Names that are used and not declared are passed over. No recursion: chains may be long.
    """
    state: dict[str, bool] = {}
    order: list[str] = []
    loops: list[list[str]] = []
    looped: set[str] = set()
    for start in uses:
        trail: dict[str, None] = {}
        stack: list[tuple[str, bool]] = [(start, False)]
        while stack:
            name, done = stack.pop()
            if done:
                state[name] = True
                trail.popitem()
                order.append(name)
            elif name not in state:
                state[name] = False
                trail[name] = None
                stack.append((name, True))
                for used in reversed(uses[name]):
                    if used in trail and used not in looped:
                        names = list(trail)
                        loops.append(names[names.index(used) :])
                        looped.update(loops[-1])
                    elif used in uses and used not in state:
                        stack.append((used, False))
    return order, loops
