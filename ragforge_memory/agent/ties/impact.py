"""`ragforge impact`: what a diff touches of what was said, with the commit that the graph knows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.code.impact import impact as impact_of_code
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.code import CodeStore
from ragforge_memory.models.impact import Impact

if TYPE_CHECKING:
    from ragforge_memory.agent.place import Place
    from ragforge_memory.agent.stores import Stores


async def impact(stores: Stores, place: Place, root: Path, revision: str | None = None) -> Impact:
    """What was said of the code that a diff changes, which of it was a decision, and what has corrected that since.

    Args:
        stores: where conversations and code are kept.
        place: whose memory it is, and how it is set up.
        root: the project's directory, inside a git work tree.
        revision: see `code.impact`.

    Raises:
        InvalidInput: git does not know the revision, or there is no repository.
    """
    references, project = ReferenceStore(stores.graph, place.owner), place.owner.project
    ingested = (await CodeStore(stores.graph, project).state()).commit if project else None
    return await impact_of_code(root, references, revision, ingested=ingested)
