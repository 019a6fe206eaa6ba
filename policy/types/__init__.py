"""Types, trust levels, runtime values, built-in names and functions."""
