"""Reading the files of a layer: imports resolved, nothing out of the root, everything bounded before it is read.

The only place of the checker that touches files, through a reader that is passed in.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import Protocol

from policy.check.report import Report, named
from policy.source.diagnostic import Diagnostic, Related, Severity
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass
from policy.source.text import Source, Span
from policy.syntax import tree
from policy.syntax.decode import decode
from policy.syntax.parser import parse

SUFFIX = ".policy"
"""How the names of policy files end."""

_MOST_ENTRIES = 100_000
"""Entries of a folder that is looked through."""


class Reader(Protocol):
    """What reading a layer asks of a file system. Every method raises OSError where the system refuses."""

    def resolve(self, path: Path) -> Path:
        """The real path, symbolic links followed; raises FileNotFoundError where nothing is there."""

    def is_folder(self, path: Path) -> bool:
        """Whether a real path is a folder."""

    def entries(self, folder: Path, most: int) -> Sequence[str]:
        """The names in a folder, at most so many."""

    def read(self, path: Path, most: int) -> bytes | None:
        """The bytes of a regular file, or None for one of more than `most` bytes; raises OSError for other files."""


class DiskReader:
    """The file system of the machine."""

    def resolve(self, path: Path) -> Path:
        """The real path, symbolic links followed; raises FileNotFoundError where nothing is there."""
        return path.resolve(strict=True)

    def is_folder(self, path: Path) -> bool:
        """Whether a real path is a folder."""
        return path.is_dir()

    def entries(self, folder: Path, most: int) -> Sequence[str]:
        """The names in a folder, at most so many."""
        names = []
        with os.scandir(folder) as found:
            for entry in found:
                names.append(entry.name)
                if len(names) >= most:
                    break
        return names

    def read(self, path: Path, most: int) -> bytes | None:
        """The bytes of a regular file, or None for one of more than `most` bytes; raises OSError for other files."""
        # Opened without waiting and looked at through the descriptor: a pipe or device never blocks, and what is
        # measured is what is read.
        flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
        descriptor = os.open(path, flags)
        try:
            status = os.fstat(descriptor)
            if stat.S_ISDIR(status.st_mode):
                raise IsADirectoryError
            if not stat.S_ISREG(status.st_mode):
                raise OSError("not a regular file")
            if status.st_size > most:
                return None
            with os.fdopen(descriptor, "rb", closefd=False) as file:
                data = file.read(most + 1)
            return data if len(data) <= most else None
        finally:
            os.close(descriptor)


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedFile:
    """One file of a layer, read and parsed."""

    tree: tree.File
    diagnostics: tuple[Diagnostic, ...]
    imported: bool = False
    """Whether another file of the layer imports it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerSource:
    """One layer's text: `name` is the file's or folder's name without `.policy`.

    `root` is the real folder that imports stay in; None for a text without a file, which imports nothing. `parsed`
    holds the files already parsed, in the order of `files`; empty where nobody has parsed them yet.
    """

    name: str
    files: tuple[Source, ...]
    root: str | None = None
    parsed: tuple[ParsedFile, ...] = field(default=(), repr=False)
    diagnostics: tuple[Diagnostic, ...] = ()
    """What reading found: missing imports, loops, files out of the root."""


def source_layer(text: str, name: str = "policy", limits: Limits = DEFAULT_LIMITS) -> LayerSource:
    """A layer of one text that comes from no file; it may import nothing."""
    decoded = decode(text.encode("utf-8", "surrogatepass"), name, limits)
    if isinstance(decoded, Diagnostic):
        return LayerSource(name=name, files=(), diagnostics=(decoded,))
    return LayerSource(name=name.removesuffix(SUFFIX) or name, files=(decoded,))


