"""Transcripts of other tools, one format a file, into our models."""
