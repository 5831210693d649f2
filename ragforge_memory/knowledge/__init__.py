"""The knowledge base: documents read into chunks, kept beside the memory, and searched."""
