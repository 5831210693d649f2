"""Merging: what a branch found, brought into another conversation of its family as one message."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import uuid4

from ragforge_memory.agent.branches import compare, store
from ragforge_memory.agent.outages.recovery import replay_own
from ragforge_memory.errors import InvalidInput
from ragforge_memory.graph.branches import Merge
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.llm.port import EXTRACTIVE
from ragforge_memory.models.conversation import BranchTree, Message
from ragforge_memory.models.text import counted
from ragforge_memory.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ragforge_memory.agent.services import Models, Services
    from ragforge_memory.agent.upkeep.summary_text import Written


async def merge(services: Services, conversation_id: str, other_id: str) -> Message:
    """Appends a message with the summaries of both sides since they parted, tied to the code of both.

    Raises:
        ConversationNotFound: one of them is not there.
        InvalidInput: the other one has said nothing of its own, or that was merged already, if just now by another.
    """
    await replay_own(services)
    sides = await compare(services.stores, services.place, conversation_id, other_id)
    if other_id not in set(_members(await store(services.stores, services.place).tree(conversation_id))):
        raise InvalidInput(
            "only a branch of the same conversation can be merged", hint="branches() shows the family of this one"
        )
    what = Merge(other_id, sides.fork_seq, sides.there_count + sides.fork_seq)
    # Asked before the model is, and once more under the lock of the write: somebody may be at the same.
    if await store(services.stores, services.place).brought(conversation_id, what):
        raise _known()
    if not sides.only_there:
        raise InvalidInput(
            "there is nothing to merge: the other conversation has said nothing of its own",
            hint="compare() shows what each has alone",
        )
    other = await services.stores.conversations.get(other_id)
    models = set[str]()
    parts = [f"Merged with “{other.title or other.uuid[:8]}”."]
    for name, messages, count in (
        ("Here", sides.only_here, sides.here_count),
        (other.title or "There", sides.only_there, sides.there_count),
    ):
        if messages:
            written = await _said(services.models, messages)
            models.add(written.model)
            parts.append(f"**{name}** ({counted(count, 'message')}): {written.text}")
    content = services.place.redacted("\n\n".join(parts))
    new = NewMessage(
        uuid=uuid4().hex,
        role="assistant",
        content=content,
        token_count=estimate_tokens(content),
        # Where the model failed for one side only, the other is its.
        model=next(iter(models - {EXTRACTIVE}), EXTRACTIVE),
        trust="agent",
        metadata=what.metadata,
    )
    seq = await store(services.stores, services.place).merge(
        conversation_id, new, what, summarize_every=services.place.summarize_every
    )
    if seq is None:
        raise _known()
    services.background.work.wake()
    newest = await services.stores.messages.history(conversation_id)
    while (made := next((each for each in newest if each.uuid == new.uuid), None)) is None:
        newest = await services.stores.messages.history(conversation_id, before=newest[0].uuid)
    return made


def _known() -> InvalidInput:
    return InvalidInput("all of that conversation has been merged already", hint="it has said nothing since")


def _members(tree: BranchTree) -> Iterator[str]:
    yield tree.uuid
    for each in tree.branches:
        yield from _members(each)


async def _said(models: Models, messages: Sequence[Message]) -> Written:
    """Two or three sentences on what one side did."""
    from ragforge_memory.agent.summaries import condense

    return await condense(models.summarizer, messages)
