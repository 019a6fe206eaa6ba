"""The version of the policy language."""

LANGUAGE_VERSION = "1"
"""Part of every policy hash: a policy that means something else under a later language is another policy."""
