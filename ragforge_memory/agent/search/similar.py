"""Conversations that are like a text: by what they are about, and by the words of their titles and summaries."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ragforge_memory.agent.search.candidates import MEANING, TEXT, both, question_vector, similarity_to
from ragforge_memory.graph.search import CANDIDATES, words_of
from ragforge_memory.models.conversation import ConversationInfo
from ragforge_memory.models.search import SearchResults
from ragforge_memory.retrieval.fusion import VECTOR_WEIGHT, scaled
from ragforge_memory.retrieval.hubs import without_hubs
from ragforge_memory.text.words import matched

if TYPE_CHECKING:
    from ragforge_memory.agent.services import Services
    from ragforge_memory.embeddings.port import Embedder, Vector
    from ragforge_memory.graph.similar import Topic
    from ragforge_memory.graph.spaces import Space


async def topic_vectors(topics: Sequence[Topic], embedder: Embedder) -> list[Vector]:
    """One vector for each conversation: the mean of its parts', as long as they agree.

    Its product with a question's vector is the mean of the parts' own. Scaled to length 1 it would favour conversations
    whose parts have little to do with each other: what lies between all things is near to everything.

    Questions are embedded as questions, as the models ask it where like is compared with like, the rest as passages.
    Found first by a paraphrase, of twice 20 topics among 480 other conversations (e5-small-v2), before and after the
    first summary: 34 and 33 of 40; scaled to length 1 32 and 29; all parts as passages 24; the nearest part 22. With
    all that is known as one more part 116 and 118 of 140, by four authors, without it 111 and 113.

    A conversation that begins with "hi" is known by its second exchange too, and what says little counts for little. Of
    60 conversations, five of which begin so, an ordinary paraphrase found first, before and after the first summary, 57
    and 56 instead of 53 and 52 among 440 that are made from templates, 44 and 45 instead of 41 and 42 among 440 varied
    ones; one without their words as many as before. No better: more messages of every conversation, the nearest one
    beside the mean, vectors less their mean or first components, other weights of parts, code left out.
    """
    parts = [topic.parts for topic in topics]
    told = iter(await embedder.embed_passages([part.text for each in parts for part in each if not part.asked]))
    return [
        mean(
            [await embedder.embed_query(part.text) if part.asked else next(told) for part in each],
            [part.weight for part in each],
        )
        for each in parts
    ]


def mean(vectors: Sequence[Vector], weights: Sequence[float]) -> Vector:
    """The weighted mean of unit vectors, of length 1 where they are the same."""
    total = math.fsum(weights)
    return [
        math.fsum(value * weight for value, weight in zip(values, weights, strict=True)) / total
        for values in zip(*vectors, strict=True)
    ]


async def find_similar(
    services: Services, query: str, *, limit: int, min_score: float | None = None
) -> SearchResults[ConversationInfo]:
    """Conversations that are about what a text says, the likest first; one in which nothing was said is about nothing.

    Args:
        query: the text.
        limit: conversations at most.
        min_score: the least similarity, of a conversation without a vector the least share of the text's words.

    Raises:
        RagforgeError: neither list could be had: what the first of them failed with.
    """
    store = services.stores.similar
    if store is None:
        return SearchResults(answered=(), missed=(TEXT, MEANING))
    embedder, wanted = services.models.embedder, services.place.config.memory.embeddings.enabled
    words = words_of(query)
    candidates = max(limit, CANDIDATES)

    async def by_words() -> dict[str, float]:
        return await store.by_words(words, limit=candidates)

    async def by_meaning() -> tuple[dict[str, float], Vector, Space | None]:
        space = store.space
        vector = await question_vector(embedder, query, stored=wanted and store.has_vectors)
        near, vectors = await store.by_meaning(vector, limit=candidates, space=space)
        return without_hubs(near, vectors), vector, space

    lists = await both(embedder, by_words, by_meaning)
    hits = lists.text or {}
    near, vector, space = lists.meaning or ({}, None, None)
    # Words by what they tell, not by the best of the list: where no title says it, words must not decide.
    scores = {uuid: hits.get(uuid, 0.0) + VECTOR_WEIGHT * score for uuid, score in scaled(near).items()}
    scores |= {uuid: share for uuid, share in hits.items() if uuid not in scores}
    order = sorted(scores, key=lambda uuid: -scores[uuid])
    read = await store.conversations(order if min_score is not None else order[: 2 * limit], vector, space=space)
    found = []
    for uuid in order:
        if uuid not in read:
            continue
        info, cosine = read[uuid]
        known = similarity_to(embedder, query, (info.title, info.summary), cosine)
        said = f"{info.title or ''} {info.summary or ''}"
        share = len(matched(words, said)) / len(words) if words else 0.0
        if min_score is None or (known if known is not None else share) >= min_score:
            found.append(info.model_copy(update={"similarity": known}))
    return SearchResults(found[:limit], answered=lists.answered, missed=lists.missed)
