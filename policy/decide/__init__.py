"""The stages of a decision and the engine that runs them in order."""
