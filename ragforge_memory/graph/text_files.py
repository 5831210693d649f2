"""Texts in files, seen from a client that keeps texts in the graph: which it cannot read, and must not leave behind."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Mapping, Sequence
from typing import Any

from ragforge_memory.errors import ConversationFileError, RagforgeError
from ragforge_memory.graph.client import PATIENT_TIMEOUT, GraphClient
from ragforge_memory.models.owner import Owner
from ragforge_memory.models.text import counted

log = logging.getLogger(__name__)

_DELETE_THERE = (
    "delete it with agent.memory.persistence.type files from the root where that file is; "
    "if the file is lost for good, put an empty one there first"
)


class UnreadTexts:
    """Warns, the first time that it is asked to, that an owner has conversations in files."""

    def __init__(self, client: GraphClient, owner: Owner) -> None:
        self._client = client
        self._owner = owner.parameters
        self._looked = False

    async def tell(self) -> None:
        """For what goes through all conversations and has nothing of these. What cannot be read is no reason to end."""
        if self._looked:
            return
        self._looked = True
        with contextlib.suppress(RagforgeError):
            (row,) = await self._client.read("filed_unread", timeout=PATIENT_TIMEOUT, **self._owner)
            if row["conversations"]:
                log.warning(
                    "%s in files, not looked at here: set agent.memory.persistence.type to files to go on with them; "
                    "to move them, `ragforge conversations export --all FILE` and `ragforge conversations delete "
                    "--keep 0` with that type, then `ragforge conversations import FILE` without",
                    counted(row["conversations"], "conversation has its texts", "conversations have their texts"),
                )


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
        hint=_DELETE_THERE,
    )


def old_ones_stay(paths: Sequence[str]) -> ConversationFileError:
    """The error of a delete of many that leaves those with these files."""
    number = counted(len(paths), "old conversation stays: its texts are", "old conversations stay: their texts are")
    return ConversationFileError(
        f"{number} in files that are not in this agent's folder, such as {paths[0]}", hint=_DELETE_THERE
    )
