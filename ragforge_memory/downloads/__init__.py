"""Pinned downloads: files fetched once, checked by SHA-256, kept under RAGFORGE_HOME."""
