"""What goes to standard output and standard error, and how it looks there."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from io import TextIOWrapper
from typing import TYPE_CHECKING

from policy.cli.outcome import UsageError
from policy.render.escape import printable
from policy.render.style import Style, style_for

if TYPE_CHECKING:
    from policy.render.diagnostics import Lines
    from policy.source.diagnostic import Diagnostic

_MAX_SHOWN_FILE = 64 << 20


def prepare() -> None:
    """Let every character through to streams of another encoding, as an escape where it has to be."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def output_style() -> Style:
    """The style of standard output."""
    return style_for(sys.stdout, os.environ)


def error_style() -> Style:
    """The style of standard error."""
    return style_for(sys.stderr, os.environ)


def write(text: str) -> None:
    """Write to standard output."""
    sys.stdout.write(text)
    sys.stdout.flush()


def report(diagnostics: Iterable[Diagnostic]) -> None:
    """Write diagnostics to standard error, as text."""
    from policy.render.diagnostics import render_diagnostics

    sys.stderr.write(render_diagnostics(diagnostics, error_style(), document_lines()))


def say(text: str) -> None:
    """Write one line to standard error."""
    sys.stderr.write(f"{printable(text)}\n")


def complain(error: UsageError) -> None:
    """Write what is wrong with the usage to standard error."""
    style = error_style()
    sys.stderr.write(f"{style.paint('error', 'error')}: {printable(error.message)}\n")
    if error.help is not None:
        sys.stderr.write(f"  {style.paint('help', 'help')}: {printable(error.help)}\n")


def abandon() -> None:
    """Give standard output up, so that the interpreter does not try to flush it at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def document_lines() -> Lines:
    """Looks up lines of JSON and YAML documents; a file that cannot be read shows none."""
    files: dict[str, list[str]] = {}

    def line(file: str, number: int) -> str | None:
        if file not in files:
            files[file] = _lines(file)
        lines = files[file]
        return lines[number - 1] if 0 < number <= len(lines) else None

    return line


def package_version() -> str:
    """The version of the installed package; `unknown` where it runs from a checkout that was never installed."""
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("agent-policy")
    except PackageNotFoundError:
        return "unknown"


def _lines(file: str) -> list[str]:
    try:
        if not os.path.isfile(file) or os.path.getsize(file) > _MAX_SHOWN_FILE:  # noqa: PTH113, PTH202
            return []
        with open(file, "rb") as stream:  # noqa: PTH123 - a name from a diagnostic is no path to compute with
            return [line.rstrip("\r") for line in stream.read().decode("utf-8").split("\n")]
    except (OSError, ValueError):
        return []
