"""The policies that a command decides by."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterable
from typing import TYPE_CHECKING

from policy.cli.streams import report

if TYPE_CHECKING:
    from policy.engine import Engine


def configure(parser: ArgumentParser) -> None:
    """Declare `--policy`."""
    parser.add_argument(
        "--policy",
        metavar="PATH",
        nargs="+",
        action="extend",
        required=True,
        help="files or folders of .policy files; several are layers, first the outermost",
    )


def load(paths: Iterable[str]) -> Engine | None:
    """The engine of the layers; None where they do not load, and then the findings stand on standard error."""
    from policy.engine import Engine, PolicyError

    try:
        return Engine.load(*paths)
    except PolicyError as error:
        report(error.diagnostics)
        return None
