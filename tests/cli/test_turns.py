"""Ctrl-C while a turn's conversation is still being opened."""

from __future__ import annotations

import os
import signal
from types import SimpleNamespace
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, Neo4jConfig
from ragforge_memory.agent.conversation import AsyncConversation
from ragforge_memory.cli.interrupts import Interrupts
from ragforge_memory.cli.terminal import Spinner, Terminal
from ragforge_memory.cli.turns import run_turn
from ragforge_memory.errors import TurnCancelled
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner


@pytest.mark.anyio
async def test_the_question_is_kept_when_the_interrupt_comes_before_its_conversation_is_open(
    neo4j_config: Neo4jConfig, owner: Owner
) -> None:
    model = ScriptedProvider([{"hang": True}])
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
