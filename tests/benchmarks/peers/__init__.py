"""The peers: the same policy in each one's own language, set up as well as it can be."""

from __future__ import annotations

from collections.abc import Mapping

from tests.benchmarks.contestant import Maker
from tests.benchmarks.peers.cedar import cedar
from tests.benchmarks.peers.cel import cel_in_python, cel_in_rust
from tests.benchmarks.peers.lists import casbin, vakt
from tests.benchmarks.peers.rego import rego

PEERS: Mapping[str, Maker] = {
    "cedarpy": cedar,
    "opa-eval": rego,
    "common-expression-language": cel_in_rust,
    "cel-python": cel_in_python,
    "vakt": vakt,
    "casbin": casbin,
}
"""The makers of contestants, by the name of the distribution."""
