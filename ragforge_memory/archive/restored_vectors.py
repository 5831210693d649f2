"""The vectors of an archive: whose they are, and those of its conversations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from ragforge_memory.errors import SpaceMoved
from ragforge_memory.graph.archive import ArchiveStore
from ragforge_memory.graph.similar import FIRST, Part, Topic
from ragforge_memory.graph.spaces import Space
from ragforge_memory.models import archive

if TYPE_CHECKING:
    from ragforge_memory.agent.place import Place
    from ragforge_memory.agent.stores import Stores


class ArchivedVectors:
    """Where the vectors of one archive belong.

    Args:
        stores: where conversations and code are kept.
        place: whose memory it is, and how it is set up.
        head: what the archive says of itself.
    """

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
