"""Create, use, delete: the graph has what it had before, and no file of ours a word of it."""

from __future__ import annotations

import contextlib
import json
import logging
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from ragforge_memory import AsyncConversationAgent, ConversationNotFound, InvalidInput
from ragforge_memory.config import Neo4jConfig
from ragforge_memory.graph.journal import Journal, JournalFile
from ragforge_memory.graph.journal_lines import JournalTurn, read_journal
from ragforge_memory.llm.port import ToolRequest
from ragforge_memory.llm.scripted import ScriptedProvider
from ragforge_memory.models.owner import Owner
from tests.agent.conftest import MakeAgent
from tests.archive.conftest import Graph
from tests.archive.story import STEPS, project, told, weigh
from tests.deletion.counts import counts, hanging, uuids

pytestmark = pytest.mark.anyio

SETTINGS = {"summarize_every": 3}
SECRET = "hippopotamus"


def _files_with(folder: Path, text: str) -> list[str]:
    return [str(path) for path in folder.rglob("*") if path.is_file() and text.encode() in path.read_bytes()]


async def _used(agent: AsyncConversationAgent) -> list[str]:
    """A family with all that a family can have, and one that is tied to it by references, marks and a reused result."""
    family = await told(agent)
    trunk = family["trunk"]
    history = await trunk.get_history(limit=100)
    await agent.find_similar_conversations("What does much weigh?")
    await agent.search_messages("weigh")
    await trunk.referenced_code()
    await trunk.reference_code(history[0].uuid, ["scramble"])
    return [each.uuid for each in family.values()]


async def test_create_use_delete(
    make_agent: MakeAgent, either_place: tuple[Neo4jConfig, Graph], tmp_path: Path
) -> None:
    config, there = either_place
    root = project(tmp_path)
    async with make_agent(*STEPS, tools=[weigh], root=root, settings=SETTINGS, neo4j=config) as agent:
        await agent.ingest()
        before = counts(there)
        made = await _used(agent)
        await agent.drain()
        used = counts(there)
        assert {"Summary", "Insight", "Prompt", "CodeAnchor", "ToolResult"} <= used[0].keys()
        assert {"USED_CONTEXT", "MERGED_FROM", "HAS_BRANCH", "RESOLVES_TO", "USED_PROMPT"} <= used[1].keys()
        known = uuids(there)
        for uuid in made:
            await (await agent.load_conversation(uuid)).delete()
            with pytest.raises(ConversationNotFound):
                await agent.load_conversation(uuid)
        assert counts(there) == before
        assert hanging(there, known) == []


async def test_what_others_use_stays(make_agent: MakeAgent, graph: Graph, tmp_path: Path) -> None:
    """Another conversation's and another user's anchors and texts are theirs as long as they live."""
    root = project(tmp_path)
    says = ["`scramble` is it.", "`scramble` and `check_password`.", "`scramble` again."]
    async with make_agent(*says, root=root) as agent, make_agent(says[2], root=root, user_id="another") as other:
        await agent.ingest()
        bare = counts(graph)
        first = await agent.create_conversation("First")
        await first.send_message("Which?")
        theirs = await other.create_conversation("Theirs")
        await theirs.send_message("Which?")
        alone = counts(graph)
        second = await agent.create_conversation("Second")
        await second.send_message("Which?")
        assert counts(graph)[0]["CodeAnchor"] == 2
        await second.delete()
        assert counts(graph) == alone
        assert alone[0]["CodeAnchor"] == 1
        assert alone[0]["Prompt"] > 0
        await first.delete()
        assert (counts(graph)[0]["CodeAnchor"], counts(graph)[0]["Prompt"]) == (1, 0)
        await theirs.delete()
        assert counts(graph) == bare


async def test_a_text_goes_with_the_part_of_a_shared_conversation_that_used_it(
    make_agent: MakeAgent, graph: Graph
) -> None:
    says = ScriptedProvider(["One."], loop=True)
    async with make_agent(provider=says, settings={"system_prompt": "Be kind."}) as agent:
        trunk = await agent.create_conversation("Trunk")
        await trunk.send_message("One?")
        branch = await trunk.branch(title="Branch")
        kind = {row["t"] for row in graph.run("MATCH (p:Prompt {user_id: $user_id}) RETURN p.text AS t")}
        async with make_agent(provider=says, settings={"system_prompt": "Be brief."}) as brief:
            await (await brief.load_conversation(trunk.uuid)).send_message("Two?")
        await trunk.delete()
        assert {row["t"] for row in graph.run("MATCH (p:Prompt {user_id: $user_id}) RETURN p.text AS t")} == kind
        assert [message.content for message in await branch.get_history()] == ["One?", "One."]
        as_it_was = await branch.as_of((await branch.get_history())[-1].uuid)
        assert "Be kind." in json.dumps(str(as_it_was))
        await branch.delete()
        assert counts(graph)[0] == {}


