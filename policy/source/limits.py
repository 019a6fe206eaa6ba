"""Bounds on what is read and evaluated. Each is a clear refusal, never a truncation."""

from __future__ import annotations

from policy.source.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """Bounds of one engine; the defaults are those of the language and data model pages."""

    file_bytes: int = 1 << 20
    """Bytes of one policy file."""
    statements: int = 100_000
    """Statements of one policy."""
    nesting: int = 64
    """Levels of nesting in a policy text."""
    data_bytes: int = 1 << 20
    """Bytes of an action, capability or context."""
    data_depth: int = 64
    """Depth of an action, capability or context."""
    data_nodes: int = 100_000
    """Nodes of an action, capability or context."""
    votes: int = 2_000
    """Votes in one context."""
    history_entries: int = 10_000
    """History entries in one context."""
    iterations: int = 100_000
    """Product of the lengths of nested lists that quantifiers walk."""
    alternatives: int = 256
    """Alternatives that one approval may expand to."""
    reasons: int = 1_000
    """Reasons that one decision lists."""
    catalog_bytes: int = 64 << 20
    """Bytes of one catalog file."""


DEFAULT_LIMITS = Limits()
