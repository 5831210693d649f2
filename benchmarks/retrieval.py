"""Whether what was said is found again: LoCoMo's questions, asked through the product's own API.

Each conversation of the data is imported (`import_conversation`), embedded (`drain`) and searched (`search_history`).
R@10 is the share of a question's evidence among the first ten; questions without evidence and the category
``adversarial`` are left out. Each list alone is told beside both together. Then the same questions over all
conversations at once, for `search_messages` and for `recall`, which has the episodes that were made of them by
themselves. Then, in a database that is filled up with
other conversations, whether a search that is filtered inside the index finds what an exact scan finds, and what it
costs.

    python benchmarks/retrieval.py --data DIR [--json FILE] [--sizes 200,2000,5000] [--texts FILE]

``DIR`` holds ``corpus.jsonl`` (id, conv_id, ts, role, text) and ``queries.jsonl`` (question, conv_id, category,
relevant); it is read, never copied. ``--texts`` has a text a line, for larger conversations that do not repeat
themselves; its last sixty are what is asked for. The server is ``NEO4J_URI``'s, else the managed one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import os
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import mean, median
from typing import Any

import numpy as np
from figures import Figure, forget_project, table, write_json
from server import benchmark_server

from ragforge_memory import AsyncConversation, AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.agent.search.messages import search
from ragforge_memory.graph.client import open_driver
from ragforge_memory.graph.search import EVERYTHING, words_of
from ragforge_memory.graph.spaces import in_space
from ragforge_memory.models.memory import Episode

K = 10
LEAST_RECALL = 0.73
AIM = 0.75
# A search beside `RETURN 1` in the same run, the question's embedding aside.
SEARCH_RATIO = 5.5
ASKED = 60
# What the index and the function differ by in the same cosine.
TIE = 1e-6


def lines(path: Path) -> list[dict[str, Any]]:
    """The records of a JSON-lines file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def scores(found: Sequence[str], relevant: Sequence[str]) -> tuple[float, float]:
    """Recall and nDCG of the first ten."""
    wanted = set(relevant)
    gain = sum(1 / math.log2(place + 2) for place, each in enumerate(found[:K]) if each in wanted)
    ideal = sum(1 / math.log2(place + 2) for place in range(min(K, len(wanted))))
    return len(wanted & set(found[:K])) / len(wanted), gain / ideal


async def imported(
    agent: AsyncConversationAgent, corpus: Sequence[dict[str, Any]], copy: str
) -> dict[str, AsyncConversation]:
    """One conversation for each ``conv_id``; uuids are the data's, made this run's by ``copy``."""
    names = dict.fromkeys(turn["conv_id"] for turn in corpus)
    return {
        name: await agent.import_conversation(
            [
                {
                    "role": turn["role"],
                    "content": turn["text"],
                    "timestamp": turn["ts"],
                    "uuid": f"{copy}/{turn['id']}",
                }
                for turn in corpus
                if turn["conv_id"] == name
            ],
            title=name,
        )
        for name in names
    }


async def recall(
    agent: AsyncConversationAgent, data: Path, copy: str
) -> tuple[dict[str, tuple[float, float]], dict[str, Any]]:
    """(R@10, nDCG@10) of both lists together and of each alone."""
    corpus = lines(data / "corpus.jsonl")
    questions = [q for q in lines(data / "queries.jsonl") if q["relevant"] and q["category"] != "adversarial"]
    started = time.perf_counter()
    conversations = await imported(agent, corpus, copy)
    written = time.perf_counter() - started
    left = await agent.drain()
    embedded = time.perf_counter() - started - written
    services = await agent.open()
    store = services.stores.searches
    assert store is not None
    assert not left, left
    assert services.models.embedder is not None
    found: dict[str, list[tuple[float, float]]] = {"search_history": [], "words alone": [], "meaning alone": []}
    by_category: dict[str, list[float]] = {}
    took = []
    for question in questions:
        conversation = conversations[question["conv_id"]]
        wanted = [f"{copy}/{each}" for each in question["relevant"]]
        started = time.perf_counter()
        hits = await conversation.search_history(question["question"], limit=K)
        took.append((time.perf_counter() - started) * 1_000)
        assert hits.missed == ()
        assert {hit.conversation_id for hit in hits} <= {conversation.uuid}
        found["search_history"].append(scores([hit.message.uuid for hit in hits], wanted))
        by_category.setdefault(question["category"], []).append(found["search_history"][-1][0])
        vector = await services.models.embedder.embed_query(question["question"])
        words = words_of(question["question"])
        text = await store.by_words(words, conversation_id=conversation.uuid, filters=EVERYTHING)
        near = await store.by_meaning(vector, conversation_id=conversation.uuid, filters=EVERYTHING)
        for name, list_ in (("words alone", text), ("meaning alone", near)):
            first = [(hit.conversation_id, hit.seq) for hit in list_.items[:K]]
            read = await store.messages(first, filters=EVERYTHING)
            order = [read[place][0].uuid for place in first]
            found[name].append(scores(order, wanted))
    facts = {
        "questions": len(questions),
        "messages": len(corpus),
        "imported_per_second": round(len(corpus) / written),
        "embedded_per_second": round(len(corpus) / embedded),
        "search_ms": round(median(took), 2),
        "recall_by_category": {name: round(mean(each), 4) for name, each in sorted(by_category.items())},
    }
    return {
        name: (round(mean(r for r, _ in each), 4), round(mean(n for _, n in each), 4)) for name, each in found.items()
    }, facts