async def test_an_import_that_is_undone_leaves_no_anchor(
    make_agent: MakeAgent, graph: Graph, elsewhere: Graph, old_neo4j_config: Neo4jConfig, tmp_path: Path
) -> None:
    root = project(tmp_path)
    async with make_agent(*STEPS, tools=[weigh], root=root, settings=SETTINGS) as agent:
        await agent.ingest()
        await told(agent)
        await agent.export_all(tmp_path / "all.jsonl")
    lines = (tmp_path / "all.jsonl").read_text().strip().split("\n")
    broken = [line for line in lines if json.loads(line)["record"] != "end"]
    (tmp_path / "broken.jsonl").write_text("\n".join(broken) + "\n")
    async with make_agent(neo4j=old_neo4j_config, settings=SETTINGS) as agent:
        before = counts(elsewhere)
        with contextlib.suppress(InvalidInput):
            await agent.import_conversations(tmp_path / "broken.jsonl")
        assert counts(elsewhere) == before == ({}, {})


async def test_no_file_and_no_log_has_its_words(
    make_agent: MakeAgent, home: Path, owner: Owner, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, logger="ragforge_memory")
    asks = [ToolRequest("1", "weigh", {"thing": SECRET})]
    async with make_agent(asks, f"{SECRET} it is.", "Other.", "Other.", tools=[weigh]) as agent:
        services = await agent.open()
        other = await agent.create_conversation("Other")
        conversation = await agent.create_conversation(SECRET)
        # A turn elsewhere is open meanwhile, so that the ended turn's lines stay in the journal.
        turn = _open_turn(services, other.uuid)
        services.background.journal.begin(turn)
        await conversation.send_message(f"What of the {SECRET}?")
        assert _files_with(home, SECRET)
        await conversation.delete()
        assert _files_with(home, SECRET) == []
        assert [each.message_id for each in _turns(home)] == [turn.message_id]
        services.background.journal.end(turn.message_id)
        await other.send_message("And that?")
    assert _files_with(home, SECRET) == []
    assert SECRET not in caplog.text


async def test_a_dead_process_has_left_lines_of_it(make_agent: MakeAgent, home: Path, cypher: Any) -> None:
    async with make_agent("One.", "Two.") as agent:
        services = await agent.open()
        conversation = await agent.create_conversation("It")
        await conversation.send_message("One?")
        mine, theirs = _open_turn(services, conversation.uuid), _open_turn(services, conversation.uuid, graph="another")
        dead = home / "journal" / "1-dead.jsonl"
        dead.parent.mkdir(parents=True, exist_ok=True)
        left = JournalFile(dead)
        for turn, content in ((mine, SECRET), (theirs, "elsewhere")):
            left.begin(turn)
            left.answered(turn.message_id, {"content": content, "state": "complete"})
        left.close()
        await conversation.delete()
        assert _files_with(home, SECRET) == []
        assert [turn.graph for turn in _turns(home)] == ["another"]
        assert cypher("MATCH (m:Message {conversation_id: $u}) RETURN m", u=conversation.uuid) == []


def _open_turn(services: Any, conversation_id: str, *, graph: str | None = None) -> Any:
    return JournalTurn(
        graph=graph or services.stores.graph_name,
        user_id=services.place.owner.user_id,
        project=services.place.owner.project,
        conversation_id=conversation_id,
        user_message_id=uuid4().hex,
        message_id=uuid4().hex,
    )


def _turns(home: Path) -> list[Any]:
    return [turn for path in (home / "journal").glob("*.jsonl") for turn in read_journal(path).turns.values()]


async def test_what_was_set_aside_of_it_goes_too(make_agent: MakeAgent, home: Path) -> None:
    async with make_agent("One.", "Two.") as agent:
        services = await agent.open()
        conversation = await agent.create_conversation("It")
        await conversation.send_message("One?")
        other = await agent.create_conversation("Other")
        folder = home / "journal"
        left = JournalFile(folder / "1-dead.jsonl")
        for journal in (services.background.journal, left):
            for uuid, content in ((conversation.uuid, SECRET), (other.uuid, "another's")):
                turn = _open_turn(services, uuid)
                journal.begin(turn)
                journal.answered(turn.message_id, {"content": content, "state": "complete"})
                journal.set_aside(journal.held.turns[turn.message_id], "nobody wants it")
        left.close()
        assert len(_files_with(folder, SECRET)) == 2
        await conversation.delete()
        assert _files_with(home, SECRET) == []
        assert [path.suffix for path in map(Path, _files_with(folder, "another's"))] == [".aside"] * 2
        await other.delete()
        assert _files_with(home, "another's") == []
        assert list(folder.glob("*.aside*")) == []


async def test_what_is_not_there_is_not_deleted_where_the_journal_cannot_be_written(
    make_agent: MakeAgent, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(journal: Journal, conversation_id: str) -> bool:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Journal, "forget", full)
    async with make_agent() as agent:
        conversation = await agent.create_conversation()
        await conversation.delete()
        assert "still has lines" in caplog.text
        with pytest.raises(ConversationNotFound):
            await conversation.delete()
