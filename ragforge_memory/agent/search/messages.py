"""Searching what was said: two lists at the same time, fused, with neighbours; what answered is said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from ragforge_memory.agent.decisions import decisions
from ragforge_memory.agent.search.candidates import MEANING, TEXT, both, question_vector, similarity_to
from ragforge_memory.agent.search.inputs import checked_filters, span_of
from ragforge_memory.embeddings.calibration import cosine_of
from ragforge_memory.graph.anchors import ReferenceStore
from ragforge_memory.graph.decisions import DecisionStore
from ragforge_memory.graph.search import CANDIDATES, EVERYTHING, Filters, FoundMessage, Hit, Hits, part_of, words_of
from ragforge_memory.models.conversation import ConversationFilters, ConversationInfo, Page, ScoredMessage
from ragforge_memory.models.search import SearchResults
from ragforge_memory.retrieval.fusion import FLOOR_WITHOUT_WORDS, Span, fused_with_gaps, of_days
from ragforge_memory.retrieval.neighbours import Place, Ranked, is_apart, ranked
from ragforge_memory.text.days import read_days, without_days
from ragforge_memory.text.words import matched

if TYPE_CHECKING:
    from pathlib import Path

    from ragforge_memory.agent.services import Services
    from ragforge_memory.embeddings.port import Vector
    from ragforge_memory.models.code import CodeReference
    from ragforge_memory.models.decisions import Decision
    from ragforge_memory.models.impact import Impact

NEIGHBOUR = "neighbour"

# Read beyond what is wanted: neighbours of another session, and what was deleted meanwhile, fall out.
_SPARE = 4


async def search(
    services: Services,
    query: str,
    *,
    limit: int,
    conversation_id: str | None = None,
    filters: Filters = EVERYTHING,
    min_score: float | None = None,
    vector: Vector | None = None,
) -> SearchResults[ScoredMessage]:
    """Messages by words and by meaning, best first.

    What was said in the days that the question names weighs more. What has no vector yet is judged by its words alone.
    Where no message has a word of the question, what is no nearer to it than unrelated texts are is left out, and so
    are its neighbours. A blank message, as an answer that was interrupted before its first word, is never found.

    Args:
        query: the question.
        limit: messages at most.
        conversation_id: only this conversation's lineage; None: all of the owner's.
        filters: what is left out.
        min_score: the least similarity (0 to 1), of a message without a vector the least share of the question's words.
        vector: the query's vector, where the caller has it already.

    Raises:
        ConversationNotFound: there is no such conversation (any more).
        RagforgeError: neither list could be had: what the first of them failed with.
    """
    store = services.stores.searches
    if store is None:
        return SearchResults(answered=(), missed=(TEXT, MEANING))
    if services.stores.unread is not None:
        await services.stores.unread.tell()
    embedder, wanted = services.models.embedder, services.place.config.memory.embeddings.enabled
    today = services.place.today()
    span = span_of(read_days(query, today))
    words = words_of(without_days(query, today) if span is not None else query)
    candidates = CANDIDATES
    while candidates < limit:
        candidates *= 2

    async def by_meaning() -> tuple[Hits, Vector]:
        space = store.space
        found = vector or await question_vector(embedder, query, stored=wanted and store.has_vectors)
        hits = await store.by_meaning(
            found, conversation_id=conversation_id, filters=filters, limit=candidates, space=space
        )
        return hits, found

    async def by_words() -> Hits:
        return await store.by_words(words, conversation_id=conversation_id, filters=filters, limit=candidates)

    lists = await both(embedder, by_words, by_meaning)
    near, used = lists.meaning or (Hits(), None)
    found = _Found(services, query, words, lists.text or Hits(), near, used, span)
    items = await found.best(limit, filters, min_score)
    return SearchResults(items, answered=lists.answered, missed=lists.missed)


class Searcher:
    """What was said, for tools; see `tools.ports.MessageReader`."""

    def __init__(self, services: Services) -> None:
        self._services = services

    async def search(
        self,
        query: str,
        *,
        limit: int = 10,
        conversation_id: str | None = None,
        since: str | None = None,
        until: str | None = None,
    ) -> list[ScoredMessage]:
        """Messages that bear on a question, best first, without notes that were forgotten; of one conversation's
        lineage if it is named."""
        filters = checked_filters(since=since, until=until)
        found = await search(self._services, query, limit=limit, conversation_id=conversation_id, filters=filters)
        notes = [each.message.uuid for each in found if each.message.kind is not None]
        if not notes or not self._services.place.config.memory.enabled:
            return found
        store = DecisionStore(self._services.stores.graph, self._services.place.owner)
        forgotten = await store.forgotten(notes)
        return [each for each in found if each.message.uuid not in forgotten]

    async def code_of(self, message_ids: Sequence[str]) -> Mapping[str, Sequence[CodeReference]]:
        """What messages are tied to, and what has become of it; none where memory is off."""
        if not self._services.place.config.memory.enabled:
            return {}
        return await ReferenceStore(self._services.stores.graph, self._services.place.owner).of_messages(message_ids)

    async def code_named(self, name: str) -> Sequence[CodeReference]:
        """Code that was spoken of under this name, or is called so now; none where memory is off."""
        if not self._services.place.config.memory.enabled:
            return []
        tied = await ReferenceStore(self._services.stores.graph, self._services.place.owner).about(name, limit=10)
        return [each.reference for each in tied]

    async def impact(self, root: Path, revision: str | None = None) -> Impact:
        """What a commit changes, and what was said of it; None: what is not committed."""
        from ragforge_memory.agent.ties.references import impact

        return await impact(self._services.stores, self._services.place, root, revision)

    async def archived(self, conversation_ids: Sequence[str]) -> frozenset[str]:
        """Those of these conversations that the owner has put away."""
        found = await self._services.stores.conversations.several(conversation_ids)
        return frozenset(each.uuid for each in found if each.status == "archived")

    async def latest(
        self, limit: int = 10, *, since: str | None = None, until: str | None = None
    ) -> Sequence[ConversationInfo]:
        """The owner's conversations, the last updated first; with times those in which something was said then."""
        times = checked_filters(since=since, until=until)
        page = await self._services.stores.conversations.page(
            ConversationFilters(since=times.since, until=times.until), limit=limit
        )
        return page.items

    async def decisions(
        self,
        about: str | None = None,
        *,
        doubtful: bool = False,
        limit: int = 20,
        since: str | None = None,
        until: str | None = None,
    ) -> Page[Decision]:
        """What was decided, ruled or noted, newest first; none where memory is off."""
        times = checked_filters(since=since, until=until)
        return await decisions(
            self._services.stores,
            self._services.place,
            about=about,
            doubtful=doubtful,
            since=times.since,
            until=times.until,
            limit=limit,
        )


