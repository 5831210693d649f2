"""Answers out of what was said: notes and what corrects them, decisions, to-dos, what "it" means."""
