"""The example capability of the AIP documentation."""

from __future__ import annotations

from pathlib import Path

from policy.contracts.catalog import load_catalog
from policy.types.values import RiskLevel

_FILE = Path(__file__).parent / "data" / "aip-booking.json"


def test_the_booking_capability_is_admitted_without_a_finding() -> None:
    catalog = load_catalog(_FILE)
    assert (catalog.kind, catalog.diagnostics) == ("capability", ())
    capability = catalog.capabilities["cap:calendar:booking:create"]
    assert (capability.scope, capability.scope_wellformed, capability.callable) == (None, True, True)
    assert capability.effects == ("write", "external_network")
    assert (capability.readonly, capability.declared_risk) == (False, RiskLevel.MEDIUM)
    assert capability.contract is not None
    assert (capability.contract.idempotency.requirement, capability.contract.idempotency.key_scope) == (
        "required",
        "tenant",
    )


def test_its_input_is_judged_by_its_schema() -> None:
    schema = load_catalog(_FILE).capabilities["cap:calendar:booking:create"].input_schema
    assert schema.violations({"starts_at": "2026-11-30T10:00:00Z"}) == ()
    starts: list[object] = [{}, {"starts_at": 5}, {"starts_at": "tomorrow"}, []]
    for wrong in [*starts, {"starts_at": "2026-11-30T10:00:00Z", "x": 1}]:
        assert len(schema.violations(wrong)) == 1
