"""Whether the file with a conversation's texts can be erased from here: else its nodes must not go before it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ragforge_memory.errors import ConversationFileError
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient


async def file_elsewhere(client: GraphClient, uuid: str, owner: Mapping[str, Any]) -> str | None:
    """``Conversation.file_path`` where that file has texts of it and is out of this client's reach; else None."""
    rows = await client.read("filed_texts", timeout=PATIENT_TIMEOUT, uuid=uuid, **owner)
    if not rows:
        return None
    path = str(rows[0]["file_path"])
    return None if client.erases_texts(uuid, path, awaited=rows[0]["has_lines"]) else path


def not_erasable(uuid: str, path: str) -> ConversationFileError:
    """The error of a delete that would leave that file behind."""
    return ConversationFileError(
        f"the texts of conversation {uuid} are in {path}, which is not in this agent's folder: they would stay",
        hint="delete it with agent.memory.persistence.type files from the root where that file is; "
        "if the file is lost for good, put an empty one there first",
    )
