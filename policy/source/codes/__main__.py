"""Write the page of codes to standard output: `python -m policy.source.codes > grammar/CODES.md`."""

from __future__ import annotations

import sys

from policy.source.codes.page import page

sys.stdout.write(page())
