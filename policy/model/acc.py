"""The ACC v1 declaration (Agent Capability Contract, `x-agent-capability`; model.md section 2).

Unknown members are ignored at every level and never change a decision. A member that is there has its
type: null is not absence, nothing is coerced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    StringConstraints,
    model_serializer,
    model_validator,
)

from policy.model.base import Json

ACC_VERSION = 1
"""The one version of the declaration that the engine understands."""

AccOperator = Literal[">", ">=", "<", "<=", "==", "!=", "in", "contains", "exists"]
"""Operators of `approval.when`."""

_SCOPE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,159}", re.ASCII)
_WINDOW = re.compile(r"[1-9][0-9]*[smhd]", re.ASCII)


def is_acc_scope(text: str) -> bool:
    """Whether the whole text is an ACC scope: 1-160 characters of `[A-Za-z0-9][A-Za-z0-9._:-]*`."""
    return _SCOPE.fullmatch(text) is not None


def _scope(text: str) -> str:
    if not is_acc_scope(text):
        raise ValueError("a scope is 1 to 160 letters, digits, `.`, `_`, `:` or `-`, and begins with a letter or digit")
    return text


def _window(text: str) -> str:
    if _WINDOW.fullmatch(text) is None:
        raise ValueError("a window is a whole number above 0 and one of `s`, `m`, `h`, `d`, such as `1m`")
    return text


class AccModel(BaseModel):
    """Frozen, strict, unknown members ignored, null refused where the member has a type.

    The validator of a part of a declaration is made when somebody asks for it.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", defer_build=False)

    nullable_members: ClassVar[frozenset[str]] = frozenset()

    @model_validator(mode="before")
    @classmethod
    def _refuse_null(cls, value: Any) -> Any:
        if isinstance(value, Mapping):
            for name in cls.model_fields:
                if name in value and value[name] is None and name not in cls.nullable_members:
                    raise ValueError(f"`{name}` is null; give it a value or leave it out")
        return value

    @model_serializer(mode="wrap")
    def _leave_out_absent(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        written: dict[str, Any] = handler(self)
        stated_null = self.nullable_members & self.model_fields_set
        return {name: value for name, value in written.items() if value is not None or name in stated_null}


class AccRisk(AccModel):
    """`risk`."""

    level: Literal["low", "medium", "high"] | None = None
    """The declared level; absent: a default applies (language.md section 7)."""


class AccSubject(AccModel):
    """`subject`."""

    required: bool = False
    """Whether the capability is reached only on behalf of a stated subject."""


class AccWhen(AccModel):
    """One item of `approval.when`: any item that holds asks for approval."""

    nullable_members: ClassVar[frozenset[str]] = frozenset({"value"})

    param: Annotated[str, StringConstraints(min_length=1)]
    """A dotted path that resolves to a declared input; through an array it means the items."""
    op: AccOperator
    """How the input is compared with `value`."""
    value: Json = None
    """What is compared with; required except for `exists`."""
    label: Annotated[str, StringConstraints(max_length=300)] | None = None
    """Words for people."""

    @model_validator(mode="after")
    def _value_is_there(self) -> Self:
        if self.op != "exists" and "value" not in self.model_fields_set:
            raise ValueError(f"`{self.op}` needs a `value` to compare with")
        return self


class AccApproval(AccModel):
    """`approval`."""

    required: bool = False
    """Whether every call needs approval."""
    prompt: Annotated[str, StringConstraints(max_length=500)] | None = None
    """What approvers are asked."""
    when: list[AccWhen] = Field(default_factory=list)
    """Conditions, any of which asks for approval; none: no conditional approval."""


class AccAudit(AccModel):
    """`audit`."""

    sensitive: bool = False
    """Whether arguments and results are recorded with care."""


class AccRateLimit(AccModel):
    """`execution.rate_limit`: the engine hands it on, the runtime counts."""

    count: int = Field(ge=1)
    """Calls in one window."""
    window: Annotated[str, AfterValidator(_window)] = Field(json_schema_extra={"pattern": "^[1-9][0-9]*[smhd]$"})
    """The length of the window, such as `1m`."""


class AccExecution(AccModel):
    """`execution`."""

    readonly: bool | None = None
    """Whether business state stays unchanged; absent is not false."""
    idempotent: bool | None = None
    """Whether a repetition with equal arguments is safe."""
    timeout_ms: int | None = Field(default=None, ge=1, le=600_000)
    """Milliseconds a call may take."""
    rate_limit: AccRateLimit | None = None
    """How often the capability may be called."""


class AccDeclaration(AccModel):
    """An ACC declaration. Another `version` than 1 is well-formed and unsupported."""

    model_config = ConfigDict(defer_build=False)

    version: int
    """1; an integer, neither `1.0` nor `"1"` nor `true`."""
    enabled: bool
    """Whether the capability is exposed at all."""
    scope: Annotated[str, AfterValidator(_scope)] = Field(
        json_schema_extra={"pattern": "^[A-Za-z0-9][A-Za-z0-9._:-]*$", "minLength": 1, "maxLength": 160}
    )
    """What route patterns match."""
    risk: AccRisk = AccRisk()
    """Declared risk."""
    subject: AccSubject = AccSubject()
    """On whose authority it is used."""
    approval: AccApproval = AccApproval()
    """When approval is needed."""
    audit: AccAudit = AccAudit()
    """Audit hint."""
    execution: AccExecution = AccExecution()
    """Execution hints."""
    guidance: dict[str, Json] | None = None
    """Words for the model that chooses tools; never security, no part of the digest."""
