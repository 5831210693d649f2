"""Lines and nodes: which comes first, what a crash leaves, two who write, and what files hold."""

from __future__ import annotations

import asyncio
import json
import re
import stat
from pathlib import Path
from typing import Any

import anyio
import pytest

from ragforge_memory import AsyncConversation, AsyncConversationAgent, ConversationNotFound
from ragforge_memory.errors import ConversationFileError, GraphUnavailable
from ragforge_memory.graph.client import GraphClient
from ragforge_memory.graph.filed import client as filed_client
from ragforge_memory.graph.filed.client import READS, WRITES
from ragforge_memory.graph.filed.conversation_file import ConversationFile
from ragforge_memory.graph.messages import NewMessage
from ragforge_memory.graph.queries import all_statements
from ragforge_memory.llm.port import ToolRequest
from tests.persistence.conftest import Graph, Keeping

pytestmark = pytest.mark.anyio

ANSWER = [[ToolRequest("1", "weigh", {"thing": "stone"})], "seven grams"]


async def _asked(agent: AsyncConversationAgent) -> AsyncConversation:
    conversation = await agent.create_conversation(title="Weights")
    await conversation.send_message("what does it weigh?")
    return conversation


def _file(tmp_path: Path, conversation: AsyncConversation) -> Path:
    return tmp_path / "conversations" / f"{conversation.uuid}.jsonl"


async def _contents(conversation: AsyncConversation) -> list[str]:
    return [message.content for message in await conversation.get_history()]


# --- what is where ----------------------------------------------------------------------------------------------------


async def test_only_who_wrote_them_reads_the_files(keeping: Keeping, tmp_path: Path) -> None:
    async with keeping("files", *ANSWER) as agent:
        path = _file(tmp_path, await _asked(agent))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    question, answer = map(json.loads, path.read_text().splitlines())
    assert (question["role"], question["content"]) == ("user", "what does it weigh?")
    assert answer["content"] == "seven grams"
    assert json.loads(answer["tool_calls"][0]["result"])["grams"] == 7
    assert (path.parent / ".gitignore").read_text() == "*\n"


async def test_tools_that_read_the_projects_files_keep_out(keeping: Keeping, tmp_path: Path) -> None:
    from ragforge_memory.tools.project_files import inside, text_files

    async with keeping("files", *ANSWER) as agent:
        path = _file(tmp_path, await _asked(agent))
    (tmp_path / "kept.txt").write_text("kept")
    relative = path.relative_to(tmp_path).as_posix()
    assert inside(tmp_path, relative) is None
    assert inside(tmp_path, "kept.txt") is not None
    assert relative not in list(text_files(tmp_path))
    for command in ("init", "-q"), ("add", "--force", relative):
        await anyio.run_process(["git", "-C", str(tmp_path), *command])
    assert "kept.txt" in list(text_files(tmp_path))
    assert relative not in list(text_files(tmp_path)), "not where somebody has given it to git either"


def test_every_statement_with_texts_of_messages_is_known() -> None:
    """What reads or writes such texts goes through the files; the exceptions are of code, summaries and insights."""
    texts = re.compile(r"\bm\w*\.(?:content|reasoning|provider_parts)|\.content, \.(?:token_count, \.state|reasoning)|"
                       r"\.arguments|result\.result|\$message\b|\bx\.content|"
                       r"\.content, \.(?:in_reply_to|kind)")  # fmt: skip
    known = READS | WRITES | {"search_history_text", "search_owner_text", "archive_sizes"}
    # The condition that a message has text is asked of has_text first; the others ask whether the graph has none. Of
    # what is in files no name is known afterwards.
    aside = {"due_summaries", "filed_texts", "filed_lost", "mark_filed", "untied_messages"}
    # Of memories, which are in the graph.
    aside |= {"memory_contents", "memory_versions", "forget_memory"}
    aside |= {"claim_operations", "queue_operation", "end_operation", "memory_operation"}
    aside |= {"memory_to_erase", "archive_owned_memories", "restore_memory", "left_statements"}
    aside |= {"pending_memory_embeddings"}
    # Of what a plain driver wrote, which is in the graph.
    aside |= {"clear_places", "unclaimed_times", "unclaimed_messages", "claim_messages"}
    found = {name for name, variants in all_statements().items() if any(texts.search(each.text) for each in variants)}
    assert found - aside <= known
    whole = {"import_messages", "complete_imported", "restore_messages", "restore_messages_with_vectors"}
    assert known - found <= whole | {"archive_messages"}


