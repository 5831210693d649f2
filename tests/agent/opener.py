"""Another process: opens an agent, which takes up what dead processes left, and ends.

opener.py SETTINGS      a JSON object: uri, username, password, user_id, project
"""

from __future__ import annotations

import asyncio
import json
import sys

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.llm.scripted import ScriptedProvider


async def main() -> None:
    settings = json.loads(sys.argv[1])
    agent = AsyncConversationAgent(
        Neo4jConfig(settings["uri"], username=settings["username"], password=settings["password"]),
        llm_provider=ScriptedProvider(()),
        tools=(),
        config=ConversationConfig(embed_messages=False),
        user_id=settings["user_id"],
        project=settings["project"],
    )
    async with agent:
        pass


asyncio.run(main())
