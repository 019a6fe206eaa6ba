"""How many examples the property tests run: small by default, more by an environment variable."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

SCALE = float(os.environ.get("POLICY_TEST_SCALE", "1"))
"""1 in continuous integration; the nightly run sets a larger one."""


def budget(examples: int) -> settings:
    """Settings for a test that runs `examples` times in continuous integration."""
    return settings(
        max_examples=max(1, int(examples * SCALE)),
        deadline=None,
        derandomize=SCALE == 1,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much],
    )
