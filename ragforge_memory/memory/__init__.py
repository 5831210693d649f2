"""Long-term memory: one way in, one way out, one way to forget; it knows the stores, never the turn."""
