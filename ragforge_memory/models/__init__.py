"""Pure values: no I/O, no knowledge of any other room but errors."""
