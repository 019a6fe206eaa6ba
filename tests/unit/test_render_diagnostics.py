"""How diagnostics look: pinned by golden files, safe for a terminal, and valid as JSON and SARIF."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft4Validator

from policy.render.diagnostics import render_diagnostic, render_diagnostics, summary
from policy.render.documents import as_json, as_sarif
from policy.render.escape import printable, width
from policy.render.style import PLAIN, Style, style_for
from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.text import Source, Span

Golden = Callable[[str, str], None]

_TEXT = """\
policy "acme" { version "1" }

route "desk" {
  allow refund.** when inpt.amount <= 50_000
\tallow order.read
  allow 注文.読む when input.x
}
deny "late" {
  when input.amount > 5 and
    input.weight > 3
  because "a reason"
}
"""
_SOURCE = Source("rules/payments.policy", _TEXT)


def _span(part: str, source: Source = _SOURCE) -> Span:
    start = source.text.index(part)
    return Span(source, start, start + len(part))


def _found(severity: Severity = Severity.ERROR, **members: Any) -> Diagnostic:
    return Diagnostic(**{"code": "example.unknown", "severity": severity, "message": "unknown name `inpt`", **members})


_FINDINGS = (
    _found(
        span=_span("inpt.amount"),
        context=_span(_TEXT[_TEXT.index("route") : _TEXT.index("deny")].rstrip()),
        help="did you mean `input`?",
    ),
    _found(
        Severity.WARNING,
        code="example.warning",
        message="the exception does not hold where the value is missing",
        span=_span("input.amount > 5 and\n    input.weight > 3"),
        context=_span(_TEXT[_TEXT.index("deny") :].rstrip()),
    ),
    _found(
        code="example.twice",
        message="`order.read` stands twice",
        span=_span("order.read"),
        related=(Related(message="first here", span=_span("refund.**")),),
    ),
    _found(code="example.unknown", message="unknown name `input.x`", span=_span("input.x")),
    _found(code="example.end", message="the file ends inside a statement", span=Span(_SOURCE, len(_TEXT), len(_TEXT))),
    _found(
        code="aip.schema_invalid",
        message="the schema does not compile",
        file="capabilities.json",
        pointer="/0/input_schema",
        line=2,
        column=17,
    ),
    _found(code="example.pointer", message="the name is blank", file="capabilities.json", pointer="/0/name"),
    _found(code="example.file", message="cannot be read", file="other.json"),
    _found(code="example.nowhere", message="no file at all"),
    _found(
        code="example.escape", message="\x1b[2Jcleared \u202e and \u200b hidden\nand a second line", file="a\x1bb.json"
    ),
)


def _lines(file: str, line: int) -> str | None:
    return {("capabilities.json", 2): '  {"id": "a", "input_schema": {"type": "nope"}}'}.get((file, line))


def test_diagnostics_as_text(golden: Golden) -> None:
    golden("diagnostics/all.txt", render_diagnostics(_FINDINGS, PLAIN, _lines))


def test_diagnostics_in_colour(golden: Golden) -> None:
    golden("diagnostics/colour.txt", render_diagnostics(_FINDINGS[:3], Style(colour=True), _lines))


def test_diagnostics_as_json(golden: Golden) -> None:
    golden("diagnostics/all.json", json.dumps(as_json(_FINDINGS), indent=2, ensure_ascii=False) + "\n")


def test_diagnostics_as_sarif(golden: Golden) -> None:
    golden("diagnostics/all.sarif", json.dumps(as_sarif(_FINDINGS, "1.2.3"), indent=2, ensure_ascii=False) + "\n")


def _sarif_schema() -> Draft4Validator:
    text = (Path(__file__).parents[1] / "conformance" / "sarif-2.1.0.schema.json").read_text(encoding="utf-8")
    return Draft4Validator(json.loads(text), format_checker=Draft4Validator.FORMAT_CHECKER)


@pytest.mark.parametrize("findings", [(), _FINDINGS[:1], _FINDINGS], ids=["none", "one", "all"])
def test_sarif_keeps_the_oasis_schema(findings: tuple[Diagnostic, ...]) -> None:
    assert [error.message for error in _sarif_schema().iter_errors(as_sarif(findings, "1.2.3"))] == []


def test_the_oasis_schema_refuses_what_is_no_sarif() -> None:
    log = as_sarif(_FINDINGS, "1.2.3")
    log["runs"][0]["results"][0]["level"] = "fatal"
    assert len(list(_sarif_schema().iter_errors(log))) == 1


@given(
    st.text(min_size=1), st.text(min_size=1), st.one_of(st.none(), st.integers(1, 9)), st.one_of(st.none(), st.text())
)
@settings(max_examples=60, deadline=None)
def test_any_finding_is_valid_sarif_and_safe_text(
    message: str, file: str, line: int | None, pointer: str | None
) -> None:
    finding = _found(message=message, file=file, line=line, pointer=pointer, help=message)
    assert list(_sarif_schema().iter_errors(as_sarif([finding], "1"))) == []
    assert all(text.isprintable() or text == "" for text in render_diagnostic(finding).split("\n"))


def test_file_names_become_uri_references() -> None:
    names = ["rules/a b.policy", "c:d.policy", "/srv/ü.policy", "<stdin>", "a#b?c.json"]
    log = as_sarif([_found(file=name, code=f"c{number}") for number, name in enumerate(names)], "1")
    found = {
        r["ruleId"]: r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in log["runs"][0]["results"]
    }
    assert [found[f"c{number}"] for number in range(5)] == [
        "rules/a%20b.policy",
        "c%3Ad.policy",
        "file:///srv/%C3%BC.policy",
        "%3Cstdin%3E",
        "a%23b%3Fc.json",
    ]


def test_a_long_line_is_cut_around_its_carets() -> None:
    source = Source("long.policy", "x" * 500_000 + "here" + "y" * 500_000)
    text = render_diagnostic(_found(span=_span("here", source)))
    _, line, carets = text.splitlines()
    assert (line.index("here"), carets.index("^"), carets.count("^")) == (line.index("here"), line.index("here"), 4)
    assert len(line) < 180
    assert line.endswith("y...")


def test_carets_stand_below_wide_and_combining_characters() -> None:
    source = Source("wide.policy", "注文e\u0301\there")
    _, line, carets = render_diagnostic(_found(span=_span("here", source))).splitlines()
    assert line == "    1 | 注文e\u0301    here"
    assert carets == "      | " + " " * 9 + "^^^^"


def test_diagnostics_stand_in_the_order_of_their_places() -> None:
    text = render_diagnostics(reversed(_FINDINGS))
    assert text == render_diagnostics(_FINDINGS)
    heads = [line.split(": ", 1)[0] for line in text.splitlines() if "payments.policy" in line and "[" in line]
    assert heads == [f"rules/payments.policy:{place}" for place in ("4:24", "5:8", "6:20", "9:8", "13:1")]


def test_a_summary_counts() -> None:
    assert summary(()) == "no findings"
    assert summary(_FINDINGS[:2]) == "1 error, 1 warning"
    assert summary(_FINDINGS[2:4]) == "2 errors"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain é 注", "plain é 注"),
        ("\x1b[31m", "\\x1b[31m"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\u202eabc\u2066", "\\u202eabc\\u2066"),
        ("\u200b\ufeff\u2028\u00a0 ", "\\u200b\\ufeff\\u2028\\xa0 "),
        ("\x9b\x7f\x00", "\\x9b\\x7f\\x00"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_a_terminal_would_obey_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_width_counts_columns() -> None:
    assert [width(text) for text in ("abc", "注文", "e\u0301", "")] == [3, 4, 1, 0]


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("stream", "environment", "colour"),
    [
        (_Terminal(), {}, True),
        (_Terminal(), {"NO_COLOR": ""}, True),
        (_Terminal(), {"NO_COLOR": "1"}, False),
        (_Terminal(), {"TERM": "dumb"}, False),
        (io.StringIO(), {}, False),
    ],
)
def test_colour_is_for_terminals(stream: io.StringIO, environment: dict[str, str], colour: bool) -> None:
    assert style_for(stream, environment) == Style(colour=colour)
