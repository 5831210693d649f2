"""What the files of a store still have of a user who was erased.

    python benchmarks/erasure.py [--messages 400] [--json FILE]

A managed server in a home of its own gets two users with as many messages each, a note in every tenth, with words that
nobody else uses. One of them is erased; the queries of the certificate are run by a plain driver. The server is then
stopped, which makes a checkpoint (``db.checkpoint`` is not in the community edition), and every byte of the home's
files is searched for the words of both: how often they are found, file by file, is told as it is. What is left cannot
be read through the database: records that are free and not yet written over, and the log of transactions until it is
rotated.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import tempfile
import time
from pathlib import Path
from uuid import uuid4

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import Figure, table, write_json
from benchmarks.server import found_in
from ragforge_memory import AsyncConversationAgent, ConversationConfig, Erasure, Neo4jConfig
from ragforge_memory.graph.managed import ensure_running, stop
from ragforge_memory.llm.scripted import ScriptedProvider

TURNS = 10


def agent_of(config: Neo4jConfig, user: str) -> AsyncConversationAgent:
    return AsyncConversationAgent(
        config,
        llm_provider=ScriptedProvider(["Noted, the queue is read by the parser."], loop=True),
        tools=(),
        config=ConversationConfig(embed_messages=False, recall_deadline_ms=10_000),
        user_id=user,
        project="erasure",
    )


async def live(config: Neo4jConfig, user: str, word: str, messages: int) -> None:
    """Conversations of ten turns, each message with the word."""
    async with agent_of(config, user) as agent:
        for _ in range(max(1, messages // (2 * TURNS))):
            talk = await agent.create_conversation()
            for number in range(TURNS):
                await talk.send_message(f"{'note: ' if number == 0 else ''}{word} {uuid4().hex} stands in the queue")
        await agent.drain()


async def erased(config: Neo4jConfig, user: str) -> tuple[Erasure, float]:
    """The certificate, and the seconds that it took."""
    async with agent_of(config, user) as agent:
        start = time.perf_counter()
        return await agent.erase_user(), time.perf_counter() - start


def left_by(config: Neo4jConfig, erasure: Erasure) -> int:
    """What the certificate's queries find, run by a driver alone."""
    auth = (config.username or "neo4j", config.password)
    with neo4j.GraphDatabase.driver(config.uri, auth=auth, notifications_min_severity="OFF") as driver:
        found = [driver.execute_query(each.text, each.parameters, database_="neo4j") for each in erasure.queries]
    return sum(each.records[0].values()[0] for each in found)


def run(messages: int, home: Path) -> tuple[list[Figure], dict[str, dict[str, int]]]:
    server = ensure_running(home)
    config = Neo4jConfig(server.uri, username=server.username, password=server.password)
    words = {"erased": f"quokka{uuid4().hex[:12]}", "other": f"numbat{uuid4().hex[:12]}"}
    try:
        for user, word in words.items():
            asyncio.run(live(config, user, word, messages))
        erasure, seconds = asyncio.run(erased(config, "erased"))
        left = left_by(config, erasure)
    finally:
        stop(home)
    found = {user: found_in(home, word) for user, word in words.items()}
    detail = ", ".join(f"{count} {label}" for label, count in erasure.counts.items())
    figures = [
        Figure("erasure of a user", seconds * 1_000, "ms", detail=detail),
        Figure("left by the certificate's queries", left, "nodes", target=0),
    ]
    for user in words:
        figures += [Figure(f"{user}: word in {file}", count, "times") for file, count in found[user].items()]
        figures.append(Figure(f"{user}: word in all files", found[user].total(), "times"))
    return figures, {user: dict(counts) for user, counts in found.items()}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=400)
    parser.add_argument("--json", type=Path)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ragforge-erasure-") as folder:
        os.environ["RAGFORGE_HOME"] = folder
        figures, found = run(arguments.messages, Path(folder))
    print(table("Erasure of a user", figures))
    if arguments.json:
        write_json(arguments.json, "erasure", figures, messages=arguments.messages, found=found)
    sys.exit(0 if all(each.reached for each in figures) else 1)


if __name__ == "__main__":
    main()
