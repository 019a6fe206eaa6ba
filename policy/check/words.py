"""Words and texts whose meaning depends on what stands opposite: enum words, names that a directory or policy lists."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.environment import Environment
from policy.check.kinds import bare_words, type_name, word_value
from policy.check.report import Report, broken, first_here, listed, quoted
from policy.check.reserved import ENUMS, RESERVED
from policy.ir import nodes as ir
from policy.source.text import Span
from policy.syntax import tree
from policy.types.functions import FUNCTIONS
from policy.types.instants import parse_date
from policy.types.kinds import Basic, ListOf, OneOf, Type
from policy.types.names import PARTIES
from policy.types.patterns import scope_is_wellformed

_DIRECTORY_MEMBERS = {"roles": "role", "groups": "group"}


def enum_word(node: tree.Path, expected: Type | None, env: Environment) -> ir.Expression | None:
    """A bare word opposite an enum as its constant; None where it is to be read as a name."""
    word = node.head.name
    if expected is None or node.steps or word in env.variables:
        return None
    if isinstance(expected, OneOf) and word in expected.words and word not in env.declared:
        message = f"`{word}` is a word of this policy, and those are quoted"
        env.report.add("type.bare_word", message, node.span, help=f'write `"{word}"`')
        return broken(node.span)
    words = bare_words(expected)
    if words is None:
        return None
    if word in words:
        return ir.Constant(span=node.span, type=expected, value=word_value(expected, word))
    if word in env.declared or word in env.built_ins:
        return None
    env.report.add(
        "name.unknown_word",
        f"`{word}` is not {type_name(expected)}: use {listed(words)}",
        node.span,
        help=env.report.suggest(word, words),
    )
    return broken(node.span)


def text(node: tree.Text, expected: Type | None, env: Environment) -> ir.Expression:
    """A quoted text, refused where the word must be bare or is none of those that are listed."""
    words = None if expected is None else bare_words(expected)
    if words is not None and expected is not None:
        help = f"write `{node.value}` without quotes" if node.value in words else env.report.suggest(node.value, words)
        message = f"{quoted(node.span.text)} is quoted, and {type_name(expected)} is a bare word"
        if node.value not in words:
            message += f": use {listed(words)}"
        env.report.add("type.quoted_word", message, node.span, help=help)
        return broken(node.span)
    if isinstance(expected, OneOf) and not text_value(node.value, node.span, expected, env):
        return broken(node.span)
    return ir.Constant(span=node.span, type=Basic.STRING, value=node.value)


def text_value(value: str, span: Span, expected: OneOf, env: Environment) -> bool:
    """Whether a text is one of the listed ones; reports it where it is not."""
    if value in expected.words:
        return True
    message = f"{quoted(span.text)} is not one of {listed(expected.words)}"
    env.report.add("type.not_one_of", message, span, help=env.report.suggest(value, expected.words))
    return False


def unknown_name(node: tree.Path, expected: Type | None, env: Environment) -> None:
    """Report the first word of a path that names nothing."""
    word, span = node.head.name, node.head.span
    near = env.report.suggest(word, [*env.variables, *env.declared, *env.built_ins])
    if _is_attribute(word, env):
        near = f"write `context.{word}`"
    home = next((enum for enum in ENUMS if word in (bare_words(enum) or ())), None)
    if node.steps:
        if near is None and expected is Basic.STRING and all(isinstance(step, tree.Member) for step in node.steps):
            near = f'where a word that you invent is meant, write it quoted: `"{node.span.text}"`'
        env.report.add("name.unknown", f"`{word}` names nothing in this policy", span, help=near)
    elif word == "null":
        message = "there is no null to compare with: a null counts as missing"
        env.report.add("type.null", message, span, help="ask `… exists` or `… missing`")
    elif word in FUNCTIONS:
        env.report.add("name.function_alone", f"`{word}` is a function: write `{word}(…)`", span)
    elif isinstance(expected, OneOf):
        help = env.report.suggest(word, expected.words)
        env.report.add("type.bare_word", f"`{word}` names nothing; {_QUOTE.format(word)}", span, help=help)
    elif home is not None:
        message = f"`{word}` is {type_name(home)}, and nothing of that kind stands opposite it"
        code = "type.bare_word" if _wants_text(expected) else "name.unknown"
        env.report.add(code, message, span, help=f'quote it where a text is meant: `"{word}"`')
    elif _wants_text(expected) and (near is None or expected is Basic.STRING) and not _is_attribute(word, env):
        env.report.add("type.bare_word", f"`{word}` names nothing; {_QUOTE.format(word)}", span, help=near)
    else:
        env.report.add("name.unknown", f"`{word}` names nothing in this policy", span, help=near)


_QUOTE = 'words that you invent are quoted: `"{}"`'


def _wants_text(expected: Type | None) -> bool:
    return expected is Basic.STRING or expected is Basic.JSON


def _is_attribute(word: str, env: Environment) -> bool:
    context = env.built_ins["context"].type
    return any(word == name for name, _ in getattr(context, "fields", ()))


def constants(node: ir.Expression) -> Iterator[ir.Constant]:
    """The string constants of an operand: itself, or the items of a list, through definitions."""
    while isinstance(node, ir.Shared):
        node = node.value
    if isinstance(node, ir.ListValue):
        for item in node.items:
            yield from constants(item)
    elif isinstance(node, ir.Constant) and isinstance(node.value, str) and node.type is Basic.STRING:
        yield node


def check_family(opposite: ir.Expression, operand: ir.Expression, env: Environment) -> None:
    """Check the texts of `operand` against what the value opposite them can be: a role, a group, a route, a scope,
    a date."""
    item = opposite.type.item if isinstance(opposite.type, ListOf) else opposite.type
    if isinstance(item, OneOf):
        for constant in constants(operand):
            text_value(
                str(constant.value), operand.span if isinstance(operand, ir.Shared) else constant.span, item, env
            )
    family = _family(opposite, env)
    for constant in constants(operand) if family is not None else ():
        value = str(constant.value)
        match family:
            case "role":
                check_role(value, constant.span, env)
            case "group":
                check_group(value, constant.span, env, may_be_family=False)
            case "route":
                check_route(value, constant.span, env)
            case "scope" if not scope_is_wellformed(value):
                help = f"write `scope matches {value}`" if "*" in value else None
                env.report.add(
                    "type.not_a_scope", f"{quoted(value)} is no scope and equals none", constant.span, help=help
                )
            case "date" if parse_date(value) is None:
                env.report.add("type.not_a_date", f"{quoted(value)} is no date `YYYY-MM-DD`", constant.span)


def _family(node: ir.Expression, env: Environment) -> str | None:
    while isinstance(node, ir.Shared):
        node = node.value
    if isinstance(node, ir.Call):
        return "date" if node.function == "date" else None
    if not isinstance(node, ir.Read):
        return None
    if node.variable:
        variable = env.variables.get(node.root)
        if variable is None:
            return None
        if not node.steps:
            return _family(variable.container, env)
        return _directory_family(node.steps) if getattr(variable.type, "name", None) == "principal" else None
    if node.root in (*PARTIES, "approver"):
        return _directory_family(node.steps)
    if node.root == "delegators":
        return _directory_family(node.steps[1:])
    return node.root if node.root in ("route", "scope") else None


def _directory_family(steps: tuple[str | int | ir.Expression, ...]) -> str | None:
    first = steps[0] if steps and len(steps) <= 2 else None
    return _DIRECTORY_MEMBERS.get(first) if isinstance(first, str) else None


def check_role(name: str, span: Span, env: Environment) -> None:
    """Report a role that the directory does not list."""
    directory = env.directory
    if directory is None or name in directory.roles:
        return
    help = env.report.suggest(name, directory.roles)
    env.report.add("name.unknown_role", f"{quoted(name)} is no role of the directory", span, help=help)


def check_group(name: str, span: Span, env: Environment, *, may_be_family: bool) -> None:
    """Report a group that the directory does not list, or a `*` where it means nothing."""
    star = name.find("*")
    if star >= 0 and (not may_be_family or star != len(name) - 1):
        place = "only at the end of a group" if may_be_family else "only in an approval"
        env.report.add("name.group_star", f"the `*` of {quoted(name)} means nothing here: it stands {place}", span)
        return
    directory = env.directory
    if directory is None:
        return
    known = directory.has_family(name[:-1]) if star >= 0 else directory.has_group(name)
    if not known:
        help = env.report.suggest(name, directory.groups)
        env.report.add("name.unknown_group", f"{quoted(name)} is no group of the directory", span, help=help)


def check_route(name: str, span: Span, env: Environment) -> None:
    """Report a route that neither this layer nor the outermost declares."""
    if name in env.routes:
        return
    help = env.report.suggest(name, env.routes)
    message = f"no `allow` declares the route {quoted(name)}"
    env.report.add("name.unknown_route", message, span, help=help)


def check_new_name(word: tree.Word, what: str, report: Report) -> bool:
    """Whether a word may become the name of a define, a variable or an attribute; reports it where it may not."""
    if word.name not in RESERVED:
        return True
    message = f"`{word.name}` is a word that the language knows; choose another name for this {what}"
    report.add("name.reserved", message, word.span)
    return False


def check_shadow(word: tree.Word, env: Environment) -> None:
    """Report a variable that hides a define or another variable."""
    if word.name in env.variables:
        related = first_here(env.variables[word.name].span)
        env.report.add("name.shadowed", f"the variable `{word.name}` hides another one", word.span, related=related)
    elif word.name in env.declared:
        env.report.add("name.shadowed", f"the variable `{word.name}` hides a `define`", word.span)
