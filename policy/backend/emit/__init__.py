"""Conditions as generated Python functions: emitted as `ast` nodes, verified, then compiled."""
