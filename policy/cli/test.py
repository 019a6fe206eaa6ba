"""`policy test`: the fixtures of policies, what they cover, and which changes of the policy they notice."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy.cli.inputs import existing
from policy.cli.outcome import FAILURE, OK, UsageError
from policy.cli.progress import progress
from policy.cli.streams import output_style, report, write

if TYPE_CHECKING:
    from policy.fixtures.session import Gathered, Told


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="fixture files, or folders that hold some; default: .")
    parser.add_argument("-k", metavar="TEXT", dest="text", help="only cases whose name or file name has this text")
    parser.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML too")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the results are written")
    parser.add_argument("--jobs", metavar="N", type=int, help="processes; default: one a core")


def run(arguments: Namespace) -> int:
    """Run the cases; 1 where one fails, a file has an error or a threshold is missed."""
    from policy.fixtures.parallel import cores
    from policy.fixtures.session import gather

    paths = [Path(path) for path in existing(arguments.paths or ["."])]
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("`--jobs` is 1 or more")
    jobs = arguments.jobs or cores()
    gathered = gather(paths, arguments.text)
    if not gathered.files:
        raise UsageError("there is no `*.fixtures.yaml` file", help="name one, or a folder that holds some")
    if not gathered.count and not gathered.diagnostics:
        raise UsageError(f"no case has `{arguments.text}` in its name")
    results = _decided(gathered, jobs)
    failed = bool(gathered.diagnostics) or any(not told.result.passed for told in results)
    if arguments.junit is not None:
        _junit(arguments.junit, gathered, results)
    report(gathered.diagnostics)
    if arguments.format == "json":
        _write_json(gathered, results)
    else:
        _write_text(gathered, results)
    return FAILURE if failed else OK


def _decided(gathered: Gathered, jobs: int) -> list[Told]:
    from policy.fixtures.session import decide_all

    with progress("cases", gathered.count) as advance:
        results: list[Told] = []
        for told in decide_all(gathered, jobs, output_style()):
            results.append(told)
            advance()
    return results


def _junit(name: str, gathered: Gathered, results: list[Told]) -> None:
    from policy.fixtures.junit import junit_xml

    save(name, junit_xml(results, gathered.diagnostics))


def save(name: str, text: str) -> None:
    """Write a report to a file. Raises UsageError where that is not possible."""
    try:
        Path(name).write_text(text, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"`{name}` cannot be written: {(error.strerror or 'unknown').lower()}") from None


def _write_json(gathered: Gathered, results: list[Told]) -> None:
    from policy.fixtures.report import results_json

    document: dict[str, Any] = results_json(results, gathered.diagnostics, gathered.deselected)
    write(json.dumps(document, ensure_ascii=False) + "\n")


def _write_text(gathered: Gathered, results: list[Told]) -> None:
    from policy.fixtures.report import render_failure, render_summary

    style = output_style()
    for told in results:
        if not told.result.passed:
            write(render_failure(told, style) + "\n")
    write(render_summary(results, len(gathered.diagnostics), gathered.deselected, style))
