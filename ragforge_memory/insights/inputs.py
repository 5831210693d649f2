"""What an analysis is asked for, checked before anything is asked of a model."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.inputs import MAX_LIMIT, check_text, clean_labels
from ragforge_memory.errors import ConversationNotFound, InvalidInput
from ragforge_memory.models.conversation import ConversationFilters

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Stores

_MOST_AT_A_TIME = 64
_MOST_ATTEMPTS = 10
_FILTERS = ("status", "tags")
_CHOICES = "uuids, conversations, what a list of them gave, None for all, or a filter such as {'tags': ['auth']}"


@dataclass(frozen=True, slots=True)
class Limits:
    """How a run is bounded: requests at a time, requests for one conversation, US dollars and tokens of all."""

    concurrency: int = 4
    attempts: int = 3
    max_cost_usd: float | None = None
    max_tokens: int | None = None


def checked_task(task: object) -> str:
    """The task, without white space around it.

    Raises:
        InvalidInput: it is not text, or says nothing.
    """
    check_text(task, "a task")
    text = str(task).strip()
    if not text:
        raise InvalidInput("the task is empty", hint="say what to find in each conversation")
    return text


def checked_limits(*, concurrency: object, attempts: object, max_cost_usd: object, max_tokens: object) -> Limits:
    """How a run is bounded.

    Raises:
        InvalidInput: a limit is none.
    """
    return Limits(
        concurrency=_whole(concurrency, "concurrency", _MOST_AT_A_TIME),
        attempts=_whole(attempts, "attempts", _MOST_ATTEMPTS),
        max_cost_usd=_dollars(max_cost_usd),
        max_tokens=None if max_tokens is None else _whole(max_tokens, "max_tokens", 10**12),
    )


def checked_choice(conversations: object) -> list[str] | Mapping[str, Any] | None:
    """Which conversations: uuids, a filter, or None for all.

    Raises:
        InvalidInput: it is nothing of that.
    """
    if conversations is None:
        return None
    if not isinstance(conversations, Mapping):
        return named(conversations)
    unknown = sorted(str(name) for name in conversations if name not in _FILTERS)
    if unknown:
        raise InvalidInput(f"conversations are not filtered by {unknown[0]!r}", hint=" or ".join(_FILTERS))
    status, tags = conversations.get("status"), conversations.get("tags")
    if status not in (None, "active", "archived"):
        raise InvalidInput(f"there is no status {status!r}", hint="active or archived")
    if tags is not None:
        return {**conversations, "tags": clean_labels(None, tags)}
    return conversations


def named(conversations: object) -> list[str]:
    """The uuids of conversations that were given one by one, each once, in their order.

    Raises:
        InvalidInput: one of them has none.
    """
    if isinstance(conversations, str) or hasattr(conversations, "uuid"):
        conversations = [conversations]
    if not isinstance(conversations, Iterable):
        raise InvalidInput(f"conversations are {_CHOICES}; not {type(conversations).__name__}")
    found: dict[str, None] = {}
    for each in conversations:
        uuid = each if isinstance(each, str) else getattr(each, "uuid", None)
        if not isinstance(uuid, str) or not uuid.strip():
            raise InvalidInput(f"{type(each).__name__} {each!r} is not a conversation", hint=f"give {_CHOICES}")
        check_text(uuid, "a uuid")
        found[uuid] = None
    return list(found)


async def chosen(stores: Stores, choice: list[str] | Mapping[str, Any] | None) -> list[str]:
    """The uuids of the conversations that are meant; of a filter or None the newest comes first.

    Raises:
        ConversationNotFound: this owner has none of such a uuid.
        InvalidInput: something of one is in memory alone.
    """
    if choice is None or isinstance(choice, Mapping):
        return await _filtered(stores, choice or {})
    uuids = choice
    for uuid in uuids:
        stores.check_saved(uuid)
    for start in range(0, len(uuids), MAX_LIMIT):
        asked = uuids[start : start + MAX_LIMIT]
        there = {info.uuid for info in await stores.conversations.several(asked)}
        for uuid in asked:
            if uuid not in there:
                raise ConversationNotFound(f"there is no conversation {uuid!r} here")
    return uuids


async def _filtered(stores: Stores, wanted: Mapping[str, Any]) -> list[str]:
    filters = ConversationFilters(wanted.get("status"), tuple(wanted.get("tags") or ()))
    found: dict[str, None] = {}
    cursor: str | None = None
    while True:
        page = await stores.conversations.page(filters, limit=MAX_LIMIT, cursor=cursor)
        found.update((info.uuid, None) for info in page.items)
        cursor = page.next_cursor
        if cursor is None:
            return list(found)


def _whole(value: object, name: str, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= most:
        raise InvalidInput(f"{name} is a whole number from 1 to {most:,}, not {value!r}")
    return value


def _dollars(value: object) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value) or value <= 0:
        raise InvalidInput(f"max_cost_usd is a number of US dollars above 0, not {value!r}")
    return float(value)
