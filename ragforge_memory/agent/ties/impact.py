"""`ragforge impact`: what a diff touches of what was said, with the commit that the graph knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.code.impact import impact as impact_of_code
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.code import CodeStore
from ragforge_memory.models.impact import Impact

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
    references, project = ReferenceStore(services.stores.graph, services.place.owner), services.place.owner.project
    ingested = (await CodeStore(services.stores.graph, project).state()).commit if project else None
    return await impact_of_code(root, references, revision, ingested=ingested)
