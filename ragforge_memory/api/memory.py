"""Long-term memory of an agent's owner, awaited: what is remembered in all conversations."""

from __future__ import annotations

import builtins
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, get_args

from ragforge_memory.agent.inputs import check_flag, check_limit, check_text
from ragforge_memory.errors import GraphTimeout, InvalidInput, memory_is_off
from ragforge_memory.models.memory import Episode, Fact, FactVersion, Memory, MemoryKind, VersionReason

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.graph.added_memories import AddedMemoryStore
    from ragforge_memory.memory.memories import Memories
    from ragforge_memory.models.conversation import Page
    from ragforge_memory.models.erasure import Erasure
    from ragforge_memory.models.memory import RecalledMemory, RecallResult
    from ragforge_memory.models.metrics import MemoryMetrics

_SEARCH_MS = 15_000
"""Milliseconds that a search waits for every tier, where a turn waits for 50."""


class AsyncAgentMemory:
    """What an agent remembers of its owner; `AsyncConversationAgent.memory`.

    A memory is named by its uuid, or the start of it where that fits one only. What is said here counts as the user's
    own word. Whatever asks the graph raises GraphUnavailable where that cannot be asked.
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
        """
        memories, store = await self._open()
        fact = await memories.fact((await _one(store, fact_id)).uuid)
        await self.forget(fact.uuid, reason)
        return await memories.fact(fact.uuid)

    async def merge_facts(self, fact_ids: Sequence[str], value: str) -> Fact:
        """Makes one fact of several that say one thing: the first keeps its type and key, the others are archived.

        Args:
            fact_ids: two or more, of one type.
            value: what holds now.

        Raises:
            InvalidInput: these are not several facts that hold, of one type; the value is none; or memory is off.
            NotFound: one of them is not there.
        """
        memories, store = await self._open()
        if isinstance(fact_ids, str):
            raise InvalidInput("fact_ids is a list of uuids, not one")
        return await memories.merge_facts([(await _one(store, each)).uuid for each in fact_ids], value)

    async def create_episode(
        self,
        topic: str,
        summary: str,
        importance: float = 0.5,
        emotional_valence: str | None = None,
        tags: Sequence[str] = (),
        message_ids: Sequence[str] | None = None,
    ) -> Episode:
        """Remembers what a stretch of talk was about.

        Args:
            topic: what it was about, in a few words.
            summary: what came of it.
            importance: from 0 to 1.
            emotional_valence: a word for its mood: ``positive``.
            tags: words to find it by.
            message_ids: what was said in it.

        Returns:
            The episode that says it, which may have been there before.

        Raises:
            InvalidInput: something is missing, too long or a secret, or memory is off.
        """
        memories, _ = await self._open()
        uuid, _ = await memories.create_episode(topic, summary, importance, emotional_valence, tags, message_ids)
        return await memories.episode(uuid)

    async def update_episode(
        self,
        episode_id: str,
        topic: str | None = None,
        summary: str | None = None,
        importance: float | None = None,
        emotional_valence: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Episode:
        """Changes what is given of an episode; its history keeps the summary before.

        Raises:
            InvalidInput: nothing is given, it is too long or a secret, several memories begin so, or memory is off.
            NotFound: there is no such episode.
        """
        memories, store = await self._open()
        return await memories.update_episode(
            (await _one(store, episode_id)).uuid,
            topic=topic,
            summary=summary,
            importance=importance,
            emotional_valence=emotional_valence,
            tags=tags,
        )

    async def archive_episode(self, episode_id: str) -> Episode:
        """Puts an episode away, as `forget` does.

        Raises:
            NotFound: there is no such episode; and what `forget` raises.
        """
        memories, store = await self._open()
        episode = await memories.episode((await _one(store, episode_id)).uuid)
        await memories.forget(episode.uuid, "archived")
        return await memories.episode(episode.uuid)

    async def mark_important(self, message_ids: Sequence[str], importance: float = 1.0) -> int:
        """Says how important messages are, 0 to 1; important ones outlive summaries. Returns how many there are.

        Raises:
            InvalidInput: these are not 1 to 100 messages, the importance is none, or memory is off.
            NotFound: none of them is there.
        """
        memories, _ = await self._open()
        return await memories.mark_important(message_ids, importance)

    async def store_memory(self, content: str) -> Memory:
        """Remembers a note; the name that models call `add` by.

        Raises:
            InvalidInput: what `add` raises.
        """
        return await self.add(content)

    async def recall_memory(self, query: str, limit: int = 5) -> builtins.list[RecalledMemory]:
        """Finds what is remembered about something; the name that models call `search` by.

        Raises:
            InvalidInput: what `search` raises.
        """
        return await self.search(query, limit)

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
        """
        _, store = await self._open()
        return await _one(store, memory_id)

    async def history(self, memory_id: str) -> builtins.list[FactVersion]:
        """What a memory said before, the oldest first, and why it changed; that it was forgotten and holds again too.

        Raises:
            InvalidInput: several memories begin so, or memory is off.
            NotFound: there is none.
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
        """
        check_text(reason, "a reason")
        memories, store = await self._open()
        memory = await _one(store, memory_id)
        await memories.forget(memory.uuid, reason)
        return await _one(store, memory.uuid)

    async def erase(self, memory_id: str) -> Erasure:
        """Forgets a memory for good: its versions, its vector, and its words wherever something quotes them.

        Returns:
            A certificate: what was deleted, and the queries that prove that nothing is left.

        Raises:
            InvalidInput: several memories begin so, or memory is off.
            NotFound: there is none.
            GraphUnavailable: the graph cannot be asked; what was begun is finished when an agent is opened.
        """
        from ragforge_memory.agent.erasure import erase_memory

        _, store = await self._open()
        return await erase_memory(await self._services(), (await _one(store, memory_id)).uuid)

    async def metrics(self) -> MemoryMetrics:
        """What the tools of memory have done for this owner, in every process: calls, latencies, errors, duplicates.

        Raises:
            InvalidInput: memory is off.
        """
        from ragforge_memory.graph.operations import OperationStore
        from ragforge_memory.memory.metrics import read_metrics

        services = await self._services()
        return await read_metrics(OperationStore(services.stores.graph, services.place.owner))

    async def restore(self, memory_id: str) -> Memory:
        """Makes a memory hold again that was forgotten, taken back or done.

        Raises:
            InvalidInput: it holds already, something else holds in its place, several memories begin so, or memory
                is off.
            NotFound: there is none.
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
        services = await self._services()
        memories, store = services.memories, services.stores.memories
        assert memories is not None
        assert store is not None
        return memories, store


async def _one(store: AddedMemoryStore, memory_id: str) -> Memory:
    from ragforge_memory.memory.added import find_memory

    if not isinstance(memory_id, str):
        raise InvalidInput(f"a memory is named by its uuid, not by {type(memory_id).__name__}")
    check_text(memory_id, "a memory's uuid")
    return await find_memory(store, memory_id.strip())
