"""The tools with which a model remembers, recalls and forgets, by document 5 of the requirements.

Whose memory it is comes from the session, never from an argument. What a tool cannot do is a result with ``error``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ragforge_memory.errors import InvalidInput, NotFound, ToolError
from ragforge_memory.graph.memories import STANDING_TYPES
from ragforge_memory.memory.grounds import is_grounded
from ragforge_memory.memory.memories import Memories, Source
from ragforge_memory.models.memory import Fact, VersionReason
from ragforge_memory.tools.declare import tool
from ragforge_memory.tools.ports import ToolContext

_NOT_ASKED = "the user has not asked for that in this conversation"
_ASK = "ask the user, who has to say it in their own words"


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
    stands = type.strip().casefold() in STANDING_TYPES
    if stands and not is_grounded(context.heard(), key, value):
        return _error(_NOT_ASKED, _ASK)

    async def remember(memories: Memories) -> dict[str, Any]:
        source = _source(context, the_user_s=stands)
        done = await memories.remember_fact(type, key, value, confidence, source=source)
        match done.outcome:
            case "same":
                return {"status": "skipped", "reason": "it is known", "fact_id": done.uuid}
            case "forgotten":
                return {"status": "skipped", "reason": "the user had it forgotten", "fact_id": done.uuid}
            case "updated":
                return {"status": "success", "fact_id": done.uuid, "old": done.old, "new": value}
        return {"status": "success", "fact_id": done.uuid}

    return await _done(context, remember)


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

    async def recall(memories: Memories) -> dict[str, Any]:
        found = await memories.recall_facts(query, types, min_confidence, limit, include_inactive=include_inactive)
        return {"status": "success", "facts": [_told(each) for each in found]}

    return await _done(context, recall)


@tool(side_effects=True)
async def update_fact(context: ToolContext, fact_id: str, new_value: str, reason: str = "update") -> dict[str, Any]:
    """Gives a remembered fact another value; its history keeps the old one.

    Args:
        fact_id: as `recall_facts` gives it.
        new_value: what holds now.
        reason: `update` (it has changed), `correction` (it was wrong) or `refinement` (it is more exact now).
    """

    async def update(memories: Memories) -> dict[str, Any]:
        fact = await memories.fact(fact_id)
        if fact.type in STANDING_TYPES and not is_grounded(context.heard(), new_value):
            return _error(_NOT_ASKED, _ASK)
        given: VersionReason = reason  # type: ignore[assignment]
        source = _source(context, the_user_s=fact.type in STANDING_TYPES)
        done = await memories.update_fact(fact_id, new_value, given, source=source)
        if done.outcome == "same":
            return {"status": "skipped", "reason": "it says that already", "fact_id": fact_id}
        return {"status": "success", "fact_id": fact_id, "old": done.old, "new": new_value}

    return await _done(context, update)


@tool(side_effects=True)
async def forget_fact(context: ToolContext, fact_id: str, reason: str = "") -> dict[str, Any]:
    """Forgets a remembered fact that the user takes back; its history stays.

    Args:
        fact_id: as `recall_facts` gives it.
        reason: what the user said.
    """

    async def forget(memories: Memories) -> dict[str, Any]:
        fact = await memories.fact(fact_id)
        if not is_grounded(context.heard(), fact.type, fact.key, fact.value):
            return _error(_NOT_ASKED, _ASK)
        if not await memories.forget(fact_id, reason):
            return {"status": "skipped", "reason": "it is forgotten already", "archived": True}
        return {"status": "success", "archived": True}

    return await _done(context, forget)


MEMORY_CORE: tuple[Callable[..., Any], ...] = (remember_fact, recall_facts, update_fact, forget_fact)
"""The tools that every model is offered."""


def _told(fact: Fact) -> dict[str, Any]:
    told = {
        "fact_id": fact.uuid,
        "type": fact.type,
        "key": fact.key,
        "value": fact.value,
        "confidence": fact.confidence,
    }
    label = {"code": fact.code_label} if fact.code_label else {}
    return {**told, "active": fact.is_active, "since": fact.created_at.date().isoformat(), **label}


def _source(context: ToolContext, *, the_user_s: bool) -> Source:
    """Where a fact comes from: a model concluded it, or it is a rule or preference that the user was heard to say."""
    return Source("user" if the_user_s else "agent", "tool", context.message_id)


def _error(text: str, hint: str | None) -> dict[str, Any]:
    return {"status": "error", "error": text, **({"hint": hint} if hint else {})}


async def _done(context: ToolContext, work: Callable[[Memories], Any]) -> dict[str, Any]:
    """The result of the work; what was asked for wrongly is one too.

    Raises:
        ToolError: this agent remembers nothing.
    """
    if not isinstance(context.memories, Memories):
        raise ToolError("this agent remembers nothing")
    try:
        result: dict[str, Any] = await work(context.memories)
    except (InvalidInput, NotFound) as error:
        return _error(error.message, error.hint)
    return result
