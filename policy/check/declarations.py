"""What a layer declares: its statements by kind, one namespace for all of its files."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from policy.check.environment import Directory
from policy.check.kinds import type_name
from policy.check.load import ParsedFile
from policy.check.report import UNKNOWN, Report, first_here, listed, quoted
from policy.check.words import check_new_name
from policy.source.records import dataclass
from policy.source.text import Span
from policy.syntax import tree
from policy.types.kinds import Basic, Field, ListOf, MapOf, OneOf, Record, Type

AnyRule = tree.Deny | tree.Require | tree.Raise | tree.Risk | tree.Separation | tree.Obligation

_DEEPEST = 64
"""Types that one type may stand in."""

_TYPES: Mapping[str, Type] = {
    basic.value: basic
    for basic in (
        Basic.STRING,
        Basic.NUMBER,
        Basic.BOOLEAN,
        Basic.TIMESTAMP,
        Basic.DURATION,
        Basic.IP,
        Basic.RISK,
        Basic.SENSITIVITY,
    )
}


@dataclass(slots=True, kw_only=True)
class Declarations:
    """The statements of one layer, in the order of the text."""

    header: tree.PolicyHeader | None = None
    scopes: list[tree.ScopesBlock] = field(default_factory=list)
    defines: list[tree.Define] = field(default_factory=list)
    contexts: list[tree.ContextBlock] = field(default_factory=list)
    directories: list[tree.DirectoryBlock] = field(default_factory=list)
    routes: list[tree.Route] = field(default_factory=list)
    rules: list[AnyRule] = field(default_factory=list)
    approvals: dict[str, tree.Approval] = field(default_factory=dict)
    risks: dict[str, tree.Risk] = field(default_factory=dict)
    attributes: dict[str, Field] = field(default_factory=dict)
    attribute_spans: dict[str, Span] = field(default_factory=dict)
    directory: Directory | None = None
    roles: dict[str, Span] = field(default_factory=dict)
    groups: dict[str, Span] = field(default_factory=dict)
    directory_spans: dict[str, Span] = field(default_factory=dict)
    declared_routes: dict[str, Span] = field(default_factory=dict)
    statements: int = 0
    """Statements that are no imports."""
    last: Span | None = None
    """The last statement."""


def declarations(files: Sequence[ParsedFile], report: Report) -> Declarations:
    """Everything the files of a layer declare; second declarations of one name are reported."""
    found = Declarations()
    rule_ids: dict[str, Span] = {}
    for file in files:
        for statement in file.tree.statements:
            if not isinstance(statement, tree.Import):
                found.statements += 1
                found.last = statement.span
            _sort(statement, file, found, rule_ids, report)
    found.attributes, found.attribute_spans = _context(found.contexts, report)
    _directory(found, report)
    found.declared_routes = _declared_routes(found.routes)
    return found


def _sort(
    statement: tree.Statement, file: ParsedFile, found: Declarations, rule_ids: dict[str, Span], report: Report
) -> None:
    match statement:
        case tree.PolicyHeader():
            _header(statement, file, found, report)
        case tree.ScopesBlock():
            _nonblank(statement.name, "name of a `scopes` set", report)
            found.scopes.append(statement)
        case tree.Define():
            found.defines.append(statement)
        case tree.ContextBlock():
            found.contexts.append(statement)
        case tree.DirectoryBlock():
            found.directories.append(statement)
        case tree.Route():
            found.routes.append(statement)
        case tree.Approval():
            _nonblank(statement.id, "id", report)
            _approval(statement, found, report)
        case tree.Import():
            return
        case _:
            _nonblank(statement.id, "id", report)
            _rule(statement, found, rule_ids, report)


def _nonblank(text: tree.Text, what: str, report: Report) -> None:
    if not text.value.strip():
        report.add("name.blank", f"the {what} is blank", text.span)


def _header(statement: tree.PolicyHeader, file: ParsedFile, found: Declarations, report: Report) -> None:
    _nonblank(statement.name, "name of the policy", report)
    span = statement.name.span
    if file.imported:
        report.add(
            "load.header_in_import", "a `policy` header stands in the file that imports, not in an imported one", span
        )
    elif found.header is not None:
        related = first_here(found.header.name.span)
        report.add(
            "load.second_header", "a layer has one `policy` header, and this is a second one", span, related=related
        )
    else:
        found.header = statement


_CONTRACT = "contract"
"""The id under which decisions show the contract's own approval."""
_BUILT_IN_OBLIGATIONS = ("audit.sensitive", "execution.rate_limit", "execution.timeout")


def _approval(statement: tree.Approval, found: Declarations, report: Report) -> None:
    name = statement.id.value
    if name == _CONTRACT:
        message = f"{quoted(name)} names the contract's own approval; choose another id"
        report.add("name.reserved", message, statement.id.span)
    first = found.approvals.setdefault(name, statement)
    if first is not statement:
        related = first_here(first.id.span)
        report.add(
            "name.duplicate", f"the approval {quoted(name)} is declared twice", statement.id.span, related=related
        )


