"""The TOML file that an authorizer is configured by.

```toml
policies = ["organisation.policy", "tenant.policy"]
catalog = "capabilities.json"
fixtures = ["payments.fixtures.yaml"]
resolver = "directory_of_ours:resolver"
history = "audit_of_ours:history"

[approvals]
store = "sqlite"
path = "approvals.sqlite"
requests_valid_for = "24h"

[log]
path = "decisions.jsonl"
on_failure = "deny"
inputs = ["input.order_id"]

[reload]
interval = "5s"

[telemetry]
opentelemetry = true
```

Relative paths are relative to the file. Unknown members are errors.
"""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any

from policy.plugins.approvals.memory import MemoryApprovalStore
from policy.plugins.approvals.protocol import ApprovalStore
from policy.plugins.approvals.sqlite import SqliteApprovalStore
from policy.plugins.loaded import CatalogFile
from policy.plugins.log.decision_log import DEFAULT_SOURCE, DecisionLog
from policy.plugins.log.telemetry import Telemetry
from policy.plugins.log.writer import DEFAULT_KEEP, DEFAULT_MAX_BYTES
from policy.plugins.problems import ConfigurationError
from policy.plugins.reload import DEFAULT_SECONDS, Reload
from policy.source.suggest import did_you_mean
from policy.types.instants import NANOSECONDS_PER_SECOND, parse_duration

