"""The policy engine for agent actions."""
