"""The MCP binding: annotations make nothing harmless that nobody vouches for (model.md section 2)."""

from __future__ import annotations

from typing import Any

import pytest

from policy.contracts.catalog import LoadedCatalog, read_catalog
from policy.model.admitted import AdmittedCapability
from policy.types.values import RiskLevel, Sensitivity

Json = dict[str, Any]

_ALL = ("write", "delete", "external_network")
_DECLARATION = {"version": 1, "enabled": True, "scope": "search.run"}


def _tool(**members: object) -> Json:
    return {"name": "search", "inputSchema": {"type": "object"}, **members}


def _load(*tools: object, trusted: bool = False, server: str | None = "web") -> LoadedCatalog:
    return read_catalog({"tools": list(tools)}, "tools.json", server=server, trust_annotations=trusted)


def _only(tool: Json, *, trusted: bool = False) -> AdmittedCapability:
    catalog = _load(tool, trusted=trusted)
    assert catalog.diagnostics == ()
    return catalog.capabilities["mcp.web.search"]


_HINTS: list[tuple[Json, tuple[str, ...], RiskLevel]] = [
    ({}, _ALL, RiskLevel.HIGH),
    ({"readOnlyHint": False}, _ALL, RiskLevel.HIGH),
    ({"readOnlyHint": True}, ("read", "external_network"), RiskLevel.MEDIUM),
    ({"readOnlyHint": True, "openWorldHint": True}, ("read", "external_network"), RiskLevel.MEDIUM),
    ({"readOnlyHint": True, "openWorldHint": False}, ("read",), RiskLevel.LOW),
    ({"readOnlyHint": True, "destructiveHint": True, "openWorldHint": False}, ("read",), RiskLevel.LOW),
    ({"destructiveHint": False}, ("write", "external_network"), RiskLevel.MEDIUM),
    ({"destructiveHint": True}, _ALL, RiskLevel.HIGH),
    ({"openWorldHint": False}, ("write", "delete"), RiskLevel.HIGH),
    ({"destructiveHint": False, "openWorldHint": False}, ("write",), RiskLevel.MEDIUM),
    ({"title": "Search"}, _ALL, RiskLevel.HIGH),
]


@pytest.mark.parametrize(("hints", "effects", "risk"), _HINTS)
def test_a_trusted_servers_hints_are_believed_and_their_absence_is_the_worst(
    hints: Json, effects: tuple[str, ...], risk: RiskLevel
) -> None:
    capability = _only(_tool(annotations=hints), trusted=True)
    assert (capability.effects, capability.declared_risk) == (effects, risk)
    assert capability.readonly is (effects == ("read",))


@pytest.mark.parametrize("hints", [hints for hints, _, _ in _HINTS])
def test_an_untrusted_servers_hints_change_nothing(hints: Json) -> None:
    capability = _only(_tool(annotations=hints))
    assert (capability.effects, capability.readonly, capability.declared_risk) == (_ALL, False, RiskLevel.HIGH)
    assert capability.digest == _only(_tool()).digest


@pytest.mark.parametrize("trusted", [False, True])
def test_a_tool_without_annotations_is_the_worst_in_both_modes(trusted: bool) -> None:
    for tool in (_tool(), _tool(annotations={})):
        capability = _only(tool, trusted=trusted)
        assert (capability.effects, capability.readonly, capability.declared_risk) == (_ALL, False, RiskLevel.HIGH)


@pytest.mark.parametrize(
    ("trusted", "hints", "requirement", "retry"),
    [
        (True, {"idempotentHint": True}, "optional", "safe"),
        (True, {"idempotentHint": False}, "unsupported", "unknown"),
        (True, {}, "unsupported", "unknown"),
        (False, {"idempotentHint": True}, "unsupported", "unknown"),
    ],
)
def test_only_a_trusted_server_is_believed_to_be_idempotent(
    trusted: bool, hints: Json, requirement: str, retry: str
) -> None:
    contract = _only(_tool(annotations=hints), trusted=trusted).contract
    assert contract is not None
    assert (contract.idempotency.requirement, contract.execution.retry_safety) == (requirement, retry)


def test_the_contract_assumes_the_worst_of_data() -> None:
    data: Any = _only(_tool(), trusted=True).facts["contract"]
    assert data["data"] == {"sensitivity": Sensitivity.UNKNOWN, "contains_pii": True, "redaction_required": True}
    assert data["execution"]["supports_async"] is False


def test_a_tool_is_named_after_its_server() -> None:
    capability = _only(_tool(title="Web search", description="d", outputSchema={"type": "object"}))
    assert (capability.id, capability.document.name, capability.scope) == ("mcp.web.search", "Web search", None)
    assert capability.document.output_schema == {"type": "object"}
    assert capability.place is not None and capability.place.pointer == "/tools/0"


def test_the_server_is_named_by_the_deployment_else_by_the_file() -> None:
    assert list(_load(_tool(), server=None).capabilities) == ["mcp.tools.search"]
    assert list(_load(_tool(), server="git-hub_2").capabilities) == ["mcp.git-hub_2.search"]


