"""Admission of an ACC v1 declaration (model.md section 2).

A declaration that breaks a rule gives no capability at all: it is never read in a weaker form. Members that ACC
does not know are ignored; one that looks like a slip of the pen is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import get_args

from pydantic import BaseModel, ValidationError

from policy.contracts.parameters import Parameter, declared_names, resolve, type_of
from policy.contracts.place import Place
from policy.contracts.shape import models_of, shape_findings
from policy.model.acc import ACC_VERSION, AccApproval, AccDeclaration, AccExecution, AccOperator, AccWhen, is_acc_scope
from policy.model.admitted import AccCondition
from policy.model.mistakes import quoted, shown
from policy.source.diagnostic import Diagnostic, has_errors
from policy.source.records import dataclass
from policy.source.suggest import did_you_mean, within

_ORDERED = (">", ">=", "<", "<=")
_SLIP = 2
"""Edits between an unknown member and the known one that was probably meant."""

_BELOW: dict[tuple[type[BaseModel], str], set[type[BaseModel]]] = {
    (model, name): models_of(member.annotation)
    for model in (AccDeclaration, AccApproval, AccExecution)
    for name, member in model.model_fields.items()
}
"""The models that the members of a declaration hold."""

OPERATORS: tuple[str, ...] = get_args(AccOperator)
"""Operators of `approval.when`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedDeclaration:
    """What was read of a declaration.

    `declaration` is None where it is invalid. One of another integer version keeps its version, its scope and
    nothing else, `supported` is False, and the diagnostics say so.
    """

    declaration: AccDeclaration | None
    supported: bool
    diagnostics: tuple[Diagnostic, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BoundConditions:
    """The items of `approval.when`, each with its parameter resolved; None where one of them is refused."""

    conditions: tuple[AccCondition, ...] | None
    diagnostics: tuple[Diagnostic, ...]


def parse_declaration(declaration: object, place: Place | None = None) -> ParsedDeclaration:
    """Read a declaration as it was written, its numbers not yet normalised: `1.0` is no version.

    Never raises for data. The conditions are judged by `bind_conditions`, which needs the input schema.
    """
    place = Place() if place is None else place
    if not isinstance(declaration, dict):
        return _invalid([place.error("acc.invalid_declaration", "the declaration must be an object")])
    problem = _version_problem(declaration)
    if problem is not None:
        return _invalid([place.at("version").error("acc.invalid_declaration", problem)])
    if declaration["version"] != ACC_VERSION:
        return _unsupported(declaration, place)
    try:
        read = AccDeclaration.model_validate(declaration)
    except ValidationError as error:
        return _invalid(shape_findings(error, declaration, place, AccDeclaration))
    return ParsedDeclaration(
        declaration=read, supported=True, diagnostics=tuple(_slips(declaration, AccDeclaration, place))
    )


def bind_conditions(
    declaration: AccDeclaration, schema: object, place: Place, conflicting: frozenset[str] = frozenset()
) -> BoundConditions:
    """Resolve the parameters of `approval.when` against the bound input schema and check operators and types.

    `conflicting` are input names that several places of an operation define differently: no condition may rest on
    one. `place` is the declaration's.
    """
    bound: list[AccCondition] = []
    findings: list[Diagnostic] = []
    for position, item in enumerate(declaration.approval.when):
        here = place.at("approval", "when", position)
        readings = resolve(schema, item.param)
        found = tuple(_refused(item, readings, schema, here, conflicting))
        if not found:
            found = tuple(_doubtful(item, readings[0], here))
            bound.append(AccCondition(steps=readings[0].steps, operator=item.op, value=item.value, label=item.label))
        findings.extend(found)
    return BoundConditions(conditions=None if has_errors(findings) else tuple(bound), diagnostics=tuple(findings))


def _invalid(findings: list[Diagnostic]) -> ParsedDeclaration:
    return ParsedDeclaration(declaration=None, supported=False, diagnostics=tuple(findings))


def _version_problem(declaration: Mapping[str, object]) -> str | None:
    if "version" not in declaration:
        return "`version` is missing; write the integer 1"
    version = declaration["version"]
    if not isinstance(version, int) or isinstance(version, bool):
        return f"`version` is {shown(version)}; write the integer 1"
    return None


def _unsupported(declaration: Mapping[str, object], place: Place) -> ParsedDeclaration:
    version, scope = declaration["version"], declaration.get("scope")
    message = f"version {shown(version)} of the declaration is not supported; declare version {ACC_VERSION}"
    finding = place.at("version").error("acc.unsupported_version", message)
    if not isinstance(scope, str) or not is_acc_scope(scope):
        return _invalid([finding])
    kept = AccDeclaration.model_validate({"version": version, "enabled": True, "scope": scope})
    return ParsedDeclaration(declaration=kept, supported=False, diagnostics=(finding,))


def _slips(written: Mapping[str, object], model: type[BaseModel], place: Place) -> Iterator[Diagnostic]:
    """Members that ACC ignores and whose names are almost those of members it knows."""
    for name, value in written.items():
        if name not in model.model_fields:
            meant = within(name, sorted(model.model_fields.keys() - written.keys()), _SLIP)
            if meant is not None:
                message = f"{quoted(name)} is not a member of ACC and is ignored"
                yield place.at(name).warning("acc.member_unknown", message, f"did you mean `{meant}`?")
            continue
        items = value if isinstance(value, list) else [value]
        for below in _BELOW.get((model, name), ()):
            for position, item in enumerate(items):
                if isinstance(item, Mapping):
                    here = place.at(name, position) if isinstance(value, list) else place.at(name)
                    yield from _slips(item, below, here)


def _refused(
    item: AccWhen, readings: tuple[Parameter, ...], schema: object, place: Place, conflicting: frozenset[str]
) -> Iterator[Diagnostic]:
    here = place.at("param")
    if not readings:
        message = f"{quoted(item.param)} is not a declared input; name one of the input schema"
        yield here.error("acc.parameter_unknown", message, did_you_mean(item.param, declared_names(schema)))
    elif len(readings) > 1:
        message = f"{quoted(item.param)} is both a member's name and a path; rename the member"
        yield here.error("acc.parameter_ambiguous", message)
    elif readings[0].steps[0] in conflicting:
        message = f"{quoted(readings[0].steps[0])} is defined differently in two places of the operation; rename one"
        yield here.error("acc.parameter_ambiguous", message)
    elif not readings[0].types:
        message = f"{quoted(item.param)} is in no valid input; correct the input schema"
        yield here.error("acc.parameter_unknown", message)
    else:
        yield from _mistyped(item, readings[0], place)


def _mistyped(item: AccWhen, parameter: Parameter, place: Place) -> Iterator[Diagnostic]:
    kind = type_of(item.value)
    if item.op in _ORDERED:
        yield from _admits(item, parameter, frozenset({"number"}), "numbers", place)
        if kind != "number":
            yield place.at("value").error("acc.value_type", f"`{item.op}` compares numbers; give a number as value")
    elif item.op == "contains":
        yield from _admits(item, parameter, frozenset({"string", "array"}), "text or lists", place)
        if "string" in parameter.types and kind != "string":
            message = "`contains` looks for text in text; give text as value"
            yield place.at("value").error("acc.value_type", message)
    elif item.op == "in" and kind != "array":
        yield place.at("value").error("acc.value_type", "`in` looks into a list; give a list as value")


def _admits(
    item: AccWhen, parameter: Parameter, wanted: frozenset[str], words: str, place: Place
) -> Iterator[Diagnostic]:
    other = sorted(parameter.types - wanted)
    if other:
        message = f"`{item.op}` needs {words}, and the schema of {quoted(item.param)} admits {', '.join(other)}"
        yield place.at("param").error("acc.parameter_type", f"{message}; narrow the schema or use another operator")


def _doubtful(item: AccWhen, parameter: Parameter, place: Place) -> Iterator[Diagnostic]:
    """Conditions that are legal and can never ask for approval."""
    if item.op == "==":
        wanted = {type_of(item.value)}
    elif item.op == "in" and isinstance(item.value, list):
        wanted = {type_of(value) for value in item.value}
    else:
        return
    if not wanted & parameter.types:
        message = f"{quoted(item.param)} is never equal to {shown(item.value)}, which has another type"
        yield place.at("value").warning("acc.condition_never_matches", f"{message}; give a value of its type")
