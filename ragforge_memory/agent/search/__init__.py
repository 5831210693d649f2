"""Searching what was said, and conversations that are like a text."""
