"""Archives that something is wrong with: the place is named, and nothing is written."""

from __future__ import annotations

import copy
import io
import json
import runpy
from pathlib import Path
from typing import Any
from uuid import uuid4

import jsonschema
import pytest

from ragforge_memory import InvalidInput
from ragforge_memory.archive.documents import checked_document
from ragforge_memory.archive.restored_anchors import key_here
from ragforge_memory.ingest.rows import anchor_key
from ragforge_memory.models.archive import LINES, Anchor
from tests.archive.conftest import Graph, MakeAgent, Seen
from tests.archive.story import STEPS, project, told, weigh
from tests.archive.test_groups import archive, conversation

pytestmark = pytest.mark.anyio

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "archive.schema.json"

DOCUMENT: dict[str, Any] = {
    "format": "ragforge-memory archive",
    "version": 1,
    "owner": {"user_id": "", "project": ""},
    "conversation": "c1",
    "conversations": [
        {
            "uuid": "c1",
            "status": "active",
            "head_seq": 2,
            "message_count": 2,
            "created_at": "2026-01-01T00:00:00Z",
            "updated_at": "2026-01-01T00:00:00.123456789Z",
            "messages": [
                {"uuid": "m1", "seq": 1, "role": "user", "content": "hello", "timestamp": "2026-01-01T00:00:00Z"},
                {
                    "uuid": "m2",
                    "seq": 2,
                    "role": "assistant",
                    "content": "hi",
                    "tool_calls": [{"uuid": "t1", "tool_name": "look", "arguments": {}, "result": {"uuid": "r1"}}],
                },
            ],
        }
    ],
}
MESSAGE = "conversations.0.messages.1."
WRONG = [
    ("version", 2, "version: the archive has version 2"),
    ("conversation", "c2", "conversation: 'c2' is none"),
    ("conversations.0.created_at", "2026-01-01 00:00:00", r"conversations\[0\].created_at: .* is not a time"),
    (
        "conversations.0.other",
        {"head_seq": 9},
        r"other: 'head_seq' may not be among the other properties",
    ),
    (
        "conversations.0.lineage",
        [{"conversation_id": f"p{number}", "top": number + 1} for number in range(501)],
        r"conversations\[0\].lineage: it has 501 parts; 500 are the most",
    ),
    ("conversations.0.metadata", {"a": "x" * 1_000_000}, r"conversations\[0\].metadata: metadata has 1,000,009 char"),
    ("conversations.0.uuid", "\x1b]0;P\x07", r"conversations\[0\].uuid: .* has signs that cannot be shown"),
    (MESSAGE + "seq", 1, r"conversations\[0\].messages\[1\].seq: 1 is not behind 1"),
    ("conversations.0.head_seq", 3, r"conversations\[0\].messages: those behind 2 are missing: there are 3"),
    (
        "conversations.0.messages.0.tool_calls",
        DOCUMENT["conversations"][0]["messages"][1]["tool_calls"],
        r"messages\[1\].tool_calls\[0\].uuid: 't1' is that of another tool call",
    ),
    (MESSAGE + "content", "\ud800", r"conversations\[0\].messages\[1\].content: "),
    (
        MESSAGE + "verbatim",
        {"content": "x"},
        r"messages\[1\].verbatim: 'content' is not a JSON property",
    ),
]


def _changed(path: str, value: Any) -> dict[str, Any]:
    made = copy.deepcopy(DOCUMENT)
    *before, last = path.split(".")
    place: Any = made
    for part in before:
        place = place[int(part)] if part.isdigit() else place[part]
    place[last] = value
    return made


def test_as_much_as_may_be_is_taken() -> None:
    for path, value in (
        ("conversations.0.tags", [f"{number:0500}" for number in range(1_000)]),
        ("conversations.0.metadata", {"a": "x" * 999_900}),
        (MESSAGE + "uuid", "häufig gefragt: ../42 (α)"),
    ):
        checked_document(_changed(path, value))


def test_an_anchor_is_known_by_what_it_is_on() -> None:
    """Whatever an archive says: all users of a project share it."""
    forged = Anchor(uuid="a1", key="another's", file="a.py", scope_key="f", kind="function", body_hash="h")
    assert key_here(forged, "ours") == anchor_key("ours", "a.py", "f", "function", "h")


async def test_the_place_is_named_and_nothing_is_written(make_agent: MakeAgent, graph: Graph) -> None:
    async with make_agent() as agent:
        for path, value, why in WRONG:
            with pytest.raises(InvalidInput, match=why):
                await agent.import_conversation(_changed(path, value))
        begun = {"lineage": [{"conversation_id": "nobody's", "top": 2}], "head_seq": 2}
        branch = _changed("conversations", [{"uuid": "c1", "status": "active", **begun}])
        with pytest.raises(
            InvalidInput, match=r"conversations\[0\].lineage\[0\]: the conversation that it begins with"
        ):
            await agent.import_conversation(branch)
        assert graph.seen() == Seen()
        restored = await agent.import_conversation(json.dumps(DOCUMENT))
        assert [message.content for message in await restored.get_history()] == ["hello", "hi"]
        assert restored.uuid == "c1"
        await restored.delete()


