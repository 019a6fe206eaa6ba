"""What lowering the statements of one layer works on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from policy.check.environment import Environment
from policy.ir import nodes as ir
from policy.source.records import dataclass
from policy.source.text import Span
from policy.syntax import tree


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedsDefault:
    """A place that leaves the approval to the default ones."""

    span: Span
    patterns: tuple[ir.ActionPattern, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class LayerNames:
    """The names of a layer that only statements use, beside those of expressions."""

    env: Environment
    approvals: Mapping[str, tree.Approval]
    risks: Mapping[str, tree.Risk]
    needs_default: list[NeedsDefault] = field(default_factory=list)
    """Filled while statements are lowered: the defaults of every layer count."""

    def approval(self, name: tree.Text) -> str:
        """The id of an approval that is named; reports one that is not declared."""
        if name.value not in self.approvals:
            help = self.env.report.suggest(name.value, self.approvals)
            message = f"there is no approval `{name.value}` in this layer"
            self.env.report.add("name.unknown_approval", message, name.span, help=help)
        return name.value

    def reference(self, written: tree.ApprovalReference, patterns: tuple[ir.ActionPattern, ...] | None) -> str | None:
        """The approval that a rule names, or None where it leaves it to the defaults or the contract."""
        if written.name is not None:
            return self.approval(written.name)
        if written.kind == "default":
            self.needs_default.append(NeedsDefault(span=written.span, patterns=patterns))
        return None
