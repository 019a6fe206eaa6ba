"""Surface nodes: types, declarations and routes."""

from __future__ import annotations

from policy.source.records import dataclass
from policy.syntax.tree_expressions import AnyPattern, Expression, Node, Text, Word


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedType(Node):
    """`string`, `number`, `ip`, `risk`."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OneOfType(Node):
    """`one of "production", "staging"`."""

    words: tuple[Text, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ListType(Node):
    """`list of T`."""

    item: TypeExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class MapType(Node):
    """`map of T`."""

    item: TypeExpression


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordType(Node):
    """`{ author: string … }`."""

    fields: tuple[FieldDeclaration, ...]


TypeExpression = NamedType | OneOfType | ListType | MapType | RecordType


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldDeclaration(Node):
    """`name: TYPE`, `name: TYPE optional` or `name: TYPE or null`."""

    name: Word
    type: TypeExpression
    nullable: bool
    optional: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultApproval(Node):
    """`default approval "id"` or `default approval "id" for PATTERNS` (`patterns` empty: for all)."""

    approval: Text
    patterns: tuple[AnyPattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyHeader(Node):
    """`policy "acme" { version … owner … default approval … }`."""

    name: Text
    version: Text | None
    owner: Text | None
    describe: Text | None
    defaults: tuple[DefaultApproval, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Import(Node):
    """`import "shared/approvals.policy"`."""

    path: Text


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBlock(Node):
    """`context { environment: string … }`."""

    fields: tuple[FieldDeclaration, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class DirectoryBlock(Node):
    """`directory { roles … groups … attributes { … } }`."""

    roles: tuple[Text, ...]
    groups: tuple[Text, ...]
    attributes: tuple[FieldDeclaration, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScopesBlock(Node):
    """`scopes "money" { payment.**, refund.** }`."""

    name: Text
    members: tuple[AnyPattern, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Define(Node):
    """`define large = input.amount > 10_000`."""

    name: Word
    value: Expression


@dataclass(frozen=True, slots=True, kw_only=True)
class RouteClause(Node):
    """`allow PATTERNS [when C] [unless C] [because S]` or `deny …` in a route; `effect` is allow or deny."""

    effect: str
    patterns: tuple[AnyPattern, ...]
    when: Expression | None
    unless: Expression | None
    because: Text | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Route(Node):
    """`route "a", "b" { … }`, or `every route { … }` (`names` empty)."""

    names: tuple[Text, ...]
    describe: Text | None
    clauses: tuple[RouteClause, ...]
