"""Pure functions over names, scores and time; no I/O."""
