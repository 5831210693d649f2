"""What is answered to an order to remember or to forget, and what is said where something was remembered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ragforge_memory.events import MemorySaved
from ragforge_memory.models.text import truncated
from ragforge_memory.text.forms import LONGEST_TEXT

if TYPE_CHECKING:
    from ragforge_memory.graph.memories import Remembered
    from ragforge_memory.text.forms import Form

LATER = "That is kept, and carried out as soon as Neo4j can take it."


def confirmation(
    form: Form, done: Remembered | None, redacted: Callable[[str], str], *, several: Sequence[str] = ()
) -> str:
    """What became of an order: remembered, known before, forgotten, or kept until the graph is there.

    Args:
        form: the order.
        done: what the graph says; None: it could not be asked.
        redacted: takes secrets out of a text.
        several: what the order may mean, where that is not one thing.
    """
    if done is None:
        return LATER
    if several:
        fit = "".join(f"\n- {each}" for each in several)
        return f"Nothing is forgotten yet, for several things fit that; say more of the one that is meant:{fit}"
    took = " and ".join(f'"{each}"' for each in done.took)
    if form.how == "retracts":
        return f"Forgotten: {took}." if took else "Nothing that is remembered fits that, so nothing is forgotten."
    if done.known:
        return f'That is remembered already: "{done.known}".'
    kept = truncated(" ".join(form.text.split()), LONGEST_TEXT)
    return f'Remembered: "{redacted(kept)}".' + (f" It takes the place of {took}." if took else "")


def saved_by(form: Form | None, done: Remembered | None, redacted: Callable[[str], str]) -> MemorySaved | None:
    """The event of a message that became a memory; None where it became none, or was known before."""
    if form is None or form.how not in (None, "corrects") or done is None or done.known is not None:
        return None
    return MemorySaved(memory_id=done.message_id, content=redacted(form.text))
