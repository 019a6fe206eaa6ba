"""The clauses of one block: which stand there, which stand twice, which are missing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from types import MappingProxyType

from policy.source.diagnostic import Related
from policy.source.records import dataclass
from policy.source.text import Span
from policy.syntax.branch import Branch
from policy.syntax.report import Report
from policy.syntax.tokens import Token

TITLES: Mapping[str, str] = MappingProxyType(
    {
        "default_approval": "default approval",
        "on_route": "on route",
        "deny_reach": "deny",
        "approval_clause": "approval",
        "to": "to",
        "unattended": "unattended up to",
        "approve": "approve up to",
        "differs": "differs from",
        "different_people": "different people perform",
        "also_on_deny": "also on deny",
        "distinct_by": "distinct by",
        "at_least": "at least",
        "valid_for": "valid for",
        "denied_by": "denied by",
        "approvers_of_kind": "approvers of kind",
        "self_approval": "allow self approval",
        "max_risk": "max risk",
        "max_value": "max value",
    }
)
"""A rule of the grammar to the words by which people know it; the others go by their name."""


def title(rule: str) -> str:
    """The words by which people know a clause."""
    return TITLES.get(rule, rule)


@dataclass(slots=True)
class Clauses:
    """The clauses of one block, by rule of the grammar, in the order of the text."""

    report: Report
    owner: Branch
    keyword: str
    of: dict[str, list[Branch]] = field(default_factory=dict)

    def add(self, clause: Branch) -> None:
        """Take up a clause."""
        self.of.setdefault(clause.rule, []).append(clause)

    def once(self, rule: str) -> Branch | None:
        """The clause that may stand once; a second one is reported."""
        found = self.of.get(rule)
        if found is None:
            return None
        self.each_once(rule, found)
        return found[0]

    def each_once(self, rule: str, found: Iterable[Branch]) -> None:
        """Report every clause behind the first."""
        first: Branch | None = None
        for clause in found:
            if first is None:
                first = clause
                continue
            self.report.error(
                "syntax.repeated_clause",
                f"`{title(rule)}` stands twice in this `{self.keyword}`; write it once",
                head(self.report, clause),
                related=(Related(message="first here", span=head(self.report, first)),),
            )

    def many(self, rule: str) -> list[Branch]:
        """The clauses of a kind that may stand several times."""
        return self.of.get(rule, [])

    def missing(self, message: str, *, code: str = "syntax.missing_clause", help: str | None = None) -> None:
        """Report that the block lacks something; the place is the statement's head."""
        self.report.error(code, message, opening(self.report, self.owner), help=help)


def gather(report: Report, owner: Branch, keyword: str, clauses: Iterable[Branch]) -> Clauses:
    """The clauses of a block; an empty block is reported."""
    result = Clauses(report, owner, keyword)
    for clause in clauses:
        result.add(clause)
    return result


def head(report: Report, clause: Branch) -> Span:
    """The keyword of a clause, without what follows it."""
    last = clause.children[0]
    for child in clause.children:
        if type(child) is not Token or child.kind != "NAME" or child.type == "NAME":
            break
        last = child
    return Span(report.source, clause.start, last.end)


def opening(report: Report, statement: Branch) -> Span:
    """The head of a statement: its keyword and id."""
    end = statement.children[0].end
    for child in statement.children[1:]:
        if type(child) is not Token or child.type not in ("STRING", "ROUTE"):
            break
        end = child.end
    return Span(report.source, statement.start, end)
