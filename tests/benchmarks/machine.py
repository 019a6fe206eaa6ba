"""What a run was made on."""

from __future__ import annotations

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

_LIBRARIES = ("agent-policy", "pydantic", "pydantic-core", "jsonschema-rs", "lark")


def machine() -> dict[str, Any]:
    """Processor, cores, memory, Python, system, versions of what the engine stands on, and the date."""
    return {
        "date": datetime.now(UTC).date().isoformat(),
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9),
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "system": f"{platform.system()} {platform.release().split('-')[0]} {platform.machine()}",
        "versions": {name: _version(name) for name in _LIBRARIES},
        "load_average": [round(each, 2) for each in os.getloadavg()],
    }


def _processor() -> str:
    path = Path("/proc/cpuinfo")
    if path.exists():
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
