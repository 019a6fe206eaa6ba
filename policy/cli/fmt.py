"""`policy fmt`: the canonical layout, comments kept."""

from __future__ import annotations

import os
import sys
import tempfile
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path

from policy.cli.inputs import STDIN, existing
from policy.cli.outcome import FAILURE, OK, UsageError
from policy.cli.streams import report, say, write
from policy.source.diagnostic import Diagnostic, has_errors
from policy.source.limits import DEFAULT_LIMITS

_SUFFIX = ".policy"
_STDIN_NAME = "<stdin>"


def configure(parser: ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("paths", metavar="PATH", nargs="+", help="files or folders; - is standard input to output")
    parser.add_argument("--check", action="store_true", help="change nothing, and fail where something would change")


def run(arguments: Namespace) -> int:
    """Format every file; one that does not parse is reported and left as it is."""
    if STDIN in arguments.paths:
        if len(arguments.paths) > 1:
            raise UsageError("`-` stands alone: format standard input or files")
        return _standard_input(arguments.check)
    files = [file for path in existing(arguments.paths) for file in _files(Path(path))]
    if not files:
        raise UsageError(f"there is no `{_SUFFIX}` file", help="name a file, or a folder that holds some")
    codes = [_file(file, check=arguments.check) for file in files]
    return max(codes)


def _files(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        yield path
        return
    # Links are not followed: a folder is formatted, not what it points to.
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(folder, name)
            if file.suffix == _SUFFIX and file.is_file() and not file.is_symlink():
                yield file


def _standard_input(check: bool) -> int:
    data = sys.stdin.buffer.read(DEFAULT_LIMITS.file_bytes + 1)
    formatted, diagnostics = _formatted(data, _STDIN_NAME)
    if formatted is None:
        report(diagnostics)
        return FAILURE
    if check:
        return OK if formatted.encode() == data else FAILURE
    write(formatted)
    return OK


def _file(file: Path, *, check: bool) -> int:
    if not file.is_file():
        raise UsageError(f"`{file}` is not a file")
    try:
        with file.open("rb") as stream:
            data = stream.read(DEFAULT_LIMITS.file_bytes + 1)
    except OSError as error:
        raise UsageError(f"`{file}` cannot be read: {(error.strerror or 'unknown').lower()}") from None
    formatted, diagnostics = _formatted(data, str(file))
    if formatted is None:
        report(diagnostics)
        return FAILURE
    if formatted.encode() == data:
        return OK
    if check:
        say(f"{file} would change")
        return FAILURE
    _replace(file, formatted.encode())
    say(f"{file} formatted")
    return OK


def _formatted(data: bytes, name: str) -> tuple[str | None, tuple[Diagnostic, ...]]:
    from policy.syntax.decode import decode
    from policy.syntax.parser import parse
    from policy.syntax.printer import print_file

    source = decode(data, name)
    if isinstance(source, Diagnostic):
        return None, (source,)
    file, diagnostics = parse(source)
    if has_errors(diagnostics):
        return None, diagnostics
    return print_file(file), diagnostics


def _replace(file: Path, data: bytes) -> None:
    """Write beside the file and rename, so that it is whole at every moment; links and the mode are kept."""
    target = file.resolve()
    handle, beside = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        Path(beside).chmod(target.stat().st_mode & 0o7777)
        Path(beside).replace(target)
    except OSError as error:
        Path(beside).unlink(missing_ok=True)
        raise UsageError(f"`{file}` cannot be written: {(error.strerror or 'unknown').lower()}") from None
