"""What is legal and most probably not meant (language.md section 11), each family in its own module."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from policy.check.catalog import AuthorityFacts, Catalog
from policy.check.lint.accept import apply_accepts
from policy.check.lint.allows import lint_allows
from policy.check.lint.approvals import lint_approvals
from policy.check.lint.authorities import lint_authorities
from policy.check.lint.conditions import lint_conditions
from policy.check.lint.deployment import lint_deployment
from policy.check.lint.inputs import lint_inputs
from policy.check.lint.material import Material
from policy.check.lint.numbers import lint_numbers
from policy.check.lint.patterns import lint_patterns
from policy.check.lint.roles import lint_roles
from policy.check.lint.rules import lint_rules
from policy.check.lint.separations import lint_separations
from policy.check.lint.unused import lint_unused
from policy.ir import nodes as ir
from policy.source.diagnostic import Diagnostic
from policy.syntax import tree

__all__ = ["apply_accepts", "lint"]

_FAMILIES: tuple[Callable[[Material], Iterator[Diagnostic]], ...] = (
    lint_conditions,
    lint_roles,
    lint_allows,
    lint_patterns,
    lint_rules,
    lint_unused,
    lint_separations,
    lint_approvals,
    lint_inputs,
    lint_numbers,
    lint_deployment,
    lint_authorities,
)


def lint(
    program: ir.Program,
    files: Sequence[tree.File],
    catalog: Catalog | None = None,
    authorities: Sequence[AuthorityFacts] | None = None,
    policy_set: ir.PolicySet | None = None,
) -> tuple[Diagnostic, ...]:
    """The findings about one layer, in the order of its text, before any accept comment is applied.

    `files` are the layer's trees, `policy_set` the whole policy with this layer in it (None: this layer alone).
    What a catalog or a directory brings to light is found only where one is given. `apply_accepts` belongs behind the
    findings of every pass and layer. Takes time in proportion to the rules, not to their pairs.
    """
    material = Material(
        program=program,
        layers=(program,) if policy_set is None else policy_set.layers,
        files=tuple(files),
        catalog=catalog,
        authorities=None if authorities is None else tuple(authorities),
    )
    found = {_place(item): item for family in _FAMILIES for item in family(material)}
    order = {file.source.name: number for number, file in enumerate(files)}
    return tuple(
        item
        for _, item in sorted(
            found.items(), key=lambda entry: (order.get(entry[0][0], len(order)), entry[0][1], entry[0][2:])
        )
    )


def _place(item: Diagnostic) -> tuple[str, int, int, str, str]:
    """A define that two rules use is looked at twice and reported once."""
    if item.span is None:
        return item.location, 0, 0, item.code, item.message
    return item.span.source.name, item.span.start, item.span.end, item.code, ""
