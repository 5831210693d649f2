"""A process that imports what comes on its standard input and says after every batch how far it is."""

from __future__ import annotations

import asyncio
import json
import sys

from ragforge_memory import AsyncConversationAgent, ConversationConfig, ImportProgress, Neo4jConfig
from ragforge_memory.llm.scripted import ScriptedProvider

SETTINGS = json.loads(sys.argv[1])


def tell(progress: ImportProgress) -> None:
    """Tells the parent."""
    sys.stdout.write(f"{progress.messages}\n")
    sys.stdout.flush()


async def main() -> None:
    """Imports."""
    async with AsyncConversationAgent(
        Neo4jConfig(**SETTINGS["neo4j"]),
        llm_provider=ScriptedProvider([]),
        tools=(),
        config=ConversationConfig(embed_messages=False),
        user_id=SETTINGS["user_id"],
        project=SETTINGS["project"],
    ) as agent:
        await agent.import_conversations(sys.stdin.buffer, progress=tell)


asyncio.run(main())
