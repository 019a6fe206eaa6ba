"""What the package never does: run text, unpickle, or `exec` elsewhere than the threat model says."""

from __future__ import annotations

import ast
from pathlib import Path

import policy

PACKAGE = Path(policy.__file__).parent
RUNS = {"backend/emit/make.py", "source/records.py"}
"""The only modules with an `exec`."""
MODULES = {"pickle", "cPickle", "shelve", "dill", "cloudpickle", "joblib", "imp", "codeop", "code"}
"""Modules that make objects or code of bytes."""


def _trees() -> list[tuple[str, ast.Module]]:
    files = sorted(PACKAGE.rglob("*.py"))
    return [(file.relative_to(PACKAGE).as_posix(), ast.parse(file.read_text(encoding="utf-8"))) for file in files]


def _callers(name: str) -> set[str]:
    """The modules that call a built-in function."""
    return {
        file
        for file, tree in _trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name
    }


def test_text_is_run_nowhere_and_nodes_in_one_place() -> None:
    assert len(_trees()) > 100
    assert _callers("eval") == set()
    assert _callers("__import__") == set()
    assert _callers("exec") == RUNS


def _imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_nothing_is_unpickled() -> None:
    assert {(file, name) for file, tree in _trees() for name in _imported(tree) & MODULES} == set()


def test_marshal_is_written_and_never_read() -> None:
    found = {name for _, tree in _trees() for name in _imported(tree) if name.split(".")[0] == "marshal"}
    assert found == {"marshal", "marshal.dumps"}
