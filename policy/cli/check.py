"""`policy check`: every finding about policies, a catalog, and the rules against its capabilities."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy.cli.inputs import Inputs, existing
from policy.cli.outcome import FAILURE, OK, UsageError
from policy.cli.streams import package_version, report, say, write

if TYPE_CHECKING:
    from policy.contracts.catalog import LoadedCatalog
    from policy.source.diagnostic import Diagnostic


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument(
        "paths",
        metavar="PATH",
        nargs="+",
        help="files or folders of .policy files; several are layers, first the outermost",
    )
    parser.add_argument("--capabilities", metavar="FILE", help="a catalog that the rules are checked against")
    parser.add_argument("--authorities", metavar="FILE", help="authority records that approvals are checked against")
    parser.add_argument("--format", choices=("text", "json", "sarif"), default="text", help="how findings are written")
    parser.add_argument("--strict", action="store_true", help="fail on warnings too")


def run(arguments: Namespace) -> int:
    """Check, write the findings, and give the exit code."""
    paths = existing(arguments.paths)
    inputs = Inputs()
    catalog = None if arguments.capabilities is None else inputs.catalog(arguments.capabilities)
    authorities = None
    if arguments.authorities is not None:
        from policy.cli.authorities import read_authorities

        authorities = read_authorities(inputs.document(arguments.authorities, "authorities"))
    diagnostics = _findings(paths, catalog, authorities)
    _write(diagnostics, catalog, arguments.format)
    failed = any(each.is_error or arguments.strict for each in diagnostics)
    return FAILURE if failed else OK


def _findings(
    paths: Sequence[str], catalog: LoadedCatalog | None, authorities: Sequence[Any] | None
) -> tuple[Diagnostic, ...]:
    from policy.check.compile import compile_layers
    from policy.check.load import read_layer

    layers = [read_layer(Path(path)) for path in paths]
    for path, layer in zip(paths, layers, strict=True):
        for found in layer.diagnostics:
            if found.code == "load.no_policy" and Path(path).is_dir():
                # As for a folder that is not there: nothing would be checked.
                raise UsageError(found.message, help=found.help)
    compiled = compile_layers(layers, catalog=None if catalog is None else catalog.view, authorities=authorities)
    beside = () if catalog is None else catalog.diagnostics
    accepted = frozenset(compiled.accepted)
    return (*(_with_way_out(each) for each in beside if each not in accepted), *compiled.diagnostics)


def _with_way_out(found: Diagnostic) -> Diagnostic:
    """A warning about a capability, with the comment that accepts it where nothing else is advised."""
    if found.is_error or found.help is not None or found.capability is None:
        return found
    comment = f'# accept {found.code} of "{found.capability}": REASON'
    return replace(found, help=f"where the policy makes up for it, accept it there: `{comment}`")


def _write(diagnostics: Sequence[Diagnostic], catalog: LoadedCatalog | None, form: str) -> None:
    if form == "json":
        from policy.render.documents import as_json

        write(json.dumps(as_json(diagnostics), ensure_ascii=False) + "\n")
    elif form == "sarif":
        from policy.render.documents import as_sarif

        write(json.dumps(as_sarif(diagnostics, package_version()), ensure_ascii=False) + "\n")
    else:
        from policy.render.diagnostics import summary

        report(diagnostics)
        if catalog is not None:
            count = len(catalog.capabilities)
            say(f"{catalog.name}: taken for {_article(catalog.kind)}, {count} capabilit{'y' if count == 1 else 'ies'}")
        say(summary(diagnostics))


def _article(kind: str) -> str:
    return {
        "capability": "a capability",
        "capabilities": "a list of capabilities",
        "unknown": "no known form of catalog",
    }.get(kind, f"an {kind}")
