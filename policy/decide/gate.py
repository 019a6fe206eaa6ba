"""Stage 2: the capability is this action's, enabled, callable, of a known version."""

from __future__ import annotations

from policy.decide import reasons
from policy.model.action import Action
from policy.model.admitted import AdmittedCapability
from policy.model.decision import Reason
from policy.model.mistakes import quoted


def judge_capability(action: Action | None, capability: AdmittedCapability) -> tuple[Reason, ...]:
    """The denials of stage 2. Without an action, for exposure, nothing is compared with it."""
    found = []
    if action is not None and action.capability_id != capability.id:
        message = f"the action calls {quoted(action.capability_id)}; the capability given is {quoted(capability.id)}"
        found.append(reasons.deny("capability.mismatch", message))
    if not capability.enabled:
        found.append(reasons.deny("capability.disabled", f"{quoted(capability.id)} is switched off by its declaration"))
    if not capability.callable:
        found.append(
            reasons.deny("capability.not_callable", f"{quoted(capability.id)} is a resource and is not called")
        )
    if not capability.supported_version:
        message = f"the declaration of {quoted(capability.id)} is of an unsupported version"
        found.append(reasons.deny("capability.unsupported_version", message))
    return tuple(found)
