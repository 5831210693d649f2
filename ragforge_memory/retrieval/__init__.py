"""Pure functions over scores, places and times of what was found; no I/O."""
