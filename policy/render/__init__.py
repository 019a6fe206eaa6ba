"""Diagnostics and decisions for people and programs."""
