"""Adapters: one small module an agent runtime, each behind an extra of its own. Import the one you need."""
