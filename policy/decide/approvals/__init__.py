"""Requirements, votes and their matching."""