def read_layer(path: str | Path, limits: Limits = DEFAULT_LIMITS, reader: Reader | None = None) -> LayerSource:
    """Read a file or a folder of `.policy` files as one layer, with everything they import.

    What cannot be read is among the layer's diagnostics; a layer with an error never compiles.
    """
    given = Path(path)
    disk: Reader = DiskReader() if reader is None else reader
    name = _layer_name(given, disk)
    try:
        real = disk.resolve(given)
        folder = disk.is_folder(real)
        starts = _files_of(given, real, disk) if folder else [given]
    except (OSError, RuntimeError, ValueError) as error:
        return LayerSource(name=name, files=(), diagnostics=(_unreadable(str(given), error),))
    root = real if folder else real.parent
    if not starts or not (folder or given.name.endswith(SUFFIX)):
        return LayerSource(name=name, files=(), root=str(root), diagnostics=(_no_policy(str(given), folder=folder),))
    loading = _Loading(root=root, reader=disk, limits=limits)
    loading.run(starts)
    return LayerSource(
        name=name,
        files=tuple(file.tree.source for file in loading.files),
        root=str(root),
        parsed=loading.result(),
        diagnostics=tuple(loading.findings + loading.report.diagnostics),
    )


def _no_policy(shown: str, *, folder: bool) -> Diagnostic:
    message = f"{named(shown)} does not end in `{SUFFIX}`"
    help = None
    if folder:
        message = f"{named(shown)} holds no `{SUFFIX}` file"
        help = "name the folder that holds the files themselves; folders below it are not looked through"
    return Diagnostic(code="load.no_policy", severity=Severity.ERROR, message=message, help=help, file=shown)


def _layer_name(given: Path, reader: Reader) -> str:
    name = given.name
    if name in ("", ".", ".."):
        try:
            name = reader.resolve(given).name
        except (OSError, RuntimeError, ValueError):
            name = ""
    return name.removesuffix(SUFFIX) or name or "policy"


def _files_of(given: Path, real: Path, reader: Reader) -> list[Path]:
    names = reader.entries(real, _MOST_ENTRIES)
    return [given / name for name in sorted(names) if name.endswith(SUFFIX) and name != SUFFIX]


def _unreadable(shown: str, error: Exception) -> Diagnostic:
    code = "load.unreadable"
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        code, message = "load.not_found", f"{named(shown)} does not exist"
    elif isinstance(error, IsADirectoryError):
        message = f"{named(shown)} is a folder, not a file"
    elif isinstance(error, PermissionError):
        message = f"{named(shown)} may not be read"
    elif isinstance(error, OSError) and error.strerror is None:
        message = f"{named(shown)} is {error}"
    elif isinstance(error, OSError):
        message = f"{named(shown)} cannot be read: {str(error.strerror).lower()}"
    elif isinstance(error, RuntimeError):
        message = f"{named(shown)} cannot be read: its links lead in a loop"
    else:
        message = f"{named(shown)} cannot be read: no file has such a name"
    return Diagnostic(code=code, severity=Severity.ERROR, message=message, file=shown)


