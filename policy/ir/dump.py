"""Programs as text: a canonical form to hash, and a readable one for people and golden files.

Both hold what a policy means and nothing of how it was written: no spans, comments, layout, file names, names of
defines or of layers, and no order of statements. Types of expressions are left out, since they follow from the rest.
"""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from dataclasses import fields, is_dataclass
from decimal import Decimal
from enum import Enum
from hashlib import sha256
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from json.encoder import encode_basestring

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

_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def canonical(node: ir.Program | ir.Node, digests: dict[int, str] | None = None) -> str:
    """The canonical text of a program, a statement or an expression: JSON without white space.

    Equal texts mean equal; a shared define stands by the SHA-256 of its own text, so that the size stays linear.
    `digests` carries those of the defines from call to call, by identity; the nodes must be kept alive meanwhile.
    """
    return _Writer(named=False, digests=digests).text(node)


def dump(node: ir.Program | ir.Node) -> str:
    """A readable, stable text of a program, a statement or an expression; every define is shown once, by name."""
    writer = _Writer(named=True)
    lines = _layout(json.loads(writer.text(node)), 0)
    for name, value in sorted(writer.defines.items()):
        lines += _layout(["define", name, json.loads(value)], 0)
    return "\n".join(lines) + "\n"


def policy_hash(layers: Sequence[ir.Program], *, tzdata_version: str = TZDATA_VERSION) -> str:
    """`sha256:…` over the canonical texts of the layers in order, the language version and the tzdata version."""
    return f"sha256:{_digest(_text([LANGUAGE_VERSION, tzdata_version, *(canonical(layer) for layer in layers)]))}"


def _text(form: Form) -> str:
    return _ENCODER.encode(form)


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class _Writer:
    """Writes nodes as JSON; remembers the defines it met, each once."""

    def __init__(self, *, named: bool, digests: dict[int, str] | None = None) -> None:
        self.defines: dict[str, str] = {}
        self._named = named
        self._digests: dict[int, str] = {} if digests is None else digests

    def text(self, value: object) -> str:
        kind = type(value)
        if kind is str:
            return encode_basestring(value)  # type: ignore[arg-type]
        if kind is tuple or kind is list:
            return ",".join(('[""', *[self.text(item) for item in value])) + "]"  # type: ignore[attr-defined]
        if isinstance(value, ir.Shared):
            return self._shared(value)
        if isinstance(value, ir.ScopePattern | ir.CapabilityGlob):
            return f'["pattern",{encode_basestring(value.text)}]'
        members = _MEMBERS.get(kind)
        if members is None:
            return _text(_scalar(value))
        written = [f'["{kind.__name__}"']
        unordered: Container[str] = _UNORDERED if kind is ir.Program else ()
        for name in members:
            member = getattr(value, name)
            if member is None:
                continue
            if name in unordered:
                items = ",".join(('[""', *sorted([self.text(item) for item in member])))
                written.append(f'["{name}",{items}]]')
            else:
                written.append(f'["{name}",{self.text(member)}]')
        return ",".join(written) + "]"

    def _shared(self, value: ir.Shared) -> str:
        known = value.name in self.defines if self._named else id(value.value) in self._digests
        # Each define behind those it uses: chains of them may be longer than the stack.
        for used in () if known else definitions(value):
            if self._named and used.name not in self.defines:
                self.defines[used.name] = self.text(used.value)
            elif not self._named and id(used.value) not in self._digests:
                self._digests[id(used.value)] = _digest(self.text(used.value))
        return f'["use",{_text(value.name)}]' if self._named else f'["shared","{self._digests[id(value.value)]}"]'


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
