"""Many small conversations of an archive are written together, and each is still whole or not at all."""

from __future__ import annotations

import io
import json
from collections import Counter
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory.errors import GraphUnavailable
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.restore import RestoreStore
from tests.archive.conftest import Graph, MakeAgent

pytestmark = pytest.mark.anyio

TIME = "2026-01-01T00:00:00Z"
SETTINGS = {"enable_summarization": False}
Records = list[dict[str, Any]]


def conversation(uuid: str, *texts: str, **head: Any) -> Records:
    """The lines of a conversation: questions and answers in turn, a tool call with each answer."""
    about: dict[str, Any] = {"uuid": uuid, "title": uuid, "status": "active", "created_at": TIME, "updated_at": TIME}
    records: Records = [{"record": "conversation", **about, "head_seq": len(texts), **head}]
    for seq, text in enumerate(texts, start=1):
        row: dict[str, Any] = {"record": "message", "uuid": f"{uuid}-{seq}", "seq": seq, "content": text}
        row |= {"role": "assistant" if seq % 2 == 0 else "user", "state": "complete", "timestamp": TIME}
        if seq % 2 == 0:
            result = {"uuid": f"{uuid}-r{seq}", "success": True, "result": seq, "timestamp": TIME}
            row["tool_calls"] = [
                {"uuid": f"{uuid}-c{seq}", "tool_name": "look", "arguments": {}, "timestamp": TIME, "result": result}
            ]
        records.append(row)
    return [*records, {"record": "end", "uuid": uuid, "messages": len(texts)}]


def archive(*conversations: Records) -> bytes:
    """The file."""
    records: Records = [{"record": "archive", "format": "ragforge-memory archive", "version": 1}]
    records += [record for each in conversations for record in each]
    records.append({"record": "done", "conversations": len(conversations)})
    return "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in records).encode()


