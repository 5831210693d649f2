"""The managed server stopped (SIGSTOP) and killed in the middle of ten turns: all answer, and all is kept."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from uuid import uuid4

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationConfig
from ragforge_memory.graph.managed import ensure_running, status
from ragforge_memory.graph.managed.processes import identify
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.outages import TenTurns
from tests.managed.signals import kill, stop_whole

pytestmark = [pytest.mark.anyio, pytest.mark.long]


async def test_ten_turns(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAGFORGE_HOME", str(home))
    await asyncio.to_thread(ensure_running, home)
    server = status(home).pid
    assert server is not None

    async def stop() -> None:
        stop_whole(server)

    async def go_on() -> None:
        os.kill(server, signal.SIGCONT)

    async def end() -> None:
        kill(identify(server))

    async def nothing() -> None:
        """Its supervisor, or the agent, starts it again."""

    # Killed last: it is another process after that.
    for story in (TenTurns(stop, go_on), TenTurns(end, nothing)):
        agent = AsyncConversationAgent(
            llm_provider=ScriptedProvider(story.script()),
            tools=story.tools,
            config=ConversationConfig(embed_messages=False),
            user_id=f"user-{uuid4().hex}",
        )
        async with agent:
            conversation = await agent.create_conversation()
            try:
                await story.run(conversation)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    await go_on()
            assert story.degraded()[:4] == [4, 5, 6, 7]
            async with asyncio.timeout(120):
                await (await agent.open()).background.outage.over()
            assert story.faults(await conversation.get_history()) == []
