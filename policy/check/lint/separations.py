"""Separations of duties that ask for too much or for nothing new."""

from __future__ import annotations

from collections.abc import Iterator

from policy.check.lint.finding import finding
from policy.check.lint.material import Material
from policy.ir import nodes as ir
from policy.source.diagnostic import Diagnostic

PARTIES = frozenset({"requester", "operator", "subject", "delegators"})
"""Who may not approve, by default, whatever an approval says of approvers."""


def lint_separations(material: Material) -> Iterator[Diagnostic]:
    """Every finding about one separation."""
    lifted = any(approval.self_approval for layer in material.layers for approval in layer.approvals)
    for separation in material.program.separations:
        form = separation.form
        if isinstance(form, ir.RolesConflict) and separation.selector.patterns is None:
            yield finding(
                "lint.conflict_everywhere",
                "without `for` this conflict refuses every action, of any capability, whose parties state no roles",
                form.span,
                help="say which scopes it is about: `for payment.** roles … conflict`",
            )
        if isinstance(form, ir.DiffersFrom) and form.who == "approver" and not lifted and _parties_only(form):
            yield finding(
                "lint.adds_nothing",
                "this separation adds nothing: requester, operator, subject and delegators never approve, "
                "since no approval says `allow self approval`",
                form.span,
                help="name another party, such as a trusted path, or drop it",
            )


def _parties_only(form: ir.DiffersFrom) -> bool:
    return all(party.root in PARTIES and not party.steps and not party.variable for party in form.parties)
