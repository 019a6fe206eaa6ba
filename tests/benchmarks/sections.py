"""x"""
from typing import Any
from collections.abc import Callable, Mapping
Section = Callable[[bool], list[dict[str, Any]]]
SECTIONS: Mapping[str, Section] = {}
