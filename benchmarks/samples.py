"""Whether files of other programs are imported whole: messages and tool calls, beside a count of the file alone.

    python benchmarks/samples.py FILE... [--json FILE]

Each file is imported through the public API into a project of its own. Conversations, messages of each role, tool
calls, results and failures must be as many as `jq` (`awk` for aider's Markdown) counts in the file; the expressions are
in benchmarks/sample_counts.py. A file that `jq` finds malformed must be refused with a place, and nothing of it be
left. docs/archive.md names the published samples that it was run on; none of them is in this repository.

The server is ``NEO4J_URI``'s, else the managed one. What the benchmark wrote is deleted at its end.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
from dataclasses import asdict, dataclass, field
from pathlib import Path
from uuid import uuid4

import neo4j

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.figures import forget_project
from benchmarks.sample_counts import KEYS, OPENAI_FORMAT, PLAIN_FORMAT, counted, missing_programs
from benchmarks.server import benchmark_server
from ragforge_memory import AsyncConversationAgent, ConversationConfig, Neo4jConfig
from ragforge_memory.errors import InvalidInput
from ragforge_memory.importers.exchange import NO_RESULT
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.imports import ImportFault, ImportReport

CONVERSATIONS = "MATCH (c:Conversation {project: $project}) RETURN c.metadata"
MESSAGES = "MATCH (m:Message {project: $project}) RETURN m.role, count(*)"
CALLS = """
MATCH (:Message {project: $project})-[:MADE_TOOL_CALL]->(call)
OPTIONAL MATCH (call)-[:PRODUCED_RESULT]->(result)
RETURN result.success, result.error, count(*)
"""


@dataclass(slots=True)
class Sample:
    """A file: what is in it and what came of it. ``refused``: why; ``wrong``: in what both differ."""

    file: str
    size: int
    format: str
    expected: dict[str, int] | None
    stored: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    seconds: float = 0.0


async def compared(agent: AsyncConversationAgent, config: Neo4jConfig, project: str, file: Path) -> Sample:
    """Imports a file and compares what is there then."""
    try:
        form, expected = counted(file)
        sample = Sample(file.name, file.stat().st_size, form, expected)
    except ValueError as error:
        sample = Sample(file.name, file.stat().st_size, f"malformed: {error}", None)
    try:
        report = await agent.import_conversations(file)
    except InvalidInput as error:
        report = ImportReport(failed=1, errors=(ImportFault(place=file.name, message=error.message),))
    sample.seconds = report.seconds
    sample.refused = [f"{each.place}: {each.message}" for each in report.errors]
    formats, sample.stored = await asyncio.to_thread(stored, config, project)
    if sample.expected is None:
        if not report.failed or any(sample.stored.values()):
            sample.wrong = [f"refused {report.failed}, stored {sample.stored}"]
        return sample
    # A conversation of OpenAI's in which no message has more than a role and a content is a plain one too.
    if not formats <= {sample.format, *([PLAIN_FORMAT] if sample.format == OPENAI_FORMAT else [])}:
        sample.wrong.append(f"format {', '.join(sorted(formats))}")
    sample.wrong += [
        f"{key} {sample.stored[key]:,}, not {sample.expected[key]:,}"
        for key in KEYS
        if sample.stored[key] != sample.expected[key]
    ]
    told = (report.conversations, report.messages, report.tool_calls)
    found = (sample.stored["conversations"], messages_of(sample.stored), sample.stored["tool_calls"])
    if told != found:
        sample.wrong.append(f"the report says {told}, the graph {found}")
    return sample


def stored(config: Neo4jConfig, project: str) -> tuple[set[str], dict[str, int]]:
    """The formats of a project's conversations, and how much is in the graph: hidden rests would be counted too."""
    auth = (config.username, config.password) if config.password else None
    counts = dict.fromkeys(KEYS, 0)
    with (
        neo4j.GraphDatabase.driver(config.uri, auth=auth) as driver,
        driver.session(database=config.database) as session,
    ):
        written = session.run(CONVERSATIONS, project=project).value()
        counts["conversations"] = len(written)
        for role, messages in session.run(MESSAGES, project=project).values():
            counts[role] += messages
        for success, error, calls in session.run(CALLS, project=project).values():
            counts["tool_calls"] += calls
            counts["results"] += calls if error != NO_RESULT else 0
            counts["failures"] += 0 if success else calls
    return {json.loads(each)["source"]["format"] for each in written}, counts


def messages_of(counts: dict[str, int]) -> int:
    """How many messages they are."""
    return counts["user"] + counts["assistant"] + counts["system"]


def table(samples: list[Sample]) -> str:
    """What is stored of every file, and where it is not what the file has."""
    rows = [("file", "format", "kB", *(key.replace("_", " ") for key in KEYS), "")]
    for sample in samples:
        counts = sample.stored if sample.expected is not None else {}
        verdict = "; ".join(sample.wrong) or ("ok" if sample.expected is not None else "refused, as it is malformed")
        numbers = (f"{counts[key]:,}" if counts else "" for key in KEYS)
        rows.append((sample.file, sample.format[:40], f"{sample.size / 1_000:,.0f}", *numbers, verdict))
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            cell.ljust(width) if column in (0, 1, len(row) - 1) else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    refusals = [f"  {sample.file}: {why}" for sample in samples for why in sample.refused]
    return "\n".join([*lines, *(["refused:", *refusals] if refusals else [])])


async def run(config: Neo4jConfig, file: Path) -> Sample:
    """One file, in a project that is deleted then."""
    project = f"samples-{uuid4().hex[:8]}"
    try:
        async with AsyncConversationAgent(
            config,
            llm_provider=ScriptedProvider([]),
            tools=(),
            config=ConversationConfig(embed_messages=False, enable_summarization=False),
            project=project,
        ) as agent:
            return await compared(agent, config, project, file)
    finally:
        forget_project(config, project)


def main() -> int:
    """Prints the table; 1 where something is not as it is in the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE")
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if missing := missing_programs():
        parser.error(f"{' and '.join(missing)} must be on this machine: what a file holds is counted with it")
    if absent := [str(file) for file in given.files if not file.is_file()]:
        parser.error(f"there is no file {', '.join(absent)}")
    config = benchmark_server()
    with tempfile.TemporaryDirectory() as home:
        os.environ["RAGFORGE_HOME"] = home
        samples = [asyncio.run(run(config, file)) for file in given.files]
    print(table(samples))
    if given.json:
        document = {"benchmark": "samples", "samples": [asdict(sample) for sample in samples]}
        given.json.parent.mkdir(parents=True, exist_ok=True)
        given.json.write_text(json.dumps(document, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return 1 if any(sample.wrong for sample in samples) else 0


if __name__ == "__main__":
    sys.exit(main())