class _Found:
    """Two lists of candidates, and what becomes of them."""

    def __init__(
        self,
        services: Services,
        query: str,
        words: Sequence[str],
        text: Hits,
        meaning: Hits,
        vector: Vector | None,
        span: Span | None = None,
    ) -> None:
        self._span = span
        self._services = services
        self._query = query
        self._words = words
        self._vector = vector
        self._space = meaning.space
        self._lineage = text.lineage or meaning.lineage
        self._hidden = {*text.hidden, *meaning.hidden}
        self._reader = text.reader or meaning.reader
        self._times: dict[Place, datetime] = {}
        self._users: set[Place] = set()
        self._text = self._by_place(text)
        self._meaning = self._near_enough(self._by_place(meaning))
        self._nearest = len(meaning.items)
        self._without_vector = {self._place(hit) for hit in text.items if not hit.has_vector}
        self._tiers: dict[Place, tuple[str, ...]] = {}
        self._messages: dict[Place, FoundMessage] = {}

    async def best(self, limit: int, filters: Filters, min_score: float | None) -> list[ScoredMessage]:
        """The best ``limit``, read from the graph; more is read as long as something that was read falls out, twice as
        much beyond what is wanted each time."""
        gone = set() if min_score is None else self._too_far(min_score)
        most = limit + _SPARE
        order = [each for each in self._ranked(most + len(gone)) if each.place not in gone]
        while not all(each.place in self._messages for each in order[:limit]):
            wanted = [each for each in order[:most] if each.place not in self._messages]
            read = await self._read([each.place for each in wanted], filters)
            gone.update(each.place for each in wanted if each.place not in read)
            gone.update(place for place, item in read.items() if not item.message.content.strip())
            if min_score is not None:
                gone.update(place for place, item in read.items() if self._relevance(place, item) < min_score)
            most += most - limit
            if gone or any(is_apart(each, self._times) for each in wanted):
                order = self._ranked(most + len(gone))
            order = [each for each in order if each.place not in gone]
        return [self._scored(each) for each in order[:limit]]

    def _too_far(self, min_score: float) -> set[Place]:
        """Candidates that need not be read to know that they are less similar than asked for.

        What is the question itself is as similar as can be, whatever its cosine: it is a candidate by words too, where
        there are any.
        """
        if not self._text:
            return set()
        unread = {place: cosine for place, cosine in self._meaning.items() if place not in self._text}
        known = {place: self._likeness((), cosine) for place, cosine in unread.items()}
        return {place for place, likeness in known.items() if likeness is not None and likeness < min_score}

    def _ranked(self, most: int) -> list[Ranked]:
        """At least ``most`` of the candidates and their neighbours, best first, as far as there are so many.

        The first `CANDIDATES` of both lists are ranked among themselves, then what as many more bring in, and so on:
        so a longer list begins like a shorter one, whose candidates do not depend on how many are wanted.
        """
        found: dict[Place, Ranked] = {}
        lists = [sorted(each.items(), key=lambda pair: -pair[1]) for each in (self._text, self._meaning)]
        depth = CANDIDATES
        while True:
            text, meaning = (dict(each[:depth]) for each in lists)
            # A list by meaning that is whole has all that had a vector when it was read: what else has one got it
            # between the two reads.
            unjudged = text if self._nearest < depth else self._without_vector
            worst = min((each.score for each in found.values()), default=None)
            scores = fused_with_gaps(text, meaning, unjudged, users=self._users)
            if self._span is not None:
                scores = of_days(scores, self._times, self._span)
            for each in ranked(scores, self._times, most):
                if each.place not in found:
                    score = each.score if worst is None else min(each.score, worst)
                    found[each.place] = each._replace(score=score)
                    tiers = [TEXT] * (each.place in text) + [MEANING] * (each.place in meaning)
                    self._tiers[each.place] = tuple(tiers or [NEIGHBOUR])
            if len(found) >= most or depth >= max(map(len, lists)):
                return list(found.values())
            depth *= 2

    def _near_enough(self, meaning: dict[Place, float]) -> dict[Place, float]:
        """Where nothing has a word of the question: what is nearer to it than what is unrelated."""
        embedder = self._services.models.embedder
        if self._text or embedder is None:
            return meaning
        floor = cosine_of(FLOOR_WITHOUT_WORDS, embedder.unrelated_cosine)
        return {place: cosine for place, cosine in meaning.items() if cosine > floor}

    async def _read(self, places: Sequence[Place], filters: Filters) -> dict[Place, FoundMessage]:
        store = self._services.stores.searches
        assert store is not None
        stored = {self._stored(place): place for place in places}
        read = await store.messages(
            list(stored),
            filters=filters,
            vector=self._vector,
            space=self._space,
            hidden=self._hidden,
            reader=self._reader,
        )
        found = {stored[at]: item for at, item in read.items()}
        self._messages.update(found)
        self._times.update({place: item[0].timestamp for place, item in found.items()})
        return found

    def _by_place(self, hits: Hits) -> dict[Place, float]:
        """Scores by place; of a message that came twice (the index had it already) the better one."""
        scores: dict[Place, float] = {}
        for hit in hits.items:
            place = self._place(hit)
            scores[place] = max(hit.score, scores.get(place, hit.score))
            if hit.time is not None:
                self._times[place] = hit.time
            if hit.user:
                self._users.add(place)
        return scores

    def _place(self, hit: Hit) -> Place:
        """Along a lineage seq runs on from conversation to conversation: there it is one line."""
        return ("" if self._lineage else hit.conversation_id, hit.seq)

    def _stored(self, place: Place) -> Place:
        return (part_of(self._lineage, place[1]), place[1]) if self._lineage else place

    def _relevance(self, place: Place, item: FoundMessage) -> float:
        known = self._similarity(place, item)
        if known is not None:
            return known
        return len(matched(self._words, item[0].content)) / len(self._words) if self._words else 0.0

    def _similarity(self, place: Place, item: FoundMessage) -> float | None:
        return self._likeness((item[0].content,), self._meaning.get(place, item[1]))

    def _likeness(self, texts: Sequence[str], cosine: float | None) -> float | None:
        return similarity_to(self._services.models.embedder, self._query, texts, cosine)

    def _scored(self, each: Ranked) -> ScoredMessage:
        item = self._messages[each.place]
        return ScoredMessage(
            message=item[0],
            score=each.score,
            conversation_id=item[0].conversation_id,
            matched_by=self._tiers[each.place],
            matched_words=matched(self._words, item[0].content),
            similarity=self._similarity(each.place, item),
            beside_seq=each.beside,
            corrected=item.corrected,
        )
