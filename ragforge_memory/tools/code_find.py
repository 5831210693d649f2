"""The tool `search_code`: code by what it is about, by words and by meaning."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragforge_memory.code.asides import stands_aside
from ragforge_memory.errors import EmbeddingError, EmbeddingMismatch, SpaceMoved, ToolError
from ragforge_memory.retrieval.bm25 import rarity
from ragforge_memory.retrieval.code import asks_for_aside, bm25, fused_by_rank, names_in, telling_lines
from ragforge_memory.text.words import content_words, stems_asked
from ragforge_memory.tools.declare import ToolOutput, tool
from ragforge_memory.tools.names import fits, reference
from ragforge_memory.tools.ports import ToolContext
from ragforge_memory.tools.shown import code_of, unread_shown

if TYPE_CHECKING:
    from ragforge_memory.embeddings.port import Vector
    from ragforge_memory.models.code import OwnText, Scope, ScopeCounts, TextHit
    from ragforge_memory.tools.ports import ScopeReader

CANDIDATES = 50
"""Of the list by words, before it is ranked anew: what comes after them is of no use to the first five."""

NEAREST = 100
"""Of the list by meaning."""

LINES = 6
"""Of each result, at most."""

MAX_RESULTS = 50
MAX_SIGNATURE = 120
# What one name of a question may bring: more definitions of one name are told apart by the other words.
_OF_A_NAME = 2


@tool
async def search_code(context: ToolContext, query: str, limit: int = 5) -> ToolOutput:
    """Searches the project's code by what it is about: names, documentation, comments and code, by words and meaning.

    Gives definitions, and files by what is outside of every definition, with the lines that have most of the words.
    Tests, examples and benchmarks come last unless `query` asks for them. `nowhere` has words of `query` that no code
    has. For a known name use `read_scope`.

    Args:
        query: a question in plain words; names may be in it.
        limit: results at most, up to 50.
    """
    if not query.strip():
        raise ToolError("the query is empty", hint="say what to look for")
    search = _Search(context, code_of(context), query)
    return await search.run(max(1, min(limit, MAX_RESULTS)))


@dataclass
class _Lists:
    """What was found: uuids by words and by meaning, best first."""

    words: list[str] = field(default_factory=list)
    meaning: list[str] = field(default_factory=list)


class _Search:
    def __init__(self, context: ToolContext, code: ScopeReader, query: str) -> None:
        self._context = context
        self._code = code
        self._project = context.owner.project
        self._query = query
        self._asked = stems_asked(content_words(query))
        self._stems = list(dict.fromkeys(stem for stems in self._asked.values() for stem in stems))
        self._everything = asks_for_aside(self._stems)
        self._weights: dict[str, float] = {}
        self._aside: dict[str, bool] = {}
        self._unjudged: set[str] = set()
        self._no_vectors: str | None = None

    async def run(self, limit: int) -> ToolOutput:
        product = None if self._everything else False
        # No task group: it would wrap what a search raises, and so hide what is the matter.
        (counts, nearest), having, hits, unread, named = await asyncio.gather(
            self._counted_and_near(),
            self._code.count_words(self._project, self._stems, aside=product),
            self._by_words(product),
            self._code.unread_files(self._project),
            self._named(),
        )
        texts = counts.scopes + counts.files
        self._weights = {stem: rarity(having.get(stem, 0), texts) for stem in self._stems}
        lists = _Lists(self._ranked(hits), [each for each in nearest if self._everything or not self._aside[each]])
        scores = fused_by_rank(lists.words, lists.meaning, self._unjudged)
        if len(scores) < limit and not self._everything:
            last = _Lists(self._ranked(await self._by_words(True)), [each for each in nearest if self._aside[each]])
            scores |= fused_by_rank(last.words, last.meaning, self._unjudged)
            lists = _Lists(lists.words + last.words, lists.meaning + last.meaning)
        first = self._best_named(named, scores)
        best = list(dict.fromkeys((*first, *scores)))[:limit]
        own = await self._code.own_texts(self._project, best)
        results = [self._result(each, scores, lists, first) for each in own]
        nowhere = [word for word, stems in self._asked.items() if not any(having.get(stem) for stem in stems)]
        lacking = [stem for stem in self._stems if not having.get(stem)]
        value: dict[str, Any] = {"query": self._query, "words": list(self._asked)}
        if nowhere and len(lacking) * 3 > len(self._stems):
            value |= await self._nowhere(nowhere)
        value["results"] = results
        value["searched"] = {**counts._asdict(), "languages": list(counts.languages)}
        if self._no_vectors is not None:
            value["searched"]["why_no_vectors"] = self._no_vectors
        value |= unread_shown(unread)
        return ToolOutput(value, scopes=tuple(each.scope.uuid for each in own if each.scope.type != "file"))

    async def _by_words(self, aside: bool | None) -> list[TextHit]:
        hits = await self._code.search_words(self._project, self._stems, aside=aside, limit=CANDIDATES)
        self._aside.update({hit.uuid: hit.aside for hit in hits})
        self._unjudged.update(hit.uuid for hit in hits if hit.unjudged)
        return hits

    def _ranked(self, hits: Sequence[TextHit]) -> list[str]:
        """The list by words, ranked anew."""
        scores = bm25({hit.uuid: hit.words for hit in hits}, self._weights)
        return sorted(scores, key=lambda uuid: -scores[uuid])

    async def _counted_and_near(self) -> tuple[ScopeCounts, list[str]]:
        counts = await self._code.counts(self._project)
        return counts, await self._near(counts)

    async def _near(self, counts: ScopeCounts) -> list[str]:
        """The list by meaning; empty where there is none, and why is noted."""
        embedder = self._context.embedder
        if embedder is None:
            self._no_vectors = "there is no embedding model"
        elif not counts.embedded:
            self._no_vectors = "no definition has a vector yet"
        else:
            try:
                try:
                    found = await self._nearest(await embedder.embed_query(self._query))
                except SpaceMoved:
                    # Made anew by another model since: by now the embedder is that one, where it can be had.
                    found = await self._nearest(await embedder.embed_query(self._query))
            except (EmbeddingError, EmbeddingMismatch) as error:
                self._no_vectors = str(error)
            else:
                self._aside.update({each.uuid: stands_aside(each.file, each.modifiers) for each in found})
                return [each.uuid for each in found]
        return []

    async def _nearest(self, vector: Vector) -> list[Scope]:
        return await self._code.search_vector(self._project, vector, limit=NEAREST)

    async def _named(self) -> list[list[Scope]]:
        """For each name in the question the definitions that it fits."""
        names = [reference(name) for name in names_in(self._query)]
        found = await asyncio.gather(*(self._code.by_name(self._project, name.name) for name in names if name.parts))
        return [
            [each for each in scopes if fits(name.parts, each.qualified_name, each.file)]
            for name, scopes in zip((name for name in names if name.parts), found, strict=True)
        ]

    def _best_named(self, named: Sequence[Sequence[Scope]], scores: Mapping[str, float]) -> list[str]:
        best: list[str] = []
        for scopes in named:
            self._aside.update({each.uuid: stands_aside(each.file, each.modifiers) for each in scopes})
            ranked = sorted(scopes, key=lambda each: (self._aside[each.uuid], -scores.get(each.uuid, 0.0)))
            best += [each.uuid for each in ranked[:_OF_A_NAME]]
        return best

    async def _nowhere(self, words: Sequence[str]) -> dict[str, Any]:
        """The words that no code has, and those of them that tests, examples and the like have."""
        having: Mapping[str, int] = {}
        if not self._everything:
            stems = list(dict.fromkeys(stem for word in words for stem in self._asked[word]))
            having = await self._code.count_words(self._project, stems, aside=True, most=1)
        there = [word for word in words if any(having.get(stem) for stem in self._asked[word])]
        found = {"nowhere": list(words)}
        return found | {"nowhere_but_in_tests": there} if there else found

    def _result(self, own: OwnText, scores: Mapping[str, float], lists: _Lists, named: Sequence[str]) -> dict[str, Any]:
        scope, weights = own.scope, self._weights
        if scope.uuid in named:
            # It is there by its name: its lines are chosen by what else is asked.
            name = {stem for stems in stems_asked((scope.name,)).values() for stem in stems}
            weights = {stem: weight for stem, weight in weights.items() if stem not in name} or weights
        lines = telling_lines(own.lines, weights, LINES)
        line = scope.definition_line if scope.type != "file" or not lines else lines[0][0]
        signature = scope.signature
        result = {
            "name": scope.name,
            "qualified_name": scope.qualified_name,
            "uuid": scope.uuid if scope.type != "file" else None,
            "file": scope.file,
            "line": line,
            "end_line": scope.end_line,
            "kind": scope.type,
            "signature": signature if len(signature) <= MAX_SIGNATURE else f"{signature[: MAX_SIGNATURE - 1]}…",
            "score": round(scores.get(scope.uuid, 0.0), 4),
            "matched_by": [
                *(["name"] if scope.uuid in named else []),
                *(["text"] if scope.uuid in lists.words else []),
                *(["vector"] if scope.uuid in lists.meaning else []),
            ],
        }
        if self._aside.get(scope.uuid):
            result["aside"] = True
        return result | {"lines": [{"line": number, "text": text.rstrip()} for number, text in lines]}
