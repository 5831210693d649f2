"""An agent whose memory is off: it talks, and nothing of it is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationNotFound, InvalidInput
from ragforge_memory.llm.extractive.provider import ExtractiveProvider
from ragforge_memory.llm.scripted import ScriptedProvider

pytestmark = pytest.mark.anyio


async def test_nothing_is_stored(
    make_agent: Callable[..., AsyncConversationAgent], cypher: Callable[..., list[dict[str, Any]]], owner: Any
) -> None:
    provider = ScriptedProvider(["One.", "Two."])
    async with make_agent(provider=provider, settings={"enable_memory": False}) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("first")
        assert (await conversation.send_message("second")).content == "Two."
        assert [message.content for message in provider.requests[-1].messages] == ["first", "One.", "second"]
        assert [message.content for message in await conversation.get_history(limit=3)] == ["One.", "second", "Two."]
        assert [info.uuid for info in await agent.list_conversations()] == [conversation.uuid]
        await conversation.archive()
        assert conversation.status == "archived"
    rows = cypher(
        "MATCH (n) WHERE n.project = $project AND NOT n:RagforgeMeta RETURN count(n) AS n", project=owner.project
    )
    assert rows == [{"n": 0}]
    async with make_agent() as another:
        with pytest.raises(ConversationNotFound):
            await another.load_conversation(conversation.uuid)


async def test_what_takes_memory_says_so(make_agent: Callable[..., AsyncConversationAgent], tmp_path: Path) -> None:
    """In what is asked for, with the way to switch it on from Python; and a read speaks of no write."""
    async with make_agent("One.", settings={"enable_memory": False}) as agent:
        conversation = await agent.create_conversation()
        answer = await conversation.send_message("first")
        calls = {
            "code": lambda: conversation.reference_code(answer.message_id, ["total"]),
            "branch": conversation.branch,
            "receipt": conversation.receipt,
            "export": lambda: agent.export_all(tmp_path / "all"),
            "": conversation.export,
        }
        for what, call in calls.items():
            with pytest.raises(InvalidInput, match=f"memory is off: .*{what}") as caught:
                await call()
            assert "enable_memory" in str(caught.value.hint)
        with pytest.raises(InvalidInput) as caught:
            await conversation.build_context(recent_messages=-1)
        assert "written" not in str(caught.value.hint)


async def test_only_tools_that_look_at_code_are_offered(make_agent: Callable[..., AsyncConversationAgent]) -> None:
    """It finds nothing of what was said, so it does not say that it has taken note of anything."""
    provider = ScriptedProvider(["One."])
    async with make_agent(provider=provider, tools=None, settings={"enable_memory": False}) as agent:
        await (await agent.create_conversation()).send_message("first")
    offered = {tool.name for tool in provider.requests[-1].tools}
    assert {"search_code", "read_scope"} <= offered
    assert not {"search_conversation", "recent_conversations"} & offered
    async with make_agent(provider=ExtractiveProvider(), tools=None, settings={"enable_memory": False}) as agent:
        for said in (
            "Remember that the port is 8080.",
            "What did we decide about the port?",
            "What did we talk about?",
        ):
            answer = await (await agent.create_conversation()).send_message(said)
            assert answer.content == "This agent keeps no conversations: what is said here is not found again."
