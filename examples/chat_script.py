"""A scripted conversation: the questions of a file, one a line, in a session that the next run continues.

    python examples/chat_script.py --session nightly questions.txt
    echo "who calls it?" | python examples/chat_script.py --session nightly -

Runs in the directory that is asked about, with its ragforge.config.yaml if there is one. The session's id is all that
two runs share: history, pronouns ("it") and "what did we say about X" come from the graph.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterable

from ragforge_memory import AsyncConversationAgent


async def talk(session: str, questions: Iterable[str]) -> None:
    """Asks the questions in the session's conversation and prints the answers as they come."""
    async with AsyncConversationAgent.from_config() as agent:
        await agent.ingest()
        conversation = await agent.open_conversation(session, tags=["script"])
        if conversation.message_count:
            print(f"(going on after {conversation.message_count} messages)")
        for question in questions:
            print(f"\n> {question}\n")
            async with conversation.stream_message(question) as stream:
                async for event in stream:
                    if event.type == "text_delta":
                        print(event.text, end="", flush=True)
            print()


def main() -> None:
    """Reads the script and runs it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--session", required=True, help="the conversation's name, of your own choice")
    parser.add_argument("script", type=argparse.FileType(encoding="utf-8"), help="a file of questions; - for stdin")
    given = parser.parse_args()
    questions = [line.strip() for line in given.script if line.strip()]
    if not questions:
        sys.exit("the script has no questions")
    asyncio.run(talk(given.session, questions))


if __name__ == "__main__":
    main()