@pytest.fixture
def names() -> list[str]:
    """Uuids that nobody has."""
    return [uuid4().hex for _ in range(12)]


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often which statement was sent."""
    counted: Counter[str] = Counter()
    for kind in ("read", "write"):
        real = getattr(GraphClient, kind)

        async def sent(self: GraphClient, name: str, /, *, _real: Any = real, **given: Any) -> Any:
            counted[name] += 1
            return await _real(self, name, **given)

        monkeypatch.setattr(GraphClient, kind, sent)
    return counted


def _small(names: list[str]) -> list[Records]:
    return [conversation(name, f"question of {name}", f"answer to {name}") for name in names]


async def test_some_statements_for_all(
    make_agent: MakeAgent, graph: Graph, names: list[str], statements: Counter[str]
) -> None:
    async with make_agent(settings=SETTINGS) as agent:
        statements.clear()
        report = await agent.import_conversations(io.BytesIO(archive(*_small(names))))
        assert (report.conversations, report.messages, report.tool_calls) == (12, 24, 12)
        assert list(report.imported) == names
        assert max(statements[name] for name in statements if "restore" in name) == 1
        assert not statements.keys() & {"taken_nodes", "restore_state", "session_holders"}
        for name in names:
            history = await (await agent.load_conversation(name)).get_history(include_tool_calls=True)
            assert [message.content for message in history] == [f"question of {name}", f"answer to {name}"]
            assert [call.result for call in history[1].tool_calls or ()] == [2]
        [row] = graph.run(
            "MATCH (c:Conversation {project: $project}) WHERE c.import_token IS NOT NULL RETURN count(*) AS n"
        )
        assert row["n"] == 0


async def test_what_is_here_is_in_the_way_of_itself_alone(
    make_agent: MakeAgent, graph: Graph, names: list[str], statements: Counter[str]
) -> None:
    async with make_agent(settings=SETTINGS) as agent:
        await agent.import_conversations(io.BytesIO(archive(*_small(names[4:6]))))
        file = archive(*_small(names))
        refused = await agent.import_conversations(io.BytesIO(file))
        assert (refused.conversations, refused.failed, list(refused.imported)) == (10, 2, names[:4] + names[6:])
        # A head and four lines each: the fifth conversation begins in line 18.
        assert [fault.place for fault in refused.errors] == ["line 18", "line 22"]
        seen = graph.seen()
        statements.clear()
        skipped = await agent.import_conversations(io.BytesIO(file), on_conflict="skip")
        assert (skipped.conversations, skipped.skipped, skipped.failed) == (0, 12, 0)
        assert statements["restore_state"] == 1
        assert graph.seen() == seen
        statements.clear()
        copied = await agent.import_conversations(io.BytesIO(file), on_conflict="copy")
        assert (copied.conversations, copied.messages, copied.failed) == (12, 24, 0)
        assert statements["restore_messages"] == 1
        assert not set(copied.imported) & set(names)
        [row] = graph.run("MATCH (m:Message {project: $project}) WHERE m.source_uuid IS NOT NULL RETURN count(*) AS n")
        assert row["n"] == 24


async def test_a_message_that_is_here_costs_its_conversation_alone(
    make_agent: MakeAgent, graph: Graph, names: list[str]
) -> None:
    async with make_agent(settings=SETTINGS) as agent:
        await agent.import_conversations(io.BytesIO(archive(*_small(names[:1]))))
        found = _small(names[1:])
        found[2][2]["uuid"] = f"{names[0]}-2"
        report = await agent.import_conversations(io.BytesIO(archive(*found)))
        assert (report.conversations, report.failed) == (10, 1)
        assert report.errors[0].place == "line 12"
        assert f"message {names[0]}-2 is in conversation {names[0]} already" in report.errors[0].message
        rows = graph.run("MATCH (c:Conversation {project: $project}) RETURN c.uuid AS uuid, c.status AS status")
        assert {row["uuid"] for row in rows} == set(names) - {names[3]}
        assert {row["status"] for row in rows} == {"active"}


async def test_what_is_wrong_is_named_by_its_line(make_agent: MakeAgent, graph: Graph, names: list[str]) -> None:
    async with make_agent(settings=SETTINGS) as agent:
        found = _small(names[:8])
        found[1][2]["seq"] = 7  # line 8: behind its conversation's last
        found[3][-1]["messages"] = 5  # line 17: its end
        del found[5][-1]  # line 25 begins the next one
        found[6][1]["content"] = 7  # line 26
        found[7][-1]["summaries"] = 1  # line 32: its end
        report = await agent.import_conversations(io.BytesIO(archive(*found)))
        assert [fault.place for fault in report.errors] == ["line 8", "line 17", "line 25", "line 26", "line 32"]
        assert list(report.imported) == [names[place] for place in (0, 2, 4)]
        assert len((await agent.list_conversations()).items) == 3
        [row] = graph.run("MATCH (n {project: $project}) WHERE n:Conversation OR n:Message RETURN count(*) AS n")
        assert row["n"] == 9


async def test_a_branch_is_written_after_what_it_begins_with(make_agent: MakeAgent, names: list[str]) -> None:
    trunk, branch, orphan, last = names[:4]

    def branched(uuid: str, parent: str) -> Records:
        records = conversation(uuid, "and now?", head_seq=3, message_count=1)
        records[0] |= {"lineage": [{"conversation_id": parent, "top": 2}], "branch": {"parent": parent, "from_seq": 2}}
        records[1]["seq"] = 3
        return records

    async with make_agent(settings=SETTINGS) as agent:
        file = archive(*_small([trunk]), branched(branch, trunk), branched(orphan, names[5]), *_small([last]))
        report = await agent.import_conversations(io.BytesIO(file))
        assert list(report.imported) == [trunk, branch, last]
        assert [fault.message.partition(":")[0] for fault in report.errors] == ["line 9"]
        history = await (await agent.load_conversation(branch)).get_history()
        assert [message.content for message in history] == [f"question of {trunk}", f"answer to {trunk}", "and now?"]


async def test_an_answer_follows_its_question_to_the_uuid_that_it_gets_here(
    make_agent: MakeAgent, graph: Graph, names: list[str]
) -> None:
    theirs, parent, branch, other = names[:4]
    both = conversation(parent, "q", "a", "b", "c")
    for number, row in enumerate(both[1:-1], start=1):  # another owner has messages of these uuids
        row["uuid"] = f"{theirs}-{number}"
    more = conversation(branch, "and now?", "so", head_seq=4)
    more[0] |= {"lineage": [{"conversation_id": parent, "top": 2}], "branch": {"parent": parent, "from_seq": 2}}
    more[1]["seq"], more[2]["seq"], more[2]["in_reply_to"] = 3, 4, f"{theirs}-1"
    async with make_agent(user_id="other", settings=SETTINGS) as agent:
        await agent.import_conversations(io.BytesIO(archive(conversation(theirs, "x", "y"))))
    async with make_agent(settings=SETTINGS) as agent:
        report = await agent.import_conversations(io.BytesIO(archive(both, more, conversation(other, "q", "a"))))
        assert (report.conversations, report.failed) == (3, 0), report.errors
        history = await (await agent.load_conversation(branch)).get_history()
    assert history[3].in_reply_to == history[0].uuid != f"{theirs}-1"


async def test_what_the_owner_imports_meanwhile_is_not_taken_for_somebody_elses(
    make_agent: MakeAgent, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here, new = (conversation(name, "q", "a") for name in names[:2])
    async with make_agent(settings=SETTINGS) as one, make_agent(settings=SETTINGS) as two:
        await one.import_conversations(io.BytesIO(archive(here)))  # what is in the way has the others looked for
        looked: list[str] = []

        def looking(name: str) -> None:
            real = getattr(RestoreStore, name)

            async def look(store: RestoreStore, *arguments: Any) -> Any:
                found = await real(store, *arguments)
                looked.append(name)
                if len(looked) == 1:
                    await two.import_conversations(io.BytesIO(archive(new)))
                return found

            monkeypatch.setattr(RestoreStore, name, look)

        looking("known")
        looking("taken")
        report = await one.import_conversations(io.BytesIO(archive(here, new)))
        assert (report.conversations, report.failed) == (0, 2)
        assert all("is here already" in error.message for error in report.errors)
        assert {info.uuid for info in (await one.list_conversations()).items} == set(names[:2])


@pytest.mark.parametrize("mine", [True, False], ids=["mine", "another's"])
async def test_what_somebody_makes_while_new_ones_are_begun(
    mine: bool, make_agent: MakeAgent, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing was looked for: the constraint finds it, and none of the others is left half begun."""
    found = _small(names[:3])
    owner = {} if mine else {"user_id": "other"}
    async with make_agent(settings=SETTINGS) as one, make_agent(settings=SETTINGS, **owner) as two:
        real = RestoreStore.begin_new

        async def begin_new(store: RestoreStore, *arguments: Any) -> None:
            monkeypatch.undo()
            await two.import_conversations(io.BytesIO(archive(found[1])))
            await real(store, *arguments)

        monkeypatch.setattr(RestoreStore, "begin_new", begin_new)
        report = await one.import_conversations(io.BytesIO(archive(*found)))
        assert (report.conversations, report.failed) == ((2, 1) if mine else (3, 0))
        listed = {info.uuid for info in (await one.list_conversations()).items}
        assert len(listed) == 3
        assert (names[1] in listed) is mine


