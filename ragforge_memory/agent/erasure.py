"""Forgetting for good: a memory with all that quotes it, or a user in every project; each with a certificate."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from ragforge_memory.agent.outages.recovery import fold_orphans
from ragforge_memory.errors import GraphBusy, InvalidInput, NotFound, RagforgeError, foreign, memory_is_off
from ragforge_memory.graph.conversations import ConversationStore
from ragforge_memory.graph.erasures import Begun, ErasureStore, of_memory, of_user, pending
from ragforge_memory.graph.keys import KeyStore
from ragforge_memory.graph.records import content_text
from ragforge_memory.graph.text import terms
from ragforge_memory.graph.text_files import file_elsewhere, old_ones_stay
from ragforge_memory.memory.quotes import ERASED, Quotes
from ragforge_memory.models.owner import Owner

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.models.erasure import Erasure

log = logging.getLogger(__name__)

# What was begun just before an erasure may come while it runs.
_ROUNDS = 3


async def erase_user(services: Services) -> Erasure:
    """Deletes all that a user has in every project of this graph; see `AsyncConversationAgent.erase_user`.

    Everything is hidden first, then deleted in batches; what a crash cuts off, `finish_erasures` takes up. What the
    user begins after this was called stays.

    Raises:
        InvalidInput: memory is off, or this is nobody's agent.
        ConversationFileError: texts are in files that this agent does not have. All else is gone; the rest goes when
            an agent that has them is opened.
        GraphBusy: something of before came again and again.
    """
    if not services.place.remembers:
        raise memory_is_off("there is nobody to erase")
    if not services.place.owner.user_id:
        raise InvalidInput(
            "this agent is nobody's: what belongs to nobody is everybody's, and is not erased with a user",
            hint="give the agent a user_id (--user NAME)",
        )
    await fold_orphans(services)
    store = ErasureStore(services.stores.graph, services.place.owner)
    return await _held(store, await store.begin(), services)


async def erase_memory(services: Services, memory_id: str) -> Erasure:
    """Forgets a memory for good: its versions, its operations, its vectors, the edges of receipts to it, and its words.

    A memory is found again by what it was made of, so that goes too:

    - A message that states it, and the answer to that, lose all of their text, tool calls included: "[erased]" stands
      there. The message stays, for places in a conversation have no gaps; it is a note or a decision no more.
    - Anything else of the owner's that quotes it (four of its words in a row, or all of a shorter one) loses the quote:
      messages, results, titles. One or two words, which say the same of other things too, are taken for a quote only
      in answers that were given the memory.
    - Summaries, and insights, of what such a message stands in, and of all behind it, are made again. Episodes that
      were made by themselves of it are gone.
    - Of an episode, which tells of messages in words of its own or of theirs, no message goes with it.
    - Other memories stay, also those whose place it took (their own words are forgotten by themselves). Instructions
      and descriptions of tools that prompts share never quote a memory.

    An old answer's receipt still counts it, as "1 item erased". What was set aside of a journal that could not be
    stored, which nobody reads but people, goes with its conversation alone.

    Raises:
        NotFound: the user has no such memory.
        InvalidInput: memory is off.
        ConversationFileError: texts are in files that this agent does not have. The memory is hidden; the rest is done
            when an agent that has them is opened.
    """
    if not services.place.remembers:
        raise memory_is_off("there is nothing to forget")
    await fold_orphans(services)
    store = ErasureStore(services.stores.graph, services.place.owner)
    if await store.memory(memory_id) is None:
        raise NotFound(f"there is no memory {memory_id!r}", hint="`ragforge memory list` shows them all")
    return await _held(store, await store.begin(memory_id), services)


async def _held(store: ErasureStore, begun: Begun, services: Services) -> Erasure:
    try:
        return await _erase(services, begun)
    except BaseException:
        with suppress(RagforgeError):
            await store.release(begun)
        raise


async def _erase(services: Services, begun: Begun) -> Erasure:
    return await (_erase_user if begun.memory_id is None else _erase_memory)(services, begun)


async def finish_erasures(services: Services) -> int:
    """Ends what was cut off of erasures, whoever's; returns how many. What fails is left for the next opening."""
    finished = 0
    for begun in await pending(services.stores.graph):
        if begun.is_held:
            continue
        try:
            await _erase(services, begun)
            finished += 1
        except RagforgeError as error:
            log.warning("an erasure is finished later: %s", error, exc_info=foreign(error))
    return finished


