"""ASGI middleware that asks before an endpoint runs; for Starlette, and by a mapping for any other application.

A route says which capability it is: the attribute `x-agent-capability` of its endpoint, set by `capability`, the
member of that name in a route's `openapi_extra`, or a mapping of `POST /refunds/{order}`. The capability's input is
the path's parameters, the query parameters that the route declares, and the members of a JSON object body; another
JSON body is the member `body`. A name that comes from two places is refused, so that what is judged is what the
endpoint reads.

What is not allowed gets an answer of RFC 9457 and never reaches the endpoint: 403 with the safe reason and, where
people must approve, the `handle`. The request is sent again with that handle in `x-approval-handle`.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, MutableMapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, TypeVar
from urllib.parse import parse_qsl

from policy.contracts.parameters import resolve
from policy.model.data_error import DataError
from policy.model.reader import read_json
from policy.plugins.adapters.common import FAILED, Gate, Verdict

__all__ = ["EXTENSION", "HANDLE_HEADER", "Declared", "PolicyMiddleware", "capability"]

EXTENSION = "x-agent-capability"
"""What a route declares its capability by."""
HANDLE_HEADER = "x-approval-handle"
"""The request header that names an approved request."""
BODY_BYTES = 1 << 20
"""Bytes of a body; more is 413."""

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[Scope, Receive, Send], Awaitable[None]]
Endpoint = TypeVar("Endpoint")

_LOG = logging.getLogger("policy")
_ATTRIBUTE = "x_agent_capability"
_FIELDS = 1_000
_JSON = re.compile(r"application/(?:[\w.+-]+\+)?json(?:\s*;.*)?", re.IGNORECASE)
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?", re.ASCII)
_PARAMETER = re.compile(r"\{([^{}:]+)(:path)?\}")


@dataclass(frozen=True, slots=True)
class Declared:
    """The capability of a route."""

    capability: str
    """Its id in the authorizer's catalog."""
    query: frozenset[str] = frozenset()
    """The query parameters that the endpoint reads; a request with another one is refused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a request asks to run."""

    declared: Declared
    path: Mapping[str, Any]
    """The parameters of the path."""
    body: bool = True
    """Whether the endpoint reads a body."""
    query: bytes = b""
    """The query string."""
    headers: tuple[tuple[bytes, bytes], ...] = field(default=(), repr=False)
    """Header names in lower case, and values."""

    def header(self, name: str) -> str | None:
        """The value of a header, None without one. Raises RefusedError where it is sent twice."""
        found = [value for each, value in self.headers if each == name.encode()]
        if len(found) > 1:
            raise RefusedError(400, f"the header `{name}` is sent twice")
        return found[0].decode("latin-1").strip() if found else None


class RefusedError(Exception):
    """A request that is refused before anybody is asked."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status."""
        self.message = message
        """A sentence free of what was sent."""


def capability(identifier: str, *, query: Iterable[str] = ()) -> Callable[[Endpoint], Endpoint]:
    """Declare the capability of an endpoint, and the query parameters that it reads."""
    declared = Declared(identifier, frozenset(query))

    def declare(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _ATTRIBUTE, declared)
        return endpoint

    return declare


class PolicyMiddleware:
    """Lets an endpoint run when its capability is allowed.

    `gate` asks; its `context` gets the request's scope and states who acts from what the host authenticated.
    `capabilities` maps `METHOD /path/{name}` to a capability where routes do not say it themselves. A route without
    one is refused, unless `open_routes` has its `METHOD /path`; a web socket always is. Stands last among an
    application's middleware: what rewrites a request must do so before it is judged.
    """

    def __init__(
        self,
        app: Application,
        *,
        gate: Gate,
        capabilities: Mapping[str, str | Declared] = MappingProxyType({}),
        open_routes: Collection[str] = (),
        body_bytes: int = BODY_BYTES,
    ) -> None:
        self._app = app
        self._gate = gate
        self._mapped = [(*_pattern(key), _declared(value)) for key, value in capabilities.items()]
        self._open = [_pattern(key) for key in open_routes]
        self._body_bytes = body_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008, "reason": "not allowed"})
            return
        if any(_matched(method, path, scope) is not None for method, path in self._open):
            await self._app(scope, receive, send)
            return
        try:
            asked = self._asked(scope)
            data = await _body(receive, asked, self._body_bytes)
            verdict = await judged(self._gate, asked, data, scope)
        except RefusedError as error:
            await _refuse(send, error.status, refusal_problem(error))
            return
        except Exception as error:  # noqa: BLE001 - whatever fails is a refusal, told in the log
            _LOG.error("a request could not be judged, so it is refused", exc_info=error)
            await _refuse(send, 403, failure_problem())
            return
        if verdict.runs:
            await self._app(scope, _replayed(data, receive), send)
            return
        await _refuse(send, 403, verdict_problem(verdict))

    def _asked(self, scope: Scope) -> Asked:
        found: tuple[Declared, Mapping[str, Any]] | None = _route(scope)
        if found is None:
            for method, path, declared in self._mapped:
                parameters = _matched(method, path, scope)
                if parameters is not None:
                    found = declared, parameters
                    break
        if found is None:
            raise RefusedError(403, "the route names no capability, so nothing ran")
        declared, values = found
        return Asked(declared=declared, path=values, query=scope.get("query_string", b""), headers=_headers(scope))


