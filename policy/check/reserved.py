"""The words that the language knows, which no define, variable or context attribute may be named after."""

from __future__ import annotations

from policy.check.kinds import bare_words
from policy.syntax.words import KNOWN
from policy.types.functions import FUNCTIONS
from policy.types.kinds import Basic, Type
from policy.types.names import BUILT_IN_NAMES, VOCABULARIES

ENUMS: tuple[Type, ...] = (Basic.RISK, Basic.SENSITIVITY, *VOCABULARIES)
"""Every type that has bare words."""

ENUM_WORDS: frozenset[str] = frozenset(word for enum in ENUMS for word in bare_words(enum) or ())
"""Every bare word of an enum."""

RESERVED: frozenset[str] = KNOWN | ENUM_WORDS | frozenset(FUNCTIONS) | frozenset(BUILT_IN_NAMES)
"""Keywords, types, enum words, functions and built-in names."""
