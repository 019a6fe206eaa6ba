"""Spans and counters, through the real OpenTelemetry SDK of a host."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from policy.plugins import ConfigurationError, MemoryApprovalStore, Telemetry
from tests.plugins.world import STRICTER, action, approved, authorizer, context

Attributes = frozenset[tuple[str, Any]]


class Observed:
    """What a host sees."""

    def __init__(self) -> None:
        self.spans = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self.spans))
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider(metric_readers=[self.reader])
        self.telemetry = Telemetry(tracer_provider=self.tracers, meter_provider=self.meters)

    def counts(self, name: str) -> Mapping[Attributes, float]:
        data = self.reader.get_metrics_data()
        assert data is not None
        return {
            frozenset((point.attributes or {}).items()): point.value  # type: ignore[union-attr]
            for resource in data.resource_metrics
            for scope in resource.scope_metrics
            for metric in scope.metrics
            if metric.name == name
            for point in metric.data.data_points
        }


def labels(**given: str) -> Attributes:
    return frozenset(given.items())


def test_calls_are_counted_once(tmp_path: Path) -> None:
    observed = Observed()
    with authorizer(tmp_path, approvals=MemoryApprovalStore(), telemetry=observed.telemetry) as made:
        handle = approved(made, action())
        for _ in range(3):
            made.authorize(action("order.read"), "order.read", context())
            made.authorize(action("payment.bulk"), "payment.bulk", context())
            made.release(action(), "payment.pay", context(), handle=handle)
    assert observed.counts("agent_policy.decisions") == {
        labels(operation="authorize", outcome="require-approval"): 1,
        labels(operation="authorize", outcome="allow"): 1,
        labels(operation="authorize", outcome="deny"): 1,
        labels(operation="release", outcome="allow"): 1,
        labels(operation="release", outcome="deny"): 1,
    }
    assert observed.counts("agent_policy.denials") == {
        labels(operation="authorize", code="scope.denied"): 1,
        labels(operation="release", code="approval.consumed"): 1,
    }


def test_a_span_tells_what_was_decided_and_nothing_of_people_or_values(tmp_path: Path) -> None:
    observed = Observed()
    with authorizer(tmp_path, approvals=MemoryApprovalStore(), telemetry=observed.telemetry) as made:
        made.authorize(action(amount=4_242), "payment.pay", context(session="s-secret"))
        digest = made.engine.policy_hash
    (span,) = observed.spans.get_finished_spans()
    assert span.name == "agent_policy.authorize"
    assert dict(span.attributes or {}) == {
        "agent_policy.outcome": "require-approval",
        "agent_policy.policy_hash": digest,
        "agent_policy.reasons": ("rule.requires_approval", "scope.allowed"),
    }


def test_reloads_are_counted(tmp_path: Path) -> None:
    observed = Observed()
    with authorizer(tmp_path, telemetry=observed.telemetry) as made:
        (tmp_path / "payments.policy").write_text("nonsense")
        assert not made.reload_now()
        (tmp_path / "payments.policy").write_text(STRICTER)
        assert made.reload_now()
    assert observed.counts("agent_policy.reloads") == {labels(result="kept"): 1, labels(result="swapped"): 1}


def test_a_counter_that_fails_decides_nothing(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Telemetry):
        def count(self, *arguments: Any) -> None:
            raise RuntimeError

    with authorizer(tmp_path, telemetry=Broken()) as made:
        assert made.authorize(action("order.read"), "order.read", context()).allowed
    assert "a call was not counted" in caplog.text


def test_without_the_extra_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry.trace", None)
    with pytest.raises(ConfigurationError, match=r"agent-policy\[opentelemetry\]"):
        Telemetry()


def test_only_the_api_package_is_imported(tmp_path: Path) -> None:
    import subprocess

    code = (
        "import sys\nfrom policy.plugins import Authorizer, DecisionLog\n"
        "print(any(m.startswith('opentelemetry') for m in sys.modules))\n"
        "from policy.plugins import Telemetry\nTelemetry()\n"
        "print(any(m.startswith('opentelemetry.sdk') for m in sys.modules))"
    )
    root = Path(__file__).parents[2]
    found = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert found.stdout.split() == ["False", "False"]
