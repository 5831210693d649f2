"""Reading go.mod files."""
