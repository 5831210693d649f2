"""What a user does by hand with what is remembered: adds a statement, names a memory, takes a change back."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from ragforge_memory.errors import InvalidInput, NotFound
from ragforge_memory.memory.checks import LONGEST_VALUE
from ragforge_memory.memory.memories import Memories, Source
from ragforge_memory.memory.patterns import covers
from ragforge_memory.models.memory import Memory, MemoryKind
from ragforge_memory.text.forms import is_question
from ragforge_memory.text.words import is_same

if TYPE_CHECKING:
    from ragforge_memory.graph.added_memories import AddedMemoryStore
    from ragforge_memory.graph.memories import Remembered
    from ragforge_memory.text.forms import Form

ADDED_KINDS: tuple[MemoryKind, ...] = ("note", "decision", "rule", "todo")
"""What a statement may be; facts have a type and a key."""

_MOST = 20
_LIST = "`ragforge memory list` shows them all"


class Undone(NamedTuple):
    """What was taken back: memories that hold no more, and those that hold again."""

    forgotten: tuple[str, ...] = ()
    restored: tuple[str, ...] = ()


def checked_statement(text: object, redacted: Callable[[str], str]) -> str:
    """A statement on one line, if it can be remembered.

    Raises:
        InvalidInput: it is not text, empty, too long, a question, or has a secret in it.
    """
    if not isinstance(text, str) or not text.strip():
        raise InvalidInput("there is nothing to remember", hint="say what is to be remembered")
    if len(text) > LONGEST_VALUE:
        raise InvalidInput(f"a memory has at most {LONGEST_VALUE:,} characters", hint="put the rest into a file")
    if is_question(text):
        raise InvalidInput("a question is not remembered", hint="state what holds")
    if redacted(text) != text:
        raise InvalidInput("that has a secret in it, which is not remembered")
    return " ".join(text.split())


async def find_memory(store: AddedMemoryStore, memory_id: str) -> Memory:
    """A memory by its uuid or the start of it, whatever became of it.

    Raises:
        NotFound: none has it.
        InvalidInput: several have.
    """
    found = await store.by_uuid(memory_id) if memory_id else []
    exact = next((each for each in found if each.uuid == memory_id), None)
    if exact is None and len(found) > 1:
        raise InvalidInput(f"several memories begin with {memory_id!r}", hint="give more of it")
    if not found:
        raise NotFound(f"there is no memory {memory_id!r}", hint=_LIST)
    return exact or found[0]


async def carry_out(
    memories: Memories | None, store: AddedMemoryStore | None, form: Form, done: Remembered | None
) -> tuple[Remembered | None, tuple[str, ...]]:
    """Forgets the one memory that has every word of what is to be forgotten, where no earlier message is meant by it.

    Args:
        memories, store: of the user; None: there are none.
        form: the order of a message.
        done: what has become of that message; None: the graph could not be asked.

    Returns:
        What has become of it now; and the memories that fit, where there are several: none is forgotten then.
    """
    if form.how != "retracts" or done is None or done.took or memories is None or store is None:
        return done, ()
    text = form.text
    found = await store.recall(text, names=(), files=(), standing=_MOST, limit=_MOST)
    known = {memory.uuid: memory for scored in found.values() for memory, _ in scored}
    fitting = [each for each in known.values() if each.kind in ("fact", *ADDED_KINDS) and covers(each.content, text)]
    fitting = [each for each in fitting if is_same(each.content, text)] or fitting
    if len(fitting) != 1:
        return done, tuple(each.content for each in fitting)
    with suppress(NotFound):  # nobody's: not this user's to forget
        await memories.forget(fitting[0].uuid, text, source=Source(operation=done.message_id))
        return done._replace(took=(fitting[0].content,)), ()
    return done, ()


async def restore(store: AddedMemoryStore, memory: Memory) -> None:
    """Makes a memory hold again.

    Raises:
        InvalidInput: it holds, or something else holds in its place.
        NotFound: it is not this user's.
    """
    done = await store.restore(memory.uuid)
    if done is None:
        raise NotFound(f"the memory {memory.uuid!r} is not yours to change", hint=_LIST)
    if not done.restored:
        why = f'"{done.instead}" holds in its place' if done.instead else "it holds already"
        raise InvalidInput(why, hint="forget that first" if done.instead else None)


async def undo_message(store: AddedMemoryStore, memories: Memories, message_id: str) -> Undone:
    """Takes back what a message did to what is remembered: what it became is forgotten, what it took away is back."""
    changes = await store.changes(message_id)
    forgotten, restored = [], []
    if changes.saved and await memories.forget(message_id, "undone"):
        forgotten.append((await memories.get(message_id)).content)
    for uuid in changes.took:
        done = await store.restore(uuid)
        if done is not None and done.restored:
            restored.append((await memories.get(uuid)).content)
    return Undone(tuple(forgotten), tuple(restored))
