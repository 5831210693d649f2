"""Writers that talk at once, as threads, tasks or processes, and what the graph then has of what they said."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from unittest.mock import patch

import neo4j
import numpy as np

from benchmarks.company_seen import Seen, watched
from benchmarks.made_up import messages
from ragforge_memory import (
    AssistantResponse,
    AsyncConversation,
    AsyncConversationAgent,
    ConversationAgent,
    ConversationConfig,
    Neo4jConfig,
    RagforgeError,
)
from ragforge_memory.embeddings.hashing import HashingEmbedder
from ragforge_memory.graph.client import open_driver
from ragforge_memory.llm.scripted import ScriptedProvider

DIMENSION = 384
PATIENCE = 240.0
"""Seconds that a process of writers may take."""

FOUND = "UNWIND $uuids AS uuid MATCH (m:Message {uuid: uuid}) RETURN m.uuid AS uuid"
SAID = """
MATCH (c:Conversation {uuid: $uuid})
RETURN c.head_seq AS head, c.message_count AS count, COLLECT {
  MATCH (m:Message {conversation_id: $uuid})
  WHERE m.seq > $base
  WITH m ORDER BY m.seq
  RETURN m {.seq, .uuid, .role, .content, .in_reply_to}
} AS messages
"""
AGE = "UNWIND $uuids AS uuid MATCH (c:Conversation {uuid: uuid}) SET c.updated_at = datetime() - duration('P400D')"


@dataclass(frozen=True)
class Talk:
    """What writers say, and where.

    Args:
        conversations: one for all writers, or one for each.
        writers: how many.
        turns: of all writers together.
        base: how many messages the conversations have already.
        name: comes before what they say.
    """

    conversations: tuple[str, ...]
    writers: int
    turns: int
    base: int = 0
    name: str = ""

    def of(self, writer: int) -> list[str]:
        """What one of them says, in this order."""
        numbers = range(writer, self.turns, self.writers)
        return [f"{self.name}{writer} notes {number}: {words()[number % len(words())]}" for number in numbers]

    def place(self, writer: int) -> int:
        """Which of the conversations a writer talks in."""
        return writer % len(self.conversations)


@dataclass(frozen=True)
class Turn:
    """A turn that was acknowledged to its writer."""

    writer: str
    conversation: str
    question: str
    answer: str
    question_id: str
    answer_id: str
    degraded: bool
    seconds: float


@dataclass
class Told:
    """What writers were told: their turns, and the calls that failed."""

    turns: list[Turn] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def take(self, writer: str, question: str, answer: AssistantResponse, seconds: float) -> None:
        """Notes a turn."""
        ids, degraded = (answer.user_message_id, answer.message_id), "graph" in answer.degraded
        self.turns.append(Turn(writer, answer.conversation_id, question, answer.content, *ids, degraded, seconds))


@dataclass
class Run:
    """A scenario that was run once: what writers were told, what was seen, and what the graph then had."""

    told: Told
    seen: Seen
    missing: int = 0
    lost: int = 0
    wrong: list[str] = field(default_factory=list)
    more: dict[str, int] = field(default_factory=dict)


@cache
def words() -> list[str]:
    """What writers talk about, made up, the same in every run."""
    return messages(np.random.default_rng(7), 512)


def answer_to(question: str) -> str:
    """What the model says."""
    return f"about: {question}"


def settings(*, company: bool, blocking: bool = False) -> dict[str, Any]:
    """How an agent is made; in company it makes summaries, titles and vectors beside the turns."""
    provider = ScriptedProvider(
        [lambda request: answer_to(request.messages[-1].content)],
        purposes={"summary": ["They talked, and took notes."], "title": ["Notes of many"]} if company else None,
        loop=True,
    )
    return {
        "llm_provider": provider,
        "embedder": HashingEmbedder(DIMENSION) if company else None,
        "tools": (),
        "config": ConversationConfig(embed_messages=company, enable_summarization=company, summarize_every=4),
    }


async def as_tasks(config: Neo4jConfig, project: str, driver: neo4j.AsyncDriver, talk: Talk) -> Run:
    """Writers that are tasks of one loop."""
    with watched() as seen:
        async with AsyncConversationAgent(config, project=project, **settings(company=False)) as agent:
            handles = [await agent.load_conversation(uuid) for uuid in talk.conversations]
            told = await spoken(handles, talk)
            missing = await count_missing(driver, config.database, told.turns)
    return Run(told, seen, missing)


async def spoken(handles: Sequence[AsyncConversation], talk: Talk) -> Told:
    """Has all writers talk at once, on this loop."""
    told = Told()

    async def write(writer: int) -> None:
        for question in talk.of(writer):
            began = time.perf_counter()
            try:
                answer = await handles[talk.place(writer)].send_message(question)
            except RagforgeError as error:
                told.failures.append(f"{type(error).__name__}: {error}")
            else:
                told.take(f"{talk.name}{writer}", question, answer, time.perf_counter() - began)

    # Each has its connection before the clock starts.
    await asyncio.gather(*[handles[talk.place(writer)].get_history(limit=1) for writer in range(talk.writers)])
    began = time.perf_counter()
    await asyncio.gather(*map(write, range(talk.writers)))
    told.seconds = time.perf_counter() - began
    return told


async def as_threads(config: Neo4jConfig, project: str, driver: neo4j.AsyncDriver, talk: Talk) -> Run:
    """Writers that are threads, with one agent and one handle of each conversation."""
    with watched() as seen:
        agent = ConversationAgent(config, project=project, **settings(company=False))
        try:
            told = await asyncio.to_thread(_spoken_in_threads, agent, talk)
            missing = await count_missing(driver, config.database, told.turns)
        finally:
            await asyncio.to_thread(agent.close)
    return Run(told, seen, missing)


def _spoken_in_threads(agent: ConversationAgent, talk: Talk) -> Told:
    told = Told()
    handles = [agent.load_conversation(uuid) for uuid in talk.conversations]
    together = threading.Barrier(talk.writers + 1)

    def write(writer: int) -> None:
        conversation = handles[talk.place(writer)]
        conversation.get_history(limit=1)
        together.wait()
        for question in talk.of(writer):
            began = time.perf_counter()
            try:
                answer = conversation.send_message(question)
            except RagforgeError as error:
                told.failures.append(f"{type(error).__name__}: {error}")
            else:
                told.take(f"{talk.name}{writer}", question, answer, time.perf_counter() - began)

    with ThreadPoolExecutor(talk.writers) as pool:
        threads = [pool.submit(write, writer) for writer in range(talk.writers)]
        together.wait()
        began = time.perf_counter()
        for thread in threads:
            thread.result()
        told.seconds = time.perf_counter() - began
    return told


async def as_processes(
    config: Neo4jConfig, project: str, driver: neo4j.AsyncDriver, talks: Sequence[Talk], *, company: bool
) -> Run:
    """Writers in a process for each of the talks; in company, with all that goes on beside turns."""
    context = multiprocessing.get_context("spawn")
    run = Run(Told(), Seen())
    with tempfile.TemporaryDirectory() as home, ExitStack() as processes:
        ends: list[Connection] = []
        for number, talk in enumerate(talks):
            near, far = context.Pipe()
            given = (config, project, talk, str(Path(home, str(number))), company, far)
            process = context.Process(target=_process, args=given, daemon=True)
            process.start()
            far.close()
            ends.append(near)
            processes.callback(process.join)
            processes.callback(near.close)  # first: a process that still waits ends by it
        done = asyncio.Event()
        async with asyncio.TaskGroup() as beside:
            for end in ends:
                await _heard(end)
            if company:
                beside.create_task(_beside(config, project, driver, talks[0].conversations[0], done, run))
            began = time.perf_counter()
            for end in ends:
                end.send("go")
            try:
                for end in ends:
                    await _heard(end)
                run.told.seconds = time.perf_counter() - began
            finally:
                done.set()
            for end in ends:
                theirs: Run = await _heard(end)
                run.told.turns += theirs.told.turns
                run.told.failures += theirs.told.failures
                run.missing += theirs.missing
                run.seen.add(theirs.seen)
        processes.close()
        if run.missing:
            for number in range(len(talks)):
                await take_up(config, project, str(Path(home, str(number))))
    return run


async def take_up(config: Neo4jConfig, project: str, home: str) -> None:
    """Stores what a process left in its journal, as the next process does."""
    with patch.dict(os.environ, RAGFORGE_HOME=home):
        async with AsyncConversationAgent(config, project=project, **settings(company=False)):
            pass


async def _heard(end: Connection) -> Any:
    """What a process says next."""
    if not await asyncio.to_thread(end.poll, PATIENCE):
        raise TimeoutError("a process of writers says nothing")
    return await asyncio.to_thread(end.recv)


def _process(config: Neo4jConfig, project: str, talk: Talk, home: str, company: bool, end: Connection) -> None:
    os.environ["RAGFORGE_HOME"] = home

    async def talked() -> Run:
        driver = open_driver(config)
        try:
            with watched() as seen:
                async with AsyncConversationAgent(config, project=project, **settings(company=company)) as agent:
                    handles = [await agent.load_conversation(uuid) for uuid in talk.conversations]
                    end.send("ready")
                    await asyncio.to_thread(end.recv)
                    told = await spoken(handles, talk)
                    end.send("done")
                    missing = await count_missing(driver, config.database, told.turns)
            return Run(told, seen, missing)
        finally:
            await driver.close()

    end.send(asyncio.run(talked()))


async def _beside(
    config: Neo4jConfig, project: str, driver: neo4j.AsyncDriver, uuid: str, done: asyncio.Event, run: Run
) -> None:
    """Deletes a branch and old conversations, again and again, until the writers are done."""
    counted: Counter[str] = Counter()

    async def branches(agent: AsyncConversationAgent) -> None:
        conversation = await agent.load_conversation(uuid)
        branch = await conversation.branch()
        while True:
            await branch.send_message("Another way to go")
            await branch.delete()
            counted["branches deleted"] += 1
            if done.is_set():
                return
            branch = await conversation.branch()

    async def old_ones(agent: AsyncConversationAgent, maker: AsyncConversationAgent) -> None:
        while not done.is_set():
            made = [await maker.create_conversation(title=f"Old {number}") for number in range(2)]
            for each in made:
                await each.send_message("Said long ago")
            await driver.execute_query(AGE, uuids=[each.uuid for each in made], database_=config.database)
            counted["conversations expired"] += len(await agent.delete_expired_conversations(older_than_days=300))

    async def repeated(work: Callable[[], Awaitable[None]]) -> None:
        while not done.is_set():
            try:
                await work()
            except RagforgeError as error:
                run.told.failures.append(f"beside: {type(error).__name__}: {error}")

    with watched() as seen:
        # What an agent holds it does not delete: another one makes what is old.
        async with (
            AsyncConversationAgent(config, project=project, **settings(company=True)) as agent,
            AsyncConversationAgent(config, project=project, **settings(company=True)) as maker,
        ):
            await asyncio.gather(repeated(lambda: branches(agent)), repeated(lambda: old_ones(agent, maker)))
    run.seen.add(seen)
    run.more.update(counted)


async def count_missing(driver: neo4j.AsyncDriver, database: str, turns: Sequence[Turn]) -> int:
    """How many turns are not in the graph now, or were not when they were acknowledged, as they said themselves."""
    uuids = [uuid for turn in turns for uuid in (turn.question_id, turn.answer_id)]
    found = (await driver.execute_query(FOUND, uuids=uuids, database_=database)).records
    there = {row["uuid"] for row in found}
    return sum(turn.degraded or not {turn.question_id, turn.answer_id} <= there for turn in turns)


async def judge(driver: neo4j.AsyncDriver, database: str, run: Run, talks: Sequence[Talk]) -> None:
    """Notes what is lost and what is out of order, once agents are closed and what waited in journals is stored."""
    there: dict[str, dict[str, Any]] = {}
    for uuid, base in dict.fromkeys((uuid, talk.base) for talk in talks for uuid in talk.conversations):
        [row] = (await driver.execute_query(SAID, uuid=uuid, base=base, database_=database)).records
        said = row["messages"]
        end = base + len(said)
        if [each["seq"] for each in said] != list(range(base + 1, end + 1)):
            run.wrong.append("seq has gaps")
        if not row["head"] == row["count"] == end:
            run.wrong.append(f"head_seq {row['head']} and message_count {row['count']} of {end} messages")
        there |= {each["uuid"]: each for each in said}
    last: dict[str, int] = {}
    for turn in run.told.turns:
        question, answer = there.pop(turn.question_id, None), there.pop(turn.answer_id, None)
        if question is None or answer is None:
            run.lost += 1
            continue
        if (question["content"], question["role"]) != (turn.question, "user"):
            run.wrong.append("another question")
        if not answer["content"] == turn.answer == answer_to(turn.question):
            run.wrong.append("another answer")
        if answer["in_reply_to"] != turn.question_id:
            run.wrong.append("in_reply_to is not the question")
        if not last.get(turn.writer, 0) < question["seq"] < answer["seq"]:
            run.wrong.append("a writer's turns are out of order")
        last[turn.writer] = answer["seq"]
    if there and not run.told.failures:
        run.wrong += ["a message of nobody's"] * len(there)
