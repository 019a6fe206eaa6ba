"""The JSON Schema of a model, with the docstring of each member as its description.

Read when a schema is asked for: pydantic would parse the source of every model at each import.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any, Literal, get_args

from pydantic import BaseModel

DIALECT = "https://json-schema.org/draft/2020-12/schema"
"""The JSON Schema dialect that models are published in and input schemas are written in."""


def json_schema(model: type[BaseModel], mode: Literal["validation", "serialization"] = "validation") -> dict[str, Any]:
    """The JSON Schema (Draft 2020-12) of what a model reads (`validation`) or writes (`serialization`)."""
    schema = {"$schema": DIALECT, **model.model_json_schema(by_alias=True, mode=mode)}
    parts = schema.get("$defs", {})
    for name, used in {each.__name__: each for each in _models(model)}.items():
        _describe(schema if used is model else parts.get(name, {}), used)
        if used is model and name in parts:
            _describe(parts[name], used)
    return schema


def _describe(part: dict[str, Any], model: type[BaseModel]) -> None:
    properties = part.get("properties", {})
    for name, text in _docstrings(model).items():
        field = model.model_fields.get(name)
        written = name if field is None or field.alias is None else field.alias
        if written in properties and "description" not in properties[written]:
            properties[written]["description"] = text


def _models(model: type[BaseModel]) -> list[type[BaseModel]]:
    """The model and every model that its members use."""
    found: list[type[BaseModel]] = []
    pending = [model]
    while pending:
        current = pending.pop()
        if current in found:
            continue
        found.append(current)
        for field in current.model_fields.values():
            pending.extend(_within(field.annotation))
    return found


def _within(annotation: Any) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for argument in get_args(annotation):
        yield from _within(argument)


def _docstrings(model: type[BaseModel]) -> dict[str, str]:
    """Member name to the text below it, of the class and those it extends; empty where there is no source."""
    texts: dict[str, str] = {}
    for cls in reversed(model.__mro__):
        if not issubclass(cls, BaseModel) or cls is BaseModel:
            continue
        try:
            source = textwrap.dedent(inspect.getsource(cls))
        except (OSError, TypeError):
            continue
        (definition,) = ast.parse(source).body
        if isinstance(definition, ast.ClassDef):
            texts.update(_below_names(definition))
    return texts


def _below_names(definition: ast.ClassDef) -> Iterator[tuple[str, str]]:
    for statement, following in zip(definition.body, definition.body[1:], strict=False):
        if not isinstance(statement, ast.AnnAssign) or not isinstance(statement.target, ast.Name):
            continue
        if isinstance(following, ast.Expr) and isinstance(following.value, ast.Constant):
            text = following.value.value
            if isinstance(text, str):
                yield statement.target.id, inspect.cleandoc(text)
