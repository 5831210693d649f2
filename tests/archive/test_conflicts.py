"""What is here already: refused, left alone, or copied under new uuids; and what somebody else holds."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import InvalidInput
from tests.archive.conftest import Graph, MakeAgent, Seen
from tests.archive.story import STEPS, project, told, weigh
from tests.archive.test_groups import archive, conversation

pytestmark = pytest.mark.anyio

SETTINGS = {"summarize_every": 3}
ASIDE = ("source_uuid", "session_id", "exported_at")


async def _texts(conversation: Any) -> list[str]:
    return [message.content for message in await conversation.get_history(limit=1000)]


def _shape(document: dict[str, Any]) -> str:
    """A document with each uuid as the place where it is named first, so that copies are equal."""
    names: dict[str, str] = {}

    def named(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: named(item) for key, item in value.items() if key not in ASIDE}
        if isinstance(value, list):
            return [named(item) for item in value]
        if isinstance(value, str) and len(value) == 32 and all(letter in "0123456789abcdef" for letter in value):
            return names.setdefault(value, f"name {len(names)}")
        return value

    return json.dumps(named({**document, "conversations": document["conversations"]}), sort_keys=True)


async def test_here_already(make_agent: MakeAgent, graph: Graph) -> None:
    async with make_agent("a1", "b1") as agent:
        trunk = await agent.open_conversation("s")
        await trunk.send_message("q1")
        branch = await trunk.branch()
        await branch.send_message("q2")
        document = await trunk.export()
        seen = graph.seen()
        with pytest.raises(InvalidInput, match="is here already"):
            await agent.import_conversation(document)
        same = await agent.import_conversation(document, on_conflict="skip")
        assert same.uuid == trunk.uuid
        assert graph.seen() == seen
        copy = await agent.import_conversation(document, on_conflict="copy", title="Copy")
        assert (copy.title, copy.session_id) == ("Copy", None)
        copied = await copy.export()
        assert len(copied["conversations"]) == 2
        before = {each["uuid"] for one in document["conversations"] for each in (one, *one["messages"])}
        after = {each["uuid"] for one in copied["conversations"] for each in (one, *one["messages"])}
        assert not before & after
        assert {each["source_uuid"] for one in copied["conversations"] for each in (one, *one["messages"])} == before
        copied["conversations"][0]["title"] = document["conversations"][0]["title"]
        copied["conversations"][0]["title_source"] = document["conversations"][0].get("title_source")
        document["conversations"][0].setdefault("title_source", None)
        assert _shape(copied) == _shape(document)


async def test_of_somebody_else(make_agent: MakeAgent, graph: Graph, tmp_path: Path) -> None:
    async with make_agent(*STEPS, tools=[weigh], root=project(tmp_path), settings=SETTINGS) as agent:
        await agent.ingest()
        family = await told(agent)
        document = await family["trunk"].export()
        theirs = await family["leaf"].export()
        seen = graph.seen()
    other = graph.owner.user_id + "-2"
    async with make_agent(user_id=other, settings=SETTINGS) as agent:
        mine = await agent.import_conversation(document)
        assert mine.uuid != family["trunk"].uuid
        assert await _texts(mine) == [each["content"] for each in document["conversations"][0]["messages"]]
        again = await mine.export()
        assert [len(each["messages"]) for each in again["conversations"]] == [
            len(each["messages"]) for each in document["conversations"]
        ]
        # What was anchored for both is the project's, and keeps its name; receipts name the owner's own prompts.
        assert [each["anchors"] for each in again["conversations"] if "anchors" in each] == [
            each["anchors"] for each in document["conversations"] if "anchors" in each
        ]
        answer = [each for each in again["conversations"][0]["messages"] if each.get("receipt")][-1]
        assert (await mine.as_of(answer["uuid"])).context is not None
        with pytest.raises(InvalidInput, match="is here already, as"):
            await agent.import_conversation(theirs)  # it came with its trunk
        leaf = await agent.import_conversation(theirs, on_conflict="copy")
        assert (await _texts(leaf))[-1] == "on the leaf"
        await leaf.delete()
        await mine.delete()
        for each in (await agent.list_conversations()).items:
            await (await agent.load_conversation(each.uuid)).delete()
    assert graph.seen() == seen
    [row] = graph.run("MATCH (n) WHERE n.user_id = $other AND NOT n:User RETURN count(n) AS n", other=other)
    assert row["n"] == 0


async def test_of_somebody_else_again(make_agent: MakeAgent, graph: Graph, tmp_path: Path) -> None:
    backup = tmp_path / "backup.jsonl"
    async with make_agent("a1", "a2") as agent:
        for _ in range(2):
            conversation = await agent.create_conversation(title="Hers")
            await conversation.send_message("q")
        document = await conversation.export()
        await agent.export_all(backup)
    async with make_agent(user_id="bob") as bob:
        first = await bob.import_conversations(backup)
        assert (first.conversations, first.skipped, first.failed) == (2, 0, 0)
        seen = graph.seen()
        refused = await bob.import_conversations(backup)
        assert (refused.conversations, refused.skipped, refused.failed) == (0, 0, 2)
        assert "is here already, as " in refused.errors[0].message
        skipped = await bob.import_conversations(backup, on_conflict="skip")
        assert (skipped.conversations, skipped.skipped, skipped.failed) == (0, 2, 0)
        with pytest.raises(InvalidInput, match="is here already"):
            await bob.import_conversation(document)
        same = await bob.import_conversation(document, on_conflict="skip")
        assert same.uuid in {each.uuid for each in await bob.list_conversations()}
        assert graph.seen() == seen
        copied = await bob.import_conversations(backup, on_conflict="copy")
        assert (copied.conversations, copied.failed) == (2, 0)


async def test_a_branch_first_and_then_the_whole(make_agent: MakeAgent, graph: Graph) -> None:
    async with make_agent("a1", "a2", "b1", settings=SETTINGS) as agent:
        trunk = await agent.create_conversation()
        await trunk.send_message("q1")
        await trunk.send_message("q2")
        branch = await trunk.branch((await trunk.get_history())[1].uuid)
        await branch.send_message("q3")
        await agent.drain()
        documents = [await branch.export(), await trunk.export()]
        seen = graph.seen()
        graph.forget()
        alone = await agent.import_conversation(documents[0])
        assert [each.uuid for each in (await agent.list_conversations()).items] == [branch.uuid]
        assert await _texts(alone) == ["q1", "a1", "q3", "b1"]
        # What the branch shares is here; only the rest is written, and it is whole again.
        whole = await agent.import_conversation(documents[1])
        assert await _texts(whole) == ["q1", "a1", "q2", "a2"]
        assert graph.seen().differs(seen) == []


@pytest.mark.parametrize(("choice", "as_file"), [("fail", True), ("skip", False)])
async def test_a_branch_whose_beginning_is_here_in_part(
    make_agent: MakeAgent, graph: Graph, tmp_path: Path, choice: str, as_file: bool
) -> None:
    async with make_agent("a1", "a2", "b1", "c1", settings=SETTINGS) as agent:
        trunk = await agent.create_conversation()
        await trunk.send_message("q1")
        await trunk.send_message("q2")
        said = await trunk.get_history()
        branch, shorter = await trunk.branch(said[3].uuid), await trunk.branch(said[1].uuid)
        await branch.send_message("q3")
        await shorter.send_message("q4")
        await trunk.delete()
        await agent.drain()
        backup = tmp_path / "backup.jsonl"
        document = await branch.export()
        await agent.export_all(backup)
        seen = graph.seen()
        await branch.delete()  # with it goes what the other branch does not share
        if as_file:
            report = await agent.import_conversations(backup, on_conflict=choice)
            assert report.failed == (choice == "fail"), report.errors
            assert branch.uuid in report.imported
        else:
            assert (await agent.import_conversation(document, on_conflict=choice)).uuid == branch.uuid
        assert await _texts(branch) == ["q1", "a1", "q2", "a2", "q3", "b1"]
        assert await _texts(shorter) == ["q1", "a1", "q4", "c1"]
        assert graph.seen().differs(seen) == []


async def test_what_begins_as_nothing_here_does_is_copied_with_its_beginning(
    make_agent: MakeAgent, graph: Graph
) -> None:
    async with make_agent("a1", "b1") as agent:
        trunk = await agent.create_conversation()
        await trunk.send_message("q1")
        branch = await trunk.branch()
        await branch.send_message("q2")
        document = await branch.export()
        await branch.delete()
        other = uuid4().hex
        document = json.loads(json.dumps(document).replace((await trunk.get_history())[-1].uuid, other))
        with pytest.raises(InvalidInput, match="with other messages"):
            await agent.import_conversation(document)
        copy = await agent.import_conversation(document, on_conflict="copy")
        assert await _texts(copy) == ["q1", "a1", "q2", "b1"]
        assert await _texts(trunk) == ["q1", "a1"]


async def test_a_session_that_is_taken(make_agent: MakeAgent, graph: Graph) -> None:
    async with make_agent("a1") as agent:
        one = await agent.open_conversation("s")
        await one.send_message("q1")
        document = await one.export()
        graph.forget()
        two = await agent.open_conversation("s")
        with pytest.raises(InvalidInput, match="here already"):
            await agent.import_conversation(document)
        assert (await agent.import_conversation(document, on_conflict="skip")).uuid == two.uuid
        assert (await agent.import_conversation(document, on_conflict="copy")).session_id is None


async def test_messages_that_are_here_in_another_conversation_are_skipped(
    make_agent: MakeAgent, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    here, there, last = (conversation(uuid4().hex, "q1", "a1", "q2") for _ in range(3))
    for place in (2, 3):
        there[place] = here[place]
    document = {
        "format": "ragforge-memory archive",
        "version": 1,
        "conversation": there[0]["uuid"],
        "conversations": [
            {name: value for name, value in there[0].items() if name != "record"}
            | {"messages": [{n: v for n, v in each.items() if n != "record"} for each in there[1:-1]]}
        ],
    }
    async with make_agent() as agent:
        [uuid] = (await agent.import_conversations(io.BytesIO(archive(here)))).imported
        seen = graph.seen()
        for size in (1_000, 2):  # in one batch, and in some
            monkeypatch.setattr("ragforge_memory.archive.lines.BATCH_RECORDS", size)
            report = await agent.import_conversations(io.BytesIO(archive(there, last)), on_conflict="skip")
            assert (report.conversations, report.skipped, report.failed) == (1, 1, 0), report.errors
            await (await agent.load_conversation(report.imported[0])).delete()
            assert graph.seen() == seen
        assert (await agent.import_conversation(document, on_conflict="skip")).uuid == uuid
        with pytest.raises(InvalidInput, match="already"):
            await agent.import_conversation(document)
        report = await agent.import_conversations(io.BytesIO(json.dumps(document).encode()), on_conflict="skip")
        assert (report.conversations, report.skipped, report.imported) == (0, 1, ())
        assert graph.seen() == seen
        # Nobody can be given what was deleted and is shared by a branch.
        talk = await agent.load_conversation(uuid)
        await talk.branch()
        await talk.delete()
        report = await agent.import_conversations(io.BytesIO(archive(there)), on_conflict="skip")
        assert (report.skipped, report.failed) == (0, 1)
        with pytest.raises(InvalidInput, match="already"):
            await agent.import_conversation(document, on_conflict="skip")


async def test_a_uuid_twice_in_one_conversation_is_no_conflict(
    make_agent: MakeAgent, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.archive.lines.BATCH_RECORDS", 2)
    monkeypatch.setattr("ragforge_memory.archive.groups.BATCH_RECORDS", 2)
    odd = conversation(uuid4().hex, *(f"text {number}" for number in range(6)))
    odd[5]["uuid"] = odd[1]["uuid"]
    async with make_agent() as agent:
        for choice in ("fail", "skip", "copy"):
            report = await agent.import_conversations(io.BytesIO(archive(odd)), on_conflict=choice)
            assert (report.skipped, report.failed, report.conversations) == (0, 1, 0)
            assert "was there before" in report.errors[0].message
            assert graph.seen() == Seen()


async def test_what_a_file_has_several_times_is_copied_each_time(
    make_agent: MakeAgent, graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ragforge_memory.archive.groups.BATCH_RECORDS", 2)
    same, other = conversation(uuid4().hex, "q1", "a1"), conversation(uuid4().hex, "q2", "a2")
    async with make_agent() as agent:
        await agent.import_conversations(io.BytesIO(archive(same)))
        file = archive(same, same, other, same, other, same)
        report = await agent.import_conversations(io.BytesIO(file), on_conflict="copy")
        assert (report.conversations, report.messages, report.failed) == (6, 12, 0), report.errors
        assert len(set(report.imported)) == 6
        assert len((await agent.list_conversations()).items) == 7
        for uuid in report.imported:
            said = await _texts(await agent.load_conversation(uuid))
            assert said in (["q1", "a1"], ["q2", "a2"])


async def test_what_a_copy_decides_is_told_once(make_agent: MakeAgent) -> None:
    async with make_agent("a", "b", "c") as agent:
        trunk = await agent.create_conversation()
        await trunk.send_message("We decided that the limit is 5.")
        await trunk.send_message("note: the port is 8080")
        await agent.import_conversation(await trunk.export(), on_conflict="copy")
        # The same once more is another time that it was said.
        await trunk.send_message("note: the port is 8080")
        told = ["note: the port is 8080", "note: the port is 8080", "We decided that the limit is 5."]
        assert [each.text for each in await agent.decisions()] == told
        paged = []
        page = await agent.decisions(limit=1)
        paged += page.items
        while page.next_cursor:
            page = await agent.decisions(limit=1, cursor=page.next_cursor)
            paged += page.items
        assert [each.text for each in paged] == told
        await trunk.delete()
        assert [each.text for each in await agent.decisions()] == told[1:]
