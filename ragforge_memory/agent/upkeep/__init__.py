"""What no answer waits for: vectors, summaries, titles, retention, a change of the embedding model."""