@pytest.mark.parametrize("server", ["", "a.b", "a b", "a/b", "*", "-a", "a\n", "web\u0430"])
def test_a_server_name_that_is_no_part_of_an_id_is_refused(server: str) -> None:
    catalog = _load(_tool(), server=server)
    assert [found.code for found in catalog.diagnostics] == ["mcp.server_malformed"]
    assert dict(catalog.capabilities) == {}


def test_a_response_and_a_page_are_read() -> None:
    response = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [_tool()], "nextCursor": "2"}}
    catalog = read_catalog(response, "tools.json")
    assert catalog.kind == "MCP tool list"
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        ("mcp.list_incomplete", "/result/nextCursor")
    ]
    place = catalog.capabilities["mcp.tools.search"].place
    assert place is not None and place.pointer == "/result/tools/0"


@pytest.mark.parametrize(
    ("tool", "pointer", "message"),
    [
        (5, "/tools/0", "the tool is no object; correct it"),
        ({"inputSchema": {}}, "/tools/0/name", "the tool's name is `null`; give it one"),
        (_tool(name=""), "/tools/0/name", 'the tool\'s name is `""`; give it one'),
        ({"name": "a"}, "/tools/0/inputSchema", "the tool has no input schema; describe its input"),
        (_tool(inputSchema=True), "/tools/0/inputSchema", "the tool has no input schema; describe its input"),
        (_tool(outputSchema=[]), "/tools/0/outputSchema", "`outputSchema` must be an object"),
        (_tool(annotations=[]), "/tools/0/annotations", "`annotations` must be an object"),
        (_tool(_meta=None), "/tools/0/_meta", "`_meta` must be an object"),
        (
            _tool(annotations={"readOnlyHint": "true"}),
            "/tools/0/annotations/readOnlyHint",
            '`readOnlyHint` is `"true"`; write `true` or `false`',
        ),
        (
            _tool(annotations={"destructiveHint": 0}),
            "/tools/0/annotations/destructiveHint",
            "`destructiveHint` is `0`; write `true` or `false`",
        ),
    ],
)
def test_a_malformed_tool_is_skipped(tool: object, pointer: str, message: str) -> None:
    catalog = _load(tool, {**_tool(), "name": "other"}, trusted=True)
    assert list(catalog.capabilities) == ["mcp.web.other"]
    assert [(found.code, found.pointer, found.message) for found in catalog.diagnostics] == [
        ("mcp.tool_skipped", pointer, message)
    ]


def test_a_schema_that_does_not_compile_skips_its_tool() -> None:
    catalog = _load(_tool(inputSchema={"type": "objekt"}))
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        ("aip.schema_invalid", "/tools/0/inputSchema/type")
    ]


def _declared(**members: object) -> Json:
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}}
    return _tool(inputSchema=schema, _meta={"x-agent-capability": {**_DECLARATION, **members}})


def test_a_declaration_of_a_tool_is_read() -> None:
    capability = _only(_declared(approval={"when": [{"param": "amount", "op": ">", "value": 5}]}))
    assert (capability.id, capability.scope) == ("mcp.web.search", "search.run")
    assert [condition.steps for condition in capability.acc_conditions] == [("amount",)]


def test_a_declaration_does_not_make_a_tool_harmless() -> None:
    catalog = _load(_declared(execution={"readonly": True}, risk={"level": "low"}))
    capability = catalog.capabilities["mcp.web.search"]
    assert (capability.effects, capability.readonly, capability.declared_risk) == (_ALL, False, RiskLevel.HIGH)
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        ("document.readonly_conflict", "/tools/0/_meta/x-agent-capability/execution/readonly")
    ]


@pytest.mark.parametrize(
    ("declaration", "code", "pointer"),
    [
        ({**_DECLARATION, "version": 2}, "acc.unsupported_version", "/version"),
        ({**_DECLARATION, "version": 1.0}, "acc.invalid_declaration", "/version"),
        ({**_DECLARATION, "version": True}, "acc.invalid_declaration", "/version"),
        (None, "acc.invalid_declaration", "/version"),
        ([], "acc.invalid_declaration", ""),
    ],
)
def test_a_tool_with_a_wrong_declaration_is_skipped(declaration: object, code: str, pointer: str) -> None:
    catalog = _load(_tool(_meta={"x-agent-capability": declaration}))
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        (code, f"/tools/0/_meta/x-agent-capability{pointer}")
    ]


def test_an_odd_name_is_reported_and_matches_nothing() -> None:
    catalog = _load(_tool(name="se arch"))
    assert not catalog.capabilities["mcp.web.se arch"].scope_wellformed
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        ("document.id_malformed", "/tools/0/name")
    ]


def test_two_tools_of_one_name_are_both_left_out() -> None:
    catalog = _load(_tool(), _tool(description="another"))
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [("catalog.duplicate_id", "/tools/1")]
