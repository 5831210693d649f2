"""The anchors of an archive where the code is not what it was, and its vectors: whose they are."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from ragforge_memory.anchors.anchored import Before
from ragforge_memory.anchors.anchoring import resolve_anchors
from ragforge_memory.errors import RagforgeError, SpaceMoved
from ragforge_memory.graph.anchors import AnchorStore
from ragforge_memory.graph.archive import ArchiveStore
from ragforge_memory.graph.restore import PlacedAnchor, RestoreStore
from ragforge_memory.graph.similar import FIRST, Part, Topic
from ragforge_memory.graph.spaces import Space
from ragforge_memory.ingest.rows import anchor_key
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Stores

log = logging.getLogger(__name__)


def key_here(anchor: archive.Anchor, project: str) -> str:
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


class ArchivedVectors:
    """Where the vectors of one archive belong."""

    def __init__(self, stores: Stores, place: Place, head: archive.Head) -> None:
        self._stores, self._place = stores, place
        self._head = head
        self._space: Space | None = None
        self._asked = False

    async def space_of(
        self, nodes: Sequence[archive.Message] | Sequence[archive.Summary] | Sequence[archive.ConversationHead]
    ) -> Space | None:
        """Where the vectors of these belong, if they have any that belong here.

        Raises:
            EmbeddingMismatch: one has another dimension than its model's.
        """
        vectors = [each.embedding for each in nodes if each.embedding]
        space = await self._vector_space() if vectors else None
        if space is not None:
            space.check(vectors)
        return space

    async def of_conversations(self, heads: Sequence[archive.ConversationHead], *, named: Callable[[str], str]) -> None:
        """Writes the conversations' own; ``named`` tells what each is called here."""
        mine = [(each, each.embedding) for each in heads if each.embedding and each.status != "shared"]
        space = await self._vector_space() if mine else None
        if space is None or self._stores.similar is None:
            return
        vectors = []
        for each, vector in mine:
            first = (Part("", False),) * min(FIRST, each.message_count or 0)
            vectors.append((Topic(named(each.uuid), each.title or "", each.summary or "", first), vector))
        with suppress(SpaceMoved):
            await self._stores.similar.store(space, vectors)

    async def _vector_space(self) -> Space | None:
        """The project's space, if the archive's vectors are of the same model."""
        if self._head.embeddings is not None and not self._asked:
            self._asked = True
            space = await ArchiveStore(self._stores.graph, self._place.owner).space()
            theirs = self._head.embeddings
            if space is not None and (space.model, space.dimension) == (theirs.model, theirs.dimension):
                self._space = space
        return self._space
