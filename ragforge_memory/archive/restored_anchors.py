"""What becomes of anchors that were taken in from an archive, where the code is not what it was."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.code.anchored import Before
from ragforge_memory.code.anchoring import resolve_anchors
from ragforge_memory.code.rows import anchor_key
from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.anchors import AnchorStore
from ragforge_memory.graph.restore import PlacedAnchor, RestoreStore
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.place import Place
    from ragforge_memory.agent.stores import Stores

log = logging.getLogger(__name__)


def key_here(anchor: archive.Anchor, _theirs: str, project: str) -> str:
    """An anchor's key in this project, whichever it comes from.

    Never what the archive says: all users of a project share an anchor, and it is known by what it is an anchor of.
    """
    place = (anchor.file or "", anchor.scope_key or anchor.qualified_name or "", anchor.kind or "")
    return anchor_key(project, *place, anchor.body_hash or "")


async def place_anchors(stores: Stores, place: Place, store: RestoreStore, anchors: Iterable[PlacedAnchor]) -> None:
    """Has anchors that stand on nothing looked for in the code that is here, as an ingest would.

    Where an ingest runs just now, the next one does it; where nothing was ever ingested, the first one.
    """
    files = sorted({str(each.file) for each in anchors if not each.stands and not each.orphaned and each.file})
    project = place.owner.project
    if not files or not project:
        return
    try:
        lease = await store.borrow_code()
        if lease is None:
            await store.look_at_anchors_again()
            return
        token, commit, root = lease
        try:
            await resolve_anchors(
                AnchorStore(stores.graph, project),
                Path(root) if root else place.root or Path.cwd(),
                Before(commit),
                files,
                commit=commit,
                token=token,
            )
        finally:
            await store.give_code_back(token)
    except (RagforgeError, OSError):
        log.warning("the next ingest finds out what became of the code that was imported", exc_info=True)
        await store.look_at_anchors_again()
