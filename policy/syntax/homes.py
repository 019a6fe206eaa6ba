"""Which statement a clause belongs to, for clauses that stand in the wrong one."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from policy.source.records import dataclass

_RULES = ("deny", "require", "raise", "risk", "separation", "obligation")
_ROUTES = ("route", "every route")


@dataclass(frozen=True, slots=True)
class Home:
    """A clause and the statements that have it."""

    title: str
    statements: tuple[str, ...]


_HOMES: Mapping[str, Home] = MappingProxyType(
    {
        "for": Home("for", _RULES),
        "on": Home("on route", _RULES),
        "when": Home("when", (*_RULES, *_ROUTES)),
        "unless": Home("unless", (*_RULES, *_ROUTES)),
        "because": Home("because", (*_RULES, *_ROUTES, "approval")),
        "control": Home("control", _RULES),
        "approval": Home("approval", ("require",)),
        "to": Home("to", ("raise",)),
        "unattended": Home("unattended up to", ("risk",)),
        "approve": Home("approve up to", ("risk",)),
        "redact": Home("redact", ("obligation",)),
        "set": Home("set", ("obligation",)),
        "also": Home("also on deny", ("obligation",)),
        "different": Home("different people perform", ("separation",)),
        "allow": Home("allow", _ROUTES),
        "deny": Home("deny", _ROUTES),
        "describe": Home("describe", ("policy", *_ROUTES, "approval")),
        "need": Home("need", ("approval",)),
        "distinct": Home("distinct by", ("approval",)),
        "at": Home("at least", ("approval",)),
        "valid": Home("valid for", ("approval",)),
        "evidence": Home("evidence", ("approval",)),
        "denied": Home("denied by", ("approval",)),
        "approvers": Home("approvers of kind", ("approval",)),
        "version": Home("version", ("policy",)),
        "owner": Home("owner", ("policy",)),
        "default": Home("default approval", ("policy",)),
        "groups": Home("groups", ("directory",)),
        "attributes": Home("attributes", ("directory",)),
    }
)


def with_article(word: str) -> str:
    """`a `deny``, `an `approval``."""
    return f"{'an' if word[0] in 'aeio' else 'a'} `{word}`"


def home_of(word: str, following: str | None) -> Home | None:
    """The home of the clause that begins with this word (and the next one), or None where no clause does."""
    if word == "allow" and following == "self":
        return Home("allow self approval", ("approval",))
    return _HOMES.get(word)
