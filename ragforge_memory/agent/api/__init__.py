"""The public methods of the awaited classes, by theme; `agent.conversation` and `agent.agent` put them together."""
