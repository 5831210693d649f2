"""Claims what plain Cypher wrote of conversations when a graph is opened, so that it is read like what was said here.

Whose nobody owns becomes nobody's conversation in this project; an owner's conversation that somebody went on with gets
what is new behind what it has. Both keep their uuids: whoever wrote them may go on.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.agent.context.importance import importance_of
from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.claims import CLAIMED_AT_ONCE, Claimed, ClaimStore, Unclaimed
from ragforge_memory.graph.decisions import Statement, take_statement
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.models.owner import Owner
from ragforge_memory.text.titles import title_of

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place
    from ragforge_memory.graph.client import GraphClient
    from ragforge_memory.models.conversation import Message

log = logging.getLogger(__name__)


async def claim_conversations(graph: GraphClient, place: Place, *, generate_titles: bool, everybodys: bool) -> None:
    """Claims what there is to claim; that failing fails no opening, and the next one goes on with it.

    Args:
        graph: the graph, open.
        place: whose conversations are opened.
        generate_titles: whether a title that comes from the first message shall be replaced by a better one.
        everybodys: look for what nobody owns too.
    """

    def store(owner: Owner) -> ClaimStore:
        return ClaimStore(graph, owner, summarize_every=place.summarize_every, generate_titles=generate_titles)

    own, nobodys = store(place.owner), store(Owner("", place.owner.project))
    try:
        for uuid in await nobodys.nobodys() if everybodys else ():
            await _claim(nobodys, place, uuid)
        for uuid in await own.continued():
            await _claim(own, place, uuid)
    except Exception as error:  # noqa: BLE001 - whatever others wrote, it is not in the way of who opens a project
        log.warning("conversations that other programs wrote are not taken over yet: %s", error)


async def _claim(store: ClaimStore, place: Place, conversation_id: str) -> None:
    """All of one conversation, batch by batch; one that cannot be claimed is in no other's way."""
    try:
        await store.clear(conversation_id)
        said = await store.unplaced(conversation_id)
        claiming = None
        # One without messages is claimed too.
        for begin in range(0, len(said) or 1, CLAIMED_AT_ONCE):
            found = await store.unclaimed(conversation_id, said[begin : begin + CLAIMED_AT_ONCE])
            if found is None:
                return
            if claiming is None:
                claiming = _Claiming(place, await store.statements(conversation_id) if found.head else [])
            if not await store.claim(found, claiming.completed(found), title=claiming.title(found)):
                return
    except GraphUnavailable:
        raise
    except Exception as error:  # noqa: BLE001 - what others wrote into one conversation costs that one
        log.warning("the conversation %r of another program is not taken over: %s", conversation_id, error)


class _Claiming:
    """What the messages of one conversation lack; an answer knows the question before it."""

    def __init__(self, place: Place, statements: list[Statement]) -> None:
        self._place = place
        self._question: str | None = None
        self._statements = statements

    def completed(self, found: Unclaimed) -> Sequence[Claimed]:
        """The next messages with what they lacked."""
        return [self._completed(each) for each in found.messages]

    def title(self, found: Unclaimed) -> str | None:
        """A title from what was asked first, where there is none."""
        said = [each for each in found.messages if each.role == "user"] or list(found.messages)
        title = title_of(said[0].content) if said and found.title is None else ""
        return self._place.redacted(title) or None

    def _completed(self, message: Message) -> Claimed:
        redacted = self._place.redacted
        content = redacted(message.content)
        stated = take_statement(message.uuid, message.role, content, self._statements)
        new = NewMessage(
            uuid=message.uuid,
            role=message.role,
            content=content,
            reasoning=redacted(message.reasoning) if message.reasoning else None,
            in_reply_to=self._question if message.role == "assistant" else None,
            importance=importance_of(content, message.tool_calls, role=message.role),
            kind=stated.kind,
        )
        if message.role == "user":
            self._question = new.uuid
        return Claimed(message, new, corrects=stated.corrects, how=stated.how)