def _rule(statement: AnyRule, found: Declarations, rule_ids: dict[str, Span], report: Report) -> None:
    name = statement.id.value
    first = rule_ids.setdefault(name, statement.id.span)
    if first is not statement.id.span:
        message = f"two rules have the id {quoted(name)}; ids are unique over all rules of a layer"
        report.add("name.duplicate_id", message, statement.id.span, related=first_here(first))
    if isinstance(statement, tree.Obligation) and name in _BUILT_IN_OBLIGATIONS:
        report.add("name.reserved", f"{quoted(name)} is the id of a built-in obligation", statement.id.span)
    if isinstance(statement, tree.Risk):
        found.risks.setdefault(name, statement)
    found.rules.append(statement)


def _declared_routes(routes: Sequence[tree.Route]) -> dict[str, Span]:
    """The routes with an `allow` under their name."""
    declared: dict[str, Span] = {}
    for route in routes:
        if any(clause.effect == "allow" for clause in route.clauses):
            for name in route.names:
                declared.setdefault(name.value, name.span)
    return declared


def _context(blocks: Sequence[tree.ContextBlock], report: Report) -> tuple[dict[str, Field], dict[str, Span]]:
    fields = [field for block in blocks for field in block.fields]
    for declared in fields:
        check_new_name(declared.name, "context attribute", report)
    return _fields(fields, report)


def _directory(found: Declarations, report: Report) -> None:
    blocks = found.directories
    found.roles = _listed([role for block in blocks for role in block.roles], "role", report)
    found.groups = _listed([group for block in blocks for group in block.groups], "group", report)
    for name, span in found.roles.items():
        if "*" in name:
            report.add("name.group_star", f"the `*` of {quoted(name)} means nothing: a role has none", span)
    for name, span in found.groups.items():
        if "*" in name[:-1]:
            message = f"the `*` of {quoted(name)} means nothing here: it stands only at the end of a group"
            report.add("name.group_star", message, span)
    attributes, found.directory_spans = _fields([field for block in blocks for field in block.attributes], report)
    if blocks:
        found.directory = Directory(roles=frozenset(found.roles), groups=frozenset(found.groups), attributes=attributes)


def _listed(names: Sequence[tree.Text], what: str, report: Report) -> dict[str, Span]:
    found: dict[str, Span] = {}
    for name in names:
        _nonblank(name, what, report)
        if name.value in found:
            related = first_here(found[name.value])
            report.add("name.duplicate", f"the {what} {quoted(name.value)} is listed twice", name.span, related=related)
        found.setdefault(name.value, name.span)
    return found


def _fields(
    fields: Iterable[tree.FieldDeclaration], report: Report, level: int = 0
) -> tuple[dict[str, Field], dict[str, Span]]:
    found: dict[str, Field] = {}
    spans: dict[str, Span] = {}
    for declared in fields:
        name = declared.name.name
        if name in found:
            related = first_here(spans[name])
            report.add("name.duplicate", f"`{name}` is declared twice", declared.name.span, related=related)
            continue
        if declared.optional and declared.nullable:
            message = f"`{name}` is either `or null` (stated, may be null) or `optional` (may be absent)"
            report.add("type.optional_or_null", message, declared.span)
        type_ = _type(declared.type, report, level)
        found[name] = Field(type_, optional=declared.optional, nullable=declared.nullable)
        spans[name] = declared.name.span
    return found, spans


def _type(written: tree.TypeExpression, report: Report, level: int) -> Type:
    if level > _DEEPEST:
        report.add("load.too_deep", f"a type is nested in more than {_DEEPEST} others", written.span)
        return UNKNOWN
    match written:
        case tree.NamedType(name=name):
            return _named(name, written.span, report)
        case tree.OneOfType():
            return OneOf(tuple(_listed(written.words, "word", report)))
        case tree.ListType():
            return ListOf(_type(written.item, report, level + 1))
        case tree.MapType():
            return MapOf(_type(written.item, report, level + 1))
        case tree.RecordType():
            fields, _ = _fields(written.fields, report, level + 1)
            return Record("record", tuple(fields.items()))


def _named(name: str, span: Span, report: Report) -> Type:
    if name in _TYPES:
        return _TYPES[name]
    help = report.suggest(name, _TYPES)
    message = f"`{name}` is no type: use {listed(_TYPES)}, `one of`, `list of`, `map of` or a record"
    report.add("name.unknown_type", message, span, help=help)
    return UNKNOWN


def field_name(declared: Field) -> str:
    """A declared type with its presence, as messages name it."""
    suffix = " optional" if declared.optional else " or null" if declared.nullable else ""
    return f"{type_name(declared.type)}{suffix}"