@dataclass(slots=True, kw_only=True)
class _Loading:
    """The files read so far; one run of `read_layer`."""

    root: Path
    reader: Reader
    limits: Limits
    files: list[ParsedFile] = field(default_factory=list)
    findings: list[Diagnostic] = field(default_factory=list)
    report: Report = field(default_factory=Report)
    _done: set[Path] = field(default_factory=set)
    _imported: set[Path] = field(default_factory=set)
    _paths: list[Path] = field(default_factory=list)
    _statements: int = 0

    def result(self) -> tuple[ParsedFile, ...]:
        """The files, those marked that another file imports."""
        pairs = zip(self.files, self._paths, strict=True)
        return tuple(replace(file, imported=path in self._imported) for file, path in pairs)

    def run(self, starts: Sequence[Path]) -> None:
        """Read every file, then what each imports, depth first in the order of the text, without recursion."""
        real_starts = [(start, self._resolve(start, None)) for start in starts]
        for shown, real in real_starts:
            if real is None or real in self._done:
                continue
            trail: dict[Path, str] = {}
            stack: list[tuple[Path, Path, tree.Import | None, bool]] = [(shown, real, None, False)]
            while stack:
                shown_as, at, statement, leaving = stack.pop()
                if leaving:
                    trail.popitem()
                    continue
                if at in trail and statement is not None:
                    self._loop(trail, at, shown_as, statement)
                if at in self._done:
                    continue
                parsed = self._read(shown_as, at, statement)
                self._done.add(at)
                if parsed is None:
                    continue
                self.files.append(parsed)
                self._paths.append(at)
                trail[at] = str(shown_as)
                stack.append((shown_as, at, None, True))
                stack.extend(reversed(self._imports(parsed, shown_as, at)))

    def _imports(
        self, parsed: ParsedFile, shown: Path, real: Path
    ) -> list[tuple[Path, Path, tree.Import | None, bool]]:
        found: list[tuple[Path, Path, tree.Import | None, bool]] = []
        seen: dict[Path, Span] = {}
        for statement in parsed.tree.statements:
            if not isinstance(statement, tree.Import):
                continue
            target = self._target(statement, real)
            if target is None:
                continue
            if target in seen:
                related = (Related(message="first imported here", span=seen[target]),)
                message = f"{named(statement.path.value)} is imported twice"
                self.report.add("name.repeated", message, statement.path.span, related=related)
                continue
            seen[target] = statement.path.span
            self._imported.add(target)
            found.append((Path(os.path.normpath(shown.parent / statement.path.value)), target, statement, False))
        return found

    def _target(self, statement: tree.Import, importer: Path) -> Path | None:
        written, span = statement.path.value, statement.path.span
        parts = written.split("/")
        if not written or "\\" in written or written.startswith("/") or ":" in parts[0] or "\0" in written:
            self.report.add(
                "load.import_path",
                f"{named(span.text)} is no relative path",
                span,
                help='write a path from this file on, such as `"shared/approvals.policy"`',
            )
            return None
        if not written.endswith(SUFFIX):
            message = f"{named(span.text)} does not end in `{SUFFIX}`"
            self.report.add("load.import_path", message, span)
            return None
        return self._resolve(importer.parent / written, statement)

    def _resolve(self, path: Path, statement: tree.Import | None) -> Path | None:
        """The real path, reported where there is none or it lies out of the root."""
        shown = str(path) if statement is None else statement.path.value
        try:
            real = self.reader.resolve(path)
        except (OSError, RuntimeError, ValueError) as error:
            self._report_unreadable(shown, error, statement)
            return None
        if real == self.root or not real.is_relative_to(self.root):
            message = f"{named(shown)} lies out of the folder of this policy"
            if statement is None:
                self.findings.append(
                    Diagnostic(code="load.outside_root", severity=Severity.ERROR, message=message, file=shown)
                )
            else:
                help = "links are followed before this is checked"
                self.report.add("load.outside_root", message, statement.path.span, help=help)
            return None
        return real

    def _report_unreadable(self, shown: str, error: Exception, statement: tree.Import | None) -> None:
        finding = _unreadable(shown, error)
        if statement is None:
            self.findings.append(finding)
        else:
            self.report.add(finding.code, finding.message, statement.path.span)

    def _read(self, shown: Path, real: Path, statement: tree.Import | None) -> ParsedFile | None:
        try:
            data = self.reader.read(real, self.limits.file_bytes)
        except (OSError, ValueError) as error:
            self._report_unreadable(str(shown) if statement is None else statement.path.value, error, statement)
            return None
        if data is None:
            message = (
                f"{named(str(shown))} has more than {self.limits.file_bytes:,} bytes; split it and import the parts"
            )
            self.findings.append(
                Diagnostic(code="load.too_large", severity=Severity.ERROR, message=message, file=str(shown))
            )
            return None
        source = decode(data, str(shown), self.limits)
        if isinstance(source, Diagnostic):
            self.findings.append(source)
            return None
        if self._statements > self.limits.statements:
            return None
        file, diagnostics = parse(source, self.limits)
        self._statements += len(file.statements)
        return ParsedFile(tree=file, diagnostics=diagnostics)

    def _loop(self, trail: dict[Path, str], at: Path, shown: Path, statement: tree.Import) -> None:
        names = list(trail)
        loop = [trail[path] for path in names[names.index(at) :]]
        arrows = " → ".join(f"`{name}`" for name in (*loop, loop[0]))
        self.report.add("load.import_cycle", f"files import each other in a loop: {arrows}", statement.path.span)