async def judged(gate: Gate, asked: Asked, data: bytes, run: Any) -> Verdict:
    """Ask the gate, or release by the handle that the request names. Raises RefusedError for what cannot be read."""
    handle = asked.header(HANDLE_HEADER)
    return await asyncio.to_thread(_judged, gate, asked, data, run, handle)


def _judged(gate: Gate, asked: Asked, data: bytes, run: Any, handle: str | None) -> Verdict:
    admitted = gate.authorizer.capabilities.get(asked.declared.capability)
    arguments = read_input(asked, data, None if admitted is None else admitted.document.input_schema)
    if handle is None:
        return gate.check(asked.declared.capability, arguments, run)
    return gate.resume(asked.declared.capability, arguments, run, handle)


def read_input(asked: Asked, data: bytes, schema: object) -> dict[str, Any]:
    """The input of a capability: path, query and body. Raises RefusedError where that is not one clear thing."""
    given: dict[str, Any] = {}
    for name, value in asked.path.items():
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        given[name] = value if plain else _typed(str(value), schema, name)
    for name, texts in _query(asked.query).items():
        if name not in asked.declared.query:
            raise RefusedError(400, "the query has a parameter that the route does not declare")
        if name in given:
            raise RefusedError(400, "an input is given by both path and query")
        given[name] = _queried(texts, schema, name)
    if not data:
        return given
    body = _json(asked, data)
    members = body if isinstance(body, dict) else {"body": body}
    if members.keys() & {*asked.path, *asked.declared.query}:
        raise RefusedError(400, "an input that belongs into path or query is given by the body")
    return {**given, **members}


def verdict_problem(verdict: Verdict) -> dict[str, Any]:
    """What a caller is told of a call that does not run (RFC 9457)."""
    title = "Approval required" if verdict.waits else "Forbidden"
    return {"type": "about:blank", "title": title, "status": 403, "detail": verdict.message, **_outcome(verdict)}


def refusal_problem(error: RefusedError) -> dict[str, Any]:
    """What a caller is told of a request that was not asked about."""
    told = {"type": "about:blank", "title": "Not run", "status": error.status, "detail": error.message}
    return {**told, "outcome": "deny", "handle": None}


def failure_problem() -> dict[str, Any]:
    """What a caller is told where the asking itself failed."""
    return refusal_problem(RefusedError(403, FAILED))


def _outcome(verdict: Verdict) -> dict[str, Any]:
    payload = verdict.to_payload()
    return {"outcome": payload["outcome"], "handle": payload["handle"]}


def _json(asked: Asked, data: bytes) -> Any:
    media = asked.header("content-type") or ""
    if not asked.body:
        raise RefusedError(400, "the route reads no body")
    if not _JSON.fullmatch(media) or (asked.header("content-encoding") or "identity").lower() != "identity":
        raise RefusedError(415, "the body must be JSON, and not compressed")
    try:
        return read_json(data)
    except DataError:
        raise RefusedError(400, "the body is not read: it must be JSON that says everything once") from None
    except RecursionError:
        raise RefusedError(400, "the body is not read: nested too deeply") from None


