"""Answers about code, and about what git knows of it."""
