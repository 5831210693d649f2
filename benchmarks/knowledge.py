"""Whether the right part of a document is found: a folder of documents, and questions that somebody wrote by reading.

The folder is read in (`agent.knowledge.ingest`), embedded (`drain`) and asked. A question is answered where one of the
first five chunks is of its source and has its words: once by words alone, once with meaning. Then the folder is read in
again, which must do nothing.

    python benchmarks/knowledge.py FOLDER QUESTIONS [--json FILE] [--missed]

``QUESTIONS`` is JSON, a list of ``{"question": …, "source": "below/the/folder.md", "answer": "words of the chunk"}``,
or TOML with ``[[questions]]`` of the same. The server is ``NEO4J_URI``'s, else the managed one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import time
import tomllib
import uuid
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from figures import Figure, forget_project, table, write_json
from server import benchmark_server

from ragforge_memory import AsyncConversationAgent, ConversationConfig, KnowledgeHit, Neo4jConfig
from ragforge_memory.knowledge.search import KnowledgeSearch

TOP = 5
MOST_MISSED = 15.0
"""Per cent of the questions."""


def questions_of(path: Path) -> list[dict[str, str]]:
    """The questions of a file."""
    text = path.read_text(encoding="utf-8")
    read: Any = tomllib.loads(text)["questions"] if path.suffix == ".toml" else json.loads(text)
    return list(read)


def place_of(asked: dict[str, str], found: Sequence[KnowledgeHit]) -> int:
    """The place of the first hit that answers a question; 0 where none does."""
    words = " ".join(asked["answer"].casefold().split())
    for place, hit in enumerate(found, 1):
        of_source = hit.source == asked["source"] or hit.source.endswith(f"/{asked['source']}")
        if of_source and words in " ".join(hit.content.casefold().split()):
            return place
    return 0


async def measured(config: Neo4jConfig, project: str, folder: Path, asked: Sequence[dict[str, str]]) -> dict[str, Any]:
    """What was read, how long it took, and the place of each answer."""
    settings = ConversationConfig(enable_summarization=False)
    async with AsyncConversationAgent(config, project=project, config=settings, root=folder, tools=()) as agent:
        report = await agent.knowledge.ingest(folder)
        started = time.perf_counter()
        left = await agent.drain()
        embedded = time.perf_counter() - started
        again = await agent.knowledge.ingest(folder)
        services = await agent.open()
        assert services.stores.knowledge is not None
        assert not left, left
        facts: dict[str, Any] = {
            "documents": report.documents,
            "chunks": report.chunks,
            "skipped": [f"{each.source}: {each.reason}" for each in report.skipped],
            "seconds": {"ingest": report.seconds, "vectors": round(embedded, 1), "again": again.seconds},
            "changed_again": again.added + again.updated + again.removed,
        }
        alone = KnowledgeSearch(services.stores.knowledge, None)
        for name, search in (("words alone", alone), ("words and meaning", services.knowledge_search())):
            started = time.perf_counter()
            places = [place_of(each, await search.search(each["question"], limit=TOP)) for each in asked]
            took = round(1_000 * (time.perf_counter() - started) / len(asked), 1)
            missed = [each["question"] for each, place in zip(asked, places, strict=True) if not place]
            facts[name] = {"places": places, "milliseconds": took, "missed": missed}
        return facts


def figures_of(facts: dict[str, Any]) -> list[Figure]:
    """The table's lines."""
    figures = []
    for name in ("words alone", "words and meaning"):
        places = facts[name]["places"]
        first = f"{places.count(1)} of {len(places)} first, {facts[name]['milliseconds']} ms a question"
        missed = 100 * places.count(0) / len(places)
        target = MOST_MISSED if name == "words and meaning" else None
        figures.append(Figure(f"not in the first {TOP}, {name}", missed, "%", target, first))
    figures.append(Figure("changed by a second ingest", facts["changed_again"], "documents", 0.0))
    return figures


def main() -> int:
    """Measures, prints, and ends with 1 where too much is missed or the second ingest does anything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("questions", type=Path)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--missed", action="store_true", help="print the questions that are not answered")
    given = parser.parse_args()
    config, project = benchmark_server(), f"benchmark-{uuid.uuid4().hex}"
    asked = questions_of(given.questions)
    try:
        facts = asyncio.run(measured(config, project, given.folder.resolve(), asked))
    finally:
        forget_project(config, project)
    figures = figures_of(facts)
    print(table(f"{facts['documents']} documents, {facts['chunks']} chunks, {len(asked)} questions", figures))
    print(json.dumps({name: facts[name] for name in ("seconds", "skipped")}))
    for name in ("words alone", "words and meaning") if given.missed else ():
        print(f"missed by {name}:", *facts[name]["missed"], sep="\n    ")
    if given.json:
        write_json(given.json, "knowledge", figures, **facts)
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
