"""The surface tree: what was written, before any name is resolved.

Every node carries the span of its text; spans take no part in equality, so that
`parse(print(tree)) == tree` can be stated.
"""

from __future__ import annotations

from dataclasses import field

from policy.source.records import dataclass
from policy.source.text import Source
from policy.syntax.tree_declarations import (
    ContextBlock,
    DefaultApproval,
    Define,
    DirectoryBlock,
    FieldDeclaration,
    Import,
    ListType,
    MapType,
    NamedType,
    OneOfType,
    PolicyHeader,
    RecordType,
    Route,
    RouteClause,
    ScopesBlock,
    TypeExpression,
)
from policy.syntax.tree_expressions import (
    And,
    AnyPattern,
    Arithmetic,
    Boolean,
    Call,
    CapabilityPattern,
    Compare,
    Duration,
    Exists,
    Expression,
    Has,
    In,
    Index,
    InNetwork,
    Inside,
    ListLiteral,
    Lookup,
    MapEntry,
    MapLiteral,
    Matches,
    Member,
    Negative,
    Node,
    Not,
    Number,
    Or,
    Path,
    Pattern,
    Quantified,
    ScopesReference,
    Text,
    TextTest,
    TimeOfDay,
    Total,
    Within,
    Word,
)
from policy.syntax.tree_rules import (
    AllOf,
    AnyNumberOf,
    AnyOf,
    Approval,
    ApprovalReference,
    Assignment,
    Deny,
    DifferentPeople,
    DiffersFrom,
    Leaf,
    Need,
    Obligation,
    PerformStep,
    Pool,
    Raise,
    RaiseStep,
    Require,
    Risk,
    RiskTier,
    RolesConflict,
    Rule,
    Selector,
    Separation,
)

__all__ = [
    "AllOf",
    "And",
    "AnyNumberOf",
    "AnyOf",
    "AnyPattern",
    "Approval",
    "ApprovalReference",
    "Arithmetic",
    "Assignment",
    "Boolean",
    "Call",
    "CapabilityPattern",
    "Comment",
    "Compare",
    "ContextBlock",
    "DefaultApproval",
    "Define",
    "Deny",
    "DifferentPeople",
    "DiffersFrom",
    "DirectoryBlock",
    "Duration",
    "Exists",
    "Expression",
    "FieldDeclaration",
    "File",
    "Has",
    "Import",
    "In",
    "InNetwork",
    "Index",
    "Inside",
    "Leaf",
    "ListLiteral",
    "ListType",
    "Lookup",
    "MapEntry",
    "MapLiteral",
    "MapType",
    "Matches",
    "Member",
    "NamedType",
    "Need",
    "Negative",
    "Node",
    "Not",
    "Number",
    "Obligation",
    "OneOfType",
    "Or",
    "Path",
    "Pattern",
    "PerformStep",
    "PolicyHeader",
    "Pool",
    "Quantified",
    "Raise",
    "RaiseStep",
    "RecordType",
    "Require",
    "Risk",
    "RiskTier",
    "RolesConflict",
    "Route",
    "RouteClause",
    "Rule",
    "ScopesBlock",
    "ScopesReference",
    "Selector",
    "Separation",
    "Statement",
    "Text",
    "TextTest",
    "TimeOfDay",
    "Total",
    "TypeExpression",
    "Within",
    "Word",
]

Statement = (
    PolicyHeader
    | Import
    | ContextBlock
    | DirectoryBlock
    | ScopesBlock
    | Define
    | Route
    | Deny
    | Require
    | Raise
    | Risk
    | Approval
    | Separation
    | Obligation
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment(Node):
    """`# text`; `own_line` when nothing but white space stands before it on its line."""

    text: str
    own_line: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class File(Node):
    """One whole policy file."""

    source: Source = field(compare=False, repr=False)
    statements: tuple[Statement, ...]
    comments: tuple[Comment, ...] = field(compare=False)
