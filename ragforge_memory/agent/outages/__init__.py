"""Turns while the graph is away, and storing them when it is back."""
