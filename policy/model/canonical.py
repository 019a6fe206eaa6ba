"""Canonical JSON (RFC 8785) and digests over it."""

from __future__ import annotations

from hashlib import sha256
from typing import Any


def canonical_bytes(value: Any) -> bytes:
    """The one RFC 8785 form of a JSON value.

    For values that `policy.model.bounds.check` accepted; raises ValueError for any other.
    """
    import rfc8785

    return rfc8785.dumps(value)


def sha256_hex(value: Any) -> str:
    """64 hexadecimal digits: SHA-256 over the RFC 8785 form. Raises ValueError as `canonical_bytes` does."""
    return sha256(canonical_bytes(value)).hexdigest()


def digest(value: Any) -> str:
    """`sha256:` and `sha256_hex`, as digests are written in decisions and votes."""
    return f"sha256:{sha256_hex(value)}"
