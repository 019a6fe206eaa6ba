"""What commands read: policies, data, capabilities out of catalogs."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from policy.cli.outcome import UsageError
from policy.cli.streams import report
from policy.model.reader import DataError, Document, read_document, read_file
from policy.source.limits import DEFAULT_LIMITS
from policy.source.records import dataclass

if TYPE_CHECKING:
    from policy.contracts.catalog import LoadedCatalog
    from policy.model.admitted import AdmittedCapability

STDIN = "-"
"""The file name that means standard input."""
_STDIN_NAME = "<stdin>"


@dataclass(slots=True)
class Inputs:
    """Reads the files of one command; standard input can stand for one of them only."""

    taken: str | None = field(default=None)

    def document(self, name: str, what: str, *, catalog: bool = False) -> Document:
        """The data of a JSON or YAML file. Raises UsageError where it cannot be read."""
        try:
            if name != STDIN:
                return read_file(name, catalog=catalog)
            return read_document(self._standard_input(what, catalog), _STDIN_NAME, catalog=catalog)
        except DataError as error:
            raise UsageError(f"{error.named(error.name or name)} ({what})") from None

    def catalog(self, name: str) -> LoadedCatalog:
        """The capabilities of a file. Raises UsageError where it is not there or not JSON or YAML."""
        from policy.contracts.catalog import load_catalog, read_catalog

        if name == STDIN:
            return read_catalog(self.document(name, "capabilities", catalog=True).value, _STDIN_NAME)
        loaded = load_catalog(name)
        if any(finding.code == "catalog.unreadable" for finding in loaded.diagnostics):
            # The reader's own error says the same in the form of usage errors.
            self.document(name, "capabilities", catalog=True)
        return loaded

    def capability(self, reference: str, action: object) -> AdmittedCapability | Any:
        """The capability that `FILE` or `FILE#ID` names; without an ID the one that the action calls.

        A document that is no catalog is given back as it was read, so that a decision says what is wrong with it.
        """
        name, capability_id = split_reference(reference)
        loaded = self._named_catalog(name)
        if isinstance(loaded, Document):
            return loaded.value
        if capability_id is None and loaded.kind == "capability" and len(loaded.capabilities) == 1:
            return next(iter(loaded.capabilities.values()))
        wanted = called(action) if capability_id is None else capability_id
        if wanted is None:
            raise UsageError(f"`{name}` holds several capabilities", help="write `FILE#ID`")
        found = loaded.capabilities.get(wanted)
        if found is None:
            report(finding for finding in loaded.diagnostics if finding.is_error)
            raise UsageError(f"`{name}` has no capability `{wanted}`", help=_suggestion(wanted, loaded.capabilities))
        return found

    def _named_catalog(self, name: str) -> LoadedCatalog | Document:
        if name == STDIN:
            from policy.contracts.catalog import read_catalog

            document = self.document(name, "capability", catalog=True)
            loaded = read_catalog(document.value, _STDIN_NAME)
        else:
            loaded = self.catalog(name)
            document = None
        if loaded.kind == "unknown" or (loaded.kind == "capability" and not loaded.capabilities):
            report(loaded.diagnostics)
            return document or self.document(name, "capability", catalog=True)
        return loaded

    def _standard_input(self, what: str, catalog: bool) -> bytes:
        if self.taken is not None:
            raise UsageError(
                f"standard input cannot be both {self.taken} and {what}", help="name a file for one of them"
            )
        self.taken = what
        bound = DEFAULT_LIMITS.catalog_bytes if catalog else DEFAULT_LIMITS.data_bytes
        return sys.stdin.buffer.read(bound + 1)


def split_reference(reference: str) -> tuple[str, str | None]:
    """`FILE#ID` in its parts; the ID is None where there is none. A file whose name has a `#` in it wins."""
    if "#" not in reference or Path(reference).exists():
        return reference, None
    name, _, capability_id = reference.partition("#")
    return name, capability_id


def existing(paths: Iterable[str]) -> list[str]:
    """The paths, each of which must be there. Raises UsageError."""
    names = list(paths)
    for name in names:
        try:
            found = Path(name).exists()
        except (OSError, ValueError):
            found = False
        if not found:
            raise UsageError(f"`{name}` is not there")
    return names


def called(action: object) -> str | None:
    """The id of the capability that an action calls; None where it says none."""
    wanted = action.get("capability_id") if isinstance(action, Mapping) else None
    return wanted if isinstance(wanted, str) else None


def _suggestion(wanted: str, known: Mapping[str, Any]) -> str | None:
    from policy.source.suggest import did_you_mean

    return did_you_mean(wanted, known) or _names(list(known))


def _names(known: Sequence[str]) -> str | None:
    if not known:
        return None
    shown = ", ".join(f"`{name}`" for name in known[:5])
    return f"it has {shown}" + (f" and {len(known) - 5} more" if len(known) > 5 else "")