async def remembered(
    agent: AsyncConversationAgent, data: Path, copy: str
) -> tuple[dict[str, tuple[float, float]], dict[str, Any]]:
    """Over all conversations at once: (R@10, characters that were given) of messages and of memories.

    A memory finds the messages that it was made of: an episode those of its whole stretch. ``sessions`` is what
    messages find where each stands for its whole stretch too.
    """
    questions = [q for q in lines(data / "queries.jsonl") if q["relevant"] and q["category"] != "adversarial"]
    held = await agent.memory.list(limit=1_000)
    of_stretch = {uuid: each.message_ids for each in held if isinstance(each, Episode) for uuid in each.message_ids}
    found: dict[str, list[tuple[float, int]]] = {"search_messages": [], "search_messages, sessions": [], "recall": []}
    took = []
    for question in questions:
        wanted = {f"{copy}/{each}" for each in question["relevant"]}
        hits = list(await agent.search_messages(question["question"], limit=K))
        uuids = {hit.message.uuid for hit in hits}
        characters = sum(len(hit.message.content) for hit in hits)
        around = uuids.union(*(of_stretch.get(uuid, ()) for uuid in uuids))
        found["search_messages"].append((len(wanted & uuids) / len(wanted), characters))
        found["search_messages, sessions"].append((len(wanted & around) / len(wanted), characters))
        result = await agent.recall(question["question"], limit=K, deadline_ms=20_000)
        assert not result.tiers_missed, result.tiers_missed
        took.append(result.elapsed_ms)
        items = result.items[:K]
        sources = {
            uuid for item in items for uuid in (*getattr(item.memory, "message_ids", ()), item.memory.message_id)
        }
        found["recall"].append((len(wanted & sources) / len(wanted), sum(len(item.memory.content) for item in items)))
    kinds = Counter(each.kind for each in held)
    return {
        name: (round(mean(r for r, _ in each), 4), round(mean(n for _, n in each))) for name, each in found.items()
    }, {"memories": dict(kinds), "recall_ms": round(median(took), 1)}


