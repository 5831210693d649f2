"""Ties what was said while code was missing in the graph, once an ingest has brought it back."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from ragforge_memory.agent.ties.named import Question, answer_ties
from ragforge_memory.errors import RagforgeError
from ragforge_memory.graph.messages import CodeTies
from ragforge_memory.graph.ties import Named, TieStore, Untied
from ragforge_memory.models.owner import Owner

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Place, Stores

log = logging.getLogger(__name__)


async def tie_late(stores: Stores, place: Place) -> None:
    """Ties the messages of all users that were held meanwhile to what they name, as that is now."""
    project = place.owner.project
    known: dict[Named, tuple[str, ...]] = {}
    try:
        async for messages in TieStore(stores.graph, place.owner).untied():
            for user_id in sorted({each.user_id for each in messages}):
                store = TieStore(stores.graph, Owner(user_id, project))
                ties = {each.uuid: _named(each) for each in messages if each.user_id == user_id}
                await store.tie_mentioned(ties, known)
    except RagforgeError as error:
        log.warning("the next ingest ties what was said while code was missing: %s", error)


def _named(message: Untied) -> CodeTies:
    if message.role == "user":
        said = Question(message.content)
        return CodeTies(mentions=said.told, files=said.files)
    return answer_ties(Question(message.question), message.content, echo=message.echo)
