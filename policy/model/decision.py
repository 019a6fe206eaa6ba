"""The decision (language.md section 7, interfaces.md section 5)."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import (
    BaseModel,
    Field,
    GetJsonSchemaHandler,
    SerializerFunctionWrapHandler,
    model_serializer,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from policy.model.base import Json, Model


class Outcome(str, Enum):
    """allow < require-approval < deny."""

    ALLOW = "allow"
    REQUIRE_APPROVAL = "require-approval"
    DENY = "deny"


class Reason(Model):
    """Why: one code with its rule and place."""

    code: str
    """Stable, listed in grammar/CODES.md."""
    effect: Literal["allow", "require-approval", "deny", "note"]
    """What it contributes."""
    rule: str | None = None
    """The rule, approval or route clause it comes from, by its bare id (a clause: the route)."""
    message: str
    """A sentence for a person."""
    location: str | None = None
    """`file:line:column` of the rule."""
    controls: list[str] = Field(default_factory=list)
    """Requirements the rule serves."""
    layer: str | None = None
    """The layer of the rule."""
    pointer: str | None = None
    """JSON Pointer into the input, for schema violations."""

    def copied(self) -> Self:
        """An equal reason that shares nothing mutable."""
        made = type(self).__new__(type(self))
        object.__setattr__(made, "__dict__", {**self.__dict__, "controls": list(self.controls)})
        object.__setattr__(made, "__pydantic_fields_set__", set(self.__pydantic_fields_set__))
        object.__setattr__(made, "__pydantic_extra__", None)
        object.__setattr__(made, "__pydantic_private__", None)
        return made


class CountedVote(Model):
    """An approval that counted."""

    decision_id: str
    """The vote."""
    approver: str
    """The voter's principal id."""


class UncountedVote(Model):
    """A vote that did not count, and why."""

    decision_id: str
    """The vote."""
    approver: str
    """The voter's principal id."""
    code: str
    """`approval.…`: the first reason that held."""
    message: str
    """A sentence for a person."""


class Approval(Model):
    """The state of one approval requirement."""

    id: str
    """The approval's id; `contract` for the contract's own; `layer/id` where there are several layers."""
    state: Literal["pending", "satisfied", "denied", "no_path"]
    """Where it stands."""
    needs: str
    """What is needed, as the policy says it."""
    missing: int
    """The least number of further approvals that can satisfy it."""
    counted: list[CountedVote] = Field(default_factory=list)
    """Approvals that count."""
    not_counted: list[UncountedVote] = Field(default_factory=list)
    """Votes that do not."""
    denials: list[CountedVote] = Field(default_factory=list)
    """Denials that stand."""
    could_approve: list[str] = Field(default_factory=list)
    """Leaves whose people could still approve, as text."""
    next: list[str] = Field(default_factory=list)
    """Leaves that would complete it, as text."""
    candidates: list[str] | None = None
    """Principal ids of the given authority records that could approve now; None where none were given."""
    excluded: list[str] = Field(default_factory=list)
    """Principal ids that may not approve: the parties and those a separation excludes."""
    excluded_by: dict[str, list[str]] = Field(default_factory=dict)
    """While it is pending, for each excluded id what keeps it from approving: the parties it is (`requester`,
    `operator`, `subject`, `delegator`) and the ids of separations (`separation four-eyes`)."""
    evidence: list[str] = Field(default_factory=list)
    """Evidence kinds that a vote must bring."""
    valid_for: str
    """How long a vote counts, as a duration (`4h`)."""
    expires_at: str | None = None
    """When the first counted vote ends, RFC 3339 in UTC; None where none counts."""
    prompt: str | None = None
    """The declaration's text for approvers, with parameters filled in."""
    layer: str | None = None
    """The layer it belongs to; None for the contract's own."""
    because: str | None = None
    """Why the approval exists, as its author says."""


class Obligation(Model):
    """What the runtime must do with the decision; one it does not know, it must refuse."""

    rule: str
    """The obligation's id, or `audit.sensitive`, `execution.rate_limit`, `execution.timeout`."""
    layer: str | None = None
    """The layer of the rule; None for what the declaration asks."""
    redact: list[str] = Field(default_factory=list)
    """Input paths to redact."""
    set: dict[str, Json] = Field(default_factory=dict)
    """Values to use."""


