"""The catalog loader: told apart by shape, bounded, and every finding in its place."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from policy.contracts.catalog import CatalogKind, load_catalog, read_catalog
from policy.source.codes import CODES
from policy.source.diagnostic import Severity
from policy.source.limits import Limits
from tests.unit.contract_documents import declared, tool

_FAMILIES = ("acc", "aip", "catalog", "document", "mcp", "openapi")
_OPENAPI = {"openapi": "3.1.0", "paths": {"/a": {"get": {"x-agent-capability": declared()["acc"]}}}}


@pytest.mark.parametrize(
    ("value", "kind", "ids"),
    [
        (tool(), "capability", ["order.cancel"]),
        (declared(), "capability", ["refund.create"]),
        ([tool(), declared()], "capabilities", ["order.cancel", "refund.create"]),
        ([], "capabilities", []),
        ({"id": "agent:1", "name": "shop", "capabilities": [tool()]}, "AIP manifest", ["order.cancel"]),
        (_OPENAPI, "OpenAPI document", ["GET /a"]),
        ({"tools": [{"name": "a", "inputSchema": {}}]}, "MCP tool list", ["mcp.c.a"]),
    ],
)
def test_a_catalog_is_told_by_its_shape(value: object, kind: CatalogKind, ids: list[str]) -> None:
    catalog = read_catalog(value, "c.json")
    assert (catalog.kind, list(catalog.capabilities), catalog.diagnostics) == (kind, ids, ())


_UNKNOWN = "the file is no capability, list of them, AIP manifest, OpenAPI document or MCP tool list; give one of these"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (
            {},
            _UNKNOWN,
        ),
        (
            "text",
            _UNKNOWN,
        ),
        (
            declared()["acc"],
            "the file is a bare ACC declaration; write it as the member `acc` beside an `input_schema`",
        ),
        (
            {"tools": [], "capabilities": []},
            "the file could be a AIP manifest or a MCP tool list; keep one of them",
        ),
        (
            {**_OPENAPI, "acc": {}},
            "the file could be a capability or a OpenAPI document; keep one of them",
        ),
    ],
)
def test_what_could_be_nothing_or_two_things_is_refused(value: object, message: str) -> None:
    catalog = read_catalog(value, "c.json")
    assert (catalog.kind, dict(catalog.capabilities)) == ("unknown", {})
    assert [(found.code, found.message) for found in catalog.diagnostics] == [("catalog.shape_unknown", message)]


def test_capabilities_of_one_id_are_both_left_out() -> None:
    catalog = read_catalog([tool(), declared(), tool(name="other")], "c.json")
    assert list(catalog.capabilities) == ["refund.create"]
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [("catalog.duplicate_id", "/2")]


def test_scopes_that_differ_in_case_are_left_to_the_checker() -> None:
    catalog = read_catalog([tool(scope="Order.cancel"), {**declared(scope="order.cancel"), "id": "x"}], "c.json")
    assert catalog.diagnostics == ()
    assert [each.scope for each in catalog.view.capabilities] == ["Order.cancel", "order.cancel"]


def test_one_wrong_document_does_not_hide_the_others() -> None:
    catalog = read_catalog({"capabilities": [tool(kind="tol"), 5, declared()]}, "c.json")
    assert list(catalog.capabilities) == ["refund.create"]
    assert [(found.code, found.location) for found in catalog.diagnostics] == [
        ("aip.word_unknown", "c.json#/capabilities/0/kind"),
        ("document.malformed", "c.json#/capabilities/1"),
    ]


def test_a_document_may_not_be_larger_than_a_capability() -> None:
    catalog = read_catalog([tool(description="x" * (1 << 20)), tool(id="small")], "c.json")
    assert list(catalog.capabilities) == ["small"]
    assert [found.location for found in catalog.diagnostics] == ["c.json#/0"]


def test_what_is_given_is_not_changed_and_not_followed() -> None:
    value = {"tools": [{"name": "a", "inputSchema": {"type": "object", "required": ["x"]}, "annotations": {}}]}
    before = json.dumps(value)
    catalog = read_catalog(value, "c.json")
    assert json.dumps(value) == before
    digest = catalog.capabilities["mcp.c.a"].digest
    value["tools"].clear()
    assert catalog.capabilities["mcp.c.a"].digest == digest
    assert len(catalog.capabilities["mcp.c.a"].input_schema.violations({})) == 1


def test_values_that_no_file_could_hold_are_refused() -> None:
    cyclic: list[Any] = []
    cyclic.append(cyclic)
    for value in (cyclic, float("nan"), {1: 2}, [tool(cost=object())], "\ud800"):
        catalog = read_catalog(value, "c.json")
        assert [found.code for found in catalog.diagnostics] == ["catalog.unreadable"]


# --- files ------------------------------------------------------------------------------------


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_findings_in_a_json_file_have_a_line_and_a_column(tmp_path: Path) -> None:
    path = _written(tmp_path / "c.json", json.dumps([tool(), tool(id="b", kind="tol")], indent=2))
    catalog = load_catalog(path)
    assert list(catalog.capabilities) == ["order.cancel"]
    line = path.read_text(encoding="utf-8").splitlines().index('    "kind": "tol",') + 1
    assert [found.location for found in catalog.diagnostics] == [f"{path}:{line}:5"]
    place = catalog.capabilities["order.cancel"].place
    assert place is not None and (place.line, place.column) == (2, 3)


_YAML = """
- acc: {version: 1, enabled: true, scope: order.read}
  input_schema: {type: object}
