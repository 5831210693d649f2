"""Persistence ``files``: the texts of messages in JSON lines, everything else of them in the graph."""
