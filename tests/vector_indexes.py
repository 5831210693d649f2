"""Which vector index a statement is about, for tests that fill it in."""

from __future__ import annotations

from ragforge_memory.graph.spaces import Space


def index_of(space: Space, statement: str) -> str:
    """The index of what a statement's name speaks of: scopes, conversations, chunks, memories, summaries; messages."""
    if "scope" in statement:
        return space.scope_index
    if "similar" in statement or "conversation" in statement:
        return space.conversation_index
    if "chunk" in statement:
        return space.chunk_index
    if "memor" in statement:
        return space.memory_index
    return space.summary_index if "summar" in statement else space.message_index