async def test_decisions_are_read_from_files_and_what_is_lost_is_left_out(keeping: Keeping, tmp_path: Path) -> None:
    async with keeping("files", "fine", "fine", "fine") as agent:
        lost = await agent.create_conversation()
        await lost.send_message("We decided on tabs.")
        kept = await agent.create_conversation()
        await kept.send_message("We decided on UTC.")
        branch = await kept.branch(title="Branch")
        await branch.send_message("We decided to ship it.")
        found = [each.text for each in await agent.decisions()]
        assert found == ["We decided to ship it.", "We decided on UTC.", "We decided on tabs."]
        _file(tmp_path, lost).unlink()
        assert [each.text for each in await agent.decisions()] == found[:2]


async def test_an_agent_without_files_says_that_some_are_not_looked_at(
    keeping: Keeping, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async with keeping("files", "fine") as agent:
        await (await agent.create_conversation()).send_message("We decided that zebras are counted.")
        assert await agent.decisions()
        assert "in files" not in caplog.text
    async with keeping("neo4j") as agent:
        assert not await agent.decisions()
        assert not await agent.search_messages("zebras")
    assert caplog.text.count("1 conversation has its texts in files, not looked at here: set agent.memory") == 1
    # What it says of moving them is so.
    async with keeping("files") as agent:
        await agent.export_all(tmp_path / "all.jsonl")
        await agent.delete_expired_conversations(keep=0)
    caplog.clear()
    async with keeping("neo4j") as agent:
        await agent.import_conversations(tmp_path / "all.jsonl")
        assert [each.text for each in await agent.decisions()] == ["We decided that zebras are counted."]
    assert "in files" not in caplog.text


async def test_an_agent_without_files_leaves_its_summary_to_those_who_have_them(keeping: Keeping, graph: Graph) -> None:
    summarized = {"enable_summarization": True, "summarize_every": 2}
    async with keeping("files", *ANSWER) as agent:
        conversation = await _asked(agent)
    graph.run("MATCH (c:Conversation {uuid: $uuid}) SET c:PendingSummary", uuid=conversation.uuid)
    waiting = "MATCH (c:PendingSummary {uuid: $uuid}) RETURN c.summary AS summary"
    async with keeping("neo4j", settings=summarized) as agent:
        await agent.drain()
    assert graph.run(waiting, uuid=conversation.uuid) == [{"summary": None}]
    async with keeping("files", "About a stone.", settings=summarized) as agent:
        await agent.drain()
        assert (await agent.load_conversation(conversation.uuid)).info.summary
    assert graph.run(waiting, uuid=conversation.uuid) == []


async def test_what_was_said_before_in_the_graph_goes_on_in_files(keeping: Keeping, tmp_path: Path) -> None:
    async with keeping("neo4j", *ANSWER) as agent:
        conversation = await _asked(agent)
    async with keeping("files", "again seven") as agent:
        moved = await agent.load_conversation(conversation.uuid)
        await moved.send_message("and now?")
        assert await _contents(moved) == ["what does it weigh?", "seven grams", "and now?", "again seven"]
        assert len(_file(tmp_path, moved).read_text().splitlines()) == 2
        assert (await moved.refresh()).file_path == f"conversations/{moved.uuid}.jsonl"


async def test_a_folder_with_other_files_is_refused(keeping: Keeping, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    for directory in (".", "taken"):
        (tmp_path / "taken").mkdir(exist_ok=True)
        (tmp_path / "taken" / "notes.txt").write_text("mine")
        agent = keeping("files", *ANSWER, settings={"persistence_directory": directory})
        with pytest.raises(ConversationFileError, match="other files"):
            await agent.open()
    assert sorted(path.name for path in (tmp_path / "taken").iterdir()) == ["notes.txt"]


# --- a line without a node, a node without a line ---------------------------------------------------------------------


async def _without_last_nodes(graph: Graph, conversation: AsyncConversation, number: int) -> None:
    """What a process leaves that is killed between line and node."""
    graph.run(
        "MATCH (c:Conversation {uuid: $uuid}) MATCH (m:Message {conversation_id: c.uuid}) WITH c, m "
        "ORDER BY m.seq DESC LIMIT $number OPTIONAL MATCH (m)-[:MADE_TOOL_CALL]->(t) "
        "OPTIONAL MATCH (t)-[:PRODUCED_RESULT]->(r) DETACH DELETE r, t WITH DISTINCT c, m DETACH DELETE m "
        "WITH DISTINCT c SET c.head_seq = c.head_seq - $number, c.message_count = c.message_count - $number",
        uuid=conversation.uuid,
        number=number,
    )


async def test_a_line_without_a_node_is_taken_up_at_the_next_load(
    keeping: Keeping, graph: Graph, tmp_path: Path
) -> None:
    async with keeping("files", *ANSWER, "eight") as agent:
        conversation = await _asked(agent)
        await conversation.send_message("and this?")
        before = await conversation.get_history()
    await _without_last_nodes(graph, conversation, 2)
    written = _file(tmp_path, conversation).read_text()
    for _ in range(2):
        async with keeping("files") as agent:
            loaded = await agent.load_conversation(conversation.uuid)
            after = await loaded.get_history()
            assert loaded.message_count == 4
            assert [(m.uuid, m.seq, m.content, m.in_reply_to) for m in after] == [
                (m.uuid, m.seq, m.content, m.in_reply_to) for m in before
            ]
            assert [m.tool_calls for m in after] == [m.tool_calls for m in before]
    assert _file(tmp_path, conversation).read_text() == written


async def test_it_is_taken_up_before_the_next_message_too(keeping: Keeping, graph: Graph) -> None:
    async with keeping("files", *ANSWER, "eight") as agent:
        conversation = await _asked(agent)
    await _without_last_nodes(graph, conversation, 1)
    async with keeping("files", "eight") as agent:
        services = await agent.open()
        [row] = await GraphClient.read(
            services.stores.graph, "get_conversation", uuid=conversation.uuid, **services.place.owner.parameters
        )
        assert row["conversation"]["message_count"] == 1
        same = AsyncConversation(agent, conversation.info)
        await same.send_message("and this?")
        assert await _contents(same) == ["what does it weigh?", "seven grams", "and this?", "eight"]


async def test_a_node_without_its_line_is_an_error_that_names_the_file(keeping: Keeping, tmp_path: Path) -> None:
    async with keeping("files", *ANSWER) as agent:
        conversation = await _asked(agent)
        path = _file(tmp_path, conversation)
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(lines[0])
        with pytest.raises(ConversationFileError, match=path.name) as refused:
            await conversation.get_history()
        assert "backup" in str(refused.value.hint)
        path.unlink()
        with pytest.raises(ConversationFileError, match=path.name):
            await conversation.get_tool_calls()
        with pytest.raises(ConversationFileError) as refused:
            await conversation.delete()
        assert "empty" in str(refused.value.hint)
        path.touch()  # so it says that the file is lost, and not in another folder
        await conversation.delete()
        assert not path.exists()
        with pytest.raises(ConversationNotFound):
            await agent.load_conversation(conversation.uuid)


async def test_what_the_graph_refuses_leaves_no_line(keeping: Keeping, tmp_path: Path) -> None:
    async with keeping("files", *ANSWER, "no") as agent:
        conversation = await _asked(agent)
        await conversation.delete()
        with pytest.raises(ConversationNotFound):
            await conversation.send_message("secret after the end")
        assert not _file(tmp_path, conversation).exists()


async def test_a_deleted_conversation_gets_no_file_again_from_who_is_killed(
    keeping: Keeping, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping("files", "a1") as agent, keeping("files") as other:
        conversation = await agent.create_conversation()
        await conversation.send_message("q1")
        await (await other.load_conversation(conversation.uuid)).delete()
        assert not _file(tmp_path, conversation).exists()
        write = GraphClient.write

        async def killed(self: GraphClient, name: str, /, **options: Any) -> Any:
            if name == "append_message":
                raise GraphUnavailable("the process ends between line and node")
            return await write(self, name, **options)

        monkeypatch.setattr(GraphClient, "write", killed)
        services = await agent.open()
        new = NewMessage(uuid="1" * 32, role="user", content="q2")
        with pytest.raises(ConversationNotFound):
            await services.stores.messages.append(conversation.uuid, new, title=None, recover=False)
        assert not _file(tmp_path, conversation).exists()


# --- two who write ----------------------------------------------------------------------------------------------------


async def test_two_processes_append_to_one_conversation(keeping: Keeping, tmp_path: Path) -> None:
    async with keeping("files", *["one"] * 6) as first, keeping("files", *["two"] * 6) as second:
        here = await first.open_conversation("shared")
        there = await second.open_conversation("shared")
        for number in range(6):
            await asyncio.gather(here.send_message(f"one {number}"), there.send_message(f"two {number}"))
        history = await here.get_history()
        assert [message.seq for message in history] == list(range(1, 25))
        assert await there.get_history() == history
        lines = [json.loads(line) for line in _file(tmp_path, here).read_text().splitlines()]
        assert [line["uuid"] for line in lines] == [message.uuid for message in history]


async def test_a_turn_does_not_wait_long_for_a_lock_that_somebody_keeps(
    keeping: Keeping, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with keeping("files", "a1", "a2", "a3") as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("q1")
        services = await agent.open()
        texts: Any = services.stores.graph._texts  # type: ignore[attr-defined]
        async with type(texts)(texts.path.parent, "conversations").held([conversation.uuid]):
            with monkeypatch.context() as brief:
                brief.setattr(filed_client, "TURN_LOCK_SECONDS", 0.2)
                async with asyncio.timeout(60):
                    assert (await conversation.send_message("q2")).degraded == ("graph",)
        await services.background.outage.over()
        assert (await conversation.send_message("q3")).degraded == ()
        assert [each.content for each in await conversation.get_history()] == ["q1", "a1", "q2", "a2", "q3", "a3"]


async def test_a_full_disk_under_the_files_fails_no_turn_and_loses_nothing(
    keeping: Keeping, monkeypatch: pytest.MonkeyPatch, home: Path
) -> None:
    append, full = ConversationFile.append, False

    def refusing(self: ConversationFile, *arguments: Any, **options: Any) -> Any:
        if full:
            raise ConversationFileError("No space left on device", hint="make room")
        return append(self, *arguments, **options)

    monkeypatch.setattr(ConversationFile, "append", refusing)
    async with keeping("files", "a1", "a2", "a3") as agent:
        conversation = await agent.create_conversation()
        await conversation.send_message("q1")
        full = True
        assert (await conversation.send_message("q2")).degraded == ("graph",)
        full = False
        await (await agent.open()).background.outage.over()
        assert (await conversation.send_message("q3")).degraded == ()
        history = await conversation.get_history()
        assert [each.content for each in history] == ["q1", "a1", "q2", "a2", "q3", "a3"]
        assert [each.in_reply_to for each in history[1::2]] == [each.uuid for each in history[::2]]
    assert list((home / "journal").glob("*")) == []
