"""From surface tree to meaning, with every mistake reported."""
