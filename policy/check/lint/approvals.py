"""Approvals that one person gives alone, or that nobody can give."""

from __future__ import annotations

import re
from collections.abc import Iterator

from policy.check.lint.finding import finding, heading, listed
from policy.check.lint.material import Material, unconditional
from policy.check.lint.people import fewest_people, fewest_slots, named_principals
from policy.check.lint.separations import PARTIES
from policy.check.lint.views import View
from policy.check.lint.walk import unshared
from policy.ir import nodes as ir
from policy.ir.patterns import covers
from policy.source.diagnostic import Diagnostic, Related
from policy.source.text import Span

_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_ASKED = re.compile(
    r"\b(two|three|four|five|2|3|4|5)\s+(?:[a-z]+\s+){0,2}"
    r"(?:people|persons|approvers|approvals|humans|managers|reviewers|officers|signatures|colleagues)\b"
)
_TWO = re.compile(r"\b(?:four eyes|dual control|second person|two person|two man|another person as well)\b")
_Excluded = frozenset[tuple[object, ...]]


def lint_approvals(material: Material) -> Iterator[Diagnostic]:
    """Every finding about one approval."""
    for approval in material.program.approvals:
        fewest = fewest_people(approval)
        meant = max(fewest_slots(approval.need), _asked(approval.describe, approval.because, approval.id))
        if fewest < 2 <= meant:
            yield _one_person(approval.id, heading(approval.span), meant)
        yield from _without_parties(approval)
        yield from _separated(material, approval)
    approvals = {approval.id: approval for approval in material.program.approvals}
    for rule in material.program.requires:
        named = approvals.get(rule.approval or "")
        if named is not None and fewest_people(named) < 2 <= _asked(rule.because):
            yield _one_person(named.id, heading(rule.span), _asked(rule.because))


def _one_person(name: str, span: Span, meant: int) -> Diagnostic:
    return finding(
        "lint.one_person",
        f"one person can complete approval `{name}` alone, where its text speaks of {meant}",
        span,
        help="add `at least 2 people`, or write `2 approvals from { … }`",
    )


def _asked(*texts: str | None) -> int:
    """How many people a text for people speaks of; 0 where it says nothing."""
    most = 0
    for text in texts:
        plain = re.sub(r"[\s_-]+", " ", text or "").lower()
        most = max([most, *(_NUMBERS[found] for found in _ASKED.findall(plain))])
        if _TWO.search(plain):
            most = max(most, 2)
    return most


def _without_parties(approval: ir.Approval) -> Iterator[Diagnostic]:
    """Who is asked for is a party of the action, and parties never approve without `allow self approval`."""
    if approval.self_approval:
        return
    parties = frozenset((party,) for party in PARTIES)
    if not _possible(approval.need, parties):
        yield finding(
            "lint.all_excluded",
            f"nobody can complete approval `{approval.id}`: it asks for parties of the action, who never approve",
            heading(approval.span),
            help="write `allow self approval`, or ask somebody else",
        )
        return
    named = named_principals(approval.need)
    if named is not None and 2 <= fewest_people(approval) == len(named):
        yield finding(
            "lint.no_spare_approver",
            f"approval `{approval.id}` needs every one of {listed(sorted(named))}: none of them can be replaced "
            "when the action is their own",
            heading(approval.span),
            help="name one more principal, or a role or group",
        )


def _separated(material: Material, approval: ir.Approval) -> Iterator[Diagnostic]:
    """Who is asked for is kept from approving by a separation that holds wherever the approval is needed."""
    for layer in material.layers:
        for separation in layer.separations:
            form = separation.form
            if not isinstance(form, ir.DiffersFrom) or form.who != "approver":
                continue
            excluded = frozenset(key for key in (_key(party) for party in form.parties) if key is not None)
            if not approval.self_approval:
                excluded |= {(party,) for party in PARTIES}
            if _possible(approval.need, excluded) or not _holds(material, separation, approval):
                continue
            yield finding(
                "lint.all_excluded",
                f"nobody can complete approval `{approval.id}`: separation `{separation.id}` excludes who it asks for",
                heading(approval.span),
                help="ask somebody else, or narrow the separation",
                related=(Related(message="excluded here", span=heading(separation.span)),),
            )
            return


def _possible(need: ir.Need, excluded: _Excluded) -> bool:
    """Whether a need can be met when those behind the excluded paths do not count."""
    match need:
        case ir.Leaf():
            return need.value is None or _key(need.value) not in excluded
        case ir.Pool():
            return any(_possible(leaf, excluded) for leaf in need.leaves)
        case ir.Slots():
            return sum(_possible(child, excluded) for child in need.children) >= need.count


def _key(expression: ir.Expression) -> tuple[object, ...] | None:
    """The path of a principal; its id names the same principal."""
    read = unshared(expression)
    if not isinstance(read, ir.Read) or read.variable or not all(isinstance(step, str) for step in read.steps):
        return None
    steps = read.steps[:-1] if read.root in PARTIES and read.steps == ("id",) else read.steps
    return (read.root, *steps)


def _holds(material: Material, separation: ir.Separation, approval: ir.Approval) -> bool:
    """Whether the separation applies to some rule's actions whenever that rule asks for the approval."""
    selector = separation.selector
    if selector.when is not None or selector.unless is not None:
        view = next(view for view in material.all_views if view.node is separation)
        if not unconditional(view.conditions, material.contradictions):
            return False
    if selector.patterns is None and selector.routes is None:
        return True
    return any(_inside(user, selector) for user in material.uses.get(approval.id, ()))


def _inside(user: View, selector: ir.Selector) -> bool:
    if selector.routes is not None and (user.routes is None or not set(user.routes) <= set(selector.routes)):
        return False
    if selector.patterns is None:
        return True
    return user.patterns is not None and any(covers(wider, own) for own in user.patterns for wider in selector.patterns)