async def test_a_bad_line_costs_its_conversation_alone(make_agent: MakeAgent, graph: Graph, tmp_path: Path) -> None:
    async with make_agent("a", "b", "c") as agent:
        for title in ("one", "two", "three"):
            await (await agent.create_conversation(title)).send_message(title)
        file = tmp_path / "all.jsonl"
        await agent.export_all(file)
        seen = graph.seen()
        lines = file.read_bytes().splitlines(keepends=True)
        [second] = [
            number for number, line in enumerate(lines) if b'"two"' in line and line.startswith(b'{"record":"m')
        ]
        for broken, why in (
            (b'{"record":"message","uuid":1}\n', "uuid"),
            (b'{"record":"message"\n', "not JSON"),
            (b'{"record":"nothing"}\n', "no record 'nothing'"),
            (b'{"record":["message"]}\n', "not a record of an archive"),
        ):
            graph.forget()
            file.write_bytes(b"".join([*lines[:second], broken, *lines[second + 1 :]]))
            report = await agent.import_conversations(file)
            assert (report.conversations, report.messages, report.failed) == (2, 4, 1)
            assert report.errors[0].message.startswith(f"line {second + 1}: ")
            assert why in report.errors[0].message
            assert {each.title for each in (await agent.list_conversations()).items} == {"one", "three"}
            assert sum(graph.seen().nodes.values()) < sum(seen.nodes.values())
        for cut, left in ((len(lines) - 1, 3), (second + 1, 1)):
            graph.forget()
            file.write_bytes(b"".join(lines[:cut]))
            report = await agent.import_conversations(file)
            assert (report.conversations, report.failed) == (left, 1)
            assert ": the file " in report.errors[0].message
            assert len((await agent.list_conversations()).items) == left
            assert not graph.run("MATCH (c:Conversation) WHERE c.project = $project AND c.status = 'deleting' RETURN c")


async def test_what_is_written_fits_the_published_schema(make_agent: MakeAgent, tmp_path: Path) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    async with make_agent(*STEPS, tools=[weigh], root=project(tmp_path), settings={"summarize_every": 3}) as agent:
        await agent.ingest()
        family = await told(agent)
        document = await family["trunk"].export(tmp_path / "trunk.json")
        memories = (await agent.open()).memories
        assert memories is not None
        for value in ("Kyiv", "Lviv"):
            await memories.remember_fact("personal", "location", value)
        await agent.export_all(tmp_path / "all.jsonl")
    assert json.loads((tmp_path / "trunk.json").read_text(encoding="utf-8")) == document
    assert (tmp_path / "trunk.json").stat().st_mode & 0o777 == 0o600
    jsonschema.Draft202012Validator(schema).validate(document)
    kinds = set()
    for line in (tmp_path / "all.jsonl").read_bytes().splitlines():
        record = json.loads(line)
        kinds.add(kind := record.pop("record"))
        jsonschema.Draft202012Validator({**schema["$defs"]["lines"][kind], "$defs": schema["$defs"]}).validate(record)
    assert kinds == set(LINES)


def test_the_schema_is_made_from_the_models() -> None:
    made = runpy.run_path(str(ROOT / "docs" / "generate_archive_schema.py"))["rendered"]()
    assert SCHEMA.read_text(encoding="utf-8") == made, "run python docs/generate_archive_schema.py"


async def test_whoever_has_written_it_anew_it_is_an_archive(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with make_agent("a" * 40_000, "b" * 40_000) as agent:
        talk = await agent.create_conversation("one")
        await talk.send_message("first")
        await talk.send_message("second")
        document = await talk.export()
        await agent.export_all(tmp_path / "all.jsonl")
        lines = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
        for text in (
            json.dumps(document, sort_keys=True),
            json.dumps(document, sort_keys=True, indent=1),
            "".join(json.dumps(line) + "\n" for line in lines),
            "\ufeff" + "".join(json.dumps(line, sort_keys=True) + "\n" for line in lines),
        ):
            await talk.delete()
            report = await agent.import_conversations(io.BytesIO(text.encode()))
            assert (report.conversations, report.messages, report.failed) == (1, 4, 0)


async def test_what_speaks_of_archives_is_none(make_agent: MakeAgent) -> None:
    said = [{"role": "user", "content": 'what is a "ragforge-memory archive"?', "metadata": {"n": 1}}]
    inside = [{**said[0], "metadata": {"format": "ragforge-memory archive"}}]
    async with make_agent() as agent:
        for records in (said, inside):
            for text in (json.dumps(records), "\n".join(map(json.dumps, records))):
                report = await agent.import_conversations(io.BytesIO(text.encode()))
                assert (report.conversations, report.messages) == (1, 1)
        with pytest.raises(InvalidInput, match="UTF-8"):
            await agent.import_conversations(io.BytesIO(json.dumps(DOCUMENT).encode().replace(b"hello", b"\xff")))


async def test_a_pause_that_never_ends_holds_up_no_summary(make_agent: MakeAgent) -> None:
    paused = conversation(uuid4().hex, "q1", "a1", "q2", summary_until="9999-01-01T00:00:00Z", summary_attempts=1)
    async with make_agent(settings={"summarize_every": 2}) as agent:
        [uuid] = (await agent.import_conversations(io.BytesIO(archive(paused)))).imported
        assert await agent.drain(timeout=30) == {}
        assert (await agent.load_conversation(uuid)).summary
