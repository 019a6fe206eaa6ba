"""What does not have the shape of a capability document, as diagnostics.

The models find it; this module says it in the words of the document: a pointer into it, never a class name.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from policy.contracts.place import Place, quoted
from policy.model.acc import AccDeclaration
from policy.source.diagnostic import Diagnostic
from policy.source.suggest import did_you_mean

_KINDS = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "`true` or `false`",
    "list_type": "a list",
    "dict_type": "an object",
    "model_type": "an object",
    "model_attributes_type": "an object",
}
_TAGS = ("operator", "type")
_WORD = re.compile(r"'([^']*)'")

Steps = tuple[str | int, ...]


def shape_findings(error: ValidationError, document: object, place: Place, model: type[BaseModel]) -> list[Diagnostic]:
    """One finding for each mistake that the model found in the document, each once.

    Mistakes below `/acc` are `acc.invalid_declaration`, the others `aip.member_missing`, `aip.member_unknown`,
    `aip.word_unknown` and `aip.member_malformed`.
    """
    findings: dict[tuple[str | None, str], Diagnostic] = {}
    for mistake in error.errors(include_url=False):
        steps = _steps(mistake["loc"], document)
        found = _finding(mistake, steps, place, model)
        findings.setdefault((found.pointer, found.message), found)
    return list(findings.values())


def _finding(mistake: ErrorDetails, steps: Steps, place: Place, model: type[BaseModel]) -> Diagnostic:
    here = place.at(*steps)
    name = _name(steps)
    sentence, help = _sentence(mistake, name), _help(mistake, steps, model)
    if steps[:1] == ("acc",) or model is AccDeclaration:
        return here.error("acc.invalid_declaration", sentence, help)
    if mistake["type"] == "missing":
        return here.error("aip.member_missing", sentence, help)
    if mistake["type"] == "extra_forbidden":
        return here.error("aip.member_unknown", sentence, help)
    if mistake["type"] in ("literal_error", "union_tag_invalid"):
        return here.error("aip.word_unknown", sentence, help)
    return here.error("aip.member_malformed", sentence, help)


def _name(steps: Steps) -> str:
    """What a message calls the part at these steps."""
    if not steps:
        return "the document"
    if isinstance(steps[-1], int) and len(steps) > 1:
        return f"item {steps[-1]} of {quoted(str(steps[-2]))}"
    return quoted(str(steps[-1]))


def _sentence(mistake: ErrorDetails, name: str) -> str:
    kind, context = mistake["type"], mistake.get("ctx", {})
    if kind == "missing":
        return f"{name} is missing; add it"
    if kind == "extra_forbidden":
        return f"{name} is not a member here; remove it"
    if kind in _KINDS:
        return f"{name} must be {_KINDS[kind]}"
    if kind == "literal_error":
        words = ", ".join(f"`{word}`" for word in _words(context, "expected"))
        return f"{name} is {quoted(mistake['input'])}; use one of {words}"
    if kind == "union_tag_invalid":
        words = ", ".join(f"`{word}`" for word in _words(context, "expected_tags"))
        return f"{name} has {context['discriminator'].strip(chr(39))} {quoted(context['tag'])}; use one of {words}"
    if kind == "union_tag_not_found":
        return f"{name} needs a member `{context['discriminator'].strip(chr(39))}`; add it"
    if kind == "string_too_short":
        return f"{name} is empty; give it a value"
    if kind == "string_too_long":
        return f"{name} is longer than {context['max_length']} characters; shorten it"
    if kind == "greater_than_equal":
        return f"{name} must be at least {context['ge']}"
    if kind == "less_than_equal":
        return f"{name} must be at most {context['le']}"
    if kind == "value_error":
        return f"{name}: {context['error']}"
    return f"{name} is malformed ({mistake['msg'].lower()})"


def _help(mistake: ErrorDetails, steps: Steps, model: type[BaseModel]) -> str | None:
    context = mistake.get("ctx", {})
    match mistake["type"]:
        case "extra_forbidden":
            return did_you_mean(str(steps[-1]), _members(model, steps[:-1]))
        case "literal_error" if isinstance(mistake["input"], str):
            return did_you_mean(mistake["input"], _words(context, "expected"))
        case "union_tag_invalid":
            return did_you_mean(str(context["tag"]), _words(context, "expected_tags"))
        case _:
            return None


def _words(context: dict[str, Any], name: str) -> list[str]:
    return _WORD.findall(str(context[name]))


def _steps(location: Sequence[str | int], document: object) -> Steps:
    """The location without the tags of tagged unions, which are no part of the document."""
    steps: list[str | int] = []
    at = document
    tag_seen = False
    for step in location:
        if isinstance(at, dict) and not tag_seen and step in [at.get(tag) for tag in _TAGS]:
            tag_seen = True
            continue
        tag_seen = False
        steps.append(step)
        if isinstance(at, dict):
            at = at.get(step)
        elif isinstance(at, list) and isinstance(step, int) and step < len(at):
            at = at[step]
        else:
            at = None
    return tuple(steps)


def _members(model: type[BaseModel], steps: Steps) -> list[str]:
    """The names that an object at this place may have, over all the alternatives there."""
    models = {model}
    for step in steps:
        if isinstance(step, str):
            fields = [each.model_fields[step] for each in models if step in each.model_fields]
            models = {found for field in fields for found in models_of(field.annotation)}
    return sorted({name for each in models for name in each.model_fields})


def models_of(annotation: object) -> set[type[BaseModel]]:
    """The models that a member of this type may hold."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {annotation}
    return {found for part in get_args(annotation) for found in models_of(part)}
