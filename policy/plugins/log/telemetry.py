"""Spans and counters through the API package of OpenTelemetry; what becomes of them is the host's to configure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from policy.model.decision import Decision
from policy.plugins.problems import ConfigurationError
from policy.source.codes import CODES

_NAME = "agent-policy"
_OTHER = "other"


class Telemetry:
    """Tells of calls. No value of an input, no principal and no session is in an attribute."""

    def __init__(self, *, tracer_provider: Any = None, meter_provider: Any = None) -> None:
        """Through the given providers, else the global ones. Raises ConfigurationError without `opentelemetry-api`."""
        try:
            trace, metrics = import_module("opentelemetry.trace"), import_module("opentelemetry.metrics")
        except ImportError as error:
            raise ConfigurationError("telemetry needs the extra `agent-policy[opentelemetry]`") from error
        self._tracer = trace.get_tracer(_NAME, tracer_provider=tracer_provider)
        meter = metrics.get_meter(_NAME, meter_provider=meter_provider)
        self._decisions = meter.create_counter(
            "agent_policy.decisions", unit="{decision}", description="Answered calls, each once"
        )
        self._denials = meter.create_counter(
            "agent_policy.denials", unit="{denial}", description="Reasons of denied calls, by code"
        )
        self._reloads = meter.create_counter(
            "agent_policy.reloads", unit="{reload}", description="Reloads of the policy, by result"
        )

    @contextmanager
    def span(self, operation: str) -> Iterator[Any]:
        """A span around an operation."""
        with self._tracer.start_as_current_span(f"agent_policy.{operation}") as span:
            yield span

    def tell(self, span: Any, decision: Decision) -> None:
        """Say on a span what was decided."""
        span.set_attribute("agent_policy.outcome", decision.outcome.value)
        span.set_attribute("agent_policy.policy_hash", decision.policy_hash)
        span.set_attribute("agent_policy.reasons", sorted({reason.code for reason in decision.reasons}))

    def count(self, operation: str, decision: Decision) -> None:
        """Count a call."""
        self._decisions.add(1, {"operation": operation, "outcome": decision.outcome.value})
        for code in sorted({reason.code for reason in decision.reasons if reason.effect == "deny"}):
            self._denials.add(1, {"operation": operation, "code": code if code in CODES else _OTHER})

    def count_reload(self, result: str) -> None:
        """Count a reload."""
        self._reloads.add(1, {"result": result})
