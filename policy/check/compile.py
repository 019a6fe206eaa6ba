"""From the texts of the layers to one typed, resolved policy, with every mistake reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from policy.check.approvals import approval
from policy.check.catalog import AuthorityFacts, Catalog
from policy.check.declarations import Declarations, declarations
from policy.check.definitions import elaborate_definitions, unique_definitions
from policy.check.environment import Directory, Environment
from policy.check.findings import certain, ordered
from policy.check.layer import LayerNames, NeedsDefault
from policy.check.layers import check_any_route, check_defaults, check_layers, distinct_names
from policy.check.lint import apply_accepts, lint
from policy.check.load import LayerSource, ParsedFile
from policy.check.patterns import pattern_sets, pattern_tuple
from policy.check.report import Report, quoted
from policy.check.rules import check_overrides, clauses, deny, obligation, raise_, require, risk, value_of
from policy.check.separations import separation
from policy.ir import nodes as ir
from policy.ir.dump import policy_hash
from policy.source.collector import paused_collector
from policy.source.diagnostic import Diagnostic, has_errors
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass
from policy.source.text import Span
from policy.syntax import tree
from policy.syntax.parser import parse
from policy.types.kinds import Field, Record
from policy.types.names import OPEN_ATTRIBUTES, built_in_names


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A policy and what was found about it; with an error there is no policy, not in part."""

    policy: ir.PolicySet | None
    diagnostics: tuple[Diagnostic, ...]
    accepted: tuple[Diagnostic, ...] = ()
    """The findings of the catalog that comments of the policy accept."""


@paused_collector()
def compile_layers(
    layers: Sequence[LayerSource],
    limits: Limits = DEFAULT_LIMITS,
    catalog: Catalog | None = None,
    authorities: Sequence[AuthorityFacts] | None = None,
    *,
    linted: bool = True,
) -> Compiled:
    """Compile the layers of a policy, outermost first.

    `catalog` and `authorities` only bring more findings, never another policy. Not `linted`, the policy is not looked
    through for what is valid but questionable. Raises ValueError without a layer.
    """
    if not layers:
        raise ValueError("a policy has at least one layer")
    names = distinct_names([layer.name for layer in layers])
    files = [_parsed(layer, limits) for layer in layers]
    read = [item for layer in layers for item in layer.diagnostics]
    read += [item for group in files for file in group for item in file.diagnostics]
    report = Report()
    found = [declarations(group, report) for group in files]
    _check_imports(layers, files, report)
    _check_size(found, limits, report)
    check_layers(found, report)
    needs: list[NeedsDefault] = []
    programs = tuple(
        _program(names[position], layer, _environment(found, position, limits, report), needs)
        for position, layer in enumerate(found)
    )
    check_defaults(programs, needs, report)
    trees = [file.tree for group in files for file in group]
    diagnostics = [*read, *certain(report.diagnostics, read, trees), *_whole(layers, found, read)]
    if has_errors(diagnostics):
        # Lint has not run, so a comment that accepts one of its warnings is not known to be unused.
        heard = apply_accepts(trees, ordered(diagnostics, trees), catalog=catalog)
        kept = [item for item in heard.remaining if item.code != "accept.unused"]
        return Compiled(policy=None, diagnostics=ordered(kept, trees), accepted=heard.beside)
    policy = ir.PolicySet(layers=programs, hash=policy_hash(programs))
    if not linted:
        return Compiled(policy=policy, diagnostics=ordered(diagnostics, trees))
    for group, program in zip(files, programs, strict=True):
        diagnostics += lint(program, [file.tree for file in group], catalog, authorities, policy)
    given = {name for name, value in (("catalog", catalog), ("authorities", authorities)) if value is not None}
    heard = apply_accepts(trees, ordered(diagnostics, trees), catalog=catalog, given=frozenset(given))
    return Compiled(
        policy=None if has_errors(heard.remaining) else policy,
        diagnostics=ordered(heard.remaining, trees),
        accepted=heard.beside,
    )


def _parsed(layer: LayerSource, limits: Limits) -> tuple[ParsedFile, ...]:
    if layer.parsed:
        return layer.parsed
    return tuple(
        ParsedFile(tree=file, diagnostics=diagnostics)
        for file, diagnostics in (parse(source, limits) for source in layer.files)
    )


def _whole(
    layers: Sequence[LayerSource], found: Sequence[Declarations], read: Sequence[Diagnostic]
) -> list[Diagnostic]:
    """What the policy as a whole lacks; said only where everything could be read."""
    no_route = None if has_errors(read) else check_any_route(found, layers)
    return [] if no_route is None else [no_route]


