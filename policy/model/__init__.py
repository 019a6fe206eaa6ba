"""The data a decision takes and gives."""
