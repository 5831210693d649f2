"""Whether a conversation is found again by what it was about: 20 planted topics among 500 conversations.

A paraphrase that shares no telling word with its topic must find it first (`find_similar_conversations`), before the
first summary and after it.

    python benchmarks/similar.py [--json FILE] [--conversations 500]

The server is ``NEO4J_URI``'s, else the managed one.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
import uuid
from pathlib import Path
from statistics import median
from typing import Any

from figures import Figure, forget_project, table, write_json
from server import benchmark_server
from similar_topics import AREAS, DOINGS, TOPICS

from ragforge_memory import AsyncConversation, AsyncConversationAgent, ConversationConfig, Neo4jConfig

LEAST = 0.9


def others(count: int) -> list[list[dict[str, str]]]:
    """Conversations about other things, each about its own."""
    made = [
        [
            {"role": "user", "content": asked.format(area)},
            {"role": "assistant", "content": answered},
            {"role": "user", "content": "Thanks, that is all for now."},
        ]
        for asked, answered in DOINGS
        for area in AREAS
    ]
    if len(made) < count:
        raise SystemExit(f"there are only {len(made)} other conversations")
    return made[:count]


async def first(agent: AsyncConversationAgent, planted: dict[str, str]) -> tuple[float, list[float], list[str]]:
    """How many paraphrases find their conversation first, milliseconds of each, and those that do not."""
    hits, took, missed = 0, [], []
    for uuid_, paraphrase in planted.items():
        started = time.perf_counter()
        found = await agent.find_similar_conversations(paraphrase)
        took.append((time.perf_counter() - started) * 1_000)
        if found and found[0].uuid == uuid_:
            hits += 1
        else:
            places = [each.uuid for each in found]
            missed.append(f"{paraphrase!r}: {places.index(uuid_) + 1 if uuid_ in places else '-'}")
    return hits / len(planted), took, missed


async def run(config: Neo4jConfig, project: str, count: int) -> tuple[list[Figure], dict[str, Any]]:
    """Both figures."""
    agent = AsyncConversationAgent(
        config,
        llm_provider="extractive",
        # `summarize` is called below; nothing is summarised by itself.
        config=ConversationConfig(enable_summarization=False),
        project=project,
    )
    figures, facts = [], {}
    async with agent:
        conversations: list[AsyncConversation] = []
        planted: dict[str, str] = {}
        for topic in TOPICS:
            conversation = await agent.import_conversation(
                [
                    {"role": "user", "content": topic.question},
                    {"role": "assistant", "content": topic.answer},
                    {"role": "user", "content": topic.follow_up},
                ]
            )
            conversations.append(conversation)
            planted[conversation.uuid] = topic.paraphrase
        for data in others(count - len(TOPICS)):
            conversations.append(await agent.import_conversation(data))
        left = await agent.drain()
        assert not left, left
        for name in ("before the first summary", "after it"):
            share, took, missed = await first(agent, planted)
            figures.append(
                Figure(
                    f"{name}: 1 - found first", 1 - share, "", 1 - LEAST + 1e-9, f"{share:.0%}, {median(took):.1f} ms"
                )
            )
            facts[name] = missed
            if name != "after it":
                for conversation in conversations:
                    await conversation.summarize()
                left = await agent.drain()
                assert not left, left
    return figures, facts


def main() -> int:
    """Measures, prints, writes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=500)
    parser.add_argument("--json", type=Path, metavar="FILE")
    given = parser.parse_args()
    config = benchmark_server()
    project = f"benchmark-{uuid.uuid4().hex}"
    try:
        with tempfile.TemporaryDirectory() as home:
            os.environ["RAGFORGE_HOME"] = home  # the journal is the benchmark's own
            figures, missed = asyncio.run(run(config, project, given.conversations))
    finally:
        forget_project(config, project)
    print(table(f"{len(TOPICS)} topics among {given.conversations} conversations", figures))
    for name, which in missed.items():
        for each in which:
            print(f"  {name}, not first: {each}")
    if given.json:
        write_json(given.json, "similar", figures, missed=missed)
    return 0 if all(figure.reached for figure in figures) else 1


if __name__ == "__main__":
    sys.exit(main())
