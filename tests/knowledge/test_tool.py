"""Models look into documents where there are any."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.conftest import Cypher, MakeAgent

pytestmark = pytest.mark.anyio

TOOL = "search_knowledge_base"


def offered(model: ScriptedProvider) -> list[bool]:
    """Whether each request offered the tool."""
    return [TOOL in [spec.name for spec in request.tools] for request in model.requests]


async def test_the_tool_is_offered_once_there_are_documents(make_agent: MakeAgent, cypher: Cypher) -> None:
    asked: list[Any] = [ToolRequest("1", TOOL, {"query": "warranty"})]
    model = ScriptedProvider(["Hm.", *asked, "Three years (terms.md)."])
    async with make_agent(provider=model, tools=None) as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("How long is the warranty?")
        await agent.knowledge.add("terms.md", "# Terms\n\n## Warranty\n\nThe warranty lasts three years.")
        cypher("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
        answer = await conversation.send_message("And now?")
        assert offered(model) == [False, True, True]
        [call] = answer.tool_calls
        assert json.loads(json.dumps(call.result))["results"] == [
            {"source": "terms.md", "place": "Terms > Warranty, line 5", "text": "The warranty lasts three years."}
        ]
    again = ScriptedProvider(["Yes."])
    async with make_agent(provider=again, tools=None) as agent:
        await (await agent.create_conversation()).send_message("Still there?")
        assert offered(again) == [True]


async def test_who_chooses_the_tools_is_offered_no_other(make_agent: MakeAgent) -> None:
    model = ScriptedProvider(["Yes."])
    async with make_agent(provider=model, tools=()) as agent:
        await agent.knowledge.add("terms.md", "Terms.")
        await (await agent.create_conversation()).send_message("Hello?")
        assert offered(model) == [False]
