"""Conditions that are always true or always false, or that hold where nothing was stated."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.lint.finding import finding
from policy.check.lint.material import Material
from policy.check.lint.views import Condition, View
from policy.check.lint.walk import Path, Signed, atoms, paths, unshared
from policy.ir import nodes as ir
from policy.ir.patterns import covers, matches_action, overlaps
from policy.source.diagnostic import Diagnostic
from policy.types.kinds import Basic

_GUARDS = frozenset({"count", "length"})


def lint_conditions(material: Material) -> Iterator[Diagnostic]:
    """Every finding about the truth of a condition."""
    for view in material.views:
        for condition in view.conditions:
            yield from _constant(material, view, condition)
            if view.kind == "allow" and condition.granting:
                yield from _vacuous(material, view, condition)
            yield from _spelling(material, view, condition)
        yield from _exists_only(material, view)


def _constant(material: Material, view: View, condition: Condition) -> Iterator[Diagnostic]:
    def fold(expression: ir.Expression) -> bool | None:
        return _known(view, expression)

    for part, value in material.contradictions.constant_parts(condition.expression, fold):
        whole = "this condition" if part is condition.expression else "this part of the condition"
        if value:
            help = "drop it, or write the test that was meant"
            yield finding("lint.always_true", f"{whole} is never false", part.span, help=help)
        else:
            help = "no value passes all of its tests; write the test that was meant"
            yield finding("lint.always_false", f"{whole} is never true", part.span, help=help)


def _known(view: View, expression: ir.Expression) -> bool | None:
    """What the patterns and routes of the rule say of a test on `scope` or `route`."""
    match expression:
        case ir.Matches() if _is_root(expression.value, "scope") and view.patterns is not None:
            if all(any(covers(wider, own) for wider in expression.patterns) for own in view.patterns):
                return True
            if not any(overlaps(other, own) for other in expression.patterns for own in view.patterns):
                return False
        case ir.Compare() if expression.operator in {"==", "!="}:
            for read, constant in ((expression.left, expression.right), (expression.right, expression.left)):
                value = constant.value if isinstance(constant, ir.Constant) else None
                if isinstance(value, str) and _gives_lower_case(read) and _has_upper_case(value):
                    return expression.operator == "!="
                if isinstance(value, str):
                    return _named(view, read, value, equal=expression.operator == "==")
        case ir.In() if _gives_lower_case(expression.item) and _all_have_upper_case(expression.container):
            return expression.negated
        case ir.TextTest() if _gives_lower_case(expression.text) and _all_have_upper_case(expression.item):
            return False
    return None


def _all_have_upper_case(expression: ir.Expression) -> bool:
    """Whether a text, or every text of a list, has a letter that no lower-case text holds."""
    written = unshared(expression)
    items = written.items if isinstance(written, ir.ListValue) else (written,)
    texts = [item.value for item in map(unshared, items) if isinstance(item, ir.Constant)]
    return bool(texts) and len(texts) == len(items) and all(isinstance(t, str) and _has_upper_case(t) for t in texts)


def _gives_lower_case(expression: ir.Expression) -> bool:
    called = unshared(expression)
    return isinstance(called, ir.Call) and called.function in {"lower", "host", "mail_domain"}


def _has_upper_case(text: str) -> bool:
    return any("A" <= character <= "Z" for character in text)


def _named(view: View, read: ir.Expression, value: str, *, equal: bool) -> bool | None:
    if _is_root(read, "route") and view.routes is not None:
        if value not in view.routes:
            return not equal
        return equal if view.routes == (value,) else None
    if _is_root(read, "scope") and view.patterns is not None:
        scoped = [own for own in view.patterns if isinstance(own, ir.ScopePattern)]
        if len(scoped) == len(view.patterns) and not any(matches_action(own, value, "") for own in scoped):
            return not equal
    return None


def _is_root(expression: ir.Expression, root: str) -> bool:
    expression = unshared(expression)
    return (
        isinstance(expression, ir.Read)
        and not expression.variable
        and not expression.steps
        and (expression.root == root)
    )


def _vacuous(material: Material, view: View, condition: Condition) -> Iterator[Diagnostic]:
    """`no` and `not any` hold of an empty list, so they allow where nothing was stated."""
    if not any(material.nodes(condition.expression, ir.Quantified)):
        return
    counted = {
        path
        for other in view.conditions
        for node in material.nodes(other.expression, ir.Call)
        if node.function in _GUARDS
        for _, path in paths(node).values()
    }
    places = material.places(condition.expression)
    for atom in atoms(condition.expression, positive=condition.label != "unless"):
        node = atom.expression
        if not isinstance(node, ir.Quantified) or node.quantifier == "every":
            continue
        if (node.quantifier == "no") != atom.positive:
            continue
        path = _path(places, node.container)
        if path in counted or (path is not None and _never_empty(material, view, path)):
            continue
        shown = path_text(node.container)
        written = "no" if node.quantifier == "no" else "not any"
        yield finding(
            "lint.vacuous",
            f"`{written}` also holds when {shown} is empty, so this allows where nothing was listed",
            node.span,
            help="add `count(…) > 0`, or write `every … satisfies (not (…))`, which an empty list does not meet",
        )


def _never_empty(material: Material, view: View, path: Path) -> bool:
    if material.capabilities is None or path.root != "input":
        return False
    found = material.capabilities.find(view.patterns, path)
    return bool(found.declared) and not found.open and found.never_less("minItems")


def _spelling(material: Material, view: View, condition: Condition) -> Iterator[Diagnostic]:
    """A refusal by how a text begins: the same can be spelt in other ways."""
    refusing = view.kind in {"allow", "deny", "clause deny"} and any(material.nodes(condition.expression, ir.TextTest))
    sign = condition.label == "unless"
    for atom in atoms(condition.expression) if refusing else ():
        node = atom.expression
        if not isinstance(node, ir.TextTest) or atom.positive != _refuses_when(view, sign):
            continue
        for _, path in _texts(node.text):
            if path.root != "input" or not _free_text(material, view, path):
                continue
            yield finding(
                "lint.refused_by_spelling",
                f"{path_text(node.text)} is free text: refusing some spellings cannot be complete, since the same can "
                "be written with other spaces, case, quotes or paths",
                node.span,
                help="allow what is known to be safe instead, such as `in [...]`, `host(…)` or `… inside …`",
            )


def _refuses_when(view: View, unless: bool) -> bool:
    """The truth of a test for which the action is refused."""
    return (view.kind != "allow") != unless


def _texts(expression: ir.Expression) -> Iterator[tuple[ir.Read, Path]]:
    """The path that a text test looks at, as it is or in lower case."""
    expression = unshared(expression)
    while isinstance(expression, ir.Call) and expression.function == "lower":
        expression = unshared(expression.arguments[0])
    if isinstance(expression, ir.Read):
        yield from paths(expression).values()


def _free_text(material: Material, view: View, path: Path) -> bool:
    """Whether nothing says that only a few texts can stand there."""
    if material.capabilities is None:
        return True
    found = material.capabilities.find(view.patterns, path)
    return bool(found.open) or None in found.listings


def _exists_only(material: Material, view: View) -> Iterator[Diagnostic]:
    """A presence test that lets an action pass, where an empty string passes as well."""
    presence = {
        id(unshared(node.value))
        for condition in view.conditions
        for node in material.nodes(condition.expression, ir.Exists)
    }
    if not presence:
        return
    every = [(condition, material.places(condition.expression)) for condition in view.conditions]
    tested = {path for _, found in every for key, (_, path) in found.items() if key not in presence}
    for condition, found in every:
        for atom in atoms(condition.expression, positive=condition.label != "unless"):
            node = atom.expression
            if not isinstance(node, ir.Exists) or not _lets_pass(view, node.missing != atom.positive):
                continue
            path = _path(found, node.value)
            read = unshared(node.value)
            if path is None or path in tested or not isinstance(read, ir.Read):
                continue
            if _is_string(material, view, read, path):
                yield finding(
                    "lint.exists_only",
                    f"{path_text(read)} exists even when it is an empty string, and nothing else is asked of it",
                    node.span,
                    help="ask for its content too, such as `length(…) > 0` or `in [...]`",
                )


def _lets_pass(view: View, present: bool) -> bool:
    """Whether the rule is satisfied, or switched off, where the value is there (signs already joined with `unless`)."""
    if view.kind in {"allow", "approval"}:
        return present
    return not present


def _is_string(material: Material, view: View, read: ir.Read, path: Path) -> bool:
    if path.root != "input":
        return read.type is Basic.STRING and path.root != "claims"
    if material.capabilities is None:
        return False
    found = material.capabilities.find(view.patterns, path)
    return (
        bool(found.declared)
        and found.all_types <= {"string", "null"}
        and None in found.listings
        and not found.never_less("minLength")
    )


def _path(found: dict[int, tuple[ir.Read, Path]], expression: ir.Expression) -> Path | None:
    known = found.get(id(unshared(expression)))
    return None if known is None else known[1]


def path_text(expression: ir.Expression) -> str:
    """How a message shows what an expression reads."""
    expression = unshared(expression)
    if isinstance(expression, ir.Call) and len(expression.arguments) == 1:
        return path_text(expression.arguments[0])
    return f"`{expression.text}`" if isinstance(expression, ir.Read) else "this value"


def sign_of(condition: Condition) -> Signed:
    """A condition as what must be true for its rule to apply."""
    return Signed(condition.expression, condition.label != "unless")
