"""The words that the language knows.

Words it knows are bare, words an author invents are quoted; a define, a variable or a context attribute may not be
named by one of them (language.md section 2). Which words mean something as a value is told here by kind, so that the
checker can suggest them; that a keyword is one only at its place is the parser's matter.
"""

from __future__ import annotations

STATEMENTS = frozenset(
    {"policy", "import", "context", "directory", "scopes", "define", "route", "every", "deny", "require", "raise"}
    | {"risk", "approval", "separation", "obligation"}
)
"""The words that begin a statement."""

RULE_CLAUSES = frozenset(
    {"for", "on", "when", "unless", "because", "control", "approval", "to", "unattended", "approve", "approver"}
    | {"requester", "operator", "subject", "roles", "different", "redact", "set", "also"}
)
"""The words that begin a clause of `deny`, `require`, `raise`, `risk`, `separation` or `obligation`."""

ROUTE_CLAUSES = frozenset(("allow", "deny", "when", "unless", "because", "describe"))
"""The words that begin a clause of a `route`."""

APPROVAL_CLAUSES = frozenset(
    ("need", "distinct", "at", "valid", "evidence", "denied", "approvers", "allow", "describe", "because")
)
"""The words that begin a clause of an `approval`."""

POLICY_CLAUSES = frozenset(("version", "owner", "describe", "default"))
"""The words that begin a clause of the `policy` header."""

DIRECTORY_CLAUSES = frozenset(("roles", "groups", "attributes"))
"""The words that begin a clause of the `directory`."""

CLAUSES = RULE_CLAUSES | ROUTE_CLAUSES | APPROVAL_CLAUSES | POLICY_CLAUSES | DIRECTORY_CLAUSES
"""The words that begin a clause of any statement."""

OPERATORS = frozenset(
    {"and", "or", "not", "in", "has", "contains", "starts", "ends", "with", "matches", "network", "inside", "exists"}
    | {"missing", "within", "satisfies", "over"}
)
"""The words between operands."""

QUANTIFIERS = frozenset(("any", "every", "no", "total"))
"""The words that walk a list."""

LITERALS = frozenset(("true", "false", "null"))
"""`true` and `false` are values; `null` only stands in the type `T or null`."""

LEAVES = frozenset(("principal", "role", "group", "tenant_policy", "external_system", "delegated"))
"""The words that begin a single approver."""

RISK_LEVELS = ("low", "medium", "high", "critical")
"""Risk levels, ascending."""

SENSITIVITIES = ("public", "internal", "confidential", "restricted", "regulated", "unknown")
"""Data sensitivities, ascending; `unknown` is the highest."""

PRINCIPAL_KINDS = ("human", "agent", "service", "tenant", "customer", "contact", "system")
"""Kinds of principals."""

EFFECTS = (
    "read",
    "write",
    "delete",
    "send_message",
    "financial",
    "identity",
    "medical",
    "legal",
    "external_network",
    "code_execution",
)
"""Side effects of a capability (AIP 1.0)."""

DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
"""Days of the week, from Monday."""

EVIDENCE = ("reason", "input_snapshot", "policy_decision", "external_ticket", "attachment")
"""Kinds of evidence that are written bare; others are quoted."""

TYPES = ("string", "number", "boolean", "timestamp", "duration", "ip", "risk", "sensitivity")
"""Types of context attributes that are one word; `one of`, `list of`, `map of` and records are the others."""

PARTIES = ("requester", "operator", "subject", "delegators")
"""The parties of an action."""

DIFFERING = ("approver", "requester", "operator", "subject")
"""Who can differ from a party in a `separation`."""

KEYWORDS = (
    STATEMENTS
    | CLAUSES
    | OPERATORS
    | QUANTIFIERS
    | LITERALS
    | LEAVES
    | frozenset(("optional", "one", "of", "list", "map", "capability", "overrides", "up", "by", "contract", "differs"))
    | frozenset(("from", "conflict", "people", "perform", "per", "least", "person", "kind", "self", "approvals", "all"))
    | frozenset(("allowing", "same", "max", "value", "covering", "where"))
)
"""Every keyword of the grammar."""

VALUES = frozenset(RISK_LEVELS + SENSITIVITIES + PRINCIPAL_KINDS + EFFECTS + DAYS + EVIDENCE)
"""Words that are values."""

KNOWN = KEYWORDS | VALUES | frozenset(TYPES)
"""Every word the language knows, names of built-in facts and functions apart."""
