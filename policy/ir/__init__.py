"""Typed, resolved, frozen meaning of a policy."""
