"""Agents of other processes: what they open is said in a JSON object on their command lines.

python -m tests.agent.elsewhere PLACE     opens an agent, which takes up what dead processes left, and ends
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.llm.port import ModelProvider
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner

ROOT = Path(__file__).resolve().parents[2]


def place_of(config: Neo4jConfig, owner: Owner, **more: Any) -> dict[str, Any]:
    """Which graph, and whose part of it."""
    return {"uri": config.uri, "username": config.username, "password": config.password, **owner.parameters, **more}


def agent_at(place: dict[str, Any], provider: ModelProvider, **settings: Any) -> AsyncConversationAgent:
    """An agent there, without tools and vectors."""
    return AsyncConversationAgent(
        Neo4jConfig(place["uri"], username=place["username"], password=place["password"]),
        llm_provider=provider,
        tools=(),
        config=ConversationConfig(embed_messages=False, **settings),
        user_id=place["user_id"],
        project=place["project"],
    )


async def main() -> None:
    async with agent_at(json.loads(sys.argv[1]), ScriptedProvider(())):
        pass


if __name__ == "__main__":
    asyncio.run(main())
