"""What every family of lint works on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import field
from functools import cached_property
from itertools import islice
from typing import Any

from policy.check.catalog import AuthorityFacts, Catalog
from policy.check.lint.capabilities import CatalogIndex
from policy.check.lint.contradiction import Contradictions
from policy.check.lint.index import PatternIndex, RouteIndex, entries
from policy.check.lint.misspelt import Words, corrected
from policy.check.lint.views import Condition, View, views
from policy.check.lint.walk import Path, Signed, paths
from policy.ir import nodes as ir
from policy.ir.reads import walk
from policy.source.records import dataclass
from policy.syntax import tree

_NODES = 3_000_000
"""Parts of expressions that one run looks at."""


@dataclass(kw_only=True)
class Material:
    """One layer among the layers of its policy, with a catalog and a directory where there are any.

    What is worked out is kept for the run of lint that made this; nothing outlives it.
    """

    program: ir.Program
    layers: tuple[ir.Program, ...]
    files: tuple[tree.File, ...]
    catalog: Catalog | None
    authorities: tuple[AuthorityFacts, ...] | None
    contradictions: Contradictions = field(default_factory=Contradictions)
    _left: int = field(default=_NODES, init=False)
    _nodes: dict[int, tuple[ir.Expression, ...]] = field(default_factory=dict, init=False)
    _places: dict[int, dict[int, tuple[ir.Read, Path]]] = field(default_factory=dict, init=False)
    _paths: dict[int, dict[int, tuple[ir.Read, Path]]] = field(default_factory=dict, init=False)

    @property
    def outermost(self) -> bool:
        """Whether findings about the whole policy belong to this layer."""
        return self.program is self.layers[0]

    @cached_property
    def views(self) -> tuple[View, ...]:
        """The clauses, rules and approvals of this layer."""
        return views(self.program)

    @cached_property
    def all_views(self) -> tuple[View, ...]:
        """The clauses, rules and approvals of every layer."""
        return tuple(view for layer in self.layers for view in (self.views if layer is self.program else views(layer)))

    @cached_property
    def allows(self) -> RouteIndex:
        """The allow clauses of every layer."""
        return RouteIndex(view for view in self.all_views if view.kind == "allow")

    @cached_property
    def _allowed(self) -> tuple[PatternIndex[View], Words]:
        """The allows of every layer by their scope patterns, and the words of these."""
        views = [view for view in self.all_views if view.kind == "allow"]
        found = [entry for entry in entries(views) if isinstance(entry[0], ir.ScopePattern)]
        words = {word for pattern, _ in found if isinstance(pattern, ir.ScopePattern) for word in pattern.segments}
        return PatternIndex(found), Words(words)

    def meant(self, pattern: ir.ActionPattern, view: View) -> str | None:
        """The pattern one slip of the hand away that an allow on a route of the view lets through.

        None where an allow covers some of the pattern as it stands.
        """
        if not isinstance(pattern, ir.ScopePattern):
            return None
        index, words = self._allowed

        def allowed(other: ir.ActionPattern) -> bool:
            return any(share_route(view, allow) for _, allow in index.overlapping(other))

        return None if allowed(pattern) else corrected(pattern, words, allowed)

    @cached_property
    def mentions(self) -> Counter[str]:
        """At how many places each pattern is written, over all layers; one in a `scopes` set stands at one."""
        places = {(found.text, found.span.location) for view in self.all_views for found in view.patterns or ()}
        return Counter(text for text, _ in places)

    @cached_property
    def denies(self) -> tuple[RouteIndex, RouteIndex]:
        """The denies of every layer, those of routes too: first those without a condition, then the others."""
        found: tuple[list[View], list[View]] = ([], [])
        for view in self.all_views:
            if view.kind in {"deny", "clause deny"}:
                found[not unconditional(view.conditions, self.contradictions)].append(view)
        return RouteIndex(found[0]), RouteIndex(found[1])

    @cached_property
    def capabilities(self) -> CatalogIndex | None:
        """The catalog by scope."""
        return None if self.catalog is None else CatalogIndex(self.catalog)

    @cached_property
    def uses(self) -> dict[str, tuple[View, ...]]:
        """The rules of this layer that ask for an approval, by the approval's id; defaults are not among them."""
        found: dict[str, list[View]] = {}
        for view in self.views:
            node = view.node
            if isinstance(node, ir.Require):
                if node.approval is not None:
                    found.setdefault(node.approval, []).append(view)
            elif isinstance(node, ir.Risk):
                for tier in node.tiers:
                    if tier.approval is not None:
                        found.setdefault(tier.approval, []).append(view)
        return {approval: tuple(users) for approval, users in found.items()}

    @cached_property
    def by_default(self) -> frozenset[str]:
        """The ids of the default approvals of this layer."""
        return frozenset(default.approval for default in self.program.defaults)

    def nodes(self, expression: ir.Expression, *kinds: type) -> Iterator[Any]:
        """The parts of an expression that are of one of the kinds, parents first.

        Once a run has walked very far, as through a huge define that thousands of rules use, an expression counts as
        empty: what is not looked at is not reported.
        """
        known = self._nodes.get(id(expression))
        if known is None:
            known = tuple(islice(walk(expression), self._left + 1))
            self._left -= len(known)
            if self._left < 0:
                known, self._left = (), 0
            self._nodes[id(expression)] = known
        return (node for node in known if isinstance(node, kinds))

    def places(self, expression: ir.Expression) -> dict[int, tuple[ir.Read, Path]]:
        """The path of every read in an expression, by the read's identity."""
        known = self._places.get(id(expression))
        if known is None:
            known = paths(expression) if any(self.nodes(expression, ir.Read)) else {}
            self._places[id(expression)] = known
        return known

    def paths(self, view: View) -> dict[int, tuple[ir.Read, Path]]:
        """Every path that a view reads, in its conditions and its values."""
        known = self._paths.get(id(view.node))
        if known is not None:
            return known
        found: dict[int, tuple[ir.Read, Path]] = {}
        for expression in (*(condition.expression for condition in view.conditions), *view.values):
            found |= self.places(expression)
        self._paths[id(view.node)] = found
        return found


def share_route(one: View, other: View) -> bool:
    """Whether some route belongs to both."""
    return one.routes is None or other.routes is None or not set(one.routes).isdisjoint(other.routes)


def unconditional(conditions: Iterable[Condition], contradictions: Contradictions) -> bool:
    """Whether a rule with these conditions applies to whatever its patterns and routes match."""
    return all(
        contradictions.never_true([Signed(condition.expression, condition.label == "unless")])
        for condition in conditions
    )
