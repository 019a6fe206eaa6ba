"""Evaluation of conditions: the interpreter and the emitted functions."""