def _query(text: bytes) -> dict[str, list[str]]:
    try:
        pairs = parse_qsl(text.decode("latin-1"), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        raise RefusedError(400, "the query has too many parameters") from None
    values: dict[str, list[str]] = {}
    for name, value in pairs:
        values.setdefault(name, []).append(value)
    return values


def _queried(texts: list[str], schema: object, name: str) -> Any:
    if "array" in _types(schema, name) and "string" not in _types(schema, name):
        return list(texts)
    if len(texts) > 1:
        raise RefusedError(400, "a query parameter is given twice")
    return _typed(texts[0], schema, name)


def _typed(text: str, schema: object, name: str) -> Any:
    """A text as the value that the schema describes; text where it describes text, or nothing that it could be."""
    types = _types(schema, name)
    if "string" in types:
        return text
    if "boolean" in types and text in {"true", "false"}:
        return text == "true"
    if "number" in types and _NUMBER.fullmatch(text):
        try:
            return read_json(text)
        except DataError:
            raise RefusedError(400, "a parameter is no number that can be judged") from None
    return text


def _types(schema: object, name: str) -> frozenset[str]:
    found = [each for each in resolve(schema, name) if each.steps == (name,)]
    return found[0].types if found else frozenset({"string"})


async def _body(receive: Receive, asked: Asked, limit: int) -> bytes:
    length = asked.header("content-length") or ""
    data = bytearray()
    more = True
    while more:
        if len(data) > limit or (length.isdecimal() and int(length) > limit):
            raise RefusedError(413, f"the body has more than {limit:,} bytes")
        message = await receive()
        if message["type"] != "http.request":
            raise RefusedError(400, "the connection ended within the body")
        data += message.get("body", b"")
        more = message.get("more_body", False)
    if len(data) > limit:
        raise RefusedError(413, f"the body has more than {limit:,} bytes")
    return bytes(data)


def _replayed(data: bytes, receive: Receive) -> Receive:
    """The body that was judged, once; then whatever follows."""
    waiting: list[Message] = [{"type": "http.request", "body": data, "more_body": False}]

    async def again() -> Message:
        return waiting.pop() if waiting else await receive()

    return again


async def _refuse(send: Send, status: int, problem: dict[str, Any]) -> None:
    content = json.dumps(problem, ensure_ascii=False).encode()
    headers = [
        (b"content-type", b"application/problem+json"),
        (b"content-length", str(len(content)).encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": content})


def _route(scope: Scope) -> tuple[Declared, Mapping[str, Any]] | None:
    """What the route that a Starlette application is going to choose declares; None where it declares nothing."""
    application = scope.get("app")
    routes = getattr(application, "routes", None)
    at = dict(scope)
    while routes is not None:
        for route in routes:
            match, child = route.matches(at)
            if match.name == "FULL":
                break
        else:
            return None
        at.update(child)
        if "endpoint" not in child:
            return None
        declared = route_capability(route, str(scope["method"]))
        if declared is not None:
            return declared, at.get("path_params", {})
        routes = getattr(route, "routes", None) or None
    return None


def route_capability(route: Any, method: str) -> Declared | None:
    """The capability that a route declares by its endpoint or its OpenAPI members.

    A declaration that is an object (ACC) makes the operation itself the capability: its id is the operation's id.
    """
    declared = getattr(getattr(route, "endpoint", None), _ATTRIBUTE, None)
    if isinstance(declared, Declared):
        return declared
    extra = getattr(route, "openapi_extra", None) or {}
    stated = extra.get(EXTENSION)
    query = frozenset(
        each["name"] for each in extra.get("parameters", ()) if isinstance(each, Mapping) and each.get("in") == "query"
    )
    if isinstance(stated, str):
        return Declared(stated, query)
    if isinstance(stated, Mapping):
        named = extra.get("operationId") or getattr(route, "operation_id", None) or getattr(route, "unique_id", None)
        return Declared(named or f"{method} {route.path}", query)
    return None


def _declared(value: str | Declared) -> Declared:
    return value if isinstance(value, Declared) else Declared(value)


def _pattern(key: str) -> tuple[str, re.Pattern[str]]:
    """`METHOD /path/{name}` as method and pattern. Raises ValueError for anything else."""
    method, _, path = key.partition(" ")
    if not method.isupper() or not path.startswith("/"):
        raise ValueError(f"a route is written like `POST /refunds/{{order}}`, not `{key}`")
    parts, end = [], 0
    for found in _PARAMETER.finditer(path):
        parts += [re.escape(path[end : found.start()]), f"(?P<{found[1]}>{'.+' if found[2] else '[^/]+'})"]
        end = found.end()
    return method, re.compile("".join([*parts, re.escape(path[end:])]))


def _matched(method: str, pattern: re.Pattern[str], scope: Scope) -> dict[str, Any] | None:
    root, path = scope.get("root_path", ""), scope["path"]
    inner = path[len(root) :] if root and path.startswith(root + "/") else path
    found = pattern.fullmatch(inner) if scope["method"] == method else None
    return None if found is None else found.groupdict()


def _headers(scope: Scope) -> tuple[tuple[bytes, bytes], ...]:
    return tuple((name.lower(), value) for name, value in scope.get("headers", ()))