async def by_size(
    agent: AsyncConversationAgent, config: Neo4jConfig, data: Path, sizes: Sequence[int], told: Path | None
) -> list[Figure]:
    """Recall against an exact scan, and milliseconds beside `RETURN 1`, in conversations of these sizes."""
    services = await agent.open()
    store, embedder = services.stores.searches, services.models.embedder
    assert store is not None
    assert embedder is not None
    random = np.random.default_rng(7)
    if told is None:
        texts = [turn["text"] for turn in lines(data / "corpus.jsonl")]
        questions = [each["question"] for each in lines(data / "queries.jsonl")]
    else:
        texts = told.read_text(encoding="utf-8").splitlines()
        questions, texts = texts[-ASKED:], texts[:-ASKED]
    floor = open_driver(config)

    async def return_1() -> None:
        async with floor.session(database=config.database) as session:
            await session.execute_read(lambda transaction: transaction.run("RETURN 1"))

    figures = []
    try:
        made: dict[int, tuple[AsyncConversation, dict[str, str]]] = {}
        for size in sizes:
            if told is not None and size <= len(texts):
                said = texts[:size]
            else:  # real sentences with a mark of their own, so that no two are the same
                said = [f"{texts[random.integers(len(texts))]} ({size}/{number})" for number in range(size)]
            conversation = await agent.import_conversation([{"role": "user", "content": text} for text in said])
            made[size] = (conversation, {})
        await agent.drain()
        space = store.space
        assert space is not None
        asked = [questions[random.integers(len(questions))] for _ in range(ASKED)]
        for size, (conversation, _) in made.items():
            recalls, spent, floors = [], [], []
            for text in asked:
                vector = await embedder.embed_query(text)
                near = await store.by_meaning(vector, conversation_id=conversation.uuid, filters=EVERYTHING)
                exact = await services.stores.graph.read(
                    "scan_history_vector",
                    conversation_id=conversation.uuid,
                    vector=vector,
                    property=space.property,
                    limit=K,
                    **in_space(space),
                    **EVERYTHING.parameters,
                    **services.place.owner.parameters,
                )
                # By their cosines: of two that are equally near either may be the tenth.
                least = 2 * exact[0]["scores"][-1] - 1 - TIE
                recalls.append(mean(hit.score >= least for hit in near.items[:K]))
                started = time.perf_counter()
                await return_1()
                floors.append(time.perf_counter() - started)
                started = time.perf_counter()
                await search(services, text, limit=K, conversation_id=conversation.uuid, vector=vector)
                spent.append(time.perf_counter() - started)
            ratio = median(spent[10:]) / median(floors[10:])
            figures += [
                Figure(f"{size:,} messages: 1 - recall against an exact scan", 1 - mean(recalls), "", 0.0),
                Figure(
                    f"{size:,} messages: search_history",
                    ratio,
                    "x",
                    SEARCH_RATIO,
                    f"{median(spent[10:]) * 1_000:.1f} ms, RETURN 1 {median(floors[10:]) * 1_000:.2f} ms",
                ),
            ]
    finally:
        await floor.close()
    return figures


async def run(
    config: Neo4jConfig, project: str, data: Path, sizes: Sequence[int], told: Path | None
) -> tuple[list[Figure], Any]:
    """All of it."""
    agent = AsyncConversationAgent(
        config,
        llm_provider="extractive",
        config=ConversationConfig(enable_summarization=False),
        project=project,
    )
    async with agent:
        reached, facts = await recall(agent, data, project)
        figures = [
            Figure(f"{name}: 1 - R@10", 1 - r, "", 1 - LEAST_RECALL if name == "search_history" else None,
                   f"R@10 {r:.4f}, nDCG@10 {n:.4f}")
            for name, (r, n) in reached.items()
        ]  # fmt: skip
        over_all, more = await remembered(agent, data, project)
        facts |= {**more, "over_all": over_all}
        least = over_all["search_messages"][0]
        figures += [
            Figure(f"{name}, all conversations: 1 - R@10", 1 - r, "", 1 - least if name == "recall" else None,
                   f"R@10 {r:.4f}, {characters:,} characters")
            for name, (r, characters) in over_all.items()
        ]  # fmt: skip
        if sizes:
            figures += await by_size(agent, config, data, sizes, told)
    return figures, {**facts, "reached": reached, "aim": AIM}


def main() -> int:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, metavar="DIR")
    parser.add_argument("--sizes", default="200,2000,5000")
    parser.add_argument("--texts", type=Path, metavar="FILE", help="what is said in the conversations of --sizes")
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    sizes = [int(size) for size in given.sizes.split(",") if size]
    config = benchmark_server()
    project = f"benchmark-{uuid.uuid4().hex}"
    try:
        with tempfile.TemporaryDirectory() as home:
            os.environ["RAGFORGE_HOME"] = home  # the journal is the benchmark's own
            figures, facts = asyncio.run(run(config, project, given.data, sizes, given.texts))
    finally:
        forget_project(config, project)
    print(table(f"{facts['messages']:,} messages, {facts['questions']} questions", figures))
    print(json.dumps(facts["recall_by_category"]))
    if given.json:
        write_json(given.json, "retrieval", figures, **facts)
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
