"""`policy test`: the fixtures of policies, what they cover, and which changes of the policy they notice."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy.cli.inputs import existing
from policy.cli.outcome import FAILURE, OK, UsageError
from policy.cli.progress import progress
from policy.cli.streams import output_style, report, say, write

if TYPE_CHECKING:
    from policy.fixtures.coverage import Coverage
    from policy.fixtures.mutation import Mutation
    from policy.fixtures.session import Gathered, Told


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paths", metavar="PATH", nargs="*", help="fixture files, or folders that hold some; default: .")
    parser.add_argument("-k", metavar="TEXT", dest="text", help="only cases whose name or file name has this text")
    parser.add_argument("--junit", metavar="FILE", help="write the results as JUnit XML too")
    parser.add_argument("--coverage", action="store_true", help="tell what of the policies the cases show")
    parser.add_argument("--html", metavar="FILE", help="write the coverage as a page of the policies' text too")
    parser.add_argument("--mutate", action="store_true", help="tell which changes of the policies no case notices")
    parser.add_argument("--suggest", action="store_true", help="write cases that are lacking, to be reviewed")
    parser.add_argument(
        "--fail-under",
        metavar="PERCENT",
        type=float,
        help="the least coverage, and with --mutate the least share of changes that are noticed",
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="how the results are written")
    parser.add_argument("--jobs", metavar="N", type=int, help="processes; default: one a core")


def run(arguments: Namespace) -> int:
    """Run the cases; 1 where one fails, a file has an error or a threshold is missed."""
    from policy.fixtures.parallel import cores
    from policy.fixtures.session import gather

    _check(arguments)
    jobs = arguments.jobs or cores()
    paths = [Path(path) for path in existing(arguments.paths or ["."])]
    _only_fixtures(paths)
    gathered = gather(paths, arguments.text)
    if not gathered.files:
        raise UsageError("there is no `*.fixtures.yaml` file", help="name one, or a folder that holds some")
    if not gathered.count and not gathered.diagnostics:
        raise UsageError(f"no case has `{arguments.text}` in its name")
    results = _decided(gathered, jobs)
    report(gathered.diagnostics)
    if arguments.junit is not None:
        _junit(arguments.junit, gathered, results)
    failed = bool(gathered.diagnostics) or any(not told.result.passed for told in results)
    measured = Measured(gathered, arguments.fail_under)
    if not failed:
        measured.measure(arguments, jobs)
    if arguments.format == "json":
        _write_json(gathered, results, measured)
    else:
        _write_text(gathered, results, measured)
        if failed and (arguments.coverage or arguments.mutate or arguments.suggest):
            say("nothing is measured before every case passes")
    return FAILURE if failed or measured.short else OK


def _only_fixtures(paths: Sequence[Path]) -> None:
    """Raises UsageError for a policy in place of the fixtures that test it."""
    for path in paths:
        if path.suffix != ".policy" or not path.is_file():
            continue
        beside = sorted(each.name for each in path.parent.glob("*.fixtures.yaml"))
        shown = ", ".join(f"`{name}`" for name in beside[:5]) + (f" and {len(beside) - 5} more" if beside[5:] else "")
        message = f"`{path}` is a policy; `policy test` wants the `*.fixtures.yaml` files that test it"
        raise UsageError(
            message, help=f"beside it: {shown}" if beside else "`policy init DIR` writes some to start from"
        )


def _check(arguments: Namespace) -> None:
    """Raises UsageError for options that do not go together."""
    if arguments.jobs is not None and arguments.jobs < 1:
        raise UsageError("`--jobs` is 1 or more")
    if arguments.html is not None and not arguments.coverage:
        raise UsageError("`--html` needs `--coverage`")
    if arguments.fail_under is not None:
        if not (arguments.coverage or arguments.mutate):
            raise UsageError("`--fail-under` needs `--coverage` or `--mutate`")
        if not 0 <= arguments.fail_under <= 100:
            raise UsageError("`--fail-under` is a percentage, 0 to 100")


@dataclass(slots=True)
class Measured:
    """What was measured beside the results, where it was asked for."""

    gathered: Gathered
    least: float | None
    coverage: Coverage | None = None
    mutation: Mutation | None = None
    suggested: dict[str, list[str]] | None = None
    """Fixture file to the cases that it lacks."""

    def measure(self, arguments: Namespace, jobs: int) -> None:
        """Measure what the arguments ask for, and write the page."""
        cases = self.gathered.cases
        if arguments.coverage:
            from policy.fixtures.coverage import measure

            with progress("coverage", len(cases)) as advance:
                self.coverage = measure(cases, jobs, advance)
            if arguments.html is not None:
                from policy.fixtures.coverage_page import coverage_page

                save(arguments.html, coverage_page(self.coverage))
        if arguments.suggest:
            self.suggested = _suggested(self.gathered)
        if arguments.mutate:
            from policy.fixtures.mutation import Mutation, mutants_of, try_mutants

            mutants = mutants_of(cases, jobs)
            with progress("mutants", len(mutants)) as advance:
                self.mutation = Mutation(tuple(try_mutants(mutants, jobs, advance)))

    @property
    def short(self) -> bool:
        """Whether a threshold was missed."""
        given = (self.coverage, self.mutation)
        return self.least is not None and any(part is not None and not part.reaches(self.least) for part in given)


def _suggested(gathered: Gathered) -> dict[str, list[str]]:
    from policy.fixtures.suggested import suggestions

    files = {str(case.path): [each for each in gathered.cases if each.path == case.path] for case in gathered.cases}
    return {name: list(suggestions(cases)) for name, cases in files.items()}


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


def _write_json(gathered: Gathered, results: list[Told], measured: Measured) -> None:
    from policy.fixtures.report import results_json

    document: dict[str, Any] = results_json(results, gathered.diagnostics, gathered.deselected)
    if measured.coverage is not None:
        from policy.fixtures.coverage_report import coverage_json

        document["coverage"] = coverage_json(measured.coverage)
    if measured.mutation is not None:
        from policy.fixtures.mutation_report import mutation_json

        document["mutation"] = mutation_json(measured.mutation)
    if measured.suggested is not None:
        document["suggestions"] = measured.suggested
    write(json.dumps(document, ensure_ascii=False) + "\n")


def _write_text(gathered: Gathered, results: list[Told], measured: Measured) -> None:
    from policy.fixtures.report import render_failure, render_summary

    style = output_style()
    for told in results:
        if not told.result.passed:
            write(render_failure(told, style) + "\n")
    if measured.coverage is not None:
        from policy.fixtures.coverage_report import render_coverage

        write(render_coverage(measured.coverage, style) + "\n")
    if measured.mutation is not None:
        from policy.fixtures.mutation_report import render_mutation

        write(render_mutation(measured.mutation, style) + "\n")
    for name, cases in (measured.suggested or {}).items():
        if cases:
            write(f"# {name}: add below `cases`\n{''.join(cases)}\n")
    write(render_summary(results, len(gathered.diagnostics), gathered.deselected, style))
    if measured.short:
        write(f"{style.paint('error', 'below')} the threshold of {measured.least:g} %\n")
