"""Reading code: tree-sitter scopes, what they use, and what a use means; no graph, no conversation."""
