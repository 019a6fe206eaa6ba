"""What does not have the shape of a capability document, as diagnostics.

The models find it; this module says it in the words of the document: a pointer into it, never a class name.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import get_args

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from policy.contracts.place import Place
from policy.model.acc import AccDeclaration
from policy.model.mistakes import mistakes_of, quoted, sentence, words_of
from policy.source.diagnostic import Diagnostic
from policy.source.suggest import did_you_mean

_TAGS = ("operator", "type")

Steps = tuple[str | int, ...]


def shape_findings(error: ValidationError, document: object, place: Place, model: type[BaseModel]) -> list[Diagnostic]:
    """One finding for each mistake that the model found in the document, each once.

    Mistakes below `/acc` are `acc.invalid_declaration`, the others `aip.member_missing`, `aip.member_unknown`,
    `aip.word_unknown` and `aip.member_malformed`.
    """
    findings: dict[tuple[str | None, str], Diagnostic] = {}
    mistakes, more = mistakes_of(error)
    for mistake in mistakes:
        steps = _steps(mistake["loc"], document)
        found = _finding(mistake, steps, place, model)
        findings.setdefault((found.pointer, found.message), found)
    if not more:
        return list(findings.values())
    code = "acc.invalid_declaration" if model is AccDeclaration else "aip.member_malformed"
    return [*findings.values(), place.error(code, f"the document has {more:,} more mistakes")]


def _finding(mistake: ErrorDetails, steps: Steps, place: Place, model: type[BaseModel]) -> Diagnostic:
    here = place.at(*steps)
    name = _name(steps)
    told, help = sentence(mistake, name), _help(mistake, steps, model)
    if steps[:1] == ("acc",) or model is AccDeclaration:
        return here.error("acc.invalid_declaration", told, help)
    if mistake["type"] == "missing":
        return here.error("aip.member_missing", told, help)
    if mistake["type"] == "extra_forbidden":
        return here.error("aip.member_unknown", told, help)
    if mistake["type"] in ("literal_error", "union_tag_invalid"):
        return here.error("aip.word_unknown", told, help)
    return here.error("aip.member_malformed", told, help)


def _name(steps: Steps) -> str:
    """What a message calls the part at these steps."""
    if not steps:
        return "the document"
    if isinstance(steps[-1], int) and len(steps) > 1:
        return f"item {steps[-1]} of {quoted(str(steps[-2]))}"
    return quoted(str(steps[-1]))


def _help(mistake: ErrorDetails, steps: Steps, model: type[BaseModel]) -> str | None:
    context = mistake.get("ctx", {})
    match mistake["type"]:
        case "extra_forbidden":
            return did_you_mean(str(steps[-1]), _members(model, steps[:-1]))
        case "literal_error" if isinstance(mistake["input"], str):
            return did_you_mean(mistake["input"], words_of(context, "expected"))
        case "union_tag_invalid":
            return did_you_mean(str(context["tag"]), words_of(context, "expected_tags"))
        case _:
            return None


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
