"""Conditions at decision time: the interpreter over the facts of one request.

Nothing else on this floor calls the interpreter, so that an uncertain risk and an input that breaks its schema mean
the same everywhere.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from policy.backend.emit.support import UNANSWERED, Facts
from policy.backend.interpreter import Evaluation
from policy.backend.problems import ill_typed
from policy.backend.trace import Trace, TraceNode
from policy.ir import nodes as ir
from policy.ir.reads import roots
from policy.source.limits import DEFAULT_LIMITS, Limits
from policy.source.records import dataclass
from policy.types.comparison import equal
from policy.types.values import RiskLevel, Unevaluable

if TYPE_CHECKING:
    from policy.decide.plan import PlannedFunctions

UNJUDGED = Unevaluable("input", "breaks its schema, so no condition on it is judged")
"""What every expression that reads an invalid input gives: the violation is the reason, the condition is none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluated:
    """One evaluation of an expression: its value, the extra names it was given, a tree for each level of risk."""

    value: object
    given: Mapping[str, object]
    trees: tuple[TraceNode, ...]


class Record:
    """Every evaluation of a request, by expression; belongs to one explanation, never shared."""

    __slots__ = ("_kept",)

    def __init__(self) -> None:
        # Keyed by identity; each entry holds its expression, so that no identity comes back while it lives.
        self._kept: dict[int, tuple[ir.Expression, list[Evaluated]]] = {}

    def add(self, expression: ir.Expression, evaluated: Evaluated) -> None:
        """Keep an evaluation."""
        self._kept.setdefault(id(expression), (expression, []))[1].append(evaluated)

    def of(self, expression: ir.Expression) -> tuple[Evaluated, ...]:
        """The evaluations of an expression, in their order; none where it was not needed."""
        entry = self._kept.get(id(expression))
        return () if entry is None else tuple(entry[1])


class Conditions:
    """Evaluates expressions over the facts of one request; belongs to one decision and one thread.

    `levels` are the levels of risk that are possible: none while the risk is not known yet, one where it is certain.
    A condition that reads `risk` is evaluated at every level; equal results stand, else it is unevaluable.
    """

    __slots__ = ("_direct", "_evaluations", "_facts", "_functions", "_input_valid", "_levels", "_limits", "_record")

    def __init__(
        self,
        facts: Facts,
        levels: Sequence[RiskLevel] = (),
        *,
        input_valid: bool = True,
        limits: Limits = DEFAULT_LIMITS,
        record: Record | None = None,
        functions: PlannedFunctions | None = None,
    ) -> None:
        """Conditions over `facts`, by generated `functions` where there are any; a `record` needs the interpreter."""
        if len(levels) == 1:
            facts["risk"] = levels[0]
        self._facts = facts
        self._levels = tuple(levels)
        self._input_valid = input_valid
        self._limits = limits
        self._record = record
        self._functions = functions if record is None else None
        # Where the input is valid and the risk certain, a function's answer is the answer.
        self._direct = input_valid and len(levels) < 2 and self._functions is not None
        self._evaluations: dict[RiskLevel | None, Evaluation] = {}

    @property
    def facts(self) -> Facts:
        """What conditions read; the risk is among it where it is certain."""
        return self._facts

    def evaluate(self, expression: ir.Expression, **extra: object) -> object:
        """The runtime value of an expression, or an Unevaluable; `extra` are further names, such as `approver`."""
        if self._direct and self._functions is not None:
            function = self._functions.of(expression)
            if function is not None:
                answer = function(self._facts.extended(extra) if extra else self._facts)
                if answer is not UNANSWERED:
                    return answer
        return self._interpreted(expression, extra)

    def _interpreted(self, expression: ir.Expression, extra: Mapping[str, object]) -> object:
        levels: Sequence[RiskLevel | None] = self._levels[:1] or (None,)
        if not self._input_valid or len(self._levels) > 1:
            read = roots(expression)
            if "input" in read and not self._input_valid:
                return self._kept(expression, UNJUDGED, extra, ())
            if "risk" in read:
                levels = self._levels or (None,)
        values = []
        trees: list[TraceNode] = []
        for level in levels:
            if self._record is None and not extra:
                values.append(self._evaluation(level).value(expression))
                continue
            trace = None if self._record is None else Trace()
            values.append(Evaluation(self._at(level, extra), self._limits, trace).value(expression))
            trees.extend(() if trace is None else trace.nodes)
        return self._kept(expression, self._agreed(values), extra, tuple(trees))

    def condition(self, expression: ir.Expression, **extra: object) -> bool | Unevaluable:
        """True, False or an Unevaluable; a value that is no boolean is no answer."""
        value = self.evaluate(expression, **extra)
        if isinstance(value, bool | Unevaluable):
            return value
        return ill_typed(expression, value, "a condition")

    def _at(self, level: RiskLevel | None, extra: Mapping[str, object]) -> Mapping[str, object]:
        more = dict(extra) if level is None or len(self._levels) == 1 else {"risk": level, **extra}
        return self._facts.extended(more) if more else self._facts

    def _evaluation(self, level: RiskLevel | None) -> Evaluation:
        if level not in self._evaluations:
            self._evaluations[level] = Evaluation(self._at(level, {}), self._limits)
        return self._evaluations[level]

    def _agreed(self, values: Sequence[object]) -> object:
        first = values[0]
        if len(values) == 1 or all(isinstance(value, Unevaluable) for value in values):
            return first
        if not any(isinstance(value, Unevaluable) for value in values) and all(
            equal(first, value) is True for value in values[1:]
        ):
            return first
        return Unevaluable("risk", f"is uncertain: {self._levels[0].value} to {self._levels[-1].value}")

    def _kept(
        self, expression: ir.Expression, value: object, given: Mapping[str, object], trees: tuple[TraceNode, ...]
    ) -> object:
        if self._record is not None:
            self._record.add(expression, Evaluated(value=value, given=given, trees=trees))
        return value
