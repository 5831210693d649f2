"""A code-analysis tool on ragforge-memory: asks about a directory and shows which code each answer stands on.

    python examples/code_report.py DIR "where is login?" "who calls check_password?"

The directory is read into the graph first (only what has changed since the last time). The report is Markdown: each
question, its answer, and the definitions that the answer is tied to in the graph, with the hash that they had and
whether they were read for it, discussed in it, or both.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

from ragforge_memory import CodeReference, Conversation, ConversationAgent


def report(directory: Path, questions: list[str]) -> Iterator[str]:
    """The report's lines."""
    with ConversationAgent(project=str(directory), root=directory) as agent:
        ingested = agent.ingest()
        yield f"# {directory.name}: {ingested.scopes} definitions in {ingested.files} files"
        conversation = agent.create_conversation(title=f"Report on {directory.name}", tags=["report"])
        for question in questions:
            answer = conversation.send_message(question)
            yield f"\n## {question}\n\n{answer.content}\n\nIt stands on:"
            for reference, kinds in references(conversation, answer.message_id):
                place = f"{reference.file}:{reference.start_line}, hash {(reference.scope_hash or '')[:8]}"
                yield f"- `{reference.qualified_name}` - {place} ({', '.join(kinds)})"
        yield f"\nKept as conversation {conversation.uuid}."


def references(conversation: Conversation, message_id: str) -> list[tuple[CodeReference, list[str]]]:
    """The code that an answer is tied to, as the graph has it: each definition once, with all that ties it."""
    found: dict[tuple[str, str, int], tuple[CodeReference, list[str]]] = {}
    for message in conversation.get_history(limit=2):
        for reference in message.references if message.uuid == message_id else ():
            place = (reference.file, reference.qualified_name, reference.start_line)
            found.setdefault(place, (reference, []))[1].append(reference.kind)
    return [(reference, sorted(kinds)) for reference, kinds in found.values()]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", type=Path)
    parser.add_argument("questions", nargs="+")
    given = parser.parse_args()
    for line in report(given.directory.resolve(), given.questions):
        print(line)
