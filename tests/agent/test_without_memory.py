"""An agent whose memory is off: it talks, and nothing of it is stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationNotFound
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
