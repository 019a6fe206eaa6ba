"""What rules read of the input, held against the schemas of the capabilities that they concern."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.lint import schema
from policy.check.lint.capabilities import CatalogIndex, Found
from policy.check.lint.finding import finding, listed
from policy.check.lint.material import Material
from policy.check.lint.views import View
from policy.check.lint.walk import Path, Special, unshared
from policy.ir import nodes as ir
from policy.source.diagnostic import Diagnostic
from policy.source.text import Span
from policy.types.values import Duration, Timestamp

_TEXT_FUNCTIONS = frozenset({"timestamp", "ip", "duration", "lower", "length", "host", "mail_domain"})

_COMPARING = (ir.Compare, ir.In, ir.Has, ir.TextTest, ir.Quantified, ir.Total, ir.Call, ir.Inside)
"""Nodes that expect something of the values they look at."""


def lint_inputs(material: Material) -> Iterator[Diagnostic]:
    """Every finding about a path into `input` that needs the catalog's schemas."""
    capabilities = material.capabilities
    if capabilities is None:
        return
    seen: set[tuple[str, int, str]] = set()
    for view in material.views:
        for item in _view(material, capabilities, view):
            key = (item.location, item.span.end if item.span is not None else 0, item.code)
            if key not in seen:
                seen.add(key)
                yield item


def concerned(material: Material, view: View) -> tuple[ir.ActionPattern, ...] | None:
    """The patterns of the actions that a view concerns; of an approval, those of the rules that ask for it."""
    node = view.node
    if isinstance(node, ir.Separation) and isinstance(node.form, ir.DifferentPeople) and view.patterns is None:
        return tuple(pattern for step in node.form.steps for pattern in step.patterns)
    if not isinstance(node, ir.Approval):
        return view.patterns
    users = material.uses.get(node.id, ())
    if node.id in material.by_default or any(user.patterns is None for user in users):
        return None
    return tuple(pattern for user in users for pattern in user.patterns or ())


def _view(material: Material, capabilities: CatalogIndex, view: View) -> Iterator[Diagnostic]:
    patterns = concerned(material, view)
    if not capabilities.concerned(patterns):
        return
    found = {key: (read, path) for key, (read, path) in material.paths(view).items() if path.root == "input"}
    tested = _presence(material, view)
    labels = {key: condition.label for condition in view.conditions for key in material.places(condition.expression)}
    for key, (read, path) in found.items():
        places = capabilities.find(patterns, path)
        if not places.declared:
            yield from _unknown(places, read.text, read.span)
        elif not _within(path, tested):
            yield from _optional(view, places, read, labels.get(key))
    for expression in (*(condition.expression for condition in view.conditions), *view.values):
        for node in material.nodes(expression, *_COMPARING):
            yield from _literals(capabilities, patterns, node, found)
    if isinstance(view.node, ir.Obligation):
        for text in view.node.redact:
            path = redacted(text)
            places = capabilities.find(patterns, path)
            if not places.declared:
                yield from _unknown(places, text, _place(view.node, text))


def _presence(material: Material, view: View) -> set[Path]:
    """Paths that the view asks about by `exists` or `missing`."""
    tested: set[Path] = set()
    for condition in view.conditions:
        places = material.places(condition.expression)
        for node in material.nodes(condition.expression, ir.Exists):
            if id(unshared(node.value)) in places:
                tested.add(places[id(unshared(node.value))][1])
    return tested


def _within(path: Path, tested: set[Path]) -> bool:
    """Whether what is asked about lies on the way to the path, or below it."""
    return any(
        other.steps == path.steps[: len(other.steps)] or path.steps == other.steps[: len(path.steps)]
        for other in tested
        if other.root == path.root
    )


def _unknown(places: Found, text: str, span: Span) -> Iterator[Diagnostic]:
    help = places.suggestion
    if places.open:
        names = [item.id for item in places.open]
        message = f"no schema of the capabilities that this concerns names `{text}`; {listed(names)} would let it in"
        yield finding("lint.undeclared_input", message, span, help=help)
    else:
        names = [item.id for item in places.closed]
        message = f"`{text}` is never there: the schemas of {listed(names)} do not have it"
        yield finding("lint.unknown_input", message, span, help=help)


