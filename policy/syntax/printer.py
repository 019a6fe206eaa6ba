"""Surface tree to text: the canonical layout of a policy, its comments kept in place.

Reading what is printed gives an equal tree, and printing it again gives the same text.
"""

from __future__ import annotations

import re
from typing import assert_never

from policy.source.limits import DEFAULT_LIMITS
from policy.syntax import print_expressions, print_needs, tree
from policy.syntax.layout import Layout, Note
from policy.syntax.print_expressions import Printer, expression
from policy.syntax.print_literals import pattern, quoted
from policy.syntax.print_rules import condition, patterns, rule, texts
from policy.syntax.tokens import Trivia, tokenize

_EMPTY_LINE = re.compile(r"[ \t]*(?:#[^\n]*)?\r?\n[ \t\r]*\n")
"""An empty line behind a statement, perhaps with a comment at its end."""
_WORD = {
    tree.Deny: "deny",
    tree.Require: "require",
    tree.Raise: "raise",
    tree.Risk: "risk",
    tree.Separation: "separation",
    tree.Obligation: "obligation",
}


def print_file(file: tree.File) -> str:
    """The whole file in canonical layout, ending with a line end. The tree is one that was read without an error."""
    to = Printer(Layout())
    if file.comments:
        to.tokens = list(tokenize(file.source.text, DEFAULT_LIMITS, Trivia()))
        to.starts = [token.start for token in to.tokens]
    previous: tree.Statement | None = None
    for node in file.statements:
        if previous is not None:
            if _apart(file, previous, node):
                to.layout.blank()
            else:
                to.layout.hard()
        _statement(to, node)
        previous = node
    text = to.layout.render([_note(file, comment) for comment in file.comments])
    return f"{text}\n" if text else ""


def print_expression(node: tree.Expression) -> str:
    """An expression on one line."""
    to = Printer(Layout())
    expression(to, node)
    return to.layout.render(width=None)


def print_need(node: tree.Need) -> str:
    """What an approval needs, on one line."""
    to = Printer(Layout())
    print_needs.need(to, node)
    return to.layout.render(width=None)


def print_path(node: tree.Path) -> str:
    """A path."""
    to = Printer(Layout())
    print_expressions.path(to, node)
    return to.layout.render(width=None)


def print_pattern(node: tree.AnyPattern) -> str:
    """A pattern."""
    return pattern(node)


# --- comments and empty lines -----------------------------------------------------------------


def _note(file: tree.File, comment: tree.Comment) -> Note:
    text = file.source.text
    return Note(
        text=comment.text,
        at=comment.span.start,
        own_line=comment.own_line,
        blank_before=re.search(r"\n[ \t\r]*\n[ \t\r]*\Z", text[max(0, comment.span.start - 400) : comment.span.start])
        is not None,
        blank_after=re.match(r"[ \t\r]*\n[ \t\r]*\n", text[comment.span.end : comment.span.end + 400]) is not None,
    )


def _apart(file: tree.File, previous: tree.Statement, node: tree.Statement) -> bool:
    """Whether an empty line parts two statements: always, but between short ones of a kind only where one was."""
    if type(previous) is type(node) and isinstance(node, tree.Define | tree.Import | tree.ScopesBlock):
        return _EMPTY_LINE.match(file.source.text, previous.span.end) is not None
    return True


# --- statements -------------------------------------------------------------------------------


def _statement(to: Printer, node: tree.Statement) -> None:
    out = to.layout
    match node:
        case tree.Import():
            out.text(f"import {quoted(node.path.value)}", node.span.start)
        case tree.Define():
            out.text(f"define {node.name.name} = ", node.span.start)
            out.indent()
            expression(to, node.value)
            out.dedent()
        case tree.ScopesBlock():
            _scopes(to, node)
        case tree.PolicyHeader():
            _opening(to, f"policy {quoted(node.name.value)}", node)
            _header(to, node)
            _closing(to, node)
        case tree.ContextBlock():
            _opening(to, "context", node)
            for field in node.fields:
                out.hard()
                _field(to, field)
            _closing(to, node)
        case tree.DirectoryBlock():
            _opening(to, "directory", node)
            _directory(to, node)
            _closing(to, node)
        case tree.Route():
            _route(to, node)
        case tree.Approval():
            _opening(to, f"approval {quoted(node.id.value)}", node)
            print_needs.approval(to, node)
            _closing(to, node)
        case tree.Deny() | tree.Require() | tree.Raise() | tree.Risk() | tree.Separation() | tree.Obligation():
            _rule(to, node)
        case _:
            assert_never(node)


