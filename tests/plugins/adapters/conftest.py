"""An adapter is tested where its library is installed; `tests/conftest.py` names the others at the end of a run."""

from __future__ import annotations

import pytest

from tests.plugins.adapters.libraries import missing

pytest.register_assert_rewrite("tests.plugins.adapters.five")

collect_ignore = [f"test_{adapter}.py" for adapter in missing()]
