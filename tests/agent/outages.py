"""Outages under a test's control: a proxy before a real server, and the story of ten turns that one strikes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

from ragforge_memory import AssistantResponse, AsyncConversation, Message, Neo4jConfig, tool
from ragforge_memory.llm.port import ToolRequest

LONGEST_TURN = 20
"""Seconds: the first write that finds out, a read, a tool and the slack of a busy machine; not a measure of speed."""


class Proxy:
    """Stands between client and server: passes bytes on, holds them back, delays them, or is gone."""

    def __init__(self, host: str, port: int) -> None:
        self._target = (host, port)
        self._flowing = asyncio.Event()
        self._flowing.set()
        self._delay = 0.0
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None
        self.port = 0

    async def hang(self) -> None:
        """As a server that was stopped: it takes connections and says nothing."""
        self._flowing.clear()

    async def slow(self, seconds: float = 3.0) -> None:
        """Every piece comes late."""
        self._delay = seconds

    async def end(self) -> None:
        """Goes, as a server that is killed: nobody listens any more, and who is connected is cut off."""
        assert self._server is not None
        self._server.close()
        await self.stop()

    async def recover(self) -> None:
        """All is well again, at the same address."""
        self._delay = 0.0
        self._flowing.set()
        if self._server is None or not self._server.is_serving():
            await self.serve()

    async def serve(self) -> None:
        """Listens; the first time at an address of its own choice."""
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Cuts everybody off."""
        self._flowing.set()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        far_writer = None
        try:
            far_reader, far_writer = await asyncio.open_connection(*self._target)
            async with asyncio.TaskGroup() as group:
                group.create_task(self._pump(reader, far_writer))
                group.create_task(self._pump(far_reader, writer))
        except* (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            if far_writer is not None:
                far_writer.close()
            self._tasks.discard(task)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            await self._flowing.wait()
            if self._delay:
                await asyncio.sleep(self._delay)  # the fault itself: a slow line
            writer.write(data)
            await writer.drain()
        writer.write_eof()


def leave_refused_connections_unread() -> None:
    """Passes over the one report of asyncio's that is the driver's: it leaves a refusal unread that came as it was
    cancelled (before Python 3.12, where it brings its own ``wait_for``). For the rest of this event loop's life.
    """
    loop = asyncio.get_running_loop()
    told = loop.get_exception_handler()

    def handle(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        unread = "never retrieved" in context["message"] and "sock_connect" in repr(context.get("future"))
        if unread and isinstance(context.get("exception"), ConnectionRefusedError):
            return
        if told is None:
            loop.default_exception_handler(context)
        else:
            told(loop, context)

    loop.set_exception_handler(handle)


@asynccontextmanager
async def proxied(config: Neo4jConfig) -> AsyncIterator[tuple[Proxy, Neo4jConfig]]:
    """A proxy before the server, and the configuration that goes through it."""
    address = urlsplit(config.uri)
    proxy = Proxy(address.hostname or "", address.port or 7687)
    await proxy.serve()
    leave_refused_connections_unread()
    try:
        yield proxy, Neo4jConfig(f"bolt://127.0.0.1:{proxy.port}", username=config.username, password=config.password)
    finally:
        await proxy.end()


Strike = Callable[[], Awaitable[None]]


class TenTurns:
    """Ten turns, each with a tool call; something strikes inside the tool of the fourth, and heals in the eighth's."""

    def __init__(self, strike: Strike, heal: Strike) -> None:
        self._strikes = {4: strike, 8: heal}
        self.responses: list[AssistantResponse] = []

        @tool
        async def note(number: int) -> str:
            """Notes a number."""
            if number in self._strikes:
                await self._strikes[number]()
            return f"noted {number}"

        self.tools = [note]

    @staticmethod
    def script() -> list[Any]:
        """What the model says."""
        return [
            step
            for number in range(1, 11)
            for step in ([ToolRequest(f"call-{number}", "note", {"number": number})], f"Answer {number}.")
        ]

    async def run(self, conversation: AsyncConversation, numbers: Sequence[int] = range(1, 11)) -> None:
        """Asks; each turn must answer."""
        for number in numbers:
            async with asyncio.timeout(LONGEST_TURN):
                self.responses.append(await conversation.send_message(f"Question {number}"))

    def degraded(self) -> list[int]:
        """The turns that say that they did without the graph."""
        return [number for number, each in enumerate(self.responses, 1) if "graph" in each.degraded]

    def faults(self, history: Sequence[Message]) -> list[str]:
        """What is wrong with the history afterwards; empty: nothing."""
        wanted = [text for number in range(1, 11) for text in (f"Question {number}", f"Answer {number}.")]
        found = [] if [each.content for each in history] == wanted else [f"{[each.content for each in history]}"]
        if [each.seq for each in history] != list(range(history[0].seq, history[0].seq + len(history))):
            found.append(f"seq {[each.seq for each in history]}")
        if {each.state for each in history} != {"complete"}:
            found.append(f"state {[each.state for each in history]}")
        for question, answer in zip(history[::2], history[1::2], strict=False):
            if answer.in_reply_to != question.uuid:
                found.append(f"{answer.content!r} answers something else")
            if [call.result for call in answer.tool_calls] != [f"noted {answer.content[7:-1]}"]:
                found.append(f"{answer.content!r} has other tool calls: {answer.tool_calls}")
        acknowledged = [uuid for each in self.responses for uuid in (each.user_message_id, each.message_id)]
        if [each.uuid for each in history] != acknowledged:
            found.append("other uuids than were acknowledged")
        return found
