"""One round of the fault loop: a client is started, faults strike, it is killed; then the graph is looked at."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import random
import shutil
import signal
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any
from uuid import uuid4

import neo4j

from benchmarks.faults_client import EVERY, run
from ragforge_memory import AsyncConversation, AsyncConversationAgent, ConversationConfig, Message, Neo4jConfig
from ragforge_memory.errors import GraphUnavailable, RagforgeError
from ragforge_memory.graph.leases import WORK_SECONDS
from ragforge_memory.graph.managed import ensure_running, status
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.outages import Proxy
from tests.summaries import desk

POINTS = (
    *("after write 1", "mid-stream", "in tool", "before write 2", "during write 2", "after write 2"),
    *("in background work", "before a summary", "during a summary"),
)
AWAY = ("kept on disk", "in tool", "mid-stream")
BACK = ("in replay", "after write 2", "during write 2")
FAULTS = {"client": 9, "refused": 8, "hanging": 1, "slow": 1, "server": 1}
"""How often each kind of round comes, in proportion."""

CONVERSATIONS = 2
_PAGE = 1_000  # a client that comes to no point makes more messages than that in its minute
_PATIENCE = 60.0  # seconds until a client that does not come to the point is killed all the same
KINDS = ("lost", "duplicate", "forked", "half summary", "other")


@dataclass(slots=True)
class Found:
    """What a round found: how much was promised, how much stood there afterwards, and what is wrong by kind."""

    seed: int
    plan: str
    acknowledged: int = 0
    messages: int = 0
    left_a_journal: bool = False
    wrong: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    def fault(self, kind: str, told: str) -> None:
        """Something is wrong."""
        self.wrong[kind] += 1
        self.told.append(f"{kind}: {told}")


@dataclass(frozen=True, slots=True)
class _Unsettled:
    """Conversations whose summaries are looked at when the claim of the killed process has run out."""

    found: Found
    user: str
    uuids: Sequence[str]
    since: float


class EndedByItself(Exception):
    """The client is gone without having been killed."""


class Client:
    """The process that is killed, and what it has said."""

    def __init__(self, context: Any, settings: dict[str, Any]) -> None:
        near, far = context.Pipe(duplex=False)
        self._process = context.Process(target=run, args=(settings, far), daemon=True)
        self._process.start()
        far.close()
        self._said: asyncio.Queue[tuple[str, str] | None] = asyncio.Queue()
        self.acknowledged: list[str] = []
        loop = asyncio.get_running_loop()
        self._reader = threading.Thread(target=self._read, args=(near, loop), daemon=True)
        self._reader.start()

    async def reaches(self, points: Sequence[str], visit: int) -> str:
        """Waits until it has been at one of these points so often; the point that it was.

        Raises:
            EndedByItself: the graph was away before it had its conversations.
        """
        while True:
            said = await self._said.get()
            if said is None:
                self._said.put_nowait(None)
                raise EndedByItself
            if self._took(said) in points:
                visit -= 1
                if visit == 0:
                    return said[1]

    async def kill(self) -> None:
        """Kills it (-9) and takes in what it had said."""
        self._process.kill()
        await asyncio.to_thread(self._process.join)
        await asyncio.to_thread(self._reader.join)
        self._process.close()
        while (said := await self._said.get()) is not None:
            self._took(said)

    def _took(self, said: tuple[str, str]) -> str:
        what, detail = said
        if what == "acknowledged":
            self.acknowledged.append(detail)
            return ""
        return detail

    def _read(self, pipe: Connection, loop: asyncio.AbstractEventLoop) -> None:
        said = None
        while True:
            try:
                said = pipe.recv()
            except (EOFError, OSError):
                said = None
            loop.call_soon_threadsafe(self._said.put_nowait, said)
            if said is None:
                pipe.close()
                return


class Rounds:
    """The loop's own server, the proxy before it, and what its rounds share.

    Args:
        home: the managed server's.
        context: makes client processes.
    """

    def __init__(self, home: Path, context: multiprocessing.context.ForkServerContext) -> None:
        self._home = home
        self._context = context
        self._proxy = Proxy("127.0.0.1", 0)
        self._config = Neo4jConfig("")
        self._driver: neo4j.Driver | None = None
        self._unsettled: list[_Unsettled] = []

    async def begin(self) -> None:
        """Starts server and proxy."""
        server = await asyncio.to_thread(ensure_running, self._home)
        self._proxy = Proxy("127.0.0.1", server.port)
        await self._proxy.serve()
        self._config = Neo4jConfig(
            f"bolt://127.0.0.1:{self._proxy.port}", username=server.username, password=server.password
        )
        self._driver = neo4j.GraphDatabase.driver(
            server.uri, auth=(server.username, server.password), notifications_min_severity="OFF"
        )

    async def end(self) -> None:
        """Stops the proxy."""
        await self._proxy.end()
        if self._driver is not None:
            self._driver.close()

    async def run(self, seed: int, directory: Path) -> Found:
        """One round; everything random in it comes from ``seed``.

        What the client left on its disk stays in ``directory`` as it was, under "killed".
        """
        rng = random.Random(seed)
        kind = rng.choices(list(FAULTS), weights=list(FAULTS.values()))[0]
        os.environ["RAGFORGE_HOME"] = str(directory)
        user = f"user-{uuid4().hex}"
        async with self._agent(user) as first:
            uuids = [(await first.create_conversation()).uuid for _ in range(CONVERSATIONS)]
        settings = {
            "uri": self._config.uri,
            "username": self._config.username,
            "password": self._config.password,
            "user_id": user,
            "project": "faults",
            "home": str(directory),
            "conversations": uuids,
            "seed": seed,
        }
        client = Client(self._context, settings)
        plan = [kind]
        try:
            async with asyncio.timeout(_PATIENCE):
                plan.append(await client.reaches(_some(rng, POINTS), rng.randint(1, 8)))
                if kind != "client":
                    plan += await self._outage(kind, rng, client)
            # Part of the experiment: it strikes at another moment each time, not only at the mark.
            await asyncio.sleep(rng.random() * 0.01)
        except TimeoutError:
            plan.append("killed where it was")  # a busy machine, or a point that this client never comes to
        except EndedByItself:
            plan.append("ended by itself")
        finally:
            await client.kill()
            await self._proxy.recover()
            if kind == "server":
                await asyncio.to_thread(ensure_running, self._home)
        found = Found(seed, " > ".join(plan), acknowledged=len(client.acknowledged))
        if any((directory / "journal").glob("*.jsonl")):
            found.left_a_journal = True
            shutil.copytree(directory / "journal", directory / "killed")
        await self._look(found, user, uuids, client.acknowledged)
        self._unsettled.append(_Unsettled(found, user, uuids, time.monotonic()))
        return found

    async def settle(self, *, everything: bool = False) -> list[Found]:
        """Looks at the summaries of rounds that have gone by: what their clients did not come to, another makes.

        A killed process holds its claim for `WORK_SECONDS`; rounds that are younger are left for the next time.

        Args:
            everything: waits for the youngest.

        Returns:
            the rounds in which something was wrong now.
        """
        wrong = []
        while self._unsettled:
            each = self._unsettled[0]
            remaining = each.since + WORK_SECONDS + 1 - time.monotonic()
            if remaining > 0 and not everything:
                break
            await asyncio.sleep(max(0.0, remaining))
            before = each.found.wrong.total()
            async with self._agent(each.user, summarizes=True) as third:
                for uuid in each.uuids:
                    await (await third.load_conversation(uuid)).summarize()
                    self._summaries(each.found, uuid, None, whole=True)
            if each.found.wrong.total() > before:
                wrong.append(each.found)
            self._unsettled.pop(0)
        return wrong

    async def _outage(self, kind: str, rng: random.Random, client: Client) -> list[str]:
        """The graph goes away under the client; in half of the rounds it comes back before the client is killed."""
        if kind == "server":
            server = status(self._home).pid
            assert server is not None
            os.kill(server, signal.SIGKILL)
        else:
            await {"refused": self._proxy.end, "hanging": self._proxy.hang, "slow": self._proxy.slow}[kind]()
        plan = [await client.reaches(("kept on disk",), rng.randint(1, 3))]
        if rng.random() < 0.5:
            return [*plan, await client.reaches(_some(rng, AWAY), rng.randint(1, 3))]
        if kind == "server":
            await asyncio.to_thread(ensure_running, self._home)
        await self._proxy.recover()
        # Of any of these: how many records are replayed is the client's affair, turns go on for ever.
        return [*plan, "back", await client.reaches(BACK, rng.randint(1, 6))]

    def _agent(self, user: str, *steps: str, summarizes: bool = False) -> AsyncConversationAgent:
        return AsyncConversationAgent(
            self._config,
            llm_provider=ScriptedProvider(steps, purposes={"summary": [desk.stretch]}, loop=summarizes),
            tools=(),
            config=ConversationConfig(embed_messages=False, enable_summarization=summarizes, summarize_every=EVERY),
            user_id=user,
            project="faults",
        )

    async def _look(self, found: Found, user: str, uuids: Sequence[str], acknowledged: Sequence[str]) -> None:
        """What the next process finds, and whether it can go on."""
        there: Counter[str] = Counter()
        for attempt in range(10):
            try:
                async with self._agent(user, *["Alive."] * len(uuids)) as second:
                    if await asyncio.to_thread((await second.open()).background.journal.others):
                        # On a server that was just restarted it may take too long; the journal is kept for the next.
                        raise GraphUnavailable("what waits in a journal is not stored yet")
                    for uuid in uuids:
                        conversation = await second.load_conversation(uuid)
                        messages = await _all_of(conversation)
                        found.messages += len(messages)
                        there.update(message.uuid for message in messages)
                        self._conversation(found, messages)
                        self._summaries(found, uuid, len(messages), whole=False)
                        answer = await conversation.send_message("Are you there?")
                        if answer.content != "Alive.":
                            found.fault("other", f"the next turn said {answer.content!r}")
                break
            except RagforgeError as error:
                # A server that has just been started takes a while; only the whole look counts.
                if attempt == 9:
                    found.fault("other", f"the next process: {error}")
                found.wrong.clear()
                found.told.clear()
                there.clear()
                found.messages = 0
        for uuid in acknowledged:
            if there[uuid] == 0:
                found.fault("lost", uuid)

    @staticmethod
    def _conversation(found: Found, messages: Sequence[Message]) -> None:
        uuids = Counter(message.uuid for message in messages)
        if [message.seq for message in messages] != list(range(1, len(messages) + 1)):
            found.fault("forked", f"seq {[message.seq for message in messages]}")
        answers = Counter(message.in_reply_to for message in messages if message.role == "assistant")
        asked = [message.content for message in messages if message.role == "user"]
        if asked != [f"question {number}" for number in range(1, len(asked) + 1)]:
            found.fault("forked" if len(asked) == len(set(asked)) else "duplicate", f"the questions are {asked}")
        for message in messages:
            if uuids[message.uuid] > 1:
                found.fault("duplicate", message.uuid)
            if message.role == "user" and answers[message.uuid] > 1:
                found.fault("duplicate", f"{answers[message.uuid]} answers to {message.seq}")
            if message.role == "user" and bool(answers[message.uuid]) == (message.state == "unanswered"):
                found.fault("other", f"the question {message.seq} is {message.state}")
            if message.role == "assistant" and message.in_reply_to not in uuids:
                found.fault("forked", f"{message.seq} answers a question that is not there")
            whole = len(message.tool_calls) == 2 and message.content.rstrip().endswith("word 5")
            if message.role == "assistant" and message.state == "complete" and not whole:
                found.fault("other", f"{message.seq} is called complete and is not")

    def _summaries(self, found: Found, uuid: str, head: int | None, *, whole: bool) -> None:
        """``whole``: all that is due has been made. Else the client may have died before it came to the rest: between a
        summary of messages and the one of summaries, which the next worker makes."""
        assert self._driver is not None
        [state] = [r.data() for r in self._driver.execute_query(desk.STATE, uuid=uuid, database_="neo4j").records]
        rows = [r.data() for r in self._driver.execute_query(desk.ALL, uuid=uuid, database_="neo4j").records]
        if head not in (None, state["head"]):
            found.fault("forked", f"the head is {state['head']} of {head} messages")
        for wrong in desk.faults(rows, EVERY, state["head"] if whole else state["watermark"]):
            if whole or not (wrong.startswith("level") and not wrong.startswith("level 1")):
                found.fault("half summary", wrong)


async def _all_of(conversation: AsyncConversation) -> list[Message]:
    messages = page = await conversation.get_history(_PAGE)
    while len(page) == _PAGE:
        page = await conversation.get_history(_PAGE, before_message_id=page[0].uuid)
        messages = page + messages
    return messages


def _some(rng: random.Random, points: Sequence[str]) -> tuple[str]:
    return (rng.choice(points),)
