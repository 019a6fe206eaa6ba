"""JSON as the service writes it."""

from __future__ import annotations

import json
from typing import Any


def json_bytes(value: Any) -> bytes:
    """UTF-8 JSON without spaces. Raises ValueError for NaN and infinities."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()
