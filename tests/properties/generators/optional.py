"""Values that may be absent."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


def maybe(draw: st.DrawFn, strategy: st.SearchStrategy[Any], absent_one_in: int = 15) -> Any:
    """A value, or None for absent (not at an end of the range, which is drawn more often)."""
    return None if draw(st.integers(1, absent_one_in)) == absent_one_in // 2 + 1 else draw(strategy)


def rarely(draw: st.DrawFn, strategy: st.SearchStrategy[Any]) -> Any:
    """A value one time in five, else None for absent."""
    return draw(strategy) if draw(st.integers(1, 5)) == 3 else None


def present(**members: Any) -> dict[str, Any]:
    """The members that are not None."""
    return {name: value for name, value in members.items() if value is not None}
