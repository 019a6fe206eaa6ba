"""Canonical JSON (RFC 8785) and digests over it."""

from __future__ import annotations

import json
import re
from hashlib import sha256
from typing import Any

_DIFFERENT = re.compile(r"[0-9]e|\.0(?![0-9])|[0-9]{16}|[\U00010000-\U0010ffff]")
"""Where Python's own encoder may differ from RFC 8785: numbers with an exponent or a zero fraction, numbers out of
range, and member names that UTF-16 sorts otherwise. Matching text inside a string costs time and nothing else."""


def canonical_bytes(value: Any) -> bytes:
    """The one RFC 8785 form of a JSON value.

    For values that `policy.model.bounds.check` accepted; raises ValueError for any other.
    """
    text = json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=True)
    if _DIFFERENT.search(text) is None:
        return text.encode()
    import rfc8785

    return rfc8785.dumps(value)


def sha256_hex(value: Any) -> str:
    """64 hexadecimal digits: SHA-256 over the RFC 8785 form. Raises ValueError as `canonical_bytes` does."""
    return sha256(canonical_bytes(value)).hexdigest()


def digest(value: Any) -> str:
    """`sha256:` and `sha256_hex`, as digests are written in decisions and votes."""
    return f"sha256:{sha256_hex(value)}"
