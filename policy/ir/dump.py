"""Programs as text: a canonical form to hash, and a readable one for people and golden files.

Both hold what a policy means and nothing of how it was written: no spans, comments, layout, file names, names of
defines or of layers, and no order of statements. Types of expressions are left out, since they follow from the rest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

from policy.ir import nodes as ir
from policy.ir.reads import definitions
from policy.source.version import LANGUAGE_VERSION
from policy.types import kinds, values
from policy.types.zones import TZDATA_VERSION

Form = str | int | float | bool | list["Form"]
"""A tree of lists, as in JSON; a node is `[name, [field, value], …]`, a tuple of nodes `["", item, …]`."""

_WIDTH = 110
_DERIVED = {ir.Read: {"type", "text"}, ir.Leaf: {"text"}, ir.Approval: {"needs"}, ir.Program: {"layer"}}
"""Fields that repeat what other fields say, or that name a file."""


def _members_of(owner: type) -> tuple[str, ...]:
    left_out = {"span"} | _DERIVED.get(owner, {"type"} if issubclass(owner, ir.Node) else set())
    return tuple(field.name for field in fields(owner) if field.name not in left_out)


_MEMBERS: dict[type, tuple[str, ...]] = {
    owner: _members_of(owner)
    for module in (ir, kinds, values)
    for owner in vars(module).values()
    if isinstance(owner, type) and is_dataclass(owner)
}
"""The members of every class of node, type and value that have a meaning."""
_UNORDERED = frozenset(
    {"defaults", "clauses", "denies", "requires", "raises", "risks", "approvals", "separations", "obligations"}
    | {"context", "attributes", "roles", "groups", "routes"}
)
"""Members of a program whose order means nothing."""


def canonical(node: ir.Program | ir.Node, digests: dict[int, str] | None = None) -> str:
    """The canonical text of a program, a statement or an expression: JSON without white space.

    Equal texts mean equal; a shared define stands by the SHA-256 of its own text, so that the size stays linear.
    `digests` carries those of the defines from call to call, by identity; the nodes must be kept alive meanwhile.
    """
    return _text(_Former(named=False, digests=digests).form(node))


def dump(node: ir.Program | ir.Node) -> str:
    """A readable, stable text of a program, a statement or an expression; every define is shown once, by name."""
    former = _Former(named=True)
    lines = _layout(former.form(node), 0)
    for name, value in sorted(former.defines.items()):
        lines += _layout(["define", name, value], 0)
    return "\n".join(lines) + "\n"


def policy_hash(layers: Sequence[ir.Program], *, tzdata_version: str = TZDATA_VERSION) -> str:
    """`sha256:…` over the canonical texts of the layers in order, the language version and the tzdata version."""
    return f"sha256:{_digest(_text([LANGUAGE_VERSION, tzdata_version, *(canonical(layer) for layer in layers)]))}"


def _text(form: Form) -> str:
    return json.dumps(form, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Former:
    """Makes forms of nodes; remembers the defines it met, each once."""

    def __init__(self, *, named: bool, digests: dict[int, str] | None = None) -> None:
        self.defines: dict[str, Form] = {}
        self._named = named
        self._digests: dict[int, str] = {} if digests is None else digests

    def form(self, value: object) -> Form:
        if type(value) is str:
            return value
        if isinstance(value, ir.Shared):
            return self._shared(value)
        if isinstance(value, ir.ScopePattern | ir.CapabilityGlob):
            return ["pattern", value.text]
        if isinstance(value, ir.Program):
            return self._program(value)
        if type(value) in _MEMBERS:
            return [type(value).__name__, *self._members(value)]
        if isinstance(value, tuple | list):
            return ["", *(self.form(item) for item in value)]
        return _scalar(value)

    def _members(self, value: object) -> list[Form]:
        members: list[Form] = []
        for name in _MEMBERS[type(value)]:
            member = getattr(value, name)
            if member is not None:
                members.append([name, self.form(member)])
        return members

    def _shared(self, value: ir.Shared) -> Form:
        known = value.name in self.defines if self._named else id(value.value) in self._digests
        # Each define behind those it uses: chains of them may be longer than the stack.
        for used in () if known else definitions(value):
            if self._named and used.name not in self.defines:
                self.defines[used.name] = self.form(used.value)
            elif not self._named and id(used.value) not in self._digests:
                self._digests[id(used.value)] = _digest(_text(self.form(used.value)))
        return ["use", value.name] if self._named else ["shared", self._digests[id(value.value)]]

    def _program(self, program: ir.Program) -> Form:
        members = self._members(program)
        for member in members:
            if isinstance(member, list) and member[0] in _UNORDERED and isinstance(member[1], list):
                head, *items = member[1]
                member[1] = [head, *sorted(items, key=_text)]
        return ["Program", *members]


def _scalar(value: object) -> Form:
    match value:
        case None:
            return ["null"]
        case bool() | int() | float():
            return value
        case str():
            return value if not isinstance(value, Enum) else [type(value).__name__, str(value.value)]
        case Enum():
            return [type(value).__name__, str(value.value)]
        case Decimal():
            return ["decimal", str(value.normalize())]
        case frozenset():
            return ["", *sorted((_scalar(item) for item in value), key=_text)]
        case IPv4Network() | IPv6Network() | IPv4Address() | IPv6Address():
            return ["ip", str(value)]
        case dict():
            return ["map", *([str(key), _plain(value[key])] for key in sorted(value))]
    raise TypeError(f"a {type(value).__name__} has no canonical form")


def _plain(value: object) -> Form:
    if isinstance(value, list | tuple):
        return ["", *(_plain(item) for item in value)]
    return _scalar(value)


def _layout(form: Form, indent: int) -> list[str]:
    """The form in lines of parenthesised lists, broken where a line would be too long."""
    line = _inline(form)
    if len(line) + indent <= _WIDTH or not isinstance(form, list):
        return [" " * indent + line]
    head, *rest = form
    start = f"({head}" if isinstance(head, str) and head else "("
    while rest and not isinstance(rest[0], list):
        start += f" {_inline(rest.pop(0))}"
    lines = [" " * indent + start]
    for item in rest:
        lines += _layout(item, indent + 2)
    lines[-1] += ")"
    return lines


def _inline(form: Form) -> str:
    if not isinstance(form, list):
        return json.dumps(form, ensure_ascii=False)
    head, *rest = form
    parts = [head] if isinstance(head, str) and head else []
    return f"({' '.join(str(part) for part in [*parts, *(_inline(item) for item in rest)])})"
