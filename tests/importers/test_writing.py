"""What becomes of imports in the graph: whole conversations or nothing, seen by nobody before they are whole."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import anyio
import pytest

from ragforge_memory import ImportProgress, InvalidInput, Neo4jConfig
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.importers.reading import lines
from tests.importers.test_chat_messages import OPENAI
from tests.importers.test_chatgpt import TALK, node, tree
from tests.importers.test_claude_code import LINES

pytestmark = [pytest.mark.anyio, pytest.mark.long]

Cypher = Callable[..., list[dict[str, Any]]]

SECRET = "AKIAIOSFODNN7EXAMPLE"
OF_OWNER = "MATCH (n) WHERE n.user_id = $user_id AND n.project = $project RETURN count(n) AS n"


def record(number: int, **more: Any) -> dict[str, Any]:
    """A message that says which one it is."""
    role = "assistant" if number % 2 else "user"
    return {"role": role, "content": f"number {number} of the walrus", "uuid": uuid4().hex, **more}


def long_one(count: int) -> list[dict[str, Any]]:
    """So many messages."""
    return [record(number) for number in range(count)]


class Gate(io.RawIOBase):
    """A stream that stops after its first part until it is opened."""

    def __init__(self, first: bytes, then: bytes) -> None:
        self._parts = [io.BytesIO(first), io.BytesIO(then)]
        self.opened = threading.Event()

    def read(self, size: int = -1) -> bytes:
        if found := self._parts[0].read(size):
            return found
        assert self.opened.wait(60)
        return self._parts[1].read(size)


async def test_a_message_without_a_time_was_said_after_the_one_before_it(make_agent: MakeAgent) -> None:
    times = [None, "2020-01-01T10:00:00Z", None, None, "2020-01-01T12:00:00Z"]
    said = [record(number, timestamp=time) if time else record(number) for number, time in enumerate(times)]
    async with make_agent() as agent:
        conversation = await agent.import_conversation(said)
        [undated, *dated] = [message.timestamp for message in await conversation.get_history()]
    assert [each.isoformat() for each in dated] == [
        "2020-01-01T10:00:00+00:00",
        "2020-01-01T10:00:00+00:00",
        "2020-01-01T10:00:00+00:00",
        "2020-01-01T12:00:00+00:00",
    ]
    assert undated.year > 2020  # nothing says when


async def test_tool_calls_and_reasoning_are_as_a_turn_leaves_them(
    make_agent: MakeAgent, either_config: Neo4jConfig, owner: Owner
) -> None:
    async with make_agent(neo4j=either_config) as agent:
        conversation = await agent.import_conversation(lines(LINES))
        assert conversation.title == "Mending"
        assert conversation.info.metadata["source"]["format"] == "Claude Code session"
        assert conversation.info.created_at.isoformat() == "2025-06-14T10:00:01+00:00"
        history = await conversation.get_history()
        assert [each.seq for each in history] == [1, 2, 3, 4]
        answer = history[2]
        assert (answer.reasoning, answer.model, answer.in_reply_to) == ("Where?", "claude", history[1].uuid)
        assert answer.usage is not None
        assert [(call.tool_name, call.arguments, call.success) for call in answer.tool_calls] == [
            ("Read", {"file_path": "a.py"}, True),
            ("Bash", {"command": "false"}, False),
        ]
        assert [(call.result, call.error, call.duration_ms) for call in answer.tool_calls] == [
            ("x = 1", None, 12),
            (None, "exit 1", 0),
        ]
        assert answer.tool_calls[0].result_size_bytes == len('"x = 1"')
        assert [call.index for call in answer.tool_calls] == [0, 1]
        [failed] = await conversation.get_tool_calls(success=False)
        assert failed.tool_name == "Bash"
        [found] = await agent.search_messages("look", tool="Read", limit=1)
        assert found.message.uuid == answer.uuid


async def test_the_title_is_what_was_asked_first(make_agent: MakeAgent) -> None:
    async with make_agent() as agent:
        for asked, title in ((["Why do the tests fail?"], "Why do the tests fail?"), ([], "Hello.")):
            said = [{"role": "user", "content": text} for text in asked]
            conversation = await agent.import_conversation([*said, {"role": "assistant", "content": "Hello."}])
            assert conversation.title == title


async def test_secrets_are_redacted_everywhere(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": f"run_{SECRET}", "arguments": json.dumps({SECRET: [SECRET]})},
    }
    data = [
        {"role": "user", "content": f"the key is {SECRET}", "name": SECRET},
        {"role": "assistant", "content": None, "reasoning_content": SECRET, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": f"used {SECRET}"},
    ]
    async with make_agent() as agent:
        conversation = await agent.import_conversation({"title": f"About {SECRET}", "messages": data})
    rows = cypher(
        "MATCH p = (c:Conversation {uuid: $uuid})-[*0..3]->(n) WHERE NOT n:CodeAnchor RETURN properties(n) AS n",
        uuid=conversation.uuid,
    )
    assert len(rows) == 5
    assert SECRET not in str(rows)
    assert str(rows).count("[redacted") == 8


async def test_a_file_of_many(make_agent: MakeAgent, tmp_path: Path) -> None:
    bad = tree(node("a", None, "user", "x" * 400_001), current="a", title="Long")
    second = {**json.loads(json.dumps(TALK)), "title": "Second", "conversation_id": "another"}
    for each in second["mapping"].values():
        if each["message"]:
            each["message"]["id"] = uuid4().hex
    first = json.loads(json.dumps(second).replace("Second", "First"))
    for each in first["mapping"].values():
        if each["message"]:
            each["message"]["id"] = uuid4().hex
    file = tmp_path / "conversations.json"
    file.write_text(json.dumps([first, bad, second]))
    seen: list[ImportProgress] = []
    async with make_agent() as agent:
        report = await agent.import_conversations(file, on_conflict="skip", progress=seen.append)
        assert (report.conversations, report.messages, report.tool_calls) == (4, 10, 4)
        assert (report.skipped, report.failed) == (0, 1)
        assert report.errors[0].place.startswith("record 1")
        assert "its content has 400,001 characters" in report.errors[0].message
        listed = await agent.list_conversations()
        titles = {each.title: each.uuid for each in listed if each.branch_of is None}
        assert sorted(each.title or "" for each in listed if each.branch_of) == ["First (branch)", "Second (branch)"]
        assert sorted(titles) == ["First", "Second"]
        assert [uuid for uuid in report.imported if uuid in titles.values()] == [titles["First"], titles["Second"]]
        assert (seen[-1].conversations, seen[-1].messages) == (4, 10)
        assert seen[-1].read == seen[-1].size == file.stat().st_size
        again = await agent.import_conversations(str(file), on_conflict="skip")
        assert (again.conversations, again.skipped, again.failed) == (0, 2, 1)
        refused = await agent.import_conversations(file, on_conflict="fail")
        assert (refused.conversations, refused.failed) == (0, 3)
        assert "is in conversation" in refused.errors[0].message
        with file.open("rb") as stream:
            copied = await agent.import_conversations(stream, on_conflict="copy")
            assert not stream.closed
        assert (copied.conversations, copied.messages) == (2, 8)
        with pytest.raises(InvalidInput, match="several conversations"):
            await agent.import_conversation(json.dumps([first, second]), on_conflict="copy")
        assert len(await agent.list_conversations()) == 6


async def test_what_is_no_source(make_agent: MakeAgent, tmp_path: Path) -> None:
    async with make_agent() as agent:
        with pytest.raises(InvalidInput, match="cannot be read: No such file"):
            await agent.import_conversations(tmp_path / "nothing")
        with pytest.raises(InvalidInput, match="a path or an open stream, not int"):
            await agent.import_conversations(7)  # type: ignore[arg-type]  # there is none such
        with pytest.raises(InvalidInput, match="on_conflict 'overwrite'"):
            await agent.import_conversations("x", on_conflict="overwrite")  # type: ignore[arg-type]  # there is none such
        with pytest.raises(InvalidInput, match="it is empty"):
            await agent.import_conversations(io.BytesIO())
    async with make_agent(settings={"enable_memory": False}) as agent:
        with pytest.raises(InvalidInput, match="memory is off"):
            await agent.import_conversation(OPENAI)


async def test_of_a_long_one_that_is_bad_at_its_end_that_is_passed_over(make_agent: MakeAgent) -> None:
    records = long_one(2_100)
    last = json.dumps({**record(7), "uuid": records[0]["uuid"]})
    async with make_agent() as agent:
        report = await agent.import_conversations(io.BytesIO((lines(records) + last).encode()))
        assert (report.conversations, report.messages, report.failed, report.flawed) == (1, 2_100, 0, 1)
        assert report.passed_over[0].place == "line 2101"


async def test_of_what_a_program_hands_over_and_is_bad_nothing_is_left(
    make_agent: MakeAgent, cypher: Cypher, owner: Owner
) -> None:
    records = long_one(2_100)
    async with make_agent() as agent:
        with pytest.raises(InvalidInput, match="record 2100: "):
            await agent.import_conversation([*records, {**record(7), "uuid": records[0]["uuid"]}])
        assert cypher(OF_OWNER, user_id=owner.user_id, project=owner.project) == [{"n": 0}]


async def test_a_long_one_is_seen_when_it_is_whole(
    make_agent: MakeAgent, either_config: Neo4jConfig, cypher: Cypher, owner: Owner
) -> None:
    records = long_one(2_100)
    gate = Gate(lines(records[:1_500]).encode(), lines(records[1_500:]).encode())
    written = anyio.Event()

    def progress(found: ImportProgress) -> None:
        if found.messages >= 1_000:
            written.set()

    async with make_agent(neo4j=either_config) as agent, make_agent(neo4j=either_config) as other:
        async with anyio.create_task_group() as group:

            async def load() -> None:
                report = await agent.import_conversations(gate, progress=progress)
                assert (report.conversations, report.messages) == (1, 2_100)

            group.start_soon(load)
            try:
                await written.wait()
                services = await other.open()
                known = await services.stores.messages.known([records[0]["uuid"]])
                [hidden] = known.values()
                assert len(await other.list_conversations()) == 0
                assert await other.search_messages("walrus") == []
                assert await other.find_similar_conversations("walrus") == []
                with pytest.raises(LookupError):
                    await other.load_conversation(hidden)
                # An import that runs is not a rest of a crash.
                assert await services.stores.conversations.sweep() == 0  # type: ignore[union-attr]  # memory is on
            finally:
                gate.opened.set()
        [info] = await other.list_conversations()
        assert (info.uuid, info.message_count, info.title) == (hidden, 2_100, "number 0 of the walrus")
        conversation = await other.load_conversation(info.uuid)
        assert [each.content for each in await conversation.get_history(3)] == [
            each["content"] for each in records[-3:]
        ]
        assert await other.search_messages("walrus", limit=1)


async def test_two_that_import_the_same_at_once_import_it_once(make_agent: MakeAgent) -> None:
    short = [long_one(4) for _ in range(12)]
    text = lines({"messages": each} for each in short).encode()
    async with make_agent() as one, make_agent() as two:
        reports = []

        async def load(agent: Any) -> None:
            reports.append(await agent.import_conversations(io.BytesIO(text), on_conflict="skip"))

        async with anyio.create_task_group() as group:
            group.start_soon(load, one)
            group.start_soon(load, two)
        assert sum(report.conversations for report in reports) == 12
        assert sum(report.skipped for report in reports) == 12
        assert len(await one.list_conversations()) == 12


def _client(settings: dict[str, Any], home: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(Path(__file__).with_name("client.py")), json.dumps(settings)],
        env={**os.environ, "RAGFORGE_HOME": str(home)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )


@pytest.mark.timeout(180)
async def test_what_a_kill_leaves_is_hidden_and_swept(
    make_agent: MakeAgent, neo4j_config: Neo4jConfig, cypher: Cypher, owner: Owner, home: Path
) -> None:
    records = long_one(2_100)
    settings = {"neo4j": neo4j_config.model_dump(mode="json"), "user_id": owner.user_id, "project": owner.project}
    client = _client(settings, home)
    assert client.stdin is not None
    assert client.stdout is not None

    def feed() -> bytes:
        assert client.stdin is not None
        assert client.stdout is not None
        client.stdin.write(lines(records[:1_500]).encode())
        client.stdin.flush()
        return client.stdout.readline()

    try:
        assert await anyio.to_thread.run_sync(feed) == b"1000\n"
    finally:
        client.kill()
        client.communicate()
    names = {"user_id": owner.user_id, "project": owner.project}
    assert cypher(OF_OWNER, **names) == [{"n": 1_001}]
    async with make_agent() as agent:
        await agent.drain()
        assert len(await agent.list_conversations()) == 0
        assert cypher(OF_OWNER, **names) == [{"n": 1_001}]
        # An hour later.
        cypher(
            "MATCH (c:Conversation {user_id: $user_id, project: $project}) "
            "SET c.import_until = c.import_until - duration('PT1H')",
            **names,
        )
        report = await agent.import_conversations(io.BytesIO(lines(records).encode()))
        assert (report.conversations, report.messages, report.failed) == (1, 2_100, 0)
        assert cypher(OF_OWNER, **names) == [{"n": 2_101}]
        kept = await (await agent.load_conversation(report.imported[0])).get_history(1_000)
        assert [each.uuid for each in kept] == [each["uuid"] for each in records[-1_000:]]


async def test_an_import_that_was_given_up_writes_no_more(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    records = long_one(2_100)
    gate = Gate(lines(records[:1_500]).encode(), lines(records[1_500:]).encode())
    written = anyio.Event()
    names = {"user_id": owner.user_id, "project": owner.project}
    async with make_agent() as agent, make_agent() as other:
        failed = []

        async def load() -> None:
            with pytest.raises(Exception, match="the import was given up") as caught:
                await agent.import_conversations(gate, progress=lambda _: written.set())
            failed.append(caught.value)

        async with anyio.create_task_group() as group:
            group.start_soon(load)
            try:
                await written.wait()
                cypher(
                    "MATCH (c:Conversation {user_id: $user_id, project: $project}) "
                    "SET c.import_until = c.import_until - duration('PT1H')",
                    **names,
                )
                services = await other.open()
                assert await services.stores.conversations.sweep() == 1  # type: ignore[union-attr]  # memory is on
            finally:
                gate.opened.set()
        assert failed
        assert cypher(OF_OWNER, **names) == [{"n": 0}]


async def test_cancelled_it_leaves_nothing(make_agent: MakeAgent, cypher: Cypher, owner: Owner) -> None:
    records = long_one(2_100)
    gate = Gate(lines(records[:1_500]).encode(), b"")
    written = anyio.Event()
    async with make_agent() as agent:
        async with anyio.create_task_group() as group:

            async def load() -> None:
                await agent.import_conversations(gate, progress=lambda _: written.set())

            group.start_soon(load)
            await written.wait()
            group.cancel_scope.cancel()
            gate.opened.set()
        assert cypher(OF_OWNER, user_id=owner.user_id, project=owner.project) == [{"n": 0}]
