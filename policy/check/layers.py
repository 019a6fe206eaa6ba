"""What holds between layers: routes, one type per attribute, default approvals, names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from policy.check.declarations import Declarations, field_name
from policy.check.layer import NeedsDefault
from policy.check.load import LayerSource
from policy.check.report import Report, quoted
from policy.ir import nodes as ir
from policy.ir.patterns import covers
from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.text import Source, Span
from policy.types.kinds import Field


def distinct_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names of layers, those that come again with the lowest number that makes them different."""
    taken: set[str] = set()
    result: list[str] = []
    for name in names:
        candidate, number = name, 2
        while candidate in taken or (candidate != name and candidate in names):
            candidate, number = f"{name}-{number}", number + 1
        taken.add(candidate)
        result.append(candidate)
    return tuple(result)


def check_layers(layers: Sequence[Declarations], report: Report) -> None:
    """Report what an inner layer says that an outer one does not allow it to say."""
    for position, layer in enumerate(layers):
        if position and layers[0].declared_routes is not layer.declared_routes:
            _inner_routes(layer, layers[0], report)
    _one_type([(layer.attributes, layer.attribute_spans) for layer in layers], "context attribute", report)
    directories = [
        (layer.directory.attributes, layer.directory_spans) for layer in layers if layer.directory is not None
    ]
    _one_type(directories, "directory attribute", report)


def _inner_routes(layer: Declarations, outermost: Declarations, report: Report) -> None:
    for name, span in layer.declared_routes.items():
        if name not in outermost.declared_routes:
            help = report.suggest(name, outermost.declared_routes)
            message = f"the outermost layer declares no route {quoted(name)}, so nothing would be allowed on it"
            report.add("layer.route", message, span, help=help)


def _one_type(layers: Sequence[tuple[Mapping[str, Field], Mapping[str, Span]]], what: str, report: Report) -> None:
    first: dict[str, tuple[Field, Span]] = {}
    for fields, spans in layers:
        for name, declared in fields.items():
            before = first.setdefault(name, (declared, spans[name]))
            if before[0] != declared:
                related = (Related(message=f"declared as {field_name(before[0])} here", span=before[1]),)
                message = f"the {what} `{name}` has another type in an outer layer; an attribute has one type"
                report.add("layer.attribute_type", message, spans[name], related=related)


def check_any_route(layers: Sequence[Declarations], sources: Sequence[LayerSource]) -> Diagnostic | None:
    """What is wrong with a policy that allows nothing anywhere."""
    if any(layer.declared_routes for layer in layers):
        return None
    message = 'the policy has no route, so it allows nothing: write `route "…" { allow … }`'
    files = [file for source in sources for file in source.files]
    place = _start(files[0]) if files else None
    return Diagnostic(code="layer.no_route", severity=Severity.ERROR, message=message, span=place)


def _start(source: Source) -> Span:
    return Span(source, 0, 0)


def check_defaults(programs: Sequence[ir.Program], needs: Sequence[NeedsDefault], report: Report) -> None:
    """Report every `default` for which no layer has a default approval."""
    defaults = [default for program in programs for default in program.defaults]
    if any(default.patterns is None for default in defaults):
        return
    patterns = [pattern for default in defaults for pattern in default.patterns or ()]
    covered: dict[str, bool] = {}
    for need in needs:
        if need.patterns and all(_covered(pattern, patterns, covered) for pattern in need.patterns):
            continue
        message = "there is no default approval for this"
        if patterns:
            message += ": those that there are hold for other patterns only"
        help = 'write `default approval "…"` in the `policy` header, or name the approval here'
        report.add("approval.no_default", message, need.span, help=help)


def _covered(pattern: ir.ActionPattern, wider: Sequence[ir.ActionPattern], known: dict[str, bool]) -> bool:
    if pattern.text not in known:
        known[pattern.text] = any(covers(one, pattern) for one in wider)
    return known[pattern.text]
