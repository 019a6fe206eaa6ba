"""Diagnostics: what the parser says of a text."""

from __future__ import annotations

from policy.source.codes.entry import Code

CODES: tuple[Code, ...] = ()
