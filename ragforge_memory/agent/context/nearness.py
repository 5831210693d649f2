"""What bears on a turn's question by its meaning: beside read 1, under a deadline, and left out where it is late."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragforge_memory.agent.search.candidates import MEANING, TEXT, following, similarity_to
from ragforge_memory.agent.turns.patience import left_alone
from ragforge_memory.errors import ConversationNotFound, EmbeddingError, foreign
from ragforge_memory.models.conversation import Message, ScoredMessage
from ragforge_memory.retrieval.fusion import VECTOR_WEIGHT, fused

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Models, Stores
    from ragforge_memory.embeddings.question import QuestionVector
    from ragforge_memory.graph.receipts import TurnContext

log = logging.getLogger(__name__)


class Near:
    """A search by meaning that runs while read 1 does.

    Args:
        stores: of what was said.
        models: what embeds.
        asked: the question's vector; None: nothing is looked for by meaning here.
        conversation_id: whose lineage is searched.
        question: what is asked.
        floor: what is newer is in the prompt anyway; nothing is searched where nothing is older.
        limit: messages at most.
        deadline_ms: nobody waits for longer.
        failed: told where the embedder fails, which may be after the deadline.
    """

    def __init__(
        self,
        stores: Stores,
        models: Models,
        asked: QuestionVector | None,
        conversation_id: str,
        question: str,
        *,
        floor: int,
        limit: int,
        deadline_ms: int,
        failed: Callable[[EmbeddingError], None],
    ) -> None:
        self._task: asyncio.Task[list[ScoredMessage]] | None = None
        self._until = asyncio.get_running_loop().time() + deadline_ms / 1_000
        searches = stores.searches
        if floor > 0 and asked is not None and searches is not None and searches.has_vectors:
            self._task = asyncio.create_task(
                _found(stores, models, asked, conversation_id, question, floor, limit, failed),
                name="ragforge-nearness",
            )

    async def found(self) -> list[ScoredMessage]:
        """What was found in time; empty where it was late or failed."""
        if self._task is None:
            return []
        left = max(0.0, self._until - asyncio.get_running_loop().time())
        done, _ = await asyncio.wait((self._task,), timeout=left)
        if not done:
            self.leave()
            return []
        return self._task.result()

    def leave(self) -> None:
        """Nobody waits for it any more."""
        if self._task is not None and not self._task.done():
            log.info("the search by meaning was late and is left out")
            left_alone(self._task)


def with_near(before: TurnContext, near: Sequence[ScoredMessage], limit: int) -> TurnContext:
    """What was read with what was found by meaning: both lists fused, the best ``limit``."""
    if not near:
        return before
    known = {one.message.uuid: one for one in (*before.found, *near)}
    words = {one.message.uuid: one.score for one in before.found}
    meaning = {one.message.uuid: one.score for one in near}
    order = fused([(1.0, words), (VECTOR_WEIGHT, meaning)])[:limit]

    def scored(uuid: str, score: float) -> ScoredMessage:
        by = tuple(tier for tier, found in ((TEXT, words), (MEANING, meaning)) if uuid in found)
        return known[uuid].model_copy(update={"score": round(score, 4), "matched_by": by})

    return replace(before, found=tuple(scored(uuid, score) for uuid, score in order))


async def _found(
    stores: Stores,
    models: Models,
    asked: QuestionVector,
    conversation_id: str,
    question: str,
    floor: int,
    limit: int,
    failed: Callable[[EmbeddingError], None],
) -> list[ScoredMessage]:
    """The nearest older messages."""
    embedder, searches = models.embedder, stores.searches
    assert embedder is not None
    assert searches is not None

    async def by_meaning() -> list[tuple[Message, float]]:
        space = searches.space
        if space is None:
            return []
        vector = await asked.of(space.key)
        # What is newer than the floor is near too, and is in the prompt already.
        return await searches.near(vector, conversation_id=conversation_id, floor=floor, limit=limit, space=space)

    try:
        near = await following(by_meaning)
    except ConversationNotFound:  # read 1 says so
        return []
    except Exception as error:  # whatever fails here fails no turn
        log.warning("nothing is found by meaning: %s", error, exc_info=foreign(error))
        if isinstance(error, EmbeddingError):
            failed(error)
        return []
    return [
        ScoredMessage(
            message=message,
            score=cosine,
            conversation_id=message.conversation_id,
            matched_by=(MEANING,),
            similarity=similarity_to(embedder, question, (message.content,), cosine),
        )
        for message, cosine in near
        if message.content.strip()
    ]
