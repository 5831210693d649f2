"""`ragforge impact` with what the messages are worth: which of them decided something, and whether that still holds."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.agent.context.deciding import decision_of
from ragforge_memory.agent.decisions import corrections_of, key_of
from ragforge_memory.code.impact import impact as impact_of_code
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.models.impact import Impact, ImpactedMessage, ImpactedScope

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ragforge_memory.agent.decisions import Key
    from ragforge_memory.agent.services import Services
    from ragforge_memory.models.decisions import Correction


async def impact(services: Services, root: Path, revision: str | None = None) -> Impact:
    """What was said of the code that a diff changes, which of it was a decision, and what has corrected that since.

    Args:
        services: what is open.
        root: the project's directory, inside a git work tree.
        revision: see `code.impact`.

    Raises:
        InvalidInput: git does not know the revision, or there is no repository.
    """
    found = await impact_of_code(root, ReferenceStore(services.graph, services.owner), revision)
    messages = {each.message.uuid: each.message for scope in found.scopes for each in scope.messages}
    corrected = await corrections_of(services, [each for each in messages.values() if decision_of(each) is not None])
    return found.model_copy(update={"scopes": tuple(_told(each, corrected) for each in found.scopes)})


def _told(scope: ImpactedScope, corrected: Mapping[Key, Correction]) -> ImpactedScope:
    return scope.model_copy(update={"messages": tuple(_worth(each, corrected) for each in scope.messages)})


def _worth(each: ImpactedMessage, corrected: Mapping[Key, Correction]) -> ImpactedMessage:
    decision = decision_of(each.message)
    later = corrected.get(key_of(each.message, decision)) if decision is not None else None
    return each.model_copy(update={"decision": decision, "corrected": later})
