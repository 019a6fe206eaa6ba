"""Diagnostics: what is legal and most probably not meant."""

from __future__ import annotations

from policy.source.codes.entry import Code

CODES: tuple[Code, ...] = ()
