"""Reading code: tree-sitter scopes, what they use, and keeping the graph in step with the files."""