_MOST_BYTES = 1 << 20
_TEXT, _TEXTS, _YES, _COUNT, _TABLE = "text", "a list of texts", "true or false", "a whole number", "a table"
_TYPES: Mapping[str, Callable[[object], bool]] = MappingProxyType(
    {
        _TEXT: lambda value: isinstance(value, str) and bool(value),
        _TEXTS: lambda value: isinstance(value, list) and all(isinstance(each, str) and each for each in value),
        _YES: lambda value: isinstance(value, bool),
        _COUNT: lambda value: isinstance(value, int) and not isinstance(value, bool),
        _TABLE: lambda value: isinstance(value, dict),
    }
)
_MEMBERS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "": {
            "policies": _TEXTS,
            "catalog": _TEXT,
            "mcp": _TABLE,
            "fixtures": _TEXTS,
            "resolver": _TEXT,
            "history": _TEXT,
            "approvals": _TABLE,
            "log": _TABLE,
            "reload": _TABLE,
            "telemetry": _TABLE,
            "server": _TABLE,
        },
        "mcp": {"server": _TEXT, "trust_annotations": _YES},
        "approvals": {"store": _TEXT, "path": _TEXT, "requests_valid_for": _TEXT, "complete_history": _YES},
        "log": {
            "path": _TEXT,
            "on_failure": _TEXT,
            "max_bytes": _COUNT,
            "keep": _COUNT,
            "inputs": _TEXTS,
            "messages": _YES,
            "source": _TEXT,
        },
        "reload": {"interval": _TEXT, "background": _YES},
        "telemetry": {"opentelemetry": _YES},
    }
)
"""Table to its members and what each holds; the table `server` is the service's own and read by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Configuration:
    """What a file says, read and judged as far as it goes without opening anything it names."""

    path: Path
    """The file."""
    values: Mapping[str, Any] = field(repr=False)
    """Its members."""

    @property
    def server(self) -> Mapping[str, Any]:
        """The table `server`, which is the service's own; empty where there is none."""
        return self._table("server") or {}

    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of `Authorizer`, everything opened. Raises ConfigurationError."""
        values = self.values
        return {
            "policies": [self._at(path) for path in values["policies"]],
            "catalog": self._catalog(),
            "resolver": self._imported("resolver", "resolve"),
            "history": self._imported("history", "history"),
            "log": self._log(),
            "reload": self._reload(),
            "fixtures": [self._at(path) for path in values.get("fixtures", ())],
            "telemetry": self._telemetry(),
            "requests_valid_for": self._valid_for(),
            # Last, so that nothing that fails leaves a file open.
            "approvals": self._approvals(),
        }

    def _table(self, name: str) -> Mapping[str, Any] | None:
        return self.values.get(name)

    def _at(self, path: str) -> Path:
        return self.path.parent / path

    def _problem(self, message: str) -> ConfigurationError:
        return ConfigurationError(f"{self.path}: {message}")

    def _catalog(self) -> Any:
        catalog, mcp = self.values.get("catalog"), self._table("mcp")
        if catalog is None:
            if mcp is not None:
                raise self._problem("`mcp` says how a catalog of tools is read, and there is no `catalog`")
            return None
        path = self._at(catalog)
        if mcp is None:
            return path
        return CatalogFile(path=path, server=mcp.get("server"), trust_annotations=mcp.get("trust_annotations", False))

    def _approvals(self) -> ApprovalStore | None:
        table = self._table("approvals")
        if table is None:
            return None
        complete = table.get("complete_history", False)
        match table.get("store", "sqlite"):
            case "memory":
                if "path" in table:
                    raise self._problem("`approvals.path` is for the store `sqlite`")
                return MemoryApprovalStore(complete_history=complete)
            case "sqlite":
                if "path" not in table:
                    raise self._problem("`approvals.path` is missing; name the file that approvals are kept in")
                return SqliteApprovalStore(self._at(table["path"]), complete_history=complete)
            case other:
                raise self._problem(f"`approvals.store` is `sqlite` or `memory`, not `{other}`")

    def _valid_for(self) -> str | None:
        table = self._table("approvals")
        return None if table is None else table.get("requests_valid_for")

    def _log(self) -> DecisionLog | None:
        table = self._table("log")
        if table is None:
            return None
        for name in ("path", "on_failure"):
            if name not in table:
                what = "the file to write" if name == "path" else "`deny` or `continue`"
                raise self._problem(f"`log.{name}` is missing; state {what}")
        return DecisionLog(
            self._at(table["path"]),
            on_failure=table["on_failure"],
            inputs=table.get("inputs", ()),
            messages=table.get("messages", False),
            source=table.get("source", DEFAULT_SOURCE),
            max_bytes=table.get("max_bytes", DEFAULT_MAX_BYTES),
            keep=table.get("keep", DEFAULT_KEEP),
        )

    def _reload(self) -> Reload | None:
        table = self._table("reload")
        if table is None:
            return None
        seconds = DEFAULT_SECONDS
        if "interval" in table:
            read = parse_duration(table["interval"])
            if read is None:
                raise self._problem(f"`reload.interval` is a duration such as `5s`, not `{table['interval']}`")
            seconds = read.nanoseconds / NANOSECONDS_PER_SECOND
        return Reload(seconds=seconds, background=table.get("background", True))

    def _telemetry(self) -> Telemetry | None:
        table = self._table("telemetry")
        return Telemetry() if table is not None and table.get("opentelemetry", False) else None

    def _imported(self, name: str, method: str) -> Any:
        """The object that `module:name` names, or what it gives where it is a factory."""
        stated = self.values.get(name)
        if stated is None:
            return None
        module, colon, attribute = stated.partition(":")
        if not (colon and module and attribute):
            raise self._problem(f"`{name}` names an object as `module:name`, not `{stated}`")
        try:
            found = getattr(importlib.import_module(module), attribute)
            found = found if hasattr(found, method) and not isinstance(found, type) else found()
        except Exception as error:  # noqa: BLE001 - the host's code runs here; whatever it raises is told
            failure = error
        else:
            if not callable(getattr(found, method, None)):
                raise self._problem(f"`{name}`: `{stated}` has no method `{method}`")
            return found
        told = f"{type(failure).__name__}: {failure}"
        raise self._problem(f"`{name}`: `{stated}` gives no object ({told})") from failure


def read_configuration(path: str | PathLike[str]) -> Configuration:
    """Read a file. Raises ConfigurationError where it cannot be read or says something that is not known."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            data = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(f"{file}: cannot be read: {(error.strerror or 'unknown').lower()}") from error
    if len(data) > _MOST_BYTES:
        raise ConfigurationError(f"{file}: takes more than {_MOST_BYTES:,} bytes")
    try:
        values = tomllib.loads(data.decode("utf-8"))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise ConfigurationError(f"{file}: is no TOML: {str(error)[:1].lower()}{str(error)[1:]}") from error
    _judge(file, "", values)
    for name in _MEMBERS:
        if name and name in values:
            _judge(file, name, values[name])
    if not values.get("policies"):
        raise ConfigurationError(f"{file}: `policies` is missing; name at least one policy")
    return Configuration(path=file, values=MappingProxyType(values))


def _judge(file: Path, table: str, values: Mapping[str, Any]) -> None:
    known = _MEMBERS[table]
    for name, value in values.items():
        shown = f"{table}.{name}" if table else name
        if name not in known:
            help = did_you_mean(name, known)
            raise ConfigurationError(f"{file}: `{shown}` is not known" + (f"; {help}" if help else _choice(known)))
        if not _TYPES[known[name]](value):
            raise ConfigurationError(f"{file}: `{shown}` is {known[name]}")


def _choice(known: Sequence[str] | Mapping[str, str]) -> str:
    return f"; there are {', '.join(f'`{each}`' for each in known)}"