def _optional(view: View, places: Found, read: ir.Read, label: str | None) -> Iterator[Diagnostic]:
    absent = places.absent
    if not absent:
        return
    help = f"say what absence means: `{read.text} exists and …` or `{read.text} missing or …`"
    if label is None:
        fate = "no vote counts" if view.kind == "approval" else "the action is denied"
        help = "make it required in the schema, or narrow the rule by a test that it `exists`"
    elif view.kind == "allow":
        fate = "this does not grant"
    elif label == "where":
        fate = "no vote counts"
    else:
        fate = f"{view.title} applies"
    yield finding(
        "lint.optional_operand",
        f"`{read.text}` may be absent in the input of {listed(absent)}; where it is, {fate}",
        read.span,
        help=help,
    )


def _literals(
    capabilities: CatalogIndex,
    patterns: tuple[ir.ActionPattern, ...] | None,
    node: ir.Expression,
    found: dict[int, tuple[ir.Read, Path]],
) -> Iterator[Diagnostic]:
    for operand, constants, below, ordered in _pairs(node):
        known = found.get(id(unshared(operand)))
        if known is None:
            continue
        read, path = known
        target = Path(path.root, (*path.steps, Special.ITEM)) if below else path
        places = capabilities.find(patterns, target)
        for constant in constants if places.declared else ():
            problem = _problem(places, constant.value, ordered=ordered)
            if problem is not None:
                yield finding("lint.outside_schema", f"`{read.text}` {problem}", constant.span)
    for operand, expected in _expected(node):
        known = found.get(id(unshared(operand)))
        if known is None:
            continue
        read, path = known
        places = capabilities.find(patterns, path)
        if places.declared and expected not in places.all_types:
            message = f"`{read.text}` is no {expected} in any schema that this concerns"
            yield finding("lint.outside_schema", message, read.span)


def _pairs(node: ir.Expression) -> Iterator[tuple[ir.Expression, list[ir.Constant], bool, bool]]:
    """What is compared with which constants; whether items are meant, whether by order."""
    match node:
        case ir.Compare():
            for one, other in ((node.left, node.right), (node.right, node.left)):
                if isinstance(other, ir.Constant):
                    yield one, [other], False, node.operator not in {"==", "!="}
        case ir.In():
            yield node.item, _constants(node.container), False, False
        case ir.Has():
            yield node.container, _constants(node.item), True, False


def _expected(node: ir.Expression) -> Iterator[tuple[ir.Expression, str]]:
    match node:
        case ir.TextTest():
            yield node.text, "string"
        case ir.Has():
            yield node.container, "array"
        case ir.Quantified() | ir.Total():
            yield node.container, "array"
        case ir.Call() if node.function in _TEXT_FUNCTIONS:
            yield node.arguments[0], "string"
        case ir.Call() if node.function == "count":
            yield node.arguments[0], "array"
        case ir.Inside():
            yield node.value, "string"


def _constants(expression: ir.Expression) -> list[ir.Constant]:
    expression = unshared(expression)
    items = expression.items if isinstance(expression, ir.ListValue) else (expression,)
    return [item for item in items if isinstance(item, ir.Constant) and not isinstance(item.value, list | tuple)]


def _problem(places: Found, value: object, *, ordered: bool) -> str | None:
    """Why no valid input holds the constant, or None where one may."""
    if isinstance(value, Timestamp | Duration) or not isinstance(value, str | int | float | bool):
        return None
    own = schema.type_of(value)
    if own not in places.all_types:
        return f"is {_either(places.all_types)} by every schema that this concerns, never a {own}"
    allowed = places.listed
    if ordered or allowed is None or any(schema.type_of(item) == own and item == value for item in allowed):
        return None
    return f"is never `{value}`: the schema allows only {listed(list(dict.fromkeys(str(item) for item in allowed)))}"


def _either(types: frozenset[str]) -> str:
    return f"a {' or '.join(sorted(types))}" if types else "never there"


def redacted(text: str) -> Path:
    """The path of a `redact` clause, which means every item where it leads through a list."""
    names = text.replace("[", ".").replace("]", "").split(".")
    steps = tuple(int(name) if name.isdecimal() else name.strip('"') for name in names[1:])
    return Path("input", steps, through_lists=True)


def _place(obligation: ir.Obligation, text: str) -> Span:
    """Where a redact path stands in its obligation."""
    at = obligation.span.text.find(text)
    if at < 0:
        return obligation.span
    return Span(obligation.span.source, obligation.span.start + at, obligation.span.start + at + len(text))
