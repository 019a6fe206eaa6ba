"""Capability documents that are admitted: AIP contracts, ACC declarations, both."""

from __future__ import annotations

from functools import cache
from typing import Any

from hypothesis import strategies as st

from tests.properties.generators.optional import maybe, present, rarely
from tests.properties.generators.world import GROUPS, INPUT_SCHEMA, PEOPLE, ROLES, SCOPES


@cache
@st.composite
def contracts(draw: st.DrawFn) -> dict[str, Any]:
    """An AIP contract that is admitted."""
    effects = draw(
        st.lists(st.sampled_from(["read", "write", "delete", "financial", "external_network"]), max_size=2, unique=True)
    )
    contract = present(
        side_effects=effects,
        idempotency={
            "requirement": draw(st.sampled_from(["required", "optional"])),
            "collision_behavior": "reject_conflict",
            "key_scope": "tenant",
        },
        execution={
            "supports_sync": True,
            "supports_async": draw(st.booleans()),
            "supports_streaming": False,
            "supports_cancel": False,
            "supports_retry": False,
            "expected_completion": "sync",
            "retry_safety": "unknown",
        },
        data=present(
            sensitivity=draw(st.sampled_from(["public", "internal", "restricted", "regulated", "unknown"])),
            contains_pii=draw(st.booleans()),
            redaction_required=draw(st.booleans()),
            residency=rarely(draw, st.just({"allowed_regions": ["eu"], "prohibited_regions": ["us"]})),
        ),
        credentials=rarely(
            draw,
            st.just(
                {
                    "required": True,
                    "accepted_issuers": ["iss-1"],
                    "required_scopes": ["pay"],
                    "allow_oauth_refresh": False,
                }
            ),
        ),
        approval=maybe(draw, contract_approvals(), 3),
        transaction=maybe(
            draw,
            st.just(
                {
                    "supported_modes": ["execute", "dry_run", "plan", "commit"],
                    "requires_plan_before_commit": True,
                    "dry_run_fidelity": "schema_only",
                }
            ),
            2,
        ),
    )
    if draw(st.integers(1, 4)) == 3:
        contract["compensation"] = {
            "mode": "supported",
            "compensation_capability_id": "cap:undo",
            "compensation_window_ms": 3_600_000,
            "requires_approval": draw(st.booleans()),
        }
    return contract


@cache
@st.composite
def contract_approvals(draw: st.DrawFn) -> dict[str, Any]:
    """An AIP approval policy that is admitted."""
    leaf = st.one_of(
        st.sampled_from(ROLES).map(lambda name: {"operator": "role", "name": name}),
        st.sampled_from(GROUPS).map(lambda name: {"operator": "group", "name": name}),
        st.sampled_from(PEOPLE).map(lambda name: {"operator": "principal", "id": name}),
    )
    two = st.lists(leaf, min_size=2, max_size=3, unique_by=str)
    rule = draw(
        st.one_of(
            leaf,
            two.map(lambda rules: {"operator": "all", "rules": rules}),
            two.map(lambda rules: {"operator": "any", "rules": rules}),
            two.map(lambda rules: {"operator": "quorum", "required": 2, "rules": rules}),
        )
    )
    selector = {"type": "role", "name": "chief"}
    return {"required": draw(st.booleans()), "approver_selector": selector, "rule": rule, "ttl_ms": 3_600_000}


@cache
@st.composite
def capabilities(draw: st.DrawFn) -> dict[str, Any]:
    """A capability document that is admitted: an AIP one, an ACC one, or both."""
    scope = draw(st.sampled_from(SCOPES))
    shape = draw(st.sampled_from(["aip", "acc", "both"]))
    document: dict[str, Any] = {
        "id": f"cap:{scope}",
        "name": "n",
        "kind": draw(st.sampled_from(["tool", "agent", "workflow"])),
        "input_schema": draw(st.sampled_from([True, INPUT_SCHEMA])),
    }
    if shape != "acc":
        document.update(
            present(
                risk=maybe(draw, st.sampled_from(["low", "medium", "high", "critical"]), 2),
                contract=maybe(draw, contracts(), 5),
                requires_human_approval=maybe(draw, st.booleans(), 2),
            )
        )
        document["scope"] = scope
    if shape != "aip":
        document["input_schema"] = INPUT_SCHEMA
        document["acc"] = present(
            version=1,
            enabled=draw(st.integers(1, 8)) != 5,
            scope=scope,
            risk=maybe(draw, st.fixed_dictionaries({"level": st.sampled_from(["low", "medium", "high"])}), 2),
            subject=maybe(draw, st.fixed_dictionaries({"required": st.booleans()}), 2),
            approval=maybe(
                draw,
                st.sampled_from(
                    [
                        {"required": True, "prompt": "pay {amount}?"},
                        {"when": [{"param": "amount", "op": ">", "value": 100}]},
                        {"when": [{"param": "lines.amount", "op": ">", "value": 5}, {"param": "id", "op": "exists"}]},
                    ]
                ),
                2,
            ),
            execution=maybe(draw, st.fixed_dictionaries({"readonly": st.booleans()}), 2),
            audit=maybe(draw, st.just({"sensitive": True}), 2),
        )
        document.pop("scope", None)
    return document
