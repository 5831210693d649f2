"""What is answered to an order to remember or to forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ragforge_memory.graph.memories import Remembered

LATER = "That is kept, and carried out as soon as Neo4j can take it."


def confirmation(done: Remembered | None, text: str, *, forgets: bool) -> str:
    """What became of an order: remembered, known before, forgotten, or kept until the graph is there.

    Args:
        done: what the graph says; None: it could not be asked.
        text: what was to be remembered.
        forgets: whether it was to be forgotten.
    """
    if done is None:
        return LATER
    took = " and ".join(f'"{each}"' for each in done.took)
    if forgets:
        return f"Forgotten: {took}." if took else "Nothing that is remembered fits that, so nothing is forgotten."
    if done.known:
        return f'That is remembered already: "{done.known}".'
    return f'Remembered: "{text}".' + (f" It takes the place of {took}." if took else "")
