"""The tools with which a model remembers, recalls and forgets, by document 5 of the requirements.

Whose memory it is comes from the session, never from an argument. What a tool cannot do is a result with ``error``;
what takes too long is one with ``queued`` and the operation's id.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from time import perf_counter
from typing import Any
from uuid import uuid4

from ragforge_memory.errors import InvalidInput, NotFound, ToolError
from ragforge_memory.graph.memories import STANDING_TYPES, normal_type
from ragforge_memory.memory.calls import Result, error_result, refusal
from ragforge_memory.memory.grounds import is_grounded
from ragforge_memory.memory.memories import Source
from ragforge_memory.memory.operations import Operations
from ragforge_memory.memory.patterns import laying_down, taking_back
from ragforge_memory.models.memory import Fact, RecalledMemory
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext

_NOT_ASKED = error_result(
    "not_asked",
    "the user has not asked for that in this conversation",
    "ask the user, who has to say it in their own words",
)


@tool(side_effects=True)
async def remember_fact(
    context: ToolContext, type: str, key: str, value: str, confidence: float = 0.9
) -> dict[str, Any]:
    """Remembers a fact about the user or the project for good. Look with `recall_facts` first and reuse its keys.

    Args:
        type: `personal`, `preference`, `skill`, `project`, `decision`, or a word of your own.
        key: which one of its type, in English and in snake_case: `location`.
        value: what the user said, in the user's language.
        confidence: how sure you are, 0 to 1; below 0.7 nothing is kept.
    """
    stands = normal_type(type) in STANDING_TYPES

    async def remember(operations: Operations) -> Result:
        if not _is_said(context, value, stands=stands) and (stands or await _is_the_user_s(operations, type, key)):
            return _NOT_ASKED
        given = {"type": type, "key": key, "value": value, "confidence": confidence}
        fact_id = operations.memories.fact_uuid(type, key)
        return await operations.run("remember_fact", given, _source(context, the_user_s=stands), fact_id=fact_id)

    return await _call(context, "remember_fact", remember)


@tool
async def recall_facts(
    context: ToolContext,
    query: str | None = None,
    types: list[str] | None = None,
    min_confidence: float | None = None,
    limit: int = 10,
    include_inactive: bool = False,
) -> dict[str, Any]:
    """Lists remembered facts; do this before you remember, update or forget one.

    Args:
        query: words that they have; all where it is empty.
        types: only facts of these types.
        min_confidence: only facts that are at least so sure, 0 to 1.
        limit: facts at most.
        include_inactive: those that were forgotten too.
    """

    async def recall(operations: Operations) -> Result:
        found = await operations.memories.recall_facts(
            query, types, min_confidence, limit, include_inactive=include_inactive
        )
        return {"status": "success", "facts": [_shown(each) for each in found]}

    return await _call(context, "recall_facts", recall)


@tool(side_effects=True)
async def update_fact(context: ToolContext, fact_id: str, new_value: str, reason: str = "update") -> dict[str, Any]:
    """Gives a remembered fact another value; its history keeps the old one.

    Args:
        fact_id: as `recall_facts` gives it.
        new_value: what holds now.
        reason: `update` (it has changed), `correction` (it was wrong) or `refinement` (it is more exact now).
    """

    async def update(operations: Operations) -> Result:
        fact = await operations.memories.fact(fact_id)
        stands = fact.type in STANDING_TYPES
        if (stands or fact.trust == "user") and not _is_said(context, new_value, stands=stands):
            return _NOT_ASKED
        given = {"fact_id": fact_id, "new_value": new_value, "reason": reason}
        source = _source(context, the_user_s=stands)
        return await operations.run("update_fact", given, source, fact_id=fact_id)

    return await _call(context, "update_fact", update)


@tool(side_effects=True)
async def forget_fact(context: ToolContext, fact_id: str, reason: str = "") -> dict[str, Any]:
    """Forgets a remembered fact that the user takes back; its history stays.

    Args:
        fact_id: as `recall_facts` gives it.
        reason: what the user said.
    """

    async def forget(operations: Operations) -> Result:
        fact = await operations.memories.fact(fact_id)
        heard = context.heard()
        # A page about indentation may be asked for without anything being taken back.
        if not is_grounded(heard, fact.value) and not is_grounded(taking_back(heard), fact.key):
            return _NOT_ASKED
        given = {"memory_id": fact_id, "reason": reason}
        return await operations.run("forget_fact", given, _source(context), fact_id=fact_id)

    return await _call(context, "forget_fact", forget)


@tool(side_effects=True)
async def create_episode(
    context: ToolContext,
    topic: str,
    summary: str,
    importance: float = 0.5,
    emotional_valence: str | None = None,
    tags: list[str] | None = None,
    message_ids: list[str] | None = None,
) -> dict[str, Any]:
    """Remembers what a longer stretch of talk was about, once it is over.

    Args:
        topic: what it was about, in a few words.
        summary: what came of it, in two or three sentences.
        importance: 0 to 1.
        emotional_valence: `positive`, `neutral`, `negative`.
        tags: words to find it by.
        message_ids: what was said in it, where you know the ids.
    """
    uuid = uuid4().hex
    given = {
        "topic": topic,
        "summary": summary,
        "importance": importance,
        "emotional_valence": emotional_valence,
        "tags": tags or [],
        "message_ids": message_ids,
        "uuid": uuid,
    }

    async def create(operations: Operations) -> Result:
        return await operations.run("create_episode", given, _source(context), episode_id=uuid)

    return await _call(context, "create_episode", create)


@tool
async def recall_memory(context: ToolContext, query: str, limit: int = 5) -> dict[str, Any]:
    """Finds what is remembered about something: facts, decisions, notes, rules, episodes, from every conversation.

    Args:
        query: what to look for, with the names of the code it is about.
        limit: how many at most.
    """

    async def recall(operations: Operations) -> Result:
        if not query.strip():
            return error_result("invalid", "the query is empty", "say what to look for")
        found = await operations.recall(query, max(1, min(limit, 50)))
        missed = {"not_looked_at": list(found.tiers_missed)} if found.tiers_missed else {}
        return {"status": "success", "memories": [_recalled(each) for each in found.items], **missed}

    return await _call(context, "recall_memory", recall)


@tool(side_effects=True)
async def mark_important(context: ToolContext, message_ids: list[str], importance: float = 1.0) -> dict[str, Any]:
    """Says how important messages are, such as a promise or a deadline; important ones outlive summaries.

    Args:
        message_ids: their ids.
        importance: 0 to 1.
    """
    given = {"message_ids": message_ids, "importance": importance}

    async def mark(operations: Operations) -> Result:
        return await operations.run("mark_important", given, _source(context))

    return await _call(context, "mark_important", mark)


@tool(side_effects=True)
async def update_episode(
    context: ToolContext,
    episode_id: str,
    topic: str | None = None,
    summary: str | None = None,
    importance: float | None = None,
    emotional_valence: str | None = None,
    tags: list[str] | None = None,
) -> dict[str, Any]:
    """Changes what is remembered of an episode; its history keeps the summary before.

    Args:
        episode_id: as `create_episode` or `recall_memory` gave it.
        topic: another topic.
        summary: another summary.
        importance: 0 to 1.
        emotional_valence: another mood.
        tags: other tags.
    """
    changes = {"topic": topic, "summary": summary, "importance": importance, "tags": tags}
    given = {"episode_id": episode_id, **changes, "emotional_valence": emotional_valence}

    async def update(operations: Operations) -> Result:
        return await operations.run("update_episode", given, _source(context), episode_id=episode_id)

    return await _call(context, "update_episode", update)


@tool(side_effects=True)
async def merge_facts(context: ToolContext, fact_ids: list[str], value: str) -> dict[str, Any]:
    """Makes one fact of several that say one thing; the first keeps its key, the others are archived.

    Args:
        fact_ids: as `recall_facts` gives them, of one type.
        value: what holds now.
    """

    async def merge(operations: Operations) -> Result:
        facts = [await operations.memories.fact(each) for each in fact_ids]
        stands = any(fact.type in STANDING_TYPES for fact in facts)
        theirs = stands or any(fact.trust == "user" for fact in facts)
        if theirs and not _is_said(context, value, stands=stands):
            return _NOT_ASKED
        given = {"fact_ids": fact_ids, "value": value}
        source = _source(context, the_user_s=stands)
        return await operations.run("merge_facts", given, source, merged_id=(fact_ids or [""])[0])

    return await _call(context, "merge_facts", merge)


@tool(side_effects=True)
async def archive_episode(context: ToolContext, episode_id: str) -> dict[str, Any]:
    """Puts an episode away that the user says is over or wrong; its history stays.

    Args:
        episode_id: as `create_episode` or `recall_memory` gave it.
    """

    async def archive(operations: Operations) -> Result:
        episode = await operations.memories.episode(episode_id)
        if not is_grounded(context.heard(), episode.topic, *episode.tags):
            return _NOT_ASKED
        given = {"memory_id": episode_id, "reason": "archived"}
        return await operations.run("archive_episode", given, _source(context), episode_id=episode_id)

    return await _call(context, "archive_episode", archive)


@tool(side_effects=True)
async def store_memory(context: ToolContext, content: str) -> dict[str, Any]:
    """Remembers a note that is no fact of a type and key, such as how something is done here.

    Args:
        content: what holds, in one sentence.
    """
    uuid = uuid4().hex

    async def store(operations: Operations) -> Result:
        given = {"content": content, "uuid": uuid}
        return await operations.run("store_memory", given, _source(context), memory_id=uuid)

    return await _call(context, "store_memory", store)


@tool
async def get_user_context(context: ToolContext) -> dict[str, Any]:
    """Tells who asks: their plan, what they have used today, and the preferences that they have set."""

    async def look(operations: Operations) -> Result:
        user = await operations.user()
        usage = user.usage.model_dump()
        return {"status": "success", "plan": user.plan, "usage_today": usage, "preferences": user.preferences}

    return await _call(context, "get_user_context", look)


MEMORY_CORE: tuple[Callable[..., Any], ...] = (
    remember_fact,
    recall_facts,
    update_fact,
    forget_fact,
    create_episode,
    recall_memory,
)
"""The tools that every model is offered."""

MEMORY_ALL: tuple[Callable[..., Any], ...] = (
    *MEMORY_CORE,
    mark_important,
    update_episode,
    merge_facts,
    archive_episode,
    store_memory,
    get_user_context,
)
"""Those of ``tools.profile: all``."""


def _is_said(context: ToolContext, value: str, *, stands: bool) -> bool:
    """Whether the user has said a value here; of what stands in every prompt, as something that is to hold."""
    heard = context.heard()
    return is_grounded(laying_down(heard) if stands else heard, value)


async def _is_the_user_s(operations: Operations, type: str, key: str) -> bool:
    """Whether the user has said the fact of this type and key, so that nobody else changes it."""
    try:
        fact = await operations.memories.fact(operations.memories.fact_uuid(type, key))
    except NotFound:
        return False
    return fact.is_active and fact.trust == "user"


def _shown(fact: Fact) -> dict[str, Any]:
    shown = {
        "fact_id": fact.uuid,
        "type": fact.type,
        "key": fact.key,
        "value": fact.value,
        "confidence": fact.confidence,
    }
    return {**shown, "active": fact.is_active, "since": fact.created_at.date().isoformat(), **_code(fact.code_label)}


def _recalled(each: RecalledMemory) -> dict[str, Any]:
    memory = each.memory
    shown = {"memory_id": memory.uuid, "kind": memory.kind, "content": memory.content, "by": memory.trust}
    return {**shown, "since": memory.created_at.date().isoformat(), **_code(memory.code_label)}


def _code(label: str) -> dict[str, str]:
    return {"code": label} if label else {}


def _source(context: ToolContext, *, the_user_s: bool = False) -> Source:
    """Where a memory comes from: a model concluded it, or it is a rule or preference that the user was heard to say."""
    return Source("user" if the_user_s else "agent", "tool", context.message_id)


async def _call(context: ToolContext, tool: str, work: Callable[[Operations], Awaitable[Result]]) -> Result:
    """The result of the work, which is counted; what was asked for wrongly is one too.

    Raises:
        ToolError: this agent remembers nothing.
    """
    if not isinstance(context.memories, Operations):
        raise ToolError("this agent remembers nothing")
    begun = perf_counter()
    try:
        result = await work(context.memories)
    except (InvalidInput, NotFound) as error:
        result = refusal(error)
    context.memories.metrics.count(tool, result, (perf_counter() - begun) * 1_000)
    return result
