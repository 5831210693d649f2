"""Conversations to analyse, what is found in them, and what the graph has of it."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel, Field

from ragforge_memory import AsyncConversationAgent
from ragforge_memory.llm.port import ModelRequest
from ragforge_memory.llm.scripted import ScriptedProvider

TASK = "Name the topic."
FIELDS = {"topic": {"type": "string"}, "findings": {"type": "array", "items": {"type": "string"}}}
ALONE = {"enable_summarization": False}
"""Settings of an agent that asks its model for nothing else."""


class Found(BaseModel):
    """What is found in a conversation."""

    topic: str = Field(pattern=r"^topic-\d+$")
    findings: list[str]
    open_questions: list[str] = []


STORED = """
MATCH (c:Conversation)-[:HAS_INSIGHT]->(i:Insight {conversation_id: c.uuid})
WHERE i.user_id = $user_id AND i.project = $project
RETURN c.uuid AS uuid, i.data AS data, i.task AS task, i.model AS model, i.to_seq AS to_seq, i.schema AS schema,
  c.insight_token AS token, c.insight_until AS until
"""


async def talks(agent: AsyncConversationAgent, count: int, **options: Any) -> list[str]:
    """So many conversations, each about a topic of its own; their uuids."""
    made = []
    for number in range(count):
        said = [
            {"role": "user", "content": f"Let us talk about topic-{number}."},
            {"role": "assistant", "content": f"All is known of topic-{number}."},
        ]
        made.append((await agent.import_conversation(said, title=f"Talk {number}", **options)).uuid)
    return made


def shown(request: ModelRequest) -> str:
    """What the model was shown of a conversation."""
    return request.messages[0].content


def topic_of(request: ModelRequest) -> str:
    """The topic of the conversation that a request is about."""
    found = re.search(r"topic-\d+", shown(request))
    assert found is not None
    return found.group()


def answered(request: ModelRequest) -> str:
    """What a good model says."""
    return json.dumps({"topic": topic_of(request), "findings": ["all is known"]})


def asked_of(*steps: Any, **options: Any) -> ScriptedProvider:
    """A model that answers with these steps, or else well, as often as it is asked."""
    return ScriptedProvider(purposes={"insight": steps or [answered]}, loop=not steps, **options)
