"""The example in an adapter's docstring, so that a test runs what people read."""

from __future__ import annotations

import ast
import asyncio
import inspect
import textwrap
from types import CodeType, ModuleType
from typing import Any


def run_example(adapter: ModuleType, **given: Any) -> dict[str, Any]:
    """Run the example, which may await at the top, with what the host has at hand. What it names is returned."""
    code = _example(adapter)
    names = dict(given)
    if code.co_flags & inspect.CO_COROUTINE:

        async def awaited() -> None:
            await eval(code, names)

        asyncio.run(awaited())
    else:
        exec(code, names)
    return names


def example_text(docstring: str) -> str:
    """The indented block behind the first `::` of a docstring; empty where there is none."""
    lines = []
    for line in docstring.partition("::\n\n")[2].splitlines():
        if line and not line.startswith(" "):
            break
        lines.append(line)
    return textwrap.dedent("\n".join(lines)).strip()


def _example(adapter: ModuleType) -> CodeType:
    source = example_text(inspect.getdoc(adapter) or "")
    assert source, "the docstring has no example"
    code = compile(source, f"<example of {adapter.__name__}>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    assert isinstance(code, CodeType)
    return code
