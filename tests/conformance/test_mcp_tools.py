"""A `tools/list` result of a large real MCP server: nothing unannotated comes out harmless."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from policy.contracts.catalog import LoadedCatalog, load_catalog, read_catalog
from policy.types.values import RiskLevel, Sensitivity

_FILE = Path(__file__).parent / "data" / "mcp-tools.json"
_TOOLS: list[dict[str, Any]] = json.loads(_FILE.read_text(encoding="utf-8"))["tools"]


def _load(trusted: bool) -> LoadedCatalog:
    return load_catalog(_FILE, server="github", trust_annotations=trusted)


@pytest.mark.parametrize("trusted", [False, True])
def test_every_tool_is_a_capability_with_a_contract(trusted: bool) -> None:
    catalog = _load(trusted)
    assert (catalog.kind, catalog.diagnostics) == ("MCP tool list", ())
    assert list(catalog.capabilities) == [f"mcp.github.{tool['name']}" for tool in _TOOLS]
    for capability in catalog.capabilities.values():
        contract: Any = capability.facts["contract"]
        assert capability.effects is not None and capability.scope_wellformed
        assert contract["data"]["sensitivity"] is Sensitivity.UNKNOWN
        assert contract["data"]["redaction_required"] is True


def test_untrusted_every_tool_may_do_the_worst() -> None:
    for capability in _load(trusted=False).capabilities.values():
        assert capability.effects == ("write", "delete", "external_network")
        assert (capability.readonly, capability.declared_risk) == (False, RiskLevel.HIGH)


def test_trusted_nothing_read_only_is_destructive_and_nothing_unannotated_harmless() -> None:
    capabilities = _load(trusted=True).capabilities
    for tool in _TOOLS:
        capability, hints = capabilities[f"mcp.github.{tool['name']}"], tool["annotations"]
        effects = capability.effects or ()
        readonly = hints.get("readOnlyHint") is True
        assert ("read" in effects) is readonly
        assert ("write" in effects) is not readonly
        assert ("delete" in effects) is (not readonly and hints.get("destructiveHint") is not False)
        assert ("external_network" in effects) is (hints.get("openWorldHint") is not False)
        assert not capability.readonly
        assert capability.declared_risk >= (RiskLevel.HIGH if "delete" in effects else RiskLevel.MEDIUM)
    assert Counter(capability.effects for capability in capabilities.values()) == {
        ("read", "external_network"): 28,
        ("write", "delete", "external_network"): 18,
        ("write", "external_network"): 13,
    }


@pytest.mark.parametrize("trusted", [False, True])
def test_without_its_annotations_no_tool_is_less_dangerous(trusted: bool) -> None:
    bare = [{name: value for name, value in tool.items() if name != "annotations"} for tool in _TOOLS]
    catalog = read_catalog({"tools": bare}, "tools.json", server="github", trust_annotations=trusted)
    assert len(catalog.capabilities) == 59
    assert {capability.effects for capability in catalog.capabilities.values()} == {
        ("write", "delete", "external_network")
    }
    assert {capability.declared_risk for capability in catalog.capabilities.values()} == {RiskLevel.HIGH}
