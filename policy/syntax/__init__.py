"""Text to surface tree and back."""
