"""Long-term memory of an agent's owner, awaited: what is remembered in all conversations."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, get_args

from ragforge_memory.agent.inputs import check_flag, check_limit, check_text
from ragforge_memory.errors import GraphTimeout, InvalidInput, memory_is_off
from ragforge_memory.models.memory import Fact, FactVersion, Memory, MemoryKind, VersionReason

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.graph.added_memories import AddedMemoryStore
    from ragforge_memory.memory.memories import Memories
    from ragforge_memory.models.conversation import Page
    from ragforge_memory.models.memory import RecalledMemory, RecallResult

_SEARCH_MS = 15_000
"""Milliseconds that a search waits for every tier, where a turn waits for 50."""


class AsyncAgentMemory:
    """What an agent remembers of its owner; `AsyncConversationAgent.memory`.

    A memory is named by its uuid, or the start of it where that fits one only. What is said here counts as the user's
    own word.
    """

    def __init__(self, open: Callable[[], Awaitable[Services]], recall: Callable[..., Awaitable[RecallResult]]) -> None:
        self._open_agent = open
        self._recall = recall

    async def remember_fact(self, type: str, key: str, value: str, confidence: float = 1.0) -> Fact:
        """Remembers a fact; another value of the same type and key becomes the current one, the old one history.

        Args:
            type: ``personal``, ``preference``, ``skill`` (of the user in every project), or any other sort.
            key: which one of its type: ``location``.
            value: what it says.
            confidence: how sure that is, 0 to 1.

        Raises:
            InvalidInput: something is missing or too long, a question or a secret, less sure than
                ``tools.confidence_threshold``, or memory is off.
            GraphUnavailable: the graph cannot be asked.
        """
        memories, _ = await self._open()
        done = await memories.remember_fact(type, key, value, confidence)
        return await memories.fact(done.uuid)

    async def recall_facts(
        self,
        query: str | None = None,
        types: Sequence[str] | None = None,
        min_confidence: float | None = None,
        limit: int = 10,
        include_inactive: bool = False,
    ) -> builtins.list[Fact]:
        """Facts, the most certain and newest first.

        Args:
            query: only those that share words with it.
            types: only of these types.
            min_confidence: only those that are at least so sure, 0 to 1.
            limit: facts at most, 1 to 1,000.
            include_inactive: those that were forgotten too.

        Raises:
            InvalidInput: something asked for is none, or memory is off.
            GraphUnavailable: the graph cannot be asked.
        """
        check_limit(limit)
        if query is not None:
            check_text(query, "a query")
        memories, _ = await self._open()
        return await memories.recall_facts(query, types, min_confidence, limit, include_inactive=include_inactive)

    async def update_fact(self, fact_id: str, new_value: str, reason: VersionReason = "update") -> Fact:
        """Gives a fact another value; its history keeps the old one.

        Args:
            fact_id: its uuid.
            new_value: what holds now.
            reason: ``update`` (it has changed), ``correction`` (it was wrong) or ``refinement`` (it is more exact now).

        Raises:
            InvalidInput: the value or the reason is none, several memories begin so, or memory is off.
            NotFound: there is no such fact.
            GraphUnavailable: the graph cannot be asked.
        """
        memories, store = await self._open()
        fact = await _one(store, fact_id)
        await memories.update_fact(fact.uuid, new_value, reason)
        return await memories.fact(fact.uuid)

    async def forget_fact(self, fact_id: str, reason: str = "") -> Fact:
        """Forgets a fact: it is hidden from everything but its history, which has the reason.

        Raises:
            InvalidInput: several memories begin so, or memory is off.
            NotFound: there is no such fact.
            GraphUnavailable: the graph cannot be asked.
        """
        memories, store = await self._open()
        fact = await memories.fact((await _one(store, fact_id)).uuid)
        await self.forget(fact.uuid, reason)
        return await memories.fact(fact.uuid)

    async def add(self, text: str, kind: MemoryKind = "note") -> Memory:
        """Remembers a statement that was made in no conversation; it is tied to the code that it names.

        What says the same with the same words is one memory; one with the same words in another order takes its place.

        Args:
            text: what holds, on one line; at most 2,000 characters.
            kind: ``note``, ``decision``, ``rule`` (which stands in every prompt) or ``todo``.

        Returns:
            The memory that says it, which may have been there before.

        Raises:
            InvalidInput: it is a question, a secret, empty or too long, of another kind, or memory is off.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.agent.context.importance import IMPORTANT
        from ragforge_memory.agent.ties.added import tie_added
        from ragforge_memory.memory.added import ADDED_KINDS, checked_statement

        if kind not in ADDED_KINDS:
            raise InvalidInput(f"{kind!r} cannot be added", hint=", ".join(ADDED_KINDS))
        services = await self._services()
        text = checked_statement(text, services.place.redacted)
        check_text(text, "a memory")
        _, store = await self._open()
        uuid = await store.add(text, kind, IMPORTANT)
        await tie_added(services.stores, services.place, uuid, text)
        return await _one(store, uuid)

    async def search(self, query: str, limit: int = 10) -> builtins.list[RecalledMemory]:
        """The memories that bear on a question, the best first, by the tiers that each turn's recall has.

        Args:
            query: the question, in any words; code that it names brings what was decided about that.
            limit: memories at most, 1 to 1,000.

        Raises:
            InvalidInput: something asked for is none, or memory is off.
            GraphUnavailable: the graph cannot be asked, or did not answer within 15 s.
        """
        found = await self._recall(query, limit=limit, deadline_ms=_SEARCH_MS)
        if not found.tiers_answered:
            await (await self._open_agent()).stores.graph.contact()
            raise GraphTimeout(f"the graph did not answer within {_SEARCH_MS // 1_000} s")
        return [each for each in found.items if each.tiers != ("standing",)][:limit]

    async def get(self, memory_id: str) -> Memory:
        """A memory, whatever became of it.

        Raises:
            InvalidInput: several memories begin so, or memory is off.
            NotFound: there is none.
            GraphUnavailable: the graph cannot be asked.
        """
        _, store = await self._open()
        return await _one(store, memory_id)

    async def history(self, memory_id: str) -> builtins.list[FactVersion]:
        """What a memory said before, the oldest first, and why it changed; that it was forgotten and holds again too.

        Raises:
            InvalidInput: several memories begin so, or memory is off.
            NotFound: there is none.
            GraphUnavailable: the graph cannot be asked.
        """
        memories, store = await self._open()
        return await memories.history((await _one(store, memory_id)).uuid)

    async def forget(self, memory_id: str, reason: str = "") -> Memory:
        """Hides a memory from everything but its history; `restore` brings it back.

        Args:
            memory_id: its uuid.
            reason: kept in its history.

        Returns:
            The memory as it is now; it may have been forgotten before.

        Raises:
            InvalidInput: several memories begin so, or memory is off.
            NotFound: there is none.
            GraphUnavailable: the graph cannot be asked.
        """
        check_text(reason, "a reason")
        memories, store = await self._open()
        memory = await _one(store, memory_id)
        await memories.forget(memory.uuid, reason)
        return await _one(store, memory.uuid)

    async def restore(self, memory_id: str) -> Memory:
        """Makes a memory hold again that was forgotten, taken back or done.

        Raises:
            InvalidInput: it holds already, something else holds in its place, several memories begin so, or memory
                is off.
            NotFound: there is none.
            GraphUnavailable: the graph cannot be asked.
        """
        from ragforge_memory.memory.added import restore

        _, store = await self._open()
        memory = await _one(store, memory_id)
        await restore(store, memory)
        return await _one(store, memory.uuid)

    async def list(
        self,
        limit: int = 50,
        kinds: Sequence[MemoryKind] | None = None,
        include_inactive: bool = False,
        cursor: str | None = None,
    ) -> Page[Memory]:
        """What is remembered, the newest first.

        Args:
            limit: most items on the page, 1 to 1,000.
            kinds: only of these; None: all.
            include_inactive: what was forgotten, taken back or done too.
            cursor: ``next_cursor`` of the page before.

        Raises:
            InvalidInput: something asked for is none, or memory is off.
            GraphUnavailable: the graph cannot be asked.
        """
        check_limit(limit)
        check_flag(include_inactive, "include_inactive")
        for kind in kinds or ():
            if kind not in get_args(MemoryKind):
                raise InvalidInput(f"there is no kind {kind!r}", hint=", ".join(get_args(MemoryKind)))
        if cursor is not None:
            check_text(cursor, "a cursor")
        _, store = await self._open()
        return await store.listed(limit=limit, kinds=kinds or None, include_inactive=include_inactive, cursor=cursor)

    async def _services(self) -> Services:
        services = await self._open_agent()
        if services.memories is None:
            raise memory_is_off("nothing is remembered")
        return services

    async def _open(self) -> tuple[Memories, AddedMemoryStore]:
        from ragforge_memory.graph.added_memories import AddedMemoryStore

        services = await self._services()
        memories = services.memories
        assert memories is not None
        return memories, AddedMemoryStore(services.stores.graph, services.place.owner)


async def _one(store: AddedMemoryStore, memory_id: str) -> Memory:
    from ragforge_memory.memory.added import find_memory

    if not isinstance(memory_id, str):
        raise InvalidInput(f"a memory is named by its uuid, not by {type(memory_id).__name__}")
    check_text(memory_id, "a memory's uuid")
    return await find_memory(store, memory_id.strip())
