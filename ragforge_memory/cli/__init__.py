"""The command line: turns events into text."""
