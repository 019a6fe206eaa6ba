"""ACC's own conditions, `approval.when`, with ACC's own JSON equality (model.md section 2).

The input has passed its schema. What cannot be judged asks for approval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from policy.model.admitted import AccCondition
from policy.source.records import dataclass
from policy.types.display import show_value
from policy.types.numbers import compare, is_number
from policy.types.values import MISSING

_ORDER = {">": (1,), ">=": (1, 0), "<": (-1,), "<=": (-1, 0)}
_PARAMETER = re.compile(r"\{([^{}]*)\}")
_SHOWN = 200
"""Characters of a parameter that a prompt shows."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A value under a path, or MISSING; `of_item` where the path went through an array."""

    value: object
    of_item: bool


def holds(condition: AccCondition, value: object) -> bool:
    """Whether a condition asks for approval of this input: any item under its path does."""
    return any(_asks(condition, found) for found in _under(value, condition.steps, of_item=False))


def describe(condition: AccCondition) -> str:
    """The condition in the declaration's words, else as it is written."""
    if condition.label:
        return condition.label
    path = ".".join(condition.steps)
    return f"`{path}` {condition.operator}" + (
        "" if condition.operator == "exists" else f" {show_value(condition.value)}"
    )


def filled_prompt(prompt: str, value: object) -> str:
    """The prompt with `{parameter}` replaced, in one pass, by the input's values as data: quoted and escaped, bounded.

    A parameter that the input does not hold is shown as `(not given)`; nothing that is filled in is read again.
    """

    def fill(found: re.Match[str]) -> str:
        given = [each.value for each in _readings(value, found[1].split(".")) if each.value is not MISSING]
        return ", ".join(show_value(each, _SHOWN) for each in given[:20]) if given else "(not given)"

    return _PARAMETER.sub(fill, prompt)


def json_equal(left: object, right: object) -> bool:
    """Strict JSON equality: by type and value, deeply; values of different types are not equal."""
    if is_number(left) and is_number(right):
        return compare(left, right) == 0
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(json_equal(one, other) for one, other in zip(left, right, strict=True))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(json_equal(part, right[name]) for name, part in left.items())
    return type(left) is type(right) and left == right


def _under(value: object, steps: tuple[str, ...], *, of_item: bool) -> Iterator[_Found]:
    """Every value under a path; at an array on the way the rest applies to every item."""
    if not steps:
        yield _Found(value, of_item)
    elif isinstance(value, list):
        for item in value:
            yield from _under(item, steps, of_item=True)
    elif isinstance(value, dict) and steps[0] in value:
        yield from _under(value[steps[0]], steps[1:], of_item=of_item)
    else:
        yield _Found(MISSING, of_item)


def _readings(value: object, segments: list[str]) -> Iterator[_Found]:
    """The values under a dotted path of a prompt: a member's whole name first, as a member's name may hold dots."""
    if isinstance(value, dict) and ".".join(segments) in value:
        yield _Found(value[".".join(segments)], of_item=False)
    else:
        yield from _under(value, tuple(segments), of_item=False)


def _asks(condition: AccCondition, found: _Found) -> bool:
    value, wanted = found.value, condition.value
    if value is MISSING:
        # An item that lacks the member cannot be judged; an absent parameter equals nothing and is in no list.
        return found.of_item or condition.operator in (*_ORDER, "contains", "!=")
    match condition.operator:
        case "exists":
            return value is not None
        case "==":
            return json_equal(value, wanted)
        case "!=":
            return not json_equal(value, wanted)
        case "in":
            return not isinstance(wanted, list) or any(json_equal(value, each) for each in wanted)
        case "contains":
            return _contains(value, wanted)
        case _:
            if not is_number(value) or not is_number(wanted):
                return True
            return compare(value, wanted) in _ORDER[condition.operator]


def _contains(value: object, wanted: object) -> bool:
    if isinstance(value, str) and isinstance(wanted, str):
        return wanted in value
    if isinstance(value, list):
        return any(json_equal(item, wanted) for item in value)
    return True
