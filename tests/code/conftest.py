"""Samples are projects to read, not tests to run."""

collect_ignore = ["samples"]
