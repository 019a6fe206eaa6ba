"""What an expression may name: the declarations of a layer as the passes see them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from policy.check.report import Report
from policy.ir import nodes as ir
from policy.source.limits import Limits
from policy.source.records import dataclass
from policy.source.text import Span
from policy.types.kinds import Field, Type
from policy.types.names import BuiltIn


@dataclass(frozen=True, slots=True, kw_only=True)
class Directory:
    """The words that people are described with; a role, group or attribute outside them is an error."""

    roles: frozenset[str]
    groups: frozenset[str]
    attributes: Mapping[str, Field]

    def has_group(self, name: str) -> bool:
        """Whether a group is listed, or is of a listed family such as `team-*`."""
        if name in self.groups:
            return True
        return any(listed.endswith("*") and name.startswith(listed[:-1]) for listed in self.groups)

    def has_family(self, prefix: str) -> bool:
        """Whether `PREFIX*` can mean a listed group."""
        return any(
            listed.startswith(prefix) or (listed.endswith("*") and prefix.startswith(listed[:-1]))
            for listed in self.groups
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Variable:
    """A quantifier's variable: the type of an item, and the list it runs over."""

    type: Type
    container: ir.Expression
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class PatternSet:
    """A `scopes` set: its patterns without sets in it, or None where it has a mistake."""

    patterns: tuple[ir.ActionPattern, ...] | None
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class DefinitionFacts:
    """What is known of the value of a definition, so that its uses need not look into it again."""

    depth: int
    roots: frozenset[str]
    """The built-in names it reads, through other definitions too."""
    quiet: bool
    """Whether it holds neither a presence test nor a claim."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One layer's names; `definitions` are those elaborated so far, `declared` the names of all of them."""

    report: Report
    limits: Limits
    built_ins: Mapping[str, BuiltIn]
    outer_attributes: Mapping[str, Span]
    """Context attributes that only an outer layer declares."""
    directory: Directory | None
    routes: Mapping[str, Span]
    """Routes that the layer or the outermost layer declares."""
    sets: Mapping[str, PatternSet]
    definitions: Mapping[str, ir.Expression]
    facts: Mapping[int, DefinitionFacts]
    """By the identity of the value of a definition."""
    declared: frozenset[str]
    variables: Mapping[str, Variable] = field(default_factory=dict)

    def with_variable(self, name: str, variable: Variable) -> Environment:
        """The names inside a quantifier."""
        return replace(self, variables={**self.variables, name: variable})
