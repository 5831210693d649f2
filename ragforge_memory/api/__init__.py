"""The public classes: an agent and a conversation, awaited, and the blocking ones that are made from them."""
