"""Every code that a diagnostic, a reason or a vote carries, listed in one place.

Each module holds the codes of one idea in its `CODES`; a new code is added there, with a failing and a fixed example.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

from policy.source.codes import (
    capability,
    carriers,
    deployment,
    fixtures,
    guards,
    lint,
    names,
    plugins,
    reasons,
    syntax,
    types,
    votes,
)
from policy.source.codes.entry import Code

__all__ = ["CODES", "Code"]


def _collect(parts: Iterable[tuple[Code, ...]]) -> Mapping[str, Code]:
    collected: dict[str, Code] = {}
    for part in parts:
        for entry in part:
            if entry.code in collected:
                raise ValueError(f"the code {entry.code} is listed twice")
            collected[entry.code] = entry
    return MappingProxyType(collected)


CODES: Mapping[str, Code] = _collect(
    (
        syntax.CODES,
        names.CODES,
        types.CODES,
        lint.CODES,
        deployment.CODES,
        capability.CODES,
        carriers.CODES,
        fixtures.CODES,
        reasons.CODES,
        guards.CODES,
        votes.CODES,
        plugins.CODES,
    )
)
"""Code to what is known of it, in the order of the stages that find them."""