def _check_imports(layers: Sequence[LayerSource], files: Sequence[tuple[ParsedFile, ...]], report: Report) -> None:
    for layer, group in zip(layers, files, strict=True):
        if layer.root is not None:
            continue
        for file in group:
            for statement in file.tree.statements:
                if isinstance(statement, tree.Import):
                    message = "a text that comes from no file imports nothing; load the policy from its folder"
                    report.add("load.import_in_source", message, statement.span)


def _check_size(found: Sequence[Declarations], limits: Limits, report: Report) -> None:
    total = sum(layer.statements for layer in found)
    last = next((layer.last for layer in reversed(found) if layer.last is not None), None)
    if total > limits.statements and last is not None:
        message = f"the policy has more than {limits.statements:,} statements"
        report.add("load.too_many_statements", message, last)


def _program(name: str, layer: Declarations, env: Environment, needs: list[NeedsDefault]) -> ir.Program:
    names = LayerNames(env=env, approvals=layer.approvals, risks=layer.risks, needs_default=needs)
    check_overrides(layer.risks, env)
    header = layer.header
    rules = layer.rules
    return ir.Program(
        layer=name,
        name=None if header is None else header.name.value,
        version=None if header is None else value_of(header.version),
        owner=None if header is None else value_of(header.owner),
        defaults=_defaults(header, names),
        context=tuple(layer.attributes.items()),
        roles=None if layer.directory is None else tuple(layer.roles),
        groups=None if layer.directory is None else tuple(layer.groups),
        attributes=None if layer.directory is None else tuple(layer.directory.attributes.items()),
        routes=tuple(layer.declared_routes),
        clauses=tuple(clause for route in layer.routes for clause in clauses(route, env)),
        denies=tuple(deny(rule, env) for rule in rules if isinstance(rule, tree.Deny)),
        requires=tuple(require(rule, names) for rule in rules if isinstance(rule, tree.Require)),
        raises=tuple(raise_(rule, env) for rule in rules if isinstance(rule, tree.Raise)),
        risks=tuple(risk(rule, names) for rule in rules if isinstance(rule, tree.Risk)),
        approvals=tuple(approval(statement, env) for statement in layer.approvals.values()),
        separations=tuple(separation(rule, env) for rule in rules if isinstance(rule, tree.Separation)),
        obligations=tuple(obligation(rule, env) for rule in rules if isinstance(rule, tree.Obligation)),
    )


def _environment(found: Sequence[Declarations], position: int, limits: Limits, report: Report) -> Environment:
    layer = found[position]
    directory = layer.directory or _outer_directory(found[:position])
    attributes = OPEN_ATTRIBUTES
    if directory is not None:
        attributes = Record("directory attributes", tuple(directory.attributes.items()))
    outer: dict[str, Span] = {}
    for other in found[:position]:
        outer.update(other.attribute_spans)
    env = Environment(
        report=report,
        limits=limits,
        built_ins=built_in_names(attributes, Record("context", tuple(layer.attributes.items()))),
        outer_attributes=outer,
        directory=directory,
        routes={**found[0].declared_routes, **layer.declared_routes},
        sets=pattern_sets(layer.scopes, report),
        definitions={},
        facts={},
        declared=frozenset(),
    )
    declared = unique_definitions(layer.defines, env)
    return elaborate_definitions(declared, replace(env, declared=frozenset(declared)))


def _outer_directory(outer: Sequence[Declarations]) -> Directory | None:
    """What the outer layers list, for a layer that lists nothing itself."""
    listed = [layer.directory for layer in outer if layer.directory is not None]
    if not listed:
        return None
    attributes: dict[str, Field] = {}
    for directory in listed:
        attributes.update(directory.attributes)
    return Directory(
        roles=frozenset().union(*(directory.roles for directory in listed)),
        groups=frozenset().union(*(directory.groups for directory in listed)),
        attributes=attributes,
    )


def _defaults(header: tree.PolicyHeader | None, names: LayerNames) -> tuple[ir.DefaultApproval, ...]:
    found: list[ir.DefaultApproval] = []
    general: Span | None = None
    env = names.env
    for written in header.defaults if header is not None else ():
        approval_id = names.approval(written.approval)
        patterns = pattern_tuple(written.patterns, env.sets, env.report) or () if written.patterns else None
        if patterns is None and general is not None:
            message = f"two default approvals hold for everything, and {quoted(approval_id)} is the second"
            env.report.add("name.duplicate", message, written.approval.span)
        elif patterns is None:
            general = written.span
        found.append(ir.DefaultApproval(span=written.span, approval=approval_id, patterns=patterns))
    return tuple(found)
