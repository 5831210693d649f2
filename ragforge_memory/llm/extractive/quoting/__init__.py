"""How what tools found is quoted: a definition with its place, a list, documentation."""
