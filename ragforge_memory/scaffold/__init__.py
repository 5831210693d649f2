"""Projects of a team's own, made from its configuration."""
