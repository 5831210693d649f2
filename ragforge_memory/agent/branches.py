"""Branches: another course for a conversation from one of its messages on, side by side with the first."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ragforge_memory.agent.inputs import MAX_LIMIT, checked_text
from ragforge_memory.errors import InvalidInput, RagforgeError, memory_is_off
from ragforge_memory.graph.branches import BranchPoint, BranchStore
from ragforge_memory.graph.shielded import shielded
from ragforge_memory.models.conversation import BranchTree, Comparison, ConversationInfo
from ragforge_memory.models.lineage import MOST_PARTS, cut, fork

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Services, Stores

log = logging.getLogger(__name__)


def store(stores: Stores, place: Place) -> BranchStore:
    """The store of branches.

    Raises:
        InvalidInput: memory is off, so there is nothing to branch from.
    """
    if not place.config.memory.enabled:
        raise memory_is_off("branches need it")
    return BranchStore(stores.graph, place.owner)


async def branch(
    services: Services, conversation_id: str, *, from_message_id: str | None = None, title: str | None = None
) -> ConversationInfo:
    """A branch from behind a message, or from the head."""
    branches = store(services.stores, services.place)
    point = await branches.point(conversation_id, from_message_id)
    seq = point.message["seq"] if point.message else point.head_seq
    return await _create(services, conversation_id, point, seq, title)


@dataclass(frozen=True, slots=True)
class Sibling:
    """A branch in which a question is asked: a new one, or at ``asked_seq`` the one that it ends with."""

    info: ConversationInfo
    question: str
    question_id: str | None = None
    asked_seq: int | None = None


async def sibling_for_answer(services: Services, conversation_id: str, message_id: str) -> Sibling:
    """A branch that ends with the question of an answer.

    Raises:
        InvalidInput: the message is not an answer, or its question cannot be asked.
    """
    branches = store(services.stores, services.place)
    point = await branches.point(conversation_id, message_id)
    assert point.message is not None
    question_id = point.message["in_reply_to"]
    if point.message["role"] != "assistant":
        raise InvalidInput("only an answer can be given again", hint="name an answer; edit() asks another question")
    if question_id is None:
        what = "what was merged or imported without its question cannot be given again"
        raise InvalidInput(what, hint="name an answer to a question")
    point = await branches.point(conversation_id, question_id)
    assert point.message is not None
    checked_text(point.message["content"])
    info = await _create(services, conversation_id, point, point.message["seq"], None)
    return Sibling(info, point.message["content"], question_id, info.head_seq)


async def sibling_for_question(services: Services, conversation_id: str, message_id: str, text: str) -> Sibling:
    """A branch that ends before a question, for ``text`` instead of it.

    Raises:
        InvalidInput: the message is not a question.
    """
    branches = store(services.stores, services.place)
    point = await branches.point(conversation_id, message_id)
    assert point.message is not None
    if point.message["role"] != "user":
        raise InvalidInput("only what the user said can be edited", hint="regenerate() gives another answer")
    return Sibling(await _create(services, conversation_id, point, point.message["seq"] - 1, None), text)


@asynccontextmanager
async def removed_unanswered(stores: Stores, creation: Awaitable[Sibling]) -> AsyncIterator[Sibling]:
    """Makes a branch, and takes it away again where the turn inside fails before anything was answered; what was stays.

    A cancel waits until the branch is made, so that none is left that nobody knows of. Of a graph that is away nothing
    can be taken; the turn's own error is told in any case.
    """
    made = asyncio.ensure_future(creation)
    try:
        await shielded(made)
        yield made.result()
    except BaseException:
        if made.exception() is None:
            with suppress(asyncio.CancelledError):
                await shielded(_remove_unanswered(stores, made.result().info.uuid))
        raise


async def _remove_unanswered(stores: Stores, uuid: str) -> None:
    try:
        info = await stores.conversations.get(uuid)
        own = await stores.messages.history(uuid, limit=info.message_count) if info.message_count else []
        if not any(message.role == "assistant" for message in own):
            await stores.conversations.delete(uuid)
    except RagforgeError as error:
        log.warning("a branch in which nothing was answered could not be taken away: %s", error)


async def tree(stores: Stores, place: Place, conversation_id: str) -> BranchTree:
    """The family of a conversation."""
    return await store(stores, place).tree(conversation_id)


async def compare(stores: Stores, place: Place, conversation_id: str, other_id: str) -> Comparison:
    """What each of two conversations has alone.

    Raises:
        ConversationNotFound: one of them is not there.
        InvalidInput: both are the same.
    """
    if conversation_id == other_id:
        raise InvalidInput("a conversation is not compared with itself", hint="name one of its branches")
    branches = store(stores, place)
    here, there = await branches.point(conversation_id), await branches.point(other_id)
    shared = fork(here.lineage, there.lineage)
    sides = []
    for uuid, point in ((conversation_id, here), (other_id, there)):
        count = min(point.head_seq - shared, MAX_LIMIT)
        newest = await stores.messages.history(uuid, limit=count) if count else []
        sides.append(tuple(message for message in newest if message.seq > shared))
    return Comparison(
        fork_seq=shared,
        only_here=sides[0],
        only_there=sides[1],
        here_count=here.head_seq - shared,
        there_count=there.head_seq - shared,
    )


async def _create(
    services: Services, conversation_id: str, point: BranchPoint, seq: int, title: str | None
) -> ConversationInfo:
    """The branch, with a summary from its first turn on where what it shares has been summarised."""
    summary = None
    if services.background.summaries is not None and seq < point.summary_seq:
        summary = (await services.background.summaries.store.cover(conversation_id, to_seq=seq)).text or None
    lineage = cut(point.lineage, seq)
    if len(lineage) > MOST_PARTS:
        raise InvalidInput(
            f"a branch of a branch may begin with {MOST_PARTS} conversations, and this would with {len(lineage)}",
            hint="branch from an earlier message, or go on in a new conversation",
        )
    info = await store(services.stores, services.place).create(
        conversation_id,
        lineage,
        title=_title(title, point),
        summarize_every=services.place.summarize_every,
        named=title is not None or point.title is None,
        summary=summary,
    )
    if info.summary:
        services.background.work.wake()
    return info


def _title(title: str | None, point: BranchPoint) -> str | None:
    """A branch is told from what it came from in every list; its first question tells it from other branches."""
    if title is not None or point.title is None:
        return title
    return point.title if point.title.endswith("(branch)") else f"{point.title} (branch)"