def _opening(to: Printer, words: str, node: tree.Statement) -> None:
    to.layout.text(words, node.span.start)
    to.layout.glue(" {")
    to.layout.indent()


def _closing(to: Printer, node: tree.Statement) -> None:
    to.layout.dedent()
    to.layout.hard()
    to.layout.text("}", node.span.end - 1)


def _rule(
    to: Printer, node: tree.Deny | tree.Require | tree.Raise | tree.Risk | tree.Separation | tree.Obligation
) -> None:
    words = f"{_WORD[type(node)]} {quoted(node.id.value)}"
    if isinstance(node, tree.Risk) and node.overrides:
        texts(to, f"{words} overrides", node.overrides, node.span.start)
        to.layout.glue(" {")
        to.layout.indent()
    else:
        _opening(to, words, node)
    rule(to, node)
    _closing(to, node)


def _header(to: Printer, node: tree.PolicyHeader) -> None:
    for word, text in (("version", node.version), ("owner", node.owner), ("describe", node.describe)):
        if text is not None:
            to.layout.hard()
            to.layout.text(f"{word} {quoted(text.value)}", to.before(text))
    for default in node.defaults:
        to.layout.hard()
        words = f"default approval {quoted(default.approval.value)}"
        if default.patterns:
            patterns(to, f"{words} for", default.patterns, default.span.start)
        else:
            to.layout.text(words, default.span.start)


def _scopes(to: Printer, node: tree.ScopesBlock) -> None:
    out = to.layout
    out.open()
    out.text(f"scopes {quoted(node.name.value)}", node.span.start)
    out.glue(" {")
    out.indent()
    for position, member in enumerate(node.members):
        if position:
            out.glue(",")
        out.line()
        out.text(pattern(member), member.span.start)
    out.dedent()
    out.line()
    out.text("}", node.span.end - 1)
    out.close()


def _directory(to: Printer, node: tree.DirectoryBlock) -> None:
    out = to.layout
    for word, items in (("roles", node.roles), ("groups", node.groups)):
        if items:
            out.hard()
            texts(to, word, items, to.before(items[0]))
    if node.attributes:
        out.hard()
        out.text("attributes ", to.before(node.attributes[0], 2))
        _fields(to, node.attributes)


def _route(to: Printer, node: tree.Route) -> None:
    out = to.layout
    if node.names:
        texts(to, "route", node.names, node.span.start)
        out.glue(" {")
        out.indent()
    else:
        _opening(to, "every route", node)
    if node.describe is not None:
        out.hard()
        out.text(f"describe {quoted(node.describe.value)}", to.before(node.describe))
    for clause in node.clauses:
        out.hard()
        _route_clause(to, clause)
    _closing(to, node)


def _route_clause(to: Printer, clause: tree.RouteClause) -> None:
    out = to.layout
    out.open()
    patterns(to, clause.effect, clause.patterns, clause.span.start)
    out.indent()
    for word, part in (("when", clause.when), ("unless", clause.unless)):
        if part is not None:
            out.line()
            condition(to, word, part)
    if clause.because is not None:
        out.line()
        out.text(f"because {quoted(clause.because.value)}", to.before(clause.because))
    out.dedent()
    out.close()


# --- fields and types -------------------------------------------------------------------------


def _field(to: Printer, node: tree.FieldDeclaration) -> None:
    to.layout.text(f"{node.name.name}: ", node.span.start)
    _type(to, node.type)
    marks = (" or null" if node.nullable else "") + (" optional" if node.optional else "")
    if marks:
        to.layout.text(marks, node.span.end - 1)


def _fields(to: Printer, fields: tuple[tree.FieldDeclaration, ...]) -> None:
    out = to.layout
    out.open()
    out.glue("{")
    out.indent()
    for field in fields:
        out.line()
        _field(to, field)
    out.dedent()
    out.line()
    out.text("}", to.behind(fields[-1]))
    out.close()


def _type(to: Printer, node: tree.TypeExpression) -> None:
    out = to.layout
    match node:
        case tree.NamedType():
            out.text(node.name, node.span.start)
        case tree.OneOfType():
            texts(to, "one of", node.words, node.span.start)
        case tree.ListType():
            out.text("list of ", node.span.start)
            _type(to, node.item)
        case tree.MapType():
            out.text("map of ", node.span.start)
            _type(to, node.item)
        case tree.RecordType():
            _fields(to, node.fields)
        case _:
            assert_never(node)