async def test_new_ones_whose_writes_are_repeated(
    make_agent: MakeAgent, graph: Graph, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [conversation(name, "q", "a", session_id=f"s{name}", tags=["t"]) for name in names]
    async with make_agent(settings=SETTINGS) as agent:
        await agent.import_conversations(io.BytesIO(archive(*found)))
        seen = graph.seen()
        graph.forget()
        write = GraphClient.write
        ran: set[str] = set()

        async def twice(self: GraphClient, name: str, /, **given: Any) -> Any:
            ran.add(name)
            await write(self, name, **given)
            return await write(self, name, **given)

        monkeypatch.setattr(GraphClient, "write", twice)
        report = await agent.import_conversations(io.BytesIO(archive(*found)))
        assert (report.conversations, report.messages, report.failed) == (12, 24, 0)
        assert {"begin_new_restore", "restore_messages", "finish_restore"} <= ran
        assert graph.seen().differs(seen) == []


@pytest.mark.parametrize("late", [False, True], ids=["at once", "late"])
async def test_new_ones_whose_begin_had_no_answer(
    late: bool, make_agent: MakeAgent, graph: Graph, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The line broke, and the server was not there to be asked: what it made all the same, before or after they were
    looked for to be taken away, holds the next import back for no lease."""
    found = io.BytesIO(archive(*_small(names)))
    async with make_agent(settings=SETTINGS) as agent:
        write = GraphClient.write
        begun: dict[str, Any] = {}

        async def broken(self: GraphClient, name: str, /, **given: Any) -> Any:
            if name == "begin_new_restore":
                begun.update(given)
            if name == "begin_new_restore" and not late:
                await write(self, name, **given)
            raise GraphUnavailable("gone")

        monkeypatch.setattr(GraphClient, "write", broken)
        with pytest.raises(GraphUnavailable):
            await agent.import_conversations(found)
        monkeypatch.setattr(GraphClient, "write", write)
        if late:
            await agent._services.stores.graph.write("begin_new_restore", **begun)
        assert graph.run("MATCH (c:Conversation {project: $project}) RETURN count(c) AS n") == [{"n": 12}]
        found.seek(0)
        report = await agent.import_conversations(found)
        assert (report.conversations, report.messages, report.failed) == (12, 24, 0)
        assert not graph.run("MATCH (c:Conversation {project: $project, status: 'deleting'}) RETURN c.uuid")


async def test_a_session_that_is_here_is_in_the_way_of_new_ones(make_agent: MakeAgent, names: list[str]) -> None:
    async with make_agent(settings=SETTINGS) as agent:
        await agent.import_conversations(io.BytesIO(archive(conversation(names[0], "q", "a", session_id="s"))))
        found = [conversation(names[1], "q", "a"), conversation(names[2], "q", "a", session_id="s")]
        report = await agent.import_conversations(io.BytesIO(archive(*found)))
        assert (list(report.imported), report.failed) == ([names[1]], 1)
        assert names[0] in report.errors[0].message


async def test_what_answers_itself_or_shares_a_uuid_is_named_by_its_line(
    make_agent: MakeAgent, names: list[str]
) -> None:
    itself, each_other, shared, sound = (conversation(name, "q", "a") for name in names[:4])
    itself[2]["in_reply_to"] = itself[2]["uuid"]
    each_other[1]["in_reply_to"], each_other[2]["in_reply_to"] = each_other[2]["uuid"], each_other[1]["uuid"]
    shared[2]["tool_calls"][0]["uuid"] = shared[1]["uuid"]
    sound[0]["message_count"] = 99
    async with make_agent(settings=SETTINGS) as agent:
        report = await agent.import_conversations(io.BytesIO(archive(itself, each_other, shared, sound)))
        [info] = (await agent.list_conversations()).items
    assert [(error.place, error.message.split(": ")[1]) for error in report.errors] == [
        ("line 4", "in_reply_to"),
        ("line 7", "in_reply_to"),
        ("line 12", "tool_calls"),
    ]
    assert (info.uuid, info.message_count) == (names[3], 2)


async def test_a_large_one_between_small_ones(
    make_agent: MakeAgent, names: list[str], monkeypatch: pytest.MonkeyPatch, statements: Counter[str]
) -> None:
    monkeypatch.setattr("ragforge_memory.archive.groups.BATCH_RECORDS", 9)
    monkeypatch.setattr("ragforge_memory.archive.lines.BATCH_RECORDS", 9)
    found = _small(names[:5])
    found[2] = conversation(names[2], *(f"text {number}" for number in range(20)))
    async with make_agent(settings=SETTINGS) as agent:
        statements.clear()
        report = await agent.import_conversations(io.BytesIO(archive(*found)))
        assert (list(report.imported), report.messages, report.failed) == (names[:5], 28, 0)
        assert statements["restore_messages"] == 5
        assert statements["finish_restore"] == 3


async def test_a_group_whose_graph_goes_away(
    make_agent: MakeAgent, graph: Graph, names: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    real = GraphClient.write

    async def write(self: GraphClient, name: str, /, **given: Any) -> Any:
        if name == "finish_restore":
            raise GraphUnavailable("gone")
        return await real(self, name, **given)

    async with make_agent(settings=SETTINGS) as agent:
        with monkeypatch.context() as patched:
            patched.setattr(GraphClient, "write", write)
            with pytest.raises(GraphUnavailable, match="gone"):
                await agent.import_conversations(io.BytesIO(archive(*_small(names))))
        assert not graph.run("MATCH (n {project: $project}) WHERE n:Conversation OR n:Message RETURN n.uuid")
        assert (await agent.import_conversations(io.BytesIO(archive(*_small(names))))).conversations == 12
