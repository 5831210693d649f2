"""Ctrl-C while a turn's conversation is still being opened, and while a slash command works."""

from __future__ import annotations

import asyncio
import os
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from ragforge_memory.api.conversation import AsyncConversation
from ragforge_memory.cli.interrupts import Interrupts
from ragforge_memory.cli.talk import Talk
from ragforge_memory.cli.terminal import Spinner, Terminal
from ragforge_memory.cli.turns import run_turn
from ragforge_memory.errors import TurnCancelled
from ragforge_memory.llm.scripted import Hang, ScriptedProvider
from ragforge_memory.models.owner import Owner


@pytest.mark.anyio
async def test_the_question_is_kept_when_the_interrupt_comes_before_its_conversation_is_open(
    neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    model = ScriptedProvider([Hang()])
    agent = AsyncConversationAgent(
        neo4j_config, llm_provider=model, user_id=owner.user_id, project=owner.project, tools=()
    )
    interrupts = Interrupts()
    session: Any = SimpleNamespace(interrupts=interrupts, spinner=Spinner(Terminal.of_this_process()))
    opened: list[AsyncConversation] = []

    async def slowly() -> AsyncConversation:
        os.kill(os.getpid(), signal.SIGINT)
        opened.append(await agent.create_conversation())
        assert interrupts.count == 1
        return opened[0]

    async with agent:
        with interrupts.taken(), pytest.raises(TurnCancelled):
            await run_turn(session, slowly, "where is it?", lambda _: None)
        history = await opened[0].get_history()
    assert [(message.role, message.content, message.state) for message in history] == [
        ("user", "where is it?", "unanswered")
    ]


@pytest.mark.anyio
async def test_an_interrupt_ends_a_slash_command_and_not_the_chat(capsys: pytest.CaptureFixture[str]) -> None:
    interrupts = Interrupts()
    terminal = Terminal.of_this_process()
    session: Any = SimpleNamespace(interrupts=interrupts, spinner=Spinner(terminal), terminal=terminal)

    async def endless() -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        return await asyncio.Event().wait()

    async def no_command() -> bool:
        os.kill(os.getpid(), signal.SIGINT)
        await asyncio.sleep(0)
        return False

    with interrupts.taken():
        talk = Talk(session, None)
        assert await talk._stoppable(endless())
        assert await talk._stoppable(no_command())  # or the text would be sent
    assert capsys.readouterr().out == "interrupted\n" * 2