class RiskAssessment(Model):
    """How risky the action is."""

    declared: str | None
    """The declared or default level; None where the capability could not be read."""
    effective: str | None
    """After raises; the highest of the possible ones where uncertain."""
    raised_by: list[str] = Field(default_factory=list)
    """Ids of the rules that raised it."""
    uncertain: bool = False
    """Whether a raise could not be evaluated or reads claims."""


_REST = "@rest"
"""Where a decision keeps what gives the members that were not read yet; no member can have this name."""


class Decision(Model):
    """The answer. `model_dump_json()` is the wire form; equal arguments give equal bytes."""

    schema_mode = "serialization"

    outcome: Outcome
    """allow, require-approval or deny."""
    action_id: str | None = None
    """The action's id."""
    capability_id: str | None = None
    """The capability's id."""
    scope: str | None = None
    """The capability's scope."""
    route: str | None = None
    """The route the call came through."""
    session: str | None = None
    """The session."""
    reasons: list[Reason]
    """Every reason, most restrictive first."""
    reasons_omitted: int = 0
    """How many more there were than are listed."""
    approvals: list[Approval] = Field(default_factory=list)
    """Every approval requirement and its state."""
    obligations: list[Obligation] = Field(default_factory=list)
    """What the runtime must do."""
    risk: RiskAssessment
    """The declared risk and what it became."""
    request_digest: str | None = None
    """What an approval is bound to; None where the request could not be read."""
    policy_hash: str
    """The policy that decided."""
    policy_version: str | None = None
    """Its declared version."""
    evaluated_at: str | None = None
    """`now`, in UTC."""
    audit_sensitive: bool = False
    """ACC's audit hint: record with care."""

    @property
    def allowed(self) -> bool:
        """Whether the action may run now."""
        return self.outcome is Outcome.ALLOW

    @classmethod
    def deferred(cls, known: dict[str, Any], rest: Callable[[str], Any]) -> Self:
        """A decision of which some members are known; `rest` gives any other by name, equal whenever it is asked.

        Whoever reads, writes out, compares or copies the decision sees no difference from one that is whole.
        """
        decision = cls.__new__(cls)
        known[_REST] = rest
        decision.__dict__.update(known)
        return decision

    def _whole(self) -> Self:
        """The decision with every member put together; what pydantic keeps beside the members is made here too."""
        members = self.__dict__
        rest = members.get(_REST)
        if rest is not None:
            # Two threads may both put it together; what they make is equal, and nothing is taken away before.
            ordered = {name: members[name] if name in members else rest(name) for name in _MEMBERS}
            for name, value in (("fields_set__", set(ordered)), ("extra__", None), ("private__", None)):
                object.__setattr__(self, f"__pydantic_{name}", value)
            object.__setattr__(self, "__dict__", ordered)
        return self

    if not TYPE_CHECKING:  # what reads all members, or one that is not there yet

        def __getattr__(self, name: str) -> Any:
            rest = self.__dict__.get(_REST)
            if name in _MEMBERS:
                if rest is None:
                    return self.__dict__[name]
                return self.__dict__.setdefault(name, rest(name))
            if rest is not None and name.startswith("__pydantic_"):
                return object.__getattribute__(self._whole(), name)
            return super().__getattr__(name)

        def __eq__(self, other: object) -> bool:
            if isinstance(other, Decision):
                other._whole()
            return BaseModel.__eq__(self._whole(), other)

        __hash__ = None

        def __repr_args__(self) -> Any:
            return BaseModel.__repr_args__(self._whole())

        def __iter__(self) -> Any:
            return BaseModel.__iter__(self._whole())

        def __copy__(self) -> Self:
            return BaseModel.__copy__(self._whole())

        def __deepcopy__(self, memo: Any = None) -> Self:
            return BaseModel.__deepcopy__(self._whole(), memo)

        def __getstate__(self) -> Any:
            return BaseModel.__getstate__(self._whole())

    @model_serializer(mode="wrap")
    def _written(self, handler: SerializerFunctionWrapHandler) -> Any:
        return handler(self._whole())

    @classmethod
    def __get_pydantic_json_schema__(cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The schema of the members: how they are put together is no part of it."""
        plain: Any = {name: part for name, part in core_schema.items() if name != "serialization"}
        return handler(plain)


_MEMBERS = tuple(Decision.model_fields)
"""The members of a decision, in the order they are written in."""
