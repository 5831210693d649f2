"""What became of code that was spoken of: where it went, whether it is as it was, what a change touches."""
