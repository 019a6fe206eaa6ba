"""Diagnostics: what a capability document or catalog can get wrong."""

from __future__ import annotations

from policy.source.codes.entry import Code

CODES: tuple[Code, ...] = ()
