"""The rules of the house: floors, lengths, and what must not stand in the code."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

_ROOT = Path(__file__).parents[2]
_PACKAGE = sorted((_ROOT / "policy").rglob("*.py"))
_TESTS = sorted((_ROOT / "tests").rglob("*.py"))
_MAX_FILE = 450
_MAX_FUNCTION = 60

_MARKS = re.compile(r"\b(?:TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
"""Work that is left over. Put together so that this file does not hold what it looks for."""
_BARE = re.compile(r"#\s*(?:noqa(?!: [A-Z]+[0-9]+)|type: ignore(?!\[))")
"""A silenced check that does not say which."""
_MACHINE = re.compile(
    r"(?<![\w.])/(?:wo" r"rk|ho" r"me|ro" r"ot|o" r"pt)/\w|pyp" r"i\.org|pythonho" r"sted|artif" r"actory"
)
"""Paths of a machine, hosts of registries."""
_CONSTANTS_OF_FILES = frozenset({"policy/syntax/tables.py"})
"""Modules that read a constant of theirs from a file of the package when it is first needed."""
_SAID_WHY = re.compile(r"# noqa: BLE001 - \w")
"""The reason of a handler that takes every exception and raises none."""


def _named(path: Path) -> str:
    return path.relative_to(_ROOT).as_posix()


def _matches(pattern: re.Pattern[str], files: list[Path]) -> list[str]:
    return [
        f"{_named(path)}:{number}"
        for path in files
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if pattern.search(line)
    ]


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_there_is_code_to_judge() -> None:
    assert len(_PACKAGE) > 50
    assert _ROOT / "policy" / "engine.py" in _PACKAGE


def test_imports_go_down_only() -> None:
    """The contracts of pyproject.toml: layers, data libraries, the only importer of lark, the interpreter apart."""
    tool = Path(sys.executable).with_name("lint-imports")
    found = subprocess.run(
        [tool, "--no-cache"],
        cwd=_ROOT,
        env={**os.environ, "PYTHONPATH": str(_ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout
    assert "Contracts: 4 kept, 0 broken." in found.stdout


def test_no_file_is_too_long() -> None:
    long = {_named(path): len(path.read_text(encoding="utf-8").splitlines()) for path in _PACKAGE + _TESTS}
    assert {name: lines for name, lines in long.items() if lines > _MAX_FILE} == {}


def test_no_function_is_too_long() -> None:
    long = {
        f"{_named(path)}:{node.name}": (node.end_lineno or node.lineno) - node.lineno + 1
        for path in _PACKAGE + _TESTS
        for node in _functions(path)
    }
    assert {name: lines for name, lines in long.items() if lines > _MAX_FUNCTION} == {}


@pytest.mark.parametrize(
    ("pattern", "sample"),
    [
        (_MARKS, "# TO" + "DO: later"),
        (_BARE, "x = 1  # no" + "qa"),
        (_BARE, "x = 1  # type: ig" + "nore"),
        (_MACHINE, 'open("/ho' + 'me/somebody/x")'),
    ],
)
def test_what_must_not_stand_in_the_code(pattern: re.Pattern[str], sample: str) -> None:
    assert pattern.search(sample)
    assert _matches(pattern, _PACKAGE + _TESTS) == []


def _logs(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "exception"


def _swallowing(module: ast.Module, lines: list[str]) -> list[int]:
    """Lines of handlers that take every exception, neither raise nor log one, and do not say why."""
    return [
        node.lineno
        for node in ast.walk(module)
        if isinstance(node, ast.ExceptHandler)
        and (
            node.type is None
            or {"Exception", "BaseException"} & {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)}
        )
        and not any(isinstance(inner, ast.Raise) or _logs(inner) for inner in ast.walk(node))
        and _SAID_WHY.search(lines[node.lineno - 1]) is None
    ]


def test_no_exception_is_swallowed() -> None:
    sample = "try:\n    x()\nexcept Exception:\n    pass\n"
    assert _swallowing(ast.parse(sample), sample.splitlines()) == [3]
    found = []
    for path in _PACKAGE + _TESTS:
        text = path.read_text(encoding="utf-8")
        found += [f"{_named(path)}:{line}" for line in _swallowing(ast.parse(text), text.splitlines())]
    assert found == []


def test_the_package_keeps_no_state() -> None:
    """No `global`, no cache on a function, no mutable container as a constant of a module."""
    stateful = []
    for path in _PACKAGE:
        module = ast.parse(path.read_text(encoding="utf-8"))
        stateful += [f"{_named(path)}:{node.lineno}" for node in ast.walk(module) if isinstance(node, ast.Global)]
        stateful += [
            f"{_named(path)}:{node.lineno}"
            for node in _functions(path)
            for decorator in node.decorator_list
            if ast.unparse(decorator).split("(")[0].split(".")[-1] in {"cache", "lru_cache", "cached"}
        ]
        stateful += [f"{_named(path)}:{node.lineno}" for node in module.body if _is_empty_container(node)]
    assert [place for place in stateful if place.rpartition(":")[0] not in _CONSTANTS_OF_FILES] == []


def _is_empty_container(node: ast.stmt) -> bool:
    """Whether a statement binds an empty list, dict or set: it is there to be filled."""
    value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
    if isinstance(value, ast.List):
        return not value.elts
    if isinstance(value, ast.Dict):
        return not value.keys
    return isinstance(value, ast.Call) and ast.unparse(value.func) in {"list", "dict", "set", "defaultdict"}


def test_every_module_and_public_name_says_what_it_is() -> None:
    silent = []
    for path in _PACKAGE:
        module = ast.parse(path.read_text(encoding="utf-8"))
        if ast.get_docstring(module) is None:
            silent.append(_named(path))
        for node in module.body:
            public = isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_")
            if public and ast.get_docstring(node) is None:  # type: ignore[arg-type]
                silent.append(f"{_named(path)}:{node.lineno}")
    assert silent == []


def test_tests_are_never_skipped() -> None:
    skipping = re.compile(r"pytest\.(?:mark\.)?(?:sk" r"ip|skip" r"if|xf" r"ail|importor" r"skip)\b")
    assert _matches(skipping, _TESTS) == []
