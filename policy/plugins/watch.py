"""Whether files changed: looked at by time and size, told by content."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from policy.check.load import SUFFIX, read_layer

_SETTLED = 3 * 10**9
"""Nanoseconds after which a file that is written again surely has another time."""

Fingerprint = tuple[tuple[str, str | None], ...]
"""Path and digest of every file, in order; None for what cannot be read."""


@dataclass(frozen=True, slots=True)
class _Looked:
    modified: int
    size: int
    inode: int
    digest: str


@dataclass(slots=True)
class Watch:
    """Files and folders of policies, and other files beside them. For one thread at a time."""

    policies: Sequence[Path]
    """Files or folders; a folder stands for every policy in it, a file for what it imports too."""
    others: Sequence[Path] = ()
    _known: dict[Path, _Looked] = field(default_factory=dict)
    _imported: tuple[Path, ...] = ()

    def learn(self) -> Fingerprint:
        """What the files hold now, having found out which ones the policies consist of."""
        layers = [read_layer(path) for path in self.policies]
        self._imported = tuple(Path(source.name) for layer in layers for source in layer.files)
        return self.look()

    def look(self) -> Fingerprint:
        """What the files hold now."""
        paths = dict.fromkeys([*self._listed(), *self._imported, *self.others])
        return tuple((str(path), self._digest(path)) for path in sorted(paths))

    def _listed(self) -> Iterable[Path]:
        for path in self.policies:
            try:
                if not path.is_dir():
                    yield path
                    continue
                names = [entry.name for entry in os.scandir(path)]
            except OSError:
                yield path
                continue
            yield from (path / name for name in names if name.endswith(SUFFIX))

    def _digest(self, path: Path) -> str | None:
        try:
            status = path.stat()
            known = self._known.get(path)
            current = (status.st_mtime_ns, status.st_size, status.st_ino)
            settled = time.time_ns() - status.st_mtime_ns > _SETTLED
            if settled and known is not None and (known.modified, known.size, known.inode) == current:
                return known.digest
            digest = sha256(path.read_bytes()).hexdigest()
        except OSError:
            self._known.pop(path, None)
            return None
        self._known[path] = _Looked(*current, digest)
        return digest
