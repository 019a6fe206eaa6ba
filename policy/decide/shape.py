"""Stage 1: whether the action and the trusted context are what they must be. Never raises for data."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import PydanticSerializationError

from policy.decide import reasons
from policy.decide.compiled import CompiledPolicy
from policy.decide.facts import attribute_values
from policy.decide.people import context_problems
from policy.model.action import Action
from policy.model.bounds import check, check_counts, copy_json, pointer_of
from policy.model.clean import UncleanError, copied
from policy.model.context import Context, Principal
from policy.model.decision import Reason
from policy.model.mistakes import mistakes_of, quoted, sentence
from policy.source.diagnostic import Diagnostic
from policy.source.limits import Limits
from policy.source.records import dataclass
from policy.source.suggest import did_you_mean
from policy.types.instants import parse_timestamp
from policy.types.values import Timestamp

Clock = Callable[[], datetime | str]
"""Gives the instant of the call: an aware datetime or an RFC 3339 text with offset."""

_SUGGESTED = 10
"""Undeclared attributes up to which a near declared one is looked for."""

_Model = TypeVar("_Model", bound=BaseModel)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapedContext:
    """A context that was read; `invalid` says why it cannot be decided on, where it cannot."""

    context: Context
    now: Timestamp | None
    attributes: dict[str, object]
    """The values of `context.NAME` as runtime values; undeclared ones are left out."""
    invalid: tuple[Reason, ...]
    notes: tuple[Reason, ...]


def shape_action(value: object, limits: Limits) -> Action | tuple[Reason, ...]:
    """The action with nothing shared with what the caller gave, or why it is none."""
    plain = _plain(value, Action, "the action")
    copy = plain if isinstance(plain, str) else _copied(plain, limits)
    if isinstance(copy, str):
        return (reasons.deny("input.malformed", copy),)
    return _validated(Action, copy, "input.malformed", "the action")


def shape_context(value: object, compiled: CompiledPolicy, clock: Clock | None) -> ShapedContext | tuple[Reason, ...]:
    """The context with nothing shared with what the caller gave, or why it is none.

    A clock gives `now` only where the context has none; what it raises passes. Whether the context contradicts
    itself is judged by `contradictions`, when its authority records are complete.
    """
    plain = _plain(value, Context, "the context")
    copy = plain if isinstance(plain, str) else _copied(plain, compiled.limits)
    problem = copy if isinstance(copy, str) else check_counts(copy, compiled.limits)
    if isinstance(copy, str) or problem is not None:
        return (reasons.deny("context.invalid", problem or "the context was not read"),)
    if clock is not None and copy.get("now") is None:
        copy["now"] = _read(clock)
    context = _validated(Context, copy, "context.invalid", "the context")
    return context if isinstance(context, tuple) else _judged(context, compiled)


def contradictions(context: Context) -> tuple[Reason, ...]:
    """How votes, parties and authority records of a context contradict each other."""
    return tuple(reasons.deny("context.invalid", problem) for problem in context_problems(context))


def refused_capability(diagnostics: Iterable[Diagnostic]) -> tuple[Reason, ...]:
    """Why a capability document was not admitted."""
    found = [
        reasons.deny("capability.invalid", f"{each.pointer}: {each.message}" if each.pointer else each.message)
        for each in diagnostics
        if each.is_error
    ]
    return tuple(found) or (reasons.deny("capability.invalid", "the capability was not admitted"),)


def _judged(context: Context, compiled: CompiledPolicy) -> ShapedContext:
    """What the models cannot say: the instant and the declared attributes."""
    now = None if context.now is None else parse_timestamp(context.now)
    invalid = []
    if now is None:
        invalid.append("`now` is missing; state the instant of the call, or give the engine a clock")
    stated = context.attributes or {}
    attributes, problems = attribute_values(compiled.context, stated)
    invalid.extend(f"`context.{path}` {problem}" for path, problem in problems)
    for name, principal in _parties(context):
        invalid.extend(f"`{name}.attributes.{path}` {problem}" for path, problem in ill_typed(principal, compiled))
    return ShapedContext(
        context=context,
        now=now,
        attributes=attributes,
        invalid=tuple(reasons.deny("context.invalid", problem) for problem in invalid),
        notes=_undeclared([name for name in stated if name not in compiled.context], compiled),
    )


def _undeclared(names: Sequence[str], compiled: CompiledPolicy) -> tuple[Reason, ...]:
    notes = []
    for name in names:
        # A near word is a slip of one person; looking for it costs too much where there are many.
        meant = did_you_mean(name, compiled.context) if len(names) <= _SUGGESTED else None
        message = f"no policy declares the attribute {quoted(name)}; it is ignored"
        notes.append(reasons.note("context.undeclared", message if meant is None else f"{message} ({meant})"))
    return tuple(notes)


def _parties(context: Context) -> list[tuple[str, Principal]]:
    named = [(name, getattr(context, name)) for name in ("requester", "operator", "subject")]
    hops = context.delegation or []
    return [
        *((name, principal) for name, principal in named if principal is not None),
        *((f"delegators[{index}]", hop.from_) for index, hop in enumerate(hops)),
    ]


def ill_typed(principal: Principal, compiled: CompiledPolicy) -> list[tuple[str, str]]:
    """Attributes of a party that a directory declares with another type; a null is not stated."""
    stated = {name: value for name, value in (principal.attributes or {}).items() if value is not None}
    return attribute_values(
        {name: compiled.attributes[name] for name in stated if name in compiled.attributes}, stated
    )[1]


def _read(clock: Clock) -> str:
    instant = clock()
    return instant.isoformat() if isinstance(instant, datetime) else instant


def _plain(value: object, model: type[BaseModel], what: str) -> dict[str, Any] | str:
    """The argument as plain data of its own top level, or why it is none."""
    if isinstance(value, model):
        try:
            return value.model_dump(by_alias=True, warnings=False)
        except (PydanticSerializationError, ValueError, RecursionError):
            # A model holds free JSON members by reference; one that refers to itself cannot be written out.
            return f"{what} holds a value that refers to itself or is nested too deep"
    return dict(value) if isinstance(value, Mapping) else f"{what} is not an object"


def _copied(plain: dict[str, Any], limits: Limits) -> dict[str, Any] | str:
    """A copy that nobody else holds, or why there is none."""
    with suppress(UncleanError):
        copy: dict[str, Any] = copied(plain, limits)
        return copy
    problem = check(plain, limits)
    return copy_json(plain) if problem is None else problem


def _validated(model: type[_Model], copy: Any, code: str, what: str) -> _Model | tuple[Reason, ...]:
    try:
        return model.model_validate(copy)
    except ValidationError as error:
        found: dict[tuple[str, str], Reason] = {}
        mistakes, more = mistakes_of(error)
        for mistake in mistakes:
            pointer = pointer_of(list(mistake["loc"]))
            name = quoted(pointer) if pointer else what
            found.setdefault((pointer, mistake["type"]), reasons.deny(code, sentence(mistake, name)))
        rest = (reasons.deny(code, f"{what} has {more:,} more mistakes"),) if more else ()
        return (*found.values(), *rest)