async def finish_deletes(services: Services, conversations: ConversationStore) -> int:
    """At opening: ends the deletes of this owner, and the erasures of anybody, that were cut off; returns how many."""
    return await finish_erasures(services) + await conversations.sweep()


async def _erase_user(services: Services, begun: Begun) -> Erasure:
    graph = services.stores.graph
    store = ErasureStore(graph, Owner(begun.who, ""))
    if begun.counts is None:
        hanging = await store.left([each for each in of_user(begun) if each.name == "left_hanging"])
        plan = {"hanging": hanging, "projects": await store.projects()}
        begun = await store.note(begun, await store.counted(), plan)
    conversations = {uuid for uuid, _ in await store.conversations()}
    for _ in range(_ROUNDS):
        owners = [Owner(begun.who, project) for project in await store.projects()]
        for owner in owners:
            await ErasureStore(graph, owner).hide(begun.before)
        for owner in owners:
            await ErasureStore(graph, owner).erase_owned(begun.before)
            await ConversationStore(graph, owner).sweep()
            await ErasureStore(graph, owner).erase_owned(begun.before)
        await store.erase_user(begun.before)
        if not await store.left(of_user(begun)):
            await _forget_on_disk(services, begun.who, conversations)
            for project in begun.plan["projects"]:
                await KeyStore(graph, project).record(
                    "erase_user", user_id=begun.who, detail=f"certificate {begun.uuid}", uuid=_record_of(begun, project)
                )
            return await store.certify(begun, of_user(begun))
        if paths := [path for _, path in await store.conversations() if path is not None]:
            raise old_ones_stay(paths)
    raise GraphBusy(
        "what is erased is being written at the same time", hint="end the other processes of this user and ask again"
    )


def _record_of(begun: Begun, project: str) -> str:
    """The uuid of what a project's audit says of an erasure: it is written once, however often that is taken up."""
    return sha256(f"{begun.uuid}\0{project}".encode()).hexdigest()[:32]


async def _forget_on_disk(services: Services, user_id: str, conversations: Iterable[str]) -> None:
    """Drops what this process has of a user's conversations, in memory and in journals."""
    background = services.background
    for uuid in conversations:
        background.remembered.forget(uuid)
    try:
        for uuid in await asyncio.to_thread(background.journal.conversations_of, user_id, services.stores.graph_name):
            await asyncio.to_thread(background.journal.forget, uuid)
        await asyncio.to_thread(background.journal.compact)
    except OSError as error:
        log.warning("the journal still has lines of a user who was erased: %s", error)


@dataclass(slots=True)
class _Words:
    """What is looked for, in which conversations it was found, and what went with it."""

    quotes: Quotes
    sources: tuple[str, ...]
    messages: set[str] = field(default_factory=set)
    calls: int = 0
    summaries: set[str] = field(default_factory=set)
    episodes: set[str] = field(default_factory=set)
    insights: set[str] = field(default_factory=set)


