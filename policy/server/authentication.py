"""Who calls: bearer tokens of runtimes, kept as SHA-256, each with a name and permissions.

A caller is an authenticated runtime: what it states as action and context is the runtime's own word (model.md
section 4). What a call may do beside that is a permission of its token:

- `decide`: decide, decide-many, visible, the AuthZEN endpoints and their access requests.
- `release`: spend an approval right before execution; AuthZEN: evaluate again with `context.approval`.
- `explain`: the trace, which shows rules and values.
- `read`: list and read approval requests, and the full status.
- `approve`: state a person as the one who votes or withdraws. Whoever holds such a token speaks for every person,
  unless the token names its `principal`: then it speaks for that one alone.
- `cancel`: end an approval request.
- `vouch`: state in a context what else comes from the service's own store, directory and clock: `approvals`,
  `used_votes`, `authorities`, `history` and `now`.

Tokens are random texts of at least 32 bytes; a guessable one is not made safe by its hash.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, get_args

from pydantic import Field, ValidationError

from policy.model.base import Identifier, Model
from policy.model.bounds import pointer_of
from policy.model.context import Principal
from policy.server.errors import ServiceError

Permission = Literal["decide", "release", "explain", "read", "approve", "cancel", "vouch"]
"""What a caller may do."""
PERMISSIONS: frozenset[str] = frozenset(get_args(Permission))
"""Every permission."""
_SCHEME = "bearer"
_MAX_TOKEN = 4096


class Token(Model):
    """One entry of the token file."""

    name: Identifier
    """The caller's name, as it stands in logs and, over AuthZEN, as the operator's id; several tokens may share it."""
    sha256: str = Field(pattern="^[0-9a-f]{64}$")
    """SHA-256 of the token's bytes, in lower-case hexadecimal."""
    permissions: list[Permission] = Field(min_length=1)
    """What its holder may do."""
    principal: Principal | None = None
    """The one person that its votes and withdrawals come from; None: whom the caller states."""
    route: Identifier | None = None
    """The route of its AuthZEN evaluations; None: the service's."""


class TokenFile(Model):
    """The token file, or the value of the environment variable."""

    tokens: list[Token] = Field(min_length=1)
    """Every token."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated caller."""

    name: str
    """Its name."""
    permissions: frozenset[str]
    """What it may do."""
    principal: Principal | None = None
    """The one person it speaks for, if it speaks for one alone."""
    route: str | None = None
    """The route of its AuthZEN evaluations."""

    def require(self, permission: str) -> None:
        """Raise ServiceError where the caller may not."""
        if permission not in self.permissions:
            raise ServiceError("caller.not_permitted", f"this takes the permission `{permission}`")


LOCAL = Caller(name="loopback", permissions=PERMISSIONS)
"""Who calls a service without tokens, which listens on loopback only."""


class Callers(Protocol):
    """Who may call."""

    @property
    def configured(self) -> bool:
        """Whether callers must show a token."""

    @property
    def error(self) -> str | None:
        """What is wrong with where it comes from; None where nothing is."""

    def caller(self, headers: Iterable[str]) -> Caller:
        """Who the `Authorization` headers of a request, latin-1 text, belong to. Raises ServiceError for nobody."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The tokens that a service knows; none: everyone who reaches it is `LOCAL`."""

    entries: tuple[tuple[bytes, Caller], ...] = field(default=(), repr=False)
    """SHA-256 of each token, and whose it is."""

    @property
    def configured(self) -> bool:
        """Whether callers must show a token."""
        return bool(self.entries)

    @property
    def error(self) -> str | None:
        """Nothing: they are given once."""
        return None

    @classmethod
    def of(cls, tokens: Iterable[Token]) -> Tokens:
        """The tokens of a file. Raises ValueError where two entries have one hash."""
        entries = tuple(
            (
                bytes.fromhex(token.sha256),
                Caller(
                    name=token.name,
                    permissions=frozenset(token.permissions),
                    principal=token.principal,
                    route=token.route,
                ),
            )
            for token in tokens
        )
        if len({digest for digest, _ in entries}) != len(entries):
            raise ValueError("two tokens have the same hash; keep one of them")
        return cls(entries=entries)

    def caller(self, headers: Iterable[str]) -> Caller:
        """Who the `Authorization` headers of a request, latin-1 text, belong to. Raises ServiceError for nobody."""
        if not self.entries:
            return LOCAL
        values = list(headers)
        if len(values) != 1:
            raise _unauthenticated("show a bearer token in one `Authorization` header")
        scheme, _, token = values[0].partition(" ")
        if scheme.lower() != _SCHEME or not token or len(token) > _MAX_TOKEN:
            raise _unauthenticated("show a bearer token in one `Authorization` header")
        shown = hashlib.sha256(token.encode("latin-1")).digest()
        found: Caller | None = None
        for digest, caller in self.entries:
            # Every entry is compared, each in constant time: how long it takes tells nothing.
            if hmac.compare_digest(digest, shown):
                found = caller
        if found is None:
            raise _unauthenticated("the token is not known")
        return found


def read_tokens(value: Any, name: str) -> Tokens:
    """The tokens of a parsed file. Raises ValueError with a sentence that names the file and the place."""
    try:
        return Tokens.of(TokenFile.model_validate(value).tokens)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_input=False, include_context=False)[0]
        message = problem["msg"][:1].lower() + problem["msg"][1:]
        raise ValueError(f"`{name}` at `{pointer_of(list(problem['loc']))}`: {message}") from None
    except ValueError as error:
        raise ValueError(f"`{name}`: {error}") from None


def _unauthenticated(message: str) -> ServiceError:
    return ServiceError("caller.unauthenticated", message, headers={"WWW-Authenticate": 'Bearer realm="policy"'})
