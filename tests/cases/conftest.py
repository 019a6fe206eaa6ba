"""The fixture files of this folder are run by `test_cases.py`, one test an id; the plug-in leaves them to it."""

from __future__ import annotations

collect_ignore_glob = ["*.fixtures.yaml"]
