"""Approvals that the runtime holds: requests, votes, what was executed, and the release of an approved action."""
