"""Diagnostics: what names, declarations, imports and layers can get wrong."""

from __future__ import annotations

from policy.source.codes.entry import Code, error

_ROUTE = 'route "desk" { allow order.read }'
_DIRECTORY = 'directory { roles "duty.officer" groups "treasury" attributes { department: string } }'


def _desk(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code whose examples stand beside a route."""
    return error(code, summary, f"{_ROUTE}\n{failing}", f"{_ROUTE}\n{fixed}")


def _when(code: str, summary: str, failing: str, fixed: str) -> Code:
    """A code whose examples are conditions of a `deny`."""
    return _desk(code, summary, f'deny "d" {{ when {failing} }}', f'deny "d" {{ when {fixed} }}')


_NAMES: tuple[Code, ...] = (
    _when("name.unknown", "a word names nothing", "inptu.amount > 5", "input.amount > 5"),
    _when("name.unknown_member", "a value has no member of that name", "subject.rolez has 1", 'subject.roles has "a"'),
    _desk(
        "name.unknown_attribute",
        "an attribute is not declared in `context`, or not listed in the `directory`",
        'context { environment: string }\ndeny "d" { when context.enviroment == "production" }',
        'context { environment: string }\ndeny "d" { when context.environment == "production" }',
    ),
    _when(
        "name.unknown_word",
        "a bare word is none of the words that may stand there",
        "operator.kind == agnet",
        "operator.kind == agent",
    ),
    _when("name.unknown_function", "there is no function of that name", "cuont(input.a) > 1", "count(input.a) > 1"),
    _when("name.function_alone", "a function stands without its arguments", "count > 1", "count(input.a) > 1"),
    _desk(
        "name.unknown_role",
        "the `directory` lists no such role",
        f'{_DIRECTORY}\ndeny "d" {{ unless subject.roles has "duty.oficer" }}',
        f'{_DIRECTORY}\ndeny "d" {{ unless subject.roles has "duty.officer" }}',
    ),
    _desk(
        "name.unknown_group",
        "the `directory` lists no such group",
        f'{_DIRECTORY}\ndeny "d" {{ unless subject.groups has "tresury" }}',
        f'{_DIRECTORY}\ndeny "d" {{ unless subject.groups has "treasury" }}',
    ),
    _desk(
        "name.group_star",
        "a `*` stands in a role, within a group, or in the group of a condition, where it means nothing",
        'deny "d" { unless subject.groups has "team-*" }',
        'deny "d" { unless subject.groups has "team-a" }',
    ),
    _desk(
        "name.unknown_route",
        "no `allow` declares a route of that name",
        'deny "d" { on route "dekst" when readonly }',
        'deny "d" { on route "desk" when readonly }',
    ),
    _desk(
        "name.unknown_scopes",
        "there is no `scopes` set of that name",
        'scopes "money" { payment.** }\ndeny "d" { for scopes "mony" }',
        'scopes "money" { payment.** }\ndeny "d" { for scopes "money" }',
    ),
    _desk(
        "name.unknown_approval",
        "the layer declares no such approval",
        'require "r" { for order.** approval "tow-people" }\napproval "two-people" { need 2 approvals from role "a" }',
        'require "r" { for order.** approval "two-people" }\napproval "two-people" { need 2 approvals from role "a" }',
    ),
    _desk(
        "name.unknown_rule",
        "`overrides` names no `risk` of the layer",
        'risk "a" { unattended up to low }\nrisk "b" overrides "aa" { for order.** unattended up to medium }',
        'risk "a" { unattended up to low }\nrisk "b" overrides "a" { for order.** unattended up to medium }',
    ),
    _desk("name.unknown_type", "there is no type of that name", "context { a: strng }", "context { a: string }"),
    _desk(
        "name.capability_glob",
        "no capability id can be like this",
        'deny "d" { for capability "a b c" }',
        'deny "d" { for capability "a:b:*" }',
    ),
    _when("name.context_alone", "`context` is read by attribute", "context exists", "input.a exists"),
    _desk(
        "name.approver_outside_where",
        "`approver` is known only in the `where` of an approval",
        'deny "d" { when approver.id == "ines" }',
        'approval "a" { need role "b" where approver.id != "ines" }\nrequire "r" { for order.** approval "a" }',
    ),
    _desk(
        "name.reserved",
        "a define, a variable, a context attribute or an id is named by a word that the language knows",
        "define high = input.amount > 5",
        "define large = input.amount > 5",
    ),
    _desk(
        "name.shadowed",
        "a variable hides a define or another variable",
        'define line = 5\ndeny "d" { when any line in input.lines satisfies (line.amount > 5) }',
        'define most = 5\ndeny "d" { when any line in input.lines satisfies (line.amount > most) }',
    ),
    _desk(
        "name.duplicate",
        "one name is declared twice",
        "define large = input.a > 5\ndefine large = input.b > 5",
        "define large = input.a > 5\ndefine wide = input.b > 5",
    ),
    _desk(
        "name.duplicate_id",
        "two rules of a layer have one id",
        'deny "d" { when readonly }\nrequire "d" { for order.** approval "a" }\napproval "a" { need role "b" }',
        'deny "d" { when readonly }\nrequire "r" { for order.** approval "a" }\napproval "a" { need role "b" }',
    ),
    _desk(
        "name.repeated",
        "one thing is listed twice",
        'deny "d" { for order.read, order.read }',
        'deny "d" { for order.read, order.search }',
    ),
    _desk("name.blank", "a name is blank", 'deny "" { when readonly }', 'deny "d" { when readonly }'),
    _desk(
        "name.cycle",
        "definitions, `scopes` sets or overrides lead back to where they began",
        "define a1 = not b1\ndefine b1 = not a1",
        "define a1 = not b1\ndefine b1 = readonly",
    ),
)

_LOAD: tuple[Code, ...] = (
    error("load.not_found", "a path does not exist", 'import "sharde.policy"', 'import "shared.policy"'),
    error("load.unreadable", "a file cannot be read, or is none", 'import "a-folder.policy"', 'import "a.policy"'),
    error(
        "load.no_policy",
        "a folder holds no `.policy` file, or a file has another ending",
        "# policy check rules.txt",
        "# policy check rules.policy",
    ),
    error(
        "load.too_large",
        "a file has more bytes than are read",
        "# one file of 2 MiB",
        "# two files of 1 MiB, one importing",
    ),
    error(
        "load.outside_root",
        "a file lies out of the folder of the policy, its links followed",
        'import "../other/shared.policy"',
        'import "shared.policy"',
    ),
    error("load.import_path", "an import is no relative path", 'import "/etc/a.policy"', 'import "a.policy"'),
    error("load.import_cycle", "files import each other in a loop", 'import "myself.policy"', 'import "other.policy"'),
    error(
        "load.import_in_source",
        "a text that comes from no file imports something",
        f'import "shared.policy"\n{_ROUTE}',
        _ROUTE,
    ),
    _desk(
        "load.second_header",
        "a layer has two `policy` headers",
        'policy "a" { version "1" }\npolicy "b" { version "2" }',
        'policy "a" { version "1" }',
    ),
    error(
        "load.header_in_import",
        "an imported file has a `policy` header",
        '# the imported file\npolicy "a" { version "1" }',
        f"# the imported file\n{_ROUTE}",
    ),
    error(
        "load.too_many_statements", "the policy has too many statements", "# 100,001 statements", "# 100,000 statements"
    ),
    error("load.too_many_patterns", "a list of patterns means too many", "# 4,097 patterns", "# a.**, b.**"),
    error(
        "load.too_deep",
        "an expression is nested too deeply, its definitions counted in",
        "# 200 definitions, each joining the one before",
        "# 20 definitions, each joining the one before",
    ),
)

_LAYERS: tuple[Code, ...] = (
    error(
        "layer.no_route", "no layer declares a route, so nothing would be allowed", 'deny "d" { when readonly }', _ROUTE
    ),
    error(
        "layer.route",
        "an inner layer declares a route that the outermost lacks",
        '# the inner layer\nroute "dekst" { allow order.read }',
        f"# the inner layer\n{_ROUTE}",
    ),
    error(
        "layer.attribute_type",
        "two layers declare an attribute with different types",
        "# the outer layer: context { amount: number }\ncontext { amount: string }",
        "# the outer layer: context { amount: number }\ncontext { amount: number }",
    ),
)

CODES: tuple[Code, ...] = (*_NAMES, *_LOAD, *_LAYERS)