- id: b
  name: b
  kind: tol
  input_schema: {type: object}
"""


def test_yaml_is_read_with_its_places(tmp_path: Path) -> None:
    path = _written(tmp_path / "c.yaml", _YAML)
    catalog = load_catalog(path)
    assert list(catalog.capabilities) == ["order.read"]
    assert [found.location for found in catalog.diagnostics] == [f"{path}:6:3"]


@pytest.mark.parametrize("name", ["c.json", "c.yaml"])
@pytest.mark.parametrize("version", ["1.0", '"1"', "true", "1e0"])
def test_a_version_in_a_file_is_judged_as_it_was_written(tmp_path: Path, name: str, version: str) -> None:
    text = '{"acc": {"version": %s, "enabled": true, "scope": "order.read"}, "input_schema": {}}'
    catalog = load_catalog(_written(tmp_path / name, text % version))
    assert dict(catalog.capabilities) == {}
    assert [(found.code, found.pointer) for found in catalog.diagnostics] == [
        ("acc.invalid_declaration", "/acc/version")
    ]
    assert list(load_catalog(_written(tmp_path / name, text % "1")).capabilities) == ["order.read"]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.json", ""),
        ("c.json", "{"),
        ("c.json", '{"id": "a", "id": "b"}'),
        ("c.json", '{"cost": NaN}'),
        ("c.json", '{"cost": 9007199254740993}'),
        ("c.json", "[" * 10_000 + "]" * 10_000),
        ("c.yaml", "a: &x 1\nb: *x"),
        ("c.yaml", "a: 1\na: 2"),
        ("c.yaml", "a: !!python/object 1"),
        ("c.yaml", "- 1\n--- \n- 2"),
        ("c.yaml", "["),
    ],
)
def test_a_file_that_is_no_data_is_refused(tmp_path: Path, name: str, text: str) -> None:
    catalog = load_catalog(_written(tmp_path / name, text))
    assert (catalog.kind, dict(catalog.capabilities)) == ("unknown", {})
    assert [found.code for found in catalog.diagnostics] == ["catalog.unreadable"]
    assert catalog.diagnostics[0].is_error


def test_a_file_that_is_not_there_or_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.json")
    for path in (tmp_path / "none.json", tmp_path, tmp_path / "pipe.json", tmp_path / "a\0b"):
        assert [found.code for found in load_catalog(path).diagnostics] == ["catalog.unreadable"]


def test_a_file_above_the_bound_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    with path.open("wb") as file:
        file.truncate((64 << 20) + 1)
    catalog = load_catalog(path)
    assert [found.code for found in catalog.diagnostics] == ["catalog.unreadable"]
    small = load_catalog(_written(tmp_path / "d.json", json.dumps(tool())), Limits(catalog_bytes=20))
    assert [found.code for found in small.diagnostics] == ["catalog.unreadable"]


# --- the list of codes ------------------------------------------------------------------------

_EXAMPLES = [entry for entry in CODES.values() if entry.kind == "diagnostic" and entry.code.split(".")[0] in _FAMILIES]


@pytest.mark.parametrize(
    "entry", [entry for entry in _EXAMPLES if entry.format == "json"], ids=lambda entry: entry.code
)
def test_each_code_has_an_example_that_gives_it_and_one_that_does_not(entry: Any, tmp_path: Path) -> None:
    failing = load_catalog(_written(tmp_path / "c.json", entry.failing))
    fixed = load_catalog(_written(tmp_path / "c.json", entry.fixed))
    assert {found.severity for found in failing.diagnostics if found.code == entry.code} == {entry.severity}
    assert [found for found in fixed.diagnostics if found.code == entry.code or found.is_error] == []
    assert len(fixed.capabilities) >= 1
    if entry.severity is Severity.ERROR and entry.code != "acc.unsupported_version":
        assert dict(failing.capabilities) == {}


def test_every_code_that_this_part_gives_is_listed_and_none_besides() -> None:
    package = Path(__file__).parents[2] / "policy" / "contracts"
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(package.glob("*.py")))
    listed = {entry.code for entry in _EXAMPLES}
    assert {code for code in listed if f'"{code}"' not in text} == set()
    given = set(re.findall(rf'"((?:{"|".join(_FAMILIES)})\.[a-z_0-9]+)"', text))
    assert given <= listed
