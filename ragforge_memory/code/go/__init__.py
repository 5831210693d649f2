"""Reading Go."""