async def _erase_memory(services: Services, begun: Begun) -> Erasure:
    graph = services.stores.graph
    store = ErasureStore(graph, Owner(begun.who, begun.project))
    memory_id = begun.memory_id or ""
    memory = await store.memory(memory_id)
    if memory is not None:
        await store.hide_memory(memory_id)
        words = _Words(Quotes(memory.texts), memory.sources)
        # A preference holds in every project, and may be quoted there.
        projects = await store.projects() if not memory.project else [begun.project]
        stay: list[str] = []
        for project in projects:
            owned = ErasureStore(graph, Owner(begun.who, project))
            for uuid in await owned.owned_conversations():
                path = await file_elsewhere(graph, uuid, {"user_id": begun.who, "project": project})
                if path is None:
                    await _erase_in(services, owned, uuid, memory_id, words)
                else:
                    stay.append(path)
        if stay:
            raise old_ones_stay(stay)
        episodes = words.episodes - {memory_id}
        counts = {
            "Memory": 1 + len(episodes),
            "FactVersion": len(memory.versions),
            "MemoryOperation": memory.operations,
            "Message": len(words.messages),
            "ToolCall": words.calls,
            "Summary": len(words.summaries),
            "Insight": len(words.insights),
        }
        gone = [memory_id, *memory.versions, *sorted(words.summaries | words.insights | episodes)]
        plan = {"gone": gone, "messages": list(memory.sources)}
        begun = await store.note(begun, {label: count for label, count in counts.items() if count}, plan)
        await store.erase_memory(memory_id)
    await ConversationStore(graph, Owner(begun.who, begun.project)).forget_unused()
    try:
        await asyncio.to_thread(services.background.journal.compact)
    except OSError as error:
        log.warning("the journal still has lines of turns that have ended: %s", error)
    services.background.work.wake(due=True)
    return await store.certify(begun, of_memory(begun, ERASED))


async def _erase_in(
    services: Services, store: ErasureStore, conversation_id: str, memory_id: str, words: _Words
) -> None:
    """Takes the words out of one conversation, and has made again what was derived of it."""
    quotes = words.quotes
    found = await store.texts(conversation_id, memory_id, words=quotes.words, sources=words.sources)
    if found is None:
        return
    changed = [(each, row) for each in found["messages"] if (row := _without(each, quotes)) is not None]
    states = any(row["whole"] for _, row in changed)
    title = found["title"]
    if title:
        # A title comes from the first messages.
        title = None if states and quotes.near_title(title) else quotes.erased(title)
    if changed or title != found["title"]:
        await store.erase_texts(conversation_id, title, [row for _, row in changed])
        services.background.remembered.forget(conversation_id)
    first = [each["seq"] for each, _ in changed]
    first += [seq for seq, text in found["summaries"] if quotes.found_in(text)]
    if any(map(quotes.found_in, (found["summary"], *found["insights"]))):
        first.append(1)
    if first:
        summaries, insights = await store.erase_summaries(conversation_id, min(first))
        words.summaries.update(summaries)
        words.insights.update(insights)
    if changed:
        words.episodes.update(await store.erase_topics(conversation_id, (row["uuid"] for _, row in changed)))
    words.messages.update(row["uuid"] for _, row in changed)
    words.calls += sum(len(row["calls"]) for _, row in changed)


def _without(message: Mapping[str, Any], quotes: Quotes) -> dict[str, Any] | None:
    """A message without the words; None where it has none. What a vendor had sent goes whole: it is the same text."""
    whole, near = bool(message["states"]), bool(message["given"])
    content, reasoning, metadata = content_text(message["content"]), message["reasoning"], message["metadata"]
    if whole:
        properties = {"content": ERASED, "reasoning": None, "metadata": metadata}
    else:
        properties = {
            "content": quotes.erased(content, near=near),
            "reasoning": quotes.erased(reasoning, near=near) if reasoning else reasoning,
            "metadata": quotes.erased_json(metadata, near=near) if metadata else metadata,
        }
    calls = [call for each in message["tool_calls"] if (call := _call_without(each, quotes, whole=whole, near=near))]
    same = properties == {"content": content, "reasoning": reasoning, "metadata": metadata}
    if same and not calls and not quotes.found_in(message["provider_parts"], near=near):
        return None
    properties |= {"provider_parts": None, "terms": terms(properties["content"])}
    return {"uuid": message["uuid"], "whole": whole, "properties": properties, "calls": calls}


def _call_without(call: Mapping[str, Any], quotes: Quotes, *, whole: bool, near: bool) -> dict[str, Any] | None:
    texts = {name: call[name] for name in ("arguments", "result", "error") if isinstance(call[name], str)}
    if whole:
        clean = {name: "{}" if name == "arguments" else ERASED for name in texts}
    else:
        clean = {name: quotes.erased_json(text, near=near) for name, text in texts.items()}
    if clean == texts:
        return None
    arguments = {"arguments": clean.pop("arguments")} if "arguments" in clean else {}
    return {"uuid": call["uuid"], "call": arguments, "result": clean}
