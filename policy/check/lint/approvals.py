"""Approvals that one person gives alone, or that nobody can give."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from policy.check.lint.finding import finding, heading, listed
from policy.check.lint.index import RouteIndex
from policy.check.lint.material import Material, unconditional
from policy.check.lint.people import fewest_people, fewest_slots, named_principals
from policy.check.lint.separations import PARTIES
from policy.check.lint.views import View
from policy.check.lint.walk import unshared
from policy.ir import nodes as ir
from policy.ir.patterns import covers
from policy.source.diagnostic import Diagnostic, Related
from policy.source.records import dataclass
from policy.source.text import Span
from policy.types.patterns import ANY_SEGMENTS

_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "2": 2, "3": 3, "4": 4, "5": 5}
_ASKED = re.compile(
    r"\b(two|three|four|five|2|3|4|5)\s+(?:[a-z]+\s+){0,2}"
    r"(?:people|persons|approvers|approvals|humans|managers|reviewers|officers|signatures|colleagues)\b"
)
_TWO = re.compile(r"\b(?:four eyes|dual control|second person|two person|two man|another person as well)\b")
_Excluded = frozenset[tuple[object, ...]]
_PARTIES: _Excluded = frozenset((party,) for party in PARTIES)


def lint_approvals(material: Material) -> Iterator[Diagnostic]:
    """Every finding about one approval."""
    separations = _separations(material)
    for approval in material.program.approvals:
        fewest = fewest_people(approval)
        meant = max(fewest_slots(approval.need), _asked(approval.describe, approval.because, approval.id))
        if fewest < 2 <= meant:
            yield _one_person(approval.id, heading(approval.span), meant)
        yield from _without_parties(approval)
        yield from _separated(material, separations, approval)
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
    if not _possible(approval.need, _PARTIES):
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


@dataclass(slots=True)
class _Separations:
    """The separations that keep somebody from approving: whom each excludes, in the order of the layers."""

    excluded: dict[int, tuple[int, _Excluded]]
    """By the identity of the separation, its place in the order and whom it excludes."""
    together: _Excluded
    """Whom all of them exclude."""
    everywhere: list[View]
    index: RouteIndex

    def around(self, users: Sequence[View]) -> list[View]:
        """Those that hold everywhere or for a whole pattern of one of the rules, in order."""
        found = {id(view.node): view for view in self.everywhere}
        for user in users:
            for own in user.patterns or (ir.ScopePattern(span=user.span, segments=(ANY_SEGMENTS,)),):
                found |= {id(view.node): view for view in self.index.covering(own, user.routes) if _inside(user, view)}
        return sorted(found.values(), key=lambda view: self.excluded[id(view.node)][0])


def _separations(material: Material) -> _Separations:
    excluded: dict[int, tuple[int, _Excluded]] = {}
    found: list[View] = []
    for view in material.all_views:
        form = view.node.form if isinstance(view.node, ir.Separation) else None
        if isinstance(form, ir.DiffersFrom) and form.who == "approver":
            keys = frozenset(key for key in map(_key, form.parties) if key is not None)
            excluded[id(view.node)] = len(found), keys
            found.append(view)
    everywhere = [view for view in found if view.patterns is None and view.routes is None]
    together = frozenset(key for _, keys in excluded.values() for key in keys)
    return _Separations(excluded, together, everywhere, RouteIndex(found))


def _separated(material: Material, separations: _Separations, approval: ir.Approval) -> Iterator[Diagnostic]:
    """Who is asked for is kept from approving by a separation that holds wherever the approval is needed."""
    own: _Excluded = frozenset() if approval.self_approval else _PARTIES
    # Who is left when all of the separations exclude at once is left by each of them.
    if _possible(approval.need, own | separations.together):
        return
    possible: dict[_Excluded, bool] = {}
    for view in separations.around(material.uses.get(approval.id, ())):
        keys = separations.excluded[id(view.node)][1]
        if keys not in possible:
            possible[keys] = _possible(approval.need, keys | own)
        if possible[keys] or not unconditional(view.conditions, material.contradictions):
            continue
        yield finding(
            "lint.all_excluded",
            f"nobody can complete approval `{approval.id}`: separation `{view.name}` excludes who it asks for",
            heading(approval.span),
            help="ask somebody else, or narrow the separation",
            related=(Related(message="excluded here", span=heading(view.span)),),
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


def _inside(user: View, separation: View) -> bool:
    """Whether a separation applies to some of a rule's actions whenever that rule does."""
    if separation.routes is not None and (user.routes is None or not set(user.routes) <= set(separation.routes)):
        return False
    if separation.patterns is None:
        return True
    own = user.patterns or ()
    return any(covers(wider, pattern) for pattern in own for wider in separation.patterns)
