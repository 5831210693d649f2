"""Reading JavaScript, TypeScript and TSX."""
