"""`ragforge impact` with what the messages are worth: which of them decided something, and whether that still holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.agent.context.deciding import decision_of
from ragforge_memory.agent.decisions import corrections_of, key_of
from ragforge_memory.code.impact import impact as impact_of_code
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.code import CodeStore
from ragforge_memory.models.impact import Impact, ImpactedMessage

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services


async def impact(services: Services, root: Path, revision: str | None = None) -> Impact:
    """What was said of the code that a diff changes, which of it was a decision, and what has corrected that since.

    Args:
        services: what is open.
        root: the project's directory, inside a git work tree.
        revision: see `code.impact`.

    Raises:
        InvalidInput: git does not know the revision, or there is no repository.
    """
    references, project = ReferenceStore(services.graph, services.owner), services.owner.project
    ingested = (await CodeStore(services.graph, project).state()).commit if project else None
    found = await impact_of_code(root, references, revision, ingested=ingested)
    messages = {each.message.uuid: each.message for scope in found.scopes for each in scope.messages}
    decided = {uuid: text for uuid, message in messages.items() if (text := decision_of(message)) is not None}
    keys = {uuid: key_of(messages[uuid], text) for uuid, text in decided.items()}
    corrected = await corrections_of(services, set(keys.values()))

    def worth(each: ImpactedMessage) -> ImpactedMessage:
        uuid = each.message.uuid
        later = corrected.get(keys[uuid]) if uuid in keys else None
        return each.model_copy(update={"decision": decided.get(uuid), "corrected": later})

    return found.model_copy(
        update={
            "scopes": tuple(
                scope.model_copy(update={"messages": tuple(map(worth, scope.messages))}) for scope in found.scopes
            )
        }
    )
