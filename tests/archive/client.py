"""A process that imports a file and says where it is, until it is killed."""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

from ragforge_memory.archive import restoring
from ragforge_memory.graph.restore import RestoreStore
from ragforge_memory.llm.scripted import ScriptedProvider
from tests.agent.elsewhere import agent_at

SETTINGS = json.loads(sys.argv[1])


def mark(point: str) -> None:
    """Tells the parent where we are, and waits to be killed there."""
    sys.stdout.write(point + "\n")
    sys.stdout.flush()
    if point == SETTINGS["point"] and SETTINGS["stop"]:
        sys.stdin.read()


class MarkedStore(RestoreStore):
    """The store, saying what it has written."""

    async def begin(self, *arguments: Any) -> None:
        await super().begin(*arguments)
        mark("begun")

    async def begin_new(self, *arguments: Any) -> None:
        await super().begin_new(*arguments)
        mark("begun")

    async def messages(self, *arguments: Any, **options: Any) -> None:
        await super().messages(*arguments, **options)
        mark("messages")

    async def summaries(self, *arguments: Any, **options: Any) -> None:
        await super().summaries(*arguments, **options)
        mark("summaries")

    async def finish(self, *arguments: Any, **options: Any) -> None:
        mark("before the end")
        finishing = asyncio.ensure_future(super().finish(*arguments, **options))
        await asyncio.sleep(0)
        mark("during the end")
        await finishing
        mark("after the end")


async def main() -> None:
    """Imports the file."""
    restoring.RestoreStore = MarkedStore  # type: ignore[misc]  # the same, but for the marks
    async with agent_at(SETTINGS, ScriptedProvider([]), enable_summarization=False) as agent:
        await agent.import_conversations(SETTINGS["file"])
    mark("done")


if __name__ == "__main__":
    asyncio.run(main())
