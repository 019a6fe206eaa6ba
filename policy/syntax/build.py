"""Parse tree to surface tree: the statements of a file."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from policy.syntax import build_rules, build_statements, tree
from policy.syntax.branch import Branch
from policy.syntax.build_approvals import approval
from policy.syntax.report import MalformedError, Report

_STATEMENTS: Mapping[str, Callable[[Report, Branch], tree.Statement]] = MappingProxyType(
    {
        "policy": build_statements.policy,
        "import": build_statements.imported,
        "context": build_statements.context,
        "directory": build_statements.directory,
        "scopes": build_statements.scopes,
        "define": build_statements.define,
        "route": build_statements.route,
        "deny": build_rules.deny,
        "require": build_rules.require,
        "raise": build_rules.raise_,
        "risk": build_rules.risk,
        "separation": build_rules.separation,
        "obligation": build_rules.obligation,
        "approval": approval,
    }
)


def statement(report: Report, branch: Branch) -> tree.Statement | None:
    """The statement of a parse; None where no tree can be made of it, which is reported."""
    try:
        return _STATEMENTS[branch.rule](report, branch)
    except MalformedError:
        return None
