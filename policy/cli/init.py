"""`policy init`: a project to start from."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from policy.cli.outcome import OK, UsageError
from policy.cli.streams import say

_EXECUTABLE = 0o755


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("folder", metavar="DIR", help="the folder; it is made where it is not there")


def run(arguments: Namespace) -> int:
    """Write the files; nothing that is there is overwritten."""
    from policy.fixtures.starter import FILES

    folder = Path(arguments.folder)
    there = [name for name, _ in FILES if (folder / name).exists()]
    if there:
        raise UsageError(f"`{folder / there[0]}` is there already", help="name another folder")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in FILES:
            (folder / name).write_text(text, encoding="utf-8", newline="\n")
            if name.endswith(".sh"):
                (folder / name).chmod(_EXECUTABLE)
    except OSError as error:
        raise UsageError(f"`{folder}` cannot be written: {(error.strerror or 'unknown').lower()}") from None
    for name, _ in FILES:
        say(f"{folder / name} written")
    say(f"next: policy test {folder} --coverage")
    return OK
