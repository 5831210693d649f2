"""The agent, its conversations and the turn."""
