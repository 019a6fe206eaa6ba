"""Which values of an input a log may hold: those that are allowed by name and that nothing asks to leave out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any

from policy.ir import nodes as ir
from policy.ir.patterns import matches_any
from policy.model.admitted import AdmittedCapability
from policy.model.bounds import copy_json

Steps = tuple[str | int, ...]
"""The members and positions that lead to a value of the input."""

_ROOT = "input"
_STEP = re.compile(r'\.([A-Za-z_][A-Za-z0-9_]*)|\[("(?:[^"\\]|\\.)*")\]|\[([0-9]+)\]')
_LONGEST = 4_096
"""Bytes of one value as JSON that are logged."""
_ABSENT = object()


def read_path(path: str) -> Steps | None:
    """The steps of a path as policies write it (`input.card_number`, `input["odd key"]`), or None where it is none."""
    if not path.startswith(_ROOT):
        return None
    steps: list[str | int] = []
    at = len(_ROOT)
    while at < len(path):
        found = _STEP.match(path, at)
        if found is None:
            return None
        name, quoted, index = found.groups()
        try:
            steps.append(name if name is not None else json.loads(quoted) if quoted is not None else int(index))
        except ValueError:
            return None
        at = found.end()
    return tuple(steps)


def sensitive(capability: AdmittedCapability | None) -> bool:
    """Whether nothing of the input may be logged: `audit.sensitive`, `redaction_required`, or a capability unknown."""
    if capability is None:
        return True
    if capability.acc is not None and capability.acc.audit.sensitive:
        return True
    return capability.contract is not None and capability.contract.data.redaction_required


def redacted_paths(policy: ir.PolicySet, capability: AdmittedCapability) -> tuple[str, ...]:
    """Every path that some obligation of the policy may redact for the capability, whatever its condition.

    The condition is not asked: a denial carries no obligations, and the input is no less confidential for it.
    """
    found = {
        path
        for layer in policy.layers
        for rule in layer.obligations
        if rule.selector.patterns is None or matches_any(rule.selector.patterns, capability.scope, capability.id)
        for path in rule.redact
    }
    return tuple(sorted(found))


def logged_input(value: Any, allowed: Iterable[str], redacted: Sequence[str]) -> dict[str, Any]:
    """The values of the allowed paths, by path, without what the redacted paths name.

    A redacted path through a list means every item. One that cannot be read leaves out everything.
    """
    own = copy_json(value)
    for path in redacted:
        steps = read_path(path)
        if not steps:
            return {}
        _remove(own, tuple(step for step in steps if isinstance(step, str)))
    found = {}
    for path in allowed:
        part = _at(own, read_path(path))
        if part is not _ABSENT and len(json.dumps(part)) <= _LONGEST:
            found[path] = part
    return found


def _remove(value: Any, names: tuple[str, ...]) -> None:
    """Take a member out of an object; a list on the way, or a position in a path, means every item."""
    if isinstance(value, list):
        for item in value:
            _remove(item, names)
    elif isinstance(value, dict) and names and names[0] in value:
        if len(names) == 1:
            del value[names[0]]
        else:
            _remove(value[names[0]], names[1:])


def _at(value: Any, steps: Steps | None) -> Any:
    if not steps:
        return _ABSENT
    for step in steps:
        member = isinstance(value, dict) and isinstance(step, str) and step in value
        item = isinstance(value, list) and isinstance(step, int) and step < len(value)
        if not (member or item):
            return _ABSENT
        value = value[step]
    return value
