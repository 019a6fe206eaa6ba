"""The decision log: what was decided, as JSON lines, with nothing in it that should not be there."""
