"""How long a 20 MB OpenAPI document of 11,000 operations takes to load: `python tests/benchmarks/openapi_catalog.py`.

The document is made up each time. Every operation has a schema of its own, which is the worst case: schemas that
operations share are compiled once. Fails where loading takes 30 seconds of processor time or more.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from policy.contracts.catalog import load_catalog

OPERATIONS = 11_000
BYTES = 20_000_000
SECONDS = 30.0
_VERBS = ("get", "post", "put", "delete")


def document(operations: int = OPERATIONS, size: int = BYTES) -> str:
    """An OpenAPI 3.0 document in which every operation carries a declaration."""
    draw = random.Random(1)
    schemas = {f"Model{number}": _schema(number, draw) for number in range(operations)}
    paths: dict[str, dict[str, Any]] = {}
    for number in range(operations):
        paths.setdefault(f"/things/{number // 4}/{{id}}", {})[_VERBS[number % 4]] = _operation(number)
    whole = {
        "openapi": "3.0.3",
        "info": {"title": "", "version": "1"},
        "paths": paths,
        "components": {"schemas": schemas},
    }
    missing = size - len(json.dumps(whole))
    whole["info"] = {"title": "t" * max(0, missing), "version": "1"}
    return json.dumps(whole)


def _schema(number: int, draw: random.Random) -> dict[str, Any]:
    kinds = ("string", "integer", "boolean", "number")
    members: dict[str, Any] = {
        f"member{position}": {"type": draw.choice(kinds), "nullable": True, "description": "words for readers " * 3}
        for position in range(8)
    }
    family = number - number % 10
    members |= {
        f"part{n}": {"$ref": f"#/components/schemas/Model{draw.randrange(family, family + 10)}"} for n in range(2)
    }
    return {"type": "object", "properties": members, "required": ["member0"]}


def _operation(number: int) -> dict[str, Any]:
    declaration = {
        "version": 1,
        "enabled": True,
        "scope": f"thing{number // 4}.{_VERBS[number % 4]}",
        "approval": {"when": [{"param": "filter", "op": "==", "value": "all"}]},
    }
    parameters = [
        {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}},
        {"name": "filter", "in": "query", "schema": {"type": "string", "maxLength": number + 1}},
    ]
    operation: dict[str, Any] = {
        "operationId": f"operation{number}",
        "description": "words for readers " * 10,
        "parameters": parameters,
        "x-agent-capability": declaration,
    }
    if _VERBS[number % 4] in ("post", "put"):
        content = {"application/json": {"schema": {"$ref": f"#/components/schemas/Model{number}"}}}
        operation["requestBody"] = {"required": True, "content": content}
    return operation


def main() -> int:
    """Make the document, load it, and say how long that took."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "api.json"
        path.write_text(document(), encoding="utf-8")
        started, clock = time.process_time(), time.perf_counter()
        catalog = load_catalog(path)
        taken, wall = time.process_time() - started, time.perf_counter() - clock
        size = path.stat().st_size / 1e6
    print(f"{size:.1f} MB, {len(catalog.capabilities):,} operations: {taken:.1f} s of processor, {wall:.1f} s")
    return 0 if len(catalog.capabilities) == OPERATIONS and not catalog.diagnostics and taken < SECONDS else 1


if __name__ == "__main__":
    sys.exit(main())
