"""Diagnostics: what types, trust and positions can get wrong."""

from __future__ import annotations

from policy.source.codes.entry import Code

CODES: tuple[Code, ...] = ()
