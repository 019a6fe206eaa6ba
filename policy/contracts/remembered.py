"""Admitted documents, remembered by their content: bounded, and safe to share between threads."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from threading import Lock
from typing import Any

from cachetools import LRUCache

from policy.contracts.admission import Admission, admit
from policy.model.bounds import find_excess
from policy.model.capability import Capability
from policy.source.limits import DEFAULT_LIMITS, Limits

DEFAULT_ADMISSIONS = 1_024
"""Documents that are remembered."""


class RememberedAdmissions:
    """Admits capability documents, each content once; what came of a document is a function of its content alone."""

    __slots__ = ("_cache", "_limits", "_lock")

    def __init__(self, documents: int = DEFAULT_ADMISSIONS, limits: Limits = DEFAULT_LIMITS) -> None:
        self._cache: LRUCache[bytes, Admission] = LRUCache(documents)
        self._limits = limits
        self._lock = Lock()

    def admit(self, document: Capability | Mapping[str, Any]) -> Admission:
        """What became of a document; a later change of the argument changes nothing."""
        plain = document.model_dump(by_alias=True) if isinstance(document, Capability) else document
        raw = dict(plain) if isinstance(plain, Mapping) else plain
        if not isinstance(raw, dict) or find_excess(raw, self._limits) is not None:
            return admit(raw, limits=self._limits)
        # The key and the admission come from one text, so that no change in between can part them.
        text = json.dumps(raw, sort_keys=True)
        key = sha256(text.encode()).digest()
        with self._lock:
            known = self._cache.get(key)
        if known is None:
            known = admit(json.loads(text), limits=self._limits)
            with self._lock:
                self._cache[key] = known
        return known
