"""What the tools of memory do, and what a model sees of it, by document 5 of the requirements.

Each of `CALLS` takes the arguments of its tool and does it once under the operation of its source, however often.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable
from typing import Any

from ragforge_memory.errors import InvalidInput, NotFound
from ragforge_memory.graph.memories import FactChange
from ragforge_memory.memory.memories import Memories, Source

Result = dict[str, Any]

READERS = frozenset({"recall_facts", "recall_memory", "get_user_context"})
"""The tools that change nothing."""

AWAY = ("unreachable", "queue_full")
"""The types of errors after which a call was neither done nor queued."""

_SKIPPED: dict[FactChange, str] = {
    "same": "it is known",
    "forgotten": "the user had it forgotten",
    "older": "something newer is known",
}


def error_result(error_type: str, text: str, hint: str | None = None) -> Result:
    """A result that says what is wrong, by its type and in words, and what to do."""
    return {"status": "error", "error_type": error_type, "error": text, **({"hint": hint} if hint else {})}


def refusal(error: InvalidInput | NotFound) -> Result:
    """The result of what was asked for wrongly."""
    return error_result("not_found" if isinstance(error, NotFound) else "invalid", error.message, error.hint)


def skipped_result(reason: str, **fields: Any) -> Result:
    """A result that says why nothing was done."""
    return {"status": "skipped", "reason": reason, **fields}


def was_away(result: str) -> bool:
    """Whether a result, as JSON or its beginning, says that memory did not take the call."""
    try:
        said = json.loads(result)
    except ValueError:
        return False
    return isinstance(said, dict) and said.get("error_type") in AWAY


async def perform(memories: Memories, tool: str, arguments: dict[str, Any], source: Source) -> Result:
    """Does what a tool was asked for. What was asked for wrongly is a result too, with ``error``.

    Raises:
        GraphUnavailable: it was not done, or nobody knows.
    """
    try:
        return await CALLS[tool](memories, arguments, source)
    except (InvalidInput, NotFound) as error:
        return refusal(error)


async def _remember_fact(memories: Memories, given: dict[str, Any], source: Source) -> Result:
    done = await memories.remember_fact(given["type"], given["key"], given["value"], given["confidence"], source=source)
    if done.outcome in _SKIPPED:
        return skipped_result(_SKIPPED[done.outcome], fact_id=done.uuid)
    if done.outcome == "updated":
        return {"status": "success", "fact_id": done.uuid, "old": done.old, "new": given["value"]}
    return {"status": "success", "fact_id": done.uuid}


async def _update_fact(memories: Memories, given: dict[str, Any], source: Source) -> Result:
    fact_id = given["fact_id"]
    done = await memories.update_fact(fact_id, given["new_value"], given["reason"], source=source)
    if done.outcome in _SKIPPED:
        return skipped_result(_SKIPPED[done.outcome], fact_id=fact_id)
    return {"status": "success", "fact_id": fact_id, "old": done.old, "new": given["new_value"]}


async def _merge_facts(memories: Memories, given: dict[str, Any], source: Source) -> Result:
    fact = await memories.merge_facts(given["fact_ids"], given["value"], source=source)
    return {"status": "success", "merged_id": fact.uuid, "confidence": fact.confidence}


async def _forget(memories: Memories, given: dict[str, Any], source: Source) -> Result:
    if not await memories.forget(given["memory_id"], given["reason"], source=source):
        return skipped_result("it is forgotten already, or has changed since", archived=True)
    return {"status": "success", "archived": True}


async def _store_memory(memories: Memories, given: dict[str, Any], source: Source) -> Result:
    uuid = await memories.store_memory(**given, source=source)
    known = uuid != given["uuid"]
    return skipped_result("it is known", memory_id=uuid) if known else {"status": "success", "memory_id": uuid}


async def _create_episode(memories: Memories, given: dict[str, Any], source: Source) -> Result:
    uuid, new = await memories.create_episode(**given, source=source)
    return {"status": "success", "episode_id": uuid} if new else skipped_result("it is known", episode_id=uuid)


async def _update_episode(memories: Memories, given: dict[str, Any], source: Source) -> Result:
    episode = await memories.update_episode(**given, source=source)
    return {"status": "success", "episode_id": episode.uuid}


async def _mark_important(memories: Memories, given: dict[str, Any], _: Source) -> Result:
    return {"status": "success", "marked": await memories.mark_important(given["message_ids"], given["importance"])}


CALLS: dict[str, Callable[[Memories, dict[str, Any], Source], Awaitable[Result]]] = {
    "remember_fact": _remember_fact,
    "update_fact": _update_fact,
    "merge_facts": _merge_facts,
    "forget_fact": _forget,
    "store_memory": _store_memory,
    "create_episode": _create_episode,
    "update_episode": _update_episode,
    "archive_episode": _forget,
    "mark_important": _mark_important,
}
"""What each tool does that changes something."""
