"""What every adapter stands on: a gate between a runtime's tools and the authorizer.

A gate knows three things the runtime does not: the authorizer, how a tool's name becomes the id of a capability, and
how the trusted context is read from the host's own run. Arguments of a call never reach the context. Whatever fails on
the way, the call is refused.
"""

from __future__ import annotations

import asyncio
import logging
import uuid
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from policy.model.context import Context
from policy.model.decision import Decision

if TYPE_CHECKING:
    from policy.plugins.authorizer import Authorization, Authorizer

__all__ = ["FAILED", "Gate", "Verdict"]

FAILED = "denied: the authorizer failed, so nothing ran"
"""What a model reads where the gate itself failed. The log has the rest."""
UNFULFILLED = "denied: this runtime does not know an obligation of the decision, so nothing ran"
"""What a model reads where the decision asks for something that the host did not say it does."""

Tool = TypeVar("Tool")
ContextOf = Callable[[Any], "Context | Mapping[str, Any]"]
"""The trusted context from what the runtime calls its run: the parties, the route, the session."""
CapabilityOf = Callable[[str], str] | Mapping[str, str]
"""The id of the capability that a tool's name stands for."""

_logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What to do with one call of a tool."""

    kind: Literal["run", "refuse", "wait"]
    """`run` it now, once; `refuse` it; or `wait` for people, who answer the request named by the handle."""
    message: str
    """Safe for a model: one line, no people, no text of a rule, no values of the input."""
    handle: str | None = None
    """The approval request, where the call waits."""
    arguments: dict[str, Any] = field(default_factory=dict)
    """What was judged, shared with nobody: run the tool with these."""
    authorization: Authorization | None = None
    """The authorizer's answer; None where the gate failed before there was one."""

    @property
    def runs(self) -> bool:
        """Whether the call may be executed, now and once."""
        return self.kind == "run"

    @property
    def waits(self) -> bool:
        """Whether the call waits for people."""
        return self.kind == "wait"

    def to_payload(self) -> dict[str, Any]:
        """JSON for the model: `outcome`, `message` and `handle`."""
        outcome = {"run": "allow", "wait": "require-approval", "refuse": "deny"}[self.kind]
        return {"outcome": outcome, "message": self.message, "handle": self.handle}


