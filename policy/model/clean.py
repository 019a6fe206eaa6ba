"""JSON values copied in one pass, where there is surely nothing wrong with them.

`policy.model.bounds` says exactly what is wrong with a value; this module only knows values that are right without
doubt, and is quick about it. Whatever it refuses is looked at there.
"""

from __future__ import annotations

import json
from marshal import dumps
from math import isfinite
from typing import Any

from policy.source.limits import Limits
from policy.types.numbers import MAX_INTEGER

_JSON_BYTES = 6
"""The most bytes of JSON text that one byte of a marshalled value stands for (`\\u0001` for a control character)."""
_MARSHALLED_BYTES = 4
"""More than the bytes that a marshalled value takes for one byte of its JSON text."""
_FORMAT = 2
"""The marshal format without references: a value that holds itself is too deep for it."""


class UncleanError(Exception):
    """A value that is not right beyond doubt."""


def small(value: Any, limits: Limits, besides: int = 0) -> bool:
    """Whether a value is surely within the bounds of size, and made of exact built-in types.

    `besides` are bytes that belong to it and are not among it, such as names of members.
    """
    try:
        length = len(dumps(value, _FORMAT)) + besides
    except ValueError:
        return False
    return length <= limits.data_nodes and length * _JSON_BYTES <= limits.data_bytes


def copied(value: Any, limits: Limits) -> Any:
    """A `clean` copy of a value that is within the bounds of size; raises UncleanError in any doubt."""
    try:
        length = len(dumps(value, _FORMAT))
    except ValueError:
        raise UncleanError from None
    if length > _MARSHALLED_BYTES * limits.data_bytes:
        raise UncleanError
    copy = clean(value, limits.data_depth)
    if length > limits.data_nodes or length * _JSON_BYTES > limits.data_bytes:
        text = json.dumps(copy, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
        # Every part stands behind a bracket or a comma, but for the whole; those within texts count too.
        parts = 1 + sum(text.count(mark) for mark in ",[{")
        if parts > limits.data_nodes or len(text.encode()) > limits.data_bytes:
            raise UncleanError
    return copy


def clean(value: Any, depth: int) -> Any:
    """A deep copy that shares nothing mutable, each number in its one form; raises UncleanError in any doubt.

    `depth` is how many levels of lists and objects are left.
    """
    kind = type(value)
    if kind is str:
        if not value.isascii():
            _encodable(value)
        return value
    if kind is dict:
        if depth <= 0:
            raise UncleanError
        copy = {}
        for name, member in value.items():
            if type(name) is not str or not (name.isascii() or _encodable(name)):
                raise UncleanError
            copy[name] = clean(member, depth - 1)
        return copy
    if kind is int:
        if -MAX_INTEGER <= value <= MAX_INTEGER:
            return value
        raise UncleanError
    if value is None or kind is bool:
        return value
    if kind is list:
        if depth <= 0:
            raise UncleanError
        return [clean(item, depth - 1) for item in value]
    if kind is float and isfinite(value) and not value.is_integer():
        return value
    raise UncleanError


def _encodable(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise UncleanError from None
    return True
