"""Parse tree to surface tree: expressions, paths and patterns."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from policy.source.diagnostic import Related
from policy.source.text import Span
from policy.syntax import literals, tree
from policy.syntax.branch import Branch, Tree
from policy.syntax.report import MalformedError, Report
from policy.syntax.tokens import Token
from policy.syntax.words import OPERATORS

TOO_DEEP = "the nesting is deeper than {limit} levels; give a part a name with `define`"


def expression(report: Report, part: Tree, level: int = 0) -> tree.Expression:
    """The expression. `level` counts the brackets and prefixes around it.

    Raises MalformedError where it is nested too deeply, after reporting that.
    """
    if level > report.limits.nesting:
        report.error("syntax.nesting", TOO_DEEP.format(limit=report.limits.nesting), report.span(part))
        raise MalformedError
    if type(part) is Branch:
        return _BRANCHES[part.rule](report, part, level)
    return _atom(report, as_token(part))


def as_token(part: Tree) -> Token:
    """The part, which the grammar says is a token."""
    if type(part) is not Token:  # pragma: no cover - the grammar has a token there
        raise AssertionError("a token was expected")
    return part


def as_branch(part: Tree) -> Branch:
    """The part, which the grammar says is a rule."""
    if type(part) is not Branch:  # pragma: no cover - the grammar has a rule there
        raise AssertionError("a rule was expected")
    return part


def _atom(report: Report, token: Token) -> tree.Expression:
    match token.type:
        case "STRING":
            return literals.text(report, token)
        case "NUMBER":
            return literals.number(report, token)
        case "QUANTITY":
            return literals.duration(report, token)
        case "TIME":
            return literals.time_of_day(report, token)
        case _:
            return tree.Boolean(span=report.span(token), value=token.type == "TRUE")


def _prefixed(report: Report, part: Tree, level: int) -> tree.Expression:
    """What stands behind a prefix operator: a group there is no second level."""
    inside = type(part) is Branch and part.rule == "group"
    return expression(report, part, level if inside else level + 1)


# --- logic ------------------------------------------------------------------------------------


def _logic(report: Report, branch: Branch, level: int) -> tree.Expression:
    operators = branch.tokens("AND", "OR")
    first = operators[0]
    other = next((token for token in operators if token.type != first.type), None)
    if other is not None:
        report.error(
            "syntax.mixed_operators",
            f"`{other.text}` stands beside `{first.text}`; put one of the two in parentheses",
            report.span(other),
            context=report.span(branch),
            related=(Related(message=f"the `{first.text}`", span=report.span(first)),),
            help="write `a and (b or c)` or `(a and b) or c`",
        )
    for operand in branch.children[:-2:2]:
        _check_body(report, operand)
    operands = tuple(expression(report, operand, level) for operand in branch.children[::2])
    kind = tree.And if first.type == "AND" else tree.Or
    return kind(span=report.span(branch), operands=operands)


def _check_body(report: Report, operand: Tree) -> None:
    """Behind a quantifier without parentheses, `and` or `or` would leave open what it belongs to."""
    while type(operand) is Branch and operand.rule == "negation":
        operand = operand.children[1]
    if type(operand) is Branch and operand.rule == "quantified":
        body = operand.children[-1]
        if type(body) is not Branch or body.rule != "group":
            report.error(
                "syntax.parentheses",
                "the condition behind `satisfies` stands in parentheses where `and` or `or` follows",
                report.span(body),
                context=report.span(operand),
            )


def _negation(report: Report, branch: Branch, level: int) -> tree.Expression:
    return tree.Not(span=report.span(branch), operand=_prefixed(report, branch.children[1], level))


def _quantified(report: Report, branch: Branch, level: int) -> tree.Expression:
    quantifier, variable, _, container, _, body = branch.children
    return tree.Quantified(
        span=report.span(branch),
        quantifier=as_token(quantifier).text,
        variable=word(report, as_token(variable)),
        container=expression(report, container, level),
        body=_prefixed(report, body, level),
    )


def _group(report: Report, branch: Branch, level: int) -> tree.Expression:
    return expression(report, branch.children[1], level + 1)


# --- tests ------------------------------------------------------------------------------------


def _test(report: Report, branch: Branch, level: int) -> tree.Expression:
    subject, tail, *more = branch.children
    if more:
        second = as_branch(more[0])
        first_token = as_token(second.children[0])
        report.error(
            "syntax.chained_comparison",
            f"`{first_token.text}` follows a comparison that is complete; comparisons do not chain",
            report.span(first_token),
            context=report.span(branch),
            help="write `a < b and b < c` for two comparisons",
        )
    left = expression(report, subject, level)
    tail = as_branch(tail)
    span = Span(report.source, branch.start, tail.end)
    last = tail.children[-1]
    match tail.rule:
        case "compare":
            operator = as_token(tail.children[0]).text
            return tree.Compare(span=span, operator=operator, left=left, right=expression(report, last, level))
        case "in":
            return tree.In(span=span, item=left, container=expression(report, last, level), negated=tail.has("NOT"))
        case "in_network":
            return tree.InNetwork(span=span, value=left, network=literals.text(report, as_token(last)))
        case "has":
            any_of = bool(len(tail.children) > 2)
            return tree.Has(span=span, container=left, item=expression(report, last, level), any_of=any_of)
        case "contains" | "starts_with" | "ends_with":
            any_of = any(child.rule == "any_of_words" for child in tail.branches())
            item = expression(report, last, level)
            return tree.TextTest(span=span, operator=tail.rule, text=left, item=item, any_of=any_of)
        case "matches":
            return tree.Matches(span=span, value=left, pattern=pattern(report, last))
        case "inside":
            return tree.Inside(span=span, value=left, root=expression(report, last, level))
        case "within":
            return _within(report, span, left, tail)
        case _:
            return tree.Exists(span=span, value=left, missing=tail.rule == "missing")


def _within(report: Report, span: Span, value: tree.Expression, tail: Branch) -> tree.Expression:
    days = [word(report, day) for part in tail.branches() for day in part.tokens("NAME")]
    start, end = tail.tokens("TIME")
    return tree.Within(
        span=span,
        value=value,
        first_day=days[0] if days else None,
        last_day=days[-1] if len(days) > 1 else None,
        start=literals.time_of_day(report, start),
        end=literals.time_of_day(report, end),
        zone=literals.text(report, as_token(tail.children[-1])),
    )


# --- values -----------------------------------------------------------------------------------


def _sum(report: Report, branch: Branch, level: int) -> tree.Expression:
    """`*` binds before `+` and `-`; from the left."""
    operators = branch.tokens("PLUS", "MINUS", "STAR")
    if level + len(operators) > report.limits.nesting:
        report.error(
            "syntax.nesting",
            f"more than {report.limits.nesting} operations stand in one sum; use `total … over …`, or a `define`",
            report.span(branch),
        )
        raise MalformedError
    terms: list[tree.Expression] = []
    signs: list[str] = []
    starts: list[int] = []
    for at, part in enumerate(branch.children[::2]):
        operand = expression(report, part, level)
        operator = operators[at - 1].text if at else "+"
        if operator == "*":
            span = Span(report.source, starts[-1], part.end)
            terms[-1] = tree.Arithmetic(span=span, operator="*", left=terms[-1], right=operand)
        else:
            terms.append(operand)
            signs.append(operator)
            starts.append(part.start)
    result = terms[0]
    for sign, term in zip(signs[1:], terms[1:], strict=True):
        span = Span(report.source, branch.start, max(term.span.end, result.span.end))
        result = tree.Arithmetic(span=span, operator=sign, left=result, right=term)
    return result


def _negative(report: Report, branch: Branch, level: int) -> tree.Expression:
    minus, operand = branch.children
    if type(operand) is Token and operand.type == "NUMBER":
        return literals.number(report, operand, as_token(minus))
    return tree.Negative(span=report.span(branch), operand=_prefixed(report, operand, level))


def _total(report: Report, branch: Branch, level: int) -> tree.Expression:
    _, value, _, variable, _, container = branch.children
    return tree.Total(
        span=report.span(branch),
        value=_prefixed(report, value, level),
        variable=word(report, as_token(variable)),
        container=_prefixed(report, container, level),
    )


def path(report: Report, branch: Branch, level: int = 0) -> tree.Path:
    """The path: a head and its steps."""
    head, *steps = branch.children
    if as_token(head).text in OPERATORS:
        message = f"`{as_token(head).text}` is an operator, and a value belongs here"
        report.error("syntax.operator", message, report.span(head))
    if len(steps) > report.limits.nesting:
        message = f"the path has more than {report.limits.nesting} steps, and no value is that deep"
        report.error("syntax.nesting", message, report.span(branch))
        raise MalformedError
    return tree.Path(
        span=report.span(branch),
        head=word(report, as_token(head)),
        steps=tuple(_step(report, as_branch(step), level) for step in steps),
    )


def _step(report: Report, step: Branch, level: int) -> tree.Member | tree.Index:
    if step.rule == "member":
        return tree.Member(span=report.span(step), name=as_token(step.children[1]).text)
    return tree.Index(span=report.span(step), key=expression(report, step.children[1], level + 1))


def _lookup(report: Report, branch: Branch, level: int) -> tree.Expression:
    value = expression(report, branch.children[0], level)
    for depth, part in enumerate(branch.children[1:], start=level + 1):
        step = as_branch(part)
        if step.rule == "member":
            report.error(
                "syntax.member",
                f"`{report.span(step).text}` stands behind something that has no members; only a path has them",
                report.span(step),
                context=report.span(branch),
            )
            continue
        if isinstance(value, tree.Path):
            # `(input.lines)[0]` is the path `input.lines[0]`.
            index = tree.Index(span=report.span(step), key=expression(report, step.children[1], depth))
            value = tree.Path(span=value.span, head=value.head, steps=(*value.steps, index))
            continue
        span = Span(report.source, branch.start, step.end)
        value = tree.Lookup(span=span, value=value, key=expression(report, step.children[1], depth))
    return value


def _list(report: Report, branch: Branch, level: int) -> tree.Expression:
    items = tuple(expression(report, item, level + 1) for item in branch.children[1:-1:2])
    return tree.ListLiteral(span=report.span(branch), items=items)


def _map(report: Report, branch: Branch, level: int) -> tree.Expression:
    entries: list[tree.MapEntry] = []
    first: dict[str, tree.Text] = {}
    for entry in branch.branches():
        key = literals.text(report, as_token(entry.children[0]))
        if key.value in first:
            report.error(
                "syntax.repeated_key",
                f"the key `{key.span.text}` stands twice in this map",
                key.span,
                related=(Related(message="first here", span=first[key.value].span),),
            )
        first.setdefault(key.value, key)
        value = expression(report, entry.children[2], level + 1)
        entries.append(tree.MapEntry(span=report.span(entry), key=key, value=value))
    return tree.MapLiteral(span=report.span(branch), entries=tuple(entries))


def _call(report: Report, branch: Branch, level: int) -> tree.Expression:
    function, _, *arguments, _ = branch.children
    return tree.Call(
        span=report.span(branch),
        function=word(report, as_token(function)),
        arguments=tuple(expression(report, argument, level + 1) for argument in arguments[::2]),
    )


_BRANCHES: Mapping[str, Callable[[Report, Branch, int], tree.Expression]] = MappingProxyType(
    {
        "expression": _logic,
        "negation": _negation,
        "quantified": _quantified,
        "test": _test,
        "group": _group,
        "sum": _sum,
        "negative": _negative,
        "total": _total,
        "path": path,
        "lookup": _lookup,
        "list": _list,
        "map": _map,
        "call": _call,
    }
)


# --- words, texts, patterns -------------------------------------------------------------------


def word(report: Report, token: Token) -> tree.Word:
    """The bare word."""
    return tree.Word(span=report.span(token), name=token.text)


def texts(report: Report, branch: Branch) -> tuple[tree.Text, ...]:
    """The strings directly below a branch."""
    return tuple(literals.text(report, token) for token in branch.tokens("STRING"))


def pattern(report: Report, part: Tree) -> tree.AnyPattern:
    """A scope pattern, `scopes "…"` or `capability "…"`."""
    if type(part) is Token:
        return literals.pattern(report, part)
    branch = as_branch(part)
    name = literals.text(report, as_token(branch.children[1]))
    if branch.rule == "scopes_reference":
        return tree.ScopesReference(span=report.span(branch), name=name)
    return tree.CapabilityPattern(span=report.span(branch), glob=name)


def patterns(report: Report, branch: Branch) -> tuple[tree.AnyPattern, ...]:
    """The patterns of a list with commas."""
    return tuple(pattern(report, part) for part in branch.children[::2])
