"""Frozen data classes that are quick to define.

`dataclasses.dataclass` writes and compiles the text of six functions for every class, used or not: for the few hundred
node classes of a compiler that is most of the time until the first policy is read. Here the constructor is made when
the first instance is, and the other functions are shared. What a class can do is the same.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from dataclasses import MISSING, FrozenInstanceError, fields
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NoReturn

if TYPE_CHECKING:
    from dataclasses import dataclass as dataclass  # noqa: PLC0414 - handed on: type checkers know no other one
else:

    def dataclass(
        cls: type | None = None,
        /,
        *,
        frozen: bool = False,
        slots: bool = False,
        kw_only: bool = False,
        order: bool = False,
    ) -> Any:
        """`dataclasses.dataclass`, quicker for `frozen=True, slots=True` without an order."""
        if cls is None:
            return lambda owner: dataclass(owner, frozen=frozen, slots=slots, kw_only=kw_only, order=order)
        if order or not (frozen and slots):
            return dataclasses.dataclass(frozen=frozen, slots=slots, kw_only=kw_only, order=order)(cls)
        return _record(dataclasses.dataclass(init=False, repr=False, eq=False, slots=True, kw_only=kw_only)(cls))


def _record(cls: type) -> type:
    own = {
        "__init__": _first_constructor(cls),
        "__repr__": _represent,
        "__eq__": _comparison(cls),
        "__hash__": _hash(cls),
        "__setattr__": _refuse_assignment,
        "__delattr__": _refuse_deletion,
        "__getstate__": _state,
        "__setstate__": _restore,
    }
    for name, function in own.items():
        if name not in cls.__dict__:
            setattr(cls, name, function)
    return cls


def _first_constructor(cls: Any) -> Callable[..., None]:
    """A constructor that puts the real one in its place and calls that."""

    def __init__(self: Any, *values: Any, **named: Any) -> None:  # noqa: N807 - the name that tracebacks show
        constructor = _constructor(cls)
        cls.__init__ = constructor
        constructor(self, *values, **named)

    return __init__


def _constructor(cls: Any) -> Callable[..., None]:
    """The constructor, as text of field names alone: defaults come in as values."""
    plain, keyword, body = ["self"], list[str](), list[str]()
    values: dict[str, Any] = {"_set": object.__setattr__, "_MISSING": MISSING}
    for field in fields(cls):
        name, given = field.name, field.name
        if field.default_factory is not MISSING:
            values[f"_make_{name}"] = field.default_factory
            made = f"_make_{name}()"
            given = f"{made} if {name} is _MISSING else {name}" if field.init else made
            default = "=_MISSING"
        elif field.default is not MISSING:
            values[f"_default_{name}"] = field.default
            default = f"=_default_{name}"
            given = name if field.init else f"_default_{name}"
        else:
            default = ""
            if not field.init:
                continue
        if field.init:
            (keyword if field.kw_only else plain).append(f"{name}{default}")
        body.append(f"    _set(self, {name!r}, {given})")
    if hasattr(cls, "__post_init__"):
        body.append("    self.__post_init__()")
    parameters = ", ".join([*plain, "*", *keyword] if keyword else plain)
    made_functions: dict[str, Any] = {}
    # The text holds names of fields of this package's own classes and nothing else.
    exec("\n".join([f"def __init__({parameters}):", *(body or ["    pass"])]), values, made_functions)  # noqa: S102
    constructor: Callable[..., None] = made_functions["__init__"]
    constructor.__qualname__ = f"{cls.__qualname__}.__init__"
    return constructor


def _values(names: list[str]) -> Callable[[Any], Any]:
    return attrgetter(*names) if names else lambda _: ()


def _comparison(cls: Any) -> Callable[[Any, object], Any]:
    values = _values([field.name for field in fields(cls) if field.compare])

    def __eq__(self: Any, other: object) -> Any:  # noqa: N807 - the name that tracebacks show
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    return __eq__


def _hash(cls: Any) -> Callable[[Any], int]:
    values = _values([field.name for field in fields(cls) if (field.compare if field.hash is None else field.hash)])

    def __hash__(self: Any) -> int:  # noqa: N807 - the name that tracebacks show
        return hash((values(self),))

    return __hash__


def _represent(self: Any) -> str:
    shown = ", ".join(f"{field.name}={getattr(self, field.name)!r}" for field in fields(self) if field.repr)
    return f"{self.__class__.__qualname__}({shown})"


def _refuse_assignment(self: Any, name: str, value: object) -> NoReturn:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_deletion(self: Any, name: str) -> NoReturn:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, field.name) for field in fields(self)]


def _restore(self: Any, state: list[Any]) -> None:
    for field, value in zip(fields(self), state, strict=True):
        object.__setattr__(self, field.name, value)