class Gate:
    """An authorizer, the naming of capabilities and the host's context, as an adapter asks them.

    Every method is synchronous and never raises for what goes wrong inside the authorizer, the naming, the context or
    a resolver: the answer is then `refuse`, and the failure is logged. Those with `_async` do the same in a thread; a
    task that is cancelled while its approval is being released runs nothing, though the approval may be spent.
    """

    __slots__ = ("_capability", "_context", "_obligations", "authorizer")

    def __init__(
        self,
        authorizer: Authorizer,
        *,
        context: ContextOf,
        capability: CapabilityOf | None = None,
        obligations: Collection[str] = (),
    ) -> None:
        """A gate over an authorizer.

        `context` reads the trusted context from the runtime's run. `capability` names the capability of a tool, by a
        mapping or a function (default: the tool's own name); a tool that it does not know is refused and hidden.
        `obligations` are the ids of those obligations that the host fulfils; a decision with another one is refused,
        but for those the decision log fulfils: `audit.sensitive` and those that only redact.
        """
        self.authorizer = authorizer
        self._context = context
        self._capability = capability
        self._obligations = frozenset(obligations)

    def check(self, tool: str, arguments: Mapping[str, Any], run: Any, *, call: str | None = None) -> Verdict:
        """Whether a call may run. One that needs people opens a request, the same one for the same `call`.

        `call` is the runtime's own id of the call, unique within what the context states (default: a new one).
        """
        return self._judge(tool, arguments, run, call, None)

    def resume(
        self, tool: str, arguments: Mapping[str, Any], run: Any, handle: str, *, call: str | None = None
    ) -> Verdict:
        """Whether a call that waited may run now: decided again, and its approval spent where it may."""
        return self._judge(tool, arguments, run, call, handle)

    def settle(self, tool: str, arguments: Mapping[str, Any], run: Any, *, call: str) -> Verdict:
        """Check, and where the call waits, resume by the handle of the request that the same call has opened.

        For runtimes that keep a call's id while it is paused but no handle. What people have not answered still waits.
        """
        checked = self.check(tool, arguments, run, call=call)
        if checked.handle is None or not checked.waits:
            return checked
        return self.resume(tool, arguments, run, checked.handle, call=call)

    def offered(self, tools: Iterable[Tool], run: Any, *, name: Callable[[Tool], str] = str) -> list[Tool]:
        """Those of the tools that the agent may see, in the same order; none where that cannot be told."""
        try:
            named = [(tool, self._capability_of(name(tool))) for tool in tools]
            known = [capability for _, capability in named if capability is not None]
            visible = set(self.authorizer.visible(known, self._stated(run)))
            return [tool for tool, capability in named if capability in visible]
        except Exception as error:  # noqa: BLE001 - a failure hides every tool, told in the log
            _tell(error, "no tool is offered")
            return []

    async def check_async(
        self, tool: str, arguments: Mapping[str, Any], run: Any, *, call: str | None = None
    ) -> Verdict:
        """`check`, in a thread."""
        return await asyncio.to_thread(self.check, tool, arguments, run, call=call)

    async def resume_async(
        self, tool: str, arguments: Mapping[str, Any], run: Any, handle: str, *, call: str | None = None
    ) -> Verdict:
        """`resume`, in a thread."""
        return await asyncio.to_thread(self.resume, tool, arguments, run, handle, call=call)

    async def settle_async(self, tool: str, arguments: Mapping[str, Any], run: Any, *, call: str) -> Verdict:
        """`settle`, in a thread."""
        return await asyncio.to_thread(self.settle, tool, arguments, run, call=call)

    async def offered_async(self, tools: Iterable[Tool], run: Any, *, name: Callable[[Tool], str] = str) -> list[Tool]:
        """`offered`, in a thread."""
        return await asyncio.to_thread(self.offered, list(tools), run, name=name)

    def _judge(
        self, tool: str, arguments: Mapping[str, Any], run: Any, call: str | None, handle: str | None
    ) -> Verdict:
        try:
            own = {name: _own(value) for name, value in arguments.items()}
            capability = self._named(tool)
            if capability is None:
                _logger.error("the tool %r has no capability, so it is refused", tool)
                return Verdict(kind="refuse", message=FAILED)
            # The runtime runs what it holds; the authorizer gets a copy that nobody changes meanwhile.
            judged = {name: _own(value) for name, value in own.items()}
            action = {"id": call or uuid.uuid4().hex, "capability_id": capability, "input": judged}
            context = self._stated(run)
            if handle is None:
                given = self.authorizer.authorize(action, capability, context)
            else:
                given = self.authorizer.release(action, capability, context, handle=handle)
            return self._verdict(given, own)
        except Exception as error:  # noqa: BLE001 - a failure is a refusal, told in the log
            _tell(error, "the call is refused")
            return Verdict(kind="refuse", message=FAILED)

    def _verdict(self, given: Authorization, arguments: dict[str, Any]) -> Verdict:
        if given.allowed or given.pending:
            unknown = self._unknown(given.decision)
            if unknown:
                _logger.error("the host does not fulfil the obligations %s, so the call is refused", unknown)
                return Verdict(kind="refuse", message=UNFULFILLED, authorization=given)
            if given.allowed:
                return Verdict(kind="run", message=given.message, arguments=arguments, authorization=given)
            return Verdict(
                kind="wait", message=given.message, handle=given.handle, arguments=arguments, authorization=given
            )
        return Verdict(kind="refuse", message=given.message, authorization=given)

    def _unknown(self, decision: Decision) -> list[str]:
        """The obligations that nobody here fulfils."""
        known = {"audit.sensitive", *self._obligations}
        return [each.rule for each in decision.obligations if each.rule not in known and (each.set or not each.redact)]

    def _named(self, tool: str) -> str | None:
        """The capability of a tool; None where the naming knows none."""
        if self._capability is None:
            return tool
        if isinstance(self._capability, Mapping):
            return self._capability.get(tool)
        return self._capability(tool)

    def _capability_of(self, tool: str) -> str | None:
        """The capability of a tool; None also where the naming fails, which hides this tool alone."""
        try:
            return self._named(tool)
        except Exception as error:  # noqa: BLE001 - a failure hides the tool, told in the log
            _tell(error, "a tool is not offered")
            return None

    def _stated(self, run: Any) -> Context | dict[str, Any]:
        """The host's word. Raises TypeError where it gives no context, such as one that must be awaited."""
        stated = self._context(run)
        if isinstance(stated, Context):
            return stated
        if not isinstance(stated, Mapping):
            raise TypeError("the host's `context` must return a context or a mapping")
        return dict(stated)


def _tell(error: Exception, consequence: str) -> None:
    _logger.error("the gate failed, so %s", consequence, exc_info=error)


def _own(value: Any) -> Any:
    """A copy of JSON-like data that shares nothing mutable."""
    if isinstance(value, Mapping):
        return {name: _own(member) for name, member in value.items()}
    if isinstance(value, list | tuple):
        return [_own(item) for item in value]
    return value
