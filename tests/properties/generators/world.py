"""The small world that generated policies and requests share."""

from __future__ import annotations

ROUTES = ("desk", "office", "batch")
SCOPES = ("pay.create", "pay.release", "pay.batch.run", "note.read", "data.purge")
PATTERNS = ("pay.create", "pay.*", "pay.**", "**.run", "note.read", "data.purge", "**", "*.read", "pay.batch.*")
ROLES = ("clerk", "chief", "auditor")
GROUPS = ("treasury", "night-shift")
PEOPLE = ("ana", "ben", "cai", "dee", "eli", "fay")
"""Principal ids; `ana2` and `ben2` are second accounts of ana and ben."""
ACCOUNTS = (*PEOPLE, "ana2", "ben2", "bot-1", "bot-2")
DEPARTMENTS = ("red", "blue", "green")
CURRENCIES = ("EUR", "USD")
NOW = "2026-11-30T10:00:00Z"
TENANT = "t-1"
ZONES = ("Europe/Berlin", "America/New_York", "Asia/Kathmandu", "UTC")

CONTEXT_BLOCK = """context {
  env: one of "prod", "test"
  incident: string or null
  limit: number
  quick: boolean
  level: risk
  clearance: sensitivity
  address: ip optional
  deadline: timestamp
  wait: duration optional
  owners: map of string
  tags: list of string
  change: { author: string contributors: list of string } optional
}
"""

DIRECTORY_BLOCK = """directory {
  roles "clerk", "chief", "auditor"
  groups "treasury", "night-shift"
  attributes { department: string limit: number optional }
}
"""

INPUT_SCHEMA = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "currency": {"type": "string"},
        "name": {"type": "string"},
        "flag": {"type": "boolean"},
        "path": {"type": "string"},
        "url": {"type": "string"},
        "mail": {"type": "string"},
        "at": {"type": "string"},
        "id": {"type": "string"},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"amount": {"type": "number"}, "tag": {"type": "string"}}},
        },
    },
}


def person_of(account: str) -> str:
    """The person behind an account."""
    return account[:3] if account in {"ana2", "ben2"} else account


def kind_of(account: str) -> str:
    """human, or agent for the bots."""
    return "agent" if account.startswith("bot") else "human"
