"""Analysing many conversations with one question each."""
